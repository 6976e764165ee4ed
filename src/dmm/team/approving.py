"""What a laptop shares of its user's decisions, with the answers of their passkey."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dmm.domain.event import canonical
from dmm.passkeys.acts import digest_text
from dmm.team.proofs import APPROVED, PROOF, Approval, Confirmed, needs_proof, state

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.passkeys.keyring import Keyring
    from dmm.team.chain import Entry
    from dmm.team.credentials import Credentials
    from dmm.team.told import Told


@dataclass(slots=True)
class Approver:
    """Adds the proof to what is shared; nothing is read before it is needed."""

    held: Credentials
    keyring: Keyring
    read: Callable[[], Confirmed]
    _known: Confirmed | None = None

    def known(self) -> Confirmed:
        """Return what the passkeys that the team knows have confirmed."""
        if self._known is None:
            self._known = self.read()
        return self._known

    def prove(self, told: Told) -> Told | None:
        """Return an event with its proof; None if it needs one and has none: it stays here."""
        if told.type not in APPROVED:
            return told
        known, words = self.known(), json.loads(told.payload)
        statement = state(self.held.log, self.held.writer, told.type, words)
        item = digest_text(statement)
        for signed, items in self.keyring.shared():
            given = Approval(signed, items)
            good = not known.binding or signed.answer.id in known.passkeys
            if item in items and good and given.mark(statement) not in known.used:
                known.used.add(given.mark(statement))
                return replace(told, payload=canonical({**words, PROOF: given.write()}))
        return None if known.binding and needs_proof(told.type, words) else told

    def is_lacking(self, entry: Entry) -> bool:
        """Return whether an entry that waits would be refused, as no passkey confirmed it."""
        words = json.loads(entry.payload) if entry.type in APPROVED else {PROOF: ""}
        return PROOF not in words and self.known().binding and needs_proof(entry.type, words)
