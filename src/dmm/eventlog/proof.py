"""Prove a ledger's rules before they are enforced.

The whole chain is walked by `verify`, which takes too long for every start of a process. Here the
rule events alone are read, and compared with what was noted of them outside the store; only the
events since that note are walked one by one. Without the note, an event whose type was changed
would go unseen, since nothing asks for it any more.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dmm.domain.event import EventType
from dmm.errors import LedgerBroken
from dmm.eventlog.chain import GENESIS, Head, hash_payload, link
from dmm.eventlog.state import RULES
from dmm.eventlog.verify import verify

if TYPE_CHECKING:
    from dmm.eventlog.log import EventLog

SEQ, TYPE, PAYLOAD, PAYLOAD_HASH, HASH, BEFORE = 0, 2, 11, 12, 13, 14
REDACTED = str(EventType.PAYLOAD_REDACTED)
# What decides which rules hold; a redaction explains why one has no words any more.
DECISIVE = (*RULES, REDACTED)
# So many events are walked one by one at the start of a process: a few milliseconds.
NOTED_EVERY = 256
_HINT = "dmm ledger verify shows where it begins; dmm ledger restore restores a backup"


@dataclass(frozen=True, slots=True)
class Proof:
    """The event up to which the rules are proved, their digest, and where they were noted last."""

    head: Head
    rules: str = GENESIS
    noted: int = 0


def prove_rules(log: EventLog, known: Proof | None, to: Head) -> Proof:
    """Prove the rules up to an event, after what is known; refuse a ledger that was changed."""
    walk = _Walk(log, known or Proof(Head()))
    if known is None:
        known = walk.recall()
    if known is None:
        walk.meet(to.seq)
    else:
        walk.follow(known.head, to)
    walk.require_redactions()
    last = to if known is None or to.seq > known.head.seq else known.head
    return _note(log, Proof(last, walk.rules, 0 if known is None else known.noted))


def _note(log: EventLog, proof: Proof) -> Proof:
    """Record the proof outside the store from time to time."""
    far = proof.head.seq - proof.noted >= NOTED_EVERY or not proof.noted
    if log.mark is None or not far:
        return proof
    marked = log.mark.read()
    # The mark moves after a commit: what is beyond it may still be rolled back.
    if marked is None or not 0 < proof.head.seq <= marked.seq:
        return proof
    noted = log.mark.rules.note(proof.head, proof.rules)
    return Proof(proof.head, proof.rules, proof.head.seq) if noted else proof


class _Walk:
    def __init__(self, log: EventLog, known: Proof) -> None:
        self._log = log
        self._blanked: set[int] = set()
        self.rules = known.rules

    def recall(self) -> Proof | None:
        """Compare the rules with what was noted of them; None where nothing is known."""
        noted = None if self._log.mark is None else self._log.mark.rules.read()
        if noted is None:
            return None
        head, rules = noted
        if self._log.hash_of(head.seq) != head.hash:
            self._walk_all()
            return None
        self.meet(head.seq)
        if self.rules != rules:
            raise self._broken(f"the rules up to event {head.seq} are not those that were recorded")
        return Proof(head, rules, head.seq)

    def _walk_all(self) -> None:
        """Walk the whole chain: the note may be of another time, or the event was changed."""
        marked = None if self._log.mark is None else self._log.mark.read()
        found = verify(self._log.raw(), noted=marked)
        if found.first_bad is not None:
            raise self._changed(found.first_bad)

    def meet(self, to: int) -> None:
        """Prove the rule events up to an event, each by itself."""
        for row in self._log.links(DECISIVE, 0, to):
            self._take(row, row[BEFORE] or GENESIS)

    def follow(self, after: Head, to: Head) -> None:
        """Prove that the events after one follow from it, each from the one before."""
        seq, before = after.seq, after.hash
        for row in self._log.raw(after.seq, to.seq):
            seq += 1
            if row[SEQ] != seq:
                raise self._changed(seq)
            self._take(row, before)
            before = row[HASH]
        if seq < to.seq or (seq == to.seq and before != to.hash):
            raise self._changed(to.seq)

    def _take(self, row: tuple[Any, ...], before: str) -> None:
        if link(before, (*row[:PAYLOAD], row[PAYLOAD_HASH])) != row[HASH]:
            raise self._changed(row[SEQ])
        if row[TYPE] not in DECISIVE:
            return
        if row[PAYLOAD] is None and row[TYPE] != REDACTED:
            self._blanked.add(row[SEQ])
        elif row[PAYLOAD] is None or hash_payload(row[PAYLOAD]) != row[PAYLOAD_HASH]:
            raise self._changed(row[SEQ])
        self.rules = hashlib.sha256(f"{self.rules} {row[SEQ]} {row[HASH]}".encode()).hexdigest()

    def require_redactions(self) -> None:
        """Refuse a rule without words that nobody redacted.

        The redaction may just have been recorded, so it is looked for up to the newest event.
        """
        if not self._blanked:
            return
        other = _Walk(self._log, Proof(Head()))
        explained = set()
        for row in self._log.links([REDACTED], min(self._blanked), self._log.head().seq):
            other._take(row, row[BEFORE])
            explained.add(json.loads(row[PAYLOAD]).get("seq"))
        if self._blanked - explained:
            raise self._changed(min(self._blanked - explained))

    def _changed(self, seq: int) -> LedgerBroken:
        return self._broken(f"event {seq} was changed after it was recorded")

    def _broken(self, what: str) -> LedgerBroken:
        return LedgerBroken(what, where=self._log.where, hint=_HINT)
