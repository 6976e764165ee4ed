"""One sentence of English to the fields of a rule file: only what it names for certain."""

from __future__ import annotations

from typing import NamedTuple

from dmm.rules.language.sentences import words
from dmm.rules.language.sentences.clauses import Clause, clauses_of
from dmm.rules.language.sentences.code import NOWHERE, Item, Surroundings
from dmm.rules.language.sentences.examples import examples_of, order_examples
from dmm.rules.language.sentences.messages import read_form, read_message
from dmm.rules.language.sentences.objects import read_object
from dmm.rules.language.sentences.only import read_only
from dmm.rules.language.sentences.orders import Order, read_order, read_steps
from dmm.rules.language.sentences.pieces import MAX_TEXT, Pieces, read_list, sentences, told
from dmm.rules.language.sentences.tails import LEVELS, Reading, language_in, read_tail
from dmm.rules.language.sentences.things import Context, Thing

Fields = dict[str, object]
_SHORT = 3
# What is only asked about, or tried without effect, is not done.
_HARMLESS: Item = {"command": {"program": "*", "flags": ["--dry-run|--help|--version"]}}
_NOTHING = "it names no command, path or text that a call could be held against"


class Sentence(NamedTuple):
    """What became of a sentence: the fields of a rule, or why there are none."""

    fields: Fields | None
    why_not: str = ""


class _Found(NamedTuple):
    thing: Thing
    level: str
    doubt: str = ""


def compile_sentence(text: str, known: Surroundings = NOWHERE) -> Sentence:
    """Compile a rule in English for the common forms; nothing where it isn't certain."""
    if len(text) > MAX_TEXT:
        return Sentence(None, "it is too long to be one rule")
    parts = sentences(text)
    language = language_in(tuple(piece for part in parts for piece in part))
    found: list[_Found] = []
    for part in parts:
        order = read_order(part, known)
        if order and order.require:
            return Sentence(_order_fields(order))
        if order:
            found.append(_Found(Thing(order.before), "ask"))
            continue
        for one in _read(part, Context("", language, known)):
            if isinstance(one, Order):
                return Sentence(_order_fields(one))
            found.append(one)
    return Sentence(_match_fields(found)) if found else Sentence(None, _NOTHING)


def _read(sentence: Pieces, context: Context) -> list[_Found | Order]:
    formed = read_form(sentence) or read_only(sentence, context)
    if formed:
        return [_Found(formed, "deny")]
    found: list[_Found | Order] = []
    for clause in clauses_of(sentence):
        message = read_message(clause.rest) if {"add", "use", ""} & set(clause.verbs) else None
        if message:
            found.append(_Found(message, clause.level))
            continue
        for verb in clause.verbs:
            found += _of_clause(clause, context._replace(verb=verb))
    return found


def _of_clause(clause: Clause, context: Context) -> list[_Found | Order]:
    context = context._replace(chosen=told(clause.chosen[:1]))
    things, end = read_list(clause.rest, 0, lambda ones, at: read_object(ones, at, context))
    if not things and clause.aside and len(clause.rest) <= _SHORT:
        # "Sensitive data (API keys, passwords)": the aside says what is meant.
        things, _ = read_list(clause.aside, 0, lambda ones, at: read_object(ones, at, context))
        end = len(clause.rest)
    found: list[_Found | Order] = []
    for thing in things:
        reading = read_tail(thing, clause.rest[end:], context, clause.preface)
        if reading.lost:
            continue
        if reading.needs:
            steps = read_steps(reading.needs, context.known)
            command = "command" in thing.items[0]
            found += [Order(reading.thing.items, steps)] if steps and command else []
            if steps or not command:
                continue
            reading.soften("ask", reading.needs)
        one = _levelled(clause, reading)
        found += [one] if one else []
    return found


def _levelled(clause: Clause, reading: Reading) -> _Found | None:
    """Decide how hard a rule binds; a whole program is no ground for a mere hint."""
    level = max(clause.level, reading.level, key=LEVELS.index)
    thing = _sparing(reading.thing, clause.chosen)
    everywhere = thing.whole and any(
        str(one.get("command")) in words.EVERYWHERE for one in thing.items
    )
    if clause.chosen and everywhere and level == "deny":
        level = "warn"
    if thing.vague and level == "deny":
        level = "ask"
    if (thing.whole or (thing.vague and level != "ask")) and reading.doubt:
        return None
    return _Found(thing, level, reading.doubt)


def _sparing(thing: Thing, chosen: Pieces) -> Thing:
    """Spare what is to be used instead where it runs the same program: `uv run pytest`."""
    first = next((one for one in chosen if not one.mark), None)
    wrapper = first.text.split()[0] if first and first.text else ""
    sure = first is not None and (first.code or wrapper in words.PROGRAMS)
    if not sure or "command" not in thing.items[0] or not _program(thing.items[0]):
        return thing
    family = next((one for one in words.MANAGERS.values() if wrapper in one), (wrapper,))
    if any(_program(one) in family for one in thing.items):
        return thing
    return thing._replace(unless=(*thing.unless, {"command": {"via": wrapper}}))


def _program(item: Item) -> str:
    value = item.get("command", "")
    first = value.get("program", "") if isinstance(value, dict) else value
    name = first[0] if isinstance(first, list) else str(first)
    return name.split()[0] if name else ""


def _order_fields(order: Order) -> Fields:
    return {
        "level": "deny",
        "before": list(order.before),
        "unless": [_HARMLESS],
        "require": list(order.require),
        "examples": order_examples(order.before[0], list(order.require)),
    }


def _match_fields(found: list[_Found]) -> Fields:
    level = max((one.level for one in found), key=LEVELS.index)
    items = [item for one in found for item in one.thing.items]
    unless = [item for one in found for item in one.thing.unless]
    if any(_program(item) for item in items) and "--dry-run" not in str(items):
        unless.append(_HARMLESS)
    pairs = [examples_of(one.thing) for one in found]
    fields: Fields = {"level": level, "match": _unique(items)}
    if unless:
        fields["unless"] = _unique(unless)
    fields["examples"] = {
        "block": _unique([pair[0] for pair in pairs]),
        "allow": _unique([pair[1] for pair in pairs]),
    }
    return fields


def _unique(values: list[object] | list[Item]) -> list[object]:
    found: list[object] = []
    for one in values:
        if one not in found:
            found.append(one)
    return found
