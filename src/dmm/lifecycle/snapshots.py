"""Usage as compact bytes, so that counting need not start at event one."""

from __future__ import annotations

import json
import zlib
from typing import Any

from dmm.lifecycle.usage import Course, Objection, Tally, Usage, Use

CODE = "usage-1"
FAST = 1


def pack(usage: Usage) -> bytes:
    """Write usage as bytes; equal usage gives equal bytes."""
    return zlib.compress(usage.canonical(), FAST)


def unpack(data: bytes, seq: int) -> Usage | None:
    """Read the usage at an event back; bytes that are not such a thing give None."""
    try:
        told = json.loads(zlib.decompress(data))
        usage = Usage(
            seq=told["seq"],
            memories={key: _use(*row) for key, row in told["memories"].items()},
            sessions={name: _course(*row) for name, row in told["sessions"].items()},
            packs=dict(told["packs"]),
        )
    except (zlib.error, ValueError, TypeError, LookupError, AttributeError):
        return None
    return usage if usage.seq == seq else None


def _use(*row: Any) -> Use:
    identity, path, served, last_served, helped, last_helped, objections = row
    told = tuple(Objection(*one) for one in objections)
    return Use(identity, path, served, last_served, helped, last_helped, told)


def _course(tally: Any, settled: bool, given: Any, said: Any) -> Course:
    begun = {key: Tally(*row) for key, row in given.items()}
    return Course(Tally(*tally), settled, begun, dict(said))
