"""Answer a question with cited evidence from memory, sessions and code.

ASK: read the question and choose a profile (ask/pipeline.py) → ask the sources
(ask/project_sources.py) → coverage gate → budget → prompt. Nothing is recorded and nothing is
carried out.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dmm.ask import critic, pipeline
from dmm.ask.profiles import make_profiles
from dmm.ask.project_sources import ProjectSources, read_moves
from dmm.ask.render import COMPACT, STYLES
from dmm.ask.results import Answered, Request
from dmm.errors import DmmError, UsageError
from dmm.packs.service import MAX_QUERY_CHARACTERS
from dmm.redaction.clean import clean

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable

    from dmm.ask.mapping import Choose
    from dmm.config import AskConfig
    from dmm.rules.project_ledger import ProjectLedger

    Progress = Callable[[int, int], None]

MOST_RETRIES = 5


@dataclass(frozen=True, slots=True)
class Asking:
    """Answers questions about one project."""

    settings: AskConfig
    sources: ProjectSources
    project_ledger: ProjectLedger
    root: str
    count: Callable[[str], int]
    today: Callable[[], dt.date]
    choose: Choose | None = None

    def ask(
        self,
        question: str,
        *,
        profile: str | None = None,
        budget: int | None = None,
        session: str | None = None,
        style: str = COMPACT,
        timed: bool = False,
        progress: Progress | None = None,
    ) -> Answered:
        """Answer a question; `timed` adds how long it took, the one thing that is never the same.

        `session` names the one that the critic looks at; without it, the last one that worked.
        """
        started = time.perf_counter()
        request = self._read(question, profile, budget, style)
        self.sources.repository.refresh(progress)
        refreshed = time.perf_counter()
        answered = pipeline.answer(
            request,
            make_profiles(self.settings.profiles),
            self.sources,
            self._criticise(session),
            self.count,
            self.choose,
        )
        ends = {"repository_ms": refreshed, "total_ms": time.perf_counter()}
        took = {name: round((end - started) * 1000, 1) for name, end in ends.items()}
        return replace(
            answered,
            repository_notices=tuple(self.sources.repository.notices.values()),
            timing=took if timed else None,
        )

    def _read(self, question: str, profile: str | None, budget: int | None, style: str) -> Request:
        if not question.strip():
            raise UsageError("the question is empty", hint='such as: dmm ask "where do I start?"')
        if len(question) > MAX_QUERY_CHARACTERS:
            what = f"the question has more than {MAX_QUERY_CHARACTERS:,} characters"
            raise UsageError(what, hint="ask in a few sentences")
        if style not in STYLES:
            raise UsageError(f"there is no style {style!r}", hint=f"styles: {', '.join(STYLES)}")
        if budget is not None and budget < 0:
            raise UsageError("the budget is negative", hint="give a number of tokens, 0 or more")
        return Request(
            question=clean(question),
            day=self.today(),
            budget=self.settings.budget if budget is None else budget,
            style=style,
            profile=profile,
            default_profile=self.settings.default_profile,
            retry_max=min(self.settings.coverage_retry_max, MOST_RETRIES),
        )

    def _criticise(self, session: str | None) -> critic.Critique:
        """Judge the session by its own events; a ledger that is not the user's says nothing."""
        if not self.sources.is_trusted():
            return critic.criticise(())
        try:
            name, moves = read_moves(self.project_ledger, session, self.root)
        except DmmError:
            return critic.criticise(())
        return critic.criticise(moves, name)
