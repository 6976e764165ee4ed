"""What a rule wants done before a call: commands that must have run, things to look up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.policy.commands.rules import CommandPattern
from dmm.policy.spoken.callrules import Need
from dmm.policy.spoken.names import PROCEDURES
from dmm.policy.spoken.programs import read_program
from dmm.policy.spoken.things import DETERMINERS, IDLE, LINKS, STOPS, skip, word_at
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from dmm.policy.spoken.pieces import Pieces

_VERIFY = word_set(
    "verify check confirm validate review inspect doublecheck double-check query consult ensure"
)
_RUN = word_set("run execute rerun")
_LEADS = word_set("always you we must should please first have has to make sure that be ever")
_FILLERS = word_set(
    """full whole unit integration suite suites local complete entire all project's backend frontend
    relevant end-to-end e2e and pass passes passed passing green succeed successfully again"""
)
_NOTHING_RUN = ("--help", "--version", "--collect-only", "--dry-run", "--list")
_IDLE_TOPIC = STOPS | DETERMINERS | word_set("whether pass passes green valid ok have has it you")


def needs_after(pieces: Pieces, at: int) -> tuple[Need, ...]:
    """Read what has to be run or looked up; nothing when that isn't certain."""
    at = skip(pieces, at, _LEADS)
    if at >= len(pieces):
        return ()
    if "sure" in (word_at(pieces, at - 1), word_at(pieces, at - 2)):
        return _run(pieces, at, strict=True)
    if pieces[at].is_form_of(*_RUN):
        return _run(pieces, at + 1)
    if pieces[at].is_form_of(*_VERIFY):
        at = skip(pieces, at + 1, _LEADS)
        return _run(pieces, at, strict=True) or _topics(pieces[at:])
    return ()


def _run(pieces: Pieces, at: int, *, strict: bool = False) -> tuple[Need, ...]:
    """Read procedures and commands: "the tests", "the linter", `make check`."""
    found: list[Need] = []
    while at < len(pieces):
        if pieces[at].mark:
            at += 1
            continue
        at = skip(pieces, at, DETERMINERS, IDLE, LINKS, _FILLERS)
        if at >= len(pieces):
            break
        named = _procedure(pieces, at)
        if named is None and not strict:
            named = _command(pieces, at)
        if named is None:
            return ()
        found.append(named[0])
        at = named[1]
    return tuple(found)


def _procedure(pieces: Pieces, at: int) -> tuple[Need, int] | None:
    word, following = word_at(pieces, at), word_at(pieces, at + 1)
    joined = f"{word}{following}" if word == "type" else word
    end = at + 2 if joined != word else at + 1
    for name in (joined, joined.removesuffix("s")):
        if name in PROCEDURES:
            ran = CommandPattern(("*",), without=_NOTHING_RUN, check=PROCEDURES[name])
            return Need(f"the {joined}", (), (ran,)), end
    return None


def _command(pieces: Pieces, at: int) -> tuple[Need, int] | None:
    found = read_program(pieces, at, running=True)
    if found is None:
        return None
    text = " ".join(one.text for one in pieces[at : found[1]])
    return Need(text, (), found[0].patterns), found[1]


def _topics(pieces: Pieces) -> tuple[Need, ...]:
    """Part a topic at "and" and commas, each as its content words."""
    found: list[Need] = []
    words: list[str] = []
    for piece in (*pieces, None):
        if piece is None or piece.mark or piece.word in LINKS:
            if words:
                found.append(Need(" ".join(words), tuple(words)))
            words = []
        elif piece.word not in _IDLE_TOPIC:
            words += piece.text.split()
    return tuple(found)
