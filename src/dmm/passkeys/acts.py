"""What only a person does, and what a person confirms: one act, on one thing, with one text."""

from __future__ import annotations

import datetime as dt
import hashlib
import secrets
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

DIGEST = 64
SALT = 32
# A nonce says when it was made; the rest of it is random.
SECONDS, RANDOM = 8, 24
PAGE, TERMINAL = ("page",), ("terminal",)
BOTH = (*PAGE, *TERMINAL)
# An act that is about a text brings it into force or takes it out; it has to be the one shown.
TEXT = True


class PersonAct(StrEnum):
    """Everything that only a person does; each surface that offers an act asks for the proof."""

    words: str
    offered: tuple[str, ...]
    texted: bool

    def __new__(
        cls, name: str, words: str, offered: tuple[str, ...], texted: bool = False
    ) -> PersonAct:
        """Make an act: `words` complete the sentence "an agent can't"."""
        found = str.__new__(cls, name)
        found._value_ = name
        found.words, found.offered, found.texted = words, offered, texted
        return found

    APPROVE = "approve", "approve a proposal", BOTH, TEXT
    REJECT = "reject", "reject a proposal", BOTH, TEXT
    EDIT = "edit", "edit a proposal", BOTH, TEXT
    BATCH = "batch", "decide about memory", TERMINAL, TEXT
    UNDO = "undo", "undo what was written to memory", BOTH, TEXT
    REMEMBER = "remember", "write a note without review", BOTH, TEXT
    FORGET = "forget", "forget a memory without review", BOTH, TEXT
    IMPORT = "import", "import without review", TERMINAL, TEXT
    EXPORT_USAGE = "export_usage", "write usage into memory files", TERMINAL
    RESOLVE = "resolve", "declare a conflict intentional", BOTH, TEXT
    ADD_RULE = "add_rule", "add a rule file", BOTH, TEXT
    EDIT_RULE = "edit_rule", "edit a rule", BOTH, TEXT
    ACCEPT_RULE = "accept_rule", "accept a rule", BOTH, TEXT
    DISABLE_RULE = "disable_rule", "disable a rule", BOTH, TEXT
    ENABLE_RULE = "enable_rule", "enable a rule", BOTH, TEXT
    ALLOW_CALL = "allow_call", "allow a call that a rule asks about", TERMINAL, TEXT
    ADOPT_RULES = "adopt_rules", "adopt a rule", BOTH, TEXT
    CONSTRAINT = "constraint", "make a constraint that binds at once", BOTH, TEXT
    LIFT_CONSTRAINT = "lift_constraint", "make a constraint inactive", TERMINAL, TEXT
    TRUST = "trust", "trust memory", TERMINAL, TEXT
    REVOKE_TRUST = "revoke_trust", "revoke trust", TERMINAL
    FORGET_PASSKEYS = "forget_passkeys", "give passkeys up", TERMINAL
    REDACT = "redact", "redact the ledger", TERMINAL
    RESTORE = "restore", "restore a ledger", TERMINAL
    TELL_TEAM = "tell_team", "share an observation with a team", TERMINAL, TEXT
    JOIN_TEAM = "join_team", "join a team", TERMINAL
    LEAVE_TEAM = "leave_team", "leave a team", TERMINAL
    INVITE_LAPTOP = "invite_laptop", "invite to a team", TERMINAL
    CHANGE_ROLE = "change_role", "change a role", TERMINAL
    REMOVE_LAPTOP = "remove_laptop", "remove a laptop", TERMINAL
    ENROLL = "enroll", "add a passkey", PAGE, TEXT
    REMOVE_PASSKEY = "remove_passkey", "remove a passkey", PAGE


TEXTED = frozenset(str(one) for one in PersonAct if one.texted)


@dataclass(frozen=True, slots=True)
class Act:
    """An act on something: `digest` is that of the text that it is about.

    `shared` are the statements that others are told by it, in full.
    """

    action: str
    id: str = ""
    digest: str = ""
    shared: tuple[str, ...] = ()

    def challenge(self, nonce: bytes) -> bytes:
        """Return what a passkey signs; the nonce makes it good once."""
        if not self.shared:
            return self.blind(nonce)
        return challenge_shared(self.stamp(nonce), self.items(nonce))

    def salts(self, nonce: bytes) -> tuple[str, ...]:
        """Return a salt for each statement; one reveals neither another nor the nonce."""
        numbers = range(len(self.shared))
        made = (_digest_parts(b"salt", nonce, one.to_bytes(8, "big")) for one in numbers)
        return tuple(one.hex()[:SALT] for one in made)

    def items(self, nonce: bytes) -> tuple[str, ...]:
        """Return the digests by which others know the statements, each with its salt."""
        return tuple(map(digest_item, self.salts(nonce), self.shared))

    def stamp(self, nonce: bytes) -> bytes:
        """Return what others are told of the act itself: when it was asked for, and its digest."""
        return nonce[:SECONDS] + self.blind(nonce)

    def blind(self, nonce: bytes) -> bytes:
        """Return the digest of what others are not told; without the nonce it reveals nothing."""
        # The name of a folder need not be UTF-8; what is not stays itself.
        told = (one.encode("utf-8", "surrogatepass") for one in (self.action, self.id, self.digest))
        return _digest_parts(*told, nonce)

    def covers(self, other: Act) -> bool:
        """Return whether a confirmation of this act covers another with the same text."""
        same_text = self.digest == other.digest or other.action not in TEXTED
        return (self.action, self.id) == (other.action, other.id) and same_text

    @property
    def is_unread(self) -> bool:
        """Whether it is about a text without saying which."""
        return self.action in TEXTED and len(self.digest) != DIGEST


def make_nonce(at: dt.datetime | None = None) -> bytes:
    """Make a nonce that says when it was made."""
    made = at or dt.datetime.now(dt.UTC)
    return int(made.timestamp()).to_bytes(SECONDS, "big") + secrets.token_bytes(RANDOM)


def read_time(nonce: bytes) -> dt.datetime:
    """Return when a nonce was made."""
    return dt.datetime.fromtimestamp(int.from_bytes(nonce[:SECONDS], "big") % 2**37, dt.UTC)


def challenge_shared(own: bytes, items: Iterable[str]) -> bytes:
    """Return what a passkey signs of an act whose statements others are told, by their digests."""
    return _digest_parts(b"shared", own, *(one.encode() for one in items))


def digest_item(salt: str, statement: str) -> str:
    """Return the digest of a statement; who lacks its salt can't guess it. Older ones have none."""
    return digest_text(f"{salt} {statement}" if salt else statement)


def _digest_parts(*parts: bytes) -> bytes:
    """Hash some parts; each is preceded by its length, so that none can shift."""
    found = hashlib.sha256()
    for part in parts:
        found.update(len(part).to_bytes(8, "big"))
        found.update(part)
    return found.digest()


def digest_text(text: str) -> str:
    """Return the digest of a text that an act is about."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
