"""An event in the form that is shared."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.event import ID_RANDOMNESS, new_id

if TYPE_CHECKING:
    import datetime as dt


@dataclass(frozen=True, slots=True)
class Told:
    """An event in the form that is shared; references are ids, since numbers are local."""

    id: str
    type: str
    at: str
    payload: str


def tell(kind: str, payload: str, at: dt.datetime) -> Told:
    """Tell something anew, with an id of its own."""
    identity = new_id(int(at.timestamp() * 1000), secrets.token_bytes(ID_RANDOMNESS))
    return Told(identity, kind, at.isoformat(timespec="milliseconds"), payload)
