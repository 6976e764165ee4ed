"""Orders: "X before Y", where Y is an act of Git or a command and X a step that can be seen."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dmm.rules.language.sentences import words
from dmm.rules.language.sentences.code import Item, command_item, command_words, is_command
from dmm.rules.language.sentences.objects import read_object
from dmm.rules.language.sentences.pieces import (
    DETERMINERS,
    LINKS,
    Pieces,
    find,
    skip,
    word_at,
    word_set,
)
from dmm.rules.language.sentences.things import Context, Thing

if TYPE_CHECKING:
    from dmm.rules.language.sentences.code import Surroundings

_LEADS = word_set(
    """always you we must should please first have has had to sure that be ever the run rerun
    running execute ensure ensuring verify check confirm all do it is i"""
)
_FILLERS = word_set(
    """full whole unit integration suite suites local complete entire all project's backend frontend
    relevant end-to-end e2e and pass passes passed passing green succeed successfully again must
    should are is run be clean cleanly first existing has have been finishes with without errors"""
)
_ACTS = word_set("you we each every any a an the your making creating opening")
_VERIFY = word_set("verify check confirm review inspect validate consult double-check read")
_RAN = word_set("run rerun running execute executing")


class Order(NamedTuple):
    """The calls that are guarded, and the steps that have to come first.

    Without steps somebody has to say that what no call shows was done.
    """

    before: tuple[Item, ...]
    require: tuple[Item, ...]


def read_order(sentence: Pieces, known: Surroundings) -> Order | None:
    """Read "X before Y" or "before Y, X"; both have to be certain."""
    dash = next((at for at, one in enumerate(sentence) if one.mark in ("-", ":")), None)
    if dash is not None:
        return read_order(sentence[:dash], known) or read_order(sentence[dash + 1 :], known)
    turn = find(sentence, "before")
    if turn is None:
        return None
    if turn > 0:
        first, act = sentence[:turn], sentence[turn + 1 :]
    else:
        comma = next((at for at, one in enumerate(sentence) if one.mark == ","), len(sentence))
        first, act = sentence[comma + 1 :], sentence[1:comma]
    negated = any(one.word in ("never", "not", "don't") for one in first)
    guarded = None if negated else _act(act, known)
    if guarded is None:
        return None
    steps = read_steps(first, known)
    lead = skip(first, 0, word_set("always please you must should"))
    verified = word_at(first, lead) in _VERIFY and not guarded.vague and not guarded.whole
    return Order(guarded.items, steps) if steps or verified else None


def _act(pieces: Pieces, known: Surroundings) -> Thing | None:
    comma = next((at for at, one in enumerate(pieces) if one.mark), len(pieces))
    pieces = pieces[:comma]
    at = skip(pieces, 0, _ACTS, words.IDLE)
    word = word_at(pieces, at)
    if word_at(pieces, skip(pieces, at, word_set("pull pr prs request requests")) - 1) in (
        "pr", "prs", "request", "requests",
    ):  # fmt: skip
        return Thing(({"command": "gh pr create"},))
    verb = words.NOUNS.get(word) or words.VERBS.get(word)
    context = Context(verb or "", "", known)
    found = read_object(pieces, at + 1 if verb else at, context)
    if found is None or skip(pieces, found[1], words.IDLE) < len(pieces):
        return None
    return found[0] if "command" in found[0].items[0] else None


def read_steps(pieces: Pieces, known: Surroundings) -> tuple[Item, ...]:
    """Read the steps that must have been done: the tests, the linter, `make check`, Biome."""
    runs = any(one.word in _RAN for one in pieces) or any(one.kind == "code" for one in pieces)
    found: list[Item] = []
    at = 0
    while at < len(pieces):
        made = word_at(pieces, at) == "make" and word_at(pieces, at + 1) != "sure"
        start = at + 2 if word_at(pieces, at) == "make" and not made else at
        passed = at if made else skip(pieces, start, DETERMINERS, words.IDLE, LINKS, _FILLERS, _LEADS)
        if passed > at or pieces[at].mark:
            at = max(passed, at + 1)
            continue
        step = _named(pieces, at) or (_command(pieces, at, known) if runs else None)
        if step is None:
            return ()
        found.append(step[0])
        at = step[1]
    return tuple(found)


def _named(pieces: Pieces, at: int) -> tuple[Item, int] | None:
    word, following = word_at(pieces, at), word_at(pieces, at + 1)
    two = f"{word}-{following}" if word == "type" else word
    step = words.STEPS.get(two.removesuffix("s")) or words.STEPS.get(two.removesuffix("ing"))
    step = words.STEPS.get(two) or step
    return ({"command": {"run": step}}, at + (2 if two != word else 1)) if step else None


def _command(pieces: Pieces, at: int, known: Surroundings) -> tuple[Item, int] | None:
    piece = pieces[at]
    if piece.kind == "code" and is_command(piece.text, "run", known):
        return command_item(command_words(piece.text)), at + 1
    if re.fullmatch(r"[A-Za-z][\w-]*", piece.text) and piece.word in words.PROGRAMS | known.programs:
        found = read_object(pieces, at, Context("run", "", known))
        if found and "command" in found[0].items[0]:
            return found[0].items[0], found[1]
    return None
