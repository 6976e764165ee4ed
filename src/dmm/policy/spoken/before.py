"""Rules of the form "do X before Y" where Y is a command."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.policy.spoken.build import make_rule
from dmm.policy.spoken.clauses import verb_of
from dmm.policy.spoken.needs import needs_after
from dmm.policy.spoken.programs import command_patterns
from dmm.policy.spoken.reading import read_thing
from dmm.policy.spoken.things import DETERMINERS, IDLE, Thing, skip, word_at
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from dmm.policy.spoken.callrules import CallRule
    from dmm.policy.spoken.pieces import Pieces

_LEADS = word_set("you we each every any always must should please i")
_ACTS = {"push": "push", "commit": "commit"}


def read_before(sentence: Pieces) -> list[CallRule]:
    """Read "X before Y" or "before Y, X"; both have to be certain."""
    turn = next((at for at, one in enumerate(sentence) if one.word == "before"), None)
    if turn is None:
        return []
    if turn > 0:
        first, act = sentence[:turn], sentence[turn + 1 :]
    else:
        comma = next((at for at, one in enumerate(sentence) if one.mark), len(sentence))
        first, act = sentence[comma + 1 :], sentence[1:comma]
    needs = needs_after(first, 0)
    thing = _act(act)
    return [make_rule(thing, needs=needs)] if needs and thing else []


def _act(pieces: Pieces) -> Thing | None:
    at = skip(pieces, 0, _LEADS, DETERMINERS, IDLE)
    verb = verb_of(word_at(pieces, at))
    end = skip(pieces, at + 1, IDLE)
    if verb in _ACTS and end >= len(pieces):
        return Thing(command_patterns(["git", _ACTS[verb]]))
    found = read_thing(pieces, at + 1, verb) if verb else read_thing(pieces, at, "run")
    if found is None or skip(pieces, found[1], IDLE) < len(pieces) or found[0].scopes:
        return None
    return found[0]
