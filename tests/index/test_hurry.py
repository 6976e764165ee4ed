"""A large tree that is not indexed yet: a query answers with what there is, and says so."""

from __future__ import annotations

import os
import stat
from itertools import count
from typing import TYPE_CHECKING, NoReturn

import pytest

from dmm.domain.pack import QueryRequest
from dmm.domain.plain import to_plain
from dmm.errors import ModelUnavailable
from dmm.index import hurry as hurry_module
from dmm.index import sync
from dmm.memories import overview

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import HashEmbedder, MemoryText, Opener, Project

    from dmm.bootstrap import Dmm
    from dmm.domain.pack import Pack

FILES = 120
QUESTION = "how does the lantern gateway retry a refused payment"
WANTED = "project/topic_3/memory_093.md"


def write_tree(project: Project, memory_text: MemoryText, files: int) -> None:
    """Write memories about this and that; one of the last is what the question is about."""
    for number in range(files):
        body = f"Remark {number} about the harbour, the tide and the colour of ship {number}."
        if number == files - 27:
            body = "The lantern gateway retries a refused payment twice, then it gives up."
        text = memory_text(f"Remark {number}", body, id=f"mem_2026_01_31_{number:06d}", tags="[a]")
        file = project.write(f"project/topic_{number % 9}/memory_{number:03d}.md", text)
        os.utime(file, (1e9, 1e9))
    for number, name in enumerate(("identity", "rules")):
        fields = {"scope": "baseline", "id": f"mem_2026_01_30_00{number}"}
        project.write(f"baseline/{name}.md", memory_text(name, "Always true.", **fields))


@pytest.fixture
def large(project: Project, memory_text: MemoryText) -> Project:
    write_tree(project, memory_text, FILES)
    return project


@pytest.fixture
def opened(large: Project, open_project: Opener, new_embedder: Callable[[], HashEmbedder]) -> Dmm:
    """A project whose queries have little time to index."""
    return in_a_hurry(open_project(large, new_embedder))


def in_a_hurry(dmm: Dmm, seconds: float = 8.0) -> Dmm:
    """Give a project a clock of its own: a second passes each time that somebody looks at it."""
    ticks = count()
    dmm.indexes.clock = lambda: float(next(ticks))
    dmm.indexes.allowance = seconds
    return dmm


def paths(pack: Pack) -> list[str]:
    return [entry.path for entry in pack.retrieved_entries]


def test_the_first_query_has_the_baseline_the_best_match_and_says_what_is_missing(
    opened: Dmm,
) -> None:
    answer = opened.packs.query(QueryRequest(QUESTION))
    pack = answer.pack
    assert [entry.path for entry in pack.baseline_entries] == [
        "baseline/identity.md",
        "baseline/rules.md",
    ]
    assert paths(pack)[0] == WANTED
    (notice,) = pack.notices
    known = FILES + 2 - answer.stats.waiting
    assert 0 < known < FILES
    assert notice == (
        f"only {known} of {FILES + 2} memory files are indexed, so some may be missing;"
        " each query indexes some more; to index the rest now: dmm reindex"
    )


def test_every_query_makes_progress_until_the_index_is_that_of_a_whole_run(
    large: Project,
    opened: Dmm,
    open_project: Opener,
    new_embedder: Callable[[], HashEmbedder],
    new_project: Callable[[str], Project],
    memory_text: MemoryText,
) -> None:
    left = []
    for _ in range(FILES):
        answer = opened.packs.query(QueryRequest("anything about tides"))
        left.append((answer.stats.waiting, *answer.pack.notices))
        if not answer.pack.notices:
            break
    waiting = [int(str(one[0])) for one in left]
    assert waiting == sorted(waiting, reverse=True)
    assert left[-1] == (0,)
    whole = new_project("whole")
    write_tree(whole, memory_text, FILES)
    at_once = open_project(whole, new_embedder)
    at_once.memories.reindex()
    for question in (QUESTION, "the colour of ship 17", "tides"):
        one = opened.packs.query(QueryRequest(question, explain=True))
        other = at_once.packs.query(QueryRequest(question, explain=True))
        assert to_plain(one) == to_plain(other)


def test_a_few_changed_files_are_indexed_before_the_answer_however_long_it_takes(
    large: Project, opened: Dmm, memory_text: MemoryText
) -> None:
    opened.memories.reindex()
    for number in range(40):
        text = memory_text(f"New {number}", "The cat sleeps.", id=f"mem_2026_03_01_{number:03d}")
        large.write(f"project/new/{number}.md", text)
    answer = opened.packs.query(QueryRequest("where does the cat sleep"))
    assert answer.pack.notices == ()
    assert answer.stats.indexed == FILES + 42


def test_words_come_first_and_the_best_matches_get_their_vectors_with_them(
    opened: Dmm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hurry_module, "CHOSEN", 8)
    monkeypatch.setattr(hurry_module, "EMBEDDED", 4)
    in_a_hurry(opened, 1000.0)
    # Where others follow with the rest, only what was chosen is waited for.
    opened.indexes.followed = True
    opened.packs.query(QueryRequest("harbour of ship 7"))
    snapshot = opened.indexes.snapshot()
    assert snapshot.vectors is not None
    assert (len(snapshot), len(snapshot.vectors)) == (8, 4)


def test_where_only_vectors_are_missing_the_best_matches_get_theirs_first(
    large: Project, open_project: Opener, new_embedder: Callable[[], HashEmbedder]
) -> None:
    def missing() -> NoReturn:
        raise ModelUnavailable("not here")

    open_project(large, missing).memories.reindex()
    dmm = in_a_hurry(open_project(large, new_embedder), 5.0)
    answer = dmm.packs.query(QueryRequest(QUESTION))
    assert "waiting" not in to_plain(answer.stats)
    (notice,) = answer.pack.notices
    assert " memory files can be found by meaning so far, so some may be missing; each " in notice
    store = dmm.indexes.shelves[0].store
    assert store is not None
    assert store.lacks_vectors(WANTED) is None
    assert len(store.lacking_vectors()) > FILES // 2


def test_followed_queries_say_that_the_rest_is_being_indexed(opened: Dmm) -> None:
    opened.indexes.followed = True
    (notice,) = opened.packs.query(QueryRequest(QUESTION)).pack.notices
    assert notice.endswith(
        "the rest is being indexed in the background; to wait for it: dmm reindex"
    )


def test_a_prompt_is_answered_with_what_is_in_memory_while_others_index(opened: Dmm) -> None:
    opened.packs.query(QueryRequest(QUESTION))
    held = opened.indexes.snapshot()
    opened.indexes.followed = True
    opened.indexes.sync()
    (found, *_) = opened.packs.supplement(QueryRequest(QUESTION), frozenset()).entries
    assert found.path == WANTED
    assert opened.indexes.snapshot_at_hand().columns is held.columns
    opened.indexes.followed = False
    assert len(opened.indexes.snapshot_at_hand()) == FILES + 2


def test_a_write_into_a_large_tree_is_indexed_and_gets_an_id_of_its_own(
    large: Project, opened: Dmm, memory_text: MemoryText
) -> None:
    in_a_hurry(opened, 2.0).indexes.refresh()
    text = memory_text("Fresh", "Just written.", id="mem_2026_04_01_001")
    large.write("project/zz/fresh.md", text)
    report = opened.memories.follow(["project/zz/fresh.md"])
    assert report.waiting > 0
    assert "project/zz/fresh.md" in {place.path for place in opened.indexes.snapshot().places}
    known = opened.proposals.intake._known_ids()
    assert {"mem_2026_04_01_001", f"mem_2026_01_31_{FILES - 1:06d}"} <= known


def test_status_counts_what_it_does_not_read(opened: Dmm, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(overview, "MOST_READ", 5)
    opened.packs.query(QueryRequest(QUESTION))
    opened.indexes.close()
    (root,) = opened.overview.describe().roots
    assert (root.files, root.scopes["project"], root.scopes["baseline"]) == (FILES + 2, FILES, 2)
    assert root.index.added > 0
    assert root.index.indexed + root.index.added == FILES + 2


def test_an_index_that_is_removed_while_files_are_indexed_is_not_written_any_more(
    large: Project, opened: Dmm
) -> None:
    def remove(done: int, total: int) -> None:
        large.index.unlink(missing_ok=True)

    opened.indexes.refresh(whole=True, progress=remove)
    assert opened.indexes.notices["index"].startswith("another process is indexing")
    assert opened.memories.reindex().indexed == FILES + 2


def test_a_large_tree_gets_all_its_words_before_the_first_vector(
    opened: Dmm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync, "MANY", 100)
    seen = []

    def look(done: int, total: int) -> None:
        store = opened.indexes.shelves[0].store
        assert store is not None
        seen.append((done, total, store.size(), len(store.vector_keys())))

    report = opened.indexes.sync(progress=look)
    assert (report.indexed, report.embedded) == (FILES + 2, FILES + 2)
    assert [one[3] for one in seen[:3]] == [0, 0, 0]
    assert seen[2][:3] == (FILES + 2, 2 * (FILES + 2), FILES + 2)
    assert seen[-1][0] == seen[-1][1]


@pytest.mark.parametrize("kind", ["pipe", "folder", "link"])
def test_an_index_that_is_no_file_is_left_alone_and_the_query_answered(
    large: Project,
    open_project: Opener,
    new_embedder: Callable[[], HashEmbedder],
    kind: str,
) -> None:
    large.index.parent.mkdir()
    match kind:
        case "pipe":
            os.mkfifo(large.index)
        case "folder":
            large.index.mkdir()
        case "link":
            large.index.symlink_to("/dev/zero")
    before = large.index.lstat()
    dmm = in_a_hurry(open_project(large, new_embedder))
    pack = dmm.packs.query(QueryRequest(QUESTION)).pack
    assert paths(pack)[0] == WANTED
    assert len(pack.baseline_entries) == 2
    assert any("held in memory only" in notice for notice in pack.notices)
    assert stat.S_IFMT(large.index.lstat().st_mode) == stat.S_IFMT(before.st_mode)


def test_a_query_over_a_tree_of_full_size_is_answered(
    slow: bool,
    project: Project,
    memory_text: MemoryText,
    open_project: Opener,
) -> None:
    files = 100_000 if slow else 1_500
    write_tree(project, memory_text, files)
    dmm = open_project(project)
    if slow:
        dmm.indexes.allowance = 3.0
    else:
        # The few files must neither be too many for a busy machine nor too few for a fast one.
        in_a_hurry(dmm, 60.0)
    answer = dmm.packs.query(QueryRequest(QUESTION))
    assert len(answer.pack.baseline_entries) == 2
    assert answer.pack.retrieved_entries[0].title == f"Remark {files - 27}"
    assert answer.stats.waiting > 0
