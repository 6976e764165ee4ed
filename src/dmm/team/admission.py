"""Whether the log accepts a batch: pure, the same for every database."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.event import EventType, canonical
from dmm.team.chain import link_entry, read_payload
from dmm.team.keys import is_signed
from dmm.team.port import MOST_PUSHED, Forked, Gap, Refused, Revoked
from dmm.team.proofs import leave_proof
from dmm.team.roles import may_send, tell_forbidden
from dmm.team.sharing import MAX_PAYLOAD, MAX_WORDS, is_shareable
from dmm.team.usage_counts import tell_day

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dmm.team.chain import Entry, LogName, WriterHead
    from dmm.team.port import Batch

    # The hash that the log holds for a number of this writer.
    HashOf = Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Admitted:
    """The entries of a batch that the log does not hold yet."""

    new: tuple[Entry, ...]


@dataclass(frozen=True, slots=True)
class Examined:
    """What is wrong with a batch whatever the log holds: with all of it, or by number."""

    fault: str
    unsound: Mapping[int, str]


def examine(log: LogName, name: str, key: str, batch: Batch) -> Examined:
    """Check entries, their links and signatures: what takes long, and needs no lock."""
    fault = _find_fault(name, batch.entries)
    unsound = {}
    previous = batch.previous
    for one in () if fault else batch.entries:
        if one.whash != link_entry(log, previous, one):
            unsound[one.wseq] = f"event {one.wseq} does not match its hash"
        elif not is_signed(key, one.whash, one.signature):
            unsound[one.wseq] = f"event {one.wseq} is not signed by its writer"
        previous = one.whash
    return Examined(fault, unsound)


def admit(
    writer: WriterHead, batch: Batch, examined: Examined, hash_of: HashOf
) -> Admitted | Gap | Forked | Revoked | Refused:
    """Judge a batch by what the log knows of its writer."""
    if writer.revoked:
        return Revoked()
    if not batch.entries:
        return Admitted(())
    # What the log holds was sent under an earlier role, and its answer was lost.
    new = (one.type for one in batch.entries if one.wseq > writer.wseq)
    forbidden = [kind for kind in new if not may_send(writer.role, kind)]
    fault = tell_forbidden(writer.role, forbidden[0]) if forbidden else examined.fault
    if fault:
        return Refused(fault)
    first = batch.entries[0].wseq
    if first > writer.wseq + 1:
        return Gap(writer.wseq + 1)
    if batch.previous != (writer.whash if first == writer.wseq + 1 else hash_of(first - 1)):
        return Forked(first - 1)
    return _continue(writer, batch, examined, hash_of)


def _find_fault(name: str, entries: Sequence[Entry]) -> str:
    """Say why no log could take these entries; empty where one could."""
    if len(entries) > MOST_PUSHED:
        return f"at most {MOST_PUSHED} events at once"
    first = entries[0].wseq if entries else 1
    if [one.wseq for one in entries] != list(range(first, first + len(entries))) or first < 1:
        return "the numbers of the events have gaps"
    if any(one.writer != name for one in entries):
        return "an event of another writer"
    if any(len(one.payload) > MAX_PAYLOAD for one in entries):
        return f"an event can hold at most {MAX_PAYLOAD >> 10} KiB"
    if not all(map(_is_shared, entries)):
        return "an event of a private type or with a private field"
    if any(map(_says_too_much, entries)):
        return f"an event can say at most {MAX_WORDS >> 10} KiB"
    return ""


def _says_too_much(entry: Entry) -> bool:
    """Return whether an entry takes the room of a proof for its words."""
    if len(entry.payload) <= MAX_WORDS:
        return False
    return len(canonical(leave_proof(read_payload(entry)))) > MAX_WORDS


def _is_shared(entry: Entry) -> bool:
    """Return whether the list allows an entry, and its payload is written in the one form."""
    payload = read_payload(entry)
    if not is_shareable(entry.type, payload) or canonical(payload) != entry.payload:
        return False
    told = {name: str(value) for name, value in payload.items()}
    counts = entry.type == EventType.USAGE_REPORTED
    return not counts or tell_day(entry.id, entry.at, entry.writer, told) is not None


def _continue(
    writer: WriterHead, batch: Batch, examined: Examined, hash_of: HashOf
) -> Admitted | Forked | Refused:
    """Compare what is known, and take what is new and sound."""
    for one in batch.entries:
        if one.wseq <= writer.wseq:
            if one.whash != hash_of(one.wseq):
                return Forked(one.wseq)
        elif one.wseq in examined.unsound:
            return Refused(examined.unsound[one.wseq])
    return Admitted(tuple(one for one in batch.entries if one.wseq > writer.wseq))
