"""The user's passkeys: a log of what was enrolled, used and removed, each line chained to the last.

A passkey belongs to the user, not to a project, so it stands in the user's state folder.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dmm import endpoint
from dmm.errors import ProofRefused, StorageError
from dmm.files.durable import translated, write_atomic
from dmm.files.lock import exclusive
from dmm.passkeys.webauthn import decode, encode
from dmm.private import make_private_folder

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dmm.passkeys.acts import Act
    from dmm.passkeys.webauthn import Made

FOLDER = "page"
FILE = "passkeys.jsonl"
LOCK = "passkeys.lock"
PATIENCE = 5.0
START = "0" * 64


def page_folder() -> Path:
    """Return the folder in which what belongs to the page and its user is kept."""
    return Path(endpoint.state_folder()) / FOLDER


@dataclass(frozen=True, slots=True)
class Passkey:
    """One passkey that is enrolled."""

    id: str
    name: str
    key: bytes
    counter: int
    added: str
    last: str | None = None


@dataclass(frozen=True, slots=True)
class Keyring:
    """Keeps the passkeys in a folder of the user's own."""

    folder: Path

    def read(self) -> tuple[Passkey, ...]:
        """Return the passkeys that are enrolled, oldest first."""
        return _fold(self._lines())

    def find(self, name: str) -> Passkey:
        """Return one of them by its id."""
        for one in self.read():
            if one.id == name:
                return one
        raise ProofRefused("this passkey is not enrolled", hint="dmm ui shows which ones are")

    def add(self, made: Made, name: str, by: str, at: str) -> Passkey:
        """Enrol a passkey; `by` says what allowed it."""
        key = {"id": made.id, "name": name, "key": encode(made.key), "counter": made.counter}
        self._append({"type": "enrolled", "at": at, "by": by} | key)
        return self.find(made.id)

    def use(self, name: str, counter: int, act: Act, at: str) -> None:
        """Note that a passkey confirmed something; a counter that goes back is refused."""
        known = self.find(name).counter
        if max(counter, known) > 0 and counter <= known:
            what = f"the passkey's counter went back ({known} to {counter}): it may be a copy"
            raise ProofRefused(what, hint="remove this passkey in the page and enrol another")
        told = {"type": "used", "at": at, "id": name, "counter": counter}
        self._append(told | {"action": act.action, "on": act.id, "digest": act.digest})

    def remove(self, name: str, at: str) -> None:
        """Remove a passkey."""
        self.find(name)
        self._append({"type": "removed", "at": at, "id": name})

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

    def _append(self, told: Mapping[str, Any]) -> None:
        make_private_folder(self.folder)
        with exclusive(self.folder / LOCK, what="passkeys", patience=PATIENCE):
            lines = self._lines()
            last = hashlib.sha256(lines[-1].encode()).hexdigest() if lines else START
            lines.append(json.dumps({**told, "previous": last}, sort_keys=True))
            data = "".join(f"{line}\n" for line in lines)
            write_atomic(self.folder / FILE, data.encode(), private=True)


def _previous(line: str) -> str | None:
    try:
        told = json.loads(line)
    except ValueError:
        return None
    return told.get("previous") if isinstance(told, dict) else None


def _fold(lines: Iterable[str]) -> tuple[Passkey, ...]:
    found: dict[str, Passkey] = {}
    for told in map(json.loads, lines):
        name = told["id"]
        match told["type"]:
            case "enrolled":
                key = decode(told["key"])
                found[name] = Passkey(name, told["name"], key, told["counter"], told["at"])
            case "used":
                found[name] = replace(found[name], counter=told["counter"], last=told["at"])
            case "removed":
                del found[name]
    return tuple(found.values())
