"""Leaving a team: what happens to its rules, the copy of its log and the laptop's key."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dmm.errors import IndexBusy, LedgerBroken, TeamError
from dmm.eventlog.state import BY, TEAM
from dmm.files.durable import make_folder, translated
from dmm.private import FOLDER
from dmm.rules.constraints import Constraints
from dmm.storage.sqlite import find_logs
from dmm.team.credentials import drop_credentials
from dmm.team.mark import forget_joined
from dmm.team.replica import Replica
from dmm.team.rules import enact, read_rules

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from dmm.rules.project_ledger import ProjectLedger
    from dmm.team.folding import TeamRule


@dataclass(frozen=True, slots=True)
class Copy:
    """The copy of the log that a laptop leaves; without a writer, it was left before."""

    writer: str
    usable: bool


@dataclass(frozen=True, slots=True)
class Parted:
    """What became of the copy: rules kept as rules of this laptop, entries that were never sent.

    `read` says whether the rules could be read, `erased` whether no byte of them is left in it.
    """

    kept: int
    unsent: int
    read: bool
    erased: bool


@dataclass(frozen=True, slots=True)
class Left:
    """What leaving did; without the laptop's key, the team is not known.

    `told` says whether the server knows that the laptop has left.
    """

    team: str
    project: str
    writer: str
    told: bool
    parted: Parted


def end_membership(
    ledger: ProjectLedger, path: Path, home: Path, copy: Copy, *, keep: bool
) -> Parted:
    """Keep the rules and drop the key, the copy and the note of having joined, in this order.

    What breaks off is finished by the next attempt.
    """
    if not copy.usable:
        make_folder(path.parent, mode=FOLDER)
        set_aside(path)
    with Replica.opened(path, create=not copy.usable) as replica, replica.leaving():
        unsent = replica.count_unsent()
        rules = _read_proved(path, home, copy) if keep else ()
        kept = keep_rules(ledger, rules or ())
        if copy.writer:
            drop_credentials(home, copy.writer)
    forget_joined(home, path)
    return Parted(kept, unsent, rules is not None, _erase(path))


def _read_proved(path: Path, home: Path, copy: Copy) -> tuple[TeamRule, ...] | None:
    """Read the rules of a copy; None where nothing proves them."""
    if copy.usable and not copy.writer:
        return ()
    try:
        return read_rules(path, home)
    except (TeamError, LedgerBroken):
        return None


def _erase(path: Path) -> bool:
    """Return whether the copy holds no byte of what was dropped; another process may read it."""
    with contextlib.suppress(IndexBusy), Replica.opened(path) as replica:
        replica.erase_freed()
        return True
    return False


def set_aside(path: Path) -> None:
    """Rename a copy that can't be used, and its logs, as far as they are there."""
    number = 1
    while (aside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    with translated(path, "set the copy of the team log aside"):
        for part in (one for one in (*find_logs(path), path) if one.exists()):
            part.rename(aside.with_name(aside.name + part.name.removeprefix(path.name)))


def keep_rules(ledger: ProjectLedger, rules: Iterable[TeamRule]) -> int:
    """Record rules of the team in the ledger; return how many were not in it.

    The ledger is asked without the team's rules: those are the ones to be recorded.
    """
    own = Constraints(replace(ledger, shared=None))
    added = 0
    for one in rules:
        compiled = dict(enact(one).rule or {})
        compiled.pop(TEAM, None)
        compiled.pop(BY, None)
        rule = None if compiled.get("kind") == TEAM else compiled
        told = own.record_constraint(one.text, one.priority, None, rule)
        added += not told.existing
    return added
