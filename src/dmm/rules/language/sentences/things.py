"""Things a rule names, as matchers, and the reading of names, paths and branches in prose."""

from __future__ import annotations

import re
from typing import NamedTuple

from dmm.rules.language.sentences import words
from dmm.rules.language.sentences.code import (
    NOWHERE,
    Item,
    Surroundings,
    command_item,
    command_words,
    globs_of,
    path_of,
)
from dmm.rules.language.sentences.pieces import (
    DETERMINERS,
    LINKS,
    Pieces,
    read_list,
    skip,
    word_at,
    word_set,
)

# A name in prose ends here.
STOPS = DETERMINERS | words.IDLE | LINKS | word_set(
    """on in to from without unless except for with against when if because before after while
    during outside as since until via into onto inside within under over is are was be must
    should which instead but not than even through using so like by at of committed checked that"""
)  # fmt: skip
_FOLDER_WORDS = word_set("folder folders directory directories dir dirs")
_FILE_WORDS = word_set("file files itself contents")
_NO_FOLDER = word_set(
    """current working root home parent source same project right wrong target output other new
    whole entire top build temp temporary different another main test docs"""
)
_BRANCH_WORDS = word_set("branch branches")


class Thing(NamedTuple):
    """What a rule names: matchers, exceptions, and a text with and without it.

    A `whole` thing, such as any use of a program, is no ground for a mere hint. A `vague` one, such
    as any commit, is only guarded: it needs somebody's leave or a step that comes first.
    """

    items: tuple[Item, ...]
    unless: tuple[Item, ...] = ()
    sample: tuple[str, str] = ("", "")
    whole: bool = False
    vague: bool = False


Found = tuple[Thing, int]


class Context(NamedTuple):
    """How an object is read: the verb before it, the language of the rule, the repository.

    `chosen` is what the rule says to use instead.
    """

    verb: str = ""
    language: str = ""
    known: Surroundings = NOWHERE
    chosen: str = ""


def ends(pieces: Pieces, at: int) -> bool:
    """Whether a name can end here: no noun follows that would make it a mere modifier."""
    return at >= len(pieces) or bool(pieces[at].mark) or pieces[at].code or pieces[at].word in STOPS


def extended(item: Item, **more: object) -> Item:
    """Ask more of a command."""
    value = item["command"]
    if isinstance(value, str):
        return command_item(command_words(value), **more)
    assert isinstance(value, dict)
    return {"command": value | more}


def commands(thing: Thing, **more: object) -> Thing:
    """Ask more of every command of a thing."""
    items = tuple(extended(one, **more) if "command" in one else one for one in thing.items)
    return thing._replace(items=items, whole=False, vague=False)


def read_path(
    pieces: Pieces, at: int, known: Surroundings = NOWHERE, *, named: bool = False
) -> tuple[list[str], int] | None:
    """Read a path, a glob, a kind of files or a named folder as globs.

    Behind "files in" (`named`) any name in code is a folder.
    """
    at = skip(pieces, at, DETERMINERS)
    if at >= len(pieces) or pieces[at].mark:
        return None
    piece, following = pieces[at], word_at(pieces, at + 1)
    end = skip(pieces, at + 1, _FILE_WORDS, _FOLDER_WORDS)
    kind = words.FILE_KINDS.get(piece.word.rstrip("s"))
    if kind and (following in _FILE_WORDS or piece.word.startswith("lockfile")):
        return list(kind), end
    dotted = piece.code and re.fullmatch(r"[\w.-]+\.[a-z]\w{1,9}", piece.text)
    if dotted or path_of(piece.text, code=piece.code, known=known):
        return globs_of(piece.text), end
    called = following in _FOLDER_WORDS and piece.text.lower() not in _NO_FOLDER | STOPS
    if (called or (named and piece.code)) and re.fullmatch(r"[\w.-]+", piece.text):
        return globs_of(f"{piece.text}/"), end
    return None


def read_paths(
    pieces: Pieces, at: int, known: Surroundings = NOWHERE, *, named: bool = False
) -> tuple[list[str], int] | None:
    """Read a list of paths."""

    def read(ones: Pieces, place: int) -> tuple[list[str], int] | None:
        return read_path(ones, place, known, named=named)

    found, end = read_list(pieces, at, read)
    globs = list(dict.fromkeys(glob for one in found for glob in one))
    return (globs, end) if globs else None


def all_but(globs: list[str]) -> list[str]:
    """Write what lies outside; a folder is spared where it stands, not wherever it is named."""
    return ["**", *(f"!{one.removeprefix('**/')}" for one in globs)]


def read_branches(pieces: Pieces, at: int) -> tuple[list[str], int] | None:
    """Read the names of branches: known ones, those in code, or those called a branch."""
    found, end = read_list(pieces, at, _branch)
    named = list(dict.fromkeys(name for one in found for name in one))
    return (named, end) if named else None


def _branch(pieces: Pieces, at: int) -> tuple[list[str], int] | None:
    at = skip(pieces, at, DETERMINERS)
    if at >= len(pieces) or not re.fullmatch(r"[\w./*-]+", pieces[at].text):
        return None
    text, end = pieces[at].text, skip(pieces, at + 1, _BRANCH_WORDS)
    lower = text.lower()
    called = end > at + 1
    if called and lower in words.BRANCH_GROUPS:
        return words.BRANCH_GROUPS[lower], end
    remote, _, name = lower.partition("/")
    if remote in words.REMOTES and name in words.BRANCHES:
        return [name], end
    parts = lower.split("/")
    if all(part in words.BRANCHES for part in parts):
        return parts, end
    # "Feature branches" are a kind of branches, not one with that name.
    kind = word_at(pieces, at + 1) == "branches"
    sure = pieces[at].code or (called and not kind and lower not in STOPS)
    return ([text], end) if sure and lower not in words.REMOTES else None


def read_remote(pieces: Pieces, at: int) -> tuple[list[str], int] | None:
    """Read the name of a remote."""
    at = skip(pieces, at, DETERMINERS)
    named = at < len(pieces) and pieces[at].text.lower() in words.REMOTES
    if not named:
        return None
    end = skip(pieces, at + 1, word_set("remote repository repo"))
    return ([pieces[at].text.lower()], end) if ends(pieces, end) else None

