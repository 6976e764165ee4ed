"""Leaked payloads blanked: in the ledger, and in everything that was made from them."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dmm.domain.event import PERSONS, EventType
from dmm.errors import LedgerRefused, UsageError
from dmm.files.durable import translated
from dmm.service.inputs import accept

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from dmm.domain.event import Event
    from dmm.service.backups import Backups
    from dmm.service.chronicle import Chronicle
    from dmm.service.published import PublishedRules

# So short a text stands in many events that hold no secret.
SHORTEST = 4
DATABASES = ("", "-wal", "-shm")


@dataclass(frozen=True, slots=True)
class Redactions:
    """Blanks what the ledger of one project should never have held.

    `derived` are files that are made from events and can be made again.
    """

    chronicle: Chronicle
    backups: Backups
    published: PublishedRules
    derived: tuple[Path, ...]
    spool: Path

    def find(self, secret: str) -> list[Event]:
        """Find the events whose payload holds a text, as it is or as JSON writes it."""
        if len(secret) < SHORTEST:
            raise UsageError(f"give at least {SHORTEST} characters")
        forms = _forms(secret)
        events = self.chronicle.reading.events()
        return [
            event
            for event in events
            if event.payload is not None
            and any(form in json.dumps(event.payload, ensure_ascii=False) for form in forms)
        ]

    def redact(self, seqs: Sequence[int], reason: str, secret: str = "") -> dict[str, Any]:
        """Blank the payloads of events; the chain stays valid and says what was done.

        A secret that is named is also looked for among the events that wait.
        """
        if self.chronicle.voice.trust not in PERSONS:
            raise LedgerRefused("an agent can't redact the ledger", hint="a person can")
        reason = accept("reason", reason)
        wanted = sorted(set(seqs))
        drafts = [
            self.chronicle.draft(
                EventType.PAYLOAD_REDACTED, {"seq": seq, "reason": reason}, references=(seq,)
            )
            for seq in wanted
        ]
        named = dict(zip(wanted, drafts, strict=True))
        blanked = self.chronicle.log.blank_all(named) if named else []
        dropped = list(self._drop_waiting(secret)) if secret else []
        removed = self._remove_derived()
        self.published.publish()
        return {
            "redacted": wanted,
            "events": [event.seq for event in blanked],
            "dropped": len(dropped),
            "removed": removed,
        }

    def _drop_waiting(self, secret: str) -> Iterator[Path]:
        """Delete the events that wait to be recorded and hold the secret."""
        forms = [form.encode("utf-8", "surrogatepass") for form in _forms(secret)]
        if not self.spool.is_dir():
            return
        for path in self.spool.glob("*.event"):
            with contextlib.suppress(FileNotFoundError), translated(path, "look at the event"):
                data = path.read_bytes()
                if any(form in data for form in forms):
                    path.unlink()
                    yield path

    def _remove_derived(self) -> list[str]:
        """Remove what was made from the payloads: copies, packs, the index of sessions."""
        removed = []
        for path in (*self.derived, *(one.path for one in self.backups.find())):
            for end in DATABASES:
                part = path.with_name(path.name + end)
                with translated(part, "remove the file"):
                    if part.is_file():
                        part.unlink()
                        removed.append(str(part))
        self.backups.make()
        return removed


def _forms(secret: str) -> tuple[str, ...]:
    """Write a text in the forms in which payloads hold it."""
    escaped = json.dumps(secret)[1:-1]
    return tuple(dict.fromkeys((secret, json.dumps(secret, ensure_ascii=False)[1:-1], escaped)))
