"""Take reports, count usage, and turn suggestions into proposals.

LIFECYCLE: packs and reports in the ledger → usage (lifecycle/usage_projection.py) → suggestions
(lifecycle/suggest.py) → proposals (review/service.py) → review.
"""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.domain.payload import Held, MemoryExpired, UsageReported
from dmm.domain.proposal import Edit, Operation, ProposalStatus, name_proposal
from dmm.domain.usage import OUTCOMES, OWN, key_of
from dmm.errors import DmmError, UsageError
from dmm.files import front_matter, markdown
from dmm.files.lock import exclusive
from dmm.lifecycle.results import (
    FeedbackRecorded,
    LifecycleRun,
    Skipped,
    SuggestionView,
    UsageExport,
)
from dmm.lifecycle.suggest import Grounds, Kind, suggest
from dmm.lifecycle.usage import fold
from dmm.redaction.clean import clean
from dmm.redaction.inputs import need_one
from dmm.redaction.redact import redact
from dmm.review.writing import Writing
from dmm.tracing import traced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dmm.config import LifecycleConfig
    from dmm.domain.memory import Memory
    from dmm.domain.proposal import Proposal, ProposalResult
    from dmm.files.roots import Root
    from dmm.index.sync import Progress
    from dmm.lifecycle.suggest import Suggestion
    from dmm.lifecycle.usage import Usage, Use
    from dmm.lifecycle.usage_projection import UsageProjection
    from dmm.memories.overview import Survey
    from dmm.review.service import Proposals
    from dmm.rules.project_ledger import ProjectLedger

    # What became of a suggestion: its state, the number of its proposal, and why there is none.
    Outcome = tuple[str, int | None, str]

ORIGIN = "lifecycle"
EXPORT = "export-usage"
MOST_REPORTED = 50
RECENT = 5_000
LONGEST_CONTEXT = 2_000
# A queue that nobody can read is no help: the rest waits until some of these are answered.
MOST_WAITING = 20
MOST_EXPORTED = 100
PATIENCE = 10.0
_REWRITES = (Operation.CREATE, Operation.UPDATE, Operation.MERGE)


NEW: Outcome = ("new", None, "")


@dataclass(slots=True)
class Lifecycle:
    """Follows the memories of one project through their life.

    `require` refuses a project that is not trusted: its ledger is neither read nor written.
    """

    root: Root
    settings: LifecycleConfig
    budget: int
    project_ledger: ProjectLedger
    usages: UsageProjection
    survey: Callable[[], Survey]
    proposals: Callable[[], Proposals]
    known: Callable[[], Iterable[Proposal]]
    today: Callable[[], dt.date]
    require: Callable[[], object]

    @traced()
    def report(self, memories: Sequence[str], outcome: str, context: str = "") -> FeedbackRecorded:
        """Record how memories fared, named by id or path: served, helped, wrong or outdated."""
        self.require()
        need_one("outcome", outcome, OUTCOMES)
        names = list(dict.fromkeys(name.strip() for name in memories))
        if not names or not all(names):
            raise UsageError("no memory is named", hint="name it by its id or path, as packs do")
        if len(names) > MOST_REPORTED:
            raise UsageError(f"more than {MOST_REPORTED} memories in one report")
        if len(context) > LONGEST_CONTEXT:
            raise UsageError(f"the context is longer than {LONGEST_CONTEXT} characters")
        told = UsageReported(
            memories=self._resolve(names), outcome=outcome, context=clean(context.strip())
        )
        event = self.project_ledger.record(self.project_ledger.draft(told))
        return FeedbackRecorded(event.seq, told.memories, told.outcome, told.context)

    def _resolve(self, names: Iterable[str]) -> tuple[Held, ...]:
        """Find memories: by their file, among those served of late, then among all."""
        found: dict[str, Held] = {}
        served: dict[str, tuple[str, str]] | None = None
        there: dict[str, tuple[str, str]] | None = None
        for given in names:
            name = self._bare(given)
            one = self._open(name)
            if one is None:
                served = self._served() if served is None else served
                one = served.get(name)
            if one is None:
                there = _by_name(self.survey().names) if there is None else there
                one = there.get(name)
            if one is None:
                hint = "name it by its id or path, as packs do"
                raise UsageError(f"there is no memory {given!r}", hint=hint)
            found.setdefault(key_of(*one), Held(id=one[0], path=one[1]))
        return tuple(found.values())

    def _open(self, path: str) -> tuple[str, str] | None:
        try:
            return self.root.tree.load(path).memory.id, path
        except DmmError:
            return None

    def _served(self) -> dict[str, tuple[str, str]]:
        """List what the last packs held; whoever reports on a memory was mostly given it there."""
        log = self.project_ledger.reading
        head = log.head().seq
        events = log.events_of([EventType.PACK_SERVED], max(0, head - RECENT), head)
        served = fold(events).memories.values()
        return _by_name((use.id, use.path) for use in served)

    def _bare(self, name: str) -> str:
        """Return the path below the memory folder, however the file was named."""
        for start in (f"{self.root.tree.root}/", "./", f"{self.root.folder.name}/", "memory/"):
            name = name.removeprefix(start)
        return name

    def suggestions(
        self,
        survey: Survey,
        usage: Usage,
        known: Iterable[Proposal] = (),
        day: dt.date | None = None,
    ) -> list[Suggestion]:
        """Work out what should become of the project's memories; nothing is recorded."""
        day = day or self.today()
        grounds = Grounds(usage, self.settings, day, survey.baseline, self.budget, _revised(known))
        return suggest(survey.memories, grounds)

    def look(self, survey: Survey | None = None) -> LifecycleRun:
        """Return what would be proposed now, and what became of it before; nothing is recorded."""
        self.require()
        known = list(self.known())
        survey = survey or self.survey()
        found = self.suggestions(survey, self.usages.current(), known)
        return LifecycleRun(self.today().isoformat(), 0, self.show(found, known))

    def show(
        self, found: Iterable[Suggestion], known: Sequence[Proposal]
    ) -> tuple[SuggestionView, ...]:
        """Return suggestions with the proposals that they led to."""
        return tuple(_view(one, *(_answered(one, known) or NEW)) for one in found)

    @traced()
    def run(self, today: dt.date | None = None, progress: Progress | None = None) -> LifecycleRun:
        """Make proposals of the suggestions; what waits or was answered is not asked again.

        Progress is told before each suggestion, and may end the run: the next one goes on.
        """
        self.require()
        what = "another process is running the lifecycle"
        lock = self.root.make_run() / "lifecycle.lock"
        with exclusive(lock, what=what, patience=PATIENCE):
            return self._carry_out(today or self.today(), progress)

    def _carry_out(self, day: dt.date, progress: Progress | None) -> LifecycleRun:
        known = list(self.known())
        found = self.suggestions(self.survey(), self.usages.current(), known, day)
        room = MOST_WAITING - sum(one.is_open and one.origin == ORIGIN for one in known)
        views = []
        for number, one in enumerate(found):
            if progress is not None:
                progress(number, len(found))
            state, seq, why = _answered(one, known) or NEW
            if state == "new" and room > 0:
                state, seq, why = self._take(one)
                room -= state == "proposed"
            views.append(_view(one, state, seq, why))
            if one.kind is Kind.EXPIRED and seq is not None:
                self._expire(one, seq)
        made = sum(one.state == "proposed" for one in views)
        return LifecycleRun(day.isoformat(), made, tuple(views))

    def _take(self, one: Suggestion) -> Outcome:
        try:
            made = self._propose(one)
        except DmmError as error:
            # One file that can't be moved keeps no other from being looked after.
            return "refused", None, str(error)
        return "waits" if made.repeated else "proposed", made.seq, ""

    def _propose(self, one: Suggestion) -> ProposalResult:
        scope = None if one.new_scope is None else one.new_scope.value
        asked = Writing(one.path, one.reason, one.operation, new_scope=scope, origin=ORIGIN)
        return self.proposals().write(asked)

    def _expire(self, one: Suggestion, proposal: int) -> None:
        """Record that a memory expired, once."""
        expires = "" if one.expires is None else one.expires.isoformat()
        log = self.project_ledger.reading
        before = log.events_of([EventType.MEMORY_EXPIRED], 0, log.head().seq)
        known = (told for event in before if (told := MemoryExpired.read(event)) is not None)
        if any((told.path, told.expires) == (one.path, expires) for told in known):
            return
        told = MemoryExpired(id=one.id, path=one.path, expires=expires, proposal=proposal)
        draft = self.project_ledger.draft(told, caused_by=proposal, references=(proposal,))
        self.project_ledger.record(draft)

    @traced()
    def export_usage(self, *, dry_run: bool = False) -> UsageExport:
        """Write counts and last days of use into the front matter of the project's files."""
        self.require()
        usage = self.usages.current()
        edits: list[Edit] = []
        skipped = []
        for memory in self.survey().memories:
            use = usage.find(memory.id, memory.path)
            if not use.last_used:
                continue
            try:
                edits += self._noted(memory.path, use)
            except DmmError as error:
                skipped.append(Skipped(memory.path, error.what))
        written = () if dry_run else tuple(self._write(edits))
        return UsageExport(tuple(edit.path for edit in edits), tuple(skipped), written)

    def _write(self, edits: Sequence[Edit]) -> list[str]:
        """Apply edits, some at a time: an event holds the texts of all its files."""
        reason = "usage counts written into front matter on request"
        applied = []
        for start in range(0, len(edits), MOST_EXPORTED):
            last = start + MOST_EXPORTED >= len(edits)
            done = self.proposals().apply_as_person(
                edits[start : start + MOST_EXPORTED], reason, origin=EXPORT, one_of_many=not last
            )
            applied.append(str(done.proposal.id))
        return applied

    def _noted(self, path: str, use: Use) -> list[Edit]:
        """Make the edit of one file; none where the counts stand there already."""
        text = self.root.tree.text_of(path)
        if text is None:
            return []
        memory = markdown.parse(path, text).memory
        wanted = _counted(memory, use)
        if wanted == memory:
            return []
        fields = {"last_used": use.last_used, "usage_count": str(use.served)}
        try:
            after = front_matter.edit(text, fields)
        except ValueError as error:
            raise UsageError(f"its front matter can't be edited: {error}", where=path) from error
        if markdown.parse(path, after).memory != wanted:
            raise UsageError("its front matter can't be edited safely", where=path)
        if redact(text).text != text:
            raise UsageError("it seems to contain a secret", where=path)
        return [Edit(path, text, after)]


def _counted(memory: Memory, use: Use) -> Memory:
    last = dt.date.fromisoformat(use.last_used)
    return replace(memory, last_used=last, usage_count=use.served)


def _by_name(names: Iterable[tuple[str, str]]) -> dict[str, tuple[str, str]]:
    """List memories by id and by path; where two have the same id, the project's is meant."""
    found: dict[str, tuple[str, str]] = {}
    for identity, path in sorted(names, key=lambda one: (one[1].startswith(OWN), one[1])):
        for name in filter(None, (identity, path)):
            found.setdefault(name, (identity, path))
    return found


def _revised(known: Iterable[Proposal]) -> Mapping[str, int]:
    """Return for each file when a proposal last gave it new content."""
    found: dict[str, int] = {}
    for one in known:
        if one.applied is None or one.operation not in _REWRITES or one.origin == EXPORT:
            continue
        for edit in one.edits:
            found[edit.path] = max(found.get(edit.path, 0), one.applied)
    return found


def _answered(one: Suggestion, known: Iterable[Proposal]) -> Outcome | None:
    """Find the proposal that a suggestion need not repeat: it waits, or had the same reason."""
    for proposal in known:
        if (proposal.origin, proposal.operation) != (ORIGIN, one.operation):
            continue
        if not any(edit.path == one.path for edit in proposal.edits):
            continue
        if proposal.standing in (ProposalStatus.PENDING, ProposalStatus.APPLYING):
            return "waits", proposal.seq, ""
        if proposal.reason == one.reason:
            return str(proposal.standing), proposal.seq, ""
    return None


def _view(one: Suggestion, state: str, seq: int | None, why: str) -> SuggestionView:
    return SuggestionView(
        str(one.kind),
        str(one.operation),
        one.path,
        None if one.new_scope is None else str(one.new_scope),
        one.reason,
        state,
        None if seq is None else name_proposal(seq),
        why,
    )
