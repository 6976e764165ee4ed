"""How long it takes to remember a note through a warm daemon, from a shell and by the MCP tool.

    python -m bench.remember_speed [--others N] [--rounds N] [--json FILE]

Notes go in turns to `dmm remember` and to the tool `remember`, in a project of 900 other ones. In
the same turns a `dmm --version` and a ping of the daemon are timed, for a machine is never quite
quiet: wall time counts as a ratio too. CPU time is that of the command and of the daemon, with what
the daemon does meanwhile for the note before. Linux only.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import metrics
from bench.daemon import COMMAND, HELLO, PACKAGE, Machine, run_child
from bench.remembered import OTHERS, make_others, read_table, write_notes
from dmm.bootstrap import open_root
from dmm.files.roots import NAME, Root
from dmm.files.trusted import TrustStore
from dmm.redaction.redact import redact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

WARM_UP = 4
SERVE = [sys.executable, "-I", "-S", str(PACKAGE / "mcp_stdio" / "__main__.py")]


@dataclass(slots=True)
class Times:
    """Wall and CPU seconds of one thing, each time it was done."""

    wall: list[float] = field(default_factory=list)
    own: list[float] = field(default_factory=list)
    daemon: list[float] = field(default_factory=list)

    def describe(self) -> dict[str, float]:
        """Return medians and the slowest tenth, in milliseconds."""
        named = {"wall": self.wall, "cpu_own": self.own, "cpu_daemon": self.daemon}
        told = {f"{name}_p50": metrics.percentile(one, 0.5) for name, one in named.items() if one}
        told["wall_p90"] = metrics.percentile(self.wall, 0.9)
        return {name: round(1_000 * seconds, 1) for name, seconds in told.items()}


class Client:
    """An MCP client on the standard streams of `dmm serve`."""

    def __init__(self, child: subprocess.Popen[bytes]) -> None:
        self.child = child
        self.number = 0
        self.ask("initialize", HELLO)

    def ask(self, method: str, given: dict[str, Any]) -> dict[str, Any]:
        """Send a request and wait for its answer."""
        assert self.child.stdin
        assert self.child.stdout
        self.number += 1
        asked = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": given}
        self.child.stdin.write(json.dumps(asked).encode() + b"\n")
        self.child.stdin.flush()
        while True:
            told = json.loads(self.child.stdout.readline())
            if told.get("id") == self.number:
                return dict(told)

    def remember(self, text: str) -> None:
        """Call the tool; a refusal is no measure."""
        told = self.ask("tools/call", {"name": "remember", "arguments": {"text": text}})
        if "error" in told or told["result"].get("isError"):
            raise RuntimeError(json.dumps(told))


@contextmanager
def connect(machine: Machine, folder: Path) -> Iterator[Client]:
    """Have an MCP client for as long as this is entered."""
    pipe = subprocess.PIPE
    with subprocess.Popen(SERVE, stdin=pipe, stdout=pipe, env=machine.env, cwd=folder) as child:
        yield Client(child)
        assert child.stdin
        child.stdin.close()


def make_project(machine: Machine, others: int) -> Path:
    """Make a trusted project of so many notes, indexed."""
    root = Root(machine.base / "work" / NAME)
    root.tree.root.mkdir(parents=True)
    TrustStore.of_user(machine.home).trust(root.folder)
    write_notes(root, make_others()[:others])
    dmm = open_root(root, machine.home)
    dmm.memories.reindex()
    dmm.close()
    return root.folder.parent


def cpu_of(pid: int) -> float:
    """Return the CPU seconds of a process so far."""
    words = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def run(others: int, rounds: int) -> dict[str, object]:
    """Measure all four in turns."""
    # What looks like a secret is refused, which is no measure.
    known = [note for note, _, _ in read_table() if not redact(note).counts]
    notes = known[: 2 * (WARM_UP + rounds)]
    with tempfile.TemporaryDirectory(prefix="dmm-remember-", dir="/tmp") as name:
        machine = Machine(Path(name))
        folder = make_project(machine, others)
        with machine.running() as pid, connect(machine, folder) as client:
            found = _measure(machine, folder, pid, client, notes)
    told: dict[str, object] = {name: one.describe() for name, one in found.items()}
    for name, beside in (("shell", "version"), ("tool", "ping")):
        ratio = metrics.percentile(found[name].wall, 0.5) / metrics.percentile(
            found[beside].wall, 0.5
        )
        told[f"{name}_to_{beside}"] = round(ratio, 2)
    return told


def _measure(
    machine: Machine, folder: Path, pid: int, client: Client, notes: list[str]
) -> dict[str, Times]:
    found = {name: Times() for name in ("shell", "tool", "version", "ping")}

    def take(name: str, act: Callable[[], object], *, counts: bool) -> None:
        before, began = cpu_of(pid), time.perf_counter()
        own = act()
        wall, used = time.perf_counter() - began, cpu_of(pid) - before
        if counts:
            found[name].wall.append(wall)
            found[name].daemon.append(used)
            found[name].own.extend([own] if isinstance(own, float) else [])

    def run_dmm(*words: str) -> float:
        return run_child([str(COMMAND), *words], machine.env, within=folder)[0].cpu

    for at, (typed, told) in enumerate(zip(notes[::2], notes[1::2], strict=False)):
        counts = at >= WARM_UP
        take("version", lambda: run_dmm("--version"), counts=counts)
        take("shell", partial(run_dmm, "remember", typed), counts=counts)
        take("ping", lambda: machine.call("health"), counts=counts)
        take("tool", partial(client.remember, told), counts=counts)
    return found


def main() -> None:
    """Print the figures in milliseconds, and write them where they are wanted."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--others", type=int, default=OTHERS)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    text = json.dumps(run(given.others, given.rounds), indent=2) + "\n"
    sys.stdout.write(text)
    if given.json:
        given.json.write_text(text)


if __name__ == "__main__":
    main()
