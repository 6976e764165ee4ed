"""One sentence of English to the fields of a rule file: only what it names for certain."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dmm.rules.commands.calls import ToolCall, read_call
from dmm.rules.commands.options import SUBCOMMANDED
from dmm.rules.content.constructs import language_of
from dmm.rules.language.sentences import words
from dmm.rules.language.sentences.clauses import Clause, clauses_of
from dmm.rules.language.sentences.examples import Example, examples_of, order_examples, told_command
from dmm.rules.language.sentences.libraries import is_replacement
from dmm.rules.language.sentences.messages import read_form, read_message
from dmm.rules.language.sentences.objects import read_object
from dmm.rules.language.sentences.orders import Order, read_order, read_steps
from dmm.rules.language.sentences.tails import LEVELS, Reading, language_in, read_heading, read_tail
from dmm.rules.language.sentences.things import (
    NOWHERE,
    STOPS,
    Context,
    Item,
    Surroundings,
    Thing,
    all_but,
    but_dry,
    command_item,
    command_words,
    commands,
    is_command,
    is_flag,
    is_path,
    read_paths,
    same_commands,
)
from dmm.text.pieces import LINKS, MAX_TEXT, Pieces, find, read_list, sentences, skip, told, word_at
from dmm.text.words import english, word_set

if TYPE_CHECKING:
    from collections.abc import Sequence


_ONLY = word_set("only exclusively")
_PURPOSE = english("manager_purposes")
# A name, a method, or a comment that tells a program something.
_NAMED = re.compile(r"\.?[A-Za-z_][\w.:()!]*|@\w+\(\)|(?:#\s|//|@ts-)\s*[a-z].*")
_DIRECT = word_set("direct directly straight")
_BARE = word_set("just only bare plain")


def read_only(sentence: Pieces, context: Context) -> Thing | None:
    """Read "only use pnpm", "only push to develop", "only edit files in src/"."""
    at = skip(sentence, 0, words.LEADS, _ONLY)
    near = {one.word for one in sentence[: at + 2]}
    only = bool(near & _ONLY)
    verb = words.group_of(word_at(sentence, at))
    at = skip(sentence, at + 1, _ONLY)
    if verb in ("use", "run") and (only or "always" in near):
        return _family(sentence, skip(sentence, at, words.DETERMINERS))
    if only and verb == "push":
        found = read_object(sentence, at, context._replace(verb="push"))
        if found and found[1] >= len(sentence) and not found[0].vague:
            return Thing((command_item(["git", "push"], branch=["*"]),), found[0].items)
    if only and verb == "edit":
        turn = find(sentence, "in", "inside", "under", "within", start=at)
        folders = read_paths(sentence, at if turn is None else turn + 1, context.known)
        if folders and folders[1] >= len(sentence):
            return Thing(({"path": all_but(folders[0])},))
    return None


def _family(pieces: Pieces, at: int) -> Thing | None:
    """A package manager that is chosen rules out the others of its language."""
    chosen = pieces[at].text.lower() if at < len(pieces) else ""
    rest = skip(pieces, at + 1, _PURPOSE)
    if rest < len(pieces) and not pieces[rest].mark:
        return None
    for language, members in words.MANAGERS.items():
        if chosen in members:
            more = {"subcommand": words.CHANGING} if language == "python" else {}
            others = [one for one in members if one != chosen]
            items = tuple(command_item([one], **more) for one in others)
            return _apart(Thing(items, whole=True), others)
    return None


Fields = dict[str, object]
_NOTHING = "no command, path or text was recognised"
_MARK_IT = f"{_NOTHING} (put it in backticks)"


class Sentence(NamedTuple):
    """What became of a sentence: the fields of a rule, or why there are none; and the way out."""

    fields: Fields | None
    why_not: str = ""
    instead: str = ""


class _Found(NamedTuple):
    thing: Thing
    level: str = "deny"
    chosen: Pieces = ()


def read_sentence(text: str, known: Surroundings = NOWHERE) -> Sentence:
    """Read a rule in English of a common form; its examples are not tried yet."""
    if len(text) > MAX_TEXT:
        return Sentence(None, "it is too long to be one rule")
    parts = sentences(text)
    language = language_in(tuple(piece for part in parts for piece in part))
    found: list[_Found] = []
    for part in parts:
        for one in _read(part, Context("", language, known)):
            if isinstance(one, Order) and one.require:
                return _made(_order_fields(one), known, wide=True)
            found.append(_Found(Thing(one.before), "ask") if isinstance(one, Order) else one)
    if not found:
        marked = any(piece.code for part in parts for piece in part)
        return Sentence(None, _NOTHING if marked else _MARK_IT)
    wide = any(one.thing.wide for one in found)
    return _made(_match_fields(found), known, told(found[0].chosen), wide=wide)


def _made(fields: Fields, known: Surroundings, chosen: str = "", *, wide: bool) -> Sentence:
    if known.folder and wide:
        return Sentence(None, f"a call does not show whether it concerns {known.folder}")
    folder: Fields = {"folder": known.folder} if known.folder else {}
    return Sentence(fields | folder, instead=_way(fields, chosen))


def _way(fields: Fields, chosen: str) -> str:
    if "require" in fields:
        return "Do that first, then try again."
    if chosen:
        return f"Use {chosen}."
    if fields["level"] == "ask":
        return "Ask the user first."
    return "Find another way, or ask the user to lift the rule."


def _read(sentence: Pieces, context: Context) -> list[_Found | Order]:
    order = read_order(sentence, context.known)
    formed = None if order else read_form(sentence) or read_only(sentence, context)
    if order or formed:
        return [order or _Found(formed or Thing(()))]
    found: list[_Found | Order] = []
    for clause in clauses_of(sentence):
        message = read_message(clause.rest) if {"add", "use", ""} & set(clause.verbs) else None
        found += [_Found(message, clause.level)] if message else []
        for verb in () if message else clause.verbs:
            found += _of_clause(clause, context._replace(verb=verb))
    if any(one.word in _DIRECT for one in sentence):
        # "Never push directly" means some branch: one that is not named.
        found = [one for one in found if isinstance(one, Order) or not _is_unnamed(one.thing)]
    return found


def _is_unnamed(thing: Thing) -> bool:
    return thing.vague and all("git" in str(one.get("command", "")) for one in thing.items)


def _of_clause(clause: Clause, context: Context) -> list[_Found | Order]:
    chosen = clause.chosen[0].text if clause.chosen and clause.chosen[0].code else ""
    language = context.language or language_of(chosen)
    replaced = is_replacement(clause.chosen, context)
    context = context._replace(instead=chosen, language=language, replaced=replaced)
    things, end = read_list(clause.rest, 0, lambda ones, at: read_object(ones, at, context))
    if not things and clause.level != "warn":
        things, end = _in_aside(clause, context), clause.lead
    found: list[_Found | Order] = []
    for thing in things:
        reading = read_tail(thing, clause.rest[end:], context, clause.preface)
        if reading.thing.items == thing.items:
            read_heading(reading, context.known.heading)
        steps = read_steps(reading.needs, context.known) if reading.needs else ()
        if steps and "command" in thing.items[0]:
            found.append(Order(reading.thing.items, steps))
        elif not reading.lost and not (
            reading.needs and (thing.vague or _program(thing.items[0]) == "")
        ):
            reading.soften("ask" if reading.needs else "deny")
            found += _levelled(clause, reading)
    return found


def _in_aside(clause: Clause, context: Context) -> list[Thing]:
    """Read "build output (dist/)": the commands, paths and names in brackets are what is meant.

    Any other code there is an example of it: "raw colors (`#fff`)", "floating tags (`@v4`)".
    """
    named = [one for one in clause.aside if one.mark != "," and one.word not in LINKS]
    plain = all(one.word not in STOPS - words.DETERMINERS for one in clause.rest[: clause.lead])
    if not plain or not all(one.code or is_path(one.text, code=False) for one in named):
        return []
    known = bool(context.verb) or clause.bare
    read = ((one.text, read_object((one,), 0, context)) for one in named)
    found = [(text, one[0]) for text, one in read if one]
    meant = [thing for text, thing in found if _is_meant(text, thing, known=known)]
    return meant if len(meant) == len(found) else []


def _is_meant(text: str, thing: Thing, *, known: bool) -> bool:
    """Whether code in brackets is the thing itself; behind an unknown verb, only a command is."""
    item = thing.items[0]
    if "content" in item:
        return known and bool(_NAMED.fullmatch(text))
    return "command" in item or (known and is_path(text, code=True))


def _levelled(clause: Clause, reading: Reading) -> list[_Found]:
    """Decide how hard a rule binds; a whole program is no ground for a mere hint."""
    thing = _sparing(reading.thing, clause)
    level = max(clause.level, reading.level, key=LEVELS.index)
    programs = {_program(one) for one in thing.items}
    if level == "deny" and thing.whole and clause.chosen and programs & words.EVERYWHERE:
        level = "warn"
    elif thing.whole and reading.level != "deny":
        return []
    if thing.vague and reading.level == "warn":
        return []
    level = "ask" if thing.vague and level == "deny" else level
    return [_Found(thing, level, clause.chosen)]


def _sparing(thing: Thing, clause: Clause) -> Thing:
    """Spare what is to be used instead where it runs the same program: `uv run pytest`."""
    chosen = clause.chosen
    wanted = command_words(chosen[0].text) if chosen and chosen[0].kind == "code" else []
    wrapper = wanted[0] if wanted else ""
    given = [one for one in wanted if is_flag(one)]
    bare = "--" in wanted or word_at(clause.rest, 0) in _BARE
    if any(_extends(wanted, one) for one in thing.items) and (given or bare):
        # "`git push origin HEAD`, not just `git push`" forbids what leaves the rest out.
        alone = {"no_args": True} if bare else {}
        return commands(thing, **alone, **({"without": given} if given else {}))
    family = next((one for one in words.MANAGERS.values() if wrapper in one), (wrapper,))
    programs = [_program(one) for one in thing.items]
    if programs == ["*"]:
        return _of_command(thing, chosen[0].text) if wanted else thing
    if not wrapper or not programs[0] or any(one in family for one in programs):
        return _apart(thing, programs) if thing.whole and clause.choice else thing
    return thing._replace(unless=(*thing.unless, {"command": {"via": wrapper}}))


def _of_command(thing: Thing, wanted: str) -> Thing:
    """Read `git push --force-with-lease`, never `--force`: an option of that command."""
    flags = thing.items[0]["command"].get("flags", [])
    # Of `cd app && npx prettier --check`, what runs in the end is meant.
    run = [one.invocation.argv for one in read_call(ToolCall("Bash", {"command": wanted})).commands]
    # `pre-commit run`, not `--no-verify`: that is one of git.
    if not flags or not run or is_flag(run[-1][0]) or "--no-verify" in flags:
        return thing
    program, *rest = run[-1]
    # `npm ci`, not `--legacy-peer-deps`: of no install.
    known = program in SUBCOMMANDED and any(map(is_flag, rest))
    inner = [one for one in rest[:known] if not is_flag(one)]
    return thing._replace(items=same_commands([program, *inner, *flags]))


def _extends(wanted: list[str], item: Item) -> bool:
    value = item.get("command")
    less = command_words(value) if isinstance(value, str) else []
    return bool(less) and len(wanted) > len(less) and wanted[: len(less)] == less


def _apart(thing: Thing, programs: Sequence[str]) -> Thing:
    """Spare what a choice of a package manager does not speak of: `npm view`, `npm publish`."""
    named = [one for one in programs if one in words.MANAGERS["javascript"]]
    apart = {"command": {"program": named, "subcommand": words.APART}}
    return thing._replace(unless=(*thing.unless, apart)) if named else thing


def _program(item: Item) -> str:
    value = item.get("command", "")
    first = value.get("program", "") if isinstance(value, dict) else value
    name = first[0] if isinstance(first, list) else str(first)
    return name.split()[0] if name else ""


def _order_fields(order: Order) -> Fields:
    return {
        "level": "deny",
        "before": [but_dry(one) for one in order.before],
        "require": list(order.require),
        "examples": order_examples(order.before[0], order.require),
    }


def _match_fields(found: list[_Found]) -> Fields:
    items = [but_dry(item) for one in found for item in one.thing.items]
    unless = [item for one in found for item in one.thing.unless]
    pairs = [examples_of(one.thing) for one in found]
    fields: Fields = {
        "level": max((one.level for one in found), key=LEVELS.index),
        "match": _unique(items),
        "unless": _unique(unless),
        "examples": {
            "block": _unique([pair[0] for pair in pairs]),
            "allow": _unique(
                [_allowed(one, near) for one, (_, near) in zip(found, pairs, strict=True)]
            ),
        },
    }
    return {key: value for key, value in fields.items() if value}


def _allowed(found: _Found, near: Example) -> Example:
    """Show what is to be used instead, or else a call near the one that is stopped."""
    coded = next((one.text for one in found.chosen if one.kind == "code"), "")
    chosen = coded or told(found.chosen).partition(" to ")[0]
    # Without code, only a program that is known is surely meant as a command.
    return told_command(chosen) if is_command(chosen, "use" if coded else "") else near


def _unique(values: Sequence[object]) -> list[object]:
    return [one for at, one in enumerate(values) if one not in values[:at]]
