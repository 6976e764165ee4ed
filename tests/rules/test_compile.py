"""What constraint texts compile to, and what is refused as guidance."""

from __future__ import annotations

import pytest

from dmm.rules.language.compile import MAX_CONSTRAINT, compile_rule
from dmm.rules.language.rules import (
    Limit,
    Prohibition,
    Requirement,
    Rule,
    Verification,
)


def rule_of(text: str) -> Rule:
    rule = compile_rule(text).rule
    assert rule is not None, text
    return rule


@pytest.mark.parametrize(
    "text",
    [
        "Never use eval",
        "Do not use eval",
        "Don't use eval",
        "You must not use eval",
        "You mustn't use eval",
        "You shall not use eval",
        "You may not use eval",
        "We cannot use eval",
        "Avoid eval",
        "Avoid using eval",
        "No eval",
        "No more eval",
        "eval is forbidden",
        "eval is prohibited",
        "eval is banned",
        "eval is not allowed",
        "eval is off limits",
        "Using eval is forbidden",
        "Refrain from using eval",
        "Stop using eval",
        "eval must not be used",
        "eval must never be used",
        "Rule: never use eval",
        "Please do not use eval.",
    ],
)
def test_every_wording_of_a_prohibition_forbids_the_same_act(text: str) -> None:
    part = rule_of(text).parts[0]
    assert isinstance(part, Prohibition)
    assert [noun.head.text for noun in part.action.objects] == ["eval"]
    assert part.exemptions == ()


@pytest.mark.parametrize(
    "text",
    [
        "Verify accessibility before booking",
        "Check accessibility before booking",
        "Always confirm accessibility before booking",
        "Before booking, verify accessibility",
        "Before you book, check accessibility",
        "Accessibility must be verified before booking",
        "Do not book before verifying accessibility",
        "Never book without first checking accessibility",
        "Do not book until accessibility is verified",
        "Make sure to check accessibility prior to booking",
    ],
)
def test_every_wording_of_a_verification_asks_for_the_same_topic(text: str) -> None:
    (part,) = rule_of(text).parts
    assert isinstance(part, Verification)
    assert [[item.text for item in topic] for topic in part.topics] == [["accessibility"]]
    assert "book" in part.before.verbs[0].forms


@pytest.mark.parametrize(
    ("text", "comparison", "value", "measure"),
    [
        ("Do not exceed $3000", "<=", "3000", "money:usd"),
        ("Do not spend more than 3k USD", "<=", "3000", "money:usd"),
        ("Keep the total under €2,500", "<", "2500", "money:eur"),
        ("Timeouts must be at most 30 seconds", "<=", "30", "time"),
        ("Layovers must be at least 2 hours", ">=", "7200", "time"),
        ("Uploads within 2 GB", "<=", "2000000000", "size"),
        ("No more than 3 retries", "<=", "3", "count"),
        ("Coverage no less than 80%", ">=", "80", "share"),
        ("Batch size must not exceed 1000", "<=", "1000", "count"),
        ("No flights before 8am", ">=", "480", "clock"),
        ("Python 3.11 or newer", ">=", "3.11", "version"),
    ],
)
def test_limits_are_read_with_their_comparison_value_and_measure(
    text: str, comparison: str, value: str, measure: str
) -> None:
    (part,) = rule_of(text).parts
    assert isinstance(part, Limit)
    assert (part.comparison, part.value.rstrip("0") or "0", part.measure) == (
        comparison,
        value.rstrip("0") or "0",
        measure,
    )


@pytest.mark.parametrize(
    "text",
    [
        "Do not forget to configure logging",
        "Do not hesitate to ask",
        "Reports are due no later than Monday",
        "No longer than necessary",
        "No one likes meetings",
        "It is not only about speed",
        "Don't worry about formatting",
        "Be kind to users",
        "Should we use eval?",
        "The hotel is nice",
        "",
        "...",
        "never",
        "x" * (MAX_CONSTRAINT + 1),
    ],
)
def test_what_is_no_rule_is_guidance_and_says_why(text: str) -> None:
    compilation = compile_rule(text)
    assert compilation.rule is None
    assert compilation.why_not
    assert (compilation.blocks, compilation.allows) == ("", "")


def test_several_rules_in_one_text_are_all_kept() -> None:
    parts = rule_of("Never use eval or exec. Do not push to main or deploy on Fridays.").parts
    texts = [part.action.text for part in parts if isinstance(part, Prohibition)]
    assert texts == ["use eval or exec", "push to main", "deploy on fridays"]


def test_a_list_of_verbs_shares_its_object() -> None:
    (part,) = rule_of("Do not commit or push secrets").parts
    assert isinstance(part, Prohibition)
    assert [verb.text for verb in part.action.verbs] == ["commit", "push"]


def test_exceptions_and_scope_are_kept_apart_from_the_act() -> None:
    (part,) = rule_of("Never deploy to production on Friday except for hotfixes").parts
    assert isinstance(part, Prohibition)
    assert [(c.preposition, c.nouns[0].head.text) for c in part.action.conditions] == [
        ("to", "production"),
        ("on", "friday"),
    ]
    assert [[item.text for item in one.terms] for one in part.exemptions] == [["hotfixes"]]


def test_always_and_required_are_requirements() -> None:
    assert isinstance(rule_of("Always use UTC for timestamps").parts[0], Requirement)
    (part,) = rule_of("Wheelchair accessible rooms required").parts
    assert isinstance(part, Requirement)
    assert [item.text for item in part.core] == ["wheelchair", "accessible"]


def test_a_compilation_shows_both_examples() -> None:
    compilation = compile_rule("Never deploy on Fridays except for hotfixes")
    assert compilation.blocks == "Deploy on fridays"
    assert compilation.allows == "Do not deploy on fridays"
    verification = compile_rule("Verify accessibility and budget before booking")
    assert (verification.blocks, verification.allows) == ("Book", "Do not book")
    limit = compile_rule("Timeouts must be at most 30 seconds")
    assert limit.blocks == "Set the timeouts at 61 seconds"
    assert limit.allows == "Set the timeouts at 15 seconds"


def test_a_preference_compiles_to_a_rule_that_only_warns() -> None:
    compilation = compile_rule("Prefer composition over inheritance")
    assert compilation.rule is not None
    assert compilation.rule.soft


def test_what_is_fine_when_asked_for_only_warns() -> None:
    rule = rule_of("Never update dependencies unless explicitly asked")
    assert rule.soft
    assert not rule_of("Never update dependencies except for security fixes").soft


def test_words_in_code_are_no_words_of_the_sentence() -> None:
    assert compile_rule("`# pragma: no branch` excludes branches.").rule is None
    assert compile_rule("Never write `# pragma: no cover`").rule is not None


@pytest.mark.parametrize(
    "text", ["Never commit them.", "Do not delete it.", "The vault holds keys. Don't log them."]
)
def test_a_ban_that_leaves_open_what_it_is_about_is_guidance(text: str) -> None:
    assert compile_rule(text).rule is None


def test_a_ban_that_points_at_what_was_named_before_is_about_that() -> None:
    (part,) = rule_of("Secrets come from the vault. Never commit them to the repository.").parts
    assert isinstance(part, Prohibition)
    assert part.action.text == "commit secrets to the repository"


@pytest.mark.parametrize(
    "text",
    [
        "Never update",
        "Never create a",
        "that never runs stays pending",
        "It must never push or open a pull request.",
        "Do not disable this default.",
        "Check: the fast suite (format, types; no tests).",
        "Incorrect: no deduplication",
        "The policy lives in the shared core, never in the session",
        "updates that should be made",
        "Keep it thin: no business logic, no transforms",
        "The gateway holds proxy configuration; no tests",
        "The schema is generated; never hand-edit it.",
        "Managed by the hook; do not edit by hand.",
    ],
)
def test_what_is_cut_off_or_names_nothing_specific_is_guidance(text: str) -> None:
    assert compile_rule(text).rule is None


@pytest.mark.parametrize(
    "text",
    [
        "Ensure the issue is reproducible before fixing",
        "Review your message before you send it",
        "Verify the tests pass before committing",
    ],
)
def test_a_check_before_what_nearly_every_decision_is_only_warns(text: str) -> None:
    (part,) = rule_of(text).parts
    assert isinstance(part, Verification)
    assert not part.firm


def test_an_amount_behind_a_remark_is_no_part_of_the_limit() -> None:
    (part,) = rule_of("Timeouts must be at most 30 seconds, with at least 2 retries").parts
    assert isinstance(part, Limit)
    assert part.value == "30"
