"""Constraints of the ledger: added, accepted, listed and made inactive."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dmm.domain.event import PERSONS, Trust
from dmm.domain.payload import ConstraintAccepted, ConstraintAdded, ConstraintDeactivated
from dmm.errors import LedgerRefused, StorageError, UsageError
from dmm.eventlog.provenance import find_tool_source
from dmm.eventlog.state import Constraint
from dmm.redaction.inputs import accept
from dmm.rules.callrules import STARTER_VERSION
from dmm.rules.discretion import discreet
from dmm.rules.language.judge import Priority
from dmm.rules.results import (
    ConstraintBinds,
    ConstraintLifted,
    ConstraintRecorded,
    PendingConstraint,
    PendingConstraints,
    StarterAdded,
)
from dmm.rules.rulebook import compile_constraint, in_words, last_guarded, show_tool_rule
from dmm.rules.starter import starter_rules
from dmm.rules.states import state_of
from dmm.rules.views import digest_rule, view_constraint
from dmm.tracing import traced

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dmm.rules.project_ledger import ProjectLedger
    from dmm.rules.published import PublishedRules

PENDING = "pending until a person accepts it ({command}); until then it can only ask"


@dataclass(frozen=True, slots=True)
class Constraints:
    """The operations on the constraints of one ledger; each returns a value."""

    project_ledger: ProjectLedger
    published: PublishedRules | None = None

    @traced()
    def add_constraint(
        self, text: str, priority: str = "required", triggered_by: int | None = None
    ) -> ConstraintRecorded:
        """Record a constraint, compiled; a learned one names the event that taught it.

        The same one is not recorded twice: what is in force already is given back.
        """
        text = accept("constraint", text)
        need_priority(priority)
        need_learned(priority, triggered_by)
        return self.record_constraint(text, priority, triggered_by, compile_constraint(text).rule)

    def record_constraint(
        self,
        text: str,
        priority: str,
        triggered_by: int | None,
        rule: Mapping[str, Any] | None,
        *,
        waits: bool = False,
    ) -> ConstraintRecorded:
        """Record a constraint that is compiled already; one that `waits` a person has to accept."""
        self._need_trust("make")
        with self.project_ledger.log.writing() as writer:
            known = self._find_same(Constraint(0, text, priority, "", rule=rule))
            if known is not None:
                return replace(_show(known), id=known.id, existing=True)
            since = self._used_up_by(Constraint(0, text, priority, "", rule=rule))
            source = self._tool_source(text)
            draft = self.project_ledger.draft(
                ConstraintAdded(
                    text=text,
                    priority=priority,
                    rule=rule,
                    triggered_by=triggered_by,
                    since=since,
                    tainted=source,
                ),
                caused_by=triggered_by,
            )
            if source or (waits and draft.trust in PERSONS):
                draft = replace(draft, trust=Trust.TOOL if source else Trust.AGENT)
            event = writer.append(draft)
        self._publish()
        return _show(Constraint(event.seq, text, priority, event.trust, triggered_by, rule=rule))

    def _find_same(self, new: Constraint) -> Constraint | None:
        """Find a constraint in force that says the same; a pending one only for agents.

        A proposed rule file may give a matcher to a sentence that has none.
        """
        by_person = self.project_ledger.actor.trust in PERSONS
        state = self.project_ledger.state()
        try:
            held = self.project_ledger.standing(state)
        except (StorageError, LedgerRefused):
            # The team's rules can't be read; a person's own are recorded all the same.
            held = self.project_ledger.readable()
        for one in held:
            same = one.text.split() == new.text.split() and one.priority == new.priority
            same = same and one.digest == new.digest if new.from_file else same
            if same and not (by_person and one.pending):
                return one
        return None

    def _tool_source(self, text: str) -> int | None:
        """Find the tool event whose words an agent passes on as a rule."""
        if self.project_ledger.actor.trust is not Trust.AGENT:
            return None
        found = find_tool_source(text, "", self.project_ledger)
        return None if found is None else found.seq

    @traced()
    @discreet
    def list_pending(self) -> PendingConstraints:
        """List the constraints that no person has accepted yet, with where they came from."""
        waiting = [one for one in self.project_ledger.state().in_force if one.pending]
        events = (self.project_ledger.reading.event(one.seq) for one in waiting)
        return PendingConstraints(
            tuple(
                view_constraint(
                    one,
                    PendingConstraint,
                    trust=one.trust,
                    actor=None if event is None else event.actor,
                    session=None if event is None else event.session,
                    tainted=None if told is None else told.tainted,
                    digest=digest_rule(one),
                )
                for one, event in zip(waiting, events, strict=True)
                for told in [ConstraintAdded.read(event)]
            )
        )

    @traced()
    def accept_constraints(self, seqs: Iterable[int]) -> tuple[ConstraintBinds, ...]:
        """Let pending constraints bind, all of them or none; a person has to say this."""
        if self.project_ledger.actor.trust not in PERSONS:
            hint = "a person accepts it in a terminal: dmm ledger accept"
            raise LedgerRefused("an agent can't accept a constraint", hint=hint)
        with self.project_ledger.log.writing() as writer:
            waiting = [self.need_pending(seq) for seq in dict.fromkeys(seqs)]
            for one in waiting:
                if one.from_file:
                    hint = f"dmm rules accept {one.seq} writes its file"
                    raise LedgerRefused(f"constraint {one.seq} is a proposed rule file", hint=hint)
            drafts = [
                self.project_ledger.draft(ConstraintAccepted(seq=one.seq), references=(one.seq,))
                for one in waiting
            ]
            events = [writer.append(draft) for draft in drafts]
        self._publish()
        return tuple(
            ConstraintBinds(event.seq, one.seq, one.text)
            for event, one in zip(events, waiting, strict=True)
        )

    def need_pending(self, seq: int) -> Constraint:
        """Return a constraint that waits for a person, or refuse its number."""
        found = self._active(seq)
        if not found.pending:
            raise LedgerRefused(f"constraint {seq} is already accepted")
        return found

    def _active(self, seq: int) -> Constraint:
        constraint = self.project_ledger.state().constraints.get(seq)
        if constraint is None:
            hint = "dmm ledger context lists the constraints"
            raise LedgerRefused(f"event {seq} is not a constraint", hint=hint)
        if not constraint.active:
            raise LedgerRefused(f"constraint {seq} is already inactive")
        return constraint

    def _publish(self) -> None:
        """Have the rules on file follow the ledger; what fails here is done with the next call."""
        if self.published is not None:
            with contextlib.suppress(StorageError, LedgerRefused):
                self.published.publish()

    def _used_up_by(self, constraint: Constraint) -> int:
        decisions = list(self.project_ledger.state().decisions.values())
        return last_guarded(in_words(constraint).rule, decisions)

    @traced()
    def add_starter(self) -> StarterAdded:
        """Record the starter rules for tool calls; those that are in force already are left."""
        self._need_trust("make")
        with self.project_ledger.log.writing() as writer:
            present = {one.text for one in self.project_ledger.state().in_force}
            texts = {f"{rule.id}: {rule.reason}": rule for rule in starter_rules()}
            added: tuple[ConstraintRecorded, ...] = ()
            for text, rule in texts.items():
                if text not in present:
                    stored = {**(show_tool_rule(rule).rule or {}), "version": STARTER_VERSION}
                    new = ConstraintAdded(text=text, priority="required", rule=stored)
                    draft = self.project_ledger.draft(new)
                    seq = writer.append(draft).seq
                    added = (*added, ConstraintRecorded(seq, text, "required"))
        self._publish()
        told = StarterAdded(added, len(texts) - len(added))
        if not added or self.project_ledger.actor.trust in PERSONS:
            return told
        return replace(told, pending=True, note=_pending_note(one.seq for one in added))

    @traced()
    def deactivate(self, seq: int) -> ConstraintLifted:
        """Make a constraint inactive, as a new event."""
        self._need_trust("lift")
        with self.project_ledger.log.writing() as writer:
            constraint = self._active(seq)
            if constraint.from_file and not constraint.pending:
                hint = f"disable it there: dmm rules disable {constraint.id}"
                what = f"constraint {seq} stands in {constraint.path}"
                raise LedgerRefused(what, hint=hint)
            if not constraint.pending and self.project_ledger.actor.trust not in PERSONS:
                hint = "a person can, in a terminal"
                raise LedgerRefused("an agent can't lift a constraint that binds it", hint=hint)
            draft = self.project_ledger.draft(ConstraintDeactivated(seq=seq), references=(seq,))
            event = writer.append(draft)
        self._publish()
        return ConstraintLifted(event.seq, seq, constraint.text)

    def _need_trust(self, act: str) -> None:
        if self.project_ledger.actor.trust in (Trust.TOOL, Trust.THIRD_PARTY):
            hint = "only a user, a reviewer or an agent may"
            raise LedgerRefused(f"tool output can't {act} a constraint", hint=hint)


def _pending_note(seqs: Iterable[int]) -> str:
    return PENDING.format(command=f"dmm ledger accept {' '.join(map(str, seqs))}")


def need_learned(priority: str, triggered_by: int | None) -> None:
    """Refuse a learned constraint that does not say what taught it."""
    if priority == Priority.LEARNED and triggered_by is None:
        hint = "give triggered_by, the number of the event it was learned from"
        raise UsageError("a learned constraint must name what triggered it", hint=hint)


def need_priority(priority: str) -> None:
    """Refuse a priority that does not exist."""
    if priority not in list(Priority):
        raise UsageError(f"the priority must be one of {', '.join(Priority)}")


def _show(one: Constraint) -> ConstraintRecorded:
    """Return a constraint with the word for what it does; one that waits says for what."""
    about = one.seq, one.text, one.priority, one.triggered_by
    note = _pending_note([one.seq]) if one.pending else ""
    return ConstraintRecorded(*about, one.pending, note, state=state_of(one).value)
