"""Record, look up and enforce facts, constraints and decisions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol, TypeVar

from dmm.domain.event import PERSONS
from dmm.domain.payload import (
    DecisionBlocked,
    DecisionMade,
    FactAdded,
    FilesMerged,
    MemoryQueryIssued,
    UserMessageReceived,
)
from dmm.errors import UsageError
from dmm.index.analysis import analyze
from dmm.ledger.results import (
    Blocked,
    Committed,
    Context,
    DecisionChecked,
    DecisionFinding,
    FactRecorded,
    Found,
    MessageRecorded,
    find_alerts,
    show_decision,
    show_fact,
    show_state,
)
from dmm.redaction.inputs import accept
from dmm.rules.callbook import recorded_seq
from dmm.rules.constraints import Constraints
from dmm.rules.discretion import discreet
from dmm.rules.language.judge import Status
from dmm.rules.views import show_constraint
from dmm.tracing import traced

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dmm.eventlog.state import Constraint, Fact, State
    from dmm.rules.shelf import RuleShelf

SCOPES = ("facts", "constraints", "decisions", "all")
PENDING = "pending until a person accepts it ({command}); until then it can only ask"


@dataclass(frozen=True, slots=True)
class Ledger(Constraints):
    """The operations on one ledger."""

    shelf: RuleShelf | None = None

    @traced()
    def add_fact(
        self, key: str, value: str, confidence: float = 1.0, *, caused_by: int | None = None
    ) -> FactRecorded:
        """Record a fact; a changed value is an alert."""
        key, value = accept("key", key), accept("value", value)
        if not 0.0 <= confidence <= 1.0:
            raise UsageError("the confidence must be a number from 0.0 to 1.0")
        fact = FactAdded(key=key, value=value, confidence=confidence)
        draft = self.project_ledger.draft(fact, caused_by=caused_by)
        with self.project_ledger.log.writing() as writer:
            before = self.project_ledger.state().facts.get(key)
            event = writer.append(draft)
        previous = None if before is None else before.value
        drifted = previous is not None and previous != value
        return FactRecorded(event.seq, key, value, previous, drifted)

    @traced()
    def record_message(self, text: str) -> MessageRecorded:
        """Record what the user said, so that facts and rules can name it as their cause."""
        text = accept("text", text)
        draft = self.project_ledger.draft(UserMessageReceived(text=text))
        return MessageRecorded(self.project_ledger.record(draft).seq, text)

    @traced()
    def record_merge(self, merged: FilesMerged) -> int:
        """Record what became of files that two branches had changed."""
        return self.project_ledger.record(self.project_ledger.draft(merged)).seq

    @traced()
    def record_decision(
        self, text: str, rationale: str, references: Sequence[int] | None = None
    ) -> Committed | Blocked:
        """Check a decision against all constraints and record it, committed or blocked."""
        text, rationale = accept("text", text), accept("rationale", rationale)
        refs = tuple(dict.fromkeys(references or ()))
        if self.shelf is not None:
            self.shelf.record()
        with self.project_ledger.log.writing() as writer:
            state = self.project_ledger.state()
            rules = self.project_ledger.rulebook(state)
            verdict = rules.judge(text, self.project_ledger.lookups(state))
            in_files = any(one.from_file for one in self.project_ledger.standing(state))
            made = (DecisionBlocked if verdict.blocked else DecisionMade)(
                text=text,
                rationale=rationale,
                references=refs,
                status="blocked" if verdict.blocked else "committed",
                verdict=verdict.describe(),
                applied=() if verdict.blocked else tuple(rules.used_up(text)),
                place=self.project_ledger.place if in_files else None,
            )
            event = writer.append(self.project_ledger.draft(made, references=refs))
        if verdict.blocked:
            first = verdict.findings[0]
            return Blocked(
                "BLOCKED", max(first.seq, 0), verdict.reason, verdict.suggestion, first.id
            )
        warning = verdict.reason if verdict.status is Status.WARNING else None
        return Committed("COMMITTED", event.seq, text, rationale, warning)

    @traced()
    @discreet
    def check_decision(self, text: str) -> DecisionChecked:
        """Hold a decision against all constraints; nothing is recorded."""
        text = accept("text", text)
        state = self.project_ledger.state()
        rules = self.project_ledger.rulebook(state)
        verdict = rules.judge(text, self.project_ledger.lookups(state))
        warned = "warned" if verdict.status is Status.WARNING else "allowed"
        findings = tuple(
            DecisionFinding(
                one.id or None,
                recorded_seq(one.seq),
                one.text,
                "denied" if one.blocks else "warned",
                one.reason,
                tuple(text[start:end] for start, end in one.spans),
            )
            for one in verdict.findings
        )
        outcome = "denied" if verdict.blocked else warned
        first = findings[0] if findings else DecisionFinding(None, None, "", outcome, "", ())
        return DecisionChecked(
            text,
            outcome,
            first.rule,
            first.seq,
            first.title or None,
            verdict.reason,
            verdict.suggestion or None,
            findings,
        )

    @traced()
    def query_memory(self, question: str, scope: str = "all") -> Found:
        """Search the ledger and record that it was asked, which can satisfy a verification."""
        question = accept("question", question)
        if scope not in SCOPES:
            raise UsageError(f"the scope must be one of {', '.join(SCOPES)}")
        asked = MemoryQueryIssued(question=question, scope=scope)
        event = self.project_ledger.record(self.project_ledger.draft(asked))
        state = self.project_ledger.state(event.seq).at_place(self.project_ledger.place)
        told = Found(event.seq, ())
        if scope in ("facts", "all"):
            known = ((f"{one.key} {one.value}", one) for one in state.facts.values())
            told = replace(told, facts=tuple(map(show_fact, _best(question, known))))
        if scope in ("constraints", "all"):
            held = ((one.text, one) for one in self._shown(state.constraints.values()))
            told = replace(told, constraints=tuple(map(show_constraint, _best(question, held))))
        if scope in ("decisions", "all"):
            made = ((one.text, one) for one in state.decisions.values())
            told = replace(told, decisions=tuple(map(show_decision, _best(question, made))))
        return told

    @traced()
    def get_memory_context(self) -> Context:
        """Return everything known now, and what needs attention."""
        if self.shelf is not None:
            self.shelf.record()
        state = self.project_ledger.state().at_place(self.project_ledger.place)
        shown = self._shown(state.constraints.values())
        held = show_state(replace(state, constraints={one.seq: one for one in shown}))
        return Context(
            state.seq,
            held.facts,
            held.constraints,
            held.decisions,
            tuple(find_alerts(state, self._replaced(state))),
            len(state.constraints) - len(shown),
        )

    def _shown(self, constraints: Iterable[Constraint]) -> list[Constraint]:
        """Leave out what no person has accepted where an agent asks: it would read it as a rule."""
        reader = self.project_ledger.actor.trust
        return [one for one in constraints if reader in PERSONS or not one.pending]

    def _replaced(self, state: State) -> dict[int, Fact]:
        """Find the facts that decisions rest on and that have another value by now."""
        current = {fact.seq for fact in state.facts.values()}
        rested_on = {seq for one in state.decisions.values() for seq in one.references} - current
        replaced = {}
        for seq in sorted(rested_on):
            then = FactAdded.read(self.project_ledger.reading.event(seq))
            now = None if then is None else state.facts.get(then.key)
            if then is not None and now is not None and now.value != then.value:
                replaced[seq] = now
        return replaced


class _Numbered(Protocol):
    @property
    def seq(self) -> int: ...


N = TypeVar("N", bound=_Numbered)


def _best(question: str, items: Iterable[tuple[str, N]]) -> list[N]:
    """Keep what shares a word with the question or contains it, most shared first."""
    words, whole = set(analyze(question)), question.strip().casefold()
    scored = [
        (len(words & set(analyze(text))) + (whole in text.casefold()), one) for text, one in items
    ]
    ordered = sorted(scored, key=lambda pair: (-pair[0], pair[1].seq))
    return [one for score, one in ordered if score]
