"""Verify that the log is complete, unedited, in order and not cut off."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from dmm.domain.event import EventType
from dmm.domain.frozen import frozen
from dmm.eventlog.chain import GENESIS, Head, hash_payload, link

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

TYPE, PAYLOAD, PAYLOAD_HASH, HASH = 2, 11, 12, 13


@frozen
class Anchor:
    """A head that was written down outside the ledger, in a file that Git keeps.

    `ledger` is the hash of the first event: a clone of the repository has the anchors of other
    people's ledgers too. Empty, it is an anchor of this one.
    """

    seq: int
    hash: str
    date: str = ""
    ledger: str = ""


@frozen
class Verification:
    """The result: how many events were checked, and the first bad one with the reason.

    `anchors` are those of this ledger, `foreign` those of others.
    """

    events: int
    blanked: int
    head: str
    first_bad: int | None = None
    reason: str | None = None
    anchors: int = 0
    foreign: int = 0

    @property
    def valid(self) -> bool:
        """Whether nothing found."""
        return self.first_bad is None


def verify(
    rows: Iterable[tuple[Any, ...]], anchors: Sequence[Anchor] = (), noted: Head | None = None
) -> Verification:
    """Walk the chain from the first event and stop at the first that is not as it was recorded.

    `noted` is the newest event by the mark in the user's state folder.
    """
    walk = _Walk(anchors, noted)
    for row in rows:
        fault = walk.step(row)
        if fault is not None:
            return walk.result(walk.seq + 1, fault)
    unexplained = walk.blanked - walk.redacted
    if unexplained:
        return walk.result(min(unexplained), "its payload is missing without a record of redaction")
    cut = [seq for seq in walk.expected if seq > walk.seq]
    if cut:
        return walk.result(walk.seq + 1, f"the log was anchored at {max(cut)} and is now shorter")
    if noted is not None and noted.seq > walk.seq:
        what = f"event {noted.seq} was noted in the user's state folder, but the log ends at"
        return walk.result(walk.seq + 1, f"{what} {walk.seq}")
    return walk.result(None, None)


class _Walk:
    def __init__(self, anchors: Sequence[Anchor], noted: Head | None) -> None:
        self.seq = 0
        self.hash = GENESIS
        self.blanked: set[int] = set()
        self.redacted: set[int] = set()
        self.anchors = anchors
        self.noted = Head() if noted is None else noted
        self.expected = _expect(anchors, "")

    def step(self, row: tuple[Any, ...]) -> str | None:
        seq, payload, digest = row[0], row[PAYLOAD], row[HASH]
        if seq != self.seq + 1:
            return f"event {self.seq + 1} is missing"
        if payload is not None and hash_payload(payload) != row[PAYLOAD_HASH]:
            return "its payload was edited"
        if link(self.hash, (*row[:PAYLOAD], row[PAYLOAD_HASH])) != digest:
            return "it does not follow from the event before it"
        if seq == 1:
            self.expected = _expect(self.anchors, digest)
        if not self.expected.get(seq, {digest}) <= {digest}:
            return "it is not the event that was anchored here"
        if seq == self.noted.seq and digest != self.noted.hash:
            return "it is not the event that was noted in the user's state folder"
        if payload is None:
            self.blanked.add(seq)
        elif row[TYPE] == EventType.PAYLOAD_REDACTED:
            self.redacted |= _redacted(payload)
        self.seq, self.hash = seq, digest
        return None

    def result(self, first_bad: int | None, reason: str | None) -> Verification:
        own = sum(len(hashes) for hashes in self.expected.values())
        foreign = len(set(self.anchors)) - own
        return Verification(
            *(self.seq, len(self.blanked), self.hash, first_bad, reason, own, foreign)
        )


def _redacted(payload: str) -> set[int]:
    try:
        seq = json.loads(payload)["seq"]
    except (ValueError, TypeError, LookupError):
        return set()
    return {seq} if isinstance(seq, int) else set()


def _expect(anchors: Sequence[Anchor], ledger: str) -> dict[int, set[str]]:
    """Collect the hashes that were anchored of a ledger; two at one event can't both be right."""
    expected: dict[int, set[str]] = {}
    for anchor in anchors:
        if anchor.ledger in ("", ledger):
            expected.setdefault(anchor.seq, set()).add(anchor.hash)
    return expected
