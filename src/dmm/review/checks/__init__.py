"""The checks of a proposal: deterministic and always run."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
from dmm.review.checks.subject import read_subject

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.domain.proposal import Check, Proposal
    from dmm.review.checks.subject import Subject
    from dmm.review.surroundings import Surroundings

# In the order of CheckName.
_CHECKS: tuple[Callable[[Subject], Check], ...] = (
    schema.check_schema,
    tokens.check_tokens,
    concept.check_concept,
    coherence.check_coherence,
    duplicates.check_duplicates,
    conflicts.check_conflicts,
    scope.check_scope,
    baseline.check_baseline,
    unwanted.check_secrets,
    injection.check_injection,
    unwanted.check_isolation,
    governance.check_governance,
)


def run_checks(proposal: Proposal, around: Surroundings) -> tuple[Check, ...]:
    """Run every check, one result for each; a check that does not apply passes and says so."""
    subject = read_subject(proposal, around)
    return tuple(check(subject) for check in _CHECKS)
