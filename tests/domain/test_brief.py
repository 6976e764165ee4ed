"""Every event has one plain line, a tone and what it is about."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.domain.brief import LONGEST, Ref, Tone, brief
from dmm.domain.event import Event, EventType
from dmm.domain.hidden import find_hidden

EDIT = {"path": "project/a.md", "before": None, "after": "x"}
MADE = {
    "operation": "create",
    "edits": [EDIT],
    "reason": "seen",
    "trust": "agent",
    "evidence": [],
    "undoes": [],
    "origin": None,
}
DECIDED = {"text": "Ship", "rationale": "", "references": [], "status": "", "applied": []}
CLASH = {
    "id": "c9",
    "type": "numeric_clash",
    "memories": [{"id": name, "path": f"{name}.md", "summary": ""} for name in "ab"],
}


def event(kind: str, payload: dict[str, Any] | None, source: str = "hook") -> Event:
    moment = "2026-11-17T08:00:00.000+00:00"
    return Event(7, "id", kind, 1, moment, "codex", source, "agent", "s-1", None, (), payload)


CASES: list[tuple[str, dict[str, Any] | None, str, str, str | None]] = [
    ("SessionStarted", {"client": "codex"}, "codex started", "plain", "session s-1"),
    ("SessionEnded", {"reason": "clear"}, "Session ended (clear)", "plain", "session s-1"),
    ("ContextCompacted", {"stage": "after"}, "Context was compacted", "plain", "session s-1"),
    ("UserMessageReceived", {"text": "mend\nit"}, "Prompt: mend it", "plain", "session s-1"),
    ("TurnEnded", {}, "Turn ended", "plain", "session s-1"),
    ("SubagentEnded", {"text": "found"}, "Subagent: found", "plain", "session s-1"),
    (
        *("ToolRequested", {"text": "ls", "verdict": {"status": "allow", "seq": None}}),
        *("Checked ls", "plain", "session s-1"),
    ),
    (
        *("ToolRequested", {"text": "rm -rf /", "verdict": {"status": "deny", "seq": 3}}),
        *("Blocked rm -rf / (rule 3)", "block", "rule 3"),
    ),
    (
        *("ToolRequested", {"text": "rm x", "late": True, "verdict": {"status": "deny", "seq": 3}}),
        *("Blocked late rm x (rule 3)", "block", "rule 3"),
    ),
    (
        *("ToolRequested", {"text": "curl x", "verdict": {"status": "ask", "id": "no-curl"}}),
        *("Asked about curl x (rule no-curl)", "ask", "rule no-curl"),
    ),
    (
        *("ToolRequested", {"text": "x", "verdict": {"status": "warn", "seq": 4}}),
        *("Warned about x (rule 4)", "warn", "rule 4"),
    ),
    (
        *("ToolUsed", {"tool": "Write", "input": {"file_path": "a.py"}}),
        *("Ran Write a.py", "plain", "session s-1"),
    ),
    (
        *("ToolFailed", {"text": "make", "error": "no rule\nmore"}),
        *("Failed make: no rule", "warn", "session s-1"),
    ),
    ("FactAdded", {"key": "a", "value": "1"}, "Fact: a = 1", "plain", None),
    ("ConstraintAdded", {"text": "never x"}, 'Rule added: "never x"', "plain", "rule 7"),
    ("ConstraintAccepted", {"seq": 4}, "Rule 4 accepted", "good", "rule 4"),
    ("ConstraintDeactivated", {"seq": 4}, "Rule 4 switched off", "warn", "rule 4"),
    ("DecisionMade", DECIDED, "Decision committed: Ship", "good", "decision 7"),
    ("DecisionBlocked", DECIDED, "Decision blocked: Ship", "block", "decision 7"),
    ("MemoryQueryIssued", {"question": "why?"}, "Looked up: why?", "plain", None),
    (
        *("PackServed", {"task": "mend", "tokens": 90, "retrieved": [{"path": "a.md"}]}),
        *("Served 1 memory, 90 tokens for: mend", "plain", "pack 7"),
    ),
    (
        *("PackServed", {"briefing": "ab", "retrieved": []}),
        *("Briefing at the start of the session", "plain", "pack 7"),
    ),
    (
        *("UsageReported", {"memories": [{"path": "a.md"}], "outcome": "wrong"}),
        *("Feedback wrong: a.md", "warn", "memory a.md"),
    ),
    (
        *("ModelCalled", {"purpose": "review", "model": "m", "outcome": "ok", "proposal": 5}),
        *("Model m asked for review: ok", "plain", "proposal 5"),
    ),
    ("ConflictFound", CLASH, "Conflict (numeric clash): a.md and b.md", "warn", "conflict c9"),
    (
        *("ConflictResolved", {"id": "c9", "action": "merge", "reason": "same"}),
        *("Conflict c9 resolved (merge): same", "good", "conflict c9"),
    ),
    ("ObservationMade", {"text": "it works"}, "Observed: it works", "plain", "session s-1"),
    (
        *("MemoryExpired", {"path": "a.md", "expires": "2026-01-01"}),
        *("Memory expired on 2026-01-01: a.md", "warn", "memory a.md"),
    ),
    ("PayloadRedacted", {"seq": 2}, "Event 2 redacted", "warn", None),
    (
        *("LedgerRestored", {"seq": 2, "missing": 1}),
        *("Ledger restored from event 2; 1 event is lost", "warn", None),
    ),
    ("PasskeysNoted", {"passkeys": ["a"]}, "1 passkey confirms decisions here", "plain", None),
    (
        *("PasskeysNoted", {"passkeys": [], "given_up": ["a", "b"]}),
        *("2 passkeys given up without confirmation", "warn", None),
    ),
    ("CallAllowed", {"of": 2, "digest": "d"}, "The call of event 2 may be made once", "good", None),
    (
        *("FilesMerged", {"merged": ["memory/project/a.md", "rules/b.md"]}),
        *("merged: memory/project/a.md, rules/b.md", "good", None),
    ),
    (
        *("FilesMerged", {"kept": ["memory/project/a.md"], "left": ["daemon.config.json"]}),
        *("both versions kept: memory/project/a.md; left: daemon.config.json", "warn", None),
    ),
    ("ProposalMade", MADE, "proposal_7: create project/a.md: seen", "plain", "proposal 7"),
    (
        *("ProposalChecked", {"proposal": 5, "checks": []}),
        *("proposal_5 passed 0 checks", "plain", "proposal 5"),
    ),
    (
        "ProposalChecked",
        {"proposal": 5, "checks": [{"name": "tokens", "outcome": "fail", "text": "few"}]},
        *("proposal_5 failed tokens", "warn", "proposal 5"),
    ),
    (
        "ProposalReviewed",
        {"proposal": 5, "judge": "person", "verdict": "approved", "reason": "good"},
        *("proposal_5 approved by person: good", "good", "proposal 5"),
    ),
    (
        *("ProposalApplying", {"proposal": 5, "edits": [EDIT], "place": None}),
        *("proposal_5 is being applied: project/a.md", "plain", "proposal 5"),
    ),
    (
        *("ProposalApplied", {"proposal": 5, "applying": 6, "trust": "user"}),
        *("proposal_5 applied", "good", "proposal 5"),
    ),
    (
        *("ProposalCommitted", {"proposal": 5, "applying": 6, "commit": "abc"}),
        *("proposal_5 committed to Git as abc", "plain", "proposal 5"),
    ),
    (
        *("ProposalFailed", {"proposal": 5, "applying": 6, "reason": "full"}),
        *("proposal_5 could not be applied: full", "warn", "proposal 5"),
    ),
    ("FactAdded", None, "Redacted", "warn", None),
    ("ProposalApplied", {"proposal": "five"}, "ProposalApplied", "plain", None),
    ("Unheard", {"text": "later"}, "later", "plain", None),
]


@pytest.mark.parametrize(("kind", "payload", "line", "tone", "ref"), CASES)
def test_each_type_has_its_words(
    kind: str, payload: dict[str, Any] | None, line: str, tone: str, ref: str | None
) -> None:
    told = brief(event(kind, payload))
    about = None if told.ref is None else f"{told.ref.kind} {told.ref.id}"
    assert (told.line, told.tone, about) == (line, tone, ref)


def test_every_type_is_told_in_words_of_its_own() -> None:
    told = {kind for kind, _, line, _, _ in CASES if line != kind}
    assert {str(one) for one in EventType} <= told


def test_who_and_where_come_along() -> None:
    told = brief(event("ToolUsed", {"tool": "Bash", "branch": "main"}))
    assert (told.client, told.branch, told.session) == ("codex", "main", "s-1")
    by_hand = brief(event("FactAdded", {"key": "a", "value": "1"}, source="cli"))
    assert (by_hand.client, by_hand.branch, by_hand.actor) == (None, None, "codex")


@given(st.text(max_size=2_000))
def test_any_text_becomes_one_short_line_that_hides_nothing(text: str) -> None:
    told = brief(event("UserMessageReceived", {"text": text}))
    assert len(told.line) <= LONGEST
    assert len(told.line.splitlines()) <= 1
    assert not find_hidden(told.line)
    assert told.tone is Tone.PLAIN
    assert told.ref == Ref("session", "s-1")
