"""Orders: "X before Y", where Y is an act of Git or a command and X a step that can be seen."""

from __future__ import annotations

import re
from typing import NamedTuple

from dmm.rules.language.sentences import words
from dmm.rules.language.sentences.objects import read_object
from dmm.rules.language.sentences.things import (
    Context,
    Item,
    Surroundings,
    Thing,
    command_item,
    command_words,
    is_command,
)
from dmm.text import polarity
from dmm.text.lemmas import base_forms
from dmm.text.pieces import LINKS, Pieces, signs, skip, word_at
from dmm.text.words import english, word_set

_IDLE = english("step_words")
_ACTS = word_set("you we each every any a an the your making creating opening")
_VERIFY = word_set("verify check confirm review inspect validate consult double-check read")
# Their words are names that a project gave.
_TARGETED = word_set("make just rake task invoke nox tox")
_SCRIPTED = word_set("npm yarn pnpm bun npx nx turbo gradle composer")
# Their `run` runs all that they hold: "pre-commit hooks", "pre-commit checks".
_RUNNERS = word_set("pre-commit prek lefthook")
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
    order = polarity.find_order(signs(sentence))
    if order is None:
        return None
    first, act = sentence[order[0]], sentence[order[1]]
    negated = any(one.word in ("never", "not", "don't") for one in first)
    comma = next((at for at, one in enumerate(act) if one.mark), len(act))
    guarded = None if negated else _act(act[:comma], known)
    if guarded is None:
        return None
    steps = read_steps(first, known)
    lead = word_at(first, skip(first, 0, words.LEADS))
    verified = lead in _VERIFY and not guarded.vague and not guarded.whole
    return Order(guarded.items, steps) if steps or verified else None


def _act(pieces: Pieces, known: Surroundings) -> Thing | None:
    at = skip(pieces, 0, _ACTS, words.IDLE)
    word = word_at(pieces, at)
    request = skip(pieces, at, word_set("pull pr prs request requests"))
    if request > at and request >= len(pieces):
        return Thing(({"command": "gh pr create"},), vague=True)
    verb = words.NOUNS.get(word) or words.group_of(word)
    found = read_object(pieces, at + 1 if verb else at, Context(verb, "", known))
    if found is None or skip(pieces, found[1], words.IDLE) < len(pieces):
        return None
    if verb == "merge" and found[0].vague:
        # A branch is merged when its pull request is; `git merge main` brings it up to date.
        return Thing(({"command": "gh pr merge"},), vague=True)
    command = found[0].items[0].get("command", "")
    everyday = found[0].vague or "package" in command
    return found[0]._replace(vague=everyday) if command else None


def read_steps(pieces: Pieces, known: Surroundings) -> tuple[Item, ...]:
    """Read the steps that must have been done: the tests, the linter, `make check`, Biome."""
    runs = any(one.word in _RAN or one.kind == "code" for one in pieces)
    found: list[Item] = []
    at = 0
    while at < len(pieces):
        sure = at + 2 if word_at(pieces, at + 1) == "sure" else at
        passed = skip(pieces, sure, words.DETERMINERS, words.IDLE, LINKS, _IDLE)
        if passed > at or pieces[at].mark:
            at = max(passed, at + 1)
            continue
        step = _step(pieces, at) or (_command(pieces, at, known) if runs else None)
        if step is None:
            return ()
        found.append(step[0])
        at = step[1]
    return tuple(found)


def _step(pieces: Pieces, at: int) -> tuple[Item, int] | None:
    word = word_at(pieces, at)
    two = f"{word}-{word_at(pieces, at + 1)}" if word == "type" else word
    step = words.STEPS.get(two) or words.STEPS.get(two.removesuffix("s"))
    return ({"command": {"run": step}}, at + (1 if two == word else 2)) if step else None


def _command(pieces: Pieces, at: int, known: Surroundings) -> tuple[Item, int] | None:
    piece = pieces[at]
    if piece.kind == "code" and is_command(piece.text, "run"):
        return command_item(command_words(piece.text)), at + 1
    if piece.word not in words.PROGRAMS:
        return None
    behind = word_at(pieces, at + 1)
    several = bool(re.fullmatch(r"[a-z]+[^\Ws]s", behind)) and piece.word not in _TARGETED
    step = _step(pieces, at + 1) if several else None
    if step:
        return step
    found = read_object(pieces, at, Context("run", "", known))
    if found is None or "command" not in found[0].items[0]:
        return None
    item = found[0].items[0]
    if several and found[1] == at + 2:
        item = _several(piece.word, behind)
    return (item, found[1]) if item else None


def _several(program: str, plural: str) -> Item:
    """Read "yarn types", which may name a script in its singular; nothing for other programs.

    "Alembic migrations" is English for something that Alembic does by another name.
    """
    if program in _RUNNERS:
        return command_item([program, "run"])
    if program not in _SCRIPTED:
        return {}
    leads = (program, f"{program} run")[: 2 if program in words.MANAGERS["javascript"] else 1]
    names = sorted(base_forms(plural), reverse=True)
    return {"command": [f"{lead} {name}" for lead in leads for name in names]}
