"""Make up decisions that a rule blocks and allows."""

from __future__ import annotations

from decimal import Decimal

from dmm.rules.language.rules import Action, Limit, Part, Prohibition, Requirement, Verification
from dmm.text import lexicon as lex

_MEASURES = {
    "time": "seconds",
    "size": "bytes",
    "share": "percent",
    "length": "metres",
    "weight": "grams",
    "volume": "litres",
}


def examples_of(part: Part) -> tuple[str, str]:
    """Return a decision that the part blocks and one that it allows."""
    if isinstance(part, Prohibition):
        return _prohibition(part)
    if isinstance(part, Verification):
        return _imperative(part.before), _denied(part.before)
    if isinstance(part, Limit):
        return _limit(part)
    return _requirement(part)


def _requirement(part: Requirement) -> tuple[str, str]:
    subject = f" the {part.subject.text}" if part.subject else " it"
    core = " ".join(item.text for item in part.core)
    if part.where is not None:
        core = f"{core} in the {part.where.text}"
    return f"Choose{subject} without {core}", f"Choose{subject} with {core}"


def _prohibition(part: Prohibition) -> tuple[str, str]:
    act = _imperative(part.action)
    if part.when is not None:
        act = f"{act} at {_amount(part.when, _broken_and_kept(part.when)[1])}"
    if any(one.actor for one in part.exemptions):
        act = f"The visitor will {_lower(act)}"
    absent = [one for one in part.exemptions if one.absent]
    blocked = f"{act} without {absent[0].text}" if absent else act
    return blocked, _denied(part.action)


def _denied(action: Action) -> str:
    if action.subject is None:
        return f"Do not {_lower(_imperative(action))}"
    return _imperative(action).replace(" will ", " will not ", 1)


def _imperative(action: Action) -> str:
    verb = _base(action) if action.verbs else "use"
    manner = " ".join(item.text for item in action.manner)
    what = action.objects[0].text if action.objects else ""
    words = f"{manner} {verb} {what}{_conditions(action)}"
    if action.subject is not None:
        words = f"{action.subject.text} will {words}"
    text = " ".join(words.split())
    return text[:1].upper() + text[1:]


def _base(action: Action) -> str:
    verb = action.verbs[0]
    words = [form for form in verb.forms if form[0] not in "=~"]
    return min(words, key=lambda form: (form not in lex.VERBS, *_plainness(form, verb.text), form))


def _plainness(form: str, text: str) -> tuple[bool, bool, int]:
    """Return a rank for the base of an unlisted verb: prescribe for prescribing."""
    inflected = text.endswith(("ing", "ed"))
    mute = form.endswith("e") != form.rstrip("e").endswith(("b", "c", "g", "s", "u", "v", "z"))
    return (form == text if inflected else form != text), mute, len(form)


def _conditions(action: Action) -> str:
    named = (one for one in action.conditions if one.nouns)
    return "".join(f" {one.preposition} {one.nouns[0].text}" for one in named)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _limit(part: Limit) -> tuple[str, str]:
    above = part.comparison in ("<=", "<")
    broken, kept = _broken_and_kept(part)
    subject = " ".join(item.text for item in part.subject) or "amount"
    if part.measure == "version":
        return _versions(part, subject, above)
    return (
        f"Set the {subject} at {_amount(part, broken)}",
        f"Set the {subject} at {_amount(part, kept)}",
    )


def _broken_and_kept(part: Limit) -> tuple[Decimal, Decimal]:
    value = Decimal(part.value)
    over, under = value * 2 + 1, value / 2
    return (over, under) if part.comparison in ("<=", "<") else (under, over)


def _versions(part: Limit, subject: str, above: bool) -> tuple[str, str]:
    major, *rest = part.version
    higher = ".".join(map(str, [major + 1, *rest]))
    lower = ".".join(map(str, [max(0, major - 1), *rest]))
    broken, kept = (higher, lower) if above else (lower, higher)
    return f"Use {subject} {broken}", f"Use {subject} {kept}"


def _amount(part: Limit, value: Decimal) -> str:
    per = f" per {part.per}" if part.per else ""
    if part.measure == "version":
        return ".".join(map(str, part.version))
    if part.measure == "clock":
        minutes = int(min(value, Decimal(1439)))
        return f"{minutes // 60}:{minutes % 60:02d}"
    number = f"{value.normalize():f}"
    if part.measure == "count":
        return f"{value.to_integral_value():f}"
    if part.measure.startswith("money:"):
        return f"{number} {part.measure.partition(':')[2] or 'usd'}{per}"
    return f"{number} {_MEASURES[part.measure]}{per}"
