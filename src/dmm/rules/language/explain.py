"""Rules in plain words, each with a decision it blocks and one it allows."""

from __future__ import annotations

from decimal import Decimal

from dmm.rules.language import lexicon as lex
from dmm.rules.language.rules import (
    Action,
    Exclusive,
    Exemption,
    Limit,
    Part,
    Prohibition,
    Requirement,
    Verification,
)

_COMPARISONS = {"<=": "at most", "<": "less than", ">=": "at least", ">": "more than"}
_MEASURES = {
    "time": "seconds",
    "size": "bytes",
    "share": "percent",
    "length": "metres",
    "weight": "grams",
    "volume": "litres",
}


def in_plain_words(part: Part) -> str:
    """One sentence that says what the part forbids or asks for."""
    if isinstance(part, Prohibition):
        when = f" for {_bound(part.when)}" if part.when else ""
        return f"Blocks {_act(part.action)}{when}{_but(part.exemptions)}."
    if isinstance(part, Verification):
        topics = " and of ".join(" ".join(item.text for item in topic) for topic in part.topics)
        does = "Blocks" if part.firm else "Warns about"
        return f"{does} {_act(part.before)} until a lookup of {topics} is recorded."
    if isinstance(part, Exclusive):
        return (
            f'Blocks "{part.action.text}" done with anything else than '
            f'"{part.choice.text}"{_but(part.exemptions)}.'
        )
    if isinstance(part, Limit):
        return f"Blocks amounts that are not {_bound(part)}{_but(part.exemptions)}."
    return f'Blocks decisions that do without "{part.text}"{_but(part.exemptions)}.'


def _bound(limit: Limit) -> str:
    return f"{_COMPARISONS[limit.comparison]} {_amount(limit, Decimal(limit.value))}"


def _act(action: Action) -> str:
    if not action.verbs:
        return f'bringing about "{action.text}"'
    return f'the act "{action.text}"'


def _but(exemptions: tuple[Exemption, ...]) -> str:
    if not exemptions:
        return ""
    shown = " or ".join(one.text for one in exemptions)
    return f" without {shown}" if exemptions[0].absent else f", except {shown}"


def examples_of(part: Part) -> tuple[str, str]:
    """A decision the part blocks and one it allows."""
    if isinstance(part, Prohibition):
        return _prohibition(part)
    if isinstance(part, Verification):
        return _imperative(part.before), _denied(part.before)
    if isinstance(part, Exclusive):
        place = f"{part.place} " if part.place else ""
        act, choice = _imperative(part.action), part.choice.text
        return f"{act} instead of {place}{choice}", f"{act} {place}{choice}"
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
    """The base of an unlisted verb: prescribe for prescribing, sprint for sprinting."""
    inflected = text.endswith(("ing", "ed"))
    mute = form.endswith("e") != form.rstrip("e").endswith(("b", "c", "g", "s", "u", "v", "z"))
    return (form == text if inflected else form != text), mute, len(form)


def _conditions(action: Action) -> str:
    return "".join(f" {one.preposition} {one.nouns[0].text}" for one in action.conditions)


def _lower(text: str) -> str:
    return text[:1].lower() + text[1:]


def _limit(part: Limit) -> tuple[str, str]:
    above = part.comparison in ("<=", "<")
    broken, kept = _broken_and_kept(part)
    subject = " ".join(item.text for item in part.subject) or "amount"
    if part.measure == "version":
        return _versions(part, subject, above)
    joint = "with" if part.counted else "at"
    return (
        f"Set the {subject} {joint} {_amount(part, broken)}",
        f"Set the {subject} {joint} {_amount(part, kept)}",
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
        whole = f"{value.to_integral_value():f}"
        return f"{whole} {part.counted.text if part.counted else ''}".strip()
    if part.measure.startswith("money:"):
        return f"{number} {part.measure.partition(':')[2] or 'usd'}{per}"
    return f"{number} {_MEASURES[part.measure]}{per}"
