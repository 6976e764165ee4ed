"""The passkeys that a project's decisions rest on, as its ledger knows them.

Passkeys are kept in the user's state folder. A command that is given another folder finds none
there, so the ledger says that there have to be some.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.domain.payload import PasskeysNoted
from dmm.errors import LedgerBroken, LedgerRefused, ProofRefused

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.domain.event import Draft, Event
    from dmm.eventlog.log import EventLog
    from dmm.eventlog.open_ledger import OpenLedger
    from dmm.passkeys.keyring import Keyring

# An event whose payload was blanked says nothing; the one before it does.
MOST = 1_000


@dataclass(frozen=True, slots=True)
class KnownPasskeys:
    """Compares the user's passkeys with those that a ledger knows."""

    project_ledger: OpenLedger
    keyring: Keyring

    def missing(self) -> tuple[str, ...]:
        """Return the passkeys that the ledger knows and the user never enrolled here."""
        if not self.project_ledger.exists:
            return ()
        try:
            with self.project_ledger.as_it_is() as log:
                known = _newest(log)
        except (LedgerBroken, LedgerRefused):
            # What can't be read is not decided in either; restoring it must stay possible.
            return ()
        return tuple(sorted(set(known) - self.keyring.marks()))

    def refuse_missing(self) -> None:
        """Refuse a decision where a passkey that has to confirm it is not even known."""
        missing = self.missing()
        if missing:
            many = "a passkey" if len(missing) == 1 else f"{len(missing)} passkeys"
            raise ProofRefused(
                f"decisions in this project are confirmed by {many} that this user does not have",
                where=str(self.keyring.folder),
                hint="restore passkeys.jsonl there, or give them up: dmm trust --forget-passkeys",
            )

    def note(self) -> None:
        """Record which passkeys confirm decisions from here on, if that is news."""
        held = self._held()
        if not held or not self.project_ledger.is_own:
            return
        # A ledger that is refused has to be restored or trusted first, which is a decision too.
        with contextlib.suppress(LedgerBroken, LedgerRefused):
            if set(_newest(self.project_ledger.log)) != held:
                self.project_ledger.record(self._draft(held))

    def give_up(self, missing: tuple[str, ...]) -> None:
        """Record that a person does without passkeys that can't be asked any more."""
        draft = self._draft(self._held(), missing)
        try:
            self.project_ledger.record(draft)
        except LedgerRefused:
            # Whether this ledger is the right one is decided next; what was said stays in it.
            with self.project_ledger.as_it_is() as log:
                log.append([draft])

    def given_up(self) -> tuple[Event, ...]:
        """Return the events in which passkeys were given up."""
        if not self.project_ledger.exists:
            return ()
        found = _events(self.project_ledger.reading)
        return tuple(event for event, told in found if told.given_up)

    def _held(self) -> set[str]:
        return {one.mark for one in self.keyring.read()}

    def _draft(self, held: set[str], given_up: tuple[str, ...] = ()) -> Draft:
        told = PasskeysNoted(passkeys=tuple(sorted(held)), given_up=given_up)
        return self.project_ledger.draft(told)


def _newest(log: EventLog) -> tuple[str, ...]:
    return next((told.passkeys for _, told in _events(log)), ())


def _events(log: EventLog) -> Iterator[tuple[Event, PasskeysNoted]]:
    """Read what was recorded about passkeys, the newest first."""
    for event in reversed(log.latest(MOST, kind=EventType.PASSKEYS_NOTED)):
        told = PasskeysNoted.read(event)
        if told is not None:
            yield event, told
