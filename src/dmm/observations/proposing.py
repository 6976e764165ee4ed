"""Propose a day's observations as memories, once.

DIGEST: ledger → observations (observations/service.py) → drafts (observations/digest.py) →
proposals (review/service.py) → review.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.proposal import Operation, name_proposal
from dmm.errors import DmmError, UsageError
from dmm.observations.digest import digest
from dmm.observations.results import DigestRun, DraftView
from dmm.review.drafting import About
from dmm.review.writing import Writing
from dmm.tracing import traced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dmm.domain.proposal import Proposal
    from dmm.observations.digest import Draft, Limits
    from dmm.observations.service import Observations
    from dmm.review.service import Proposals

ORIGIN = "digest"


@dataclass(frozen=True, slots=True)
class Digest:
    """Digests the days of one project; `known` are the proposals that were made so far.

    `require` refuses a project that is not trusted: its ledger is neither read nor written.
    """

    observations: Observations
    proposals: Callable[[], Proposals]
    known: Callable[[], Iterable[Proposal]]
    limits: Limits
    today: Callable[[], dt.date]
    require: Callable[[], object]

    def look(self, day: str | None = None) -> DigestRun:
        """Return what would be proposed of a day; nothing is recorded."""
        return self._carry_out(self._day(day), dry_run=True)

    @traced()
    def run(self, day: str | None = None) -> DigestRun:
        """Propose what is worth keeping of a day, the last whole one unless another is named.

        What was proposed before is not proposed again, whatever became of it.
        """
        return self._carry_out(self._day(day), dry_run=False)

    def _day(self, given: str | None) -> str:
        today = self.today()
        if given is None:
            return (today - dt.timedelta(days=1)).isoformat()
        try:
            day = dt.date.fromisoformat(given)
        except ValueError:
            raise UsageError(f"{given!r} is not a day", hint="such as 2026-01-31") from None
        if day > today:
            raise UsageError(f"{given} is in the future")
        return day.isoformat()

    def _carry_out(self, day: str, *, dry_run: bool) -> DigestRun:
        self.require()
        units = self.observations.of_day(day)
        drafts = digest(day, units, self.limits)
        views = []
        for draft in drafts:
            before = self._answered(draft)
            if before is not None:
                views.append(_view(draft, str(before.standing), before.seq))
            elif dry_run:
                views.append(_view(draft, "new", None))
            else:
                views.append(self._propose(day, draft))
        observed = sum(unit.kind != "message" for unit in units)
        proposed = sum(one.state == "proposed" for one in views)
        return DigestRun(day, observed, proposed, tuple(views))

    def _answered(self, draft: Draft) -> Proposal | None:
        """Find the digest that already proposed the same file, whatever became of it."""
        digests = (one for one in self.known() if one.origin == ORIGIN)
        return next((one for one in digests if draft.path in {it.path for it in one.edits}), None)

    def _propose(self, day: str, draft: Draft) -> DraftView:
        try:
            made = self.proposals().write(
                Writing(
                    draft.path,
                    f"distilled from the sessions of {day}",
                    Operation.CREATE,
                    content=draft.body,
                    about=About(tags=draft.tags),
                    evidence=draft.evidence,
                    origin=ORIGIN,
                )
            )
        except DmmError as error:
            # One draft that can't be proposed keeps no other from being so.
            return _view(draft, "refused", None, str(error))
        return _view(draft, "pending" if made.repeated else "proposed", made.seq)


def _view(draft: Draft, state: str, seq: int | None, why: str = "") -> DraftView:
    return DraftView(
        draft.path,
        draft.title,
        draft.tokens,
        tuple(draft.tags),
        tuple(draft.evidence),
        state,
        None if seq is None else name_proposal(seq),
        why,
    )
