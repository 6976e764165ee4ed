"""A proposal: a suggested change to memory files, with its checks and reviews."""

from __future__ import annotations

import hashlib
import json
from enum import StrEnum
from typing import Any, Self

from dmm.domain.event import Trust
from dmm.domain.frozen import frozen
from dmm.domain.plain import to_plain

PREFIX = "proposal_"


class Operation(StrEnum):
    """What a proposal wants done."""

    CREATE = "create"
    UPDATE = "update"
    DEPRECATE = "deprecate"
    PROMOTE = "promote"
    DEMOTE = "demote"
    MERGE = "merge"
    UNDO = "undo"


class ProposalStatus(StrEnum):
    """How far a proposal has come; only an applied one has any effect."""

    PENDING = "pending"
    REJECTED = "rejected"
    APPLYING = "applying"
    APPLIED = "applied"
    UNDONE = "undone"


class CheckName(StrEnum):
    """The checks, in the order in which they are told."""

    SCHEMA = "schema"
    TOKENS = "tokens"
    CONCEPT = "single_concept"
    COHERENCE = "coherence"
    DUPLICATES = "duplicates"
    CONFLICTS = "conflicts"
    SCOPE = "scope"
    BASELINE = "baseline"
    SECRETS = "secrets"
    INJECTION = "injection"
    ISOLATION = "isolation"
    GOVERNANCE = "governance"


class Outcome(StrEnum):
    """What a check found: nothing, something to look at, or a reason against the change."""

    PASS = "pass"  # noqa: S105 - an outcome, no password
    WARN = "warn"
    FAIL = "fail"


@frozen
class Check:
    """One check of a proposal; a `hard` failure holds for everybody, a person included.

    `other` names the memory or proposal that the finding is about.
    """

    name: CheckName
    outcome: Outcome
    text: str
    hard: bool = False
    other: str | None = None

    @property
    def failed(self) -> bool:
        """Whether it objects to the change."""
        return self.outcome is Outcome.FAIL


@frozen
class Edit:
    """What becomes of one file: its text before and after; None where there is no file."""

    path: str
    before: str | None
    after: str | None

    @property
    def base(self) -> str | None:
        """The hash of the text that the change was made from."""
        return digest(self.before)


class Verdict(StrEnum):
    """What a review says."""

    APPROVED = "approved"
    REJECTED = "rejected"
    MODIFIED = "modified"
    UNDECIDED = "undecided"


class Judge(StrEnum):
    """Who reviews: a person, the reviewer agent, or the rule for notes of little weight."""

    PERSON = "person"
    REVIEWER = "reviewer"
    RULE = "rule"


@frozen
class Review:
    """One verdict on a proposal; a modified one brings other texts along."""

    seq: int
    at: str
    judge: Judge
    by: str
    verdict: Verdict
    reason: str
    confidence: float | None = None
    remarks: tuple[tuple[str, str], ...] = ()
    edits: tuple[Edit, ...] = ()


@frozen
class Proposal:
    """A proposal as the ledger tells it; `edits` are those that would be applied now.

    `evidence` are events it rests on, `undoes` the proposals it takes back, `origin` says which
    part of DMM suggested it, empty where somebody did so by hand. `uncommitted` is one whose files
    are written and whose Git commit is in the future.
    """

    seq: int
    operation: Operation
    edits: tuple[Edit, ...]
    reason: str
    proposer: str
    source: str
    trust: Trust
    at: str
    session: str | None = None
    evidence: tuple[int, ...] = ()
    undoes: tuple[int, ...] = ()
    origin: str = ""
    standing: ProposalStatus = ProposalStatus.PENDING
    checks: tuple[Check, ...] = ()
    reviews: tuple[Review, ...] = ()
    applying: int | None = None
    applied: int | None = None
    undone_by: int | None = None
    commit: str | None = None
    uncommitted: bool = False
    failure: str | None = None

    @property
    def id(self) -> str:
        """The name of the proposal, made of the number of its event."""
        return name_proposal(self.seq)

    @property
    def path(self) -> str:
        """The file it is about: the one that is there afterwards, where there is one."""
        return next((e.path for e in self.edits if e.after is not None), self.edits[0].path)

    @property
    def text(self) -> str | None:
        """The text of that file afterwards."""
        return next((e.after for e in self.edits if e.after is not None), None)

    @property
    def seal(self) -> str:
        """The hash of all its texts, by which somebody can name what was seen of it."""
        told = json.dumps(to_plain(self.edits), sort_keys=True)
        return hashlib.sha256(told.encode("ascii")).hexdigest()

    @property
    def failures(self) -> tuple[Check, ...]:
        """The checks that failed."""
        return tuple(check for check in self.checks if check.failed)

    @property
    def is_open(self) -> bool:
        """Whether it still waits for a verdict."""
        return self.standing is ProposalStatus.PENDING


@frozen
class ProposalResult:
    """A proposal as whoever made or decided it is told; `why` says why it is decided so or waits.

    `tier` is who decides, `repeated` one that had been made before.
    """

    id: str
    seq: int
    status: ProposalStatus
    operation: Operation
    path: str
    trust: Trust
    reason: str
    checks: tuple[Check, ...]
    notices: tuple[str, ...] = ()
    tier: str | None = None
    why: str = ""
    repeated: bool = False

    @classmethod
    def of(cls, proposal: Proposal, notices: tuple[str, ...] = (), **more: Any) -> Self:
        """Tell a proposal as it stands."""
        return cls(
            proposal.id,
            proposal.seq,
            proposal.standing,
            proposal.operation,
            proposal.path,
            proposal.trust,
            proposal.reason,
            proposal.checks,
            notices,
            **more,
        )


def name_proposal(seq: int) -> str:
    """Name a proposal by the number of the event that made it."""
    return f"{PREFIX}{seq}"


def digest(text: str | None) -> str | None:
    """Hash the text of a file; None where there is no file."""
    return None if text is None else hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
