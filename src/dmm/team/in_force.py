"""The team's active rules, as hooks ask for them: the file is read again only if it changes."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.errors import LedgerRefused, TeamError
from dmm.team.checked import Checked
from dmm.team.mark import WAY_OUT, joined_mark

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from dmm.domain.conflict import Accepted
    from dmm.domain.usage import DayCounts
    from dmm.eventlog.state import Constraint
    from dmm.team.folding import InForce

Stamp = tuple[int, ...]
# Beside the ledger.
NAME = "team.db"


@dataclass(slots=True)
class TeamRules:
    """The rules that others of the team shared, read again when the copy has changed.

    Nothing is loaded as long as the project has not joined a team.
    """

    path: Path
    home: Path
    checked: Checked = field(default_factory=Checked)
    # None before the first look.
    _stamp: Stamp | None = None
    _known: InForce | None = None
    _held: Sequence[Constraint] = field(default_factory=tuple)

    @property
    def expected(self) -> bool:
        """Whether the project has joined a team, even if its copy of the log is gone."""
        return bool(_look(self.path)) or joined_mark(self.home, self.path).exists()

    def __call__(self) -> Sequence[Constraint]:
        """Return the rules as constraints; the same object as long as they are the same."""
        stamp = _look(self.path)
        if stamp != self._stamp:
            self._refresh(stamp)
        return self._held

    def accepted(self) -> Mapping[str, Accepted]:
        """Return the conflicts that a reviewer of the team accepted, by their keys."""
        self()
        return {} if self._known is None else self._known.accepted

    def counts(self) -> tuple[DayCounts, ...]:
        """Return how often laptops of the team used memories; this one is among them."""
        self()
        return () if self._known is None else self._known.counts

    def _refresh(self, stamp: Stamp) -> None:
        if not stamp:
            self._need_absent()
            self._stamp, self._known = stamp, None
            return
        from dmm.team.rules import enact, read_in_force

        try:
            known = read_in_force(self.path, self.home, self.checked)
        except TeamError as error:
            # As with a ledger that can't be read: the rules on file hold meanwhile.
            raise LedgerRefused(error.what, where=error.where, hint=error.hint) from error
        if self._known is None or known.rules != self._known.rules:
            self._held = tuple(map(enact, known.rules))
        self._known = known
        self._stamp = stamp

    def _need_absent(self) -> None:
        """Refuse to go on without rules that were there, in this process or an earlier one."""
        if self._stamp or self.expected:
            raise LedgerRefused("the team's rules are gone", where=str(self.path), hint=WAY_OUT)


def _look(path: Path) -> Stamp:
    """Return what shows that a database has changed; empty where there is none."""
    try:
        found = os.stat(path)  # noqa: PTH116 - with every call; a Path costs more
    except OSError:
        return ()
    stamp = (found.st_ino, found.st_size, found.st_mtime_ns)
    try:
        log = os.stat(f"{path}-wal")  # noqa: PTH116 - as above
    except OSError:
        return stamp
    # An empty log comes and goes with whoever opens the database.
    return (*stamp, log.st_size, log.st_mtime_ns) if log.st_size else stamp
