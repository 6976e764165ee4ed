"""Typed rules that constraint texts compile to, and their stored form."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any, Final, get_args

from dmm.domain.frozen import frozen
from dmm.errors import UsageError

RULE_VERSION: Final = 4


@frozen
class Term:
    """One word of a rule with every form that stands for it."""

    text: str
    forms: frozenset[str]


@frozen
class Noun:
    """A thing: its head word, the modifiers it must have, and whether the head may be left out."""

    head: Term
    modifiers: tuple[Term, ...] = ()
    head_optional: bool = False

    @property
    def text(self) -> str:
        """The words of the thing."""
        return " ".join(item.text for item in self.terms)

    @property
    def terms(self) -> tuple[Term, ...]:
        """All its words, the head last."""
        return (*self.modifiers, self.head)


@frozen
class Condition:
    """Where, when or for what a rule applies; any of the nouns suffices.

    Without a noun no decision names it: "here", or "that" for a clause which tells things apart.
    """

    preposition: str
    nouns: tuple[Noun, ...]


@frozen
class Action:
    """An act: its verbs and objects (any one of each), its manner and its conditions.

    No verb means that any act that brings the object about counts.
    """

    text: str
    verbs: tuple[Term, ...] = ()
    objects: tuple[Noun, ...] = ()
    manner: tuple[Term, ...] = ()
    conditions: tuple[Condition, ...] = ()
    subject: Noun | None = None


@frozen
class Exemption:
    """Words that exempt a decision from a rule if it has all of them.

    `absent` marks a rule against acting without something, which has to be recorded. An `amount`
    has to be found, too, where there is one. An `actor` is the one who may act.
    """

    terms: tuple[Term, ...]
    absent: bool = False
    amount: Limit | None = None
    actor: bool = False

    @property
    def text(self) -> str:
        """The words of the exemption."""
        words = [item.text for item in self.terms]
        return " ".join([*words, self.amount.text] if self.amount else words)


@frozen
class Limit:
    """Amounts of the measure about the subject have to satisfy the comparison."""

    text: str
    comparison: str
    value: str
    measure: str
    per: str | None = None
    version: tuple[int, ...] = ()
    subject: tuple[Term, ...] = ()
    exemptions: tuple[Exemption, ...] = ()


@frozen
class Prohibition:
    """The action is forbidden, unless an exemption applies; `when` names its amounts."""

    action: Action
    exemptions: tuple[Exemption, ...] = ()
    when: Limit | None = None


@frozen
class Verification:
    """Every topic has to be looked up before the action; a vague action only warns."""

    topics: tuple[tuple[Term, ...], ...]
    before: Action
    firm: bool = True

    @property
    def action(self) -> Action:
        """The act that has to wait."""
        return self.before


@frozen
class Requirement:
    """The thing is required; only a decision that says it is missing breaks the rule."""

    text: str
    core: tuple[Term, ...]
    subject: Noun | None = None
    exemptions: tuple[Exemption, ...] = ()
    where: Noun | None = None


Part = Prohibition | Verification | Limit | Requirement


@frozen
class Rule:
    """What one constraint text says, in one or more parts; a soft rule only ever warns."""

    parts: tuple[Part, ...]
    soft: bool = False

    @property
    def forbids(self) -> bool:
        """Whether any part of it forbids an act."""
        return any(isinstance(part, Prohibition) for part in self.parts)


_CLASSES: Final[dict[str, Any]] = {
    cls.__name__: cls for cls in (Term, Noun, Condition, Action, Exemption, Rule, *get_args(Part))
}


def rule_to_dict(rule: Rule) -> dict[str, Any]:
    """Return the rule as plain JSON values."""
    return {"version": RULE_VERSION, "rule": _plain(rule)}


def rule_from_dict(stored: dict[str, Any]) -> Rule:
    """Return the rule that `rule_to_dict` wrote."""
    if stored.get("version") != RULE_VERSION:
        raise UsageError(
            f"stored rule has version {stored.get('version')}, this program reads {RULE_VERSION}",
            hint="compile the constraint text again",
        )
    try:
        rule = _value(stored["rule"])
    except (KeyError, TypeError) as fault:
        raise UsageError("stored rule is damaged", hint="compile the text again") from fault
    if not isinstance(rule, Rule):
        raise UsageError("stored value is not a rule", hint="compile the text again")
    return rule


def _plain(value: Any) -> Any:
    if is_dataclass(value):
        out: dict[str, Any] = {"is": type(value).__name__}
        for field in fields(value):
            out[field.name] = _plain(getattr(value, field.name))
        return out
    if isinstance(value, frozenset):
        return {"is": "set", "of": sorted(value)}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return value


def _value(stored: Any) -> Any:
    if isinstance(stored, list):
        return tuple(_value(item) for item in stored)
    if not isinstance(stored, dict):
        return stored
    if stored["is"] == "set":
        return frozenset(stored["of"])
    arguments = {name: _value(item) for name, item in stored.items() if name != "is"}
    return _CLASSES[stored["is"]](**arguments)
