"""The checks of a proposal: deterministic and always run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.proposal import CheckName, Operation
from dmm.review.checks import (
    baseline,
    coherence,
    concept,
    conflicts,
    duplicates,
    governance,
    injection,
    schema,
    scope,
    tokens,
    unwanted,
)
from dmm.review.checks.subject import MOVES, WRITES, read_subject, skipped, unread

if TYPE_CHECKING:
    from collections.abc import Callable, Set

    from dmm.domain.memory import Memory
    from dmm.domain.proposal import Check, Proposal
    from dmm.review.checks.subject import Subject
    from dmm.review.surroundings import Surroundings

    Examine = Callable[[Subject], Check]


def _of_memory(
    name: CheckName, operations: Set[Operation], examine: Callable[[Subject, Memory], Check]
) -> Examine:
    """Return a check that some operations need, and that takes a memory that can be read."""

    def check(subject: Subject) -> Check:
        if subject.operation not in operations:
            return skipped(name, subject)
        return examine(subject, subject.memory) if subject.memory else unread(name, subject)

    return check


def _of_text(name: CheckName, examine: Examine) -> Examine:
    """Return a check that reads all texts, where they are not too large."""
    return lambda subject: unread(name, subject) if subject.oversized else examine(subject)


# In the order of CheckName.
_CHECKS = (
    schema.check_schema,
    tokens.refuse_oversized(_of_memory(CheckName.TOKENS, WRITES | MOVES, tokens.check_tokens)),
    _of_memory(CheckName.CONCEPT, WRITES, concept.check_concept),
    _of_memory(CheckName.COHERENCE, WRITES, coherence.check_coherence),
    _of_memory(CheckName.DUPLICATES, WRITES | MOVES, duplicates.check_duplicates),
    _of_memory(CheckName.CONFLICTS, WRITES | MOVES, conflicts.check_conflicts),
    _of_memory(CheckName.SCOPE, WRITES | MOVES, scope.check_scope),
    _of_text(CheckName.BASELINE, baseline.check_baseline),
    unwanted.check_secrets,
    _of_text(CheckName.INJECTION, injection.check_injection),
    _of_text(CheckName.ISOLATION, unwanted.check_isolation),
    governance.check_governance,
)


def run_checks(proposal: Proposal, around: Surroundings) -> tuple[Check, ...]:
    """Run every check, one result for each; a check that does not apply passes and says so."""
    subject = read_subject(proposal, around)
    return tuple(check(subject) for check in _CHECKS)
