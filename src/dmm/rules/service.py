"""Add, propose, accept, disable and adopt rules."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from dmm.errors import LedgerRefused, UsageError
from dmm.eventlog.state import FILE, Constraint
from dmm.files.rules import FOLDER, parse_rule
from dmm.passkeys.acts import PersonAct
from dmm.rules.authorship import (
    Composed,
    Likeness,
    Wish,
    adopt_constraint,
    compose,
    name_way_out,
    need_examples,
    switch,
)
from dmm.rules.constraints import need_learned, need_priority
from dmm.rules.faults import clashes
from dmm.rules.folder import FileRule, digest_source
from dmm.rules.listing import (
    RuleReading,
    lacks_matcher,
    need_seen,
    not_ours,
    not_shown,
    stops_calls,
)
from dmm.rules.results import (
    Adopted,
    AskedCall,
    RuleAccepted,
    RuleAdopted,
    RuleDraft,
    RuleKept,
    RuleRow,
    RuleView,
)
from dmm.rules.source import check_rule, state_of_rule
from dmm.rules.states import is_starter
from dmm.rules.views import CompiledRule, detail_rule, examples_of, matches_of, show_shelved
from dmm.tracing import traced

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dmm.rules.results import ConstraintBinds, ConstraintLifted, ConstraintRecorded
    from dmm.rules.rule import Rule

PROPOSED = "pending until a person accepts it (dmm rules accept {seq}); until then it can only ask"
NO_MATCHER = (
    "no matcher: {why}; write one with dmm rules edit, or have an agent do it: dmm rules draft"
)


@dataclass(frozen=True, slots=True)
class Rules(RuleReading):
    """The operations on rules."""

    @traced()
    def add(
        self,
        text: str,
        level: str | None = None,
        *,
        match: Any = None,
        unless: Any = None,
        examples: Any = None,
        why: str = "",
        seen: str | None = None,
    ) -> RuleView | ConstraintRecorded:
        """Add a rule: a person's is active immediately, an agent's is proposed.

        `seen` is the digest of the rule file that was shown.
        """
        composed, replaced = self._compose(Wish(text, level, match, unless, examples, why))
        if seen is not None and digest_source(composed.source) != seen:
            raise not_shown()
        if not self._is_person:
            return self._propose(composed, "required", None)
        return self._write(composed, replaced)

    def preview(self, text: str, level: str | None = None, **given: Any) -> RuleDraft:
        """Return the file that a rule would have, without writing it."""
        composed, replaced = self._compose(Wish(text, level, **given))
        return RuleDraft(composed.rule.id, composed.source, replaced is None)

    def compile(self, text: str, level: str | None = None, **given: Any) -> CompiledRule:
        """Return the rule that a sentence would become, without keeping it."""
        composed, _ = self._compose(Wish(text, level, **given))
        rule, state = composed.rule, state_of_rule(composed.rule)
        examples = examples_of(rule)
        return CompiledRule(
            rule.id,
            rule.title,
            state.value,
            matches_of(rule, state),
            examples,
            composed.source,
            examples.block,
            examples.allow,
            composed.why_not if rule.call is None else "",
            digest_source(composed.source),
        )

    def add_source(self, source: str, name: str) -> RuleView:
        """Add a rule from the whole text of its file; `name` is the file's name."""
        self._need_person(PersonAct.ADD_RULE)
        rule = check_rule(f"{FOLDER}/{name}.md", source)
        known = {one.rule.id: one for one in self.shelf.rules()}
        replaced = known.get(rule.id)
        if replaced is not None and not lacks_matcher(replaced.rule):
            raise _double(replaced)
        self._refuse_double(rule, [one for one in known.values() if one is not replaced])
        return self._write(Composed(rule, source), replaced)

    def _compose(self, wish: Wish) -> tuple[Composed, FileRule | None]:
        """Compose a rule; one that says the same as another is refused.

        A rule file that has the same sentence and no matcher yet gets the new one.
        """
        shelved = self.shelf.rules()
        words = Likeness.of(wish.text)
        same = (one for one in shelved if Likeness.of(one.rule.title).same_words(words))
        known = next(same, None)
        replaced = known if known is not None and lacks_matcher(known.rule) else None
        kept = None
        if replaced is not None:
            text = parse_rule(replaced.path, replaced.source)
            kept = {"id": replaced.rule.id} | text.fields
            kept.pop("level", None)
        if wish.match is None:
            wish = replace(wish, known=self.surroundings())
        composed = compose(wish, [one.rule.id for one in shelved], kept)
        if replaced is not None and composed.rule.call is None:
            raise _double(replaced)
        self._refuse_double(composed.rule, [one for one in shelved if one is not replaced])
        return composed, replaced

    def _refuse_double(self, rule: Rule, others: Sequence[FileRule]) -> None:
        own = Likeness.of(rule.title, rule.call, rule.folder)
        for one in others:
            other = Likeness.of(one.rule.title, one.rule.call, one.rule.folder)
            if own.same(other) and not own.find_other_way(other):
                raise _double(one)
        known = {one.rule.id: one.rule for one in others} | {rule.id: rule}
        for clash in clashes(known.values(), about=rule):
            if rule.id in (clash.rule, clash.other) and name_way_out(known[clash.rule].title):
                what = f"rule {clash.rule} contradicts {clash.other}: {clash.what}"
                second = clash.other if clash.rule == rule.id else clash.rule
                raise UsageError(what, hint=f"dmm rules disable {second}")
        for held in self._constraints():
            same = own.same_words(Likeness.of(held.text))
            if same and (held.pending or rule.call is None or stops_calls(held)):
                hint = "dmm rules accept" if held.pending else "dmm rules adopt"
                raise UsageError(f"constraint {held.seq} says the same", hint=f"{hint} {held.seq}")

    def _write(self, composed: Composed, replaced: FileRule | None = None) -> RuleView:
        name = composed.rule.id if replaced is None else replaced.path
        shelved = self.shelf.write(name, composed.source)
        self._lift_sentence(composed.rule)
        told = self._view(shelved)
        if composed.rule.call is not None or not composed.why_not:
            return told
        return replace(told, note=NO_MATCHER.format(why=composed.why_not))

    def _view(self, shelved: FileRule) -> RuleView:
        show = partial(show_shelved, shelved, RuleView)
        return self._unless_trusted(detail_rule(show, shelved.rule, shelved.state))

    def _lift_sentence(self, rule: Rule) -> None:
        """Deactivate a ledger constraint whose sentence is now a rule file."""
        own = Likeness.of(rule.title)
        for one in self._constraints():
            if not one.pending and own.same_words(Likeness.of(one.text)):
                self.constraints.deactivate(one.seq)

    @traced()
    def add_constraint(
        self,
        text: str,
        priority: str = "required",
        triggered_by: int | None = None,
        *,
        match: Any = None,
        examples: Any = None,
    ) -> RuleView | ConstraintRecorded:
        """Record a constraint; one with a matcher is a rule file that a person accepts."""
        if match is None:
            if examples is not None:
                raise UsageError("examples need a matcher", hint="give match too")
            return self.constraints.add_constraint(text, priority, triggered_by)
        need_priority(priority)
        need_learned(priority, triggered_by)
        need_examples(examples)
        level = "warn" if priority == "preferred" else None
        wish = Wish(text, level, match, None, examples, "", triggered_by)
        composed, replaced = self._compose(wish)
        if not self._is_person:
            return self._propose(composed, priority, triggered_by)
        told = self._write(composed, replaced)
        return replace(told, constraint=told.title, priority=priority)

    def _propose(
        self, composed: Composed, priority: str, triggered_by: int | None
    ) -> ConstraintRecorded:
        """Record an agent's rule as pending; its file is written when a person accepts it."""
        rule = composed.rule
        if rule.call is None:
            chosen = priority if rule.binds else "preferred"
            return self.constraints.add_constraint(rule.title, chosen, triggered_by)
        stored = {
            "kind": FILE,
            "id": rule.id,
            "path": f"{FOLDER}/{rule.id}.md",
            "digest": digest_source(composed.source),
            "place": "",
            "source": composed.source,
        }
        told = self.constraints.record_constraint(
            rule.title, priority, triggered_by, stored, waits=True
        )
        note = PROPOSED.format(seq=told.seq)
        return replace(told, id=rule.id, note=note)

    def propose(self, rule: Rule, source: str) -> ConstraintRecorded:
        """Propose a rule file as it is written; it asks at most until a person accepts it."""
        return self._propose(Composed(rule, source), "required", None)

    @traced()
    def accept(
        self, names: Iterable[str], *, seen: str | None = None
    ) -> tuple[RuleAccepted | ConstraintBinds, ...]:
        """Accept pending rules, all or none; only a person can do this."""
        self._need_person(PersonAct.ACCEPT_RULE)
        waiting = [self._pending(name) for name in dict.fromkeys(names)]
        need_seen(waiting, seen)
        filed = [one for one in waiting if one.from_file]
        for one in filed:
            check_rule(one.path, one.source)
            self.shelf.refuse_unapproved(self._file_of(one), one.source)
        told: tuple[RuleAccepted, ...] = ()
        for one in filed:
            shelved = self.shelf.write(self._file_of(one), one.source)
            self.constraints.deactivate(one.seq)
            view = show_shelved(shelved, RuleAccepted, accepted=one.seq, constraint=one.text)
            told = (*told, view)
            self._lift_sentence(shelved.rule)
        plain = [one.seq for one in waiting if not one.from_file]
        return *told, *(self.constraints.accept_constraints(plain) if plain else ())

    def _file_of(self, one: Constraint) -> str:
        """Find the file of a proposed rule: its own, or the one whose sentence it completes."""
        known = [rule for rule in self.shelf.rules() if rule.rule.id == one.id]
        if known and not lacks_matcher(known[0].rule):
            raise _double(known[0])
        return known[0].path if known else one.path

    def _pending(self, name: str) -> Constraint:
        if name.isdecimal():
            return self.constraints.need_pending(int(name))
        found = self._find(name)
        if isinstance(found, FileRule):
            raise LedgerRefused(f"rule {name} is already accepted")
        return found

    @traced()
    def edit(self, name: str, source: str) -> RuleView:
        """Replace the text of a rule file; one that can't be used changes nothing."""
        self._need_person(PersonAct.EDIT_RULE)
        found = self._need_file(name)
        return self._view(self.shelf.write(found.path, source))

    @traced()
    def disable(self, name: str, *, seen: str | None = None) -> RuleRow | ConstraintLifted:
        """Disable a rule file, or deactivate a constraint of the ledger."""
        self._need_person(PersonAct.DISABLE_RULE)
        found = self._find(name)
        need_seen([found], seen)
        if isinstance(found, FileRule):
            return self._switch(found, disabled=True)
        if found.is_shared:
            raise not_ours(found)
        return replace(self.constraints.deactivate(found.seq), id=name)

    @traced()
    def enable(self, name: str, *, seen: str | None = None) -> RuleRow:
        """Activate a disabled rule file again."""
        self._need_person(PersonAct.ENABLE_RULE)
        found = self._need_file(name)
        need_seen([found], seen)
        return self._switch(found, disabled=False)

    def _switch(self, found: FileRule, *, disabled: bool) -> RuleRow:
        if found.rule.disabled == disabled:
            raise UsageError(f"rule {found.rule.id} is already {'dis' if disabled else 'en'}abled")
        shelved = self.shelf.write(found.path, switch(found.source, disabled=disabled))
        return self._unless_trusted(show_shelved(shelved, RuleRow))

    @traced()
    def allow(self, seq: int, *, seen: str | None = None) -> AskedCall:
        """Allow once the recorded call that a rule asked about."""
        self._need_person(PersonAct.ALLOW_CALL)
        asked = self.show_asked(seq)
        if seen is not None and asked.digest != seen:
            raise not_shown()
        return self._allowances.allow(seq)

    def adoptable(self, seqs: Iterable[int] | None = None) -> Sequence[Constraint]:
        """Return the constraints that would become rule files: those named, or all of one's own."""
        own = (one for one in self._constraints() if not one.is_shared)
        held = {one.seq: one for one in own if not one.pending}
        if seqs is None:
            return [one for one in held.values() if not is_starter(one)]
        return [self._need_constraint(seq, held) for seq in dict.fromkeys(seqs)]

    @traced()
    def adopt(self, seqs: Iterable[int] | None = None, *, seen: str | None = None) -> Adopted:
        """Turn ledger constraints into rule files; those a file can't express stay."""
        self._need_person(PersonAct.ADOPT_RULES)
        chosen = self.adoptable(seqs)
        need_seen(chosen, seen)
        adopted, kept = list[RuleAdopted](), list[RuleKept]()
        for one in chosen:
            taken = [rule.rule.id for rule in self.shelf.rules()]
            composed = adopt_constraint(one, taken)
            if isinstance(composed, str):
                kept.append(RuleKept(one.seq, one.text, composed))
                continue
            shelved = self.shelf.write(composed.rule.id, composed.source)
            self.constraints.deactivate(one.seq)
            adopted.append(show_shelved(shelved, RuleAdopted, adopted=one.seq))
        return Adopted(tuple(adopted), tuple(kept))

    def _need_constraint(self, seq: int, held: dict[int, Constraint]) -> Constraint:
        if seq not in held:
            hint = "list the constraints of the ledger with their numbers: dmm rules"
            raise LedgerRefused(f"there is no active constraint {seq}", hint=hint)
        return held[seq]


def _double(one: FileRule) -> UsageError:
    hint = f"dmm rules show {one.rule.id}"
    if one.held:
        hint = f"{one.path} has changed or is gone since you approved it; review that: dmm trust"
    return UsageError(f"rule {one.rule.id} says the same", hint=hint)
