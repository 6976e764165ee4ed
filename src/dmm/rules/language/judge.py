"""Judge decisions by the active constraints."""

from __future__ import annotations

from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from dmm.domain.frozen import frozen
from dmm.errors import UsageError
from dmm.rules.callbook import ENGINE_VERSION, Finding
from dmm.rules.language.breaches import (
    amount_holds,
    find_breach,
    find_contradiction,
    is_denied,
    told_by,
)
from dmm.rules.language.match import Breach, find_action, names_thing
from dmm.rules.language.rules import (
    Action,
    Exemption,
    Limit,
    Noun,
    Part,
    Prohibition,
    Requirement,
    Rule,
    Term,
    Verification,
)
from dmm.text import lexicon as lex
from dmm.text.acts import Polarity
from dmm.text.clauses import read
from dmm.text.tokens import tokens_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dmm.text.clauses import Reading
    from dmm.text.tokens import Token

MAX_DECISION = 20_000


class Priority(StrEnum):
    """How binding a constraint is: required and learned block, preferred only warns."""

    REQUIRED = "required"
    PREFERRED = "preferred"
    LEARNED = "learned"


class Status(StrEnum):
    """The status of a judged decision."""

    ALLOWED = "ALLOWED"
    WARNING = "WARNING"
    BLOCKED = "BLOCKED"


@frozen
class InForce:
    """An active constraint, with its compiled rule, or None if it is only guidance."""

    seq: int
    text: str
    priority: Priority
    rule: Rule | None


@frozen
class Recorded:
    """A recorded query or tool event that may count as a verification."""

    seq: int
    text: str


@frozen
class Judgement:
    """The verdict on a decision, with blocking findings first."""

    findings: tuple[Finding, ...] = ()

    @classmethod
    def of(cls, found: Sequence[Finding]) -> Judgement:
        """Return the verdict with blocking findings first, then by age; a team's come last."""
        return cls(
            tuple(sorted(found, key=lambda one: (not one.blocks, one.seq < 0, abs(one.seq))))
        )

    @property
    def status(self) -> Status:
        """Blocked by the first finding, warned by it, or allowed."""
        if not self.findings:
            return Status.ALLOWED
        return Status.BLOCKED if self.findings[0].blocks else Status.WARNING

    @property
    def blocked(self) -> bool:
        """Whether the decision may not be committed."""
        return self.status is Status.BLOCKED

    @property
    def reason(self) -> str:
        """The first finding in words."""
        if not self.findings:
            return "no constraint in force is broken"
        return self.findings[0].tell()

    @property
    def suggestion(self) -> str:
        """The suggestion of the first finding."""
        return self.findings[0].suggestion if self.findings else ""

    def describe(self) -> dict[str, Any]:
        """Return the verdict as it is recorded, with all that explains and reproduces it."""
        return {
            "status": self.status.value,
            "engine": ENGINE_VERSION,
            "reason": self.reason,
            "suggestion": self.suggestion,
            "violations": [
                {
                    "seq": one.seq,
                    "blocks": one.blocks,
                    "spans": [list(span) for span in one.spans],
                    "reason": one.reason,
                }
                | ({"id": one.id} if one.id else {})
                for one in self.findings
            ],
            "trace": [f"{one.name}: {step}" for one in self.findings for step in one.trace],
        }


class RuleSet:
    """Constraints, indexed by the words of the decisions that can concern them."""

    def __init__(self, constraints: Sequence[InForce]) -> None:
        self.constraints = tuple(constraints)
        self._parts = [(one, part) for one in constraints if one.rule for part in one.rule.parts]
        self._places: dict[str, list[int]] = {}
        for order, (_, part) in enumerate(self._parts):
            for key in _keys_of_part(part):
                self._places.setdefault(key, []).append(order)

    def candidates(self, reading: Reading) -> Iterator[tuple[InForce, Part]]:
        """Return the parts of rules that the decision could concern, in order."""
        found = {at for key in _keys_of_reading(reading) for at in self._places.get(key, ())}
        return (self._parts[at] for at in sorted(found))


def _keys_of_part(part: Part) -> frozenset[str]:
    """Return the word forms of which a decision must have one to concern the part."""
    if isinstance(part, Limit):
        return frozenset((f"#{part.measure.partition(':')[0]}",))
    if not isinstance(part, Requirement):
        return _keys_of_action(part.action)
    last = part.core[-1].forms
    return last | {f"{prefix}{form}" for form in last for prefix in ("un", "non", "in")}


def _keys_of_action(action: Action) -> frozenset[str]:
    nouns: tuple[Noun, ...] = action.objects
    if not nouns and action.verbs:
        return frozenset().union(*(verb.forms for verb in action.verbs))
    nouns = nouns or tuple(noun for one in action.conditions for noun in one.nouns)
    heads = [noun.head for noun in nouns]
    heads += [noun.modifiers[-1] for noun in nouns if noun.head_optional]
    return frozenset().union(*(head.forms for head in heads))


def _keys_of_reading(reading: Reading) -> set[str]:
    keys = {form for token in reading.tokens for form in (*token.forms, *token.kinds)}
    keys.update(form for act in reading.acts for form in act.forms)
    for quantity in reading.quantities:
        keys.add(f"#{quantity.measure.partition(':')[0]}")
        keys.update(("#version", "#time") if quantity.measure in ("count", "day") else ())
    if any(any(char.isdigit() for char in token.text) for token in reading.tokens):
        keys.add("#version")
    return keys


def unlisted_verbs(part: Part) -> frozenset[str]:
    """Return the verbs of a rule that the lexicon lacks, for reading decisions."""
    if isinstance(part, Limit):
        return frozenset()
    if isinstance(part, Requirement):
        return part.core[0].forms if len(part.core) == 1 else frozenset()
    plain = (form for verb in part.action.verbs for form in verb.forms if form[0] not in "=~")
    return frozenset(form for form in plain if form not in lex.VERBS)


def judge(
    decision: str,
    constraints: Sequence[InForce] | RuleSet,
    verified: Sequence[Recorded] | Callable[[InForce], Sequence[Recorded]] = (),
) -> Judgement:
    """Return the verdict on a decision; its own text can't lift or satisfy a constraint."""
    if len(decision) > MAX_DECISION:
        raise UsageError(
            f"the decision has {len(decision)} characters, at most {MAX_DECISION} are judged",
            hint="state the decision in fewer words and keep the rest in the rationale",
        )
    rules = constraints if isinstance(constraints, RuleSet) else RuleSet(constraints)
    reading = read(decision)
    found: list[Finding] = []
    readings = {frozenset[str](): reading}
    for constraint, part in rules.candidates(reading):
        records = verified(constraint) if callable(verified) else verified
        verbs = unlisted_verbs(part)
        if verbs not in readings:
            readings[verbs] = read(decision, verbs)
        breach = match_part(readings[verbs], part, records)
        if breach is not None:
            found.append(_finding(constraint, readings[verbs], breach))
    return Judgement.of(found)


def _finding(constraint: InForce, reading: Reading, breach: Breach) -> Finding:
    soft = constraint.rule is not None and constraint.rule.soft
    binding = constraint.priority is not Priority.PREFERRED and not soft
    spans = breach.spans(reading)
    quoted = " … ".join(reading.text[start:end] for start, end in spans)
    return Finding(
        seq=constraint.seq,
        text=constraint.text,
        blocks=binding and breach.certain,
        spans=spans,
        reason=f'{"" if breach.certain else "possibly: "}{breach.reason} ("{quoted}")',
        suggestion=breach.suggestion,
        trace=breach.steps,
    )


def guards(rule: Rule, decision: str) -> bool:
    """Return whether the decision does an act for which the rule requires a verification."""
    for part in rule.parts:
        if isinstance(part, Verification):
            finding = find_action(read(decision, unlisted_verbs(part)), part.before)
            if finding is not None and finding.certain:
                return True
    return False


def match_part(reading: Reading, part: Part, records: Sequence[Recorded] = ()) -> Breach | None:
    """Return how the decision breaks one part of a rule, or None."""
    if isinstance(part, Verification):
        return _match_verification(reading, part, records)
    if isinstance(part, Prohibition):
        acted = part.when is None or amount_holds(reading, part.when)
        breach = find_action(reading, part.action) if acted else None
        reason = f'"{part.action.text}" is forbidden'
        hint = (
            f'Decide without the act "{part.action.text}", or ask for the constraint to be changed.'
        )
    elif isinstance(part, Limit):
        breach = find_breach(reading, part)
        reason, hint = "an amount breaks the limit", "Stay within the limit."
    else:
        breach = find_contradiction(reading, part)
        reason = f'it goes without "{part.text}"'
        hint = f'Keep "{part.text}", or ask for the constraint to be changed.'
    breach = _unless_exempt(reading, part.exemptions, breach, records)
    return breach and replace(breach, reason=reason, suggestion=hint)


def _unless_exempt(
    reading: Reading,
    exemptions: tuple[Exemption, ...],
    finding: Breach | None,
    records: Sequence[Recorded],
) -> Breach | None:
    """Return the finding: weakened if an exemption may apply, None if one does."""
    if finding is None:
        return None
    certain, steps = finding.certain, finding.steps
    for exemption in exemptions:
        state = _is_exempt(reading, exemption, finding, records)
        if state:
            return None
        if state is None:
            certain = False
            steps = (*steps, f'whether "{exemption.text}" holds is not certain')
        else:
            steps = (*steps, f'the exemption "{exemption.text}" does not hold')
    return Breach(certain, finding.tokens, steps)


def _is_exempt(
    reading: Reading, exemption: Exemption, finding: Breach, records: Sequence[Recorded]
) -> bool | None:
    """Return whether an exemption applies; None if that is not certain."""
    if exemption.amount is not None and not amount_holds(reading, exemption.amount):
        return False
    if exemption.actor:
        return _acts(reading, exemption, finding)
    if exemption.absent:
        return _goes_with(reading, exemption, records)
    done = [act for act in reading.acts if act.polarity is not Polarity.NOT_DONE]
    return _covers([reading.tokens[index] for index in told_by(done)], exemption.terms)


def _acts(reading: Reading, exemption: Exemption, finding: Breach) -> bool | None:
    """Return whether the permitted actor acts; None if nobody is named."""
    if _covers(reading.tokens, exemption.terms):
        return True
    for act in reading.acts:
        if act.verb in finding.tokens and not act.passive:
            subjects = [one for one in act.phrases if one.preposition == "subject"]
            return False if subjects else None
    return None


def _goes_with(reading: Reading, exemption: Exemption, records: Sequence[Recorded]) -> bool | None:
    """Return whether the act has what it needs; an approval has to be recorded."""
    assent = any(item.forms & _ASSENT for item in exemption.terms)
    if assent and _is_covered(exemption.terms, records):
        return True
    if is_denied(reading, exemption.terms):
        return False
    named = any(one.stands_for(item.forms) for item in exemption.terms for one in reading.tokens)
    if assent:
        return None if named else False
    return True if named else None


_ASSENT = frozenset(("=approve", "~approv", "agree", "agreement", "~confirm", "sign", "signoff"))


def _match_verification(
    reading: Reading, part: Verification, records: Sequence[Recorded]
) -> Breach | None:
    finding = find_action(reading, part.before)
    if finding is None:
        return None
    missing = [topic for topic in part.topics if not _is_covered(topic, records)]
    if not missing:
        return None
    words = ", ".join(" ".join(item.text for item in topic) for topic in missing)
    return Breach(
        finding.certain and part.firm and not names_thing(reading, part.before, finding),
        finding.tokens,
        (*finding.steps, f"not verified: {words}"),
        f"no recorded verification of {words}",
        f"Query the memory about {words} first, then decide again.",
    )


def _is_covered(topic: tuple[Term, ...], records: Sequence[Recorded]) -> bool:
    return any(_covers(tokens_of(record.text), topic) for record in records)


def _covers(tokens: Sequence[Token], topic: tuple[Term, ...]) -> bool:
    return all(any(token.stands_for(item.forms) for token in tokens) for item in topic)
