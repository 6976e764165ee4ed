"""Constraint text to typed rule, shown back in plain words with examples that were tried."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.policy.clauses import read
from dmm.policy.explain import examples_of, in_plain_words
from dmm.policy.forms import parts_of
from dmm.policy.judge import match_part
from dmm.policy.keys import unlisted_verbs
from dmm.policy.language import sentences_of, tokens_of
from dmm.policy.rules import Part, Prohibition, Rule
from dmm.policy.statements import named_by, statements_of, with_name

if TYPE_CHECKING:
    from dmm.policy.language import Token

MAX_CONSTRAINT = 2_000
_SOFT = frozenset(("prefer", "ideally", "try", "consider", "preferably"))


@dataclass(frozen=True, slots=True)
class Compilation:
    """What became of a constraint text; without a rule it is guidance, and `why_not` says why."""

    rule: Rule | None
    plain: str
    blocks: str
    allows: str
    why_not: str | None


def compile_rule(text: str) -> Compilation:
    """Compile a constraint text; a rule that fails on its own example is not trusted."""
    if len(text) > MAX_CONSTRAINT:
        return _guidance(f"the text is longer than {MAX_CONSTRAINT} characters")
    words = tokens_of(text)
    parts: list[Part] = []
    soft = bool(words) and words[0].text in _SOFT
    named: tuple[Token, ...] = ()
    for first, last in sentences_of(words):
        sentence = words[first:last]
        if sentence[-1].text == "?":
            continue
        for statement in statements_of(sentence):
            parts.extend(parts_of(_wanted(with_name(statement, named))))
        named = named_by(sentence)
    return _tried(tuple(parts), soft) if parts else _guidance(_NO_FORM)


def _wanted(sentence: tuple[Token, ...]) -> tuple[Token, ...]:
    """What a preference is about: "prefer X over Y" turns against the use of Y."""
    if sentence[0].text not in _SOFT:
        return sentence
    for index, word in enumerate(sentence[:-1]):
        if sentence[0].text == "prefer" and word.text in ("over", "to", "insteadof"):
            return (*tokens_of("avoid"), *sentence[index + 1 :])
    return sentence[2:] if sentence[1:2] and sentence[1].text == "to" else sentence[1:]


_NO_FORM = (
    "no form of rule was recognised; write it as never …, do not …, no …, always …, only …, "
    "… must …, use … for …, verify … before …, or with a limit such as at most 30 seconds"
)


def _guidance(why: str) -> Compilation:
    return Compilation(None, "Guidance only, not enforced.", "", "", why)


def _tried(parts: tuple[Part, ...], soft: bool) -> Compilation:
    kept: list[Part] = []
    shown: tuple[str, str] | None = None
    for part in parts:
        if _names_nothing(part):
            continue
        blocked, allowed = examples_of(part)
        if _blocks(part, blocked) and not _blocks(part, allowed):
            kept.append(part)
            shown = shown or (blocked, allowed)
    if shown is None:
        return _guidance("the rule could not be read surely enough to block by it")
    rule = Rule(tuple(kept), soft)
    plain = " ".join(in_plain_words(part) for part in kept)
    if soft:
        plain = f"A preference, it only warns. {plain}"
    return Compilation(rule, plain, shown[0], shown[1], None)


def _names_nothing(part: Part) -> bool:
    """Whether it is left open what must not be done to: "never log them" would stop all logging."""
    if not isinstance(part, Prohibition) or part.action.objects or part.action.conditions:
        return False
    return not _POINTING.isdisjoint(part.action.text.split())


_POINTING = frozenset(("it", "them", "this", "that", "these", "those"))


def _blocks(part: Part, decision: str) -> bool:
    match = match_part(read(decision, unlisted_verbs(part)), part)
    return match is not None and match.certain
