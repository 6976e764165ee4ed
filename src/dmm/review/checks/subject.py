"""The subject of all checks: a proposal, parsed once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.event import Trust
from dmm.domain.proposal import Check, CheckName, Edit, Operation, Outcome
from dmm.domain.text import neutralise
from dmm.errors import MemoryFileError
from dmm.files import markdown
from dmm.files.tree import MAX_FILE_BYTES

if TYPE_CHECKING:
    from dmm.domain.memory import Memory
    from dmm.domain.proposal import Proposal
    from dmm.files.markdown import Document
    from dmm.review.surroundings import Surroundings

WRITES = frozenset((Operation.CREATE, Operation.UPDATE, Operation.MERGE))
MOVES = frozenset((Operation.PROMOTE, Operation.DEMOTE))
LONGEST_REASON = 4_000

_QUOTE = 100


@dataclass(frozen=True, slots=True)
class Subject:
    """A proposal with its texts read; `memory` is the main one that would be there afterwards.

    `documents` are all of them, `faults` tells for each file why it can't be read as a memory, and
    `before` is what the main file says now.
    """

    proposal: Proposal
    around: Surroundings
    document: Document | None = None
    documents: tuple[Document, ...] = ()
    before: Memory | None = None
    faults: tuple[MemoryFileError, ...] = ()
    oversized: bool = False

    @property
    def memory(self) -> Memory | None:
        """The main memory, where it can be read."""
        return self.document.memory if self.document else None

    @property
    def operation(self) -> Operation:
        """What is proposed."""
        return self.proposal.operation

    @property
    def path(self) -> str:
        """Where the main memory would be."""
        return self.document.memory.path if self.document else self.proposal.path

    @property
    def written(self) -> tuple[Edit, ...]:
        """The edits that leave a text."""
        return tuple(edit for edit in self.proposal.edits if edit.after is not None)

    @property
    def by_person(self) -> bool:
        """Whether the user made it with their own hands; a name alone proves nothing."""
        return self.proposal.trust is Trust.USER


def read_subject(proposal: Proposal, around: Surroundings) -> Subject:
    """Read what a proposal would leave; texts beyond the size of a memory are not looked into."""
    texts = [text for e in proposal.edits for text in (e.before, e.after) if text is not None]
    if any(is_oversized(text) for text in (*texts, proposal.reason)):
        return Subject(proposal, around, oversized=True)
    documents, faults = [], []
    for edit in proposal.edits:
        if edit.after is None:
            continue
        try:
            documents.append(markdown.parse(edit.path, edit.after))
        except MemoryFileError as fault:
            faults.append(fault)
    first = next(iter(documents), None)
    main = next((one for one in documents if one.memory.in_force), first)
    before = None if main is None else before_of(proposal, main.memory.path)
    return Subject(proposal, around, main, tuple(documents), before, tuple(faults))


def is_oversized(text: str) -> bool:
    """Whether a text is larger than any memory file may be."""
    return len(text) > MAX_FILE_BYTES or len(text.encode("utf-8", "replace")) > MAX_FILE_BYTES


def before_of(proposal: Proposal, path: str) -> Memory | None:
    """Read what the file says now, or the one it would be moved from."""
    held = next((edit for edit in proposal.edits if edit.path == path), None)
    if proposal.operation in MOVES:
        held = next((edit for edit in proposal.edits if edit.after is None), held)
    if held is None or held.before is None:
        return None
    try:
        return markdown.parse(held.path, held.before).memory
    except MemoryFileError:
        return None


def words_of_head(document: Document) -> str:
    """What the front matter says when it is read: YAML can write any character as an escape."""
    memory = document.memory
    return "\n".join((*memory.tags, *memory.aliases, *memory.supersedes, *memory.related))


def passed(name: CheckName, text: str) -> Check:
    """Nothing was found."""
    return Check(name, Outcome.PASS, text)


def warned(name: CheckName, text: str, *, other: str | None = None) -> Check:
    """Something was found that somebody should look at."""
    return Check(name, Outcome.WARN, text, other=other)


def failed(name: CheckName, text: str, *, hard: bool = False, other: str | None = None) -> Check:
    """Something was found that speaks against the change."""
    return Check(name, Outcome.FAIL, text, hard=hard, other=other)


def unread(name: CheckName, subject: Subject) -> Check:
    """Return the result of a check that could not read the text; it does not pass."""
    why = "it is too large" if subject.oversized else "it can't be read as a memory"
    return warned(name, f"not checked: {why}")


def skipped(name: CheckName, subject: Subject) -> Check:
    """Return the result of a check that does not apply."""
    return passed(name, f"does not apply to an operation '{subject.operation}'")


def quote(text: str, most: int = _QUOTE) -> str:
    """Quote words of a text on one line, made safe to show."""
    line = neutralise(" ".join(text.split()))
    return f"'{line}'" if len(line) <= most else f"'{line[: most - 3].rstrip()}...'"
