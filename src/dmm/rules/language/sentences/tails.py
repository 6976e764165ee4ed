"""Tails: what follows the thing a rule names: places, exceptions, leave to ask for, and doubts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.rules.language.sentences import words
from dmm.rules.language.sentences.code import is_flag
from dmm.rules.language.sentences.constructs import CALLED, CODE, LANGUAGES, files_of
from dmm.rules.language.sentences.pieces import (
    DETERMINERS,
    LINKS,
    Pieces,
    find,
    skip,
    starts,
    told,
    word_at,
    word_set,
)
from dmm.rules.language.sentences.things import (
    Context,
    Thing,
    commands,
    ends,
    read_branches,
    read_path,
    read_paths,
)

if TYPE_CHECKING:
    from dmm.rules.language.sentences.code import Item

LEVELS = ("deny", "ask", "warn")
_REASONS = word_set("because since as so otherwise it they this that which even")
_TIMES = word_set("if when while during after whenever once where")
_PLACES = word_set("in inside within under on onto to into against for from at of")
_ALONE = (("by", "itself"), ("on", "its", "own"), ("alone",), ("without", "arguments"),
          ("without", "any", "arguments"), ("with", "no", "arguments"))  # fmt: skip
# Why somebody might be tempted: the act is meant whatever the motive.
_MOTIVES = word_set("make avoid silence suppress get save fix work speed satisfy appease hide pass")
_TEST_WORDS = word_set("test tests testing unit integration e2e spec specs")
_CODE_WORDS = word_set("code files file modules sources source components")
_SHIPPED = word_set("production non-test library application app src shipped")
_HOST = word_set("host machine")


@dataclass(slots=True)
class Reading:
    """A thing and what its tail made of it; `lost` means that it is not understood."""

    thing: Thing
    level: str = "deny"
    doubt: str = ""
    needs: Pieces = ()
    lost: bool = False
    folders: list[str] = field(default_factory=list)

    def soften(self, level: str, why: Pieces) -> None:
        """Lead to no more than a level."""
        self.level = max(self.level, level, key=LEVELS.index)
        self.doubt = self.doubt or told(why)


def read_tail(thing: Thing, pieces: Pieces, context: Context, preface: Pieces = ()) -> Reading:
    """Read the condition that stood in front and all that follows a thing."""
    reading = Reading(thing)
    for part in (preface, pieces):
        at: int | None = 0
        while at is not None and at < len(part) and not reading.lost:
            at = _step(reading, part, at, context)
    return reading


def _step(reading: Reading, pieces: Pieces, at: int, context: Context) -> int | None:
    """Read one part of a tail and return the place of the next; none at its end."""
    word = word_at(pieces, at)
    passed = _idle(pieces, at)
    if passed > at:
        return passed
    alone = next((one for one in _ALONE if starts(pieces, at, one)), None)
    if alone:
        reading.thing = commands(reading.thing, no_args=True)
        return at + len(alone)
    if pieces[at].mark or word in _REASONS | {"use", "prefer"}:
        return _remark(reading, pieces, at + 1)
    if word in ("unless", "except", "without", "until", "before", "excluding", "but"):
        return _exception(reading, pieces, at, context)
    if word == "outside":
        return _outside(reading, pieces, at, context)
    if word == "to" and word_at(pieces, at + 1) in _MOTIVES:
        reading.soften("ask", pieces[at:])
        return None
    if word in _TIMES:
        reading.soften("warn", pieces[at:])
        return None
    if word in ("with", "using"):
        return _manner(reading, pieces, at)
    if word in _PLACES:
        return _place(reading, pieces, at, context)
    # What else is forbidden was not read; what was read still is, if it stands on its own.
    reading.lost = word not in LINKS or reading.thing.whole
    return _remark(reading, pieces, at + 1)


def _idle(pieces: Pieces, at: int) -> int:
    for phrase in words.PHRASES:
        if starts(pieces, at, phrase):
            return at + len(phrase)
    if word_at(pieces, at) in ("in", "for", "on", "of", "to", "across", "from"):
        inner = skip(pieces, at + 1, DETERMINERS, word_set("whole entire"))
        if word_at(pieces, inner) in words.WHOLE and ends(pieces, inner + 1):
            return inner + 1
    return skip(pieces, at, words.IDLE, word_set("committed checked-in used"))


def _remark(reading: Reading, pieces: Pieces, at: int) -> int | None:
    """Pass a remark, which ends the tail; an exception or a condition in it counts."""
    place = find(pieces, "unless", "except", "until", start=at)
    if place is not None:
        reading.soften("ask", pieces[place:])
        return None
    if at < len(pieces) and pieces[at - 1].mark and word_at(pieces, at) in (
        _TIMES | {"without", "in", "on", "or"} - {"after", "once", "where"}
    ):
        return at
    return None


def _exception(reading: Reading, pieces: Pieces, at: int, context: Context) -> int | None:
    word = word_at(pieces, at)
    inner = skip(pieces, at + 1, word_set("for in on to under from with"))
    if inner < len(pieces) and word == "without" and is_flag(pieces[inner].text):
        reading.thing = commands(reading.thing, without=[pieces[inner].text])
        return skip(pieces, inner + 1, word_set("flag option set"))
    if word == "without" and _asks(pieces, at + 1):
        reading.soften("ask", pieces[at:])
        return None
    if word in ("without", "before", "until"):
        reading.needs = pieces[at + 1 :]
        return None
    paths = read_paths(pieces, inner, context.known)
    first = reading.thing.items[0]
    if paths and paths[1] >= len(pieces) and ("path" in first or "content" in first):
        lifted = (*reading.thing.unless, {"path": paths[0]})
        reading.thing = reading.thing._replace(unless=lifted)
        return None
    if word in ("except", "excluding") and word_at(pieces, inner) in _TEST_WORDS:
        if "content" in first:
            lifted = (*reading.thing.unless, {"path": list(words.TESTS)})
            reading.thing = reading.thing._replace(unless=lifted)
            return None
    reading.soften("ask", pieces[at:])
    return None


def _asks(pieces: Pieces, at: int) -> bool:
    return any(one.word in words.APPROVAL for one in pieces[at : at + 5])


def _outside(reading: Reading, pieces: Pieces, at: int, context: Context) -> int | None:
    """Read "outside (of) the build directory": what lies there is spared."""
    inner = skip(pieces, at + 1, word_set("of the"))
    folder = read_path(pieces, inner, context.known)
    named = word_at(pieces, inner + 1) in ("directory", "folder", "dir")
    name = pieces[inner].text.strip("/") if inner < len(pieces) else ""
    if folder is None and not named:
        reading.soften("warn", pieces[at:])
        return None
    end = folder[1] if folder else inner + 2
    first = reading.thing.items[0]
    if "command" in first:
        bare = folder[0][0].removesuffix("/**").removeprefix("**/") if folder else name
        spared = [bare, f"./{bare}", f"{bare}/*", f"./{bare}/*", f"{bare}/"]
        lifted = tuple(commands(reading.thing, args=[one]).items[0] for one in spared)
    else:
        lifted = ({"path": folder[0] if folder else [f"**/{name}/**"]},)
    reading.thing = reading.thing._replace(unless=(*reading.thing.unless, *lifted), whole=False)
    return end


def _manner(reading: Reading, pieces: Pieces, at: int) -> int | None:
    """ "Run git clean with -f", "with sudo": the option belongs to the command."""
    place = skip(pieces, at + 1, DETERMINERS)
    text = pieces[place].text if place < len(pieces) else ""
    if is_flag(text):
        flags: list[str] = [text]
        reading.thing = commands(reading.thing, flags=flags)
        return skip(pieces, place + 1, word_set("flag flags option options switch"))
    if text in ("sudo", "npx", "uvx") and "command" in reading.thing.items[0]:
        reading.thing = commands(reading.thing, via=text)
        return place + 1
    # The manner of an act does not show in a call.
    reading.lost = True
    return None


def _place(reading: Reading, pieces: Pieces, at: int, context: Context) -> int | None:
    inner = skip(pieces, at + 1, DETERMINERS, word_set("of"))
    first = reading.thing.items[0]
    for read in (_tests, _language, _folder) if "content" in first else (_git_place, _environment):
        end = read(reading, pieces, inner, context)
        if end is not None:
            return end
    if "path" in first and (end := _folder(reading, pieces, inner, context)) is not None:
        return end
    reading.soften("warn", pieces[at:])
    return None


def _tests(reading: Reading, pieces: Pieces, at: int, context: Context) -> int | None:
    del context
    shipped = skip(pieces, at, _SHIPPED)
    end = skip(pieces, shipped, _TEST_WORDS, _CODE_WORDS)
    if end == at or not ends(pieces, end):
        return None
    if shipped > at and end > shipped:
        globs = [*_paths(reading.thing.items[0]), *(f"!{one}" for one in words.TESTS)]
    elif any(one.word in _TEST_WORDS for one in pieces[at:end]):
        globs = list(words.TESTS)
    else:
        return None
    _narrow(reading, globs)
    return end


def _language(reading: Reading, pieces: Pieces, at: int, context: Context) -> int | None:
    del reading, context
    word = word_at(pieces, at)
    end = skip(pieces, at + 1, _CODE_WORDS)
    return end if CALLED.get(word, word) in LANGUAGES and ends(pieces, end) else None


def _folder(reading: Reading, pieces: Pieces, at: int, context: Context) -> int | None:
    found = read_paths(pieces, at, context.known)
    if found is None:
        return None
    first = reading.thing.items[0]
    if "content" in first:
        _narrow(reading, [*found[0], *(one for one in CODE if one.startswith("!"))])
        return found[1]
    globs = _paths(first)
    if not all("/" not in one for one in globs) or not all(one.endswith("/**") for one in found[0]):
        return None
    _narrow(reading, [f"{folder}/{glob}" for folder in found[0] for glob in globs])
    return found[1]


def _paths(item: Item) -> list[str]:
    value = item.get("path", [])
    globs = value.get("glob", []) if isinstance(value, dict) else value
    return list(globs) if isinstance(globs, list) else []


def _narrow(reading: Reading, globs: list[str]) -> None:
    items = []
    for one in reading.thing.items:
        held = one.get("path")
        path = held | {"glob": globs} if isinstance(held, dict) else globs
        items.append(one | {"path": path})
    reading.thing = reading.thing._replace(items=tuple(items))


def _git_place(reading: Reading, pieces: Pieces, at: int, context: Context) -> int | None:
    """Read a branch, for what Git does, or the host, for what should run in a container."""
    del context
    git = all("git" in str(one.get("command", "")) for one in reading.thing.items)
    found = read_branches(pieces, at) if git else None
    if found:
        reading.thing = commands(reading.thing, branch=found[0])
        return found[1]
    if word_at(pieces, at) in _HOST and ends(pieces, skip(pieces, at, _HOST)):
        inside: Item = {"command": {"via": ["docker", "docker-compose", "podman", "kubectl"]}}
        reading.thing = reading.thing._replace(unless=(*reading.thing.unless, inside))
        return skip(pieces, at, _HOST)
    return None


_RESOURCES = word_set(
    """environment environments env cluster clusters server servers database databases db account
    accounts workspace namespace systems system infrastructure data resources"""
)


def _environment(reading: Reading, pieces: Pieces, at: int, context: Context) -> int | None:
    """Read "in production", "against the staging database": its name shows in the command."""
    del context
    word = word_at(pieces, at)
    names = next((all_ for all_ in words.ENVIRONMENTS.values() if word in all_.split()), "")
    end = skip(pieces, at + 1, _RESOURCES)
    if not names or not ends(pieces, end) or "command" not in reading.thing.items[0]:
        return None
    any_name = "|".join(names.split())
    reading.thing = commands(reading.thing, matches=rf"(?i)(?<![a-z])(?:{any_name})(?![a-z])")
    return end


def language_in(pieces: Pieces) -> str:
    """Name the one language that a rule speaks of, or nothing."""
    named = {CALLED.get(one.word, one.word) for one in pieces if one.word} & LANGUAGES.keys()
    named -= {"go", "swift", "c++", "sql", "markup"}
    return named.pop() if len(named) == 1 else ""


__all__ = ["LEVELS", "Reading", "files_of", "language_in", "read_tail"]
