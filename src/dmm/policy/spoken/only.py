"""Rules of the form "only X" and "always X": the others of its family are forbidden."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.policy.commands.rules import BranchPattern, CommandPattern, PathPattern
from dmm.policy.spoken.build import make_rule
from dmm.policy.spoken.clauses import verb_of
from dmm.policy.spoken.names import BOTH_NAMES, CHANGING, MANAGERS
from dmm.policy.spoken.places import read_branch_act, read_touched
from dmm.policy.spoken.programs import command_patterns
from dmm.policy.spoken.things import DETERMINERS, Thing, skip, word_at
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from dmm.policy.spoken.callrules import CallRule
    from dmm.policy.spoken.pieces import Pieces

_LEADS = word_set("always only exclusively please you we must should")
_PURPOSE = word_set(
    """for as to in this the project repo repository codebase python javascript js ts typescript
    node package packages dependency dependencies management manager managing installing install
    installs and all our your modules libraries manage add adding a"""
)


def read_only(sentence: Pieces) -> list[CallRule]:
    """Read "only use pnpm", "only push to develop", "only edit files in src/"."""
    at = skip(sentence, 0, _LEADS)
    words = {one.word for one in sentence[: at + 2]}
    only = "only" in words or "exclusively" in words
    if not only and "always" not in words:
        return []
    verb = verb_of(word_at(sentence, at))
    at = skip(sentence, at + 1, frozenset(("only", "exclusively")))
    if verb in ("use", "run"):
        return _family(sentence, at)
    if not only:
        return []
    if verb == "push":
        return _branches(sentence, at)
    return _folders(sentence, at) if verb == "edit" else []


def _family(pieces: Pieces, at: int) -> list[CallRule]:
    at = skip(pieces, at, DETERMINERS)
    chosen = pieces[at].text.lower() if at < len(pieces) else ""
    rest = skip(pieces, at + 1, _PURPOSE)
    if rest < len(pieces) and not pieces[rest].mark:
        return []
    for members in MANAGERS.values():
        if chosen in members:
            patterns = [
                pattern
                for other in members
                if other != chosen
                for pattern in _rival(other, whole=members is MANAGERS["javascript"])
            ]
            return [make_rule(Thing(tuple(patterns)), instead=chosen)]
    return []


def _rival(program: str, *, whole: bool) -> tuple[CommandPattern, ...]:
    if whole:
        return command_patterns([program])
    found = [CommandPattern(BOTH_NAMES.get(program, (program,)), (CHANGING,))]
    if program == "pip":
        found.append(CommandPattern(("python*",), ("pip", CHANGING), ("-m",)))
    return tuple(found)


def _branches(pieces: Pieces, at: int) -> list[CallRule]:
    found = read_branch_act(pieces, at, "push")
    if found is None or found[1] < len(pieces):
        return []
    anything = (BranchPattern("*", ("push", "force-push")),)
    return [make_rule(Thing(anything, exceptions=found[0].patterns))]


def _folders(pieces: Pieces, at: int) -> list[CallRule]:
    found = read_touched(pieces, at, "edit")
    if found is None or found[1] < len(pieces):
        return []
    # What lies outside the project has an absolute path; the rule is about the project.
    outside = (PathPattern("/**"), PathPattern("~/**"), PathPattern("$*"))
    thing = Thing((PathPattern("**", ("write",)),), exceptions=(*found[0].patterns, *outside))
    return [make_rule(thing)]
