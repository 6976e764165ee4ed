"""Memories and proposals that already say the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.domain.conflict import ConflictType
from dmm.domain.proposal import CheckName, Operation
from dmm.review.checks.subject import WRITES, failed, passed, quote, warned
from dmm.review.likeness import body_of, overlap, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.domain.conflict import Clash
    from dmm.domain.memory import Memory
    from dmm.domain.proposal import Check, Proposal
    from dmm.review.checks.subject import Subject

NAME = CheckName.DUPLICATES
SIMILARITY = 0.9
OVERLAP = 0.8
SAME_CONCEPT = 0.5
# A number, or a name with one in it: 3000, v2, eu-west-1.
_VALUE = re.compile(r"[\w.:/-]*\d(?:[\w.:/-]*\w)?")


def check_duplicates(subject: Subject, memory: Memory) -> Check:
    """Name the memory that already says this, or the open proposal that wants to."""
    twin = next(_twins(subject, memory), None)
    if twin is not None:
        path, what = twin
        text = f"{what} {path}; change that memory instead, or let this one supersede it"
        if subject.operation is Operation.CREATE:
            return failed(NAME, text, other=path)
        return warned(NAME, f"{what} {path}; merge the two", other=path)
    maybe = next((path for clash, path, _ in _repeats(subject) if not _is_sure(clash)), None)
    if maybe is not None:
        return warned(NAME, f"it may say what {maybe} says in other words; read both", other=maybe)
    rival = next((one for one in subject.around.others if _is_rival(subject, memory, one)), None)
    if rival is not None:
        text = f"the same concept is proposed by {rival.id} ({quote(rival.proposer)}); merge them"
        return warned(NAME, text, other=rival.id)
    return passed(NAME, "no memory or pending proposal says the same")


def _twins(subject: Subject, memory: Memory) -> Iterator[tuple[str, str]]:
    near = [n for n in subject.around.neighbours if n.id not in memory.supersedes]
    own = words_of(memory.body)
    yield from ((n.path, "the same text as") for n in near if own == words_of(n.body))
    repeats, clashes = _repeats(subject), {path for _, path, _ in subject.around.clashes}
    # Texts that differ in one number or in a "not" are nearly the same, too: those are told as a
    # conflict.
    against = {path for clash, path, _ in subject.around.clashes if clash.sure}
    against -= {path for _, path, _ in repeats}
    for other in near:
        share = overlap(memory.body, other.body)
        if share >= OVERLAP and other.path not in against:
            yield other.path, f"nearly the same text ({share:.0%}) as"
    for clash, path, memory_id in repeats:
        if _is_sure(clash) and memory_id not in memory.supersedes:
            yield path, f"it repeats what is said (confidence {clash.confidence:.2f}) in"
    for other in near:
        if (other.similarity or 0.0) >= SIMILARITY and other.path not in clashes:
            yield other.path, f"nearly the same (similarity {other.similarity:.2f}) as"


def _repeats(subject: Subject) -> list[tuple[Clash, str, str]]:
    return [one for one in subject.around.clashes if one[0].type is ConflictType.DUPLICATE]


def _is_sure(clash: Clash) -> bool:
    """Return whether one text surely repeats the other: two that swap their values may not."""
    one, other = (_VALUE.findall(quote.casefold()) for quote in clash.quotes)
    same_order, same_values = one == other, sorted(one) == sorted(other)
    return clash.sure and same_order == same_values


def _is_rival(subject: Subject, memory: Memory, other: Proposal) -> bool:
    if other.seq == subject.proposal.seq or other.operation not in WRITES:
        return False
    mine = {edit.path for edit in subject.written}
    return any(
        edit.path in mine or overlap(memory.body, body_of(edit.after)) >= SAME_CONCEPT
        for edit in other.edits
        if edit.after
    )
