"""The current conflicts of a project, folded from its ledger and kept up to date."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.conflicts.records import FOLDED, Records, accept_elsewhere, fold, read_name
from dmm.domain.conflict import ConflictType
from dmm.domain.text import neutralise
from dmm.errors import LedgerRefused, StorageError, UsageError
from dmm.eventlog.projection import Projection

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from dmm.conflicts.records import Record
    from dmm.domain.conflict import Accepted
    from dmm.eventlog.log import EventLog
    from dmm.rules.project_ledger import ProjectLedger

MOST_MARKS = 3
LONGEST_MARK = 160


@dataclass(frozen=True, slots=True)
class View:
    """The conflicts that are not settled, by both memories and by each, and what is accepted."""

    records: Records
    open: list[Record] = field(default_factory=list)
    by_pair: dict[frozenset[str], Record] = field(default_factory=dict)
    by_memory: dict[str, list[Record]] = field(default_factory=dict)
    accepted: frozenset[str] = frozenset()

    @classmethod
    def of(cls, records: Records) -> View:
        """Build the view from the records."""
        view = cls(records, records.open, accepted=records.accepted)
        for record in view.open:
            view.by_pair[record.ids] = record
            for side in record.sides:
                view.by_memory.setdefault(side.id, []).append(record)
                view.by_memory.setdefault(side.path, []).append(record)
        return view

    def about(self, names: Iterable[str]) -> list[Record]:
        """Return the unsettled conflicts of some memories, by their ids or paths."""
        found = {one.seq: one for name in names for one in self.by_memory.get(name, ())}
        return [found[seq] for seq in sorted(found)]


@dataclass(slots=True)
class ConflictRegister:
    """All conflicts of one ledger, as they stand at its head; none where it is not trusted.

    `holds` says whether a memory is in this checkout.
    """

    project_ledger: ProjectLedger
    is_trusted: Callable[[], bool]
    holds: Callable[[str], bool] = lambda _: True
    # What reviewers of the team have accepted, by the keys of conflicts.
    accepted: Callable[[], Mapping[str, Accepted]] = dict
    _records: Projection[Records] = field(init=False)
    _view: View | None = None
    _joined: tuple[Records, Mapping[str, Accepted], Records] | None = None

    def __post_init__(self) -> None:
        self._records = Projection(self.project_ledger, lambda *_: Records(), _advance)

    def records(self) -> Records:
        """Return the conflicts at the newest event."""
        if not self.is_trusted():
            return Records()
        own, accepted = self._records.current(), self.accepted()
        if not accepted:
            return own
        if self._joined is None or self._joined[0] is not own or self._joined[1] is not accepted:
            self._joined = own, accepted, accept_elsewhere(own, accepted)
        return self._joined[2]

    def view(self) -> View:
        """Return the view, which is rebuilt only when a conflict has changed."""
        records = self.records()
        if self._view is None or self._view.records.conflicts is not records.conflicts:
            self._view = View.of(records)
        return self._view

    def find(self, name: str) -> Record:
        """Find a conflict by its name or number."""
        number = read_name(name)
        if number is None:
            raise UsageError(f"{name!r} is not a conflict", hint="such as conflict_12, or 12")
        record = self.records().conflicts.get(number)
        if record is None:
            hint = "dmm conflicts list shows those that are not resolved"
            raise UsageError(f"there is no conflict_{number}", hint=hint)
        return record

    def marks(self) -> Mapping[str, tuple[str, ...]]:
        """Return the label that packs show, by the id of each memory in conflict.

        One that is merely possible troubles no reader, and one with a memory of another branch is
        none here: worktrees share a ledger. A ledger that can't be read spoils no pack.
        """
        try:
            view = self.view()
        except (StorageError, LedgerRefused):
            return {}
        marks: dict[str, tuple[str, ...]] = {}
        for record in view.open:
            for name, told in self._tell(record) if record.sure else ():
                marks[name] = (*marks.get(name, ()), told)[:MOST_MARKS]
        return marks

    def _tell(self, record: Record) -> Iterator[tuple[str, str]]:
        if record.type is ConflictType.UNMERGED:
            told = f"two versions after a merge; a person has to choose ({record.id})"
            yield record.sides[0].id, told
            return
        for own, other in (record.sides, record.sides[::-1]):
            if self.holds(other.path):
                yield own.id, _line(f"in conflict with {other.path} ({record.id}): {other.summary}")


def _advance(log: EventLog, value: Records, to: int) -> Records:
    return fold(log.events_of(FOLDED, value.seq, to), value, to=to)


def _line(text: str) -> str:
    plain = neutralise(" ".join(text.split()))
    return plain if len(plain) <= LONGEST_MARK else plain[: LONGEST_MARK - 1].rstrip() + "…"
