"""What follows the thing a rule names: scopes, exceptions, what to use instead, and doubts."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dmm.policy.commands.rules import Action, BranchPattern, CommandPattern, PathPattern
from dmm.policy.spoken.names import BRANCHES, ENVIRONMENTS
from dmm.policy.spoken.needs import needs_after
from dmm.policy.spoken.places import read_branches, read_path
from dmm.policy.spoken.scopes import Scope
from dmm.policy.spoken.things import DETERMINERS, IDLE, STOPS, Thing, skip, word_at
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from dmm.policy.spoken.callrules import Need
    from dmm.policy.spoken.pieces import Pieces

_REASONS = word_set("because since as so otherwise even it they that this instead to this")
_EXCEPTIONS = word_set("unless except without until before excluding but")
_TIMES = word_set("if when while during after whenever once where outside")
_PLACES = word_set("on in to against into inside from within for at with by using under onto of")
_USE = word_set("use prefer run try install choose")
# Phrases that narrow nothing.
_PHRASES = """
    under any circumstances, under no circumstances, for any reason, in any case, at any time,
    in this repo, in this project, in this repository, in this codebase, in the repo,
    in the repository, in the project, in the codebase, in our repo, on this project,
    for this project, by hand, at all, no matter what, on your own, as a dependency, by yourself,
    from the shell, in the terminal, in any form, in any environment, in every environment,
    in all environments, on any branch, on any machine, any more, anymore
"""
_UNIVERSAL = tuple(tuple(phrase.split()) for phrase in _PHRASES.split(","))
_ENVIRONMENT_WORDS = word_set(
    """environment environments env cluster clusters server servers database databases db account
    accounts workspace namespace systems system infrastructure data resources"""
)
_NAMED_ENVIRONMENTS = {word: name for name, words in ENVIRONMENTS.items() for word in words}


@dataclass(slots=True)
class Tail:
    """What a tail said; `action` is the hardest thing the rule may still lead to."""

    thing: Thing
    scopes: list[Scope] = field(default_factory=list)
    needs: list[Need] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)
    action: Action = Action.DENY
    instead: str = ""
    lost: bool = False


def read_tail(thing: Thing, pieces: Pieces, preface: Pieces = ()) -> Tail:
    """Read what follows a thing, and the condition that stood in front."""
    tail = Tail(thing, list(thing.scopes))
    if preface:
        _read(tail, preface, 0)
    at: int | None = 0
    while at is not None and at < len(pieces) and not tail.lost:
        at = _read(tail, pieces, at)
    return tail


def _read(tail: Tail, pieces: Pieces, at: int) -> int | None:
    """Read one part of a tail and give the place of the next; none at its end."""
    if pieces[at].mark:
        return _after_comma(tail, pieces, at + 1)
    word = pieces[at].word
    passed = _universal(pieces, at)
    if passed > at:
        return passed
    if word in _REASONS and not (word == "to" and _is_place(pieces, at)):
        return _instead(tail, pieces, at + 1)
    if word in _EXCEPTIONS:
        return _exception(tail, pieces, at)
    if word in _TIMES:
        return _doubt(tail, pieces, at, Action.WARN)
    if word in _PLACES:
        return _place(tail, pieces, at)
    # What else is forbidden was not read; what was read still is, if it stands on its own.
    tail.lost = word not in ("or", "nor") or tail.thing.broad
    return _instead(tail, pieces, at + 1)


def _is_place(pieces: Pieces, at: int) -> bool:
    return _environment(pieces, at + 1) is not None or read_branches(pieces, at + 1) is not None


def _after_comma(tail: Tail, pieces: Pieces, at: int) -> int | None:
    """Go on behind a comma with a condition; anything else there is a remark."""
    word = word_at(pieces, at)
    if word in _USE or (word in ("always", "please") and word_at(pieces, at + 1) in _USE):
        return _instead(tail, pieces, at)
    known = word in _EXCEPTIONS | _TIMES | (_PLACES - {"of", "by"})
    return at if known or _universal(pieces, at) > at else _instead(tail, pieces, at)


def _instead(tail: Tail, pieces: Pieces, at: int) -> int | None:
    """Find what to use instead in a remark, which ends the tail; an exception in it counts."""
    for place in range(at, len(pieces)):
        if pieces[place].word in ("unless", "except", "until"):
            return _doubt(tail, pieces, place, Action.ASK)
    for place in range(at, len(pieces) - 1):
        if pieces[place].word in _USE:
            told = [one.text for one in pieces[place + 1 :] if one.word != "instead"]
            tail.instead = " ".join(told).replace(" ,", ",").strip(", ")
            break
    return None


def _universal(pieces: Pieces, at: int) -> int:
    for words in _UNIVERSAL:
        if tuple(one.word for one in pieces[at : at + len(words)]) == words:
            return at + len(words)
    return skip(pieces, at, IDLE)


def _doubt(tail: Tail, pieces: Pieces, at: int, action: Action) -> int | None:
    """Note what can't be checked, to the end of the tail."""
    words = " ".join(one.text for one in pieces[at:]).replace(" ,", ",")
    tail.doubts.append(words)
    if action is Action.WARN or tail.action is Action.DENY:
        tail.action = action
    return None


def _exception(tail: Tail, pieces: Pieces, at: int) -> int | None:
    inner = skip(pieces, at + 1, frozenset(("for", "in", "on", "to", "under", "from", "with")))
    flags = [one.text for one in pieces[inner:] if one.text.startswith("-")]
    if pieces[at].word == "without" and inner < len(pieces) and flags[:1] == [pieces[inner].text]:
        tail.thing = _without(tail.thing, flags[0])
        return inner + 1
    needs = needs_after(pieces, at + 1) if pieces[at].word in ("without", "before", "until") else ()
    if needs:
        tail.needs += needs
        return None
    path, branches = read_path(pieces, inner), read_branches(pieces, inner)
    first = tail.thing.patterns[0]
    if path and isinstance(first, PathPattern):
        lifted = tuple(PathPattern(glob) for glob in path[0])
        tail.thing = replace(tail.thing, exceptions=(*tail.thing.exceptions, *lifted))
        return path[1]
    if branches and isinstance(first, BranchPattern):
        kept = tuple(BranchPattern(name) for name in branches[0])
        tail.thing = replace(tail.thing, exceptions=(*tail.thing.exceptions, *kept))
        return branches[1]
    return _doubt(tail, pieces, at, Action.ASK)


def _without(thing: Thing, flag: str) -> Thing:
    return replace(
        thing,
        patterns=tuple(
            one.changed(without=tuple(dict.fromkeys((*one.without, flag))))
            if isinstance(one, CommandPattern)
            else one
            for one in thing.patterns
        ),
    )


def _place(tail: Tail, pieces: Pieces, at: int) -> int | None:
    word = pieces[at].word
    flagged = _flags(tail, pieces, at)
    if flagged is not None:
        return flagged
    if word == "with" and word_at(pieces, at + 1) == "sudo":
        tail.thing = _by_sudo(tail.thing)
        return at + 2
    environment = _environment(pieces, at + 1)
    branch = read_branches(pieces, at + 1) if word in ("on", "to", "into", "onto", "in") else None
    if branch and (environment is None or _is_git(tail.thing) or branch[1] > environment[1]):
        tail.scopes.append(Scope("branch", branch[0]))
        return branch[1]
    if environment:
        tail.scopes.append(Scope("environment", (environment[0],)))
        return environment[1]
    folder = (
        read_path(pieces, at + 1) if word in ("in", "inside", "within", "from", "under") else None
    )
    if folder and not any("*" in glob and not glob.endswith("/**") for glob in folder[0][:1]):
        tail.scopes.append(Scope("folder", (folder[0][0].removesuffix("/**"),)))
        return folder[1]
    if word in ("with", "by", "using", "of"):
        # The manner of an act does not show in a call.
        tail.lost = True
        return None
    return _doubt(tail, pieces, at, Action.WARN)


def _flags(tail: Tail, pieces: Pieces, at: int) -> int | None:
    """ "Run git clean with -f": the option belongs to the command."""
    place = skip(pieces, at + 1, DETERMINERS)
    if pieces[at].word not in ("with", "using") or place >= len(pieces):
        return None
    flag = pieces[place].text
    if not flag.startswith("-") or " " in flag:
        return None
    tail.thing = replace(
        tail.thing,
        broad=False,
        patterns=tuple(
            one.changed(flags=(*one.flags, flag)) if isinstance(one, CommandPattern) else one
            for one in tail.thing.patterns
        ),
    )
    return skip(pieces, place + 1, word_set("flag flags option options switch"))


def _by_sudo(thing: Thing) -> Thing:
    commands = [one for one in thing.patterns if isinstance(one, CommandPattern)]
    patterns = tuple(
        CommandPattern(("sudo",), (one.programs[0], *one.operands), one.flags) for one in commands
    )
    return replace(thing, patterns=patterns or thing.patterns, broad=False)


def _is_git(thing: Thing) -> bool:
    return all(
        isinstance(one, BranchPattern)
        or (isinstance(one, CommandPattern) and one.programs == ("git",))
        for one in thing.patterns
    )


def _environment(pieces: Pieces, at: int) -> tuple[str, int] | None:
    at = skip(pieces, at, DETERMINERS)
    name = _NAMED_ENVIRONMENTS.get(word_at(pieces, at))
    end = skip(pieces, at + 1, _ENVIRONMENT_WORDS)
    whole = end >= len(pieces) or pieces[end].mark or pieces[end].word in STOPS | BRANCHES
    return (name, end) if name and whole else None
