"""The user's passkeys: a log of what was enrolled, used and removed, each line chained to the last.

A passkey belongs to the user, not to a project, so it stands in the user's state folder.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dmm import endpoint
from dmm.domain.frozen import frozen
from dmm.errors import ProofRefused, StorageError, UsageError
from dmm.files.durable import translated, write_atomic
from dmm.files.lock import exclusive
from dmm.passkeys.acts import Act, PersonAct, digest_text
from dmm.passkeys.webauthn import (
    Assertion,
    Place,
    check_assertion,
    check_signature,
    decode,
    encode,
    read_made,
    read_origin,
)
from dmm.private import make_private_folder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from dmm.passkeys.webauthn import Made

FOLDER = "page"
FILE = "passkeys.jsonl"
LOCK = "passkeys.lock"
PATIENCE = 5.0
START = "0" * 64
BY_PASSKEY = "passkey"
ANSWER = ("client_data", "authenticator_data", "signature")
PARTS = ("id", "nonce", *ANSWER)


def page_folder(home: Path | None = None) -> Path:
    """Return the folder in which what belongs to the page and its user is kept."""
    return Path(endpoint.state_folder(None if home is None else str(home))) / FOLDER


@frozen
class Passkey:
    """One passkey that is enrolled; `page` is the host name that it belongs to."""

    id: str
    name: str
    key: bytes
    counter: int
    added: str
    page: str = ""
    last: str | None = None

    @property
    def mark(self) -> str:
        """By what ledgers know it: a digest of its id and its key."""
        return hashlib.sha256(b"\0".join((self.id.encode(), self.key))).hexdigest()


@frozen
class Signed:
    """A passkey's answer to an act, kept so that whoever reads the record can check it again."""

    nonce: bytes
    answer: Assertion

    def describe(self) -> dict[str, str]:
        """Return it as it stands in the record."""
        given = self.answer
        parts = (self.nonce, given.client_data, given.authenticator_data, given.signature)
        return dict(zip(PARTS, (given.id, *map(encode, parts)), strict=True))

    @classmethod
    def read(cls, told: Mapping[str, str]) -> Signed:
        """Read it out of the record."""
        nonce, *parts = (decode(told[name]) for name in PARTS[1:])
        return cls(nonce, Assertion(told["id"], *parts))


@frozen
class Keyring:
    """Keeps the passkeys in a folder of the user's own."""

    folder: Path

    def read(self) -> tuple[Passkey, ...]:
        """Return the passkeys that are enrolled, oldest first."""
        return tuple(_fold(self._lines())[0].values())

    def find(self, name: str) -> Passkey:
        """Return one of them by its id."""
        return _find(_fold(self._lines())[0], name)

    def unproven(self) -> tuple[int, ...]:
        """Return the numbers of the lines that do not count, because no passkey has signed them."""
        return _fold(self._lines())[1]

    def marks(self) -> set[str]:
        """Return the marks of all that were ever enrolled, also of those that do not count."""
        return {one.mark for line in self._lines() for one in _fold([line])[0].values()}

    def add(
        self, made: Made, name: str, by: str, page: str, at: str, signed: Signed | None = None
    ) -> Passkey:
        """Enrol a passkey; `by` says what allowed it, and only a passkey allows a further one."""

        def check(known: Mapping[str, Passkey]) -> None:
            if known and (signed is None or signed.answer.id not in known):
                hint = "confirm it again in the web UI"
                raise ProofRefused("another passkey was enrolled meanwhile", hint=hint)
            if made.id in known:
                raise UsageError("this passkey is already enrolled")

        key = {"id": made.id, "name": name, "key": encode(made.key), "counter": made.counter}
        told = {"type": "enrolled", "at": at, "by": by, "page": page} | key
        proof = {"attestation": made.attestation, "signed": signed.describe()} if signed else {}
        self._append(told | proof, check)
        return self.find(made.id)

    def shared(self) -> Iterator[tuple[Signed, tuple[str, ...], str]]:
        """Return passkeys' answers to acts that others were told of, with the digests of these.

        Each comes once for each salt. Whoever is told checks the answer.
        """
        for line in self._lines():
            # Anybody can add lines.
            with contextlib.suppress(*_UNREADABLE):
                told = json.loads(line)
                answer = {"id": told["id"], "nonce": told["blind"], **told["proof"]}
                signed, items = Signed.read(answer), tuple(map(str, told["shared"]))
                # Earlier versions had no salts.
                for salt in told.get("salts", [""]):
                    yield signed, items, str(salt)

    def use(self, given: Assertion, counter: int, act: Act, at: str, nonce: bytes = b"") -> None:
        """Note that a passkey confirmed something; a counter that goes back is refused.

        Its answer is kept: only a counter that the passkey itself has signed is believed later.
        """

        def check(known: Mapping[str, Passkey]) -> None:
            last = _find(known, given.id).counter
            if max(counter, last) > 0 and counter <= last:
                what = f"the passkey's counter went back ({last} to {counter}): it may be a copy"
                hint = "remove it in the web UI with another passkey, or see docs/security.md"
                raise ProofRefused(what, hint=hint)

        from dmm.redaction.clean import clean

        parts = (given.client_data, given.authenticator_data, given.signature)
        proof = dict(zip(ANSWER, map(encode, parts), strict=True))
        told: dict[str, object] = {"type": "used", "at": at, "id": given.id, "counter": counter}
        told |= {"proof": proof}
        # A command line may hold a secret; its digest still says which one it was.
        about = {"on": clean(act.id), "signed": digest_text(act.id), "digest": act.digest}
        if act.shared:
            told |= {"blind": encode(act.stamp(nonce)), "salts": act.salts(nonce)}
            told |= {"shared": act.items(nonce)}
        self._append(told | {"action": act.action} | about, check)

    def remove(self, name: str, at: str, signed: Signed) -> None:
        """Remove a passkey, as one that is enrolled has signed."""
        told = {"type": "removed", "at": at, "id": name, "signed": signed.describe()}
        self._append(told, lambda known: [_find(known, one) for one in (name, signed.answer.id)])

    def _lines(self) -> list[str]:
        path = self.folder / FILE
        try:
            with translated(path, "read the passkeys"):
                lines = path.read_text("utf-8").splitlines() if path.exists() else []
        except UnicodeDecodeError:
            raise self._broken() from None
        known = START
        for line in lines:
            if _previous(line) != known:
                raise self._broken()
            known = hashlib.sha256(line.encode()).hexdigest()
        return lines

    def _broken(self) -> StorageError:
        what = "the record of your passkeys was changed outside DMM"
        hint = "see docs/security.md: move the file away, and enrol your passkeys again"
        return StorageError(what, where=str(self.folder / FILE), hint=hint)

    def _append(
        self, told: Mapping[str, Any], check: Callable[[Mapping[str, Passkey]], object]
    ) -> None:
        """Add a line, if the passkeys of that very moment allow it."""
        make_private_folder(self.folder)
        with exclusive(self.folder / LOCK, what="passkeys", patience=PATIENCE):
            lines = self._lines()
            check(_fold(lines)[0])
            last = hashlib.sha256(lines[-1].encode()).hexdigest() if lines else START
            lines.append(json.dumps({**told, "previous": last}, sort_keys=True))
            data = "".join(f"{line}\n" for line in lines)
            write_atomic(self.folder / FILE, data.encode(), private=True)


def _fold(lines: Iterable[str]) -> tuple[Mapping[str, Passkey], tuple[int, ...]]:
    """Return the passkeys, and the lines that do not count: anybody can add lines."""
    found: dict[str, Passkey] = {}
    ever: set[str] = set()
    unproven: list[int] = []
    used: list[Mapping[str, Any]] = []
    for number, line in enumerate(lines, 1):
        try:
            told = json.loads(line)
            _follow(found, ever, told)
        except _UNREADABLE:
            unproven.append(number)
        else:
            used += [told] if told["type"] == "used" else []
    counted = {name: replace(one, counter=_count(one, used)) for name, one in found.items()}
    return counted, tuple(unproven)


_UNREADABLE = (KeyError, TypeError, ValueError, AttributeError, ProofRefused)


def _count(key: Passkey, used: Iterable[Mapping[str, Any]]) -> int:
    """Return how often a passkey has signed, by the highest counter that it has signed itself.

    Earlier versions kept no signature; what those lines count is not believed.
    """
    own = [one for one in used if one["id"] == key.id and one["counter"] > key.counter]
    for one in sorted(own, key=lambda one: -one["counter"]):
        try:
            given = Assertion(key.id, *(decode(one["proof"][part]) for part in ANSWER))
            if check_signature(_place_of(key, given), key.key, given) == one["counter"]:
                return int(one["counter"])
        except _UNREADABLE:
            continue
    return key.counter


def _find(known: Mapping[str, Passkey], name: str) -> Passkey:
    if name not in known:
        raise ProofRefused("this passkey is not enrolled", hint="dmm ui shows which ones are")
    return known[name]


def _previous(line: str) -> str | None:
    try:
        told = json.loads(line)
    except ValueError:
        return None
    return told.get("previous") if isinstance(told, dict) else None


def _follow(found: dict[str, Passkey], ever: set[str], told: Mapping[str, Any]) -> None:
    """Follow one line; what is said of a passkey that was removed before changes nothing."""
    name, known = told["id"], found.get(told["id"])
    match told["type"]:
        case "enrolled":
            if found:
                _check_enrolment(found, told)
            if name in ever:
                raise ProofRefused("a passkey is enrolled once")
            about = told["name"], decode(told["key"]), told["counter"], told["at"]
            found[name] = Passkey(name, *about, page=told.get("page", ""))
            ever.add(name)
        case "used" if known is not None:
            found[name] = replace(known, last=told["at"])
            if not isinstance(told["counter"], int):
                raise ProofRefused("a counter is a number")
        case "removed" if known is not None:
            _check_signed(found, told, Act(PersonAct.REMOVE_PASSKEY, name))
            del found[name]


def _check_enrolment(known: Mapping[str, Passkey], told: Mapping[str, Any]) -> None:
    """Refuse a further passkey that is not the very one that was confirmed."""
    made = read_made(Place(told["page"], ""), decode(told["attestation"]))
    if (made.id, made.key) != (told["id"], decode(told["key"])):
        raise ProofRefused("another passkey was confirmed")
    _check_signed(known, told, Act(PersonAct.ENROLL, told["name"], made.digest))


def _check_signed(known: Mapping[str, Passkey], told: Mapping[str, Any], act: Act) -> None:
    """Refuse a line that no passkey has signed which was enrolled then."""
    signed = Signed.read(told["signed"])
    key = _find(known, signed.answer.id)
    place = _place_of(key, signed.answer)
    check_assertion(place, act.challenge(signed.nonce), key.key, signed.answer)


def _place_of(key: Passkey, given: Assertion) -> Place:
    """Return where a passkey is good; earlier versions did not note its page."""
    origin = read_origin(given.client_data)
    return Place(key.page or origin.partition("://")[2].partition(":")[0], origin)
