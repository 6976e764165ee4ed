"""Whatever happens to the files, after a run the index is what the files alone would give."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test
from tests.examples import many

from dmm.domain.memory import Origin
from dmm.index.store import IndexStore
from dmm.index.sync import Syncer, SyncReport

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import HashEmbedder, MemoryText, Project

SETTLED_NS = 10_000_000_000


@dataclass(frozen=True, slots=True)
class Run:
    """How the index is updated after a change."""

    model: str | None
    full: bool
    settled: bool
    batch_size: int


paths = st.sampled_from(["project/a.md", "project/x/b.md", "global/c.md", "deprecated/d.md"])
folders = st.sampled_from(["project", "project/x", "project/x-y", "global"])
titles = st.sampled_from(["Retry", "Locks"])
bodies = st.sampled_from(["one two", "two one", "long " * 300])
broken = st.sampled_from([b"", b"no front matter", b"\x00", b"\xff\xfe", b"x" * 300_000])
runs = st.none() | st.builds(
    Run,
    model=st.sampled_from(["m/1", "m/1", "m/2", None]),
    full=st.sampled_from([False, False, False, True]),
    settled=st.booleans(),
    batch_size=st.sampled_from([1, 3, 50]),
)


class FilesAndIndex(RuleBasedStateMachine):
    """Files change as people, editors and Git change them, under a clock of the test's own."""

    project: Project
    memory_text: MemoryText
    new_embedder: Callable[..., HashEmbedder]
    forbidden: set[str]

    def __init__(self) -> None:
        super().__init__()
        shutil.rmtree(self.project.dmm, ignore_errors=True)
        self.project.memory.mkdir(parents=True)
        self.forbidden.clear()
        self.clock = 1_700_000_000_000_000_000
        self.store = IndexStore.open(self.project.index)

    def teardown(self) -> None:
        self.store.close()

    def _put(self, path: str, data: bytes, *, in_place: bool) -> None:
        forbidden = str(self.project.memory / path) in self.forbidden
        target = self._free(path, keep=in_place and not forbidden)
        target.write_bytes(data)
        os.utime(target, ns=(self.clock, self.clock))

    def _free(self, path: str, *, keep: bool = False) -> Path:
        target = self.project.memory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if not keep:
            self.forbidden.discard(str(target))
        if target.is_symlink() or (target.exists() and not (keep and target.is_file())):
            target.unlink()
        return target

    @rule(path=paths, title=titles, body=bodies, in_place=st.booleans(), run=runs)
    def write(self, path: str, title: str, body: str, in_place: bool, run: Run | None) -> None:
        top = path.partition("/")[0]
        text = self.memory_text(title, body, scope="project" if top == "deprecated" else top)
        self._put(path, text.encode(), in_place=in_place)
        self._sync(run)

    @rule(path=paths, data=broken, run=runs)
    def corrupt(self, path: str, data: bytes, run: Run | None) -> None:
        self._put(path, data, in_place=True)
        self._sync(run)

    @rule(folder=folders, data=st.sampled_from([b"words", b"a\r\nb", b"\xff"]), run=runs)
    def describe(self, folder: str, data: bytes, run: Run | None) -> None:
        self._put(f"{folder}/_dir.md", data, in_place=False)
        self._sync(run)

    @rule(path=paths, run=runs)
    def edit_and_forbid(self, path: str, run: Run | None) -> None:
        target = self.project.memory / path
        if target.is_file():
            self.clock += 1
            os.utime(target, ns=(self.clock, self.clock))
            self.forbidden.add(str(target))
        self._sync(run)

    @rule(run=runs)
    def allow_without_a_trace(self, run: Run | None) -> None:
        self.forbidden.clear()
        self._sync(run)

    @rule(path=paths, kind=st.sampled_from(["nothing", "pipe", "link"]), run=runs)
    def take_away(self, path: str, kind: str, run: Run | None) -> None:
        target = self._free(path)
        if kind == "pipe":
            os.mkfifo(target)
        elif kind == "link":
            target.symlink_to("elsewhere.md")
        self._sync(run)

    @rule(old=paths, new=paths, run=runs)
    def rename(self, old: str, new: str, run: Run | None) -> None:
        source = self.project.memory / old
        if old != new and source.exists():
            target = source.rename(self._free(new))
            if str(source) in self.forbidden:
                self.forbidden.remove(str(source))
                self.forbidden.add(str(target))
        self._sync(run)

    @rule(folder=folders, run=runs)
    def delete_folder(self, folder: str, run: Run | None) -> None:
        gone = self.project.memory / folder
        shutil.rmtree(gone, ignore_errors=True)
        self.forbidden.difference_update(
            [path for path in self.forbidden if path.startswith(f"{gone}/")]
        )
        self._sync(run)

    @rule(delete=st.booleans(), run=runs)
    def reopen_index(self, delete: bool, run: Run | None) -> None:
        self.store.close()
        if delete:
            shutil.rmtree(self.project.index.parent)
        self.store = IndexStore.open(self.project.index)
        self._sync(run)

    def _sync(self, run: Run | None) -> None:
        if run is None:
            return
        if run.settled:
            self.clock += SETTLED_NS
        report = self._carry_out(self.store, run.model, run.batch_size, full=run.full)
        fresh = IndexStore.in_memory()
        wanted = self._carry_out(fresh, run.model or self.store.meta("model"), 50)
        assert self._content(self.store) == self._content(fresh)
        assert report.total == wanted.total
        assert [str(fault) for fault in report.faults] == [str(fault) for fault in wanted.faults]
        if run.model is None:
            assert self.store.vectors().items() <= fresh.vectors().items()
        else:
            assert self.store.vectors() == fresh.vectors()
        fresh.close()

    def _carry_out(
        self, store: IndexStore, model: str | None, batch_size: int, *, full: bool = False
    ) -> SyncReport:
        embedder = None if model is None else self.new_embedder(model)
        syncer = Syncer(Origin.PROJECT, lambda text: len(text.split()), embedder, batch_size)
        return syncer.sync(self.project.tree, store, now_ns=self.clock, full=full)

    def _content(self, store: IndexStore) -> dict[str, Any]:
        """Everything that is searched or served, and what is remembered of every file."""
        files = {
            path: (file.content_hash, str(file.fault), file.fault and file.fault.hint)
            for path, file in store.files().items()
        }
        return {
            "memories": store.memories(),
            "rows": list(store.search_rows()),
            "directories": store.directories(),
            "files": files,
        }


@pytest.mark.repeats
def test_after_every_run_the_index_is_what_the_files_give(
    project: Project,
    memory_text: MemoryText,
    new_embedder: Callable[..., HashEmbedder],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    forbidden: set[str] = set()
    real = os.open

    def guarded(path: Any, flags: int, *rest: int, **named: Any) -> int:
        if str(path) in forbidden:
            raise PermissionError(13, "Permission denied")
        return real(path, flags, *rest, **named)

    monkeypatch.setattr(os, "open", guarded)
    for name, part in {
        "project": project,
        "memory_text": memory_text,
        "new_embedder": staticmethod(new_embedder),
        "forbidden": forbidden,
    }.items():
        monkeypatch.setattr(FilesAndIndex, name, part, raising=False)
    run_state_machine_as_test(
        FilesAndIndex, settings=settings(max_examples=many(40), stateful_step_count=25)
    )
