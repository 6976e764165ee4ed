"""An open episode as text and back, so that reading can continue."""

from __future__ import annotations

import json
from typing import Any

from dmm.domain.event import Trust
from dmm.observations.commands import Sort
from dmm.observations.episodes import Episode, Said
from dmm.observations.steps import Act, Step

# Another number wherever the rules change: what older rules made is then made again.
RULES = "observations-4"


def write_episode(episode: Episode) -> str:
    """Write an episode as text."""
    return json.dumps(episode, default=_to_row, separators=(",", ":"))


def _to_row(value: Episode | Said | Step) -> list[object]:
    """Return the fields of a value; not `astuple`, which copies each of them."""
    return [getattr(value, name) for name in value.__match_args__]


def read_episode(text: str) -> Episode | None:
    """Read an episode back; a text that is not such a thing gives None."""
    try:
        return _episode(*json.loads(text))
    except (ValueError, TypeError, LookupError, RecursionError):
        return None


def _episode(*row: Any) -> Episode:
    session, anchor, at, actor, prompt, steps, edited, looked_at, answers, labels, *rest = row
    return Episode(
        session,
        anchor,
        at,
        actor,
        None if prompt is None else _said(*prompt),
        tuple(_step(*one) for one in steps),
        tuple(edited),
        tuple(looked_at),
        tuple(_said(*row) for row in answers),
        tuple(Trust(one) for one in labels),
        *rest,
    )


def _said(seq: int, text: str, trust: str) -> Said:
    return Said(seq, text, Trust(trust))


def _step(seq: int, act: str, target: str, sort: str, *rest: Any) -> Step:
    return Step(seq, Act(act), target, Sort(sort), *rest)
