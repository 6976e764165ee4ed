"""Facts, constraints and decisions: recorded, looked up, and held to."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dmm.domain.event import PERSONS, EventType, Trust
from dmm.errors import LedgerRefused, UsageError
from dmm.index.analysis import analyze
from dmm.ledger.state import Constraint, Fact
from dmm.rules.language.judge import Priority, Status
from dmm.rules.patterns import STARTER_VERSION
from dmm.rules.starter import starter_rules
from dmm.service.discretion import discreet
from dmm.service.guarded import last_guarded
from dmm.service.inputs import accept
from dmm.service.provenance import find_tool_source
from dmm.service.rulebook import compile_constraint, in_words, show_tool_rule
from dmm.service.tracing import traced
from dmm.service.views import show_alerts, show_constraint, show_decision, show_fact, show_state

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dmm.ledger.state import State
    from dmm.service.chronicle import Chronicle
    from dmm.service.published import PublishedRules
    from dmm.service.rulebook import Judgement
    from dmm.service.rulefiles import RuleShelf

SCOPES = ("facts", "constraints", "decisions", "all")
PENDING = "pending until a person accepts it ({command}); until then it asks at most"


@dataclass(frozen=True, slots=True)
class Ledger:
    """The operations on one ledger; each returns plain data."""

    chronicle: Chronicle
    published: PublishedRules | None = None
    shelf: RuleShelf | None = None

    @traced()
    def add_fact(
        self, key: str, value: str, confidence: float = 1.0, *, caused_by: int | None = None
    ) -> dict[str, Any]:
        """Record a fact; a changed value is an alert."""
        key, value = accept("key", key), accept("value", value)
        if not 0.0 <= confidence <= 1.0:
            raise UsageError("the confidence is a number from 0.0 to 1.0")
        payload = {"key": key, "value": value, "confidence": confidence}
        draft = self.chronicle.draft(EventType.FACT_ADDED, payload, caused_by=caused_by)
        with self.chronicle.log.writing() as writer:
            before = self.chronicle.state().facts.get(key)
            event = writer.append(draft)
        told: dict[str, Any] = {"seq": event.seq, "key": key, "value": value}
        if before is not None:
            told["previous_value"] = before.value
            if before.value != value:
                told["drift_alert"] = True
        return told

    @traced()
    def add_constraint(
        self, text: str, priority: str = "required", triggered_by: int | None = None
    ) -> dict[str, Any]:
        """Record a constraint, compiled; a learned one names the event that taught it.

        The same one is not recorded twice: what is in force already is given back.
        """
        text = accept("constraint", text)
        need_priority(priority)
        need_learned(priority, triggered_by)
        return self.record_constraint(text, priority, triggered_by, compile_constraint(text).rule)

    def record_constraint(
        self, text: str, priority: str, triggered_by: int | None, rule: dict[str, Any] | None
    ) -> dict[str, Any]:
        """Record a constraint that is compiled already."""
        self._need_trust("make")
        payload: dict[str, Any] = {"text": text, "priority": priority, "rule": rule}
        if triggered_by is not None:
            payload["triggered_by"] = triggered_by
        with self.chronicle.log.writing() as writer:
            known = self._find_same(Constraint(0, text, priority, "", rule=rule))
            if known is not None:
                return _show_known(known)
            since = self._used_up_by(Constraint(0, text, priority, "", rule=rule))
            source = self._tool_source(text)
            draft = self.chronicle.draft(
                EventType.CONSTRAINT_ADDED,
                payload
                | ({"since": since} if since else {})
                | ({"tainted": source} if source else {}),
                caused_by=triggered_by,
            )
            event = writer.append(replace(draft, trust=Trust.TOOL) if source else draft)
        self._publish()
        told: dict[str, Any] = {"seq": event.seq, "constraint": text, "priority": priority}
        if triggered_by is not None:
            told["triggered_by"] = triggered_by
        if event.trust not in PERSONS:
            told |= {"pending": True, "note": _pending_note([event.seq])}
        return told

    def _find_same(self, new: Constraint) -> Constraint | None:
        """Find a constraint in force that says the same; a pending one only for agents.

        A proposed rule file may give a matcher to a sentence that has none.
        """
        by_person = self.chronicle.voice.trust in PERSONS
        for one in self.chronicle.standing(self.chronicle.state()):
            same = one.text.split() == new.text.split() and one.priority == new.priority
            same = same and one.digest == new.digest if new.from_file else same
            if same and not (by_person and one.pending):
                return one
        return None

    def _tool_source(self, text: str) -> int | None:
        """Find the tool event whose words an agent passes on as a rule."""
        if self.chronicle.voice.trust is not Trust.AGENT:
            return None
        found = find_tool_source(text, "", self.chronicle)
        return None if found is None else found.seq

    @traced()
    @discreet
    def list_pending(self) -> dict[str, Any]:
        """List the constraints that no person has accepted yet, with where they came from."""
        waiting = [one for one in self.chronicle.state().in_force if one.pending]
        events = (self.chronicle.reading.event(one.seq) for one in waiting)
        return {
            "pending": [
                show_constraint(one)
                | {
                    "trust": one.trust,
                    "actor": None if event is None else event.actor,
                    "session": None if event is None else event.session,
                    "tainted": None if event is None else event.get("tainted"),
                }
                for one, event in zip(waiting, events, strict=True)
            ]
        }

    @traced()
    def accept_constraint(self, seq: int) -> dict[str, Any]:
        """Let a pending constraint bind, as a new event; a person has to say this."""
        return self.accept_constraints([seq])[0]

    def accept_constraints(self, seqs: Iterable[int]) -> list[dict[str, Any]]:
        """Let pending constraints bind, all of them or none."""
        if self.chronicle.voice.trust not in PERSONS:
            hint = "a person accepts it in a terminal: dmm ledger accept"
            raise LedgerRefused("an agent can't accept a constraint", hint=hint)
        with self.chronicle.log.writing() as writer:
            waiting = [self.need_pending(seq) for seq in dict.fromkeys(seqs)]
            for one in waiting:
                if one.from_file:
                    hint = f"dmm rules accept {one.seq} writes its file"
                    raise LedgerRefused(f"constraint {one.seq} is a proposed rule file", hint=hint)
            drafts = [
                self.chronicle.draft(
                    EventType.CONSTRAINT_ACCEPTED, {"seq": one.seq}, references=(one.seq,)
                )
                for one in waiting
            ]
            events = [writer.append(draft) for draft in drafts]
        self._publish()
        return [
            {"seq": event.seq, "accepted": one.seq, "constraint": one.text}
            for event, one in zip(events, waiting, strict=True)
        ]

    def need_pending(self, seq: int) -> Constraint:
        """Return a constraint that waits for a person, or refuse its number."""
        found = self._active(seq)
        if not found.pending:
            raise LedgerRefused(f"constraint {seq} is accepted already")
        return found

    def _active(self, seq: int) -> Constraint:
        constraint = self.chronicle.state().constraints.get(seq)
        if constraint is None:
            hint = "dmm ledger context lists the constraints"
            raise LedgerRefused(f"event {seq} is not a constraint", hint=hint)
        if not constraint.active:
            raise LedgerRefused(f"constraint {seq} is inactive already")
        return constraint

    def _publish(self) -> None:
        """Have the rules on file follow the ledger; what fails here is done with the next call."""
        if self.published is not None:
            self.published.publish()

    def _used_up_by(self, constraint: Constraint) -> int:
        decisions = list(self.chronicle.state().decisions.values())
        return last_guarded(in_words(constraint).rule, decisions)

    @traced()
    def add_starter(self) -> dict[str, Any]:
        """Record the starter rules for tool calls; those that are in force already are left."""
        self._need_trust("make")
        with self.chronicle.log.writing() as writer:
            present = {one.text for one in self.chronicle.state().in_force}
            texts = {f"{rule.id}: {rule.reason}": rule for rule in starter_rules()}
            added: list[dict[str, Any]] = []
            for text, rule in texts.items():
                if text not in present:
                    stored = {**(show_tool_rule(rule).rule or {}), "version": STARTER_VERSION}
                    payload = {"text": text, "priority": "required", "rule": stored}
                    draft = self.chronicle.draft(EventType.CONSTRAINT_ADDED, payload)
                    seq = writer.append(draft).seq
                    added.append({"seq": seq, "constraint": text, "priority": "required"})
        self._publish()
        told: dict[str, Any] = {"added": added, "present": len(texts) - len(added)}
        if added and self.chronicle.voice.trust not in PERSONS:
            told |= {"pending": True, "note": _pending_note([one["seq"] for one in added])}
        return told

    @traced()
    def deactivate(self, seq: int) -> dict[str, Any]:
        """Make a constraint inactive, as a new event."""
        self._need_trust("lift")
        with self.chronicle.log.writing() as writer:
            constraint = self._active(seq)
            if constraint.from_file and not constraint.pending:
                hint = f"disable it there: dmm rules disable {constraint.id}"
                what = f"constraint {seq} stands in {constraint.path}"
                raise LedgerRefused(what, hint=hint)
            if not constraint.pending and self.chronicle.voice.trust not in PERSONS:
                hint = "a person can, in a terminal"
                raise LedgerRefused("an agent can't lift a constraint that binds it", hint=hint)
            draft = self.chronicle.draft(
                EventType.CONSTRAINT_DEACTIVATED, {"seq": seq}, references=(seq,)
            )
            event = writer.append(draft)
        self._publish()
        return {"seq": event.seq, "deactivated": seq, "constraint": constraint.text}

    def _need_trust(self, act: str) -> None:
        if self.chronicle.voice.trust in (Trust.TOOL, Trust.THIRD_PARTY):
            hint = "a user, a reviewer or an agent can"
            raise LedgerRefused(f"what a tool returned can't {act} a constraint", hint=hint)

    @traced()
    def record_message(self, text: str) -> dict[str, Any]:
        """Record what the user said, so that facts and rules can name it as their cause."""
        text = accept("text", text)
        draft = self.chronicle.draft(EventType.USER_MESSAGE_RECEIVED, {"text": text})
        return {"seq": self.chronicle.record(draft).seq, "text": text}

    @traced()
    def record_decision(
        self, text: str, rationale: str, references: Sequence[int] | None = None
    ) -> dict[str, Any]:
        """Check a decision against all constraints and record it, committed or blocked."""
        text, rationale = accept("text", text), accept("rationale", rationale)
        refs = tuple(dict.fromkeys(references or ()))
        if self.shelf is not None:
            self.shelf.record()
        with self.chronicle.log.writing() as writer:
            state = self.chronicle.state()
            rules = self.chronicle.rulebook(state)
            verdict = rules.judge(text, self.chronicle.lookups(state))
            payload: dict[str, Any] = {
                "text": text,
                "rationale": rationale,
                "references": list(refs),
                "status": "blocked" if verdict.blocked else "committed",
                "verdict": verdict.describe(),
                "applied": [] if verdict.blocked else rules.used_up(text),
            }
            if any(one.from_file for one in self.chronicle.standing(state)):
                payload["place"] = self.chronicle.place
            kind = EventType.DECISION_BLOCKED if verdict.blocked else EventType.DECISION_MADE
            event = writer.append(self.chronicle.draft(kind, payload, references=refs))
        if verdict.blocked:
            return _show_block(verdict)
        told = {"status": "COMMITTED", "seq": event.seq, "decision": text, "rationale": rationale}
        return told | ({"warning": verdict.reason} if verdict.status is Status.WARNING else {})

    @traced()
    def query_memory(self, question: str, scope: str = "all") -> dict[str, Any]:
        """Search the ledger and record that it was asked, which can satisfy a verification."""
        question = accept("question", question)
        if scope not in SCOPES:
            raise UsageError(f"the scope is one of {', '.join(SCOPES)}")
        draft = self.chronicle.draft(
            EventType.MEMORY_QUERY_ISSUED, {"question": question, "scope": scope}
        )
        event = self.chronicle.record(draft)
        state = self.chronicle.state(event.seq).at_place(self.chronicle.place)
        told: dict[str, Any] = {"query_seq": event.seq, "facts": []}
        if scope in ("facts", "all"):
            known = ((f"{one.key} {one.value}", show_fact(one)) for one in state.facts.values())
            told["facts"] = _best(question, known)
        if scope in ("constraints", "all"):
            shown = self._shown(state.constraints.values())
            held = ((one.text, show_constraint(one)) for one in shown)
            told["constraints"] = _best(question, held)
        if scope in ("decisions", "all"):
            made = ((one.text, show_decision(one)) for one in state.decisions.values())
            told["decisions"] = _best(question, made)
        return told

    @traced()
    def get_memory_context(self) -> dict[str, Any]:
        """Tell everything that is held to be so, and what should be looked at."""
        if self.shelf is not None:
            self.shelf.record()
        state = self.chronicle.state().at_place(self.chronicle.place)
        found = show_alerts(state, self._replaced(state))
        told = {"current_seq": state.seq, **show_state(state), "alerts": found}
        shown = self._shown(state.constraints.values())
        told["constraints"] = [show_constraint(one) for one in shown]
        if len(shown) < len(state.constraints):
            told["pending_constraints"] = len(state.constraints) - len(shown)
        return told

    def _shown(self, constraints: Iterable[Constraint]) -> list[Constraint]:
        """Leave out what no person has accepted where an agent asks: it would read it as a rule."""
        reader = self.chronicle.voice.trust
        return [one for one in constraints if reader in PERSONS or not one.pending]

    def _replaced(self, state: State) -> dict[int, Fact]:
        """Find the facts that decisions rest on and that have another value by now."""
        current = {fact.seq for fact in state.facts.values()}
        rested_on = {seq for one in state.decisions.values() for seq in one.references} - current
        replaced = {}
        for seq in sorted(rested_on):
            event = self.chronicle.reading.event(seq)
            if event is not None and event.type == EventType.FACT_ADDED:
                now = state.facts.get(str(event.get("key")))
                if now is not None and now.value != event.get("value"):
                    replaced[seq] = now
        return replaced


def _pending_note(seqs: Iterable[int]) -> str:
    return PENDING.format(command=f"dmm ledger accept {' '.join(map(str, seqs))}")


def need_learned(priority: str, triggered_by: int | None) -> None:
    """Refuse a learned constraint that does not say what taught it."""
    if priority == Priority.LEARNED and triggered_by is None:
        hint = "give triggered_by, the number of the event it was learned from"
        raise UsageError("a learned constraint names what triggered it", hint=hint)


def need_priority(priority: str) -> None:
    """Refuse a priority that does not exist."""
    if priority not in list(Priority):
        raise UsageError(f"the priority is one of {', '.join(Priority)}")


def _show_known(one: Constraint) -> dict[str, Any]:
    told: dict[str, Any] = {"seq": one.seq, "constraint": one.text, "priority": one.priority}
    if one.triggered_by is not None:
        told["triggered_by"] = one.triggered_by
    if one.pending:
        told |= {"pending": True, "note": _pending_note([one.seq])}
    return told | ({"id": one.id} if one.id else {}) | {"existing": True}


def _show_block(verdict: Judgement) -> dict[str, Any]:
    return {
        "status": "BLOCKED",
        "violated_constraint_seq": verdict.findings[0].seq,
        "reason": verdict.reason,
        "suggestion": verdict.suggestion,
    } | ({"id": verdict.findings[0].id} if verdict.findings[0].id else {})


def _best(question: str, items: Iterable[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """Keep what shares a word with the question or contains it, most shared first."""
    words, whole = set(analyze(question)), question.strip().casefold()
    scored = [
        (len(words & set(analyze(text))) + (whole in text.casefold()), shown)
        for text, shown in items
    ]
    ordered = sorted(scored, key=lambda pair: (-pair[0], pair[1]["seq"]))
    return [shown for score, shown in ordered if score]
