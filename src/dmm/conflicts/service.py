"""Conflicts: memories that can't both be followed, found and recorded.

A conflict is an event. It is closed by another: when somebody settles it, or when the clash is gone
because a memory has changed. What a person wants to live with stays quiet until a text changes.
"""

from __future__ import annotations

import contextlib
import hashlib
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING

from dmm.conflicts.comparison_set import MOST_AT_A_WRITE, ComparisonSet
from dmm.conflicts.members import Found
from dmm.conflicts.records import GONE, Records, key_of, name_conflict
from dmm.conflicts.register import View
from dmm.conflicts.results import ConflictList, ConflictView, Scanned, show_conflict
from dmm.conflicts.unmerged import find_unmerged
from dmm.domain.conflict import Clash, ConflictType, Method, Side
from dmm.domain.event import Trust, canonical
from dmm.domain.memory import Origin
from dmm.domain.pack import shown_path
from dmm.domain.payload import ConflictFound, ConflictResolved
from dmm.errors import LedgerRefused, MemoryFileError, PathRefused, StorageError, UsageError
from dmm.gc_tuning import settle
from dmm.redaction.clean import clean
from dmm.redaction.inputs import accept, need_one
from dmm.tracing import traced

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

    from dmm.conflicts.candidates import Pair
    from dmm.conflicts.members import Member
    from dmm.conflicts.records import Record
    from dmm.conflicts.register import ConflictRegister
    from dmm.domain.event import Draft
    from dmm.domain.memory import Memory
    from dmm.rules.project_ledger import ProjectLedger

    Progress = Callable[[int, int], None]

LONGEST_SUMMARY = 200
STATUSES = ("unresolved", "resolved", "all")
UNTRUSTED = "nothing was recorded: this memory is not trusted yet (see it with: dmm trust)"
LOW_TRUST = (Trust.TOOL, Trust.THIRD_PARTY)
# The same sentences stand in many conflicts, as quotes and as summaries.
_clean = lru_cache(maxsize=1_024)(clean)


@dataclass(slots=True)
class Conflicts:
    """Finds and records the conflicts of one project."""

    project_ledger: ProjectLedger
    conflict_register: ConflictRegister
    corpus: ComparisonSet
    need_trust: Callable[[], None]
    _notices: list[str] = field(default_factory=list)

    @traced()
    def scan(self, progress: Progress | None = None) -> Scanned:
        """Compare all related memories and return the unresolved conflicts."""
        self._notices = []
        self.corpus.indexes.refresh(whole=True, progress=progress)
        self.corpus.refresh()
        known = self.corpus.choose(self._recorded_pairs(self._view().open))
        recorded = {(pair.one, pair.other) for pair in known}
        others = self.corpus.choose_all(progress, but=recorded)
        with self.corpus.remembering():
            found = [*self.corpus.judge(known), *self.corpus.judge(others, progress)]
            found += find_unmerged(self.corpus.serving().values())
        new, gone = self._settle(found, None)
        settle(len(self.corpus.members))
        written = not self._notices
        return Scanned(
            tuple(map(show_conflict, self._view().open)) if written else _unrecorded(found),
            memories=len(self.corpus.serving()),
            compared=len(known) + len(others),
            found=new,
            gone=gone,
            recorded=written,
            notices=(*self._notices, *self.corpus.indexes.notices.values()),
        )

    def check(self, paths: Collection[str]) -> tuple[ConflictView, ...]:
        """Compare memories that were just written, and return their unresolved conflicts.

        The index has to hold what was written. A path without a memory in force closes what was
        open about it.
        """
        self._notices = []
        self.corpus.refresh()
        numbers = sorted({n for n in map(self.corpus.find, paths) if n is not None})
        names = {*paths, *(self.corpus.members[n].memory.id for n in numbers)}
        again = self.corpus.choose(self._recorded_pairs(self._view().about(names)))
        known = {(pair.one, pair.other) for pair in again}
        near = chain.from_iterable(map(self.corpus.pairs_of, numbers))
        most = MOST_AT_A_WRITE * len(numbers)
        found = self.corpus.judge([*again, *self.corpus.choose(near, most, but=known)])
        found += find_unmerged(self.corpus.members[number] for number in numbers)
        self._settle(found, names)
        if self._notices:
            return _unrecorded(found)
        return tuple(map(show_conflict, self._view().about(names)))

    def _recorded_pairs(self, records: Iterable[Record]) -> Iterator[Pair]:
        """Return the pairs of open conflicts, to compare them again."""
        numbers = self.corpus.by_id()
        for record in records:
            known = sorted(numbers[name] for name in record.ids if name in numbers)
            if len(known) == 2:
                yield self.corpus.pair(known[0], known[1], record.methods)

    def _view(self) -> View:
        try:
            return self.conflict_register.view()
        except (StorageError, LedgerRefused):
            # What can't be read can't be written either; recording tells of it.
            return View(Records())

    def _settle(self, found: Sequence[Found], names: Collection[str] | None) -> tuple[int, int]:
        """Record new conflicts and close those that are gone; return how many of each."""
        if not self.conflict_register.is_trusted():
            self._notices.append(UNTRUSTED)
            return len(found), 0
        try:
            return self._record(found, names)
        except (StorageError, LedgerRefused) as error:
            self._notices.append(f"nothing was recorded: {error}")
            return len(found), 0

    def _record(self, found: Sequence[Found], names: Collection[str] | None) -> tuple[int, int]:
        new, gone = self._news(found, names)
        if not new and not gone:
            return 0, 0
        with self.project_ledger.log.writing() as writer:
            # Another process may have found the same in the meantime.
            new, gone = self._news(found, names)
            for record, reason in gone:
                writer.append(self._closing(record, GONE, reason))
            for one in new:
                writer.append(self._finding(one, writer.head.seq + 1))
        return len(new), len(gone)

    def _news(
        self, found: Sequence[Found], names: Collection[str] | None
    ) -> tuple[list[Found], list[tuple[Record, str]]]:
        """Return the new conflicts, and the recorded ones that are gone, with the reason."""
        view = self.conflict_register.view()
        clashing = {_ids(one): one for one in found}
        gone = []
        for record in view.open if names is None else view.about(names):
            reason = self._reason_gone(record, clashing.get(record.ids))
            gone += [(record, reason)] if reason else []
        closing = {record.ids for record, _ in gone}
        new = [
            one
            for ids, one in clashing.items()
            if (ids not in view.by_pair or ids in closing)
            and not (view.accepted and _key(one) in view.accepted)
        ]
        return new, gone

    def _reason_gone(self, record: Record, found: Found | None) -> str | None:
        """Return why an open conflict is gone, or None if it is not."""
        serving = self.corpus.by_id()
        missing = sorted(side.path for side in record.sides if side.id not in serving)
        if missing:
            return f"no longer active: {', '.join(missing)}"
        if record.type is ConflictType.FLAGGED:
            return None
        if found is None:
            return "the memories no longer contradict each other"
        return None if _same(record, found) else "the memories clash in another way now"

    def _finding(self, found: Found, seq: int) -> Draft:
        clash = found.clash
        told = ConflictFound(
            id=name_conflict(seq),
            type=clash.type,
            confidence=round(clash.confidence, 2),
            memories=_sides(found),
            description=_clean(clash.description),
            suggestion=_clean(clash.suggestion),
            methods=tuple(found.methods),
            quotes=tuple(_clean(quote) for quote in clash.quotes),
            key=_key(found),
        )
        return self.project_ledger.draft(told)

    def close(
        self,
        record: Record,
        action: str,
        reason: str,
        proposals: tuple[int, ...] = (),
        target: str | None = None,
    ) -> ConflictView:
        """Record the outcome of a conflict and return its new state."""
        self.project_ledger.record(self._closing(record, action, reason, proposals, target))
        return show_conflict(self.conflict_register.find(record.id))

    def _closing(
        self,
        record: Record,
        action: str,
        reason: str,
        proposals: tuple[int, ...] = (),
        target: str | None = None,
    ) -> Draft:
        told = ConflictResolved(
            id=record.id, action=action, reason=reason, proposals=proposals, target=target
        )
        references = (record.seq, *proposals)
        return self.project_ledger.draft(told, caused_by=record.seq, references=references)

    def list(self, status: str = "unresolved") -> ConflictList:
        """List conflicts: those that are unresolved, resolved, or all."""
        need_one("status", status, STATUSES)
        view = self.conflict_register.view()
        chosen = [
            one
            for one in view.records.conflicts.values()
            if status == "all" or one.is_open is (status == "unresolved")
        ]
        return ConflictList(tuple(map(show_conflict, chosen)), len(view.open))

    def show(self, name: str) -> ConflictView:
        """Show one conflict."""
        record = self.conflict_register.find(name)
        return replace(show_conflict(record), digest=self.digest(record))

    def digest(self, record: Record) -> str:
        """Return the digest of a conflict as it is shown: what is said of it, and both texts."""
        texts = [self._text(side.path) for side in record.sides]
        told = canonical([record.id, str(record.type), record.description, *record.quotes, texts])
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()

    def _text(self, path: str) -> str | None:
        """Return the text of a memory as its file stands; None where it is gone or unreadable."""
        for shelf in self.corpus.indexes.shelves:
            own = path.removeprefix(shown_path("", shelf.origin))
            if shown_path(own, shelf.origin) == path:
                with contextlib.suppress(PathRefused, MemoryFileError):
                    return shelf.tree.text_of(own)
        return None

    @traced()
    def flag(self, names: Sequence[str], description: str) -> ConflictView:
        """Record a conflict between two memories that somebody reports, by their ids or paths."""
        self.require_voice("flag a conflict")
        description = accept("description", description)
        self.refresh()
        one, other = self._two(names)
        found = Found(one, other, _flag(description), (Method.FLAG,))
        with self.project_ledger.log.writing() as writer:
            known = self.conflict_register.view().by_pair.get(_ids(found))
            if known is not None:
                what = f"these two are in conflict already: {known.id}"
                raise UsageError(what, hint=f"dmm conflicts show {known.id}")
            event = writer.append(self._finding(found, writer.head.seq + 1))
        return show_conflict(self.conflict_register.find(name_conflict(event.seq)))

    def refresh(self) -> None:
        """Load what changed in the files."""
        self.corpus.indexes.refresh()
        self.corpus.refresh()

    def _two(self, names: Sequence[str]) -> tuple[Member, Member]:
        wanted = [name.strip() for name in names if name.strip()]
        if len(wanted) != 2 or wanted[0] == wanted[1]:
            raise UsageError("a conflict is between two memories", hint='such as --ids "a,b"')
        one, other = (self.member(name) for name in wanted)
        if Origin.PROJECT not in (one.origin, other.origin):
            raise UsageError("neither memory is this project's")
        if one is other:
            raise UsageError("both names are of the same memory", where=one.shown)
        return one, other

    def member(self, name: str) -> Member:
        """Return a memory in force by its id or path."""
        serving = self.corpus.serving().values()
        for member in serving:
            if name in (member.memory.id, member.shown):
                return member
        hint = "give the id or the path of an active memory"
        raise UsageError(f"there is no memory {name!r}", hint=hint)

    def require_voice(self, act: str) -> None:
        """Refuse tool output and an untrusted project."""
        self.need_trust()
        if self.project_ledger.actor.trust in LOW_TRUST:
            raise LedgerRefused(f"tool output can't {act}", hint="only a user or an agent may")


def _flag(description: str) -> Clash:
    suggestion = "decide which of the two holds; deprecate, merge or clarify"
    return Clash(ConflictType.FLAGGED, 1.0, description, suggestion)


def _ids(found: Found) -> frozenset[str]:
    return frozenset((found.one.memory.id, found.other.memory.id))


def _key(found: Found) -> str:
    return key_of(found.one.memory, found.other.memory)


def _same(record: Record, found: Found) -> bool:
    """Return whether a clash is the recorded one; its recorded texts are redacted."""
    clash = found.clash
    known = record.type, record.description, set(record.quotes)
    return known == (clash.type, clash.description, set(clash.quotes)) or known == (
        clash.type,
        _clean(clash.description),
        {_clean(quote) for quote in clash.quotes},
    )


def _sides(found: Found) -> tuple[Side, ...]:
    quotes = found.clash.quotes
    return tuple(
        Side(one.memory.id, one.shown, _summary(one.memory, quote))
        for one, quote in zip((found.one, found.other), quotes, strict=True)
    )


def _summary(memory: Memory, quote: str) -> str:
    """Return one line for a memory: the conflicting sentence, or its title."""
    text = " ".join(_clean(quote or memory.title).split())
    return text if len(text) <= LONGEST_SUMMARY else text[: LONGEST_SUMMARY - 1].rstrip() + "…"


def _unrecorded(found: Iterable[Found]) -> tuple[ConflictView, ...]:
    """Return the answer for a project without a ledger."""
    return tuple(
        ConflictView(
            f"unrecorded_{number}",
            one.clash.type,
            round(one.clash.confidence, 2),
            one.clash.sure,
            "unresolved",
            None,
            one.clash.description,
            one.clash.suggestion,
            tuple(one.methods),
            _sides(one),
            one.clash.quotes,
        )
        for number, one in enumerate(found, start=1)
    )
