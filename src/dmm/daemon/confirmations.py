"""Decisions in a terminal that a person confirms in the page, with a passkey."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from dmm.errors import DaemonError, ProofRequired, UsageError
from dmm.ledger.known_passkeys import KnownPasskeys
from dmm.passkeys.acts import DIGEST, Act
from dmm.passkeys.keyring import Keyring, page_folder
from dmm.passkeys.webauthn import decode, encode

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dmm.bootstrap import Dmm
    from dmm.daemon.web import Web
    from dmm.passkeys.service import Asker

LONGEST = 10_000
MOST_SHARED, LONGEST_SHARED = 100, 1 << 20
NONCE = 32


@dataclass(frozen=True, slots=True)
class Confirmations:
    """Takes what a command asks, tells what was answered, and forgets what is withdrawn."""

    web: Callable[[], Web | None]
    is_agent: Callable[[int | None], bool]
    describe: Callable[[int | None], Asker]

    def answer(
        self, verb: str, arguments: Mapping[str, object], peer: int | None
    ) -> dict[str, object]:
        """Answer one call of a command."""
        web = self.web()
        if web is None or web.port is None:
            raise DaemonError("there is no HTTP port", hint="see why with: dmm daemon status")
        if verb == "confirm":
            return self._begin(web, arguments, peer)
        name = str(arguments["id"])
        if verb == "withdraw":
            web.persons.drop(name)
            return {"withdrawn": True}
        return _tell(web, name)

    def refuse_unproven(self, dmm: Dmm) -> None:
        """Refuse what a person's terminal wants done at once, where a passkey has to confirm it."""
        keyring = Keyring(page_folder())
        KnownPasskeys(dmm.project_ledger, keyring).refuse_missing()
        if keyring.read():
            hint = "run the dmm command in a terminal"
            raise ProofRequired("a person has to confirm this with a passkey", hint=hint)

    def _begin(
        self, web: Web, arguments: Mapping[str, object], peer: int | None
    ) -> dict[str, object]:
        if self.is_agent(peer):
            raise DaemonError("an agent can't ask for a confirmation", hint="use a terminal")
        line = str(arguments["line"])
        if len(line) > LONGEST:
            raise UsageError("the command line is too long to be confirmed")
        digest, nonce = str(arguments["digest"]), decode(str(arguments["nonce"]))
        if len(digest) not in (0, DIGEST) or len(nonce) != NONCE:
            raise UsageError("a confirmation needs the digest of the text and a random number")
        shared = tuple(map(str, cast("list[object]", arguments.get("shared", []))))
        if len(shared) > MOST_SHARED or sum(map(len, shared)) > LONGEST_SHARED:
            raise UsageError("this would share too much with a team to be confirmed at once")
        by = tuple(map(str, cast("list[object]", arguments.get("by", []))))
        act, asker = Act("terminal", line, digest, shared), self.describe(peer)
        found = web.persons.begin(act, None, nonce, asker, by)
        where = f"http://{web.name}:{web.port}"
        address = f"{where}/confirm.html#id={found.id}&code={web.codes.make()}"
        return {"id": found.id, "name": web.name, "origin": where, "address": address}


def _tell(web: Web, name: str) -> dict[str, object]:
    found = web.persons.find(name)
    if found is None:
        return {"state": "ended"}
    if found.answer is None:
        return {"state": "waiting"}
    web.persons.drop(name)
    given = found.answer
    parts = {
        "client_data": given.client_data,
        "authenticator_data": given.authenticator_data,
        "signature": given.signature,
    }
    told = {name: encode(data) for name, data in parts.items()}
    return {"state": "answered", "credential": {"id": given.id} | told}
