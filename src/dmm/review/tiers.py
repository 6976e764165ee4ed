"""Who must approve a proposal: a rule, the reviewer agent or a person."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from dmm.domain.event import Trust
from dmm.domain.memory import Scope
from dmm.domain.proposal import (
    Check,
    CheckName,
    Judge,
    Operation,
    Outcome,
    Proposal,
    ProposalStatus,
    Review,
    Verdict,
)
from dmm.errors import MemoryFileError
from dmm.files import markdown
from dmm.review import grants
from dmm.review.wording import find_rules

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from dmm.config import GovernanceConfig, ReviewerConfig

LOW_TRUST = frozenset((Trust.TOOL, Trust.THIRD_PARTY))
NOTES = (Operation.CREATE, Operation.UPDATE)
# A reviewer agent can fix what these name: the others ask for a person's judgement.
_FOR_A_PERSON = frozenset(
    (CheckName.SECRETS, CheckName.INJECTION, CheckName.ISOLATION, CheckName.GOVERNANCE)
)
_RULE_NAMES = frozenset(("constraint", "constraints", "rule", "rules", "policy", "policies"))


class Tier(StrEnum):
    """Who decides about a proposal."""

    AUTO = "auto"
    REVIEWER = "reviewer"
    PERSON = "person"


def tier_of(
    proposal: Proposal,
    checks: Sequence[Check],
    governance: GovernanceConfig,
    reviewer: ReviewerConfig,
    own: Collection[str] = (),
) -> tuple[Tier, str]:
    """Return who decides, and why; `own` are paths of ephemeral notes that this proposer wrote.

    Only recorded values count: no word of the text or of the reason moves a proposal to another
    tier.
    """
    alone = _why_person(proposal, checks)
    if alone is not None:
        return Tier.PERSON, alone
    waits = _why_not_auto(proposal, checks, governance, own)
    if waits is None:
        return Tier.AUTO, "the author's own note, which passed every check"
    if not reviewer.enabled:
        return Tier.PERSON, f"{waits}; no reviewer agent is set up"
    return Tier.REVIEWER, waits


def _why_person(proposal: Proposal, checks: Sequence[Check]) -> str | None:
    failed = _failed(checks)
    if hard := [check for check in failed if check.hard]:
        return f"nobody can approve it as it is: {_names(hard)} failed"
    grave = [check for check in failed if check.name in _FOR_A_PERSON]
    return _why_only_person(proposal) or (f"{_names(grave)} failed" if grave else None)


def _why_only_person(proposal: Proposal) -> str | None:
    """Return why neither a rule nor the reviewer agent approves it, whatever the checks say."""
    if proposal.trust in LOW_TRUST:
        return f"its text comes from a source of trust '{proposal.trust}'"
    if proposal.operation is Operation.UNDO:
        return "it undoes an applied write"
    changes = [one.judge for one in proposal.reviews if one.verdict is Verdict.MODIFIED]
    return "the reviewer agent changed its text" if changes[-1:] == [Judge.REVIEWER] else None


def _why_not_auto(
    proposal: Proposal,
    checks: Sequence[Check],
    governance: GovernanceConfig,
    own: Collection[str],
) -> str | None:
    if not governance.auto_apply:
        return "the settings require a review"
    if proposal.operation not in NOTES or len(proposal.edits) != 1:
        return f"an operation '{proposal.operation}' is never applied without a review"
    if not _is_own_note(proposal, own):
        return f"{proposal.path} is not a note of {proposal.proposer} alone"
    if not grants.may_apply_at_once(governance, proposal.proposer, proposal.path):
        return f"the configuration does not let {proposal.proposer} write there without a review"
    if proposal.session is None and not proposal.evidence:
        return "it is based on no recorded session or event"
    if told := _not_passed(checks):
        return f"{_names(told)} did not pass"
    return _why_weighty(proposal) if covers_all(checks) else "not every check was run"


def _is_own_note(proposal: Proposal, own: Collection[str]) -> bool:
    path = proposal.path
    if path.partition("/")[0] == Scope.EPHEMERAL:
        return proposal.operation is Operation.CREATE or path in own
    return grants.is_own_place(path, proposal.proposer)


def _why_weighty(proposal: Proposal) -> str | None:
    """Return whether a note is more than one: a rule for others, or the end of another memory."""
    try:
        memory = markdown.parse(proposal.path, proposal.text or "").memory
    except MemoryFileError:
        return "it can't be read as a memory"
    names = {tag.casefold() for tag in memory.tags} | set(memory.directory.split("/"))
    if names & _RULE_NAMES or find_rules(memory.body):
        return "it sets a rule"
    return "it replaces another memory" if memory.supersedes else None


def covers_all(checks: Sequence[Check]) -> bool:
    """Whether every check there is was run."""
    return {check.name for check in checks} == set(CheckName)


def _failed(checks: Iterable[Check]) -> list[Check]:
    return [check for check in checks if check.failed]


def _not_passed(checks: Iterable[Check]) -> list[Check]:
    return [check for check in checks if check.outcome is not Outcome.PASS]


def _names(checks: Iterable[Check]) -> str:
    return ", ".join(check.name for check in checks)


def may_apply(
    proposal: Proposal,
    checks: Sequence[Check],
    review: Review | None,
    *,
    bypass: bool = False,
    threshold: float = 0.0,
) -> str | None:
    """Return why a proposal may not be applied on a review; None where it may.

    A reviewer agent overrides no failure, a person only soft ones and only with `bypass`, and
    nobody a hard one.
    """
    if proposal.standing is not ProposalStatus.PENDING:
        return f"it is {proposal.standing}"
    if review is None or review.verdict is not Verdict.APPROVED:
        return "nobody has approved it"
    if any(r.verdict is Verdict.MODIFIED and 0 < review.seq < r.seq for r in proposal.reviews):
        return "its text was changed after it was approved"
    if not covers_all(checks):
        return "not every check was run"
    failed = _failed(checks)
    if hard := [check for check in failed if check.hard]:
        return f"{_tell(hard)}; nobody can approve that"
    if review.judge is not Judge.PERSON:
        return _why_not_alone(proposal, checks, review, threshold)
    if failed and not bypass:
        return f"{_tell(failed)}; approve it all the same with --bypass-reviewer"
    return None


def _why_not_alone(
    proposal: Proposal, checks: Sequence[Check], review: Review, threshold: float
) -> str | None:
    """Return why a person's word is needed."""
    if _why_only_person(proposal):
        return "only a person can approve it"
    if failed := _failed(checks):
        return f"{_tell(failed)}; only a person can approve that"
    if review.judge is Judge.RULE:
        warned = _not_passed(checks)
        return f"{_tell(warned)}; somebody has to review that" if warned else None
    if review.confidence is None or review.confidence < threshold:
        return f"the reviewer agent is less sure than {threshold:.2f}"
    return None


def _tell(checks: Iterable[Check]) -> str:
    return "; ".join(f"{check.name}: {check.text}" for check in checks)


def trust_after(proposal: Proposal) -> Trust:
    """Return the trust of an applied proposal; only the approval of a person raises it."""
    approvals = [one.judge for one in proposal.reviews if one.verdict is Verdict.APPROVED]
    return Trust.REVIEWED if approvals[-1:] == [Judge.PERSON] else proposal.trust
