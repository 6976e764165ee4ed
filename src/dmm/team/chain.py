"""Two chains: that of each writer, which it signs, and that of the server over all of them.

An entry holds the hash of the entry before it by the same writer, so a device can't be made to
have said something else. The server gives every entry the next number of the project and chains
it to the one before, so nothing can be left out or moved.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from dmm.errors import ProofRefused, TeamError
from dmm.eventlog.chain import GENESIS, Head
from dmm.team.keys import is_key, is_signed
from dmm.team.proofs import APPROVED, Confirmed
from dmm.team.roles import OWNER, ROLES, may_send, read_role, tell_forbidden

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dmm.team.keys import SigningKey
    from dmm.team.told import Told

FORMAT = "dmm-team-1"
# The writer of what the server itself records: who joined, as what, and who was removed.
SERVER = "server"
JOINED, REVOKED, ROLE_CHANGED = "WriterJoined", "WriterRevoked", "WriterRoleChanged"
# The passkey of a writer who manages the project.
PASSKEY = "WriterPasskeyAdded"
# A team and its project.
LogName = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Entry:
    """An event in the chain of its writer; `payload` is JSON, kept as the bytes that were hashed.

    The chain holds the payload's hash with a salt, so a payload that is blanked can't be guessed.
    """

    writer: str
    wseq: int
    id: str
    type: str
    at: str
    salt: str
    payload: str
    whash: str
    signature: str


PARTS = tuple(one.name for one in fields(Entry))
# An entry as a row of a table.
list_parts = attrgetter(*PARTS)


@dataclass(frozen=True, slots=True)
class Placed:
    """An entry in the order of the server."""

    seq: int
    hash: str
    entry: Entry

    @classmethod
    def read(cls, row: Sequence[Any]) -> Placed:
        """Read one out of a row: its number, its hash, and the parts of the entry."""
        seq, hash_, *entry = row
        return cls(seq, hash_, Entry(*entry))


@dataclass(frozen=True, slots=True)
class WriterHead:
    """A writer as the log knows it: its key and role, and where its chain ends."""

    key: str
    role: str
    name: str = ""
    wseq: int = 0
    whash: str = GENESIS
    revoked: bool = False
    # Since the server was restored, it has not said how far its copy of the log goes.
    awaited: bool = False


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """The end of a project's log, signed by the server."""

    seq: int
    hash: str
    signature: str


def digest(*parts: str | int) -> str:
    """Hash some values; each is written with its length, so no two lists look the same."""
    text = "".join(f"{len(str(one).encode())}:{one}" for one in (FORMAT, *parts))
    return hashlib.sha256(text.encode()).hexdigest()


def link_entry(log: LogName, previous: str, entry: Entry) -> str:
    """Hash an entry after the one before it by the same writer; it holds for this log alone."""
    told = (entry.writer, entry.wseq, entry.id, entry.type, entry.at)
    return digest(*log, previous, *told, digest(entry.salt, entry.payload))


def link_placed(previous: str, seq: int, whash: str) -> str:
    """Hash the next link of the server's chain."""
    return digest(previous, seq, whash)


def seal(key: SigningKey, log: LogName, writer: str, after: Head, told: Told) -> Entry:
    """Append an event to the chain of a writer, signed."""
    salt = secrets.token_hex(16)
    draft = Entry(writer, after.seq + 1, told.id, told.type, told.at, salt, told.payload, "", "")
    whash = link_entry(log, after.hash, draft)
    return replace(draft, whash=whash, signature=key.sign(whash))


def read_payload(entry: Entry) -> Mapping[str, object]:
    """Read the payload of an entry; empty if it is not an object."""
    return _read_payload(entry.payload)


# Each is read several times in turn.
@lru_cache(128)
def _read_payload(payload: str) -> Mapping[str, object]:
    try:
        found = json.loads(payload)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def digest_passkey(log: LogName, writer: str, told: Mapping[str, str]) -> str:
    """Return what a writer signs of a passkey of its user; earlier versions told no scope."""
    scope = [told["scope"]] if told.get("scope") else []
    parts = (told.get(name, "") for name in ("id", "key", "page"))
    return digest("passkey", *log, writer, *parts, *scope)


def sign_head(key: SigningKey, team: str, project: str, head: Head) -> Checkpoint:
    """Sign where a log ends."""
    signature = key.sign(digest("head", team, project, head.seq, head.hash))
    return Checkpoint(head.seq, head.hash, signature)


def is_checkpoint(public: str, team: str, project: str, point: Checkpoint) -> bool:
    """Return whether the server signed this end of this log."""
    return is_signed(public, digest("head", team, project, point.seq, point.hash), point.signature)


@dataclass(slots=True)
class Trail:
    """What is known of a log as far as it was read; the next entry has to fit."""

    server_key: str
    log: LogName
    head: Head = field(default_factory=Head)
    writers: dict[str, WriterHead] = field(default_factory=dict)
    ids: set[str] = field(default_factory=set)
    confirmed: dict[str, Confirmed] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.writers.setdefault(SERVER, WriterHead(self.server_key, OWNER, SERVER))

    def copy(self) -> Trail:
        """Return one that goes on by itself from here."""
        confirmed = {name: one.copy() for name, one in self.confirmed.items()}
        return replace(self, writers=dict(self.writers), ids=set(self.ids), confirmed=confirmed)

    def is_of(self, server_key: str, log: LogName) -> bool:
        """Return whether this is about the log of a server."""
        return (self.server_key, self.log) == (server_key, log)

    def follow(self, placed: Iterable[Placed], *, signed: bool = True) -> None:
        """Take the next entries; TeamError names the first that does not fit.

        Signatures may be left out for entries that a signed checkpoint covers.
        """
        for one in placed:
            self._take(one, signed=signed)

    def _take(self, one: Placed, *, signed: bool) -> None:
        entry = one.entry
        if one.seq != self.head.seq + 1:
            raise _broken("missing", f"event {self.head.seq + 1} is missing", one)
        writer = self._need_writer(one)
        if entry.id in self.ids:
            raise _broken("replayed", "it was recorded before", one)
        if entry.wseq != writer.wseq + 1:
            raise _broken("swapped", "it is out of the order of its writer", one)
        if entry.whash != link_entry(self.log, writer.whash, entry):
            raise _broken("edited", "it does not match its hash", one)
        if signed and not is_signed(writer.key, entry.whash, entry.signature):
            raise _broken("unsigned", "its writer did not sign it", one)
        if one.hash != link_placed(self.head.hash, one.seq, entry.whash):
            raise _broken("forked", "it does not continue the log that is known here", one)
        self._need_person(one, signed=signed)
        self.head = Head(one.seq, one.hash)
        self.ids.add(entry.id)
        self.writers[entry.writer] = replace(writer, wseq=entry.wseq, whash=entry.whash)
        if entry.writer == SERVER:
            self._enrol(one)

    def _need_writer(self, one: Placed) -> WriterHead:
        """Return the writer of an entry, who must have joined and may say this."""
        writer = self.writers.get(one.entry.writer)
        if writer is None:
            raise _broken("unknown", "its writer never joined", one)
        if writer.revoked:
            raise _broken("revoked", "its writer was removed before", one)
        if one.entry.writer != SERVER and not may_send(writer.role, one.entry.type):
            raise _broken("forbidden", tell_forbidden(writer.role, one.entry.type), one)
        return writer

    def _need_person(self, one: Placed, *, signed: bool) -> None:
        """Refuse what a person has to confirm and did not, once their laptop told a passkey."""
        entry = one.entry
        if entry.writer == SERVER or entry.type not in APPROVED:
            return
        held = self.confirmed.setdefault(entry.writer, Confirmed())
        take = held.take if signed else held.use
        try:
            take(self.log, entry.writer, entry.type, read_payload(entry))
        except ProofRefused as error:
            raise _broken("unproven", error.what, one) from error

    def _enrol(self, one: Placed) -> None:
        """Take in what the server says of a writer; a key is told once."""
        told = {name: str(value) for name, value in read_payload(one.entry).items()}
        name, role = told.get("writer", ""), read_role(told.get("role", ""))
        if one.entry.type == JOINED:
            if name in self.writers:
                raise _broken("twice", "its writer joined before", one)
            key = told.get("key", "")
            if not name or not is_key(key) or role not in ROLES:
                raise _broken("malformed", "it names no writer, key or role", one)
            self.writers[name] = WriterHead(key, role, told.get("name", ""))
        elif one.entry.type in (REVOKED, ROLE_CHANGED):
            self._change(one, name, role)
        elif one.entry.type == PASSKEY:
            self._add_passkey(one, name, told)

    def _add_passkey(self, one: Placed, name: str, told: Mapping[str, str]) -> None:
        """Take in a passkey of a writer: its key is told once, and before it has confirmed."""
        public = self.writers[name].key if name in self.writers else ""
        if not is_signed(public, digest_passkey(self.log, name, told), told.get("signature", "")):
            raise _broken("unsigned", "its laptop did not sign this passkey", one)
        held = self.confirmed.setdefault(name, Confirmed())
        if held.is_other(told):
            raise _broken("twice", "this passkey was registered before with another key", one)
        if held.closed:
            raise _broken("late", "its laptop already decides by passkey and can't add one", one)
        held.add(told)

    def _change(self, one: Placed, name: str, role: str) -> None:
        """Remove a writer, or take in its new role."""
        known = None if name == SERVER else self.writers.get(name)
        if known is None:
            raise _broken("malformed", "it is about a writer who never joined", one)
        if one.entry.type == REVOKED:
            self.writers[name] = replace(known, revoked=True)
            return
        if role not in ROLES:
            raise _broken("malformed", "it names no role", one)
        self.writers[name] = replace(known, role=role)


def _broken(fault: str, what: str, one: Placed) -> TeamError:
    hint = "keep team.db as it is, and ask whoever runs the server"
    return TeamError(fault, f"event {one.seq} of the team log: {what}", hint=hint)
