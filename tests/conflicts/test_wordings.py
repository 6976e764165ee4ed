"""Amounts, places, stances and choices told in other words, and what comparing them says."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.conflicts.phrasing import put_plainly
from dmm.domain.conflict import Clash, ConflictType

if TYPE_CHECKING:
    from tests.conflicts.conftest import Judge


def is_duplicate(found: Clash | None) -> bool:
    return found is not None and found.type is ConflictType.DUPLICATE


def is_conflict(found: Clash | None) -> bool:
    return found is not None and not is_duplicate(found)


@pytest.mark.parametrize(
    ("spoken", "plain"),
    [
        ("The header takes 0x40 bytes.", "The header takes 64 bytes."),
        ("The export starts at 4 pm", "The export starts at 16:00"),
        ("The export starts at 12 am", "The export starts at 0:00"),
        ("The export starts at 9:10 am", "The export starts at 9:10 am"),
        ("Pack 20 parcels or fewer", "Pack at most 20 parcels "),
        ("Queue length: 50 jobs", "Queue length is 50 jobs"),
        ("Delivery is free from 30 euros", "Delivery is free from at least 30 euros"),
        ("Office hours are set from 8 to 17", "Office hours are set from 8 to 17"),
        ("Three quarters of the votes", "75 % of the votes"),
        ("Files larger than 2 GB are split", "Files more than 2 GB are split"),
    ],
)
def test_figures_are_put_in_the_form_in_which_amounts_are_read(spoken: str, plain: str) -> None:
    assert put_plainly(spoken) == plain


@pytest.mark.parametrize(
    ("spoken", "plain"),
    [
        ("We sign the Windows installer and nothing else.", "We sign the Windows installer only."),
        ("Payslips are opened by the owner alone.", "Payslips are opened by the owner only."),
        ("Seats that were not booked are sold.", "Seats unbooked are sold."),
        ("Support for Ruby 2.7 has ended.", "Ruby 2.7 is not supported."),
        ("There is nothing wrong with long names.", "you may have long names."),
        ("Docs live in the wiki.", "Docs are stored in the wiki."),
    ],
)
def test_turns_of_phrase_are_put_plainly(spoken: str, plain: str) -> None:
    assert put_plainly(spoken) == plain


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The uptime target of the portal is 99.95 %.", "The portal has an uptime target of 99 %."),
        ("Cache lifetime of the proxy: 5 min.", "The cache lifetime of the proxy is 20 minutes."),
        ("The build fails if the bundle is larger than 3 MB.", "Limit for the bundle: 5 MB."),
        ("The plugin supports Clang 14 and later.", "Minimum Clang for the plugin is 17."),
        ("Each host has one spare disk.", "Each host has four spare disks, one in each bay."),
    ],
)
def test_amounts_of_one_thing_in_two_forms_conflict(judge: Judge, one: str, other: str) -> None:
    assert is_conflict(judge(one, other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The bootstrap image has 0x1000 bytes.", "The bootstrap image has 4 KiB."),
        ("Java code is compiled with JDK 21.", "We compile Java code with JDK version 21."),
        ("The stand-up starts at 3 pm on Mondays.", "The stand-up starts on Mondays at 15:00."),
        ("The index is rebuilt once a day.", "The index is rebuilt daily."),
    ],
)
def test_one_amount_in_two_forms_is_a_duplicate(judge: Judge, one: str, other: str) -> None:
    assert is_duplicate(judge(one, other, likeness=0.88))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Error reports are collected with Rollbar.",
            "Error reports are collected with Honeybadger; Rollbar was never set up.",
        ),
        ("Lint Ruby code with rubocop.", "standardrb lints Ruby code. Do not add rubocop."),
        ("Design files live in Figma.", "We keep design files in Penpot, one per team."),
    ],
)
def test_a_thing_that_the_other_memory_displaces_is_a_conflict(
    judge: Judge, one: str, other: str
) -> None:
    assert is_conflict(judge(one, other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Usage statistics are sent automatically.",
            "Usage statistics stay on the phone of the customer and are never sent automatically.",
        ),
        (
            "Old branches are archived nightly.",
            "Old branches wait for a check by their authors and are never archived nightly.",
        ),
        (
            "Failed logins are reported by mail.",
            "Failed logins go to the dashboard of the team and are never reported by mail.",
        ),
    ],
)
def test_a_denied_deed_conflicts_whatever_else_its_sentence_tells(
    judge: Judge, one: str, other: str
) -> None:
    assert is_conflict(judge(one, other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Unpaid orders expire after 5 days.", "Orders that were not paid expire after 5 days."),
        ("Only Linux packages are signed.", "We sign the packages for Linux and no others."),
        (
            "Accounts without logins for 60 days are locked by the sweeper.",
            "The sweeper locks accounts that have had no logins for 60 days.",
        ),
        ("We no longer support Ruby 2.7.", "Support for Ruby 2.7 has ended."),
    ],
)
def test_a_denial_told_in_two_ways_is_a_duplicate(judge: Judge, one: str, other: str) -> None:
    assert is_duplicate(judge(one, other, likeness=0.88))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Stop the import when 3 % of rows fail.", "The import is stopped once 3 % of rows fail."),
        (
            "Close the valve when 5 bar is reached.",
            "The valve is closed as soon as 5 bar is reached.",
        ),
        ("Archive a ticket when it is solved.", "A ticket is archived once it has been solved."),
    ],
)
def test_one_event_in_two_wordings_sets_no_duplicates_apart(
    judge: Judge, one: str, other: str
) -> None:
    assert is_duplicate(judge(one, other, likeness=0.85))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Interns must not merge to main.", "Maintainers may merge to main."),
        ("The read timeout is 3 s.", "The connect timeout is 30 s."),
        ("Logs live in the archive bucket.", "Invoices live in the billing bucket."),
        ("At 70 % load a warning is sent.", "At 95 % load the on-call is paged."),
    ],
)
def test_two_cases_still_go_together(judge: Judge, one: str, other: str) -> None:
    assert judge(one, other, likeness=0.65) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("A nested code block is fine in a guide.", "Never put a nested code block in a guide."),
        ("A bank holiday is fine for a release.", "There is no excuse for a bank holiday release."),
        ("A long try block is acceptable in a test.", "A long try block is forbidden in a test."),
    ],
)
def test_a_noun_that_looks_like_a_refusal_hides_no_conflict(
    judge: Judge, one: str, other: str
) -> None:
    assert is_conflict(judge(one, other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "After each release the search index is rebuilt; readers saw old pages otherwise.",
            "Rebuild the search index after a release so that readers do not see old pages.",
        ),
        (
            "After each import the price cache is cleared; buyers saw old prices otherwise.",
            "Clear the price cache after an import so that buyers do not see old prices.",
        ),
        (
            "Before each demo the test data is reset; guests saw stale orders otherwise.",
            "Reset the test data before a demo so that guests do not see stale orders.",
        ),
    ],
)
def test_a_reason_told_by_denial_sets_no_duplicates_apart(
    judge: Judge, one: str, other: str
) -> None:
    assert is_duplicate(judge(one, other, likeness=0.88))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The lead does not debug; they coordinate.", "A lead coordinates and doesn't debug."),
        (
            "Edit the charts in the repo, never in the console. Console edits get lost.",
            "Edit the charts in the repo, never in the console, since console edits get lost.",
        ),
        ("There is no public route that doesn't check it.", "All public routes check it."),
        (
            "Rows are append-only. No UPDATE and no DELETE.",
            "Rows are append-only: no UPDATE, no DELETE.",
        ),
        (
            "Do not use `any` in the client; use `unknown`.",
            "Use `unknown` instead of `any` in the client.",
        ),
        ("Containers must not run as root.", "Always run containers as a non-root user."),
    ],
)
def test_what_both_deny_is_no_conflict(judge: Judge, one: str, other: str) -> None:
    assert not is_conflict(judge(one, other, likeness=0.88))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "The bucket is public; the page links to it.",
            "The bucket is private, with no direct links.",
        ),
        ("The browser job is a required check.", "The browser job is an optional check."),
        ("Always run the whole suite before pushing.", "Never run the whole suite before pushing."),
        ("New flags default to on in the suite.", "In the suite new flags default to off."),
        ("Tracking is opt-in: ask first.", "Tracking is opt-out: it starts at once."),
        (
            "Every migration must ship a down script, or CI rejects it.",
            "Migrations must not ship a down script.",
        ),
        ("Only an editor may publish a post.", "Authors publish a post themselves."),
    ],
)
def test_contraries_said_of_the_same_are_a_conflict(judge: Judge, one: str, other: str) -> None:
    assert is_conflict(judge(one, other, likeness=0.85))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "In the shop app, style components with Tailwind.",
            "In the office app, don't style components with Tailwind; use CSS modules.",
        ),
        (
            "The email worker retries a failed job with backoff.",
            "The payout worker never retries a failed job.",
        ),
        ("Go files are indented with tabs.", "YAML files are indented with spaces, never tabs."),
        ("Don't mock the clock with monkeypatch.", "Mock the clock by passing a FakeClock."),
    ],
)
def test_the_same_said_of_two_cases_goes_together(judge: Judge, one: str, other: str) -> None:
    assert not is_conflict(judge(one, other, likeness=0.65))


def test_a_rule_for_every_case_meets_a_case_of_another_name(judge: Judge) -> None:
    one, other = (
        "Every backend service, with no exception, writes its logs in UTC.",
        "The invoice worker, a backend service, writes its logs in local time.",
    )
    assert is_conflict(judge(one, other, likeness=0.75))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Server code must use the tracing module and must not call println.",
            "Do not call println in server code; use the tracing module.",
        ),
        (
            "Invoices that have already been sent to a customer must never be edited.",
            "Never edit an invoice that has already been sent to a customer.",
        ),
        (
            "Never call Stripe while a queue lock is open.",
            "Keep Stripe calls outside of queue locks.",
        ),
        (
            "Every new rollout must default to off in all regions and is turned on in the console.",
            "New rollouts must default to off in every region. Turn them on in the console.",
        ),
    ],
)
def test_a_second_predicate_is_a_claim_of_its_own(judge: Judge, one: str, other: str) -> None:
    assert not is_conflict(judge(one, other, 0.9))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Do not log session headers in the audit service.",
            "Always log the session locale in the audit service.",
        ),
        (
            "No dynamic memory in `src/kernel`.",
            "Dynamic memory is fine in `src/tools`.",
        ),
        (
            "The parser must not start timers of its own.",
            "The parser starts readers; each opens its own socket.",
        ),
        (
            "Never let the pool drop below 3 replicas.",
            "The scaler keeps the pool between 4 and 12 replicas.",
        ),
        (
            "The worker image is built from debian.",
            "The worker image is pushed to eu.gcr.io.",
        ),
    ],
)
def test_what_is_denied_of_one_thing_may_hold_of_another(
    judge: Judge, one: str, other: str
) -> None:
    assert judge(one, other, 0.7) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "Report jobs get their ledger data only through ledger-api.",
            "Report jobs may get ledger data without going through ledger-api.",
        ),
        (
            "Anyone can inspect the production schema.",
            "Inspecting the production schema is not possible.",
        ),
    ],
)
def test_what_goes_round_the_only_way_is_a_conflict(judge: Judge, one: str, other: str) -> None:
    assert is_conflict(judge(one, other))


@pytest.mark.parametrize(
    ("spoken", "plain"),
    [
        ("Turn them on in the console", "Turn on them in the console"),
        ("Leave src/gen alone", "do not change src/gen"),
        ("Agents lack the permission to merge", "Agents may not merge"),
        ("It's fine for handlers to raise", "handlers may raise"),
        ("Leave checks on in the client, in tests too", "leave on checks in the client"),
    ],
)
def test_leave_and_refusal_are_put_plainly(spoken: str, plain: str) -> None:
    assert " ".join(put_plainly(spoken).split()).removesuffix(" at all times") == plain
