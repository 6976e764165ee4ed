"""Memories through their life: reports recorded, usage told, and suggestions proposed once."""

from __future__ import annotations

import datetime as dt
import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from dmm.bootstrap import now
from dmm.domain.event import EventType, Trust
from dmm.domain.pack import QueryRequest
from dmm.domain.plain import to_plain
from dmm.errors import NotTrusted, ReviewRefused, UsageError
from dmm.eventlog.open_ledger import Actor
from dmm.lifecycle import service, usage_projection
from dmm.lifecycle.service import MOST_REPORTED, MOST_WAITING
from dmm.lifecycle.suggest import PACKS_NEEDED
from dmm.lifecycle.usage import Association, Usage
from dmm.lifecycle.usage_projection import CODE, UsageProjection

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import MemoryText, Opener, Project

    from dmm.bootstrap import Dmm
    from dmm.domain.event import Event

TODAY = dt.date(2026, 6, 30)
AGENT = Actor("claude-code", "mcp", Trust.AGENT, "s1")


@dataclass
class World:
    """A project whose clock a test sets, and what it finds in the ledger."""

    project: Project
    dmm: Dmm
    write_text: MemoryText
    ids: int = 0
    moment: dt.datetime = field(default_factory=now)

    def __post_init__(self) -> None:
        # Reading the time here lets a test move it.
        self.dmm = replace(self.dmm, base=replace(self.dmm.base, clock=lambda: self.moment))

    def write(self, path: str, **fields: str) -> str:
        """Write a memory of its own subject; gives its id."""
        self.ids += 1
        identity = f"mem_2026_01_01_{self.ids:03d}"
        values = {"id": identity, "scope": path.partition("/")[0], "created": "2026-01-01"}
        word = f"lantern{self.ids}"
        body = f"Trim the wick of {word} before the evening round. " * 40
        self.project.write(path, self.write_text(f"Care of {word}", body, **(values | fields)))
        return identity

    def at(self, day: str, actor: Actor = AGENT) -> World:
        self.moment = dt.datetime.fromisoformat(f"{day}T12:00:00+00:00")
        self.dmm = self.dmm.as_actor(actor)
        return self

    def record(self, kind: str, **payload: Any) -> None:
        self.dmm.project_ledger.record(self.dmm.project_ledger.draft_of(kind, payload))

    def serve(self, *held: tuple[str, str]) -> None:
        told = [{"id": identity, "path": path, "hash": "x"} for identity, path in held]
        self.record(EventType.PACK_SERVED, task="x", retrieved=told)

    def work(self, actor: Actor, *held: tuple[str, str], failed: bool = False) -> None:
        """Live through a session that is given memories, uses a tool and ends its turn."""
        self.at("2026-06-29", actor)
        self.serve(*held)
        self.record(EventType.TOOL_FAILED if failed else EventType.TOOL_USED, tool="Bash")
        self.record(EventType.TURN_ENDED, text="done")

    def events(self, kind: str) -> list[Event]:
        log = self.dmm.project_ledger.reading
        return list(log.events_of([kind], 0, log.head().seq))

    def run(self, day: dt.date = TODAY) -> list[tuple[str, str, str]]:
        self.at(day.isoformat(), Actor("dmm", "daemon", Trust.AGENT))
        told = to_plain(self.dmm.lifecycle.run(day))
        assert told["day"] == day.isoformat()
        return [(one["kind"], one["path"], one["state"]) for one in told["suggestions"]]


@pytest.fixture
def world(
    project: Project,
    open_project: Opener,
    memory_text: MemoryText,
    new_embedder: Callable[..., Any],
) -> World:
    return World(project, open_project(project, new_embedder), memory_text)


def test_a_report_is_recorded_in_the_name_of_whoever_speaks(world: World) -> None:
    identity = world.write("project/a.md")
    told = world.at("2026-06-01").dmm.lifecycle.report(
        ["project/a.md", identity], "helped", "  the key was password=hunter2secret  "
    )
    (event,) = world.events(EventType.USAGE_REPORTED)
    assert event.payload == {
        "memories": [{"id": identity, "path": "project/a.md"}],
        "outcome": "helped",
        "context": event.get("context"),
    }
    assert "hunter2" not in event.get("context")
    assert to_plain(told) == {"seq": event.seq} | event.payload
    assert (event.actor, event.trust, event.session) == ("claude-code", "agent", "s1")


@pytest.mark.parametrize(
    "name", ["project/a.md", ".dmm/memory/project/a.md", "memory/project/a.md", "./project/a.md"]
)
def test_a_memory_may_be_named_as_its_file_is(name: str, world: World) -> None:
    identity = world.write("project/a.md")
    told = to_plain(world.dmm.lifecycle.report([name], "wrong"))
    assert told["memories"] == [{"id": identity, "path": "project/a.md"}]
    full = str(world.project.memory / "project" / "a.md")
    assert to_plain(world.dmm.lifecycle.report([full], "wrong"))["memories"] == told["memories"]


def test_the_users_own_memory_is_named_as_packs_show_it(
    world: World, home: Path, open_project: Opener, memory_text: MemoryText
) -> None:
    own = home / ".dmm" / "memory" / "global" / "a.md"
    own.parent.mkdir(parents=True)
    own.write_text(memory_text(scope="global"))
    dmm = open_project(world.project)
    told = to_plain(dmm.lifecycle.report(["user:global/a.md"], "helped"))
    assert told["memories"] == [{"id": "mem_2026_01_31_001", "path": "user:global/a.md"}]


def test_a_memory_that_was_served_and_is_gone_can_still_be_reported(world: World) -> None:
    identity = world.write("project/a.md")
    world.at("2026-06-01").serve((identity, "project/a.md"))
    (world.project.memory / "project" / "a.md").unlink()
    for name in (identity, "project/a.md"):
        told = to_plain(world.dmm.lifecycle.report([name], "outdated"))
        assert told["memories"] == [{"id": identity, "path": "project/a.md"}]


@pytest.mark.parametrize(
    ("names", "outcome", "context", "message"),
    [
        (["project/a.md"], "splendid", "", "'splendid' is not a known outcome"),
        ([], "helped", "", "no memory is named"),
        (["  "], "helped", "", "no memory is named"),
        (["project/a.md", "project/b.md"], "helped", "", "there is no memory 'project/b.md'"),
        (["mem_2020_01_01_001"], "helped", "", "there is no memory 'mem_2020_01_01_001'"),
        (["../../etc/passwd"], "helped", "", "there is no memory '../../etc/passwd'"),
        (["project/a.md"], "helped", "x" * 2001, "the context is longer than 2000 characters"),
        (
            [f"m{n}" for n in range(MOST_REPORTED + 1)],
            "helped",
            "",
            "more than 50 memories in one report",
        ),
    ],
)
def test_a_report_that_names_nothing_known_is_refused_whole(
    names: list[str], outcome: str, context: str, message: str, world: World
) -> None:
    world.write("project/a.md")
    with pytest.raises(UsageError) as refused:
        world.dmm.lifecycle.report(names, outcome, context)
    assert refused.value.what == message
    assert world.events(EventType.USAGE_REPORTED) == []


def test_usage_comes_from_real_packs_and_reports(world: World) -> None:
    identity = world.write("project/a.md")
    world.dmm.audit.init()
    world.at("2026-06-01").dmm.packs.query(QueryRequest("trim the wick of lantern1"))
    world.dmm.lifecycle.report([identity], "helped")
    usage = world.dmm.lifecycle.usages.current()
    assert usage.packs == {"2026-06-01": 1}
    assert list(usage.memories) == [identity]
    use = usage.find(identity, "project/a.md")
    assert (use.path, use.served, use.last_used, use.helped) == (
        "project/a.md",
        1,
        "2026-06-01",
        1,
    )
    assert (use.count("wrong"), use.count("outdated")) == (0, 0)
    assert usage.associate() == {identity: Association(1, 1, 0)}


def test_usage_without_a_ledger_is_empty_and_makes_none(world: World) -> None:
    assert world.dmm.lifecycle.usages.current() == Usage()
    assert to_plain(world.dmm.lifecycle.look())["suggestions"] == []
    assert not (world.project.dmm / "ledger.db").exists()


def test_an_expired_note_is_proposed_once_for_deprecation_and_recorded(world: World) -> None:
    identity = world.write("ephemeral/a.md", expires="2026-06-01")
    assert world.run() == [("expired", "ephemeral/a.md", "proposed")]
    (made,) = world.events(EventType.PROPOSAL_MADE)
    assert (made.get("operation"), made.get("origin")) == ("deprecate", "lifecycle")
    assert made.get("reason") == "it expired on 2026-06-01 and has not been served since"
    (expired,) = world.events(EventType.MEMORY_EXPIRED)
    assert expired.payload == {
        "id": identity,
        "path": "ephemeral/a.md",
        "expires": "2026-06-01",
        "proposal": made.seq,
    }
    assert (expired.caused_by, expired.references) == (made.seq, (made.seq,))
    head = world.dmm.project_ledger.reading.head()
    assert world.run(dt.date(2026, 7, 20)) == [("expired", "ephemeral/a.md", "waits")]
    assert world.dmm.project_ledger.reading.head() == head
    assert "status: active" in (world.project.memory / "ephemeral" / "a.md").read_text()


def test_what_a_person_rejected_is_not_proposed_again_until_the_facts_change(world: World) -> None:
    world.write("ephemeral/a.md", expires="2026-06-01")
    world.run()
    (made,) = world.events(EventType.PROPOSAL_MADE)
    world.at("2026-07-01", Actor()).dmm.reviews.reject(f"proposal_{made.seq}", "still needed")
    assert world.run(dt.date(2026, 7, 2)) == [("expired", "ephemeral/a.md", "rejected")]
    path = world.project.memory / "ephemeral" / "a.md"
    path.write_text(path.read_text().replace("2026-06-01", "2026-07-03"))
    assert world.run(dt.date(2026, 7, 5)) == []
    assert world.run(dt.date(2026, 7, 20)) == [("expired", "ephemeral/a.md", "proposed")]
    assert len(world.events(EventType.MEMORY_EXPIRED)) == 2


def test_an_approved_deprecation_takes_the_note_out_and_ends_the_matter(world: World) -> None:
    world.write("ephemeral/a.md", expires="2026-06-01")
    world.run()
    (made,) = world.events(EventType.PROPOSAL_MADE)
    told = world.at("2026-07-01", Actor()).dmm.reviews.approve(f"proposal_{made.seq}")
    assert told.status == "applied", told
    assert "status: deprecated" in (world.project.memory / "ephemeral" / "a.md").read_text()
    assert world.run(dt.date(2026, 7, 2)) == []


def test_an_open_proposal_of_something_else_stands_for_no_suggestion(world: World) -> None:
    proposals = world.at("2026-06-20").dmm.proposals
    proposals.create("ephemeral/a.md", "# Other\n\n" + "Other words now. " * 100, "seen today")
    world.write("ephemeral/a.md", expires="2026-06-01")
    assert world.run() == [("expired", "ephemeral/a.md", "proposed")]
    created, deprecated = world.events(EventType.PROPOSAL_MADE)
    (expiry,) = world.events(EventType.MEMORY_EXPIRED)
    assert (expiry.get("proposal"), deprecated.seq > created.seq) == (deprecated.seq, True)
    assert world.run() == [("expired", "ephemeral/a.md", "waits")]


def test_what_somebody_proposed_by_hand_is_not_proposed_beside_it(world: World) -> None:
    world.write("ephemeral/a.md", expires="2026-06-01")
    world.at("2026-06-20").dmm.proposals.deprecate("ephemeral/a.md", "it has run out")
    assert world.run() == [("expired", "ephemeral/a.md", "waits")]
    assert len(world.events(EventType.PROPOSAL_MADE)) == 1


def test_a_project_that_is_not_trusted_takes_no_report_and_is_not_looked_after(
    project: Project, open_project: Opener, memory_text: MemoryText
) -> None:
    project.write("project/a.md", memory_text())
    part = open_project(project, trusted=False).lifecycle
    with pytest.raises(NotTrusted):
        part.report(["project/a.md"], "helped")
    for act in (part.look, part.run, part.export_usage):
        with pytest.raises(NotTrusted):
            act()
    assert list(project.dmm.iterdir()) == [project.memory]


def test_a_note_that_served_well_is_proposed_for_the_project(world: World) -> None:
    note = world.write("ephemeral/a.md", expires="2026-12-31"), "ephemeral/a.md"
    for number in range(5):
        world.work(replace(AGENT, session=f"s{number % 2}"), note)
    assert world.run() == [("promotion", "ephemeral/a.md", "proposed")]
    (made,) = world.events(EventType.PROPOSAL_MADE)
    assert made.get("operation") == "promote"
    assert [edit["path"] for edit in made.get("edits")] == ["ephemeral/a.md", "project/a.md"]
    world.at("2026-06-30", Actor()).dmm.reviews.reject(f"proposal_{made.seq}", "too narrow")
    world.work(AGENT, note)
    assert world.run() == [("promotion", "ephemeral/a.md", "rejected")]
    for _ in range(4):
        world.work(AGENT, note)
    assert world.run() == [("promotion", "ephemeral/a.md", "proposed")]


def test_the_users_word_or_that_of_two_agents_has_a_memory_proposed_for_deprecation(
    world: World,
) -> None:
    world.write("project/a.md")
    world.write("project/b.md")
    one = world.at("2026-06-01").dmm.lifecycle
    one.report(["project/a.md", "project/b.md"], "wrong")
    one.report(["project/b.md"], "outdated")
    assert world.run() == []
    other = world.at("2026-06-02", replace(AGENT, session="s2")).dmm.lifecycle
    other.report(["project/a.md"], "outdated")
    world.at("2026-06-02", Actor()).dmm.lifecycle.report(["project/b.md"], "wrong")
    assert world.run() == [
        ("reported", "project/a.md", "proposed"),
        ("reported", "project/b.md", "proposed"),
    ]
    reasons = [made.get("reason") for made in world.events(EventType.PROPOSAL_MADE)]
    assert reasons == [
        "it was reported as wrong once and as outdated once, last on 2026-06-02",
        "it was reported as wrong 2 times and as outdated once, also by the user,"
        " last on 2026-06-02",
    ]


def test_a_corrected_memory_is_not_held_to_old_reports(world: World) -> None:
    world.write("project/a.md")
    world.at("2026-06-01", Actor()).dmm.lifecycle.report(["project/a.md"], "outdated")
    text = (world.project.memory / "project" / "a.md").read_text()
    made = world.dmm.proposals.update(
        "project/a.md", "updated", content=text.replace("evening", "morning")
    )
    told = world.dmm.reviews.approve(made.id, bypass_reviewer=True)
    assert told.status == "applied", told
    assert world.run() == []


def test_a_baseline_over_its_budget_has_the_least_important_file_proposed_for_demotion(
    world: World,
) -> None:
    world.write("baseline/identity.md")
    world.write("baseline/style.md", priority="0.2")
    world.write("baseline/tests.md", priority="0.9")
    told = world.run()
    assert ("overflow", "baseline/style.md", "proposed") in told
    assert all(path != "baseline/identity.md" for _, path, _ in told)


def test_a_stale_memory_is_proposed_for_deprecation_where_packs_are_served(world: World) -> None:
    busy = world.write("project/busy.md"), "project/busy.md"
    world.write("project/quiet.md")
    for _ in range(PACKS_NEEDED + 1):
        world.at("2026-01-10").serve(busy)
        world.at("2026-06-10").serve(busy)
    assert world.run() == [("stale", "project/quiet.md", "proposed")]


def test_looking_tells_the_same_and_records_nothing(world: World) -> None:
    world.write("ephemeral/a.md", expires="2020-06-01")
    world.at("2026-06-30").serve(("", "x.md"))
    head = world.dmm.project_ledger.reading.head()
    (found,) = to_plain(world.dmm.lifecycle.look())["suggestions"]
    assert (found["kind"], found["state"], found["proposal"]) == ("expired", "new", None)
    assert world.dmm.project_ledger.reading.head() == head


@pytest.mark.repeats
def test_no_more_is_proposed_than_somebody_can_read(world: World) -> None:
    for number in range(MOST_WAITING + 3):
        world.write(f"ephemeral/note_{number:02d}.md", expires="2026-06-01")
    states = [state for _, _, state in world.run()]
    assert states == ["proposed"] * MOST_WAITING + ["new"] * 3
    assert len(world.events(EventType.MEMORY_EXPIRED)) == MOST_WAITING
    states = [state for _, _, state in world.run()]
    assert states == ["waits"] * MOST_WAITING + ["new"] * 3


def test_a_file_that_can_not_be_moved_is_told_and_keeps_no_other_back(world: World) -> None:
    note = world.write("ephemeral/a.md", expires="2026-12-31"), "ephemeral/a.md"
    world.write("ephemeral/b.md", expires="2026-06-01")
    world.write("project/a.md")
    for number in range(5):
        world.work(replace(AGENT, session=f"s{number % 2}"), note)
    told = to_plain(world.dmm.lifecycle.run(TODAY))
    assert [(one["path"], one["state"]) for one in told["suggestions"]] == [
        ("ephemeral/b.md", "proposed"),
        ("ephemeral/a.md", "refused"),
    ]
    assert told["suggestions"][1]["why"].endswith("a file already exists there")


def test_two_runs_at_once_propose_once(
    world: World, open_project: Opener, new_embedder: Callable[..., Any]
) -> None:
    for number in range(3):
        world.write(f"ephemeral/note_{number}.md", expires="2026-06-01")
    both = [world.dmm, open_project(world.project, new_embedder)]
    world.at("2026-06-30").serve(("", "x.md"))
    runs = [threading.Thread(target=dmm.lifecycle.run, args=(TODAY,)) for dmm in both]
    for run in runs:
        run.start()
    for run in runs:
        run.join()
    assert len(world.events(EventType.PROPOSAL_MADE)) == 3
    assert len(world.events(EventType.MEMORY_EXPIRED)) == 3
    both[1].close()


def test_counting_goes_on_from_a_snapshot_and_from_what_it_holds(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(usage_projection, "EVERY", 8)
    monkeypatch.setattr(usage_projection, "BESIDE", 4)
    note = world.write("project/a.md"), "project/a.md"
    for _ in range(7):
        world.work(AGENT, note)
    log, whole = world.dmm.project_ledger.reading, UsageProjection(world.dmm.project_ledger)
    assert whole.current().find(*note).served == 7
    assert [seq for seq, _ in log.snapshots(CODE)] == [4, 12, 20]
    assert UsageProjection(world.dmm.project_ledger).current() == whole.current()
    world.work(AGENT, note)
    assert whole.current().find(*note).served == 8
    assert whole.current() is whole.current()
    assert (
        UsageProjection(world.dmm.project_ledger).current().canonical()
        == whole.current().canonical()
    )


def test_a_blanked_event_is_counted_no_more(world: World) -> None:
    note = world.write("project/a.md"), "project/a.md"
    world.work(AGENT, note)
    held = UsageProjection(world.dmm.project_ledger)
    assert held.current().find(*note).served == 1
    draft = world.dmm.project_ledger.draft_of(EventType.PAYLOAD_REDACTED, {"seq": 1, "reason": "x"})
    world.dmm.project_ledger.log.blank(1, draft)
    assert held.current().find(*note).served == 0


def test_usage_is_written_into_front_matter_on_request_and_through_events(world: World) -> None:
    note = world.write("project/a.md"), "project/a.md"
    world.write("project/b.md")
    world.at("2026-06-28").serve(note)
    world.at("2026-06-29", Actor()).serve(note)
    path = world.project.memory / "project" / "a.md"
    before = path.read_text()
    dry = to_plain(world.dmm.lifecycle.export_usage(dry_run=True))
    assert dry == {"files": ["project/a.md"], "skipped": [], "proposals": []}
    assert path.read_text() == before
    told = to_plain(world.dmm.lifecycle.export_usage())
    (made,) = world.events(EventType.PROPOSAL_MADE)
    (applied,) = world.events(EventType.PROPOSAL_APPLIED)
    assert told == dry | {"proposals": [f"proposal_{made.seq}"]}
    assert (made.get("origin"), applied.get("proposal")) == ("export-usage", made.seq)
    assert path.read_text() == before.replace(
        "created: 2026-01-01\n", "created: 2026-01-01\nlast_used: 2026-06-29\nusage_count: 2\n"
    )
    assert to_plain(world.dmm.lifecycle.export_usage())["files"] == []


def test_many_files_are_exported_some_at_a_time_and_one_that_can_not_be_is_told(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "MOST_EXPORTED", 2)
    notes = [(world.write(f"project/{n}.md"), f"project/{n}.md") for n in range(4)]
    world.at("2026-06-28", Actor()).serve(*notes)
    leak = world.project.memory / "project" / "0.md"
    leak.write_text(leak.read_text() + "\npassword = hunter2hunter2\n")
    told = to_plain(world.dmm.lifecycle.export_usage())
    assert told["files"] == [f"project/{n}.md" for n in (1, 2, 3)]
    assert told["skipped"] == [{"path": "project/0.md", "why": "it seems to contain a secret"}]
    assert len(told["proposals"]) == 2
    assert "usage_count" not in leak.read_text()
    for name in ("1", "2", "3"):
        assert "usage_count: 1\n" in (world.project.memory / "project" / f"{name}.md").read_text()


def test_an_agent_can_not_export_usage(world: World) -> None:
    note = world.write("project/a.md"), "project/a.md"
    world.at("2026-06-28").serve(note)
    with pytest.raises(ReviewRefused):
        world.dmm.lifecycle.export_usage()
    assert "usage_count" not in (world.project.memory / "project" / "a.md").read_text()
