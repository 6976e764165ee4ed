"""Digests: a day in one memory, a lasting decision in its own, and nothing that is too little."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.observations.digest import Limits, areas_of, digest, is_durable

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.observations.conftest import Talk

DAY = "2026-11-15"
LONG = (
    "Orders read the stock from the replica, which lags by up to 30 s, so `place()` refused orders "
    "although the stock was there. "
) * 8


@pytest.fixture
def limits(count: Callable[[str], int]) -> Limits:
    return Limits(300, 800, count)


def fill(talk: Talk, number: int) -> None:
    for at in range(number):
        talk.ask(f"Fix the export of report {at}, it leaves out the totals")
        talk.edit(f"src/reports/export{at}.py")
        talk.say(f"The totals were lost because `export_{at}()` stopped at the last page.")


def test_a_day_is_told_in_the_order_of_its_events_within_the_limits(
    talk: Talk, limits: Limits
) -> None:
    fill(talk, 30)
    (draft,) = digest(DAY, talk.units(), limits)
    assert draft.path == "ephemeral/digests/2026_11_15.md"
    assert draft.title == "Work of 2026-11-15: reports"
    assert draft.tags == ("digest", "reports")
    assert 300 <= draft.tokens <= 800
    assert limits.count(draft.body.strip()) == draft.tokens
    points = [line for line in draft.body.splitlines() if line[:1].isdigit()]
    assert points[0] == (
        "1. Bugfix: Fix the export of report 0, it leaves out the totals. The totals were lost "
        "because `export_0()` stopped at the last page. Files: src/reports/export0.py. (obs_1)"
    )
    assert [point.partition(".")[0] for point in points] == [
        str(number) for number in range(1, len(points) + 1)
    ]


def test_what_falls_short_is_not_drafted(talk: Talk, limits: Limits) -> None:
    fill(talk, 2)
    assert digest(DAY, talk.units(), limits) == ()
    assert digest(DAY, [], limits) == ()


def test_a_decision_with_enough_around_it_is_drafted_by_itself(talk: Talk, limits: Limits) -> None:
    talk.ask("Why are orders refused although the stock is there?")
    talk.read("src/orders.py")
    talk.say(LONG)
    talk.ask("We decided: orders read the stock from the primary, never from the replica.")
    talk.edit("src/orders.py")
    talk.say("Switched `place()` to the primary; the replica serves the stock pages only.")
    drafts = [one for one in digest(DAY, talk.units(), limits) if "decisions" in one.path]
    (draft,) = drafts
    assert draft.path == "project/decisions/orders_read_the_stock_from_the_primary_never.md"
    assert draft.title == "Orders read the stock from the primary, never from the replica"
    assert draft.body.startswith(f"# {draft.title}\n\nWe decided: orders read the stock")
    assert 300 <= draft.tokens <= 800
    assert draft.evidence[0] == 4
    assert draft.tags == ("decision", "orders")


def test_rules_and_what_was_blocked_are_never_drafted(talk: Talk, limits: Limits) -> None:
    for number in range(40):
        talk.record("ConstraintAdded", text=f"never push branch {number} by force to the remote")
    talk.record("DecisionBlocked", text="push the main branch by force to the remote")
    assert digest(DAY, talk.units(), limits) == ()
    assert not any(is_durable(unit) for unit in talk.units())


@pytest.mark.parametrize(
    ("text", "lasts"),
    [
        ("From now on every handler returns JSON.", True),
        ("Let's use the old endpoint for now instead of the new one.", False),
        ("We will use uv until the release is out.", False),
    ],
)
def test_only_what_a_person_means_to_last_is_durable(talk: Talk, text: str, *, lasts: bool) -> None:
    talk.ask(text)
    talk.say(text)
    told = [unit for unit in talk.units() if unit.kind == "decision"]
    assert [is_durable(unit) for unit in told] == [lasts, False]


def test_the_parts_of_a_project_are_named_by_their_folders(talk: Talk) -> None:
    fill(talk, 2)
    talk.ask("Bump the version")
    talk.edit("pyproject.toml")
    talk.edit("tests/test_a.py")
    assert areas_of(talk.units()) == ("reports",)
    assert areas_of([]) == ()
