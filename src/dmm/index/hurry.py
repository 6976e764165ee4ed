"""Index the best part of a large backlog before answering a query."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.index.analysis import weigh_query
from dmm.index.lexical import Unread
from dmm.index.survey import Survey

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.files.tree import MemoryTree
    from dmm.index.sync import Run, SyncReport

# What part of the time is spent to find out what is worth indexing.
SURVEYED = 0.55
LEAST = 0.3
# So many files are chosen, and so many of these get vectors before the answer.
CHOSEN = 128
EMBEDDED = 24
# The clock is looked at once for so many files.
BETWEEN = 64


@dataclass(slots=True)
class Hurry:
    """What is wanted first, and until when it is waited for."""

    seconds: float
    words: str = ""
    paths: Sequence[str] = ()
    clock: Callable[[], float] = time.monotonic
    _deadline: float = 0.0
    _unread: list[Unread] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._deadline = self.clock() + self.seconds

    @property
    def over(self) -> bool:
        """Whether the time is up."""
        return self.clock() >= self._deadline

    def carry_out(
        self, run: Run, tree: MemoryTree, advance: Callable[[], bool], *, followed: bool
    ) -> None:
        """Index what is wanted first, then as much as there is time for, but always something.

        Where somebody else follows with the rest, no more than what is wanted is waited for.
        """
        survey = self._survey(run, tree)
        chosen = [*self.paths, *survey.choose(CHOSEN)]
        run.prefer(chosen, EMBEDDED)
        while advance() and not self.over and (run.prefers or not followed):
            pass
        if run.waiting:
            indexed = [path for path in chosen if path not in run.waiting]
            self._unread.append(survey.unread(len(run.waiting), indexed))

    def _survey(self, run: Run, tree: MemoryTree) -> Survey:
        survey = Survey(tuple(weigh_query(self.words)))
        if not survey.terms:
            return survey
        now, least = self.clock(), min(LEAST, self.seconds)
        until = now + max(least, SURVEYED * (self._deadline - now))
        # A slow disk or a busy machine may have used the time up already.
        self._deadline = max(self._deadline, until + least)
        for number, path in enumerate(survey.order(run.left())):
            survey.look(path, tree.glance(path))
            if number % BETWEEN == 0 and self.clock() >= until:
                break
        return survey

    def unread(self) -> Unread:
        """Return what is known of the files that were left."""
        terms = {term for one in self._unread for term in one.holding}
        return Unread(
            sum(one.files for one in self._unread),
            {term: sum(one.holding.get(term, 0.0) for one in self._unread) for term in terms},
        )


def describe_left(report: SyncReport, *, followed: bool) -> str:
    """Return how much of a tree is indexed, and how to have the rest."""
    way = "each query indexes some more; to index the rest now: dmm reindex"
    if followed:
        way = "the rest is being indexed in the background; to wait for it: dmm reindex"
    if report.waiting:
        told = (
            f"only {report.total - report.waiting:,} of {report.total:,} memory files are indexed"
        )
    else:
        found = report.total - report.lacking
        told = f"only {found:,} of {report.total:,} memory files can be found by meaning so far"
    return f"{told}, so some may be missing; {way}"
