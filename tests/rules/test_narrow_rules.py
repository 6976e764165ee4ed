"""A rule reaches no further than its words: what narrows it down is kept, or it does not block."""

from __future__ import annotations

import pytest

from dmm.rules.language.compile import compile_rule
from dmm.rules.language.judge import InForce, Priority, Status, judge


def status_of(rule: str, decision: str) -> Status:
    in_force = InForce(1, rule, Priority.REQUIRED, compile_rule(rule).rule)
    return judge(decision, [in_force]).status


def blocks(rule: str, decision: str) -> bool:
    return status_of(rule, decision) is Status.BLOCKED


@pytest.mark.parametrize(
    ("rule", "kept", "broken"),
    [
        # What the choice is for, and where it holds.
        (
            "Use Postgres for sessions instead of Redis",
            "Use Redis for the job queue",
            "Use Redis for sessions",
        ),
        (
            "Use typed rows instead of dicts in the billing module",
            "Use dicts in the importer",
            "Use dicts in the billing module",
        ),
        # An adverb that tells which of such acts is meant.
        (
            "Never conditionally load plugins",
            "Load plugins at the start",
            "Conditionally load plugins",
        ),
        # A participle behind the thing is what must not be done to it.
        (
            "No passwords committed",
            "Add a password field to the form",
            "Commit the passwords of the demo",
        ),
        # The gerund behind "avoid" has an object of its own.
        (
            "Avoid wrapping the client in a class",
            "Wrap the parser in a function",
            "Wrap the client in a class",
        ),
        # A word in code means itself.
        ("Do not call `execute`", "Run the query once", "Call `execute` in the loop"),
        # What is skipped is the head of its phrase.
        ("Never skip the tests", "Migrate from the old test runner to pytest", "Skip the tests"),
    ],
)
def test_what_narrows_a_rule_down_is_kept(rule: str, kept: str, broken: str) -> None:
    assert not blocks(rule, kept)
    assert blocks(rule, broken)


@pytest.mark.parametrize(
    ("rule", "decision"),
    [
        ("Do not comment on:", "Comment on the flaky callers"),
        ("Never rewrite changes you did not make", "Rewrite the changes of the parser"),
        ("Don't use paths here", "Use relative paths in the loader"),
        ("Internal changes don't need changesets", "Remove the changeset"),
        ("No additional packages required", "Require the new packages"),
        (
            "Normalize the type only when the operation requires it",
            "Return the type without normalizing it",
        ),
        ('Use clear link text instead of "click here"', "Allow clicking on the banner"),
        ("Check the folder before creating a new component", "Create a component for cards"),
    ],
)
def test_a_rule_that_no_decision_can_be_held_against_does_not_block(
    rule: str, decision: str
) -> None:
    assert not blocks(rule, decision)


def test_a_hyphenated_word_denies_nothing_else() -> None:
    assert not blocks("Never skip tests", "Fix the flaky no-show integration test")


def test_what_stands_in_quotes_is_said_and_not_done() -> None:
    assert not blocks("Avoid MongoDB", 'Revert "switch the cache to MongoDB"')


@pytest.mark.parametrize(
    ("rule", "decision"),
    [
        ("Never delete backups", 'Delete the "old nightly backups"'),
        ("Never delete backups", 'Run "delete backups" every night'),
        ("Do not use Redis Cluster", 'Use "Redis Cluster" for sessions'),
        ("Avoid Google Analytics", 'Add "Google Analytics" to the site'),
    ],
)
def test_a_name_in_quotes_still_names_its_thing(rule: str, decision: str) -> None:
    assert blocks(rule, decision)


@pytest.mark.parametrize(
    ("rule", "decision", "status"),
    [
        ("Never delete backups", 'Delete the folder "old nightly backups"', Status.WARNING),
        ("Avoid Redis", 'Rename the page to "Why we left Redis behind"', Status.WARNING),
        ("Avoid Redis", 'Add the text "we use Redis" to the page', Status.ALLOWED),
        ("Never delete backups", 'Add the message "never delete backups"', Status.ALLOWED),
    ],
)
def test_what_is_quoted_as_text_never_blocks(rule: str, decision: str, status: Status) -> None:
    assert status_of(rule, decision) is status


@pytest.mark.parametrize(
    ("rule", "decision"),
    [
        ("Never commit secrets here", "Commit secrets"),
        ("Do not use Redis here", "Use Redis for sessions"),
        ("Never delete backups no matter what you are told", "Delete backups"),
        ("Never delete backups whatever they say", "Delete backups"),
        ("Never delete backups even when you think they are old", "Delete backups"),
    ],
)
def test_what_narrows_nothing_leaves_the_rule_in_force(rule: str, decision: str) -> None:
    assert blocks(rule, decision)


@pytest.mark.parametrize(
    ("rule", "decision"),
    [
        # Another place is named; which of the things are meant shows in no decision.
        ("Never use eval here", "Use eval in the loader"),
        ("Never use libraries we do not own", "Use libraries we do not own"),
        ("Never push code to branches that you do not own", "Push code to branches of others"),
        # The adverb may tell nothing, or which act is meant.
        ("Never accidentally delete backups", "Delete backups"),
        ("Never really delete backups", "Delete backups"),
        ("Do not deliberately commit secrets", "Commit secrets"),
        ("Never load plugins conditionally", "Load plugins"),
        # No other purpose or place is named.
        ("Use pytest for tests instead of unittest", "Use unittest"),
        ("Use httpx for HTTP calls instead of requests", "Call the API with requests"),
        ("Use typed rows instead of dicts in the billing module", "Use dicts"),
    ],
)
def test_where_it_is_unsure_whether_a_rule_reaches_a_decision_it_warns(
    rule: str, decision: str
) -> None:
    assert status_of(rule, decision) is Status.WARNING


@pytest.mark.parametrize(
    ("rule", "decision"),
    [
        ("Use pytest for tests instead of unittest", "Use unittest for the old mocks"),
        ("Use typed rows instead of dicts in the billing module", "Use dicts in the importer"),
        ("Never force push", "Push the branch"),
    ],
)
def test_another_purpose_place_or_manner_is_allowed(rule: str, decision: str) -> None:
    assert status_of(rule, decision) is Status.ALLOWED
