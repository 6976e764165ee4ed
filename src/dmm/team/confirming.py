"""What the passkeys of laptops confirmed, as a server's log tells it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from dmm.errors import ProofRefused
from dmm.passkeys.webauthn import encode
from dmm.team import statements
from dmm.team.chain import PASSKEY, read_payload
from dmm.team.proofs import APPROVED, PROOF, Approval, Confirmed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.team.chain import Entry, LogName
    from dmm.team.database import Rows


def read_confirmed(log: LogName, rows: Rows, writer: str) -> Confirmed:
    """Read the passkeys that a log tells of a laptop's user."""
    found = Confirmed()
    for (payload,) in rows(statements.OF_TYPE, *log, PASSKEY):
        told = json.loads(payload)
        if told["writer"] == writer:
            found.add(told)
    return found


def find_unproven(log: LogName, rows: Rows, writer: str, entries: Sequence[Entry]) -> str:
    """Say which entry a person had to confirm and did not; empty where there is none."""
    found = [(one, read_payload(one)) for one in entries if one.type in APPROVED]
    if not found:
        return ""
    known = read_confirmed(log, rows, writer)
    given = (Approval.read(told.get(PROOF)) for _, told in found)
    for nonce in {encode(one.signed.nonce) for one in given if one is not None}:
        for kind, payload in rows(statements.CONFIRMED, *log, writer, f"%{nonce}%"):
            known.use(log, writer, str(kind), json.loads(payload))
    for one, told in found:
        try:
            known.take(log, writer, one.type, told)
        except ProofRefused as error:
            return f"event {one.wseq}: {error.what}"
    return ""
