"""`dmm daemon`: start, stop and inspect the daemon."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from dmm import endpoint
from dmm.cli.fast_typer import FastTyper
from dmm.cli.options import Json, counted, present, print_lines
from dmm.domain.plain import to_plain
from dmm.errors import DaemonError
from dmm.project.daemon_status import DaemonStatus, Health, ask_health, ask_status

START_WITHIN = 10.0
STOP_WITHIN = 10.0
# Another process is waited for, and the system has no way to be told of it: look again, briefly.
PAUSE = 0.02

WATCHING = {"notified": "on", "polled": "by polling"}

app = FastTyper(
    help="Manage the daemon, which serves agents in the background.",
)
PidFile = Annotated[Path | None, typer.Option(help="Write the process id to this file.")]
StopPidFile = Annotated[
    Path | None, typer.Option(help="Only stop the process whose id is in this file.")
]
Idle = Annotated[
    float | None,
    typer.Option(min=0.1, help="Stop after this many idle seconds.", show_default="600"),
]
Port = Annotated[
    int | None,
    typer.Option(
        min=0, max=65_535, help="The HTTP port; 0 picks a free one.", show_default="your own"
    ),
]


@app.command()
def start(
    foreground: Annotated[
        bool, typer.Option("--foreground", help="Stay in this terminal; Ctrl-C stops it.")
    ] = False,
    background: Annotated[
        bool, typer.Option("--background", help="Detach from the terminal (the default).")
    ] = False,
    pid_file: PidFile = None,
    idle: Idle = None,
    port: Port = None,
) -> None:
    """Start the daemon, unless it is already running."""
    line = _options(idle, port)
    if foreground and background:
        raise typer.BadParameter("choose --foreground or --background")
    _need_free(port)
    if foreground:
        _run(line, pid_file)
        return
    known = ask_health(2.0)
    if known is None:
        _start(line)
        known = _wait_up()
    else:
        print_lines([f"DMM daemon already running (PID: {known.pid})"])
        _keep_pid(pid_file, known.pid)
        return
    _keep_pid(pid_file, known.pid)
    print_lines([f"DMM daemon started (PID: {known.pid})"])


@app.command()
def run(pid_file: PidFile = None, idle: Idle = None, port: Port = None) -> None:
    """Run in the foreground, for a supervisor.

    It runs until it is stopped, unless --idle is given.
    """
    _need_free(port)
    _run(_options(idle if idle is not None else 10**9, port), pid_file)


@app.command()
def stop(pid_file: StopPidFile = None) -> None:
    """Stop the daemon.

    Requests in progress are answered first.
    """
    known = ask_health(2.0)
    if known is None:
        _forget_pid(pid_file)
        print_lines(["DMM daemon not running"])
        return
    kept = None if pid_file is None else _read_pid(pid_file)
    if kept not in (None, known.pid):
        hint = "to stop it anyway, leave out --pid-file"
        what = f"another daemon is running (PID: {known.pid})"
        raise DaemonError(what, where=str(pid_file), hint=hint)
    endpoint.call("stop", {}, timeout=5.0)
    deadline = time.monotonic() + STOP_WITHIN
    while _still_runs(known):
        if time.monotonic() > deadline:
            hint = f"see dmm daemon logs; kill {known.pid} ends it at once"
            raise DaemonError("the daemon did not stop", hint=hint)
        time.sleep(PAUSE)
    _forget_pid(pid_file)
    print_lines(["DMM daemon stopped"])


@app.command()
def status(as_json: Json = False) -> None:
    """Show whether it is running, what it holds and its counters.

    The exit status is 1 if it is not running.
    """
    known = ask_status(5.0)
    if known is None:
        present({"running": False}, as_json=as_json, lines=lambda _: ["DMM daemon not running"])
        raise typer.Exit(1)
    told = {"running": True, **to_plain(known)}
    present(told, as_json=as_json, lines=lambda _: _status_lines(known))


@app.command()
def health(as_json: Json = False) -> None:
    """Print a one-line health check.

    The exit status is 1 if there is no answer.
    """
    known = ask_health(5.0)
    if known is None:
        present({"status": "down"}, as_json=as_json, lines=lambda _: ["down"])
        raise typer.Exit(1)
    present(known, as_json=as_json, lines=lambda told: [f"{told.status}, up {told.uptime:.0f} s"])


@app.command()
def logs(
    lines: Annotated[int, typer.Option(min=1, help="Number of lines to show.")] = 40,
) -> None:
    """Show the last lines of its log."""
    path = Path(endpoint.state_folder()) / "logs" / "daemon.log"
    try:
        text = path.read_text("utf-8", "replace")
    except FileNotFoundError:
        text = ""
    print_lines(text.splitlines()[-lines:] or [f"nothing logged yet: {path}"])


def _options(idle: float | None, port: int | None) -> list[str]:
    line = [] if idle is None else ["--idle", str(idle)]
    return line if port is None else [*line, "--port", str(port)]


def _need_free(port: int | None) -> None:
    """Refuse a port in use, before anything is started."""
    if not port:
        return
    import socket

    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            about = ask_status(2.0)
            if about is not None and about.port == port:
                return
            hint = "choose another with --port; --port 0 picks a free one"
            what = f"port {port} is taken: {error.strerror}"
            raise DaemonError(what, hint=hint) from error


def _run(line: list[str], pid_file: Path | None) -> None:
    """Become the daemon."""
    if endpoint.is_running():
        raise DaemonError("a daemon is already running", hint="stop it first: dmm daemon stop")
    _keep_pid(pid_file, os.getpid())
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execv(sys.executable, [sys.executable, "-m", "dmm.daemon", "--foreground", *line])


def _start(line: list[str]) -> None:
    try:
        endpoint.start(line, again=True)
    except OSError as error:
        hint = "name another folder with DMM_RUN_DIR"
        raise DaemonError(str(error.strerror), where=str(error.filename), hint=hint) from error


def _wait_up() -> Health:
    deadline = time.monotonic() + START_WITHIN
    while time.monotonic() < deadline:
        known = ask_health(2.0)
        if known is not None:
            return known
        time.sleep(PAUSE)
    raise DaemonError("the daemon did not start", hint="see why: dmm daemon logs; dmm doctor")


def _still_runs(known: Health) -> bool:
    """Return whether exactly this process lives, not a later one with its pid."""
    if not endpoint.is_running():
        return False
    told = ask_health(1.0)
    return told is None or told.pid == known.pid


def _keep_pid(path: Path | None, pid: int) -> None:
    if path is not None:
        from dmm.files.durable import write_atomic

        _read_pid(path)
        write_atomic(path.resolve(), f"{pid}\n".encode())


def _read_pid(path: Path) -> int | None:
    """Read the number in the file; a file that holds anything else is somebody's own."""
    try:
        text = path.read_text("ascii", "replace").strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DaemonError(f"can't read the PID file: {error.strerror}", where=str(path)) from error
    if text and not text.isdigit():
        hint = "name a file that does not exist yet"
        raise DaemonError("the file does not contain a process id", where=str(path), hint=hint)
    return int(text or 0)


def _forget_pid(path: Path | None) -> None:
    if path is not None and _read_pid(path) is not None:
        path.unlink(missing_ok=True)


def _status_lines(told: DaemonStatus) -> list[str]:
    port = told.port if told.port is not None else told.port_fault or "none"
    lines = [
        f"DMM daemon running (PID: {told.pid}), version {told.version}",
        f"  up          {told.uptime:.0f} s",
        f"  HTTP port   {port}",
        f"  model       {'loaded' if told.model_loaded else 'not loaded'}",
        f"  agents      {told.agents}, with {counted(told.connections, 'MCP connection')}",
        f"  kept events {told.spooled} waiting, {told.dropped} dropped (no space), "
        f"{told.damaged} damaged",
    ]
    for name, number in told.events.items():
        lines.append(f"  {name:<24}{number}")
    for one in told.projects:
        fault = f", {one.fault}" if one.fault else ""
        state = "" if one.trusted else ", not trusted"
        if one.indexing:
            done, of = one.indexing
            state += f", indexing ({done:,} of {of:,} steps done)"
        watching = WATCHING.get(one.watcher or "", one.watcher)
        held = f"{one.indexed} memories, file watching: {watching}"
        lines.append(f"  {one.root}: {held}{fault}{state}")
        for chore, why in one.chores.faults.items():
            lines.append(f"    {chore} failed: {why}")
    return lines
