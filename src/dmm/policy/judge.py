"""The verdict on a decision under the constraints in force."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from dmm.errors import UsageError
from dmm.policy.breaches import amount_holds, find_breach
from dmm.policy.clauses import read
from dmm.policy.contradictions import find_contradiction
from dmm.policy.exempted import is_exempt
from dmm.policy.explain import exemption_text
from dmm.policy.keys import keys_of_part, keys_of_reading, unlisted_verbs
from dmm.policy.language import tokens_of
from dmm.policy.match import Finding, Span, find_action
from dmm.policy.otherchoices import find_other_choice
from dmm.policy.rules import (
    Exclusive,
    Exemption,
    Limit,
    Part,
    Prohibition,
    Requirement,
    Rule,
    Term,
    Verification,
)
from dmm.policy.version import ENGINE_VERSION

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dmm.policy.acts import Reading
    from dmm.policy.language import Token

MAX_DECISION = 20_000


class Priority(StrEnum):
    """How binding a constraint is: required and learned block, preferred only warns."""

    REQUIRED = "required"
    PREFERRED = "preferred"
    LEARNED = "learned"


class Status(StrEnum):
    """What the policy says to a decision."""

    ALLOWED = "ALLOWED"
    WARNING = "WARNING"
    BLOCKED = "BLOCKED"


@dataclass(frozen=True, slots=True)
class InForce:
    """A constraint in force, with the rule it compiled to or None when it is guidance only."""

    seq: int
    text: str
    priority: Priority
    rule: Rule | None


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded query or tool event that may count as a verification."""

    seq: int
    text: str


@dataclass(frozen=True, slots=True)
class Match:
    """How a decision meets one part of a rule, with the places in its text."""

    part: Part
    certain: bool
    spans: tuple[Span, ...]
    reason: str
    suggestion: str
    trace: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Violation:
    """A constraint that a decision meets, and whether that blocks it."""

    seq: int
    text: str
    blocks: bool
    match: Match


@dataclass(frozen=True, slots=True)
class Verdict:
    """The outcome for one decision, with everything needed to explain and replay it."""

    status: Status
    violations: tuple[Violation, ...]
    reason: str
    suggestion: str
    trace: tuple[str, ...]
    engine_version: str = ENGINE_VERSION


class RuleSet:
    """Constraints indexed by the words a decision must hold to concern them."""

    def __init__(self, constraints: Sequence[InForce]) -> None:
        self.constraints = tuple(constraints)
        self._places: dict[str, list[tuple[int, int]]] = {}
        for order, constraint in enumerate(self.constraints):
            parts = constraint.rule.parts if constraint.rule else ()
            for number, part in enumerate(parts):
                for key in keys_of_part(part):
                    self._places.setdefault(key, []).append((order, number))

    def candidates(self, reading: Reading) -> Iterator[tuple[InForce, Part]]:
        """The parts of rules that the words of the decision could concern, in order."""
        found: set[tuple[int, int]] = set()
        for key in keys_of_reading(reading):
            found.update(self._places.get(key, ()))
        for order, number in sorted(found):
            constraint = self.constraints[order]
            if constraint.rule is not None:
                yield constraint, constraint.rule.parts[number]


def judge(
    decision: str,
    constraints: Sequence[InForce] | RuleSet,
    verified: Sequence[Recorded] | Callable[[InForce], Sequence[Recorded]] = (),
) -> Verdict:
    """Judge a decision; nothing in its own text can lift or satisfy a constraint."""
    if len(decision) > MAX_DECISION:
        raise UsageError(
            f"the decision has {len(decision)} characters, at most {MAX_DECISION} are judged",
            hint="state the decision in fewer words and keep the rest in the rationale",
        )
    rules = constraints if isinstance(constraints, RuleSet) else RuleSet(constraints)
    reading = read(decision)
    violations: list[Violation] = []
    readings = {frozenset[str](): reading}
    for constraint, part in rules.candidates(reading):
        records = verified(constraint) if callable(verified) else verified
        verbs = unlisted_verbs(part)
        if verbs not in readings:
            readings[verbs] = read(decision, verbs)
        match = match_part(readings[verbs], part, records)
        if match is not None:
            violations.append(_violation(constraint, match))
    return _verdict(violations)


def _violation(constraint: InForce, match: Match) -> Violation:
    soft = constraint.rule is not None and constraint.rule.soft
    binding = constraint.priority is not Priority.PREFERRED and not soft
    return Violation(constraint.seq, constraint.text, binding and match.certain, match)


def _verdict(violations: list[Violation]) -> Verdict:
    ordered = tuple(sorted(violations, key=lambda item: (not item.blocks, item.seq)))
    trace = tuple(f"constraint {item.seq}: {step}" for item in ordered for step in item.match.trace)
    if not ordered:
        return Verdict(Status.ALLOWED, (), "no constraint in force is broken", "", trace)
    first = ordered[0]
    status = Status.BLOCKED if first.blocks else Status.WARNING
    reason = f'constraint {first.seq} "{first.text}": {first.match.reason}'
    return Verdict(status, ordered, reason, first.match.suggestion, trace)


def guards(rule: Rule, decision: str) -> bool:
    """Whether the decision does an act that the rule asks a verification for."""
    for part in rule.parts:
        if isinstance(part, Verification):
            finding = find_action(read(decision, unlisted_verbs(part)), part.before)
            if finding is not None and finding.certain:
                return True
    return False


def match_part(reading: Reading, part: Part, records: Sequence[Recorded] = ()) -> Match | None:
    """How the decision meets one part of a rule, or None."""
    if isinstance(part, Prohibition):
        return _match_prohibition(reading, part, records)
    if isinstance(part, Verification):
        return _match_verification(reading, part, records)
    if isinstance(part, Limit):
        finding = _unless_exempt(reading, part.exemptions, find_breach(reading, part), records)
        return _match(
            reading, part, finding, "an amount breaks the limit", "Stay within the limit."
        )
    if isinstance(part, Requirement):
        found = find_contradiction(reading, part)
        finding = _unless_exempt(reading, part.exemptions, found, records)
        hint = f'Keep "{part.text}", or ask for the constraint to be changed.'
        return _match(reading, part, finding, f'it goes without "{part.text}"', hint)
    return _match_exclusive(reading, part, records)


def _match_exclusive(
    reading: Reading, part: Exclusive, records: Sequence[Recorded]
) -> Match | None:
    found = find_other_choice(reading, part)
    finding = _unless_exempt(reading, part.exemptions, found, records)
    words = [*(item.text for item in part.choice.modifiers), part.choice.head.text]
    choice = " ".join(words)
    hint = f'Use "{choice}", or ask for the constraint to be changed.'
    return _match(reading, part, finding, f'only "{choice}" may be used here', hint)


def _match(
    reading: Reading, part: Part, finding: Finding | None, reason: str, suggestion: str
) -> Match | None:
    if finding is None:
        return None
    spans = finding.spans(reading)
    quoted = " … ".join(reading.text[start:end] for start, end in spans)
    prefix = "" if finding.certain else "possibly: "
    return Match(
        part,
        finding.certain,
        spans,
        f'{prefix}{reason} ("{quoted}")',
        suggestion,
        finding.steps,
    )


def _match_prohibition(
    reading: Reading, part: Prohibition, records: Sequence[Recorded]
) -> Match | None:
    finding = find_action(reading, part.action)
    if finding is None or (part.when is not None and not amount_holds(reading, part.when)):
        return None
    hint = f'Decide without the act "{part.action.text}", or ask for the constraint to be changed.'
    finding = _unless_exempt(reading, part.exemptions, finding, records)
    return _match(reading, part, finding, f'"{part.action.text}" is forbidden', hint)


def _unless_exempt(
    reading: Reading,
    exemptions: tuple[Exemption, ...],
    finding: Finding | None,
    records: Sequence[Recorded],
) -> Finding | None:
    """The finding, less certain or gone where an exemption may hold or holds."""
    if finding is None:
        return None
    certain, steps = finding.certain, finding.steps
    for exemption in exemptions:
        recorded = exemption.needed and _is_covered(exemption.terms, records)
        state = recorded or is_exempt(reading, exemption)
        words = exemption_text(exemption)
        if state is None:
            steps = (*steps, f'the exemption "{words}" does not hold')
        elif state:
            return None
        else:
            certain = False
            steps = (*steps, f'whether "{words}" holds is not certain')
    return Finding(certain, finding.tokens, steps)


def _match_verification(
    reading: Reading, part: Verification, records: Sequence[Recorded]
) -> Match | None:
    finding = find_action(reading, part.before)
    if finding is None:
        return None
    missing = [topic for topic in part.topics if not _is_covered(topic, records)]
    if not missing:
        return None
    words = ", ".join(" ".join(item.text for item in topic) for topic in missing)
    finding = Finding(finding.certain, finding.tokens, (*finding.steps, f"not verified: {words}"))
    hint = f"Query the memory about {words} first, then decide again."
    return _match(reading, part, finding, f"no recorded verification of {words}", hint)


def _is_covered(topic: tuple[Term, ...], records: Sequence[Recorded]) -> bool:
    return any(_covers(tokens_of(record.text), topic) for record in records)


def _covers(tokens: tuple[Token, ...], topic: tuple[Term, ...]) -> bool:
    return all(any(token.stands_for(item.forms) for token in tokens) for item in topic)
