"""What a stretch of the ledger was distilled to, as compact bytes and back.

A snapshot holds only what its own stretch added, so all of them together are read as one.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import astuple, dataclass
from typing import TYPE_CHECKING, Any

from dmm.domain.event import Trust
from dmm.domain.observation import Kind, Observation
from dmm.observations.commands import Sort
from dmm.observations.distil import Progress
from dmm.observations.episodes import Episode, Said
from dmm.observations.steps import Act, Step

if TYPE_CHECKING:
    from collections.abc import Iterable

# Another number wherever the rules change: what older rules made is then made again.
CODE = "observations-2"
FAST = 1


@dataclass(frozen=True, slots=True)
class Stretch:
    """The units that the events after `start` made or changed, and how things stood at the end.

    `end` is the hash of the last event, `root` the folder that paths were told relative to.
    """

    start: int
    end: str
    root: str
    units: tuple[Observation, ...]
    progress: Progress


def pack(stretch: Stretch) -> bytes:
    """Write a stretch as bytes."""
    told = {
        "start": stretch.start,
        "end": stretch.end,
        "root": stretch.root,
        "units": [astuple(unit) for unit in stretch.units],
        "seq": stretch.progress.seq,
        "open": [astuple(episode) for episode in stretch.progress.open.values()],
    }
    return zlib.compress(json.dumps(told, separators=(",", ":")).encode(), FAST)


def unpack(data: bytes) -> Stretch | None:
    """Read a stretch back; bytes that are not such a thing give None."""
    try:
        told = json.loads(zlib.decompress(data))
        episodes = [_episode(*row) for row in told["open"]]
        progress = Progress(told["seq"], {one.session: one for one in episodes})
        units = tuple(_unit(*row) for row in told["units"])
        return Stretch(told["start"], told["end"], told["root"], units, progress)
    except (zlib.error, ValueError, TypeError, LookupError):
        return None


def _unit(*row: Any) -> Observation:
    name, kind, title, narrative, session, at, evidence, trust, actor, facts, files = row
    return Observation(
        name, Kind(kind), title, narrative, session, at, tuple(evidence), Trust(trust), actor,
        tuple(facts), tuple(files),
    )  # fmt: skip


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
        _all_said(answers),
        tuple(Trust(one) for one in labels),
        *rest,
    )


def _all_said(rows: Iterable[Any]) -> tuple[Said, ...]:
    return tuple(_said(*row) for row in rows)


def _said(seq: int, text: str, trust: str) -> Said:
    return Said(seq, text, Trust(trust))


def _step(seq: int, act: str, target: str, sort: str, *rest: Any) -> Step:
    return Step(seq, Act(act), target, Sort(sort), *rest)
