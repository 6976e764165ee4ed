"""A pack: what an agent gets for a task, with every token and exclusion accounted for."""

from __future__ import annotations

import hashlib
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from dmm.domain.frozen import frozen
from dmm.domain.memory import Origin, Scope

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Mapping

DEFAULT_BUDGET = 2000
DEFAULT_BASELINE_BUDGET = 800
# The headings of a pack; `domain/text.py` escapes lines of a memory that look like one of them.
PACK_HEADING = "DMM Memory Pack"
BASELINE_HEADING = "Baseline (Always Included)"
RULES_HEADING = "Constraints in Force"
RETRIEVED_HEADING = "Retrieved Context"
STATISTICS_HEADING = "Pack Statistics"


@frozen
class QueryRequest:
    """What is asked: the task, the budgets and the filters."""

    query: str
    budget: int = DEFAULT_BUDGET
    baseline_budget: int = DEFAULT_BASELINE_BUDGET
    scope: Scope | None = None
    exclude_ephemeral: bool = False
    include_deprecated: bool = False
    precise: bool = False
    explain: bool = False


def read_request(asked: Mapping[str, Any], budget: int, baseline_budget: int) -> QueryRequest:
    """Read a request from plain data; what is not given has its default."""
    given = {name: value for name, value in asked.items() if value is not None}
    scope = given.pop("scope", None)
    defaults = {"budget": budget, "baseline_budget": baseline_budget}
    return QueryRequest(**(defaults | given), scope=None if scope is None else Scope(scope))


class Freshness(StrEnum):
    """What became of a cited place since the memory was written."""

    FRESH = "fresh"
    MOVED = "moved"
    CHANGED = "changed"
    GONE = "gone"


@frozen
class CitationCheck:
    """The state of one citation in the working tree; `now` says where moved code is."""

    cite: str
    state: Freshness
    now: str | None = None


BASELINE_LEVEL = 3
RETRIEVED_LEVEL = 4


def shown_path(path: str, origin: Origin) -> str:
    """Name a memory in packs: its path, with a mark if it is the user's own."""
    return path if origin is Origin.PROJECT else f"{origin}:{path}"


def entry_heading(shown: str, relevance: str, level: int = RETRIEVED_LEVEL) -> str:
    """Write the heading line of an entry; any relevance of two decimals costs the same tokens."""
    return f"{'#' * level} [{shown}] (relevance: {relevance})\n"


def label_line(label: str) -> str:
    """Write a label of an entry, between its heading and its content."""
    return f"> {label}\n"


ENTRY_END = "\n\n"


@frozen
class PackEntry:
    """One memory in a pack: `token_count` counts its content, `heading_tokens` its heading.

    `lanes` are the ways that led to a retrieved one.
    """

    id: str
    path: str
    title: str
    content: str
    token_count: int
    heading_tokens: int
    source: Literal["baseline", "retrieved"]
    scope: Scope
    origin: Origin = Origin.PROJECT
    relevance_score: float = 1.0
    labels: tuple[str, ...] = ()
    citations: tuple[CitationCheck, ...] = ()
    lanes: tuple[str, ...] = ()


def digest_text(content: str) -> str:
    """Return the digest of a content, by which a session knows what it was given."""
    return hashlib.sha256(content.encode("utf-8", "replace")).hexdigest()


def digest_entry(entry: PackEntry) -> str:
    """Return the digest of an entry's content."""
    return digest_text(entry.content)


class Reason(StrEnum):
    """Why a candidate is in the pack or not."""

    INCLUDED = "included"
    BUDGET = "budget"
    FLOOR = "below_floor"
    DUPLICATE = "near_duplicate"
    LIMIT = "candidate_limit"
    GIVEN = "given_before"


class Candidate(NamedTuple):
    """One line of the receipt: how a memory was found, each part of its score, and its fate."""

    path: str
    title: str
    lanes: tuple[str, ...]
    parts: dict[str, float]
    score: float
    tokens: int
    reason: Reason
    detail: str = ""

    @property
    def included(self) -> bool:
        """Whether it is in the pack."""
        return self.reason is Reason.INCLUDED


@frozen
class Receipt:
    """The account of one retrieval: directories preferred, and the candidates' fates.

    All of the `considered` candidates are listed if the request asks to explain, else those that
    could have been served and the best of the others. `memory` counts the tokens of all memories
    in force.
    """

    directories: tuple[tuple[str, float], ...] = ()
    candidates: tuple[Candidate, ...] = ()
    considered: int = 0
    abstained: bool = False
    memory: int = 0


@frozen
class Supplement:
    """What a prompt adds to its session, and why."""

    entries: tuple[PackEntry, ...] = ()
    receipt: Receipt = Receipt()


@frozen
class Baseline:
    """The always-included part, compiled: its entries and what is wrong with it, if anything."""

    entries: tuple[PackEntry, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def tokens(self) -> int:
        """Tokens of the contents."""
        return sum(entry.token_count for entry in self.entries)

    @property
    def cost(self) -> int:
        """Tokens of the contents and of the headings above them."""
        return self.tokens + sum(entry.heading_tokens for entry in self.entries)


@frozen
class ConstraintLine:
    """A rule in force as a pack shows it: what it does, and the event that set it.

    One from a file has an id; `seq` is 0 until it is recorded.
    """

    seq: int
    priority: str
    text: str
    token_count: int
    state: str = ""
    id: str = ""


def constraint_line(name: str, state: str, text: str) -> str:
    """Write a rule in one line, with the word for what it does."""
    return f"- [{name}] {state}: {' '.join(text.split())}\n"


@frozen
class Pack:
    """The compiled pack; with the same files, request and day it is the same pack.

    It is `incomplete` where some files were not indexed in time.
    """

    query: str
    day: dt.date
    budget: int
    baseline_budget: int
    baseline_entries: tuple[PackEntry, ...]
    retrieved_entries: tuple[PackEntry, ...]
    receipt: Receipt
    notices: tuple[str, ...] = ()
    constraints: tuple[ConstraintLine, ...] = ()
    incomplete: bool = False

    @property
    def constraint_tokens(self) -> int:
        """Tokens of the constraints' lines, which have a small budget of their own."""
        return sum(line.token_count for line in self.constraints)

    @property
    def baseline_tokens(self) -> int:
        """Tokens of the baseline contents."""
        return sum(entry.token_count for entry in self.baseline_entries)

    @property
    def retrieved_tokens(self) -> int:
        """Tokens of the retrieved contents."""
        return sum(entry.token_count for entry in self.retrieved_entries)

    @property
    def heading_tokens(self) -> int:
        """Tokens of all entry headings and labels."""
        entries = (*self.baseline_entries, *self.retrieved_entries)
        return sum(entry.heading_tokens for entry in entries)

    @property
    def total_tokens(self) -> int:
        """Tokens of all contents."""
        return self.baseline_tokens + self.retrieved_tokens

    @property
    def included_paths(self) -> tuple[str, ...]:
        """Paths in the order of the pack."""
        return tuple(entry.path for entry in (*self.baseline_entries, *self.retrieved_entries))

    @property
    def excluded(self) -> tuple[Candidate, ...]:
        """Relevant candidates left out: no room left, or the same thing said twice."""
        reasons = (Reason.BUDGET, Reason.DUPLICATE)
        return tuple(c for c in self.receipt.candidates if c.reason in reasons)

    @property
    def excluded_paths(self) -> tuple[str, ...]:
        """Their paths, best first."""
        return tuple(candidate.path for candidate in self.excluded)
