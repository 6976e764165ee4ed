"""Who may propose where, by namespace and configuration."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.proposal import CheckName, Operation
from dmm.review import grants
from dmm.review.checks.subject import failed, passed, quote

if TYPE_CHECKING:
    from dmm.domain.proposal import Check
    from dmm.review.checks.subject import Subject

NAME = CheckName.GOVERNANCE
# What DMM suggests by itself, of any memory; it is never applied without a review.
UPKEEP = "lifecycle"


def check_governance(subject: Subject) -> Check:
    """Check that the proposer may propose for these files."""
    if subject.by_person:
        return passed(NAME, "a person can propose anywhere")
    proposer = subject.proposal.proposer
    if subject.operation is Operation.UNDO:
        text = "only a person can undo what was applied: dmm undo"
        return failed(NAME, text, hard=True)
    if subject.proposal.origin == UPKEEP:
        return passed(NAME, "lifecycle can suggest this for any file")
    for edit in subject.proposal.edits:
        owner = grants.owner_of(edit.path)
        if owner is not None and not grants.is_own_place(edit.path, proposer):
            text = f"{edit.path} belongs to the agent {quote(owner)}, not to {quote(proposer)}"
            return failed(NAME, f"{text}; propose it for project/ or agent/")
        if not grants.may_propose(subject.around.governance, proposer, edit.path):
            text = f"the configuration does not let {quote(proposer)} propose for {edit.path}"
            return failed(NAME, f"{text} (governance.agents)")
    return passed(NAME, f"{quote(proposer)} can propose there")
