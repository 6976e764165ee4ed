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


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        (
            "The map view must never need a data plan.",
            "The map view must always work without a data plan.",
            "duplicate",
        ),
        (
            "Plugins may not rely on environment variables.",
            "Plugins have to work without environment variables.",
            "duplicate",
        ),
        (
            "The map view must never need a data plan.",
            "The map view must always have a data plan to load tiles.",
            "conflict",
        ),
        (
            "Every call to the ledger needs a trace id; calls without one get a 422.",
            "A call to the ledger without a trace id gets a 422, the trace id is mandatory.",
            "duplicate",
        ),
        (
            "Every call to the ledger needs a trace id.",
            "A call to the ledger without a trace id is accepted and gets a fresh one.",
            "conflict",
        ),
        (
            "Don't start the index job between 1:00 and 3:00.",
            "Keep the index job outside the hours from 1:00 to 3:00.",
            "duplicate",
        ),
        (
            "The metrics port must not be reachable from the internet.",
            "Keep the metrics port away from the internet.",
            "duplicate",
        ),
        (
            "Do not hard-code colours in components.",
            "Components must stay free of hard-coded colours.",
            "duplicate",
        ),
        ("The widget must contain jQuery.", "The widget has to be free of jQuery.", "conflict"),
        (
            "Production data must not leave the EU.",
            "Keep production data inside the EU.",
            "duplicate",
        ),
        (
            "Access tokens are never written to disk.",
            "Keep access tokens off the disk; hold them in memory.",
            "duplicate",
        ),
        (
            "The kiosk app must keep working when the server is unreachable.",
            "The kiosk app has to work without the server.",
            "duplicate",
        ),
        (
            "A backup that has not been restored in a test doesn't count.",
            "Only backups that have been restored in a test count.",
            "duplicate",
        ),
        (
            "Draft invoices are not visible to customers until finance has approved them.",
            "Customers only see an invoice after finance has approved it.",
            "compatible",
        ),
    ],
)
def test_two_denials_that_agree_are_no_contradiction(
    judge: Judge, one: str, other: str, verdict: str
) -> None:
    assert said(judge(one, other, likeness=NEAR)) == verdict


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        (
            "The player never uploads crash dumps.",
            "The player uploads a crash dump at the next start unless NO_DUMPS is set.",
            "conflict",
        ),
        (
            "The shop never sets marketing cookies.",
            "The shop sets marketing cookies unless the visitor opts out.",
            "conflict",
        ),
        (
            "The worker never retries a payment.",
            "The worker retries a payment three times unless the bank said no.",
            "conflict",
        ),
        (
            "The shop sets no marketing cookies unless the visitor has agreed.",
            "The shop sets marketing cookies only if the visitor has agreed.",
            "duplicate",
        ),
        (
            "The player never uploads crash dumps unless the user agreed.",
            "The player uploads crash dumps of users who agreed.",
            "compatible",
        ),
        (
            "Nobody may merge their own pull request.",
            "Pull requests must be merged by someone other than the author.",
            "compatible",
        ),
        (
            "Debug endpoints are disabled unless DEBUG_API=1 is set.",
            "Debug endpoints are enabled only if DEBUG_API=1 is set.",
            "duplicate",
        ),
        (
            "Skip the browser tests unless a display is there.",
            "Browser tests only run where a display is there.",
            "duplicate",
        ),
    ],
)
def test_what_is_barred_at_all_times_is_not_done_with_an_opt_out(
    judge: Judge, one: str, other: str, verdict: str
) -> None:
    assert said(judge(one, other, likeness=NEAR)) == verdict


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        ("The turntable spins clockwise.", "The turntable spins anticlockwise.", "conflict"),
        (
            "Exported triangles are wound clockwise.",
            "Exported triangles are wound counter-clockwise.",
            "conflict",
        ),
        ("The dial turns counter-clockwise.", "The dial turns anti-clockwise.", "duplicate"),
        (
            "Messages are encrypted with a symmetric key.",
            "Messages are encrypted with an asymmetric key.",
            "conflict",
        ),
        ("The task graph is acyclic.", "The task graph is cyclic.", "conflict"),
        (
            "The driver uses a blocking socket.",
            "The driver uses a non-blocking socket.",
            "conflict",
        ),
        ("Output to the console is buffered.", "Output to the console is unbuffered.", "conflict"),
        (
            "Responses of the search API are uncached.",
            "Responses of the search API are not cached.",
            "duplicate",
        ),
    ],
)
def test_a_denying_prefix_makes_a_contrary(
    judge: Judge, one: str, other: str, verdict: str
) -> None:
    assert said(judge(one, other, likeness=NEAR)) == verdict


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        (
            "The PDF tests fail unless the Noto fonts are installed.",
            "Install the Noto fonts, otherwise the PDF tests fail.",
            "duplicate",
        ),
        (
            "The link step breaks unless the submodules are checked out.",
            "Check out the submodules, otherwise the link step breaks.",
            "duplicate",
        ),
        (
            "CI fails unless every file has a licence header.",
            "Every file needs a licence header, or CI fails.",
            "duplicate",
        ),
        (
            "The PDF tests fail unless the Noto fonts are installed.",
            "The PDF tests pass without the Noto fonts.",
            "conflict",
        ),
        (
            "The PDF tests fail if the Noto fonts are installed.",
            "Install the Noto fonts, otherwise the PDF tests fail.",
            "compatible",
        ),
        (
            "The linter exits with 0 even if there are warnings.",
            "The linter fails if there are warnings.",
            "compatible",
        ),
        (
            "The player never uploads crash dumps unless the user has agreed.",
            "Without the user's agreement, the player never uploads crash dumps.",
            "duplicate",
        ),
        (
            "The agent refuses to start without a config file.",
            "The agent starts without a config file and uses defaults.",
            "conflict",
        ),
        (
            "No mail goes out without an unsubscribe link.",
            "Mails are sent without an unsubscribe link.",
            "conflict",
        ),
        ("The build doesn't work without Java 17.", "The build works without Java 17.", "conflict"),
        ("Guests sit outside the fence.", "Guests do not sit outside the fence.", "conflict"),
    ],
)
def test_what_fails_unless_a_thing_is_there_asks_for_it(
    judge: Judge, one: str, other: str, verdict: str
) -> None:
    assert said(judge(one, other, likeness=NEAR)) == verdict


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        (
            "The crawler stops at the first 404 of a site.",
            "The crawler continues past the first 404 of a site.",
            "conflict",
        ),
        (
            "The importer halts at the first bad row.",
            "The importer carries on after the first bad row.",
            "conflict",
        ),
        (
            "The importer halts at the first bad row.",
            "The importer stops at the first bad row.",
            "duplicate",
        ),
        (
            "The importer stops at the first bad row.",
            "The exporter carries on past the first bad row.",
            "compatible",
        ),
        (
            "You are free to rename columns in staging tables.",
            "We refrain from renaming columns in staging tables.",
            "conflict",
        ),
        (
            "Abstain from renaming columns in staging tables.",
            "We refrain from renaming columns in staging tables.",
            "duplicate",
        ),
        (
            "You are free to rename columns in staging tables.",
            "We refrain from renaming columns in billing tables.",
            "compatible",
        ),
    ],
)
def test_what_goes_on_past_a_thing_does_not_stop_there(
    judge: Judge, one: str, other: str, verdict: str
) -> None:
    assert said(judge(one, other, likeness=NEAR)) == verdict


@pytest.mark.parametrize(
    ("one", "other", "verdict"),
    [
        (
            "Never change files under gen/ by hand.",
            "Always change gen.yaml by hand, then run `make gen`; it writes files under gen/.",
            "compatible",
        ),
        (
            "Never edit the lock file by hand.",
            "Edit requirements.in by hand, then compile the lock file.",
            "compatible",
        ),
        (
            "Never edit the lock file by hand.",
            "Edit the lock file by hand to pin a version.",
            "conflict",
        ),
        (
            "Never change files under gen/ by hand.",
            "Change gen/api.go by hand if the generator is broken.",
            "conflict",
        ),
        (
            "Do not apply manifests under deploy/ with kubectl.",
            "Apply the manifests under deploy/ with kubectl.",
            "conflict",
        ),
        (
            "Plugins cannot open sockets.",
            "The host opens a socket for each plugin and passes it on.",
            "compatible",
        ),
        (
            "Do not write raw SQL in views; go through the query modules.",
            "Raw SQL is allowed in the query modules.",
            "compatible",
        ),
        (
            "The app asks for push permission at first start.",
            "The app never asks for push permission at first start.",
            "conflict",
        ),
    ],
)
def test_a_ban_on_one_file_or_kind_leaves_the_others_free(
    judge: Judge, one: str, other: str, verdict: str
) -> None:
    assert said(judge(one, other, likeness=NEAR)) == verdict
