"""Whether the log takes a batch: pure, the same for every database."""

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
    from collections.abc import Callable, Sequence

    from dmm.team.chain import Entry, LogName, WriterHead
    from dmm.team.port import Batch

    # The hash that the log holds for a number of this writer.
    HashOf = Callable[[int], str]


@dataclass(frozen=True, slots=True)
class Admitted:
    """The entries of a batch that the log does not hold yet."""

    new: tuple[Entry, ...]


def admit(
    log: LogName, name: str, writer: WriterHead, batch: Batch, hash_of: HashOf
) -> Admitted | Gap | Forked | Revoked | Refused:
    """Judge a batch by what the log knows of its writer."""
    if writer.revoked:
        return Revoked()
    if not batch.entries:
        return Admitted(())
    fault = _find_fault(name, writer, batch.entries)
    if fault:
        return Refused(fault)
    first = batch.entries[0].wseq
    if first > writer.wseq + 1:
        return Gap(writer.wseq + 1)
    if batch.previous != (writer.whash if first == writer.wseq + 1 else hash_of(first - 1)):
        return Forked(first - 1)
    return _continue(log, writer, batch, hash_of)


def _find_fault(name: str, writer: WriterHead, entries: Sequence[Entry]) -> str:
    """Say why no log could take these entries; empty where one could."""
    # What the log holds was sent under an earlier role, and its answer was lost.
    new = (one.type for one in entries if one.wseq > writer.wseq)
    forbidden = [kind for kind in new if not may_send(writer.role, kind)]
    if forbidden:
        return tell_forbidden(writer.role, forbidden[0])
    if len(entries) > MOST_PUSHED:
        return f"at most {MOST_PUSHED} events at once"
    first = entries[0].wseq
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
    log: LogName, writer: WriterHead, batch: Batch, hash_of: HashOf
) -> Admitted | Forked | Refused:
    """Compare what is known, and check the links and signatures of what is new."""
    previous = batch.previous
    new = []
    for one in batch.entries:
        if one.wseq <= writer.wseq:
            if one.whash != hash_of(one.wseq):
                return Forked(one.wseq)
        elif one.whash != link_entry(log, previous, one):
            return Refused(f"event {one.wseq} does not match its hash")
        elif not is_signed(writer.key, one.whash, one.signature):
            return Refused(f"event {one.wseq} is not signed by its writer")
        else:
            new.append(one)
        previous = one.whash
    return Admitted(tuple(new))
