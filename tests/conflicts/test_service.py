"""Conflicts of a project: found once, recorded, closed when they are gone, settled by proposals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from dmm.conflicts.service import UNTRUSTED
from dmm.domain.conflict import ConflictType, Method, Side
from dmm.domain.event import EventType, Trust
from dmm.domain.pack import QueryRequest, label_line
from dmm.errors import LedgerRefused, ModelUnavailable, NotTrusted, UsageError
from dmm.eventlog.open_ledger import Actor
from dmm.eventlog.place import find_ledger
from dmm.files import markdown
from dmm.index.likeness import direction

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import MemoryText, Opener, Project

    from dmm.bootstrap import Dmm
    from dmm.conflicts.results import ConflictList, ConflictView, Scanned
    from dmm.domain.conflict import Clash
    from dmm.embed.model import Embedder

SLOW = ("API timeout", "The API timeout is 30 seconds.")
FAST = ("Timeout of the API", "The API timeout is 10 seconds.")
OTHER = ("Lunch", "Lunch is served at noon in the canteen.")
AGENT = Actor(name="agent", trust=Trust.AGENT)
RECORDS = [EventType.CONFLICT_FOUND, EventType.CONFLICT_RESOLVED]


@dataclass(slots=True)
class ProposalStore:
    """Writes memories of a project and opens it."""

    project: Project
    memory_text: MemoryText
    open_project: Opener

    def write(self, number: int, text: tuple[str, str], path: str = "", **fields: str) -> str:
        path = path or f"project/note_{number}.md"
        self.project.write(path, self.memory_text(*text, id=ident(number), **fields))
        return path

    def open(self, *, trusted: bool = True) -> Dmm:
        return self.open_project(self.project, trusted=trusted)


def ident(number: int) -> str:
    return f"mem_2026_01_31_{number:03d}"


@pytest.fixture
def proposal_store(
    project: Project, memory_text: MemoryText, open_project: Opener
) -> ProposalStore:
    return ProposalStore(project, memory_text, open_project)


@pytest.fixture
def clashing(proposal_store: ProposalStore) -> ProposalStore:
    proposal_store.write(1, SLOW)
    proposal_store.write(2, FAST)
    proposal_store.write(3, OTHER)
    return proposal_store


def events(dmm: Dmm) -> list[tuple[str, dict[str, Any]]]:
    log = dmm.project_ledger.reading
    told = log.events_of([str(kind) for kind in RECORDS], 0, log.head().seq)
    return [(event.type, event.payload or {}) for event in told]


def rewrite(dmm: Dmm, path: str, old: str, new: str) -> None:
    text = dmm.root.tree.text_of(path)
    assert text is not None
    assert old in text
    dmm.root.tree.replace(path, text.replace(old, new))
    dmm.indexes.refresh()


def names(told: Scanned | ConflictList | tuple[ConflictView, ...]) -> list[str]:
    records = told if isinstance(told, tuple) else told.conflicts
    return [one.conflict_id for one in records]


def test_a_scan_finds_two_values_of_one_thing_and_records_them(clashing: ProposalStore) -> None:
    dmm = clashing.open()
    told = dmm.conflicts.scan()
    (record,) = told.conflicts
    assert record.type == "numeric_clash"
    assert record.status == "unresolved"
    assert record.memories == (
        Side(ident(1), "project/note_1.md", SLOW[1]),
        Side(ident(2), "project/note_2.md", FAST[1]),
    )
    assert "rules" in record.methods
    assert "similarity" in record.methods
    assert (told.memories, told.found, told.gone) == (3, 1, 0)
    assert (told.recorded, told.notices) == (True, ())
    ((kind, payload),) = events(dmm)
    assert kind == EventType.CONFLICT_FOUND
    assert payload["id"] == record.conflict_id == "conflict_1"
    assert payload["quotes"] == [SLOW[1], FAST[1]]


def test_the_same_thing_said_twice_is_a_duplicate(proposal_store: ProposalStore) -> None:
    proposal_store.write(1, SLOW)
    proposal_store.write(2, SLOW)
    (record,) = proposal_store.open().conflicts.scan().conflicts
    assert record.type == ConflictType.DUPLICATE


def test_a_second_scan_finds_the_same_and_records_nothing(clashing: ProposalStore) -> None:
    dmm = clashing.open()
    first = dmm.conflicts.scan()
    again = clashing.open().conflicts.scan()
    assert again.conflicts == first.conflicts
    assert (again.found, again.gone) == (0, 0)
    assert len(events(dmm)) == 1


def test_memories_out_of_force_or_expired_are_not_compared(proposal_store: ProposalStore) -> None:
    proposal_store.write(1, SLOW)
    proposal_store.write(2, FAST, status="deprecated", confidence="deprecated")
    proposal_store.write(3, FAST, "deprecated/note_3.md")
    proposal_store.write(4, FAST, "ephemeral/note_4.md", scope="ephemeral", expires="2020-01-31")
    assert proposal_store.open().conflicts.scan().conflicts == ()


def test_a_memory_of_the_user_may_clash_with_one_of_the_project(
    proposal_store: ProposalStore, home: Path
) -> None:
    proposal_store.write(1, SLOW)
    own = home / ".dmm" / "memory" / "global"
    own.mkdir(parents=True)
    text = proposal_store.memory_text(*FAST, id=ident(2), scope="global")
    (own / "timeout.md").write_text(text, "utf-8")
    (own / "again.md").write_text(text.replace(ident(2), ident(3)), "utf-8")
    told = proposal_store.open().conflicts.scan().conflicts
    assert [[side.path for side in one.memories] for one in told] == [
        ["project/note_1.md", "user:global/again.md"],
        ["project/note_1.md", "user:global/timeout.md"],
    ]


def test_a_check_after_a_write_finds_what_the_write_brought(proposal_store: ProposalStore) -> None:
    proposal_store.write(1, SLOW)
    dmm = proposal_store.open()
    assert dmm.conflicts.scan().conflicts == ()
    path = proposal_store.write(2, FAST)
    dmm.indexes.refresh()
    (record,) = dmm.conflicts.check([path])
    assert [side.id for side in record.memories] == [ident(1), ident(2)]
    assert dmm.conflicts.check([path]) == (record,)
    assert dmm.conflicts.check(["project/note_9.md"]) == ()


def test_a_check_tells_only_the_conflicts_of_its_paths(clashing: ProposalStore) -> None:
    dmm = clashing.open()
    dmm.conflicts.scan()
    assert dmm.conflicts.check(["project/note_3.md"]) == ()
    assert names(dmm.conflicts.list()) == ["conflict_1"]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("10 seconds", "30 seconds per call for the API", None),
        ("status: active", "status: deprecated", "no longer active: project/note_2.md"),
        (
            FAST[1],
            "The graph of it is on the dashboard.",
            "the memories no longer contradict each other",
        ),
    ],
)
def test_a_clash_that_is_gone_is_closed_with_the_reason(
    clashing: ProposalStore, old: str, new: str, reason: str | None
) -> None:
    dmm = clashing.open()
    dmm.conflicts.scan()
    rewrite(dmm, "project/note_2.md", old, new)
    dmm.conflicts.check(["project/note_2.md"])
    kind, payload = events(dmm)[1]
    assert (kind, payload["id"], payload["action"]) == (
        EventType.CONFLICT_RESOLVED,
        "conflict_1",
        "gone",
    )
    assert reason is None or payload["reason"] == reason
    assert dmm.conflicts.show("conflict_1").status == "resolved"


def test_a_deleted_file_closes_its_conflicts(clashing: ProposalStore) -> None:
    dmm = clashing.open()
    dmm.conflicts.scan()
    dmm.root.tree.remove("project/note_1.md")
    told = dmm.conflicts.scan()
    assert (told.conflicts, told.gone) == ((), 1)


def test_a_value_that_changes_to_another_clash_is_a_conflict_of_its_own(
    clashing: ProposalStore,
) -> None:
    dmm = clashing.open()
    dmm.conflicts.scan()
    rewrite(dmm, "project/note_2.md", "10 seconds", "45 seconds")
    (record,) = dmm.conflicts.check(["project/note_2.md"])
    assert record.conflict_id == "conflict_3"
    assert record.memories[1].summary == "The API timeout is 45 seconds."
    assert names(dmm.conflicts.list("resolved")) == ["conflict_1"]


def test_an_edit_that_leaves_the_clash_as_it_was_changes_no_record(clashing: ProposalStore) -> None:
    dmm = clashing.open()
    before = dmm.conflicts.scan().conflicts
    rewrite(dmm, "project/note_2.md", "priority: 0.5", "priority: 0.9")
    assert dmm.conflicts.check(["project/note_2.md"]) == before


def test_what_a_person_means_to_be_so_stays_quiet_until_a_text_changes(
    clashing: ProposalStore,
) -> None:
    dmm = clashing.open()
    dmm.conflicts.scan()
    told = dmm.resolutions.resolve("conflict_1", "intentional", reason="the migration goes on")
    assert told.resolution is not None
    assert (told.status, told.resolution.action) == ("resolved", "intentional")
    assert dmm.conflicts.scan().conflicts == ()
    rewrite(dmm, "project/note_2.md", "priority: 0.5", "priority: 0.9")
    assert dmm.conflicts.check(["project/note_2.md"]) == ()
    rewrite(dmm, "project/note_2.md", "10 seconds", "20 seconds")
    assert names(dmm.conflicts.check(["project/note_2.md"])) == ["conflict_3"]


def test_an_agent_may_flag_but_not_declare_a_conflict_intentional(clashing: ProposalStore) -> None:
    dmm = clashing.open().as_actor(AGENT)
    told = dmm.conflicts.flag([ident(1), ident(3)], "Nobody can eat in 30 seconds.")
    assert (told.type, told.methods) == ("flagged", (Method.FLAG,))
    with pytest.raises(LedgerRefused, match="an agent can't declare a conflict intentional"):
        dmm.resolutions.resolve(told.conflict_id, "intentional", reason="trust me")
    assert dmm.conflicts.show(told.conflict_id).status == "unresolved"


def test_a_flag_stays_until_somebody_settles_it_or_a_side_is_gone(clashing: ProposalStore) -> None:
    dmm = clashing.open()
    flagged = dmm.conflicts.flag(["project/note_1.md", ident(3)], "Nobody can eat in 30 seconds.")
    assert flagged.conflict_id in names(dmm.conflicts.scan())
    rewrite(dmm, "project/note_3.md", "noon", "one")
    assert names(dmm.conflicts.check(["project/note_3.md"])) == [flagged.conflict_id]
    dmm.root.tree.remove("project/note_3.md")
    assert flagged.conflict_id not in names(dmm.conflicts.scan())


@pytest.mark.parametrize(
    ("ids", "what"),
    [
        ([ident(1)], "a conflict is between two memories"),
        ([ident(1), ident(1)], "a conflict is between two memories"),
        ([ident(1), "project/note_1.md"], "both names are of the same memory"),
        ([ident(1), "mem_none"], "there is no memory 'mem_none'"),
    ],
)
def test_a_flag_names_two_memories_in_force(
    clashing: ProposalStore, ids: list[str], what: str
) -> None:
    with pytest.raises(UsageError, match=what):
        clashing.open().conflicts.flag(ids, "they clash")


def test_what_is_in_conflict_already_is_not_flagged_again(clashing: ProposalStore) -> None:
    dmm = clashing.open()
    dmm.conflicts.scan()
    with pytest.raises(UsageError, match="these two are in conflict already: conflict_1"):
        dmm.conflicts.flag([ident(2), ident(1)], "they clash")


def test_a_tool_can_neither_flag_nor_resolve(clashing: ProposalStore) -> None:
    dmm = clashing.open()
    dmm.conflicts.scan()
    dmm = dmm.as_actor(Actor(name="tool", trust=Trust.TOOL))
    with pytest.raises(LedgerRefused, match="tool output can't flag a conflict"):
        dmm.conflicts.flag([ident(1), ident(3)], "they clash")
    with pytest.raises(LedgerRefused, match="tool output can't resolve a conflict"):
        dmm.resolutions.resolve("conflict_1", "deprecate", target=ident(1), reason="x")


def test_deprecating_one_is_proposed_and_resolves_when_it_is_applied(
    clashing: ProposalStore,
) -> None:
    dmm = clashing.open()
    dmm.conflicts.scan()
    told = dmm.resolutions.resolve("1", "deprecate", target=ident(1), reason="outdated")
    assert told.status == "resolution_proposed"
    (proposal,) = told.proposals
    assert (proposal.operation, proposal.path) == ("deprecate", "project/note_1.md")
    assert names(dmm.conflicts.list()) == ["conflict_1"]
    with pytest.raises(UsageError, match="a resolution of conflict_1 is already pending"):
        dmm.resolutions.resolve("1", "intentional", reason="never mind")
    dmm.reviews.approve(proposal.id)
    assert dmm.conflicts.show("1").status == "resolved"
    assert dmm.conflicts.scan().conflicts == ()


def test_a_rejected_resolution_leaves_the_conflict_open_for_another(
    clashing: ProposalStore,
) -> None:
    dmm = clashing.open()
    dmm.conflicts.scan()
    told = dmm.resolutions.resolve("1", "deprecate", target=ident(1), reason="outdated")
    dmm.reviews.reject(told.proposals[0].id, "it is the newer one")
    assert dmm.conflicts.show("1").status == "unresolved"
    again = dmm.resolutions.resolve("1", "deprecate", target="project/note_2.md", reason="older")
    assert again.proposals[0].path == "project/note_2.md"


def test_a_merge_is_one_proposal_that_keeps_both_texts_under_a_mark(
    clashing: ProposalStore,
) -> None:
    dmm = clashing.open()
    dmm.conflicts.scan()
    told = dmm.resolutions.resolve("1", "merge", target=ident(2), reason="one is enough")
    (proposal,) = told.proposals
    assert (proposal.operation, proposal.path) == ("merge", "project/note_2.md")
    edits = dmm.proposal_store.find(proposal.id).edits
    body = markdown.parse("project/note_2.md", edits[0].after or "").memory.body
    assert FAST[1] in body
    assert f"## Merged from project/note_1.md: {SLOW[0]}\n\n{SLOW[1]}" in body
    assert "status: deprecated" in (edits[1].after or "")


def test_clarifying_both_is_a_proposal_for_each(clashing: ProposalStore) -> None:
    dmm = clashing.open()
    dmm.conflicts.scan()
    texts = {
        ident(1): f"# {SLOW[0]}\n\nIn staging, the API timeout is 30 seconds.",
        ident(2): f"# {FAST[0]}\n\nIn production, the API timeout is 10 seconds.",
    }
    told = dmm.resolutions.resolve("1", "clarify", reason="two places", content=texts)
    assert [one.path for one in told.proposals] == ["project/note_1.md", "project/note_2.md"]
    for proposal in told.proposals:
        dmm.reviews.approve(proposal.id, bypass_reviewer=True, reason="yes")
    assert dmm.conflicts.show("1").status == "resolved"
    assert dmm.conflicts.scan().conflicts == ()


def test_a_second_text_that_is_refused_does_not_hide_the_first_proposal(
    clashing: ProposalStore,
) -> None:
    dmm = clashing.open()
    dmm.conflicts.scan()
    same = dmm.root.tree.text_of("project/note_2.md") or ""
    texts = {ident(1): f"# {SLOW[0]}\n\nIn staging, the API timeout is 30 seconds.", ident(2): same}
    with pytest.raises(UsageError, match="nothing would change; proposal_2 was proposed before"):
        dmm.resolutions.resolve("1", "clarify", reason="two places", content=texts)
    assert dmm.conflicts.show("1").status == "unresolved"


@pytest.mark.parametrize(
    ("action", "more", "what"),
    [
        ("shrug", {}, "'shrug' is not a known action"),
        ("deprecate", {}, "name the memory to deprecate"),
        ("deprecate", {"target": ident(3)}, "is not part of this conflict"),
        ("clarify", {}, "clarify needs a new text"),
        ("clarify", {"content": "x"}, "name the memory to clarify"),
        ("clarify", {"content": {ident(1): "x", "project/note_1.md": "y"}}, "two new texts"),
        ("merge", {"content": {ident(1): "x"}}, "a merge takes one content"),
        ("intentional", {"target": ident(1)}, "an intentional conflict changes nothing"),
    ],
)
def test_a_resolution_that_can_not_be_carried_out_says_why(
    clashing: ProposalStore, action: str, more: dict[str, Any], what: str
) -> None:
    dmm = clashing.open()
    dmm.conflicts.scan()
    with pytest.raises(UsageError, match=what):
        dmm.resolutions.resolve("conflict_1", action, reason="because", **more)
    assert dmm.conflicts.show("1").status == "unresolved"


def test_a_memory_of_the_user_is_not_changed_by_a_resolution(
    proposal_store: ProposalStore, home: Path
) -> None:
    proposal_store.write(1, SLOW)
    own = home / ".dmm" / "memory" / "global"
    own.mkdir(parents=True)
    text = proposal_store.memory_text(*FAST, id=ident(2), scope="global")
    (own / "timeout.md").write_text(text, "utf-8")
    dmm = proposal_store.open()
    dmm.conflicts.scan()
    with pytest.raises(UsageError, match="this memory is your own"):
        dmm.resolutions.resolve("1", "deprecate", target=ident(2), reason="outdated")


def test_a_project_that_is_not_trusted_is_scanned_and_nothing_is_recorded(
    clashing: ProposalStore,
) -> None:
    dmm = clashing.open(trusted=False)
    told = dmm.conflicts.scan()
    assert names(told) == ["unrecorded_1"]
    assert (told.recorded, told.notices) == (False, (UNTRUSTED,))
    assert not dmm.project_ledger.exists
    assert dmm.conflicts.list().conflicts == ()
    with pytest.raises(NotTrusted):
        dmm.conflicts.flag([ident(1), ident(3)], "they clash")


def test_a_ledger_that_can_not_be_used_keeps_nobody_from_seeing_conflicts(
    clashing: ProposalStore,
) -> None:
    dmm = clashing.open()
    path = find_ledger(dmm.root.folder)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"this is no ledger" * 100)
    told = dmm.conflicts.scan()
    assert (names(told), told.recorded) == (["unrecorded_1"], False)
    assert told.notices[0].startswith("nothing was recorded: ")
    assert names(dmm.conflicts.check(["project/note_1.md"])) == ["unrecorded_1"]
    pack = dmm.packs.query(QueryRequest("how long is the API timeout")).pack
    assert pack.retrieved_entries[0].labels == ()


def test_progress_is_told_until_all_pairs_are_compared(clashing: ProposalStore) -> None:
    steps: list[tuple[int, int]] = []
    told = clashing.open().conflicts.scan(lambda done, of: steps.append((done, of)))
    assert (0, 0) in steps
    assert steps[-1] == (told.compared, told.compared)


def test_without_the_model_words_and_tags_still_find_the_pair(clashing: ProposalStore) -> None:
    def unavailable() -> Embedder:
        raise ModelUnavailable("not here")

    dmm = clashing.open_project(clashing.project, unavailable)
    told = dmm.conflicts.scan()
    (record,) = told.conflicts
    assert record.methods == ("tags", "rules")
    assert told.recorded
    assert told.notices == ("keyword retrieval only, the model is unavailable: not here",)


def test_a_scan_without_findings_makes_no_ledger(proposal_store: ProposalStore) -> None:
    proposal_store.write(1, SLOW)
    dmm = proposal_store.open()
    assert dmm.conflicts.scan().recorded
    assert not dmm.project_ledger.exists


def test_a_conflict_that_is_not_there_is_told(clashing: ProposalStore) -> None:
    dmm = clashing.open()
    for name, what in (("conflict_9", "there is no conflict_9"), ("nine", "is not a conflict")):
        with pytest.raises(UsageError, match=what):
            dmm.conflicts.show(name)
    with pytest.raises(UsageError, match="'open' is not a known status") as refused:
        dmm.conflicts.list("open")
    assert refused.value.hint == "one of unresolved, resolved, all"


def clashes(dmm: Dmm, path: str, text: str) -> list[tuple[Clash, str, str]]:
    memory, embedder = markdown.parse(path, text).memory, dmm.indexes.embedder()
    assert embedder is not None
    return dmm.conflicts.corpus.find_clashes(memory, direction(memory, embedder))


def test_clashes_of_a_text_that_is_in_no_file_are_found_and_nothing_is_recorded(
    clashing: ProposalStore,
) -> None:
    dmm = clashing.open()
    dmm.indexes.refresh()
    text = clashing.memory_text("API", "The API timeout is 45 seconds.", id=ident(9))
    found = clashes(dmm, "project/new.md", text)
    assert sorted(path for _, path, _ in found) == ["project/note_1.md", "project/note_2.md"]
    changed = clashing.memory_text("API", "The API timeout is 10 seconds.", id=ident(1))
    found = clashes(dmm, "project/note_1.md", changed)
    assert [(clash.type, path) for clash, path, _ in found] == [
        (ConflictType.DUPLICATE, "project/note_2.md")
    ]
    assert not dmm.project_ledger.exists


def test_a_text_that_shares_words_with_a_stranger_is_compared_only_where_one_names_the_other(
    proposal_store: ProposalStore,
) -> None:
    """The model takes these two for a conflict, but they are far apart."""
    scripts = "No page of the site may load scripts from another origin."
    proposal_store.write(1, ("No third-party scripts", scripts))
    dmm = proposal_store.open()
    dmm.indexes.refresh()
    widget = "The pricing page loads the Intercom widget straight from widget.intercom.io."
    other = ("Support chat on the pricing page", widget)
    alone = proposal_store.memory_text(*other, id=ident(9), tags="[page]")
    assert clashes(dmm, "project/new.md", alone) == []
    naming = proposal_store.memory_text(*other, id=ident(9), related=f"[{ident(1)}]")
    assert len(clashes(dmm, "project/new.md", naming)) == 1


def test_a_pack_marks_entries_in_conflict_and_counts_the_marks(
    clashing: ProposalStore, count: Callable[[str], int]
) -> None:
    dmm = clashing.open()
    request = QueryRequest("how long is the API timeout")
    before = dmm.packs.query(request).pack.retrieved_entries[0]
    dmm.conflicts.scan()
    answer = dmm.packs.query(request)
    entry = answer.pack.retrieved_entries[0]
    mark = f"in conflict with project/note_1.md (conflict_1): {SLOW[1]}"
    assert (entry.path, entry.labels) == ("project/note_2.md", (mark,))
    assert entry.heading_tokens - before.heading_tokens == count(label_line(mark))
    assert f"> {mark}\n" in answer.markdown
    assert dmm.packs.query(request).markdown == answer.markdown


def test_a_memory_of_another_branch_is_in_conflict_with_nothing_here(
    clashing: ProposalStore,
) -> None:
    """Worktrees share a ledger: the record stays, but names no memory that is not here."""
    dmm = clashing.open()
    dmm.conflicts.scan()
    (dmm.root.tree.root / "project" / "note_1.md").unlink()
    answer = dmm.packs.query(QueryRequest("how long is the API timeout"))
    assert answer.pack.retrieved_entries[0].path == "project/note_2.md"
    assert "note_1" not in answer.markdown
    assert SLOW[1] not in answer.markdown


def test_a_rule_of_the_baseline_is_marked_too(
    proposal_store: ProposalStore, count: Callable[[str], int]
) -> None:
    proposal_store.write(1, SLOW, "baseline/timeout.md", scope="baseline")
    proposal_store.write(2, FAST)
    dmm = proposal_store.open()
    before = dmm.packs.query(QueryRequest("lunch")).pack.baseline_entries[0]
    dmm.conflicts.scan()
    (entry,) = dmm.packs.query(QueryRequest("lunch")).pack.baseline_entries
    mark = f"in conflict with project/note_2.md (conflict_1): {FAST[1]}"
    assert entry.labels == (mark,)
    assert entry.heading_tokens == before.heading_tokens + count(label_line(mark))


def test_a_settled_conflict_leaves_no_mark(clashing: ProposalStore) -> None:
    dmm = clashing.open()
    dmm.conflicts.scan()
    dmm.resolutions.resolve("1", "intentional", reason="the migration goes on")
    answer = dmm.packs.query(QueryRequest("how long is the API timeout"))
    assert "in conflict" not in answer.markdown
