"""Blank leaked payloads in the ledger and in everything derived from them."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.event import PERSONS, EventType
from dmm.domain.payload import PayloadRedacted
from dmm.errors import IndexBusy, LedgerRefused, StorageError, UsageError
from dmm.eventlog.state import RULES, State, fold
from dmm.ledger.remains import Leaked, remove, write_forms
from dmm.ledger.results import Redacted, Withdrawn
from dmm.passkeys.acts import PersonAct
from dmm.redaction.clean import clean
from dmm.redaction.inputs import accept

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from pathlib import Path

    from dmm.domain.event import Event
    from dmm.ledger.backups import Backups
    from dmm.ledger.remains import Remains
    from dmm.rules.project_ledger import ProjectLedger
    from dmm.rules.published import PublishedRules

# Such a short text is in many events that hold no secret.
SHORTEST = 4
MASK = "[REDACTED]"


@dataclass(frozen=True, slots=True)
class Plan:
    """What a redaction would erase, and what that does to the rules.

    `waiting` are events not yet recorded, `copies` ledgers set aside that would be deleted.
    """

    events: tuple[Event, ...]
    effects: tuple[str, ...]
    waiting: tuple[Path, ...]
    copies: tuple[Path, ...]

    @property
    def empty(self) -> bool:
        """Whether nothing found that only a person can decide on."""
        return not (self.events or self.waiting or self.copies)


@dataclass(frozen=True, slots=True)
class Redactions:
    """Blanks what the ledger of one project should never have held."""

    project_ledger: ProjectLedger
    backups: Backups
    published: PublishedRules
    remains: Remains
    # Takes events out of what waits for a team's server.
    withdraw: Callable[[frozenset[str]], Withdrawn] = lambda _: Withdrawn()

    def find(self, secret: str) -> list[Event]:
        """Find the events whose payload holds a text, as it is or as JSON writes it."""
        if len(secret) < SHORTEST:
            raise UsageError(f"give at least {SHORTEST} characters")
        leaked = Leaked.of(secret, ())
        return [event for event in self.project_ledger.reading.events() if leaked.is_in(event)]

    def plan(self, seqs: Sequence[int], secret: str = "") -> Plan:
        """Return what would be erased: the named events, or those with a text."""
        events = self.find(secret) if secret else self._look_up(seqs)
        leaked = Leaked.of(secret, events)
        return Plan(
            events=tuple(events),
            effects=tuple(self._effects({event.seq for event in events})),
            waiting=tuple(self.remains.find_waiting(leaked)),
            copies=tuple(self.remains.find_copies(leaked)[0]),
        )

    def redact(self, seqs: Sequence[int], reason: str, secret: str = "") -> Redacted:
        """Blank the payloads of events; the chain stays valid and says what was done.

        What is found elsewhere is erased in any case: an earlier run may have been cut short.
        """
        if self.project_ledger.actor.trust not in PERSONS:
            raise LedgerRefused(
                f"an agent can't {PersonAct.REDACT.words}", hint="run it in a terminal of your own"
            )
        reason = accept("reason", reason)
        events = self._look_up(seqs)
        leaked = Leaked.of(secret, events)
        recorded, erased = self._blank(events, reason)
        with contextlib.suppress(StorageError, LedgerRefused):
            # A team's rules that can't be read keep no secret in its place.
            self.published.publish()
        team = self.withdraw(frozenset(event.id for event in events))
        waiting = self.remains.find_waiting(leaked)
        copies, unread = self.remains.find_copies(leaked)
        dropped = [name for path in waiting for name in remove(path)]
        removed = [
            name
            for path in (*copies, *self.remains.find_derived(), *self._old_backups())
            for name in remove(path)
        ]
        self.backups.make()
        return Redacted(
            redacted=tuple(event.seq for event in events),
            events=tuple(recorded),
            erased=erased and team.erased,
            dropped=len(dropped),
            removed=tuple(removed),
            unread=(*map(str, unread), *team.unread),
            sent=team.sent,
        )

    def _look_up(self, seqs: Sequence[int]) -> list[Event]:
        """Read the events that are named, without those that are blanked already."""
        log = self.project_ledger.reading
        head, found = log.head().seq, []
        for seq in sorted(set(seqs)):
            event = log.event(seq) if 0 < seq <= head else None
            if event is None:
                hint = "dmm ledger log shows the events"
                raise LedgerRefused(f"there is no event {seq}", hint=hint)
            if event.type == EventType.PAYLOAD_REDACTED:
                raise LedgerRefused(f"event {seq} records a redaction; it can't be blanked")
            if event.payload is not None:
                found.append(event)
        return found

    def _effects(self, seqs: Collection[int]) -> Iterator[str]:
        """Return what becomes of the constraints in force when events are blanked."""
        log = self.project_ledger.reading
        events = list(log.events_of(RULES, 0, log.head().seq))
        now = {one.seq: one for one in fold(State(), events).in_force}
        left = fold(State(), [event for event in events if event.seq not in seqs])
        then = {one.seq: one for one in left.in_force}
        for seq in sorted(now.keys() | then.keys()):
            if seq not in then and now[seq].from_file:
                stays = f"{now[seq].path}, which stays active"
                yield f"event {seq} records {stays}: remove the text there first"
            elif seq not in then:
                yield f"event {seq} is an active constraint; it will no longer apply"
            elif seq not in now:
                yield f"constraint {seq} will be active again"
            elif then[seq].pending and not now[seq].pending:
                yield f"constraint {seq} will be pending again"

    def _blank(self, events: Sequence[Event], reason: str) -> tuple[list[int], bool]:
        """Blank the events; say as what that is recorded, and whether no byte is left."""
        if not self.project_ledger.exists:
            return [], True
        drafts = {
            event.seq: self.project_ledger.draft(
                PayloadRedacted(seq=event.seq, reason=reason), references=(event.seq,)
            )
            for event in events
        }
        log = self.project_ledger.log
        recorded = log.blank_all(drafts) if drafts else []
        try:
            log.erase_freed()
        except IndexBusy:
            # A reader keeps the old pages for now; all the rest can still be erased.
            return [event.seq for event in recorded], False
        return [event.seq for event in recorded], True

    def _old_backups(self) -> Iterator[Path]:
        """Find the backups made before the newest redaction, and what unfinished ones left."""
        folder = self.backups.folder
        if folder is None or not folder.is_dir():
            return
        known = self.backups.find()
        since = self.project_ledger.reading.last_redaction()
        yield from (one.path for one in known if one.seq < since)
        names = {one.path.name for one in known}
        yield from (path for path in folder.iterdir() if path.name not in names)


def mask(text: str, secret: str) -> str:
    """Show a text without its secrets, and without the one that leaked."""
    for form in write_forms(secret):
        text = text.replace(form, MASK)
    return clean(text)
