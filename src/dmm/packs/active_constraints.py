"""Active constraints in packs, and packs in the ledger."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dmm.domain.pack import ConstraintLine, constraint_line, digest_entry
from dmm.domain.payload import Held, PackServed
from dmm.domain.receipt_payload import keep_receipt
from dmm.domain.text import neutralise
from dmm.errors import LedgerRefused, StorageError
from dmm.packs.token_counts import KeptCounts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dmm.domain.pack import Pack, PackEntry
    from dmm.eventlog.state import Constraint
    from dmm.files.roots import Root
    from dmm.rules.project_ledger import ProjectLedger
    from dmm.rules.rule import State

BUDGET = 400
UNTRUSTED = "the ledger is left out: this memory is not trusted yet (see it with: dmm trust)"
STARTER = "starter."


@dataclass(slots=True)
class ActiveConstraints:
    """Speaks for the ledger in packs; a ledger that can't be read or written spoils no pack."""

    root: Root
    project_ledger: ProjectLedger
    count: Callable[[str], int]
    is_trusted: Callable[[], bool]
    notices: tuple[str, ...] = ()

    def constraints(self) -> tuple[ConstraintLine, ...]:
        """Return the rules in force, the most binding first; what has no room is counted."""
        self.notices = ()
        unread: tuple[str, ...] = ()
        held: Sequence[Constraint]
        if not self.is_trusted():
            self.notices = (UNTRUSTED,)
            return ()
        try:
            held = self.project_ledger.standing(self.project_ledger.state())
        except (StorageError, LedgerRefused) as error:
            way_out = f"; {error.hint}" if error.hint else ""
            unread = (f"the constraints could not be read: {error}{way_out}",)
            held = self.project_ledger.readable()
        counts = KeptCounts(self.root, "constraints.json", self.count)
        counts.load()
        accepted = [one for one in held if not one.pending]
        lines: list[ConstraintLine] = []
        shown, left = 0, BUDGET
        for line, stands_for in _lines(accepted) if accepted else ():
            told = constraint_line(line.id or str(line.seq), line.state, line.text)
            tokens = counts.count(told)
            if tokens <= left:
                left -= tokens
                shown += stands_for
                lines.append(replace(line, token_count=tokens))
        counts.save()
        self.notices = unread
        if unread:
            return tuple(lines)
        wrong = [f"the stored state at event {seq} was changed" for seq in self._wrong()]
        self.notices = (*wrong, *_left_out(len(accepted) - shown, len(held) - len(accepted)))
        return tuple(lines)

    def _wrong(self) -> tuple[int, ...]:
        return self.project_ledger.wrong_snapshots[:1]

    def record(self, pack: Pack) -> str | None:
        """Record that a pack was served, with the hashes of what it held; say if that failed."""
        if not self.is_trusted():
            return None
        told = PackServed(
            task=pack.query,
            budget=pack.budget,
            tokens=pack.total_tokens,
            constraints=tuple(line.seq for line in pack.constraints if line.seq),
            baseline=tuple(map(held, pack.baseline_entries)),
            retrieved=tuple(map(held, pack.retrieved_entries)),
            receipt=keep_receipt(
                pack.baseline_entries,
                pack.retrieved_entries,
                pack.receipt.candidates,
                considered=pack.receipt.considered,
                memory=pack.receipt.memory,
            ),
        )
        try:
            self.project_ledger.record(self.project_ledger.draft(told))
        except (StorageError, LedgerRefused) as error:
            return f"this pack could not be recorded: {error}"
        return None


def _lines(accepted: Sequence[Constraint]) -> Iterator[tuple[ConstraintLine, int]]:
    """Sort the most binding first, then the newest; starter rules come before advice.

    Each line tells how many rules it stands for.
    """
    from dmm.rules.rule import State
    from dmm.rules.states import order_by_state, state_of

    own = [(one, state_of(one)) for one in accepted if not one.text.startswith(STARTER)]
    ordered = sorted(own, key=order_by_state)
    yield from (_line(*one) for one in ordered if one[1] is not State.ADVICE)
    starters = [one for one in accepted if one.text.startswith(STARTER)]
    if starters:
        names = ", ".join(one.text.partition(":")[0].removeprefix(STARTER) for one in starters)
        first = replace(starters[0], text=f"the starter rules ({names})")
        yield _line(first, state_of(starters[0]))[0], len(starters)
    yield from (_line(*one) for one in ordered if one[1] is State.ADVICE)


def _line(one: Constraint, state: State) -> tuple[ConstraintLine, int]:
    text = neutralise(" ".join(one.text.split()))
    return ConstraintLine(max(one.seq, 0), one.priority, text, 0, str(state), one.id), 1


def _left_out(more: int, pending: int) -> Iterator[str]:
    if more:
        yield f"{more} more {'rule is' if more == 1 else 'rules are'} active: dmm rules"
    if pending:
        yield f"{pending} constraints wait until a person accepts them: dmm ledger pending"


def held(entry: PackEntry) -> Held:
    """Name an entry as the ledger records it."""
    return Held(entry.path, entry.id, digest_entry(entry))
