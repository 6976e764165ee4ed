"""Owners prove by passkey that a person manages a team, once their laptop has told one.

A laptop tells the server its user's passkeys, signed with its own key; the log shows them to all.
From then on the server takes no act of that laptop without one.
"""

from __future__ import annotations

import hashlib
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from dmm.errors import ProofRefused, StorageError, TeamError
from dmm.passkeys.acts import RANDOM, SECONDS, Act, read_time
from dmm.passkeys.keyring import Passkey, Signed
from dmm.passkeys.public_keys import check_key
from dmm.passkeys.webauthn import decode, encode
from dmm.team.chain import digest_passkey
from dmm.team.keys import is_signed
from dmm.team.proofs import APPROVALS, GOOD_FOR, Enrolled, check_answer

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable, Mapping

    from dmm.passkeys.keyring import Keyring
    from dmm.team.chain import LogName
    from dmm.team.keys import SigningKey

MARK = 16
TERMINAL = "terminal"
MOST_PASSKEYS = 8


def tell_line(log: LogName, words: str) -> str:
    """Return what a person sees and signs."""
    return f"{'/'.join(log)}$ dmm team {words}"


def describe_passkeys(
    log: LogName, writer: str, key: SigningKey, held: Iterable[Passkey]
) -> tuple[Enrolled, ...]:
    """Return passkeys as a laptop tells its server of them."""
    found = (Enrolled(one.id, encode(one.key), one.page, "", APPROVALS) for one in held)
    return tuple(
        replace(one, signature=key.sign(_digest(log, writer, one)))
        for one in list(found)[:MOST_PASSKEYS]
    )


def read_own(keyring: Keyring) -> tuple[tuple[Passkey, ...], str]:
    """Return the user's passkeys; if their record can't be read, none of them, and why."""
    try:
        return keyring.read(), ""
    except StorageError as error:
        return (), f"{error.what}; {error.hint}" if error.hint else error.what


def count_strange(
    keyring: Keyring, own: Iterable[Passkey], told: Iterable[Enrolled]
) -> tuple[int, int]:
    """Count the passkeys that a team was told and this user never had, and those removed since."""
    marks = {Passkey(one.id, "", decode(one.key), 0, "").mark for one in told}
    ever = keyring.marks()
    return len(marks - ever), len((marks & ever) - {one.mark for one in own})


def need_enrolled(log: LogName, writer: str, public: str, one: Enrolled) -> None:
    """Refuse a passkey that can't be used, or that the laptop did not sign."""
    try:
        check_key(decode(one.key))
    except (ValueError, TypeError, KeyError, ProofRefused) as error:
        raise TeamError("malformed", f"a passkey can't be used: {error}") from error
    if not is_signed(public, _digest(log, writer, one), one.signature):
        raise TeamError("unsigned", "the laptop did not sign its passkey")


def _digest(log: LogName, writer: str, one: Enrolled) -> str:
    return digest_passkey(log, writer, asdict(one))


def check_proof(
    line: str, known: Mapping[str, Enrolled], proof: Mapping[str, str], now: dt.datetime
) -> str:
    """Return by what the audit knows a proof; TeamError where none of these passkeys signed it."""
    if not proof:
        what = "this laptop's acts are confirmed by passkey, and this one is not"
        raise _unproven(what)
    try:
        signed = Signed.read(proof)
        check_answer(known, signed, Act(TERMINAL, line).challenge(signed.nonce))
    except (ProofRefused, KeyError, TypeError, ValueError) as error:
        raise _unproven(f"the passkey did not confirm this: {error}") from error
    # Either way: clocks differ.
    late = abs(now - read_time(signed.nonce)) > GOOD_FOR
    if len(signed.nonce) != SECONDS + RANDOM or late:
        raise _unproven("the confirmation has expired, or the laptop's clock is wrong")
    return hashlib.sha256(signed.nonce).hexdigest()[:MARK]


def _unproven(what: str) -> TeamError:
    hint = (
        "confirm it again; a laptop that lost its passkeys leaves (dmm team leave --drop-rules) "
        "and joins with a new invitation, of another owner or by dmm server invite"
    )
    return TeamError("unproven", what, hint=hint)
