"""Requirements, choices, amounts and exceptions: what they compile to and what breaks them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from dmm.rules.language.compile import compile_rule
from dmm.rules.language.judge import (
    InForce,
    Priority,
    Recorded,
    RuleSet,
    Status,
    judge,
    match_part,
    unlisted_verbs,
)
from dmm.rules.language.rules import (
    Limit,
    Part,
    Prohibition,
    Requirement,
    rule_from_dict,
    rule_to_dict,
)
from dmm.text.clauses import read

TABLES = ("cases.jsonl", "held_out.jsonl", "second_held_out.jsonl", "duties.jsonl")


def rows() -> list[dict[str, Any]]:
    here = Path(__file__).parent
    lines = [line for name in TABLES for line in (here / name).read_text("utf-8").splitlines()]
    return [json.loads(line) for line in lines]


def parts_of(text: str) -> tuple[Part, ...]:
    rule = compile_rule(text).rule
    assert rule is not None, text
    return rule.parts


def status(text: str, decision: str, *questions: str) -> Status:
    rule = compile_rule(text).rule
    records = [Recorded(number, question) for number, question in enumerate(questions)]
    return judge(decision, [InForce(1, text, Priority.REQUIRED, rule)], records).status


@pytest.mark.slow
def test_every_breach_of_the_tables_is_also_found_through_the_index() -> None:
    rules = {row["constraint"]: compile_rule(row["constraint"]).rule for row in rows()}
    numbered = [
        InForce(number, text, Priority.REQUIRED, rule)
        for number, (text, rule) in enumerate(rules.items())
    ]
    index = RuleSet(numbered)
    for row in rows():
        rule = rules[row["constraint"]]
        direct = rule is not None and any(
            (match := match_part(read(row["decision"], unlisted_verbs(part)), part)) is not None
            and match.certain
            for part in rule.parts
        )
        found = {item.text: item.blocks for item in judge(row["decision"], index).findings}
        assert not direct or row["constraint"] in found, row
        assert direct or not found.get(row["constraint"], False), row


def test_every_rule_of_the_tables_survives_being_stored() -> None:
    for text in sorted({row["constraint"] for row in rows()}):
        rule = compile_rule(text).rule
        if rule is not None:
            stored = json.loads(json.dumps(rule_to_dict(rule)))
            assert rule_from_dict(stored) == rule, text


@pytest.mark.parametrize(
    ("text", "core", "subject"),
    [
        ("All dates in API responses must be in UTC", ["utc"], "dates"),
        ("Database migrations must be reversible", ["reversible"], "migrations"),
        ("Every endpoint must require authentication", ["authentication"], "endpoint"),
        ("All traffic must use HTTPS, apart from the health check", ["https"], "traffic"),
        ("Always encrypt backups", ["encrypt"], "backups"),
    ],
)
def test_a_requirement_keeps_what_is_asked_for_apart_from_what_it_is_asked_of(
    text: str, core: list[str], subject: str
) -> None:
    (part,) = parts_of(text)
    assert isinstance(part, Requirement)
    assert [item.text for item in part.core] == core
    assert part.subject is not None
    assert part.subject.head.text == subject


def test_a_thing_that_must_stay_on_is_required_where_it_is_said() -> None:
    (part,) = parts_of("Audit logging must stay enabled in production")
    assert isinstance(part, Requirement)
    assert [item.text for item in part.core] == ["audit", "logging"]
    assert part.where is not None
    assert part.where.head.text == "production"


@pytest.mark.parametrize(
    ("text", "choice", "subject"),
    [
        ("All new services must be written in Rust", "rust", "services"),
        ("Always use UTC for timestamps", "utc", "timestamps"),
    ],
)
def test_a_choice_or_a_place_is_required(text: str, choice: str, subject: str) -> None:
    (part,) = parts_of(text)
    assert isinstance(part, Requirement)
    assert part.subject is not None
    assert ([item.text for item in part.core], part.subject.head.text) == ([choice], subject)


def test_an_amount_that_something_is_forbidden_for_becomes_a_limit_or_a_condition() -> None:
    (limit,) = parts_of("Uploads larger than 10 MB must be rejected")
    assert isinstance(limit, Limit)
    assert (limit.comparison, limit.value, limit.measure) == ("<=", "10000000", "size")
    (asked,) = parts_of("Purchases over $500 need manager approval")
    assert isinstance(asked, Prohibition)
    assert [[item.text for item in one.terms] for one in asked.exemptions] == [
        ["manager", "approval"]
    ]


@pytest.mark.parametrize(
    "text",
    ["Orders over $50 ship for free", "Batches over 500 items must be split"],
)
def test_an_amount_that_only_says_when_is_no_limit(text: str) -> None:
    assert compile_rule(text).rule is None


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("In the frontend, no inline styles", "No inline styles in the frontend"),
        ("Except for hotfixes, never deploy on Fridays", "Never deploy on Fridays except hotfixes"),
    ],
)
def test_a_scope_or_an_exception_may_stand_first(text: str, same: str) -> None:
    (moved,), (plain,) = parts_of(text), parts_of(same)
    assert isinstance(moved, Prohibition)
    assert isinstance(plain, Prohibition)
    assert moved.action.conditions == plain.action.conditions
    assert moved.exemptions == plain.exemptions


def test_an_exception_for_a_folder_holds_for_the_files_in_it() -> None:
    rule = "No print statements, except in scripts under tools/"
    assert status(rule, "Add a print statement to tools/release.py") is Status.ALLOWED
    assert status(rule, "Add a print statement to src/release.py") is Status.BLOCKED


def test_an_exception_that_the_decision_denies_does_not_hold() -> None:
    rule = "Customer data may not be exported unless the customer asked for it"
    assert status(rule, "Export customer data, though the customer asked for it") is Status.ALLOWED
    assert status(rule, "Export customer data; the customer has not asked for it") is Status.BLOCKED


def test_only_those_named_may_act_and_an_act_of_nobody_in_particular_only_warns() -> None:
    rule = "Only the finance team may approve refunds"
    assert status(rule, "The interns will approve the refund") is Status.BLOCKED
    assert status(rule, "The finance team will approve the refund") is Status.ALLOWED
    assert status(rule, "Approve the refund") is Status.WARNING


def test_a_requirement_is_spoken_of_in_tests_and_notes_without_being_broken() -> None:
    rule = "Input must be sanitized"
    assert status(rule, "Render the unsanitized input") is Status.BLOCKED
    assert status(rule, "Add a test for unsanitized input") is Status.ALLOWED
    assert status(rule, "Reject unsanitized input") is Status.ALLOWED


def test_a_verification_is_covered_by_words_of_the_same_family() -> None:
    rule = "Check wheelchair access and availability before booking a room"
    room = "Book the room"
    assert status(rule, room, "Is it accessible by wheelchair?") is Status.BLOCKED
    both = ("Is it accessible by wheelchair?", "Is the room available?")
    assert status(rule, room, *both) is Status.ALLOWED


def test_a_rate_is_compared_with_a_rate_of_the_same_kind() -> None:
    rule = "Hotel rooms may cost at most $200 per night"
    assert status(rule, "Book the Grand at $245 per night") is Status.BLOCKED
    assert status(rule, "Book the Grand at $145 per night") is Status.ALLOWED
    assert status(rule, "Pay the guide $245 per day") is Status.ALLOWED


@pytest.mark.parametrize(
    "decision",
    ["Run the tests every 20 seconds", "Move the test by 20 seconds", "Start the test in 1 hour"],
)
def test_how_often_or_when_is_not_how_long(decision: str) -> None:
    assert status("Each test must finish in under 5 seconds", decision) is Status.ALLOWED


@pytest.mark.parametrize(
    ("duty", "decision"),
    [
        ("Validate predictions before trading.", "fix: run settlement every trading cycle"),
        ("Validate predictions before trading.", "feat: trading engine guardrails"),
        ("Validate predictions before trading.", "Add order pages, backfill historical trades"),
        ("Check for existing issues before filing a new one.", "Add some missing codegen files"),
        ("Review generated SQL before applying.", "Apply weights to named scores"),
        ("`input` (required): string.", "Record a run without the input"),
    ],
)
def test_a_thing_called_like_the_act_of_a_duty_is_not_blocked(duty: str, decision: str) -> None:
    assert status(duty, decision) is not Status.BLOCKED


@pytest.mark.parametrize(
    ("duty", "decision"),
    [
        ("Validate predictions before trading.", "Trade 100 shares of ACME"),
        ("Validate predictions before trading.", "Start trading tomorrow"),
        ("Check the budget before deploying.", "Run the deployment today"),
        ("Check the budget before deploying.", "Deploying billing service"),
        ("Verify accessibility before booking.", "Start booking Hotel Sakura"),
        ("Validate predictions before trading.", "Execute trades"),
        ("Check the backup before migrating.", "Run migrations"),
        ("Check the budget before deploying.", "Start deploying the service"),
        ("Check the budget before releasing.", "Schedule the release for Friday"),
        ("A signature is required.", "Send the contract without a signature"),
    ],
)
def test_the_act_of_a_duty_is_blocked_without_it(duty: str, decision: str) -> None:
    assert status(duty, decision) is Status.BLOCKED
