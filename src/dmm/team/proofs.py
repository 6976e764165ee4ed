"""What proves that a person said something to a team: their passkey has signed it.

A laptop tells its user's passkeys. From then on, what binds others counts only with a passkey's
answer, which names each statement that was confirmed together, and nothing else of the act.
"""

from __future__ import annotations

import datetime as dt
import json
import re
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, TypeVar

from dmm.domain.conflict import Resolution
from dmm.domain.event import EventType, canonical
from dmm.errors import ProofRefused
from dmm.passkeys.acts import SECONDS, challenge_shared, digest_item, digest_text, read_time
from dmm.passkeys.keyring import PARTS, Signed
from dmm.passkeys.webauthn import Place, check_assertion, decode, read_origin

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    LogName = tuple[str, str]

T = TypeVar("T")

# The field of a payload that holds the proof.
PROOF = "proof"
# The passkeys of a laptop with this scope confirm what it shares, too, and not only owners' acts.
APPROVALS = "approvals"
ITEMS, SALT = "items", "salt"
MAX_PROOF = 16 * 1024
MOST_ITEMS = 100
# How long a confirmation is good after it was asked for. One that was asked for so long before
# another which was used has ended, too: no clock is set back as far.
GOOD_FOR, PAST = dt.timedelta(minutes=10), dt.timedelta(days=2)
NEVER = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
STAMP = SECONDS + 32
# What a person decides for others; of conflicts, only that one is intentional.
APPROVED = frozenset(
    map(
        str,
        (
            EventType.CONSTRAINT_ADDED,
            EventType.CONSTRAINT_ACCEPTED,
            EventType.CONSTRAINT_DEACTIVATED,
            EventType.PROPOSAL_REVIEWED,
            EventType.CONFLICT_RESOLVED,
        ),
    )
)
_NAME = re.compile(r"[A-Za-z0-9_-]{1,1400}")
_ITEM = re.compile(r"[0-9a-f]{64}")
_SALT = re.compile(r"([0-9a-f]{32})?")


@dataclass(frozen=True, slots=True)
class Enrolled:
    """A passkey of a laptop's user; the laptop signs which one it is, and what it is for."""

    id: str
    key: str
    page: str
    signature: str = ""
    scope: str = ""


@dataclass(frozen=True, slots=True)
class Approval:
    """A passkey's answer to an act, and the digests of all statements that the act makes.

    The salt is that of the statement which it proves. Those of the others stay with them, so that
    nobody who has not got them can guess what they say; earlier versions had none.
    """

    signed: Signed
    items: tuple[str, ...]
    salt: str = ""

    def write(self) -> str:
        """Return it as a payload holds it."""
        salt = {SALT: self.salt} if self.salt else {}
        return canonical({**self.signed.describe(), ITEMS: ",".join(self.items), **salt})

    def names(self, statement: str) -> bool:
        """Return whether a statement is among those that were confirmed, by its salt."""
        return digest_item(self.salt, statement) in self.items

    @staticmethod
    def read(text: object) -> Approval | None:
        """Read it out of a payload; None where it is written in another way."""
        return _read(text) if isinstance(text, str) and len(text) <= MAX_PROOF else None


# Each is read several times in turn, and all that was confirmed together holds the same one.
@lru_cache(128)
def _read(text: str) -> Approval | None:
    try:
        told = json.loads(text)
        items = tuple(told.pop(ITEMS).split(","))
        found = Approval(Signed.read(told), items, told.pop(SALT, ""))
        well = _NAME.fullmatch(found.signed.answer.id) and _SALT.fullmatch(found.salt)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError, ProofRefused):
        return None
    listed = len(items) <= MOST_ITEMS and all(map(_ITEM.fullmatch, items))
    # In one form only; nothing else fits in.
    return found if well and listed and found.write() == text else None


def needs_proof(kind: str, told: Mapping[str, object]) -> bool:
    """Return whether something is decided for others, which only a person does."""
    if kind == EventType.CONFLICT_RESOLVED:
        return told.get("action") == Resolution.INTENTIONAL
    return kind in APPROVED


def state(log: LogName, writer: str, kind: str, told: Mapping[str, object]) -> str:
    """Return what a person confirms of an event: all that is shared of it, and by which laptop."""
    return f"{'/'.join(log)} {writer} {kind} {canonical(leave_proof(told))}"


def leave_proof(told: Mapping[str, T]) -> dict[str, T]:
    """Return what an event says, without what proves it."""
    return {name: one for name, one in told.items() if name != PROOF}


def check_answer(known: Mapping[str, Enrolled], signed: Signed, challenge: bytes) -> None:
    """Refuse a passkey's answer that is to something else, or by none of these passkeys."""
    key = known.get(signed.answer.id)
    if key is None:
        raise ProofRefused("this passkey is not one that the laptop told the server of")
    origin = read_origin(signed.answer.client_data)
    place = Place(key.page or origin.partition("://")[2].partition(":")[0], origin)
    check_assertion(place, challenge, decode(key.key), signed.answer)


@dataclass(slots=True)
class Confirmed:
    """What the passkeys of one laptop confirmed so far."""

    passkeys: dict[str, Enrolled] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    # When the last of those that were used was asked for, by the clock of the laptop.
    latest: dt.datetime = NEVER
    # Something was decided since the laptop's word alone no longer counts: no passkey is added.
    closed: bool = False

    def copy(self) -> Confirmed:
        """Return an independent copy."""
        return replace(self, passkeys=dict(self.passkeys), used=set(self.used))

    @property
    def deciding(self) -> dict[str, Enrolled]:
        """The passkeys that confirm decisions; an earlier version told others for owners' acts."""
        return {name: one for name, one in self.passkeys.items() if one.scope == APPROVALS}

    @property
    def binding(self) -> bool:
        """Whether the laptop's word alone no longer counts."""
        return bool(self.deciding)

    def add(self, told: Mapping[str, str]) -> None:
        """Add a passkey from the log; told again, its scope may grow, but never shrink."""
        one = Enrolled(
            *(told.get(name, "") for name in ("id", "key", "page", "signature", "scope"))
        )
        if one.id not in self.passkeys or (one.scope and not self.is_other(told)):
            self.passkeys[one.id] = one

    def may_add(self, found: Iterable[Enrolled]) -> bool:
        """Return whether one of some passkeys is new to a laptop without any, or told before."""
        known = {(one.id, one.key) for one in self.passkeys.values()}
        return not known or any((one.id, one.key) in known for one in found)

    def is_other(self, told: Mapping[str, str]) -> bool:
        """Return whether a passkey is told by the name of one that has another key."""
        known = self.passkeys.get(told.get("id", ""))
        return known is not None and known.key != told.get("key", "")

    def take(
        self, log: LogName, writer: str, kind: str, told: Mapping[str, object], at: str = ""
    ) -> None:
        """Take the next event; ProofRefused if no passkey confirmed exactly this, once.

        With the time of the event, an answer that had ended by then is refused. The laptop and its
        server ask for that; a log that other laptops have is as it is.
        """
        self.closed = self.closed or self.binding
        if PROOF not in told:
            if self.binding and needs_proof(kind, told):
                raise ProofRefused("no passkey of its user confirmed it")
            return
        given, statement = Approval.read(told[PROOF]), state(log, writer, kind, told)
        if given is None:
            raise ProofRefused("its proof can't be read")
        if _mark(given.signed.nonce, statement) in self.used:
            raise ProofRefused("its confirmation was used before")
        if at:
            self._need_fresh(given.signed.nonce, at)
        if self.binding:
            _check_approval(self.deciding, given, statement)
        self._use_up(given.signed.nonce, statement)

    def use(self, log: LogName, writer: str, kind: str, told: Mapping[str, object]) -> None:
        """Take an event that was checked before: what confirmed it is used up."""
        self.closed = self.closed or self.binding
        if PROOF in told:
            nonce = json.loads(str(told[PROOF]))[PARTS[1]]
            self._use_up(decode(nonce), state(log, writer, kind, told))

    def _use_up(self, nonce: bytes, statement: str) -> None:
        self.used.add(_mark(nonce, statement))
        self.latest = max(self.latest, _read_asked(nonce) or NEVER)

    def _need_fresh(self, nonce: bytes, at: str) -> None:
        asked = _read_asked(nonce)
        try:
            late = asked and abs(dt.datetime.fromisoformat(at) - asked) > GOOD_FOR
        except (ValueError, TypeError) as error:
            raise ProofRefused("its time can't be read") from error
        if asked and (late or asked < self.latest - PAST):
            raise ProofRefused("its confirmation had expired")


def _mark(nonce: bytes, statement: str) -> str:
    """Return the mark that an answer was used for a statement."""
    return digest_text(f"{nonce.hex()} {statement}")


def _read_asked(nonce: bytes) -> dt.datetime | None:
    """Return when a confirmation was asked for; earlier versions did not say."""
    return read_time(nonce) if len(nonce) == STAMP else None


def _check_approval(known: Mapping[str, Enrolled], given: Approval, statement: str) -> None:
    if not given.names(statement):
        raise ProofRefused("its passkey confirmed something else")
    try:
        check_answer(known, given.signed, challenge_shared(given.signed.nonce, given.items))
    except (KeyError, TypeError, ValueError) as error:
        raise ProofRefused(f"its passkey's answer can't be read: {error}") from error
