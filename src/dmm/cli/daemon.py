"""`dmm daemon`: the background process started, stopped and looked at."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import typer

from dmm import endpoint
from dmm.cli.fast_typer import FastTyper
from dmm.cli.options import Json, counted, present, print_lines
from dmm.errors import DaemonError

START_WITHIN = 10.0
STOP_WITHIN = 10.0
# Another process is waited for, and the system has no way to be told of it: look again, briefly.
PAUSE = 0.02

app = FastTyper(
    help="The background process that keeps memory warm for agents.",
)
PidFile = Annotated[
    Path | None, typer.Option(help="Write the number of the process there, and read it to stop.")
]
Idle = Annotated[
    float | None, typer.Option(min=0.1, help="Seconds without use after which it ends [600].")
]
Port = Annotated[
    int | None,
    typer.Option(min=0, max=65_535, help="The HTTP port; 0 takes any that is free [0]."),
]


@app.command()
def start(
    foreground: Annotated[
        bool, typer.Option("--foreground", help="Stay in this terminal; Ctrl-C ends it.")
    ] = False,
    background: Annotated[
        bool, typer.Option("--background", help="Detach from the terminal (the default).")
    ] = False,
    pid_file: PidFile = None,
    idle: Idle = None,
    port: Port = None,
) -> None:
    """Start the background process; if one runs already, that is enough."""
    line = _options(idle, port)
    if foreground and background:
        raise typer.BadParameter("choose --foreground or --background")
    _need_free(port)
    if foreground:
        _run(line, pid_file)
        return
    known = endpoint.call("health", {}, timeout=2.0)
    if known is None:
        _start(line)
        known = _wait_up()
    else:
        print_lines([f"DMM daemon already running (PID: {known['pid']})"])
        _keep_pid(pid_file, known)
        return
    _keep_pid(pid_file, known)
    print_lines([f"DMM daemon started (PID: {known['pid']})"])


@app.command()
def run(pid_file: PidFile = None, idle: Idle = None, port: Port = None) -> None:
    """Run in the foreground, for a supervisor.

    It does not end by itself, unless --idle says when.
    """
    _need_free(port)
    _run(_options(idle if idle is not None else 10**9, port), pid_file)


@app.command()
def stop(pid_file: PidFile = None) -> None:
    """Stop the background process.

    The requests that are under way are answered before.
    """
    known = endpoint.call("health", {}, timeout=2.0)
    if known is None:
        _forget_pid(pid_file)
        print_lines(["DMM daemon not running"])
        return
    kept = None if pid_file is None else _read_pid(pid_file)
    if kept not in (None, known["pid"]):
        hint = "stop it without --pid-file, if that is meant"
        what = f"the daemon that runs is another (PID: {known['pid']})"
        raise DaemonError(what, where=str(pid_file), hint=hint)
    endpoint.call("stop", {}, timeout=5.0)
    deadline = time.monotonic() + STOP_WITHIN
    while _still_runs(known):
        if time.monotonic() > deadline:
            hint = f"look at dmm daemon logs; kill {known['pid']} ends it at once"
            raise DaemonError("the daemon does not stop", hint=hint)
        time.sleep(PAUSE)
    _forget_pid(pid_file)
    print_lines(["DMM daemon stopped"])


@app.command()
def status(as_json: Json = False) -> None:
    """Show whether it runs, what it holds and what it counted.

    The exit status is 1 if it does not run.
    """
    known = endpoint.call("status", {}, timeout=5.0)
    if known is None:
        present({"running": False}, as_json=as_json, lines=lambda _: ["DMM daemon not running"])
        raise typer.Exit(1)
    present({"running": True} | known, as_json=as_json, lines=_status_lines)


@app.command()
def health(as_json: Json = False) -> None:
    """Ask whether it is well, in one line.

    The exit status is 1 if nobody answers.
    """
    known = endpoint.call("health", {}, timeout=5.0)
    if known is None:
        present({"status": "down"}, as_json=as_json, lines=lambda _: ["down"])
        raise typer.Exit(1)
    present(
        known,
        as_json=as_json,
        lines=lambda told: [f"{told['status']}, up {told['uptime']:.0f} s"],
    )


@app.command()
def logs(
    lines: Annotated[int, typer.Option(min=1, help="How many of the last lines.")] = 40,
) -> None:
    """Show the last lines of its log."""
    path = Path(endpoint.state_folder()) / "logs" / "daemon.log"
    try:
        text = path.read_text("utf-8", "replace")
    except FileNotFoundError:
        text = ""
    print_lines(text.splitlines()[-lines:] or [f"nothing has been logged yet: {path}"])


def _options(idle: float | None, port: int | None) -> list[str]:
    line = [] if idle is None else ["--idle", str(idle)]
    return line if port is None else [*line, "--port", str(port)]


def _need_free(port: int | None) -> None:
    """Refuse a port that somebody else has, before anything is started."""
    if not port:
        return
    import socket

    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError as error:
            about = endpoint.call("status", {}, timeout=2.0)
            if about is not None and about.get("port") == port:
                return
            hint = "name another with --port, or let --port 0 take one that is free"
            what = f"port {port} is taken: {error.strerror}"
            raise DaemonError(what, hint=hint) from error


def _run(line: list[str], pid_file: Path | None) -> None:
    """Become the background process."""
    if endpoint.is_running():
        raise DaemonError("a daemon runs already", hint="stop it first: dmm daemon stop")
    _keep_pid(pid_file, {"pid": os.getpid()})
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execv(sys.executable, [sys.executable, "-m", "dmm.daemon", "--foreground", *line])


def _start(line: list[str]) -> None:
    try:
        endpoint.start(line, again=True)
    except OSError as error:
        hint = "name another folder with DMM_RUN_DIR"
        raise DaemonError(str(error.strerror), where=str(error.filename), hint=hint) from error


def _wait_up() -> dict[str, Any]:
    deadline = time.monotonic() + START_WITHIN
    while time.monotonic() < deadline:
        known = endpoint.call("health", {}, timeout=2.0)
        if known is not None:
            return known
        time.sleep(PAUSE)
    raise DaemonError("the daemon does not come up", hint="see why with: dmm daemon logs")


def _still_runs(known: dict[str, Any]) -> bool:
    """Say whether that very process lives; an agent may have called a new one by now."""
    if not endpoint.is_running():
        return False
    told = endpoint.call("health", {}, timeout=1.0)
    return told is None or told["pid"] == known["pid"]


def _keep_pid(path: Path | None, known: dict[str, Any]) -> None:
    if path is not None:
        from dmm.files.durable import write_atomic

        _read_pid(path)
        write_atomic(path.resolve(), f"{known['pid']}\n".encode())


def _read_pid(path: Path) -> int | None:
    """Read the number in the file; a file that holds anything else is somebody's own."""
    try:
        text = path.read_text("ascii", "replace").strip()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise DaemonError(f"it can't be read: {error.strerror}", where=str(path)) from error
    if text and not text.isdigit():
        hint = "name a file that does not exist yet"
        raise DaemonError("it holds something else than a process", where=str(path), hint=hint)
    return int(text or 0)


def _forget_pid(path: Path | None) -> None:
    if path is not None and _read_pid(path) is not None:
        path.unlink(missing_ok=True)


def _status_lines(told: dict[str, Any]) -> list[str]:
    port = told["port"] if told["port"] is not None else told["port_fault"] or "none"
    lines = [
        f"DMM daemon running (PID: {told['pid']}), version {told['version']}",
        f"  up          {told['uptime']:.0f} s",
        f"  HTTP port   {port}",
        f"  model       {'loaded' if told['model_loaded'] else 'not loaded'}",
        f"  agents      {told['agents']}, with {counted(told['connections'], 'MCP connection')}",
        f"  kept events {told['spooled']} waiting, {told['dropped']} dropped for lack of room,"
        f" {told['damaged']} damaged",
    ]
    for name, number in told["events"].items():
        lines.append(f"  {name:<24}{number}")
    for one in told["projects"]:
        fault = f", {one['fault']}" if one["fault"] else ""
        state = "" if one["trusted"] else ", not trusted"
        if one["indexing"]:
            done, of = one["indexing"]
            state += f", indexing ({done:,} of {of:,} steps done)"
        lines.append(
            f"  {one['root']}: {one['indexed']} memories, watched by {one['watcher']}{fault}{state}"
        )
        for chore, why in one["chores"]["faults"].items():
            lines.append(f"    {chore} failed: {why}")
    return lines
