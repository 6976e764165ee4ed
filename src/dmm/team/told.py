"""An event in the form that is shared."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Told:
    """An event in the form that is shared; references are ids, since numbers are local."""

    id: str
    type: str
    at: str
    payload: str
