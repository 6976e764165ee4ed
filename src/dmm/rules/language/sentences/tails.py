"""Tails: what follows the thing a rule names: places, exceptions, leave to ask for, and doubts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.rules.content.constructs import CALLED, CODE, LANGUAGES
from dmm.rules.language.sentences import words
from dmm.rules.language.sentences.things import (
    Context,
    Item,
    Thing,
    commands,
    ends,
    is_flag,
    read_branches,
    read_paths,
)
from dmm.text.pieces import LINKS, Pieces, find, read_list, sentences, skip, starts, word_at
from dmm.text.polarity import EXCEPTING
from dmm.text.words import english, word_set

if TYPE_CHECKING:
    from collections.abc import Callable

LEVELS = ("deny", "ask", "warn")
_REASONS = word_set("because since so otherwise it they this even use prefer")
_PRONOUNS = word_set("it they this that we you these there")
_TIMES = word_set("if when while during between after whenever once where")
_PLACES = word_set("in inside within under on onto to into against for from at of")
# What may narrow a thing that was not read in full.
_NARROWING = _PLACES - {"of"} | word_set("as when if with while")
_ALONE = (("by", "itself"), ("on", "its", "own"), ("alone",), ("without", "arguments"))
# Why somebody might be tempted: the act is meant whatever the motive.
_MOTIVES = word_set("make avoid silence suppress get save fix work speed satisfy appease hide pass")
_TEST_WORDS = word_set("test tests testing unit integration e2e spec specs")
_CODE_WORDS = word_set("code files file modules sources source components")
_SHIPPED = word_set("production non-test library application app src shipped")
_RESOURCES = english("resources")
_INSIDE: Item = {"command": {"via": ["docker", "docker-compose", "podman", "kubectl"]}}


@dataclass(slots=True)
class Reading:
    """A thing and what its tail made of it; `lost` means that it is not understood."""

    thing: Thing
    context: Context
    level: str = "deny"
    needs: Pieces = ()
    lost: bool = False

    def soften(self, level: str) -> None:
        """Lead to no more than a level, and end the tail."""
        self.level = max(self.level, level, key=LEVELS.index)

    def lift(self, *unless: Item) -> None:
        """Except something from the rule."""
        self.thing = self.thing._replace(unless=(*self.thing.unless, *unless), whole=False)

    def narrow(self, globs: list[str]) -> None:
        """Look into these files only."""
        items = tuple(one | {"path": globs} for one in self.thing.items)
        self.thing = self.thing._replace(items=items)


def read_tail(thing: Thing, pieces: Pieces, context: Context, preface: Pieces = ()) -> Reading:
    """Read the condition that stood in front and all that follows a thing."""
    reading = Reading(thing, context)
    for part in (preface, pieces):
        at: int | None = 0
        while at is not None and at < len(part) and not reading.lost:
            at = _step(reading, part, at)
    return reading


def read_heading(reading: Reading, heading: str) -> None:
    """Look into tests only for the code that a chapter on tests forbids."""
    named = {one.word for part in sentences(heading) for one in part}
    tests = not named.isdisjoint(_TEST_WORDS) and named <= _TEST_WORDS | _CODE_WORDS
    plain = all("content" in one and one.get("path") == CODE for one in reading.thing.items)
    if tests and plain and reading.context.verb != "commit":
        reading.narrow(list(words.TESTS))


def _step(reading: Reading, pieces: Pieces, at: int) -> int | None:
    """Read one part of a tail and return the place of the next; none at its end."""
    word = word_at(pieces, at)
    alone = next((one for one in _ALONE if starts(pieces, at, one)), None)
    if alone:
        reading.thing = commands(reading.thing, no_args=True)
        return at + len(alone)
    passed = _idle(pieces, at)
    if passed > at:
        return passed
    for group, read in _PARTS:
        if word in group:
            return read(reading, pieces, at)
    if not pieces[at].mark and word not in _REASONS:
        # What else is forbidden was not read; what was read still is, if it stands on its own.
        reading.lost = word not in LINKS or reading.thing.whole
        if find(pieces, *_NARROWING, start=at) is not None:
            reading.soften("warn")
    return _remark(reading, pieces, at + 1)


def _idle(pieces: Pieces, at: int) -> int:
    for phrase in words.PHRASES:
        if starts(pieces, at, phrase):
            return at + len(phrase)
    if word_at(pieces, at) in ("in", "for", "on", "of", "to", "across", "from"):
        # "To either branch" means two that were named before.
        inner = skip(pieces, at + 1, words.DETERMINERS - {"either"}, word_set("whole entire"))
        if word_at(pieces, inner) in words.WHOLE and ends(pieces, inner + 1):
            return inner + 1
    return skip(pieces, at, words.IDLE, word_set("committed checked-in used"))


def _remark(reading: Reading, pieces: Pieces, at: int) -> int | None:
    """Pass a remark, which ends the tail; an exception or a condition in it counts.

    "The build works without it" is neither; "or deploy without approval" ends a list of acts.
    """
    lists = find(pieces, *LINKS, start=at - 1) is not None
    without = ("without",) if lists else ()
    if find(pieces, "unless", "except", "until", *without, start=at) is not None:
        reading.soften("ask")
        return None
    conditions = word_set("if when while during whenever without in on or")
    return at if pieces[at - 1].mark and word_at(pieces, at) in conditions else None


def _warned(reading: Reading, *_: object) -> None:
    reading.soften("warn")


def _role(reading: Reading, pieces: Pieces, at: int) -> int | None:
    """Read "as it is slow", a reason, and "as the primary key", a use that no call shows."""
    if word_at(pieces, at + 1) in _PRONOUNS:
        return _remark(reading, pieces, at + 1)
    reading.soften("warn")
    return None


def _exception(reading: Reading, pieces: Pieces, at: int) -> int | None:
    word = word_at(pieces, at)
    inner = skip(pieces, at + 1, word_set("for in on to under from with"))
    if inner < len(pieces) and word == "without" and is_flag(pieces[inner].text):
        reading.thing = commands(reading.thing, without=[pieces[inner].text])
        return skip(pieces, inner + 1, word_set("flag option set"))
    asked = any(one.word in words.APPROVAL for one in pieces[at + 1 : at + 6])
    asked = asked or starts(pieces, at + 1, ("checking", "with"))
    if word in ("without", "before", "until") and not (word == "without" and asked):
        reading.needs = pieces[at + 1 :]
        return None
    paths = read_paths(pieces, inner, reading.context.known)
    in_tests = word_at(pieces, inner) in _TEST_WORDS and "content" in reading.thing.items[0]
    if paths and paths[1] >= len(pieces) and "command" not in reading.thing.items[0]:
        reading.lift({"path": paths[0]})
    elif in_tests and word != "without":
        reading.lift({"path": list(words.TESTS)})
    else:
        reading.soften("ask")
    return None


def _outside(reading: Reading, pieces: Pieces, at: int) -> int | None:
    """Read "outside (of) the build directory": what lies there is spared."""
    inner = skip(pieces, at + 1, word_set("of the"))
    folder = read_paths(pieces, inner, reading.context.known)
    if folder is None and word_at(pieces, inner + 1) in ("directory", "folder", "dir"):
        folder = [f"**/{pieces[inner].text.strip('/')}/**"], inner + 2
    if folder is None or "command" not in reading.thing.items[0]:
        reading.soften("warn")
        return None
    bare = folder[0][0].removesuffix("/**").removeprefix("**/")
    for form in (bare, f"./{bare}", f"{bare}/*", f"./{bare}/*"):
        reading.lift(commands(reading.thing, args=[form]).items[0])
    return folder[1]


def _manner(reading: Reading, pieces: Pieces, at: int) -> int | None:
    """ "Run git clean with -f": the option belongs to the command; no other manner shows."""
    place = skip(pieces, at + 1, words.DETERMINERS)
    text = pieces[place].text if place < len(pieces) else ""
    reading.lost = text != "sudo" and not is_flag(text)
    more: dict[str, object] = {"via": text} if text == "sudo" else {"flags": [text]}
    reading.thing = commands(reading.thing, **more)
    return skip(pieces, place + 1, word_set("flag flags option options switch"))


def _place(reading: Reading, pieces: Pieces, at: int) -> int | None:
    if word_at(pieces, at) == "to" and word_at(pieces, at + 1) in _MOTIVES:
        reading.soften("ask")
        return None
    inner = skip(pieces, at + 1, words.DETERMINERS, word_set("of"))
    first = reading.thing.items[0]
    readers = (_on_branch, _environment) if "command" in first else (_in_tests, _language, _folder)
    for read in readers if "path" not in first or "content" in first else ():
        end = read(reading, pieces, inner)
        if end is not None:
            return end
    reading.soften("warn")
    return None


def _in_tests(reading: Reading, pieces: Pieces, at: int) -> int | None:
    shipped = skip(pieces, at, _SHIPPED)
    end = skip(pieces, shipped, _TEST_WORDS, _CODE_WORDS)
    if not ends(pieces, end) or end == shipped:
        return None
    held = reading.thing.items[0].get("path")
    if shipped > at and isinstance(held, list):
        reading.narrow([*held, *(f"!{one}" for one in words.TESTS)])
    elif any(one.word in _TEST_WORDS for one in pieces[at:end]):
        reading.narrow(list(words.TESTS))
    else:
        return None
    return end


def _language(reading: Reading, pieces: Pieces, at: int) -> int | None:
    del reading
    word, end = word_at(pieces, at), skip(pieces, at + 1, _CODE_WORDS)
    return end if CALLED.get(word, word) in LANGUAGES and ends(pieces, end) else None


def _folder(reading: Reading, pieces: Pieces, at: int) -> int | None:
    found = read_paths(pieces, at, reading.context.known) or _known_folders(pieces, at)
    if found is None or word_at(pieces, at - 1) == "from":
        return None
    endings = LANGUAGES.get(reading.context.language)
    if endings:
        globs = [_within(one, ending) for one in found[0] for ending in endings]
        reading.narrow(list(dict.fromkeys(globs)))
    else:
        reading.narrow([*found[0], *(one for one in CODE if one.startswith("!"))])
    return found[1]


def _known_folders(pieces: Pieces, at: int) -> tuple[list[str], int] | None:
    """Read "in src", "under lib or app": folders that every other project has."""
    if word_at(pieces, at - 1) not in ("in", "under", "inside", "within"):
        return None

    def read(ones: Pieces, place: int) -> tuple[str, int] | None:
        # "In public" is no place.
        known = word_at(ones, place) in words.FOLDERS - {"public"} and ends(ones, place + 1)
        return (f"**/{word_at(ones, place)}/**", place + 1) if known else None

    found, end = read_list(pieces, at, read)
    return (found, end) if found else None


def _within(glob: str, ending: str) -> str:
    """Write the files of one ending in a folder; one file is itself."""
    return f"{glob}/{ending}" if glob.endswith("/**") and not glob.startswith("!") else glob


def _on_branch(reading: Reading, pieces: Pieces, at: int) -> int | None:
    """Read a branch, for what Git does, or the host, for what should run in a container."""
    git = all("git" in str(one.get("command", "")) for one in reading.thing.items)
    found = read_branches(pieces, at) if git else None
    if found:
        reading.thing = commands(reading.thing, branch=found[0])
        return found[1]
    host = skip(pieces, at, word_set("host machine"))
    if word_at(pieces, at) != "host" or (host < len(pieces) and not pieces[host].mark):
        return None
    reading.lift(_INSIDE)
    return host


def _environment(reading: Reading, pieces: Pieces, at: int) -> int | None:
    """Read "in production", "against the staging database": its name shows in the command."""
    found, end = read_list(pieces, at, _named_environment)
    led = find(pieces[:at], "in", "on", "against") is not None
    if not found or not led or not ends(pieces, end):
        return None
    names = "|".join(found)
    reading.thing = commands(reading.thing, matches=rf"(?i)(?<![a-z])(?:{names})(?![a-z])")
    return end


def _named_environment(pieces: Pieces, at: int) -> tuple[str, int] | None:
    inner = skip(pieces, at, words.DETERMINERS)
    word = word_at(pieces, inner)
    names = next((one for one in words.ENVIRONMENTS if word in one.split("|")), "")
    return (names, skip(pieces, inner + 1, _RESOURCES)) if names else None


_PARTS: tuple[tuple[frozenset[str], Callable[..., int | None]], ...] = (
    (EXCEPTING | word_set("without until before but"), _exception),
    (word_set("outside"), _outside),
    (_TIMES | word_set("that which whose"), _warned),
    (word_set("as"), _role),
    (word_set("with using"), _manner),
    (_PLACES, _place),
)


def language_in(pieces: Pieces) -> str:
    """Name the one language that a rule speaks of, or nothing."""
    named = {CALLED.get(one.word, one.word) for one in pieces if one.word} & LANGUAGES.keys()
    named -= {"go", "swift", "c++", "sql", "markup"}
    return named.pop() if len(named) == 1 else ""
