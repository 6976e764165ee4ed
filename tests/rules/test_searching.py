"""Every search of a call ends in time: a rule that can't be checked asks, and lifts no other."""

from __future__ import annotations

from typing import Any

import pytest

from dmm.rules.budget import RULE_SECONDS, USED_UP, Budget, is_own_fault
from dmm.rules.callbook import CallBook, CallEntry, Ruling
from dmm.rules.commands.calls import ToolCall
from dmm.rules.content.limits import MAX_TEXT
from dmm.rules.form import compile_fields
from dmm.rules.needs import done_by_call

SLOW = "^(?:a|aa)+$"
LINE = "a" * 5_000 + "b"
COMMIT = f"git commit -m {LINE}"
TOO_LONG = "its regex took too long"


def judge(command: str, *rules: dict[str, Any], past: tuple[str, ...] = ()) -> Ruling:
    return judge_call(ToolCall("Bash", {"command": command}), *rules, past=past)


def judge_call(call: ToolCall, *rules: dict[str, Any], past: tuple[str, ...] = ()) -> Ruling:
    compiled = [compile_fields(one, f"Rule {at}", stem=f"r{at}") for at, one in enumerate(rules, 1)]
    book = CallBook(
        CallEntry(at, one.title, one.call, id=one.id)
        for at, one in enumerate(compiled, 1)
        if one.call is not None
    )
    done = [
        done_by_call(at, ToolCall("Bash", {"command": one}), "", 0) for at, one in enumerate(past)
    ]
    return book.rule(call, lambda *_: done)


def told(ruling: Ruling) -> tuple[str, list[str]]:
    return ruling.level, [one.stopped for one in ruling.findings]


@pytest.mark.parametrize(
    "match",
    [
        {"message": SLOW},
        {"message": {"of": "commit", "not_regex": SLOW}},
        {"command": {"program": "git", "matches": "^git commit -m (?:a|aa)+$"}},
        {"tool": {"name": "Bash", "matches": "^git commit -m (?:a|aa)+$"}},
        {"tool": "Bash", "message": SLOW},
    ],
)
def test_an_expression_that_takes_too_long_asks_and_leaves_other_rules_alone(
    match: dict[str, Any],
) -> None:
    assert told(judge(COMMIT, {"match": match})) == ("ask", [TOO_LONG])
    both = judge(COMMIT, {"match": match}, {"match": {"command": "git commit"}})
    assert (both.level, both.id) == ("deny", "r2")
    assert sorted(one.stopped for one in both.findings) == ["", TOO_LONG]


def test_an_exception_that_takes_too_long_lifts_nothing() -> None:
    rule = {"match": {"command": "git commit"}, "unless": {"message": SLOW}}
    assert judge(COMMIT, rule).level == "deny"


def test_an_item_whose_other_keys_do_not_hold_is_not_searched() -> None:
    rule = {"match": {"command": "git push", "tool": {"name": "Bash", "matches": SLOW}}}
    assert judge(COMMIT, rule).level == "allow"


def test_a_required_step_that_cannot_be_looked_for_asks() -> None:
    slow = {"program": "git", "matches": "^git commit -m (?:a|aa)+$"}
    order = {"before": {"command": "git push"}, "require": {"command": slow}}
    assert told(judge("git push", order, past=(COMMIT,) * 40)) == ("ask", [TOO_LONG])
    assert told(judge(f"{COMMIT} && git push", order)) == ("ask", [TOO_LONG])
    assert judge("git push", order, past=("git commit -m aa", COMMIT)).level == "ask"
    assert judge("git push", order, past=(COMMIT, "git commit -m aa")).level == "allow"


def test_all_searches_of_a_call_share_one_budget() -> None:
    slow = [{"match": {"message": rf"^(?:a|aa|a{{{at}}})+$"}} for at in range(3, 23)]
    ruling = judge(COMMIT, *slow)
    assert ruling.level == "ask"
    reasons = [one.stopped for one in ruling.findings]
    assert len(reasons) == len(slow)
    assert reasons[-1] == USED_UP


def test_one_rule_gets_one_share_however_much_it_searches() -> None:
    tags = " && ".join(f"git tag {'a' * 500}b{at}" for at in range(10))
    slow, other = {"match": {"message": SLOW}}, {"match": {"message": "c+"}}
    ruling = judge(f"{tags} && git tag cc", slow, other)
    assert told(ruling) == ("deny", ["", TOO_LONG])


def test_a_text_that_is_too_large_is_not_searched() -> None:
    call = ToolCall("mcp__chat__send", {"text": "ab" * MAX_TEXT})
    rule = {"match": {"tool": {"name": "mcp__*", "matches": "(?:ab)+c?$"}}}
    assert told(judge_call(call, rule)) == ("ask", ["the text is larger than 4 MB"])
    other = {"match": {"tool": {"name": "mcp__*", "matches": "DROP TABLE"}}}
    assert judge_call(call, other).level == "allow"


def test_only_a_rule_that_had_its_share_is_to_blame() -> None:
    budget = Budget()
    assert is_own_fault(budget.blame(RULE_SECONDS, RULE_SECONDS, TOO_LONG).what)
    assert not is_own_fault(budget.blame(0.001, 0.001, TOO_LONG).what)
    assert not is_own_fault(budget.blame(RULE_SECONDS, RULE_SECONDS / 10, TOO_LONG).what)
    assert not is_own_fault("")
