"""`dmm ui`: open the page in a browser, signed in."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import quote

import typer

from dmm import endpoint
from dmm.cli.options import Json, counted, present, refuse_agents
from dmm.errors import DaemonError, DmmError

# The web server is loaded for this, which takes a while on a busy machine.
START_WITHIN = 30.0
ANSWER_WITHIN = 10.0
# Another process is waited for, and the system has no way to be told of it: look again, briefly.
PAUSE = 0.02
# Without one of these a browser would open in the terminal itself, or nowhere.
SCREENS = ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER")


@dataclass(frozen=True, slots=True)
class Opened:
    """The address of the page with its code, and whether a browser was opened."""

    address: str
    fallback: str
    port: int
    fault: str | None
    confirm: str | None
    opened: bool = False


def ui(
    print_only: Annotated[
        bool, typer.Option("--print", help="Print the address instead of opening a browser.")
    ] = False,
    port: Annotated[
        int | None, typer.Option(min=1, max=65_535, help="Use this port from now on.")
    ] = None,
    numeric: Annotated[
        bool, typer.Option("--numeric", help="Use 127.0.0.1 instead of its own host name.")
    ] = False,
    code: Annotated[
        bool, typer.Option("--code", help="Only show a new confirmation code.")
    ] = False,
    sign_out: Annotated[
        bool, typer.Option("--sign-out", help="Sign all browsers out instead.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Open the web UI for this project in a browser, signed in.

    The link works once and expires in a minute.
    """
    refuse_agents("sign in to the web UI")
    if sign_out:
        ended = _sign_out()
        lines = [f"Signed out: {counted(ended, 'browser')}."]
        present({"ended": ended}, as_json=as_json, lines=lambda _: lines)
        return
    if port is not None:
        _keep_port(port)
    found = _ask_code()
    if code:
        present({"confirm": found.confirm}, as_json=as_json, lines=lambda _: _confirm(found))
        return
    if numeric:
        found = replace(found, address=found.fallback)
    if not print_only:
        found = replace(found, opened=open_browser(found.address))
    present(asdict(found), as_json=as_json, lines=lambda _: _lines(found))


def _lines(found: Opened) -> list[str]:
    lines = ["Opening the web UI in your browser:" if found.opened else "Open in your browser:"]
    lines.append(f"  {found.address}")
    if found.fallback != found.address:
        lines.append("If the browser can't find that name, use this address (without passkeys):")
        lines.append(f"  {found.fallback}")
    if found.fault:
        lines += [f"{found.fault}.", "To change the port permanently: dmm ui --port PORT"]
    lines.append("The link works once, within a minute. Sign out everywhere: dmm ui --sign-out")
    return [*lines, *_confirm(found)] if found.confirm else lines


def _confirm(found: Opened) -> list[str]:
    if found.confirm is None:
        return ["No code: you have a passkey, or this is not an interactive terminal of yours."]
    shown = f"{found.confirm[:3]} {found.confirm[3:]}"
    return [f"Confirmation code: {shown}", "The web UI asks for it. It is valid for 15 minutes."]


def _ask_code() -> Opened:
    from dmm.daemon.address import IPV4

    told = call_daemon_started("code", {})
    where = f"{told['port']}/#code={told['code']}{_project()}"
    named, plain = (f"http://{host}:{where}" for host in (told["name"], IPV4))
    return Opened(named, plain, told["port"], told["fault"], told["confirm"])


def _project() -> str:
    """Return the part of the address that names the project around this folder, if there is one."""
    from dmm.bootstrap import here, own_home
    from dmm.files.roots import find_root

    named = os.environ.get("DMM_ROOT")
    try:
        root = find_root(here(), Path(named) if named else None, own_home())
    except DmmError:
        return ""
    return f"&in={quote(str(root.project), safe='')}"


def call_daemon_started(verb: str, arguments: Mapping[str, object]) -> Mapping[str, Any]:
    """Ask the daemon for something; it is started if none runs."""
    deadline = time.monotonic() + START_WITHIN
    while True:
        told = endpoint.call(verb, dict(arguments), timeout=ANSWER_WITHIN)
        if told is not None:
            break
        if time.monotonic() > deadline:
            raise DaemonError(
                "the daemon did not start", hint="see why: dmm daemon logs; dmm doctor"
            )
        _start()
        # Another process comes up, and its socket may not be there yet: nothing tells us but a try.
        time.sleep(PAUSE)
    if "error" in told:
        error = told["error"]
        raise DaemonError(error["what"], where=error["where"], hint=error["hint"])
    return told


def _start() -> None:
    try:
        endpoint.start(again=True)
    except OSError as error:
        hint = "name another folder with DMM_RUN_DIR"
        raise DaemonError(str(error.strerror), where=str(error.filename), hint=hint) from error


def _keep_port(port: int) -> None:
    """Keep a port for good; a daemon that serves another one has to be stopped first."""
    from dmm.daemon.address import find_address, keep_address, read_address
    from dmm.passkeys.keyring import page_folder

    known = endpoint.call("status", {}, timeout=5.0)
    if known is None:
        _try_port(port)
    elif known["port"] != port:
        hint = f"run: dmm daemon stop; then again: dmm ui --port {port}"
        raise DaemonError(f"a daemon is running on port {known['port']}", hint=hint)
    folder = page_folder()
    keep_address(folder, replace(find_address(folder), port=port))
    kept = read_address(folder)
    if kept is None or kept.port != port:
        hint = "the folder must be yours and writable; without --port, dmm ui uses another port"
        raise DaemonError(f"port {port} could not be kept", where=str(folder), hint=hint)


def _try_port(port: int) -> None:
    from dmm.daemon.address import listen

    try:
        for one in listen(port):
            one.close()
    except OSError as error:
        what = f"port {port} can't be used: {error.strerror}"
        raise DaemonError(what, hint="choose another with --port") from error


def open_browser(address: str) -> bool:
    """Open a browser where there is a screen to show it on."""
    if sys.platform == "linux" and not any(os.environ.get(name) for name in SCREENS):
        return False
    import webbrowser

    return webbrowser.open(address)


def _sign_out() -> int:
    """Sign out through the daemon, or where none runs, in the file that it would read."""
    told = endpoint.call("sign_out", {}, timeout=START_WITHIN)
    if told is not None and "ended" in told:
        return int(told["ended"])
    if endpoint.is_running():
        hint = "try again, or stop it first: dmm daemon stop"
        raise DaemonError("the daemon did not answer, so nobody was signed out", hint=hint)
    from dmm.http.sign_ins import Sessions
    from dmm.passkeys.keyring import page_folder

    return Sessions(folder=page_folder()).end_all()
