"""The hash chain: each event includes the hash of the one before."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

GENESIS = "0" * 64


@dataclass(frozen=True, slots=True)
class Head:
    """The newest event: its number and its hash."""

    seq: int = 0
    hash: str = GENESIS


def hash_payload(text: str) -> str:
    """Hash a payload as it is stored; the chain holds this hash, so a payload can be blanked."""
    return hashlib.sha256(text.encode()).hexdigest()


def link(previous: str, columns: Sequence[str | int | None]) -> str:
    """Hash the stored columns of an event, its payload's hash last, after the hash before it.

    Each is written with its length in bytes, so that no two lists of columns look the same; what is
    absent is a dash.
    """
    try:
        text = _spell_event(previous, columns)
    except (TypeError, ValueError):
        # No columns of ours, as in a file that was damaged or forged.
        text = previous + "".join(map(_spell, columns))
    return hashlib.sha256(text.encode()).hexdigest()


def _spell(value: object) -> str:
    return "-" if value is None else f"{_count_bytes(str(value))}:{value}"


def _count_bytes(text: str) -> int:
    return len(text.encode())


def _spell_event(previous: str, columns: Sequence[Any]) -> str:
    """Spell the columns of an event at once, which is quicker; raise if one has the wrong type."""
    seq, identity, kind, version, at, actor, source, trust, session, cause, refs, payload = columns
    within = "" if session is None else session
    ascii_ = "".join((identity, kind, at, actor, source, trust, within, refs, payload)).isascii()
    size = len if ascii_ else _count_bytes
    number, revision = int.__repr__(seq), int.__repr__(version)
    return (
        f"{previous}{len(number)}:{number}{size(identity)}:{identity}{size(kind)}:{kind}"
        f"{len(revision)}:{revision}{size(at)}:{at}{size(actor)}:{actor}{size(source)}:{source}"
        f"{size(trust)}:{trust}{'-' if session is None else f'{size(session)}:{session}'}"
        f"{'-' if cause is None else _spell(int.__repr__(cause))}"
        f"{size(refs)}:{refs}{size(payload)}:{payload}"
    )
