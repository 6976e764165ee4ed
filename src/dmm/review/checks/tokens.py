"""The length of a memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.memory import MOST_TOKENS, Scope
from dmm.domain.proposal import CheckName
from dmm.domain.text import neutralise
from dmm.review.checks.subject import WRITES, failed, passed, warned

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.domain.memory import Memory
    from dmm.domain.proposal import Check
    from dmm.review.checks.subject import Subject

NAME = CheckName.TOKENS


def refuse_oversized(otherwise: Callable[[Subject], Check]) -> Callable[[Subject], Check]:
    """Refuse what is not even read, and leave all else to another check."""
    refusal = failed(NAME, f"far more than {MOST_TOKENS} tokens; split it into memories", hard=True)
    return lambda subject: refusal if subject.oversized else otherwise(subject)


def check_tokens(subject: Subject, memory: Memory) -> Check:
    """Refuse what is longer than a memory can be, and object to what is longer than recommended."""
    tokens = count_body(subject, memory)
    if tokens > MOST_TOKENS:
        text = f"{tokens} tokens; a memory has at most {MOST_TOKENS}: write one file per concept"
        return failed(NAME, text, hard=True)
    if memory.scope is Scope.BASELINE or not memory.in_force:
        return passed(NAME, f"{tokens} tokens; the limit does not apply here")
    return _compare(subject, tokens)


def _compare(subject: Subject, tokens: int) -> Check:
    most = subject.around.validation.max_tokens
    if tokens <= most:
        return passed(NAME, f"{tokens} tokens, at most {most}")
    text = f"{tokens} tokens; recommended: up to {most}: split it into one concept per file"
    known = 0 if subject.before is None else count_body(subject, subject.before)
    # A move, or a change that makes a memory shorter, is not to blame for the rest.
    blamed = tokens > max(most, known) and subject.operation in WRITES
    return failed(NAME, text) if blamed else warned(NAME, text)


def count_body(subject: Subject, memory: Memory) -> int:
    """Count the tokens of a body as packs show it."""
    return subject.around.count(neutralise(memory.body).strip())
