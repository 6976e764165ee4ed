"""Files → index: only what changed is read, and nothing is embedded twice."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest

from dmm.domain.memory import Origin
from dmm.errors import StorageError
from dmm.index import analysis, sync
from dmm.index.records import Directory
from dmm.index.snapshot import take_snapshot
from dmm.index.store import IndexStore
from dmm.index.sync import Syncer, SyncReport

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conftest import HashEmbedder, MemoryText, Project

    from dmm.embed.model import Embedder

LATER = 2**62


@dataclass
class Bench:
    """A project, its index and a stand-in model that counts what it embeds."""

    project: Project
    store: IndexStore
    embedder: HashEmbedder
    count: Callable[[str], int]

    def sync(
        self, *, now_ns: int = LATER, full: bool = False, model: bool = True, batch_size: int = 50
    ) -> SyncReport:
        embedder = self.embedder if model else None
        syncer = Syncer(Origin.PROJECT, self.count, embedder, batch_size)
        return syncer.sync(self.project.tree, self.store, now_ns=now_ns, full=full)

    def paths(self) -> list[str]:
        return [memory.path for memory in self.store.memories()]


@pytest.fixture
def bench(
    project: Project,
    count: Callable[[str], int],
    new_embedder: Callable[..., HashEmbedder],
    memory_text: MemoryText,
) -> Iterator[Bench]:
    store = IndexStore.open(project.index)
    for number in range(3):
        text = memory_text(f"Memory {number}", id=f"mem_2026_01_31_00{number}")
        project.write(f"project/{number}.md", text)
    yield Bench(project, store, new_embedder(), count)
    store.close()


def test_a_first_run_indexes_and_embeds_everything(bench: Bench) -> None:
    assert bench.sync() == SyncReport(total=3, indexed=3, embedded=3, removed=0)
    assert bench.paths() == ["project/0.md", "project/1.md", "project/2.md"]
    assert len(bench.store.vectors()) == 3


def test_a_second_run_has_nothing_to_do(bench: Bench) -> None:
    bench.sync()
    generation = bench.store.generation()
    assert bench.sync() == SyncReport(total=3)
    assert bench.store.generation() == generation


def test_a_changed_file_alone_is_read_again(bench: Bench, memory_text: MemoryText) -> None:
    bench.sync()
    bench.project.write("project/1.md", memory_text("Changed", id="mem_2026_01_31_001"))
    assert bench.sync() == SyncReport(total=3, indexed=1, embedded=1)
    assert bench.store.memory("project/1.md").title == "Changed"


def test_a_change_outside_title_tags_and_text_is_not_embedded_again(
    bench: Bench, memory_text: MemoryText
) -> None:
    bench.sync()
    text = memory_text("Memory 1", id="mem_2026_01_31_001", priority="0.9")
    bench.project.write("project/1.md", text)
    assert bench.sync() == SyncReport(total=3, indexed=1, embedded=0)
    assert bench.store.memory("project/1.md").priority == 0.9


def test_a_renamed_file_is_not_embedded_again(bench: Bench) -> None:
    bench.sync()
    folder = bench.project.memory / "project"
    (folder / "topic").mkdir()
    (folder / "1.md").rename(folder / "topic" / "one.md")
    assert bench.sync() == SyncReport(total=3, indexed=1, embedded=0, removed=1)
    assert bench.paths() == ["project/0.md", "project/2.md", "project/topic/one.md"]
    assert bench.embedder.windows == 3


def test_a_branch_switched_there_and_back_is_not_embedded_again(bench: Bench) -> None:
    bench.sync()
    away = bench.project.folder / "away"
    (bench.project.memory / "project").rename(away)
    assert bench.sync() == SyncReport(total=0, removed=3)
    assert bench.paths() == []
    away.rename(bench.project.memory / "project")
    assert bench.sync() == SyncReport(total=3, indexed=3, embedded=0)
    assert bench.embedder.windows == 3


def test_the_same_text_in_two_files_is_embedded_once(bench: Bench, memory_text: MemoryText) -> None:
    for number in range(6):
        bench.project.write(f"project/same{number}.md", memory_text("Same"))
    assert bench.sync(batch_size=2).embedded == 4


def test_vectors_of_files_long_gone_are_forgotten(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync, "ORPHANS_KEPT", 1)
    bench.sync()
    (bench.project.memory / "project" / "0.md").unlink()
    bench.sync()
    assert len(bench.store.vector_keys()) == 3
    for number in (1, 2):
        (bench.project.memory / "project" / f"{number}.md").unlink()
    bench.sync()
    assert bench.store.vector_keys() == set()


def test_a_full_run_reads_and_embeds_everything_again(bench: Bench) -> None:
    bench.sync()
    assert bench.sync(full=True) == SyncReport(total=3, indexed=3, embedded=3)


def test_a_file_changed_within_a_tick_of_the_clock_and_of_the_same_size_is_noticed(
    bench: Bench,
) -> None:
    target = bench.project.memory / "project" / "1.md"
    status = target.stat()
    bench.sync(now_ns=status.st_mtime_ns + 1)
    text = target.read_text().replace("three times", "seven times")
    with target.open("r+") as file:
        file.write(text)
    os.utime(target, ns=(status.st_atime_ns, status.st_mtime_ns))
    assert target.stat().st_size == status.st_size
    assert bench.sync().indexed == 3
    assert "seven times" in bench.store.memory("project/1.md").content
    assert bench.sync() == SyncReport(total=3)


def test_another_model_embeds_everything_again(
    bench: Bench, new_embedder: Callable[..., HashEmbedder]
) -> None:
    bench.sync()
    before = bench.store.vectors()
    bench.embedder = new_embedder("stand-in/2")
    assert bench.sync() == SyncReport(total=3, indexed=0, embedded=3)
    after = bench.store.vectors()
    assert before.keys() == after.keys()
    assert all(before[key] != after[key] for key in before)
    assert bench.store.meta("model") == "stand-in/2"
    assert bench.sync() == SyncReport(total=3)


def test_other_rules_start_the_index_over(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.sync()
    monkeypatch.setattr(analysis, "VERSION", "analysis-next")
    assert bench.sync() == SyncReport(total=3, indexed=3, embedded=3)
    assert bench.sync() == SyncReport(total=3)


def test_a_start_over_that_is_interrupted_goes_on_in_the_next_run(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.sync()
    monkeypatch.setattr(analysis, "VERSION", "analysis-next")

    def interrupt(done: int, total: int) -> None:
        raise KeyboardInterrupt

    syncer = Syncer(Origin.PROJECT, bench.count, bench.embedder, batch_size=1)
    with pytest.raises(KeyboardInterrupt):
        syncer.sync(bench.project.tree, bench.store, now_ns=LATER, progress=interrupt)
    assert bench.paths() == ["project/0.md"]
    assert bench.sync() == SyncReport(total=3, indexed=2, embedded=2)


def test_without_a_model_words_are_indexed_and_vectors_follow_later(bench: Bench) -> None:
    assert bench.sync(model=False) == SyncReport(total=3, indexed=3, embedded=0)
    assert bench.store.lacking_vectors() == bench.paths()
    assert bench.sync() == SyncReport(total=3, indexed=0, embedded=3)
    assert bench.store.lacking_vectors() == []


def test_progress_counts_what_is_read_and_what_is_only_embedded(
    bench: Bench, memory_text: MemoryText
) -> None:
    bench.sync(model=False)
    bench.project.write("project/3.md", memory_text("New"))
    steps: list[tuple[int, int]] = []
    syncer = Syncer(Origin.PROJECT, bench.count, bench.embedder, batch_size=2)
    syncer.sync(
        bench.project.tree,
        bench.store,
        now_ns=LATER,
        progress=lambda done, total: steps.append((done, total)),
    )
    assert steps == [(1, 4), (3, 4), (4, 4)]


def test_one_bad_file_never_stops_the_rest(bench: Bench, memory_text: MemoryText) -> None:
    bench.project.write("project/bad.md", "no front matter")
    bench.project.write("project/binary.md", b"\x00\x01")
    bench.project.write("project/con.md", memory_text())
    bench.project.write("README.md", "read me")
    bench.project.write("project/long.md", memory_text(body="word " * 3000))
    (bench.project.memory / "project" / "link.md").symlink_to("0.md")
    report = bench.sync()
    assert (report.total, report.indexed) == (6, 3)
    tops = "baseline, global, agent, project, ephemeral, deprecated"
    assert [str(fault) for fault in report.faults] == [
        f"README.md: its first folder must be one of {tops}",
        "project/bad.md:1: no front matter",
        "project/binary.md: a binary file, not text",
        "project/con.md: a name that some systems reserve",
        "project/link.md: a symbolic link; links are not followed",
        "project/long.md: 3004 tokens; a memory has at most 2000",
    ]
    again = bench.sync()
    assert [str(fault) for fault in again.faults] == [str(fault) for fault in report.faults]
    assert again.indexed == 0


def test_a_file_that_turns_bad_leaves_the_index_and_comes_back_when_mended(
    bench: Bench, memory_text: MemoryText
) -> None:
    bench.sync()
    bench.project.write("project/1.md", "broken")
    assert len(bench.sync().faults) == 1
    assert bench.paths() == ["project/0.md", "project/2.md"]
    bench.project.write("project/1.md", memory_text("Memory 1", id="mem_2026_01_31_001"))
    assert bench.sync() == SyncReport(total=3, indexed=1, embedded=0)
    assert bench.paths() == ["project/0.md", "project/1.md", "project/2.md"]


def test_a_file_that_could_not_be_read_is_tried_again(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.open

    def refuse(path: os.PathLike[str], *rest: int) -> int:
        if str(path).endswith("1.md"):
            raise PermissionError(13, "Permission denied")
        return real(path, *rest)

    with monkeypatch.context() as patch:
        patch.setattr(os, "open", refuse)
        faults = bench.sync().faults
    assert [str(fault) for fault in faults] == ["project/1.md: unreadable: Permission denied"]
    assert bench.sync() == SyncReport(total=3, indexed=1, embedded=1)


def test_folders_are_described_by_their_file_of_any_newline(bench: Bench) -> None:
    bench.project.write("project/a/_dir.md", b"\xef\xbb\xbfHow we\r\nretry\xe2\x80\xae\r\n")
    bench.project.write("project/a-b/_dir.md", "Beside")
    bench.project.write("project/bad/_dir.md", b"\xff\xff")
    bench.sync()
    generation = bench.store.generation()
    assert bench.store.directories() == [
        Directory("project/a", "How we\nretry<U+202E>"),
        Directory("project/a-b", "Beside"),
    ]
    bench.sync()
    assert bench.store.generation() == generation
    (bench.project.memory / "project" / "a" / "_dir.md").unlink()
    bench.sync()
    assert bench.store.directories() == [Directory("project/a-b", "Beside")]


def test_hidden_characters_are_shown_in_what_is_served(
    bench: Bench, memory_text: MemoryText
) -> None:
    text = memory_text("A\u202etitle", "safe\u200btext", id="mem_2026_01_31_001")
    bench.project.write("project/1.md", text)
    bench.sync()
    memory = bench.store.memory("project/1.md")
    assert memory.title == "A<U+202E>title"
    assert memory.content == "# A<U+202E>title\n\nsafe<U+200B>text"


def test_tokens_are_counted_as_the_pack_will_show_them(bench: Bench) -> None:
    bench.sync()
    memory = bench.store.memory("project/0.md")
    assert memory.token_count == bench.count(memory.content)
    shown = f"#### [project/0.md] (relevance: 0.00)\n{memory.content}\n\n"
    assert memory.token_count + memory.heading_tokens == bench.count(shown)


def test_an_index_that_can_not_be_written_says_so(bench: Bench) -> None:
    bench.store.close()
    bench.project.index.with_name("embeddings.db-wal").mkdir()
    bench.store = IndexStore.open(bench.project.index)
    assert not bench.store.writable
    with pytest.raises(StorageError, match="database can't be written"):
        bench.sync()


def test_a_full_disk_keeps_the_batches_before_it(bench: Bench, memory_text: MemoryText) -> None:
    bench.sync()
    for number in range(200):
        text = memory_text(f"More {number}", "word " * 300, id=f"mem_2026_02_01_{number:03d}")
        bench.project.write(f"project/more{number}.md", text)
    pages = int(str(bench.store._connection.pragma("page_count")))
    bench.store._connection.pragma("max_page_count", pages + 40)
    with pytest.raises(StorageError, match="no space left for the database"):
        bench.sync(batch_size=5)
    held = len(bench.paths())
    assert 3 < held < 203
    bench.store._connection.pragma("max_page_count", 2**30)
    report = bench.sync()
    assert (report.total, report.indexed) == (203, 203 - held)


def test_the_real_model_gives_vectors_that_find_what_is_meant(
    project: Project, count: Callable[[str], int], model: Embedder, memory_text: MemoryText
) -> None:
    project.write(
        "project/cats.md",
        memory_text("Cats", "The kitten sleeps on the sofa.", tags="[pets]"),
    )
    project.write(
        "project/money.md",
        memory_text("Invoices", "Payment is due in thirty days.", tags="[billing]"),
    )
    store = IndexStore.in_memory()
    syncer = Syncer(Origin.PROJECT, count, model)
    assert syncer.sync(project.tree, store, now_ns=LATER).embedded == 2
    assert store.meta("model") == model.identity
    snapshot = take_snapshot([(Origin.PROJECT, store)], model.dimensions)
    assert snapshot.vectors is not None
    query = model.embed_query("a pet resting on furniture")
    similarities = snapshot.vectors.similarities(query, np.arange(2))
    assert [place.title for place in snapshot.places] == ["Cats", "Invoices"]
    assert similarities[0] > similarities[1] + 0.2
    store.close()
