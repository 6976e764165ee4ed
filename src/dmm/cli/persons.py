"""A person's decisions in the terminal: confirmed in the page once a passkey is enrolled."""

from __future__ import annotations

import shlex
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from dmm.cli.options import refuse_agents

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.bootstrap import Dmm
    from dmm.ledger.known_passkeys import KnownPasskeys
    from dmm.passkeys.acts import Act, PersonAct
    from dmm.passkeys.keyring import Signed

# Another process is waited for, and the system has no way to be told of it: look again, briefly.
PAUSE = 0.2
UNKNOWN = (
    "Your team knows none of your passkeys, so this is not shared with it. To change that:\n"
    "  dmm team leave --drop-rules, then dmm team join URL INVITATION\n"
)


def need_person(
    act: PersonAct,
    dmm: Dmm | None,
    digest: Callable[[], str] = str,
    *,
    on: str = "",
    texts: Sequence[str] = (),
    forgiving: bool = False,
) -> str | None:
    """Refuse agents, and have a person confirm the command if a passkey is enrolled.

    What is signed is the project's folder, the whole command line, and the digest of the text that
    it brings into force, which is returned for the service to compare; None where no passkey is
    enrolled. So is what the project's team is told: `on` names what is decided, and `texts` are the
    rules it adds. A project whose ledger knows passkeys that the user does not have is refused,
    unless it is forgiven.
    """
    refuse_agents(act.words)
    known = None if dmm is None or forgiving else known_passkeys(dmm)
    if known is not None:
        known.refuse_missing()
    from dmm.passkeys.keyring import Keyring, page_folder

    if not Keyring(page_folder()).read():
        return None
    from dmm.passkeys.acts import DIGEST, Act, make_nonce
    from dmm.team.foretelling import foretell_proved

    text = digest()
    if act.texted and len(text) != DIGEST:
        raise ValueError(f"{act} is about a text, and its digest is missing")
    line = shlex.join(["dmm", *sys.argv[1:]])
    folder = Path.cwd() if dmm is None else dmm.root.project
    # Our own, so that no answer that was given before can be used again.
    shared: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    if dmm is not None and (on or texts):
        shared, by = foretell_proved(dmm.team, act, on, texts)
    if shared and not by:
        sys.stderr.write(UNKNOWN)
        shared = ()
    _confirm(Act("terminal", f"{folder}$ {line}", text, shared), make_nonce(), by)
    if known is not None:
        known.note()
    return text


def prove_person(act: PersonAct, dmm: Dmm, line: str) -> Signed | None:
    """Have a person confirm a line for others to check; None where no passkey is enrolled."""
    refuse_agents(act.words)
    known = known_passkeys(dmm)
    known.refuse_missing()
    if not known.keyring.read():
        return None
    from dmm.passkeys.acts import Act, make_nonce

    signed = _confirm(Act("terminal", line), make_nonce())
    known.note()
    return signed


def known_passkeys(dmm: Dmm) -> KnownPasskeys:
    """Return what a project's ledger knows of the user's passkeys."""
    from dmm.ledger.known_passkeys import KnownPasskeys
    from dmm.passkeys.keyring import Keyring, page_folder

    return KnownPasskeys(dmm.project_ledger, Keyring(page_folder()))


def _confirm(act: Act, nonce: bytes, by: Sequence[str] = ()) -> Signed:
    from dmm.cli.ui import call_daemon_started, open_browser
    from dmm.errors import ProofRefused
    from dmm.passkeys.keyring import FILE, Signed, page_folder
    from dmm.passkeys.service import Persons
    from dmm.passkeys.webauthn import Assertion, Place, decode, encode

    asked: dict[str, object] = {"line": act.id, "digest": act.digest, "nonce": encode(nonce)}
    asked |= {"shared": list(act.shared), "by": list(by)} if act.shared else {}
    told = call_daemon_started("confirm", asked)
    name = str(told["id"])
    try:
        open_browser(told["address"])
        sys.stderr.write("Confirm this with your passkey in the browser:\n")
        sys.stderr.write(f"  {told['address']}\nWaiting; press Ctrl-C to cancel.\n")
        while (found := call_daemon_started("confirmed", {"id": name}))["state"] == "waiting":
            time.sleep(PAUSE)
    finally:
        call_daemon_started("withdraw", {"id": name})
    if found["state"] != "answered":
        hint = "run the command again; if you lost every passkey, first move {} away, then run: {}"
        file, way = page_folder() / FILE, "dmm trust --forget-passkeys"
        raise ProofRefused("the confirmation has expired", hint=hint.format(file, way))
    credential = dict(found["credential"])
    parts = ("client_data", "authenticator_data", "signature")
    given = Assertion(credential["id"], *(decode(credential[part]) for part in parts))
    place = Place(told["name"], told["origin"])
    Persons(page_folder(), lambda: place).check(act, nonce, given)
    return Signed(nonce, given)
