"""The payloads of events about proposals; they are read strictly, since they decide on files."""

from __future__ import annotations

from collections.abc import Mapping

from dmm.domain.event import EventType, Trust
from dmm.domain.proposal import Check, Edit, Judge, Operation, Verdict
from dmm.domain.recorded import Payload, recorded


@recorded(EventType.PROPOSAL_MADE, strict=True)
class ProposalMade(Payload):
    """A change was proposed; `secrets` names what was removed from its texts."""

    operation: Operation
    edits: tuple[Edit, ...]
    reason: str
    trust: Trust
    evidence: tuple[int, ...]
    undoes: tuple[int, ...]
    origin: str | None
    secrets: tuple[str, ...] = ()
    tainted: int | None = None


@recorded(strict=True)
class OfProposal(Payload):
    """Something became of a proposal."""

    proposal: int


@recorded(EventType.PROPOSAL_CHECKED, strict=True)
class ProposalChecked(OfProposal):
    """A proposal was checked."""

    checks: tuple[Check, ...]


@recorded(EventType.PROPOSAL_REVIEWED, strict=True)
class ProposalReviewed(OfProposal):
    """Somebody gave a verdict on a proposal; a modified one brings other texts along."""

    judge: Judge
    verdict: Verdict
    reason: str
    remarks: Mapping[str, str] | None = None
    confidence: float | None = None
    overridden: tuple[str, ...] = ()
    edits: tuple[Edit, ...] = ()
    secrets: tuple[str, ...] = ()


@recorded(EventType.PROPOSAL_APPLYING, strict=True)
class ProposalApplying(OfProposal):
    """Files are about to be written; the edits hold hashes, `folders` are made along with them."""

    edits: tuple[Edit, ...]
    place: str | None
    folders: tuple[str, ...] = ()


@recorded(EventType.PROPOSAL_APPLIED, strict=True)
class ProposalApplied(OfProposal):
    """The files of a proposal are written."""

    applying: int | None
    trust: str | None
    commit: str | None = None
    uncommitted: bool = False


@recorded(EventType.PROPOSAL_COMMITTED, strict=True)
class ProposalCommitted(OfProposal):
    """The files of a proposal are in Git; None where Git ignores them."""

    applying: int | None
    commit: str | None


@recorded(EventType.PROPOSAL_FAILED, strict=True)
class ProposalFailed(OfProposal):
    """The files of a proposal could not be written."""

    applying: int | None
    reason: str
