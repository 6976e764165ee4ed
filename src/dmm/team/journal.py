"""What the team's log says, in the order of the server, and where this laptop differs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.domain.proposal import Verdict
from dmm.team.chain import JOINED, REVOKED, SERVER, read_payload
from dmm.team.sharing import is_shareable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dmm.eventlog.state import Fact
    from dmm.team.chain import Placed


@dataclass(frozen=True, slots=True)
class Shared:
    """One event of the log; `name` is what its laptop is called."""

    seq: int
    id: str
    at: str
    writer: str
    name: str
    type: str
    told: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Difference:
    """A fact that this laptop holds otherwise than the log, where the last word counts."""

    key: str
    here: str
    team: str
    seq: int


@dataclass(frozen=True, slots=True)
class Waiting:
    """A proposal on another laptop that nobody has decided yet, and its files."""

    seq: int
    name: str
    operation: str
    paths: tuple[str, ...]


def read_shared(events: Iterable[Placed]) -> tuple[Shared, ...]:
    """Return the events in words; of what no list allows, nothing is told."""
    names: dict[str, str] = {}
    return tuple(tell_shared(one, names) for one in events)


def tell_shared(one: Placed, names: dict[str, str]) -> Shared:
    """Return an event in words; `names` are those of the laptops so far, and are kept up."""
    entry = one.entry
    told = {name: str(value) for name, value in read_payload(entry).items()}
    if entry.writer == SERVER:
        # A key tells nobody anything.
        told.pop("key", None)
        told.pop("signature", None)
    elif not is_shareable(entry.type, read_payload(entry)):
        told = {}
    if entry.writer == SERVER and entry.type == JOINED:
        names[told.get("writer", "")] = told.get("name", "")
    name = names.get(entry.writer, "")
    return Shared(one.seq, entry.id, entry.at, entry.writer, name, entry.type, told)


def find_differences(shared: Iterable[Shared], facts: Mapping[str, Fact]) -> tuple[Difference, ...]:
    """Compare the facts of the log with those of this ledger; the last one in its order counts."""
    last: dict[str, Difference] = {}
    for one in shared:
        key = one.told.get("key", "")
        if one.type == EventType.FACT_ADDED and key in facts:
            last[key] = Difference(key, facts[key].value, one.told["value"], one.seq)
    return tuple(one for one in last.values() if one.here != one.team)


def find_waiting(shared: Iterable[Shared], own: str) -> tuple[Waiting, ...]:
    """Return the proposals of others that were neither rejected nor applied so far.

    Those of a laptop that was removed or has left wait for nobody.
    """
    found: dict[str, Waiting] = {}
    made: dict[str, list[str]] = {}
    for one in shared:
        told = one.told
        if one.type == EventType.PROPOSAL_MADE and told and one.writer != own:
            paths = tuple(told["paths"].split("\n"))
            made.setdefault(one.writer, []).append(one.id)
            found[one.id] = Waiting(one.seq, one.name or one.writer, told["operation"], paths)
        elif told.get("verdict") == Verdict.REJECTED or one.type == EventType.PROPOSAL_APPLIED:
            found.pop(told.get("of", ""), None)
        elif one.type == REVOKED and one.writer == SERVER:
            for identity in made.pop(told.get("writer", ""), ()):
                found.pop(identity, None)
    return tuple(found.values())
