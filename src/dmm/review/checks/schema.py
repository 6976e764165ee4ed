"""The form of a proposal: operation, paths and front matter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.domain.memory import DEPRECATED_DIRECTORY
from dmm.domain.proposal import CheckName, Operation
from dmm.files.tree import DESCRIPTOR, MAX_FILE_BYTES, why_refused
from dmm.review.checks.subject import (
    LONGEST_REASON,
    MOVES,
    before_of,
    failed,
    passed,
    quote,
    warned,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.domain.proposal import Check
    from dmm.review.checks.subject import Subject

NAME = CheckName.SCHEMA
_ID = re.compile(r"(?m)^id: (.*)$")

# How often a file is made, changed and taken away by each operation: least and most.
_SHAPES = {
    Operation.CREATE: ((1, 1), (0, 0), (0, 0)),
    Operation.UPDATE: ((0, 0), (1, 1), (0, 0)),
    Operation.DEPRECATE: ((0, 0), (1, 1), (0, 0)),
    Operation.PROMOTE: ((1, 1), (0, 0), (1, 1)),
    Operation.DEMOTE: ((1, 1), (0, 0), (1, 1)),
    Operation.MERGE: ((0, 1), (1, 100), (0, 0)),
    Operation.UNDO: ((0, 10_000), (0, 10_000), (0, 10_000)),
}


def check_schema(subject: Subject) -> Check:
    """Check that the proposal is what it says, and leaves files that can be read as memories."""
    wrong = _wrong_form(subject) or _wrong_place(subject)
    if wrong is None and subject.operation is not Operation.UNDO:
        wrong = _wrong_memory(subject)
    if wrong is not None:
        return failed(NAME, wrong, hard=True)
    taken = _taken_id(subject)
    if taken is not None:
        memory_id, path = taken
        text = f"the id {memory_id} belongs to {path}; give the new memory its own id"
        return failed(NAME, text, hard=True, other=path)
    doubts = [*_unknown_fields(subject), *_dangling(subject)]
    if doubts:
        return warned(NAME, "; ".join(doubts))
    return passed(NAME, "the front matter is complete and matches its folder")


def _unknown_fields(subject: Subject) -> Iterator[str]:
    unknown = subject.document.unknown if subject.document else ()
    if unknown:
        names = ", ".join(quote(name) for name, _ in unknown[:5])
        yield f"unknown fields: {names}; remove them or correct their names"


def _dangling(subject: Subject) -> Iterator[str]:
    """Return the links that lead to no memory and to no proposal, as far as they are new."""
    for name in ("related", "supersedes"):
        held = {*_known_ids(subject), *getattr(subject.before, name, ())}
        lost = [one for one in getattr(subject.memory, name, ()) if one not in held]
        if lost:
            names = ", ".join(quote(one) for one in lost[:5])
            yield f"'{name}' names {names}, and no memory has that id; correct it or remove it"


def _known_ids(subject: Subject) -> Iterator[str]:
    yield from subject.around.ids
    yield from (document.memory.id for document in subject.documents)
    for edit in (edit for other in subject.around.others for edit in other.edits):
        yield from _ID.findall(edit.after or "")


def _wrong_form(subject: Subject) -> str | None:
    proposal = subject.proposal
    if len(proposal.reason) > LONGEST_REASON:
        return f"the reason is longer than {LONGEST_REASON} characters; shorten it"
    if subject.oversized:
        most = MAX_FILE_BYTES // 1024
        return f"a text is larger than {most} KiB; a memory is one small concept: split it"
    if not proposal.reason.strip():
        return "the reason is missing; say why the change is needed"
    made = sum(edit.before is None for edit in proposal.edits)
    removed = sum(edit.after is None for edit in proposal.edits)
    counts = (made, len(proposal.edits) - made - removed, removed)
    shape = _SHAPES[proposal.operation]
    if not all(least <= n <= most for n, (least, most) in zip(counts, shape, strict=True)):
        told = f"{counts[0]} new, {counts[1]} changed and {counts[2]} removed files"
        return f"an operation '{proposal.operation}' can't have {told}"
    if all(edit.before == edit.after for edit in proposal.edits):
        return "it changes nothing"
    return None


def _wrong_place(subject: Subject) -> str | None:
    for edit in subject.proposal.edits:
        refusal = why_refused(edit.path)
        if refusal:
            return f"{quote(edit.path)} may not be written: {refusal}"
        if edit.path.rpartition("/")[2] == DESCRIPTOR:
            return f"{edit.path} describes a folder; it is not a memory"
        made = edit.before is None and subject.operation is not Operation.UNDO
        if made and edit.path.partition("/")[0] == DEPRECATED_DIRECTORY:
            return f"nothing new goes to {DEPRECATED_DIRECTORY}/; deprecate a memory where it is"
    return None


def _wrong_memory(subject: Subject) -> str | None:
    if subject.faults:
        fault = subject.faults[0]
        hint = f"; {fault.hint}" if fault.hint else ""
        return f"{neutral(str(fault))}{neutral(hint)}"
    for document in subject.documents:
        held = before_of(subject.proposal, document.memory.path)
        if held is not None and held.id != document.memory.id:
            return f"the id changes from {held.id} to {document.memory.id}; a memory keeps its id"
    memory, before = subject.memory, subject.before
    if memory is None or before is None:
        return None
    keeps_text = subject.operation in MOVES or subject.operation is Operation.DEPRECATE
    if keeps_text and memory.body != before.body:
        return f"an operation '{subject.operation}' changes the text too; propose that as an update"
    if subject.operation is Operation.DEPRECATE and memory.in_force:
        return "the memory would still be active; set status: deprecated"
    return None


def neutral(text: str) -> str:
    """Put a message on one line, made safe to show."""
    return quote(text, 400)[1:-1]


def _taken_id(subject: Subject) -> tuple[str, str] | None:
    own = {edit.path for edit in subject.proposal.edits}
    for document in subject.documents:
        path = subject.around.ids.get(document.memory.id)
        if path is not None and path not in own:
            return document.memory.id, path
    return None
