"""Conflicts, proposals, uses and observations of colleagues, where settings name them."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.team.test_journal import CANARY, settle, told
from tests.team.test_sharing import PAYLOAD, make

from dmm.domain.event import Draft, EventType, Trust, canonical
from dmm.domain.usage import Count, DayCounts
from dmm.errors import UsageError
from dmm.eventlog.open_ledger import Actor
from dmm.review.writing import Writing
from dmm.team.chain import Entry, Placed
from dmm.team.folding import Fold
from dmm.team.port import Refused
from dmm.team.sharing import is_shareable
from dmm.team.usage_counts import MOST_MEMORIES, _split_days, read_counts

if TYPE_CHECKING:
    from tests.team.conftest import Hall, Office

    from dmm.bootstrap import Dmm

SLOW = "The payments client times out after 30 seconds."
FAST = "The payments client times out after 10 seconds."


def find_open(dmm: Dmm) -> list[str]:
    dmm.conflicts.scan()
    return [one.conflict_id for one in dmm.conflicts.list().conflicts]


def test_a_conflict_that_a_colleague_accepted_is_not_reported_again_here(
    office: Office, write: Any
) -> None:
    laptops = [settle(office, name, ["conflicts"]) for name in ("ada", "ben", "cay")]
    ada, ben, cay = laptops
    for one in laptops:
        write(one, 1, SLOW)
        write(one, 2, FAST)
    (found,) = find_open(ada)
    (known,) = find_open(ben)
    ada.resolutions.resolve(found, "intentional", reason=CANARY)
    assert (ada.team.sync().sent, ben.team.sync().sent, cay.team.sync().sent) == (1, 0, 0)
    # Found here before, and not looked for yet.
    assert (find_open(ben), find_open(cay)) == ([], [])
    shown = ben.conflicts.show(known)
    assert shown.resolution is not None
    name = ben.team.log()[-1].name
    assert (shown.status, shown.resolution.action) == ("resolved", "intentional")
    assert shown.resolution.reason == f"accepted by {name}, said by the laptop alone (team:4)"
    assert not ben.base.conflict_marks()
    # Other words are another conflict.
    write(ben, 2, FAST.replace("10", "20"))
    assert find_open(ben)


def test_a_contributor_settles_no_conflict_for_others(office: Office, write: Any) -> None:
    ada = settle(office, "ada", ["conflicts"], "contributor")
    write(ada, 1, SLOW)
    write(ada, 2, FAST)
    (found,) = find_open(ada)
    ada.resolutions.resolve(found, "intentional", reason="so")
    assert ada.team.sync().sent == 0


def test_a_proposal_of_a_person_is_shown_as_waiting_until_it_is_decided(office: Office) -> None:
    ada, ben = settle(office, "ada", ["proposals"]), settle(office, "ben", [])
    text = f"# Deploying\n\nDeploy on Mondays. {CANARY}\n"
    made = [
        ada.proposals.write(Writing(f"global/deploy_{one}.md", CANARY, content=text + str(one)))
        for one in (1, 2)
    ]
    agent = ada.as_actor(Actor("agent", "mcp", Trust.AGENT))
    agent.proposals.write(Writing("global/agents.md", CANARY, content=text))
    ada.team.sync()
    ben.team.sync()
    waiting = [(one.operation, one.paths) for one in ben.team.status().waiting]
    assert waiting == [("create", (f"global/deploy_{one}.md",)) for one in (1, 2)]
    assert ada.team.status().waiting == ()
    ada.reviews.reject(made[0].id, CANARY)
    ada.reviews.approve(made[1].id, bypass_reviewer=True)
    ada.team.sync()
    ben.team.sync()
    assert ben.team.status().waiting == ()
    assert CANARY not in str(told(ben))


def test_proposals_of_a_laptop_that_was_removed_wait_no_longer(office: Office) -> None:
    ada, ben, cay = (settle(office, name, ["proposals"]) for name in ("ada", "ben", "cay"))
    for one in (ada, cay):
        name = one.base.home.name
        text = f"# Deploying\n\nDeploy on Mondays, says {name}.\n"
        one.proposals.write(Writing(f"global/deploy_{name}.md", "so", content=text))
        one.team.sync()
    ben.team.sync()
    assert len(ben.team.status().waiting) == 2
    office.registry.revoke("acme", "shop", ada.team.credentials().writer)
    ben.team.sync()
    (left,) = ben.team.status().waiting
    assert left.paths == (f"global/deploy_{cay.base.home.name}.md",)


def settled(*told: tuple[str, str]) -> list[int]:
    """Fold verdicts on one conflict by their types and actions; return those that count."""
    fold = Fold()
    for seq, (kind, action) in enumerate(told, start=1):
        payload = canonical({"key": "k", "action": action, "paths": "a.md\nb.md"})
        at = "2026-01-31T12:00:00.000+00:00"
        fold.add(Placed(seq, "", Entry("ada", seq, f"id-{seq}", kind, at, "", payload, "", "")))
    return [one.seq for one in fold.in_force("ben").accepted.values()]


def test_the_last_verdict_on_a_conflict_counts() -> None:
    kind = "ConflictResolved"
    assert settled((kind, "intentional"), (kind, "intentional")) == [2]
    assert settled((kind, "intentional"), (kind, "merge")) == []
    assert settled((kind, "merge"), (kind, "intentional")) == [2]
    assert settled(("FactAdded", "intentional")) == []


def on_day(dmm: Dmm, day: str) -> Dmm:
    at = dt.datetime.fromisoformat(f"{day}T12:00:00+00:00")
    return replace(dmm, base=replace(dmm.base, clock=lambda: at))


def serve(dmm: Dmm, times: int, *names: str) -> None:
    """Record packs that held some memories, for a task that is nobody else's business."""
    held = [{"id": one, "path": f"project/{one}.md", "hash": "0"} for one in names]
    ledger = dmm.project_ledger
    for number in range(times):
        at = dmm.base.clock().isoformat(timespec="milliseconds")
        payload = {"task": CANARY, "retrieved": held, "files": [CANARY], "agent": CANARY}
        identity = f"pack-{at[:10]}-{names[0]}-{number}-{dmm.base.home.name}"
        with ledger.log.writing() as writer:
            writer.append(Draft(EventType.PACK_SERVED, payload, identity, at))


def served(dmm: Dmm) -> dict[str, tuple[int, int, int]]:
    found = dmm.lifecycle.usages.current().memories.values()
    return {one.id: (one.served, one.helped, one.count("wrong")) for one in found}


def test_uses_of_all_laptops_add_up_once_a_day_is_over(office: Office) -> None:
    ada, ben = settle(office, "ada", ["usage"]), settle(office, "ben", ["usage"])
    first = on_day(ada, "2027-01-30")
    serve(first, 3, "mem-a", "mem-b")
    serve(first, 1, "mem-own")
    assert first.team.sync().sent == 0
    serve(on_day(ben, "2027-01-30"), 2, "mem-a")
    assert served(ben) == {"mem-a": (2, 0, 0)}
    # The day is over when something is recorded on a later one.
    serve(on_day(ada, "2027-01-31"), 1, "mem-a")
    assert (first.team.sync().sent, first.team.sync().sent) == (1, 0)
    ben.team.sync()
    assert served(ben) == {"mem-a": (5, 0, 0), "mem-b": (3, 0, 0), "mem-own": (1, 0, 0)}
    assert served(ada)["mem-a"] == (4, 0, 0)
    wire = told(ben)
    assert [kind for kind, _ in wire] == ["UsageReported"]
    assert CANARY not in str(wire)


def test_a_laptop_that_joins_again_counts_its_own_uses_once(office: Office) -> None:
    ada = settle(office, "ada", ["usage"])
    serve(on_day(ada, "2027-01-30"), 3, "mem-a")
    serve(on_day(ada, "2027-01-31"), 1, "mem-a")
    ada.team.sync()
    ada.team.leave()
    again = office.open("ada")
    again.team.join(office.url, office.registry.invite("acme", "shop", "reviewer"))
    assert served(again) == {"mem-a": (4, 0, 0)}


days = st.integers(1, 9).map(lambda day: f"2026-01-0{day}T12:00:00.000+00:00")


@given(st.lists(days, max_size=30))
def test_every_use_is_counted_in_one_day_whatever_the_clock_does(times: list[str]) -> None:
    pack = {"task": CANARY, "retrieved": [{"id": "mem-a", "path": "project/a.md"}]}
    events = [
        replace(make(seq, "PackServed", pack), at=at) for seq, at in enumerate(times, start=1)
    ]
    shared = [one for day in _split_days(events) if (one := day.tell()) is not None]
    counts = [read_counts(json.loads(one.payload)) or () for one in shared]
    assert sum(one.served for day in counts for one in day) == len(times)
    assert len({one.id for one in shared}) == len(shared)
    assert CANARY not in str(shared)
    assert all(is_shareable(one.type, json.loads(one.payload)) for one in shared)


@pytest.mark.parametrize(
    "counts",
    [
        "no list",
        "[1]",
        '[["mem-a"]]',
        '[["mem-a","a.md",-1,0,0,0]]',
        '[["mem-a","a.md",1,0,100000,0]]',
        '[["mem-a","a.md",true,0,0,0]]',
        '[["mem-a","user:a.md",1,0,0,0]]',
        '[["mem-a","",1,0,0,0]]',
        '[["mem-a","a.md",1,0,0,0],["mem-a","a.md",1,0,0,0]]',
        '[["mem-a","a.md",1,0,0,0],["mem-a","b.md",1,0,0,0]]',
        r'[["mem-a","a\ud800.md",1,0,0,0]]',
        r'[["mem-a","a\u202e.md",1,0,0,0]]',
        r'[["mem-\u001b","a.md",1,0,0,0]]',
        '[["mem-a"," ",1,0,0,0]]',
        json.dumps([["mem-a", "a.md", 1, 0, 0, 0]] * (MOST_MEMORIES + 1)),
    ],
)
def test_counts_that_no_laptop_makes_are_neither_sent_nor_taken(counts: str) -> None:
    assert not is_shareable("UsageReported", {"day": "2026-01-30", "counts": counts})
    good = {"day": "2026-01-30", "counts": '[["mem-a","a.md",1,0,0,0]]'}
    assert read_counts(good) == (Count("mem-a", "a.md", 1, 0, 0, 0),)
    for day in ("soon", "2026-W05-5", "20260130", ""):
        assert not is_shareable("UsageReported", good | {"day": day})


def bring(dmm: Dmm, counts: list[list[str | int]], **more: str) -> None:
    """Put counts into the team's log as another laptop might have sent them, by hand."""
    told = {"day": "2026-01-30", "at": "2026-01-31T12:00:00.000+00:00"} | more
    payload = canonical({"day": told["day"], "counts": json.dumps(counts)})
    fold = Fold()
    entry = Entry("ada", 1, "id-1", "UsageReported", told["at"], "", payload, "", "")
    fold.add(Placed(1, "", entry))
    dmm.lifecycle.usages._counts = lambda: fold.in_force("ben").counts


@pytest.mark.parametrize(
    "more",
    [
        {"day": "9999-12-31"},
        {"day": "2026-02-01"},
        {"day": "2026-W05-5"},
        {"day": "9999-12-31", "at": "zzzz"},
    ],
)
def test_counts_of_a_day_that_had_not_come_change_nothing(
    office: Office, hall: Hall, more: dict[str, str]
) -> None:
    ben = office.open("ben")
    bring(ben, [["mem-a", "a.md", 1, 0, 0, 0]], **more)
    assert served(ben) == {}
    # Nor does the server take them.
    laptop = hall.join()
    laptop.tell("UsageReported", {"counts": '[["mem-a","a.md",1,0,0,0]]', "day": more["day"]})
    assert isinstance(laptop.log.push(laptop.batch()), Refused)


def test_objections_of_others_are_numbers_however_many_they_are(office: Office) -> None:
    ben = office.open("ben")
    told = DayCounts("id-1", "2026-01-30", "ada", (Count("mem-a", "a.md", 1, 0, 99, 98),))
    counts = (told,) * 100
    ben.lifecycle.usages._counts = lambda: counts
    use = ben.lifecycle.usages.current().find("mem-a", "a.md")
    assert (use.count("wrong"), use.count("outdated"), use.objections) == (9_900, 9_800, ())


def test_counts_of_others_are_added_up_once_while_they_are_the_same(office: Office) -> None:
    ben = office.laptop("ben")
    told = DayCounts("id-1", "2026-01-30", "ada", (Count("mem-a", "a.md", 1, 0, 0, 0),))
    counts = (told,)
    usages = ben.lifecycle.usages
    usages._counts = lambda: counts
    assert served(ben) == {"mem-a": (1, 0, 0)}
    summed = usages._summed
    serve(ben, 1, "mem-a")
    assert served(ben) == {"mem-a": (2, 0, 0)}
    assert usages._summed is summed


def test_names_that_are_too_long_for_one_event_leave_room_for_those_most_used() -> None:
    held = [{"id": f"{one:0100}", "path": f"project/{one:0105}.md"} for one in range(20)]
    packs = [
        make(seq, "PackServed", {"task": CANARY, "retrieved": held[: seq % 20 + 1]})
        for seq in range(1, 20)
    ]
    (shared,) = [one for day in _split_days(packs) if (one := day.tell()) is not None]
    counts = json.loads(shared.payload)
    assert is_shareable(shared.type, counts)
    rows = read_counts(counts) or ()
    assert 10 < len(rows) < 20
    assert rows[0].id == held[0]["id"]


def test_an_observation_is_shared_on_request_alone(office: Office) -> None:
    ada, ben = settle(office, "ada", ["observations"]), settle(office, "ben", [])
    with ada.project_ledger.log.writing() as writer:
        model = PAYLOAD["ObservationMade"] | {"model": "some", "facts": []}
        at = "2026-01-31T12:00:00.000+00:00"
        writer.append(Draft(EventType.OBSERVATION_MADE, model, "id-model", at))
    ada.team.tell("obs_1", "bugfix", "Retries were missing", "The client retries now.")
    with pytest.raises(UsageError, match="what was said in a session"):
        ada.team.tell("msg_1", "message", CANARY, CANARY)
    with pytest.raises(UsageError, match="settings do not share observations"):
        ben.team.tell("obs_1", "bugfix", CANARY, CANARY)
    assert ada.team.sync().sent == 1
    ben.team.sync()
    words = {"title": "Retries were missing", "text": "The client retries now."}
    assert told(ben) == [("ObservationMade", words)]


def test_an_observation_that_would_never_be_sent_is_refused(office: Office) -> None:
    ada = settle(office, "ada", ["observations"])
    for title, text in (("", "x"), ("x", ""), ("x", "y" * 4_001), ("x", "a\u202eb")):
        with pytest.raises(UsageError, match="it would not be sent"):
            ada.team.tell("obs_1", "bugfix", title, text)
    ada.team.tell("obs_1", "bugfix", "x", "y" * 4_000)
    assert ada.team.sync().sent == 1
    reader = settle(office, "ben", ["observations"], "reader")
    with pytest.raises(UsageError, match="a reader can't add to the log"):
        reader.team.tell("obs_1", "bugfix", "x", "y")
    assert reader.project_ledger.reading.head().seq == 0


def test_no_canary_of_the_new_kinds_is_on_the_wire(office: Office) -> None:
    kinds = ["conflicts", "observations", "proposals", "reviews", "usage"]
    ada = settle(office, "ada", kinds)
    with ada.project_ledger.log.writing() as writer:
        for kind in ("ConflictResolved", "ObservationMade", "ProposalApplied", "UsageReported"):
            for trust in Trust:
                at, identity = "2026-01-31T12:00:00.000+00:00", f"id-{kind}-{trust}"
                writer.append(Draft(kind, PAYLOAD[kind], identity, at, trust=trust))
    ada.team.sync()
    for file in (*office.folder.glob("server.db*"), *ada.team.path.parent.glob("team.db*")):
        assert CANARY.encode() not in file.read_bytes()
