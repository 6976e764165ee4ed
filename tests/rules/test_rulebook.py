"""Rules in words and rules on tool calls as one thing to ask."""

from __future__ import annotations

import json
from typing import Any

import pytest

from dmm.eventlog.state import Constraint, Decision
from dmm.rules.commands.calls import ToolCall
from dmm.rules.language.judge import Judgement, Status
from dmm.rules.rulebook import (
    DECISIONS_LOOKED_AT,
    Rulebook,
    compile_constraint,
    in_words,
    last_guarded,
    may_satisfy,
    on_tools,
)
from dmm.rules.states import preview_constraint

RULE = "verify accessibility before booking"


def held(text: str, seq: int = 1, priority: str = "required", **changed: Any) -> Constraint:
    values = {"rule": compile_constraint(text).rule} | changed
    return Constraint(seq, text, priority, "user", **values)


def judged(book: Rulebook, text: str) -> Judgement:
    return book.judge(text, lambda _: [])


def test_a_constraint_is_shown_back_with_examples_that_hold() -> None:
    compiled = compile_constraint("never use eval")
    assert compiled.enforceable
    assert compiled.why_not is None
    book = Rulebook([held("never use eval")])
    assert judged(book, compiled.blocks).status is Status.BLOCKED
    assert judged(book, compiled.allows).status is not Status.BLOCKED


def test_a_tool_rule_is_shown_back_with_examples_that_hold() -> None:
    compiled = compile_constraint("command: git push --force")
    book = Rulebook([held("command: git push --force")])
    assert judged(book, compiled.blocks).status is Status.BLOCKED
    assert judged(book, compiled.allows).status is Status.ALLOWED


def test_guidance_says_why_it_is_not_enforced() -> None:
    compiled = compile_constraint("Be kind to the traveller")
    assert not compiled.enforceable
    assert compiled.why_not
    assert judged(Rulebook([held("Be kind to the traveller")]), "Shout").status is Status.ALLOWED


def test_what_blocks_comes_before_what_warns() -> None:
    book = Rulebook([held("never use eval", 1, "preferred"), held("avoid eval", 2)])
    verdict = judged(book, "Use eval")
    assert [(one.seq, one.blocks) for one in verdict.findings] == [(2, True), (1, False)]
    assert verdict.describe()["status"] == "BLOCKED"
    assert judged(Rulebook([]), "Use eval").describe() == {
        "status": "ALLOWED",
        "engine": verdict.describe()["engine"],
        "reason": "no constraint in force is broken",
        "suggestion": "",
        "violations": [],
        "trace": [],
    }


@pytest.mark.parametrize(
    ("decision", "status"),
    [
        ("git push --force origin main", Status.BLOCKED),
        ("sudo git push -f", Status.BLOCKED),
        ("git push origin main", Status.ALLOWED),
        ("Explain why `git push --force` is dangerous", Status.ALLOWED),
        ("echo `git push --force`", Status.BLOCKED),
        ("Push the branch with care", Status.ALLOWED),
    ],
)
def test_a_command_is_told_from_words_about_it(decision: str, status: Status) -> None:
    assert judged(Rulebook([held("command: git push --force")]), decision).status is status


def test_a_tool_rule_that_asks_or_is_preferred_only_warns() -> None:
    for constraint in (
        held("command: git push --force; action: ask"),
        held("command: git push --force", priority="preferred"),
    ):
        assert judged(Rulebook([constraint]), "git push --force").status is Status.WARNING


def test_the_same_tool_rule_twice_names_both_constraints() -> None:
    book = Rulebook([held("command: git push --force", seq) for seq in (3, 5)])
    call = ToolCall("Bash", {"command": "git push --force"})
    assert [one.seq for one in book.calls.check(call)] == [3, 5]


def test_a_rule_of_another_version_is_compiled_again_from_its_text() -> None:
    for broken in ({"version": 99}, {}, {"version": 1, "rule": {"is": "Nothing"}}):
        stored = {"kind": "language", "rule": broken}
        assert in_words(held("never use eval", rule=stored)).rule is not None
    assert in_words(held("never use eval", rule={"kind": "language"})).rule is not None
    assert on_tools(held("command: git push", rule={"kind": "tool", "rule": {}})) is not None
    assert on_tools(held("command: git push", rule={"kind": "tool"})) is not None
    assert in_words(held("never use eval", rule={"kind": "future"})).rule is None


def test_an_unknown_priority_binds() -> None:
    book = Rulebook([held("never use eval", priority="sacred")])
    assert judged(book, "Use eval").status is Status.BLOCKED


def test_only_a_denying_rule_stops_a_call() -> None:
    call = ToolCall("Bash", {"command": "git push --force"})
    assert [
        one.blocks for one in Rulebook([held("command: git push --force")]).calls.check(call)
    ] == [True]
    warning = held("command: git push --force; action: warn")
    assert [one.level for one in Rulebook([warning]).calls.check(call)] == ["warn"]
    assert [one.level for one in Rulebook([held("never push")]).calls.check(call)] == ["ask"]


def test_a_look_up_has_to_do_with_the_topic() -> None:
    rule = in_words(held(RULE)).rule
    assert may_satisfy(rule, "the accessibility of the hotel")
    assert not may_satisfy(rule, "the price of the hotel")
    assert not may_satisfy(None, "accessibility")


def test_the_last_decision_that_a_rule_would_have_guarded_is_found() -> None:
    rule = in_words(held(RULE)).rule
    decisions = [
        Decision(1, "Book Hotel A", "committed"),
        Decision(2, "Book Hotel B", "blocked"),
        Decision(3, "Write a letter", "committed"),
    ]
    assert last_guarded(rule, decisions) == 1
    assert last_guarded(rule, decisions[1:]) == 0
    assert last_guarded(in_words(held("never use eval")).rule, decisions) == 0
    many = [Decision(seq, "Rest", "committed") for seq in range(1, DECISIONS_LOOKED_AT + 3)]
    assert last_guarded(rule, many) == 2


def test_plain_words_are_stored_with_what_they_say_of_tool_calls() -> None:
    rule = compile_constraint("Never run rm -rf").rule
    assert rule is not None
    assert list(rule) == ["kind", "rule", "calls"]
    assert rule["calls"]["version"] == 3
    assert json.loads(json.dumps(rule)) == rule
    call = ToolCall("Bash", {"command": "rm -rf build"})
    assert [one.seq for one in Rulebook([held("Never run rm -rf")]).calls.check(call)] == [1]


def test_plain_words_on_tool_calls_are_shown_back_with_two_calls() -> None:
    compiled = compile_constraint("never use npm, use pnpm")
    _, does = preview_constraint("never use npm, use pnpm", "required")
    assert does[0] == "Blocks the command npm."
    assert (compiled.blocks, compiled.allows) == ("npm install", "pnpm install")


def test_words_that_only_name_a_call_are_enforceable() -> None:
    compiled = compile_constraint("Use `uv run pytest`, not `pytest`")
    assert compiled.enforceable
    text = "Under no circumstances run `dropdb`."
    assert compile_constraint(text).enforceable
    assert Rulebook([held(text)]).calls.check(ToolCall("Bash", {"command": "dropdb app"}))


def test_plain_words_on_tool_calls_do_not_judge_decisions_as_commands() -> None:
    book = Rulebook([held("Never run `go get`")])
    assert judged(book, "go get coffee").findings == ()


def test_a_constraint_is_named_once_however_often_a_call_meets_it() -> None:
    book = Rulebook([held("Never run `git push` or `git commit`; command: git push")])
    call = ToolCall("Bash", {"command": "git commit -m x && git push"})
    assert [(one.seq, one.level) for one in book.calls.check(call)] == [(1, "deny")]
