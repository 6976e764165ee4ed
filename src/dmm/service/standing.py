"""Constraints in packs, and packs in the ledger: what stands beside the baseline."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dmm.domain.event import EventType
from dmm.domain.pack import ConstraintLine, constraint_line, digest_entry
from dmm.domain.text import neutralise
from dmm.errors import LedgerRefused, StorageError
from dmm.service.counts import KeptCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dmm.domain.pack import Pack, PackEntry
    from dmm.files.roots import Root
    from dmm.ledger.state import Constraint
    from dmm.service.chronicle import Chronicle

BUDGET = 400
BINDING = ("required", "learned")
UNTRUSTED = "the ledger is left out: this memory is not trusted yet (see it with: dmm trust)"
STARTER = "starter."


@dataclass(slots=True)
class Standing:
    """Speaks for the ledger in packs; a ledger that can't be read or written spoils no pack."""

    root: Root
    chronicle: Chronicle
    count: Callable[[str], int]
    is_trusted: Callable[[], bool]
    notices: tuple[str, ...] = ()

    def constraints(self) -> tuple[ConstraintLine, ...]:
        """Give the constraints in force, within their budget; what has no room is told."""
        self.notices = ()
        if not self.is_trusted():
            self.notices = (UNTRUSTED,)
            return ()
        try:
            held = [one for one in self.chronicle.state().in_force if one.priority in BINDING]
        except (StorageError, LedgerRefused) as error:
            self.notices = (f"the constraints could not be read: {error}",)
            return ()
        counts = KeptCounts(self.root, "constraints.json", self.count)
        counts.load()
        accepted = [one for one in held if not one.pending]
        lines: list[ConstraintLine] = []
        shown, left = 0, BUDGET
        for seq, priority, text, stands_for in _lines(accepted):
            tokens = counts.count(constraint_line(seq, priority, text))
            if tokens <= left:
                left -= tokens
                shown += stands_for
                lines.append(ConstraintLine(seq, priority, text, tokens))
        counts.save()
        wrong = [f"the stored state at event {seq} was changed" for seq in self._wrong()]
        self.notices = (*wrong, *_left_out(len(accepted) - shown, len(held) - len(accepted)))
        return tuple(lines)

    def _wrong(self) -> tuple[int, ...]:
        return self.chronicle.wrong_snapshots[:1]

    def record(self, pack: Pack) -> str | None:
        """Record that a pack was served, with the hashes of what it held; say if that failed."""
        if not self.is_trusted():
            return None
        payload = {
            "task": pack.query,
            "budget": pack.budget,
            "tokens": pack.total_tokens,
            "constraints": [line.seq for line in pack.constraints],
            "baseline": [_held(entry) for entry in pack.baseline_entries],
            "retrieved": [_held(entry) for entry in pack.retrieved_entries],
        }
        try:
            self.chronicle.record(self.chronicle.draft(EventType.PACK_SERVED, payload))
        except (StorageError, LedgerRefused) as error:
            return f"this pack could not be recorded: {error}"
        return None


def _lines(accepted: Sequence[Constraint]) -> Iterator[tuple[int, str, str, int]]:
    """Put what the project's people wrote first, the newest on top; the starter rules are one line.

    Each line tells how many constraints it stands for.
    """
    own = [one for one in accepted if not one.text.startswith(STARTER)]
    starters = [one for one in accepted if one.text.startswith(STARTER)]
    for one in sorted(own, key=lambda one: -one.seq):
        yield one.seq, one.priority, neutralise(" ".join(one.text.split())), 1
    if starters:
        names = ", ".join(one.text.partition(":")[0].removeprefix(STARTER) for one in starters)
        yield starters[0].seq, starters[0].priority, f"the starter rules ({names})", len(starters)


def _left_out(more: int, pending: int) -> Iterator[str]:
    if more:
        yield f"{more} more constraints are in force: dmm ledger context"
    if pending:
        yield f"{pending} constraints wait until a person accepts them: dmm ledger pending"


def _held(entry: PackEntry) -> dict[str, Any]:
    return {"path": entry.path, "id": entry.id, "hash": digest_entry(entry)}
