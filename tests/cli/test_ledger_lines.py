"""The ledger in words: exact, within 80 columns, with nothing hidden."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dmm.cli.format import lines
from dmm.domain.event import Event
from dmm.ledger.results import Entries, Verified
from dmm.rules.results import VerdictExplained

if TYPE_CHECKING:
    from tests.cli.conftest import Typed
    from tests.conftest import Project

LONG = "Book the small house by the river with the wide lift " * 3


@pytest.fixture
def say(typed: Typed, project: Project) -> Any:
    def typing(*arguments: str) -> str:
        told = typed("ledger", *arguments, within=project.folder)
        assert max(map(len, told.out.splitlines()), default=0) <= 80
        return told.out

    return typing


def test_a_story_in_words(say: Any) -> None:
    assert say("fact", "budget", "4000") == "fact 1: budget = 4000\n"
    assert say("fact", "budget", "3000", "--confidence", "0.5") == (
        "fact 2: budget = 3000\n"
        "  previous value: 4000\n"
        "  decisions based on the old value: dmm ledger context\n"
    )
    say("constraint", "never use eval")
    assert say("decide", "Rest", "--rationale", "tired", "--reference", "1") == (
        "COMMITTED as event 4: Rest\n  because: tired\n"
    )
    assert say("query", "budget") == (
        "recorded as event 5\nFacts\n     2 budget = 3000 (confidence 0.5)\n"
    )
    assert say("query", "weather") == "recorded as event 6\nnothing found\n"
    assert say("context") == (
        "At event 6\n"
        "Facts\n     2 budget = 3000 (confidence 0.5)\n"
        "Constraints\n     3 never use eval (required, checked on decisions only)\n"
        "Decisions\n     4 Rest (committed)\n"
        "Alerts\n     ! budget changed from 4000 to 3000\n"
        "     ! decision 4 is based on an old value of budget\n"
    )
    assert say("trace", "4") == (
        "     4 DecisionMade          Decision committed: Rest\n"
        "                             based on 1\n"
        "     1 FactAdded             Fact: budget = 4000 (STALE: the value has changed)\n"
    )
    assert say("at", "1") == (
        "FLASHBACK to event 1 of 6\n"
        "Facts\n     1 budget = 4000\n"
        "Since then\n"
        "  ~ fact budget: 4000 -> 3000\n"
        "  + constraint 3: never use eval (required)\n"
        "  + decision 4: Rest (committed)\n"
    )
    assert "nothing known" in say("at", "0")
    assert say("diff", "4", "4") == "From event 4 to event 4\n  nothing changed\n"
    assert say("drift", "1", "1") == "drift from event 1 to event 1: 0.0\n"
    assert say("replay", "--to", "1").splitlines()[0] == "State at event 1"
    assert say("explain", "4").splitlines()[-1].endswith("decides the same today.")
    assert say("rehearse", "never rest").splitlines()[0] == (
        "Would have blocked 1 of 1 decision and 0 tool calls in the past"
    )
    assert "it would block nothing" in say("rehearse", "be kind")
    assert "nothing is recorded" in say(
        *("simulate", "--inject", "never rest", "--at", "1", "--decide", "Rest")
    )


def test_a_constraint_that_holds_no_tool_call_says_so(say: Any) -> None:
    nothing = "  Not enforced on tool calls; only recorded decisions are checked.\n"
    held = say("constraint", "Always verify wheelchair accessibility before booking")
    assert "  state: checked on decisions only\n" in held
    assert nothing in held
    assert "block" not in held.lower()
    enforced = say("constraint", "Never run git push --force")
    assert "  state: enforced\n" in enforced
    assert nothing not in enforced


def test_a_deactivated_constraint_is_a_change(say: Any) -> None:
    say("constraint", "never use eval")
    say("constraint", "--deactivate", "1")
    assert say("diff", "1", "2") == (
        "From event 1 to event 2\n"
        "  ~ constraint 1: never use eval (required) -> never use eval (required,\n"
        "               inactive)\n"
    )
    assert say("log", "--type", "ConstraintDeactivated").endswith("Rule 1 switched off\n")


def test_long_texts_are_wrapped_and_the_log_keeps_to_one_line(say: Any) -> None:
    say("decide", LONG, "--rationale", LONG)
    say("query", LONG)
    assert len(say("log").splitlines()) == 2
    assert "…" in say("log")
    say("context")
    say("trace", "1")


def test_hidden_characters_are_shown(say: Any) -> None:
    told = say("fact", "note", "left \u202e right \x1b[31m red")
    assert "<U+202E>" in told
    assert "<U+001B>" in told
    assert "\x1b" not in say("log")
    assert "\u202e" not in say("context")


def test_the_log_is_as_wide_as_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    payload = {"text": "git push " + "x" * 200, "verdict": {"status": "deny", "seq": 3}}
    at = "2026-11-15T08:44:35.123Z"
    whose = "claude", "hook", "agent", None, None, ()
    told = Entries((Event(7, "id", "ToolRequested", 1, at, *whose, payload),))
    for width in (80, 200):
        monkeypatch.setenv("COLUMNS", str(width))
        (line,) = lines.log(told)
        assert line.startswith("     7 2026-11-15 08:44 ToolRequested Blocked git push xxxxx")
        assert len(line) == width
        assert line.endswith("x…")
    monkeypatch.setenv("COLUMNS", "3")
    assert len(next(lines.log(told))) == 60


def test_a_terminal_that_does_not_say_its_width_has_80_columns(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert lines.terminal_width() == 80


def test_everything_that_verification_found_is_told() -> None:
    found = Verified(True, 9, 1, "ab", None, None, 2, 3, (4,), (5,))
    assert list(lines.verified(found)) == [
        "NOT VALID: the stored state at event 5 was changed; it is not used",
        "the chain itself is valid: 9 events, 1 of them blanked, 2 anchors",
        "  head ab",
        "  3 anchors belong to other ledgers",
        "  line 4 of the anchor file is not an anchor",
    ]


def test_an_engine_that_thinks_otherwise_is_told() -> None:
    then = {"status": "ALLOWED", "engine": "0", "reason": "fine", "trace": ["step"]}
    now = {"status": "BLOCKED", "engine": "1", "reason": "not fine"}
    told = VerdictExplained(3, None, "Rest", then, now, agrees=False)
    assert list(lines.explained(told)) == [
        "event 3: Rest",
        "  ALLOWED by engine 0",
        "  reason: fine",
        "    - step",
        "  Engine 1 would decide differently today: BLOCKED",
        "  reason: not fine",
    ]
