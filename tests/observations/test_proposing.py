"""The digest of a day: proposed once, with its evidence, and never past the review."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from dmm.domain.event import EventType, Trust
from dmm.domain.plain import to_plain
from dmm.errors import NotTrusted, UsageError
from dmm.eventlog.open_ledger import Actor

if TYPE_CHECKING:
    from tests.conftest import Opener, Project

    from dmm.bootstrap import Dmm

DAY = "2026-06-29"
AREAS = ("cart", "search", "login", "export", "invoice", "stock", "mail", "report")


@dataclass
class World:
    """A project whose sessions all lie on one day."""

    dmm: Dmm

    def record(self, kind: str, trust: Trust = Trust.AGENT, **payload: Any) -> None:
        moment = dt.datetime.fromisoformat(f"{DAY}T12:00:00+00:00")
        actor = Actor("claude-code", "hook", trust, "s1")
        ledger = replace(self.dmm.project_ledger, now=lambda: moment, actor=actor)
        ledger.record(ledger.draft_of(kind, payload))

    def work(self, *areas: str) -> None:
        for area in areas:
            asked = f"Fix the {area} page, it shows the totals of another customer"
            self.record(EventType.USER_MESSAGE_RECEIVED, Trust.USER, text=asked)
            given = {"file_path": f"src/{area}/view.py"}
            self.record(EventType.TOOL_USED, Trust.TOOL, tool="Edit", input=given, output="ok")
            told = (
                f"The {area} page was wrong because `{area}_total()` read the cached customer. "
                f"It takes the customer of the request now, and `src/{area}/view.py` has a test."
            )
            self.record(EventType.TURN_ENDED, text=told)


@pytest.fixture
def world(project: Project, open_project: Opener) -> World:
    return World(open_project(project))


def test_a_day_becomes_one_short_lived_proposal_with_its_evidence(world: World) -> None:
    world.work(*AREAS)
    told = to_plain(world.dmm.digest.run(DAY))
    (draft,) = told["drafts"]
    assert (told["day"], told["observations"], told["proposed"]) == (DAY, 8, 1)
    assert (draft["path"], draft["state"]) == ("ephemeral/digests/2026_06_29.md", "proposed")
    assert 300 <= draft["tokens"] <= 800
    proposal = world.dmm.proposal_store.find(draft["proposal"])
    assert (proposal.origin, proposal.standing) == ("digest", "pending")
    assert list(proposal.evidence) == draft["evidence"]
    assert set(draft["evidence"]) == set(range(1, 25))
    assert proposal.trust == "tool"
    assert proposal.text is not None
    assert "1. Bugfix: Fix the cart page, it shows the totals of another customer." in proposal.text
    assert "Files: src/cart/view.py. (obs_1)" in proposal.text


def test_a_day_is_proposed_once_whatever_became_of_it(world: World) -> None:
    world.work(*AREAS)
    dmm = world.dmm
    (first,) = to_plain(dmm.digest.run(DAY))["drafts"]
    again = to_plain(dmm.digest.run(DAY))
    assert again["proposed"] == 0
    assert [(one["state"], one["proposal"]) for one in again["drafts"]] == [
        ("pending", first["proposal"])
    ]
    dmm.reviews.reject(first["proposal"], "not worth it")
    assert [one["state"] for one in to_plain(dmm.digest.run(DAY))["drafts"]] == ["rejected"]


def test_a_look_records_nothing(world: World) -> None:
    world.work(*AREAS)
    head = world.dmm.project_ledger.reading.head()
    (draft,) = to_plain(world.dmm.digest.look(DAY))["drafts"]
    assert (draft["state"], draft["proposal"]) == ("new", None)
    assert world.dmm.project_ledger.reading.head() == head


def test_a_day_with_little_to_tell_gives_nothing(world: World) -> None:
    world.work("cart")
    told = to_plain(world.dmm.digest.run(DAY))
    assert (told["observations"], told["drafts"]) == (1, [])


def test_the_last_whole_day_is_meant_unless_another_is_named(world: World) -> None:
    yesterday = dt.datetime.now(dt.UTC).date() - dt.timedelta(days=1)
    assert to_plain(world.dmm.digest.look())["day"] == yesterday.isoformat()
    with pytest.raises(UsageError, match="'soon' is not a day"):
        world.dmm.digest.look("soon")
    with pytest.raises(UsageError, match="2999-01-01 is in the future"):
        world.dmm.digest.look("2999-01-01")


def test_a_project_that_is_not_trusted_is_not_digested(
    project: Project, open_project: Opener
) -> None:
    dmm = open_project(project, trusted=False)
    for act in (dmm.digest.run, dmm.digest.look, dmm.distiller.distil, dmm.distiller.look):
        with pytest.raises(NotTrusted):
            act()
    assert list(project.dmm.iterdir()) == [project.memory]
