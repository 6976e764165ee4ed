"""What a laptop shares of its user's decisions, with the answers of their passkey."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dmm.domain.event import canonical
from dmm.errors import ProofRefused
from dmm.passkeys.webauthn import encode
from dmm.team.proofs import (
    APPROVALS,
    APPROVED,
    PROOF,
    Approval,
    Confirmed,
    Enrolled,
    leave_proof,
    needs_proof,
    state,
)
from dmm.team.told import Told

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dmm.passkeys.keyring import Keyring, Passkey
    from dmm.team.chain import Entry
    from dmm.team.credentials import Credentials


@dataclass(slots=True)
class Approver:
    """Adds the proof to what is shared; nothing is read before it is needed, and that once."""

    held: Credentials
    keyring: Keyring
    read: Callable[[], Confirmed]
    _known: Confirmed | None = None
    _answers: tuple[Approval, ...] | None = None
    _own: tuple[Passkey, ...] = ()

    def known(self) -> Confirmed:
        """Return what the passkeys that the team knows have confirmed."""
        if self._known is None:
            self._known = self.read()
        return self._known

    def answers(self) -> tuple[Approval, ...]:
        """Return the answers of the user's passkeys; StorageError if they can't be read."""
        if self._answers is None:
            self._answers = tuple(Approval(*one) for one in self.keyring.shared())
            self._own = self.keyring.read() if self._answers else ()
        return self._answers

    def prove(self, told: Told) -> Told | None:
        """Return an event with its proof; None if it needs one and has none: it stays here."""
        if told.type not in APPROVED:
            return told
        words, answers, judge = json.loads(told.payload), self.answers(), self._find_judge()
        said = state(self.held.log, self.held.writer, told.type, words)
        for given in (one for one in (answers if judge.binding else ()) if one.names(said)):
            proved = {**words, PROOF: given.write()}
            if not self._is_refused(judge, told.type, proved, told.at):
                return replace(told, payload=canonical(proved))
        return None if self.known().binding and needs_proof(told.type, words) else told

    def prove_again(self, entry: Entry) -> Told | None:
        """Return what an entry tells, with another proof; None if it needs one and has none."""
        words = canonical(leave_proof(json.loads(entry.payload)))
        return self.prove(Told(entry.id, entry.type, entry.at, words))

    def is_lacking(self, entry: Entry) -> bool:
        """Return whether the server refuses an entry for ever: no passkey confirmed it.

        Entries are asked about in order, as each answer is good once.
        """
        if entry.type not in APPROVED:
            return False
        return self._is_refused(self.known(), entry.type, json.loads(entry.payload), entry.at)

    def _find_judge(self) -> Confirmed:
        """Return the passkeys that a proof has to be of: those told or, before, the user's own."""
        known = self.known()
        if known.binding:
            return known
        own = (Enrolled(one.id, encode(one.key), one.page, "", APPROVALS) for one in self._own)
        return replace(known, passkeys={one.id: one for one in own})

    def _is_refused(
        self, judge: Confirmed, kind: str, words: Mapping[str, object], at: str
    ) -> bool:
        """Take what an event says as the server does; return whether it is refused."""
        try:
            judge.take(self.held.log, self.held.writer, kind, words, at)
        except ProofRefused:
            return True
        return False
