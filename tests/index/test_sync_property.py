"""Whatever happens to the files, after a run the index is what the files alone would give."""

from __future__ import annotations

import os
import shutil
from typing import TYPE_CHECKING, Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule, run_state_machine_as_test

from dmm.domain.memory import Origin
from dmm.index.store import IndexStore
from dmm.index.sync import Syncer, SyncReport

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest
    from tests.conftest import HashEmbedder, MemoryText, Project

SETTLED_NS = 10_000_000_000
paths = st.sampled_from(
    [
        *("project/a.md", "project/b.md", "project/x/c.md", "project/x-y/d.md"),
        *("global/e.md", "baseline/f.md", "deprecated/g.md", "agent/h/i.md"),
    ]
)
folders = st.sampled_from(["project", "project/x", "project/x-y", "global"])
titles = st.sampled_from(["Retry", "Locks", "Index"])
bodies = st.sampled_from(["one two", "two one", "long " * 300])
broken = st.sampled_from(
    [b"", b"no front matter", b"\x00", b"\xff\xfe", b"---\nid: [\n---\n", b"x" * 300_000]
)


class FilesAndIndex(RuleBasedStateMachine):
    """Files change as people, editors and Git change them, under a clock of the test's own."""

    project: Project
    memory_text: MemoryText
    new_embedder: Callable[..., HashEmbedder]

    def __init__(self) -> None:
        super().__init__()
        shutil.rmtree(self.project.dmm, ignore_errors=True)
        self.project.memory.mkdir(parents=True)
        self.clock = 1_700_000_000_000_000_000
        self.store = IndexStore.open(self.project.index)

    def teardown(self) -> None:
        self.store.close()

    def _put(self, path: str, data: bytes, *, in_place: bool) -> None:
        target = self._free(path, keep=in_place)
        target.write_bytes(data)
        os.utime(target, ns=(self.clock, self.clock))

    def _free(self, path: str, *, keep: bool = False) -> Path:
        target = self.project.memory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.is_symlink() or (target.exists() and not (keep and target.is_file())):
            target.unlink()
        return target

    @rule(path=paths, title=titles, body=bodies, tag=st.sampled_from("ab"), in_place=st.booleans())
    def write(self, path: str, title: str, body: str, tag: str, in_place: bool) -> None:
        top = path.partition("/")[0]
        scope = "project" if top == "deprecated" else top
        text = self.memory_text(title, body, scope=scope, tags=f"[{tag}]")
        self._put(path, text.encode(), in_place=in_place)

    @rule(path=paths, data=broken)
    def corrupt(self, path: str, data: bytes) -> None:
        self._put(path, data, in_place=True)

    @rule(folder=folders, data=st.sampled_from([b"some words", b"other\r\nwords", b"\xff"]))
    def describe(self, folder: str, data: bytes) -> None:
        self._put(f"{folder}/_dir.md", data, in_place=False)

    @rule(path=paths)
    def block(self, path: str) -> None:
        os.mkfifo(self._free(path))

    @rule(path=paths)
    def link(self, path: str) -> None:
        self._free(path).symlink_to("elsewhere.md")

    @rule(path=paths)
    def delete(self, path: str) -> None:
        self._free(path)

    @rule(old=paths, new=paths)
    def rename(self, old: str, new: str) -> None:
        source = self.project.memory / old
        if old != new and source.exists():
            source.rename(self._free(new))

    @rule(folder=folders)
    def delete_folder(self, folder: str) -> None:
        shutil.rmtree(self.project.memory / folder, ignore_errors=True)

    @rule()
    def delete_index(self) -> None:
        self.store.close()
        shutil.rmtree(self.project.index.parent)
        self.store = IndexStore.open(self.project.index)

    @rule()
    def reopen_index(self) -> None:
        self.store.close()
        self.store = IndexStore.open(self.project.index)

    @rule(
        model=st.sampled_from(["m/1", "m/1", "m/1", "m/2", None]),
        full=st.booleans(),
        settled=st.booleans(),
        batch_size=st.sampled_from([1, 3, 50]),
    )
    def sync(self, model: str | None, full: bool, settled: bool, batch_size: int) -> None:
        if settled:
            self.clock += SETTLED_NS
        report = self._run(self.store, model, batch_size, full=full)
        fresh = IndexStore.in_memory()
        wanted = self._run(fresh, model or self.store.meta("model"), 50)
        assert self._content(self.store) == self._content(fresh)
        assert report.total == wanted.total
        assert [str(fault) for fault in report.faults] == [str(fault) for fault in wanted.faults]
        if model is None:
            assert self.store.vectors().items() <= fresh.vectors().items()
        else:
            assert self.store.vectors() == fresh.vectors()
        fresh.close()

    def _run(
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


def test_after_every_run_the_index_is_what_the_files_give(
    project: Project,
    memory_text: MemoryText,
    new_embedder: Callable[..., HashEmbedder],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name, part in {
        "project": project,
        "memory_text": memory_text,
        "new_embedder": staticmethod(new_embedder),
    }.items():
        monkeypatch.setattr(FilesAndIndex, name, part, raising=False)
    run_state_machine_as_test(
        FilesAndIndex, settings=settings(max_examples=25, stateful_step_count=30)
    )
