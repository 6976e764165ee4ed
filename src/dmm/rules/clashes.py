"""Rules that can't both hold: one denies what another requires or shows as allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from dmm.rules.callbook import CallBook, CallEntry
from dmm.rules.commands.calls import ToolCall, read_call
from dmm.rules.examples import try_example
from dmm.rules.explain import describe_call
from dmm.rules.rule import Example

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dmm.rules.callrules import CallRule
    from dmm.rules.formerror import Place
    from dmm.rules.rule import Rule


class Clash(NamedTuple):
    """A call that one rule requires or allows and another denies, both by their place in a list.

    `field` is where the first one says so.
    """

    wanting: int
    denying: int
    call: str
    required: bool
    field: Place


class _Claim(NamedTuple):
    """What a rule says may be done, or has to be; any of the calls does."""

    calls: tuple[Example, ...]
    field: Place
    required: bool = False


def clashes(rules: Sequence[Rule]) -> list[Clash]:
    """Hold what every rule requires or allows against all that deny; each pair is named once.

    A rule that wants something done first denies nothing for good, so it clashes with none.
    """
    active = {at: rule for at, rule in enumerate(rules) if not rule.disabled}
    book = CallBook(
        CallEntry(at + 1, rule.title, rule.call, id=rule.id)
        for at, rule in active.items()
        if rule.level == "deny" and rule.call is not None and not rule.call.needs
    )
    found: dict[tuple[int, int], Clash] = {}
    judged: dict[str, set[int]] = {}
    for at, rule in active.items():
        for claim in _claims(rule):
            for other in sorted(_denying(book, claim, judged)):
                if not _same(rule.call, rules[other].call):
                    clash = Clash(at, other, claim.calls[0].text, claim.required, claim.field)
                    found.setdefault((at, other), clash)
    return list(found.values())


def _denying(book: CallBook, claim: _Claim, judged: dict[str, set[int]]) -> set[int]:
    """Name the rules that deny a claim however it is met; rules share many examples."""
    for one in claim.calls:
        key = _key(one)
        if key not in judged:
            found = try_example(book, one).findings
            judged[key] = {each.seq - 1 for each in found if each.level == "deny"}
    return set.intersection(*(judged[_key(one)] for one in claim.calls))


def _key(example: Example) -> str:
    return repr((example.call, example.files))


def _same(one: CallRule | None, other: CallRule | None) -> bool:
    """Whether two rules match the same; that they stand twice is told elsewhere."""
    if one is None or other is None:
        return False
    first, second = one.rule, other.rule
    return (first.patterns, first.exceptions) == (second.patterns, second.exceptions)


def _claims(rule: Rule) -> Iterator[_Claim]:
    yield from _required(rule)
    for number, one in enumerate(rule.allow):
        yield _Claim((one,), ("examples", "allow", number))
    for kind, examples in (("block", rule.block), ("allow", rule.allow)):
        for number, one in enumerate(examples):
            for at, step in enumerate(one.after):
                if _is_step(rule, step.call):
                    call = Example(step.call, describe_call(step.call), files=one.files)
                    yield _Claim((call,), ("examples", kind, number, "after", at))


def _required(rule: Rule) -> Iterator[_Claim]:
    """Give the steps that are required by a plain command; of several, any will do."""
    given = rule.fields.get("require")
    for number, item in enumerate(_listed(given)):
        command = item.get("command") if isinstance(item, dict) else item
        texts = _listed(command)
        if rule.call is None or not all(isinstance(one, str) for one in texts):
            continue
        calls = [Example(ToolCall("Bash", {"command": one}), one) for one in map(str, texts)]
        if calls and all(_is_step(rule, one.call) for one in calls):
            field: Place = ("require", number) if isinstance(given, list) else ("require",)
            yield _Claim(tuple(calls), field, required=True)


def _is_step(rule: Rule, call: ToolCall) -> bool:
    """Whether a call is what a rule wants done first; a kind of step is no command by itself."""
    facts = read_call(call)
    needs = rule.call.needs if rule.call is not None else ()
    return any(True for need in needs for one in need.patterns for _ in one.find(facts))


def _listed(value: object) -> list[object]:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]
