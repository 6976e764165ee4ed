"""The length of a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.memory import Scope
from dmm.domain.proposal import CheckName
from dmm.domain.text import neutralise
from dmm.review.checks.subject import MOVES, WRITES, failed, passed, skipped, unread, warned

if TYPE_CHECKING:
    from dmm.domain.memory import Memory
    from dmm.domain.proposal import Check
    from dmm.review.checks.subject import Subject

NAME = CheckName.TOKENS
MOST = 2_000
IMPORT = "import"


def check_tokens(subject: Subject) -> Check:
    """Refuse what is longer than a memory can be, and object to what is outside the range."""
    if subject.oversized:
        return failed(NAME, f"far more than {MOST} tokens; split it into memories", hard=True)
    if subject.operation not in WRITES | MOVES:
        return skipped(NAME, subject)
    memory = subject.memory
    if memory is None:
        return unread(NAME, subject)
    tokens = count_body(subject, memory)
    if tokens > MOST:
        text = f"{tokens} tokens; a memory has at most {MOST}: split it into one concept per file"
        return failed(NAME, text, hard=True)
    if memory.scope is Scope.BASELINE or not memory.in_force:
        return passed(NAME, f"{tokens} tokens; the range does not apply here")
    return _compare(subject, tokens)


def _compare(subject: Subject, tokens: int) -> Check:
    least, most = subject.around.validation.min_tokens, subject.around.validation.max_tokens
    if least <= tokens <= most:
        return passed(NAME, f"{tokens} tokens, within {least} to {most}")
    if tokens > most:
        text = (
            f"{tokens} tokens; the range is {least} to {most}: split it into one concept per file"
        )
    else:
        text = (
            f"{tokens} tokens; the range is {least} to {most}: "
            "add the reason and what to do, or extend a related memory"
        )
    known = None if subject.before is None else count_body(subject, subject.before)
    worse = known is None or (tokens > max(most, known) if tokens > most else tokens < known)
    # An import only splits what the project says already. A move, or a change that brings a memory
    # nearer to the range, is not to blame for the rest.
    split = subject.proposal.origin == IMPORT and tokens < least
    blamed = worse and not split and subject.operation in WRITES
    return failed(NAME, text) if blamed else warned(NAME, text)


def count_body(subject: Subject, memory: Memory) -> int:
    """Count the tokens of a body as packs show it."""
    return subject.around.count(neutralise(memory.body).strip())
