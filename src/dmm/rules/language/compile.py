"""Compile the text of a constraint into a typed rule, tested on examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.rules.language.examples import examples_of
from dmm.rules.language.forms import parts_of
from dmm.rules.language.judge import match_part, unlisted_verbs
from dmm.rules.language.rules import Part, Prohibition, Rule, Verification
from dmm.text.clauses import read
from dmm.text.lexicon import GRAMMAR
from dmm.text.polarity import find_choice
from dmm.text.tokens import sentences_of, text_at, tokens_of
from dmm.text.words import english

if TYPE_CHECKING:
    from dmm.text.tokens import Token

MAX_CONSTRAINT = 2_000
_SOFT = frozenset(("prefer", "ideally", "try", "consider", "preferably"))


@dataclass(frozen=True, slots=True)
class Compilation:
    """The result of compiling; without a rule the text is guidance, and `why_not` says why."""

    rule: Rule | None
    blocks: str = ""
    allows: str = ""
    why_not: str | None = None


def compile_rule(text: str) -> Compilation:
    """Compile a constraint text; a rule that fails its own example is discarded."""
    if len(text) > MAX_CONSTRAINT:
        return _guidance(f"the text is longer than {MAX_CONSTRAINT} characters")
    words = tokens_of(text)
    parts: list[Part] = []
    soft = text_at(words, 0) in _SOFT
    named: tuple[Token, ...] = ()
    for first, last in sentences_of(words):
        sentence = words[first:last]
        if sentence[-1].text == "?":
            continue
        for statement in _statements(_with_name(sentence, named)):
            parts.extend(parts_of(_wanted(statement)))
        named = _named_by(sentence)
    return _tried(tuple(parts), soft) if parts else _guidance(_NO_FORM)


def _named_by(sentence: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return the things that a sentence begins with: "API keys live in the vault"."""
    if sentence[0].text in GRAMMAR:
        return ()
    ends = (i for i, word in enumerate(sentence[:3]) if word.text.endswith("s"))
    return sentence[: next(ends, -1) + 1]


def _with_name(sentence: tuple[Token, ...], named: tuple[Token, ...]) -> tuple[Token, ...]:
    """Replace "them" by the thing named before: "Secrets are in the vault. Never log them"."""
    at = next((i for i, word in enumerate(sentence[:6]) if word.text == "them"), None)
    return (*sentence[:at], *named, *sentence[at + 1 :]) if at and named else sentence


def _statements(sentence: tuple[Token, ...]) -> list[tuple[Token, ...]]:
    """Split a sentence into statements: "Use X for Y, don't add Z" is two."""
    for index in range(2, len(sentence) - 2):
        denied = sentence[index + 1].forms & {"not"} and sentence[index + 1].text != "not"
        denied = denied or (sentence[index + 1].text == "do" and sentence[index + 2].text == "not")
        if sentence[index].text == "," and denied and sentence[0].text not in _OPENERS:
            return [sentence[:index], *_statements(sentence[index + 1 :])]
    return [sentence]


_OPENERS = english("openers")


def _wanted(sentence: tuple[Token, ...]) -> tuple[Token, ...]:
    """Return the demand in a preference: "prefer X over Y" is against the use of Y."""
    if sentence[0].text not in _SOFT:
        return sentence
    choice = find_choice([word.text for word in sentence]) if sentence[0].text == "prefer" else None
    if choice is not None:
        return (*tokens_of("avoid"), *sentence[choice[1] :])
    return sentence[2:] if text_at(sentence, 1) == "to" else sentence[1:]


_NO_FORM = (
    "no form of rule was recognised; write it as never …, do not …, no …, always …, only …, "
    "… must …, use … for …, verify … before …, or with a limit such as at most 30 seconds"
)


def _guidance(why: str) -> Compilation:
    return Compilation(None, why_not=why)


def _tried(parts: tuple[Part, ...], soft: bool) -> Compilation:
    kept: list[Part] = []
    shown: tuple[str, str] | None = None
    for part in parts:
        if _names_nothing(part):
            continue
        blocked, allowed = examples_of(part)
        if (_only_warns(part) or _blocks(part, blocked)) and not _blocks(part, allowed):
            kept.append(part)
            shown = shown or (blocked, allowed)
    if shown is None:
        return _guidance("the rule could not be read surely enough to block by it")
    return Compilation(Rule(tuple(kept), soft or all(map(_waits_to_be_asked, kept))), *shown)


def _only_warns(part: Part) -> bool:
    """Return whether a part can only warn, because no decision shows a breach for certain."""
    if isinstance(part, Prohibition):
        return any(one.preposition == "that" for one in part.action.conditions)
    return isinstance(part, Verification) and not part.firm


def _waits_to_be_asked(part: Part) -> bool:
    """Return whether the act is allowed on request, which no decision shows."""
    told = () if isinstance(part, Verification) else part.exemptions
    return any(
        exemption.terms and all(one.forms & _ASKED for one in exemption.terms) for exemption in told
    )


_ASKED = frozenset(("ask", "request", "instruct", "tell"))


def _names_nothing(part: Part) -> bool:
    """Return whether a part names no thing: "never log them" would stop all logging."""
    if not isinstance(part, Prohibition) or part.action.objects or part.action.conditions:
        return False
    return not _POINTING.isdisjoint(part.action.text.split())


_POINTING = frozenset(("it", "them", "this", "that", "these", "those"))


def _blocks(part: Part, decision: str) -> bool:
    breach = match_part(read(decision, unlisted_verbs(part)), part)
    return breach is not None and breach.certain
