"""What a project's log says that can be searched: a fold of its events into passages.

Only what the list of shared types and fields allows is a passage. A rule that was lifted is none
any more, nor is a fact that was recorded anew.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.team.chain import read_payload
from dmm.team.sharing import ADDS, LIFTED, is_shareable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from dmm.team.chain import Placed

VERSION = "passages-1"


@dataclass(frozen=True, slots=True)
class Passage:
    """One event in words; `key` names what it says something about, and the last word counts."""

    key: str
    seq: int
    type: str
    writer: str
    at: str
    text: str


# How each type is worded; the others hold nothing that anybody would search for.
_TELL: Mapping[str, Callable[[Mapping[str, str]], str]] = {
    EventType.CONSTRAINT_ADDED: lambda told: told["text"],
    EventType.CONSTRAINT_ACCEPTED: lambda told: told["text"],
    EventType.FACT_ADDED: lambda told: f"{told['key']}: {told['value']}",
    EventType.DECISION_MADE: lambda told: told["text"],
    EventType.DECISION_BLOCKED: lambda told: told["text"],
    EventType.PROPOSAL_REVIEWED: lambda told: _list_paths(told["verdict"], told),
    EventType.CONFLICT_RESOLVED: lambda told: _list_paths(told["action"], told),
    EventType.OBSERVATION_MADE: lambda told: f"{told['title']}\n{told['text']}",
}
SEARCHED = frozenset(map(str, _TELL))


def tell_words(kind: str, told: Mapping[str, str]) -> str:
    """Return what an event says, in words."""
    return "this rule no longer holds" if kind == LIFTED else _TELL[kind](told)


def fold_passages(events: Iterable[Placed]) -> dict[str, Passage | None]:
    """Return what events change by key: the passage that is there after them, or None."""
    changes: dict[str, Passage | None] = {}
    for one in events:
        entry, payload = one.entry, read_payload(one.entry)
        told = {name: str(value) for name, value in payload.items()}
        if entry.type == LIFTED:
            # Laptops lift their own, the server all.
            changes[_name("rule", told.get("of", ""))] = None
        elif entry.type in _TELL and is_shareable(entry.type, payload):
            key, text = _find_key(entry.type, entry.id, told), tell_words(entry.type, told)
            changes[key] = Passage(key, one.seq, entry.type, entry.writer, entry.at, text)
    return changes


def _find_key(kind: str, identity: str, told: Mapping[str, str]) -> str:
    if kind in ADDS:
        return _name("rule", told.get("of", identity))
    if kind in (EventType.FACT_ADDED, EventType.CONFLICT_RESOLVED):
        return _name(kind, told["key"])
    return _name("event", identity)


def _name(kind: str, of: str) -> str:
    """Name a key by its digest: a key of a fact may be longer than a database indexes."""
    return hashlib.sha256(f"{kind}\0{of}".encode()).hexdigest()


def _list_paths(lead: str, told: Mapping[str, str]) -> str:
    return f"{lead}: {', '.join(told['paths'].splitlines())}"
