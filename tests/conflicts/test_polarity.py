"""What two rules come to where one of them denies: twice, in part, or with an exception."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.conflicts.asides import concession_in
from dmm.conflicts.swaps import deny_each_other
from dmm.domain.conflict import ConflictType

if TYPE_CHECKING:
    from tests.conflicts.conftest import Judge, NewReading

    from dmm.domain.conflict import Clash

NEAR = 0.85


def said(clash: Clash | None) -> str:
    """The verdict in one word."""
    if clash is None:
        return "compatible"
    return "duplicate" if clash.type is ConflictType.DUPLICATE else "conflict"


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        (
            "Never deploy a chart that does not pass helm lint.",
            "Charts must pass helm lint before they are deployed.",
            "duplicate",
        ),
        (
            "Never promote a build which has not passed the smoke tests.",
            "A build must pass the smoke tests before it is promoted.",
            "duplicate",
        ),
        (
            "Do not accept uploads that are not virus-scanned.",
            "Uploads have to be virus-scanned before they are accepted.",
            "duplicate",
        ),
        (
            "Do not drop headers that have no value from the export.",
            "Headers without a value are always kept in the export.",
            "duplicate",
        ),
        (
            "Leave debug flags out of release builds.",
            "Release builds must not contain debug flags.",
            "duplicate",
        ),
        (
            "Never deploy a chart that does not pass helm lint.",
            "Charts need not pass helm lint before they are deployed.",
            "conflict",
        ),
        (
            "Do not omit headers that have no value from the export.",
            "Headers without a value are omitted from the export.",
            "conflict",
        ),
        (
            "Users who are not admins must not export the log.",
            "Users who are not admins export the log.",
            "conflict",
        ),
    ],
)
def test_what_is_denied_for_lacking_something_asks_for_it(
    judge: Judge, one: str, other: str, verdict: str
) -> None:
    assert said(judge(one, other, likeness=NEAR)) == verdict


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        (
            "Never send mail synchronously inside a request.",
            "The mail worker sends mail from the queue.",
            "compatible",
        ),
        (
            "Do not run migrations by hand on production.",
            "The deploy job runs the migrations on production.",
            "compatible",
        ),
        (
            "Don't access the DOM inside reducers.",
            "The tooltip component accesses the DOM to measure its text.",
            "compatible",
        ),
        (
            "Never format dates inside the template.",
            "The view model formats dates before they reach the template.",
            "compatible",
        ),
        (
            "Don't write raw SQL in handlers, use the query layer.",
            "Write raw SQL in migrations, don't use the query layer.",
            "compatible",
        ),
        (
            "Do not run migrations by hand on production.",
            "Run migrations by hand on production after each deploy.",
            "conflict",
        ),
        (
            "Don't access the DOM inside reducers.",
            "Reducers access the DOM to read the scroll position.",
            "conflict",
        ),
        (
            "Do not restart the broker.",
            "The nightly job restarts the broker.",
            "conflict",
        ),
    ],
)
def test_a_ban_on_a_manner_or_a_place_is_no_ban_on_the_act(
    judge: Judge, one: str, other: str, verdict: str
) -> None:
    assert said(judge(one, other, likeness=0.72)) == verdict


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        (
            "Don't write snapshot tests for pages. Avoid them except for the icon set.",
            "Snapshot tests are allowed for the icon set only.",
            "duplicate",
        ),
        (
            "Root access is denied to everyone except the SRE team.",
            "Only the SRE team has root access.",
            "duplicate",
        ),
        (
            "Do not use inline styles except in emails.",
            "Emails must not use inline styles.",
            "conflict",
        ),
        (
            "Avoid global variables except for constants.",
            "Global variables are not allowed, not even for constants.",
            "conflict",
        ),
        (
            "Under no circumstances retry a charge unless the customer confirms it.",
            "A charge is retried without asking the customer.",
            "conflict",
        ),
        (
            "Never merge a branch that does not pass the linter.",
            "A branch may be merged even if the linter fails.",
            "conflict",
        ),
        (
            "Do not use inline styles except in emails.",
            "Emails use inline styles, since clients drop style sheets.",
            "compatible",
        ),
    ],
)
def test_an_exception_and_what_makes_no_difference_are_laid_side_by_side(
    judge: Judge, one: str, other: str, verdict: str
) -> None:
    assert said(judge(one, other, likeness=NEAR)) == verdict


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        (
            "The /stats endpoint is exposed on the public gateway.",
            "The /stats endpoint is private: it is reachable only inside the mesh, never "
            "through the public gateway.",
            "conflict",
        ),
        ("Build logs are private.", "Build logs are not public.", "duplicate"),
        (
            "Test data must stay out of production and out of the demo.",
            "Never put test data into production or into the demo.",
            "duplicate",
        ),
        (
            "Keep vendor code out of the main tree.",
            "Vendor code goes into the main tree.",
            "conflict",
        ),
        (
            "Never commit generated files to the repo.",
            "Keep generated files out of the repo; commit only the sources.",
            "duplicate",
        ),
    ],
)
def test_a_denied_contrary_says_the_same_as_the_word(
    judge: Judge, one: str, other: str, verdict: str
) -> None:
    assert said(judge(one, other, likeness=NEAR)) == verdict


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        (
            "Do not log in a signal handler; set a flag instead.",
            "Signal handlers set a flag, as logging in them can deadlock.",
            "duplicate",
        ),
        (
            "Use UUIDs as keys, since sequential ids leak counts.",
            "Use sequential ids as keys, as UUIDs bloat the index.",
            "conflict",
        ),
        (
            "Most of the build goes into the image, since layers are not cached.",
            "Without layer caching, most of the build goes into the image.",
            "duplicate",
        ),
    ],
)
def test_what_is_given_as_a_reason_is_not_held(
    judge: Judge, one: str, other: str, verdict: str
) -> None:
    assert said(judge(one, other, likeness=NEAR)) == verdict


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("packages/ui needs 90 % coverage.", "packages/admin needs 60 % coverage."),
        ("In libs/core never import React.", "In libs/view import React."),
    ],
)
def test_two_folders_that_begin_alike_are_two_places(judge: Judge, one: str, other: str) -> None:
    assert judge(one, other, likeness=NEAR) is None


def test_two_memories_may_hold_what_the_other_one_denies(reading: NewReading) -> None:
    tabs = reading("Files are indented by tabs, never spaces.")
    spaces = reading("Files are indented by spaces, never tabs.")
    assert deny_each_other(tabs, spaces)
    assert not deny_each_other(tabs, tabs)


@pytest.mark.parametrize(
    ("sentence", "told"),
    [
        ("It is merged even if the linter fails, at once.", "if the linter fails"),
        ("Nobody deploys, not even admins.", "admins"),
        ("It holds regardless of the plan.", "the plan"),
        ("Even though it is slow, keep it.", ""),
        ("An evening run is fine.", ""),
    ],
)
def test_a_concession_is_found(sentence: str, told: str) -> None:
    assert concession_in(sentence) == told
