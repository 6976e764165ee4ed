"""What the team's log says, in the order of the server, and where this laptop differs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.domain.proposal import Verdict
from dmm.team.chain import JOINED, PASSKEY, REVOKED, SERVER, read_payload
from dmm.team.proofs import APPROVALS, APPROVED, leave_proof
from dmm.team.sharing import is_shareable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dmm.eventlog.state import Fact
    from dmm.team.chain import Placed


@dataclass(frozen=True, slots=True)
class Shared:
    """One event of the log; `name` is what its laptop is called.

    A passkey has `proved` that a person said it; else it is the laptop's word.
    """

    seq: int
    id: str
    at: str
    writer: str
    name: str
    type: str
    told: Mapping[str, str]
    proved: bool = False


@dataclass(slots=True)
class Laptops:
    """What the log tells of laptops so far: their names, and whose word needs a passkey."""

    names: dict[str, str] = field(default_factory=dict)
    bound: set[str] = field(default_factory=set)

    def follow(self, kind: str, told: Mapping[str, str]) -> None:
        """Take in what the server says of one."""
        writer = told.get("writer", "")
        if kind == JOINED:
            self.names[writer] = told.get("name", "")
        elif kind == PASSKEY and told.get("scope") == APPROVALS:
            self.bound.add(writer)


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
    laptops = Laptops()
    return tuple(tell_shared(one, laptops) for one in events)


def tell_shared(one: Placed, laptops: Laptops) -> Shared:
    """Return an event in words; update what is known of laptops."""
    entry = one.entry
    payload = read_payload(entry)
    # Whoever received it has checked the proof.
    said = leave_proof(payload) if entry.type in APPROVED else payload
    proved = len(said) < len(payload) and entry.writer in laptops.bound
    told = {name: str(value) for name, value in said.items()}
    if entry.writer == SERVER:
        laptops.follow(entry.type, told)
        # A key tells nobody anything.
        told.pop("key", None)
        told.pop("signature", None)
    elif not is_shareable(entry.type, said):
        told = {}
    name = laptops.names.get(entry.writer, "")
    return Shared(one.seq, entry.id, entry.at, entry.writer, name, entry.type, told, proved)


def tell_by(name: str, *, proved: bool) -> str:
    """Say whose word something is, and whether that is proved."""
    return f"{name}, {'proved by passkey' if proved else 'said by the laptop alone'}"


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
