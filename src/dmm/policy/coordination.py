"""Acts joined under one verb: "ship A to X and B to Y" is two acts."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.policy.acts import Act
    from dmm.policy.language import Token
    from dmm.policy.phrases import Phrase

_JOINTS = frozenset(("and", "or", "but", ",", "&"))
# Longer rows are lists, not acts.
_MOST_PHRASES = 24


def parted(tokens: Sequence[Token], act: Act) -> list[Act]:
    """The acts of one verb, each with what belongs to it alone."""
    verb = act.verb
    if verb is None or len(act.phrases) > _MOST_PHRASES:
        return [act]
    shared = [phrase for phrase in act.phrases if phrase.indices[0] < verb]
    groups = _groups(tokens, [phrase for phrase in act.phrases if phrase.indices[0] > verb])
    if len(groups) < 2:
        return [act]
    things = [phrase for phrase in groups[0] if phrase.preposition is None]
    found: list[Act] = []
    for group in groups:
        own = any(phrase.preposition is None for phrase in group)
        found.append(replace(act, phrases=(*shared, *(() if own else things), *group)))
    return found


def _groups(tokens: Sequence[Token], phrases: list[Phrase]) -> list[list[Phrase]]:
    """The phrases parted where a second row of the same prepositions begins."""
    runs: list[list[Phrase]] = []
    for phrase in phrases:
        if not runs or _joint(tokens, runs[-1][-1], phrase) is not None:
            runs.append([])
        runs[-1].append(phrase)
    groups: list[list[Phrase]] = []
    for run in runs:
        again = _again(tokens, groups[-1], run) if groups else None
        if again is not None:
            groups.append(again)
        elif groups:
            groups[-1] += run
        else:
            groups.append(run)
    return groups


def _joint(tokens: Sequence[Token], before: Phrase, after: Phrase) -> int | None:
    between = range(before.indices[-1] + 1, after.indices[0])
    return next((index for index in between if tokens[index].text in _JOINTS), None)


def _again(tokens: Sequence[Token], group: list[Phrase], run: list[Phrase]) -> list[Phrase] | None:
    """The run as a row of its own, or None when it goes on with the group."""
    seen = {phrase.preposition for phrase in group}
    first = run[0]
    joint = _joint(tokens, group[-1], first)
    between = {tokens[index].text for index in range((joint or 0) + 1, first.indices[0])}
    if len(run) < 2 or run[1].preposition is None:
        return None
    if between & lex.PREPOSITIONS:
        return run if {first.preposition, run[1].preposition} <= seen else None
    fresh = None in seen and bool(between & lex.DETERMINERS) and len(seen) > 1
    if fresh or run[1].preposition in seen:
        return [replace(first, preposition=None), *run[1:]]
    return None
