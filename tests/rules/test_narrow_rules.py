"""A rule reaches no further than its words: what narrows it down is kept, or it does not block."""

from __future__ import annotations

import pytest

from dmm.rules.language.compile import compile_rule
from dmm.rules.language.judge import InForce, Priority, Status, judge


def blocks(rule: str, decision: str) -> bool:
    in_force = InForce(1, rule, Priority.REQUIRED, compile_rule(rule).rule)
    return judge(decision, [in_force]).status is Status.BLOCKED


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
