"""The background process: what a hook costs, how soon it answers, and what it holds in the end.

Everything runs through real processes and the real model, in a home and a run folder of its own.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import dmm
from bench import clock, projects, synthetic
from bench.cached import CachedEmbedder
from bench.corpora import Text
from bench.report import Measure, Part
from dmm import VERSION
from dmm.bootstrap import open_dmm
from dmm.files.trusted import TrustStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bench.synthetic import World
    from dmm.embed.model import Embedder

PACKAGE = Path(dmm.__file__).parent
COMMAND = Path(sys.executable).with_name("dmm")
QUESTION = "how does the archive write members and close the file"
RULE = "Never run terraform destroy."
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}
UP_WITHIN = 60.0
WORDS = 60


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured: all of it, or a little to see that the measures work."""

    memories: int = 1_000
    projects: int = 10
    rounds: int = 40
    starts: int = 7
    queries: int = 10_000
    reindexes: int = 1_000


QUICK = Sizes(memories=30, projects=2, rounds=3, starts=1, queries=40, reindexes=5)


def measure(cache: Path, *, quick: bool = False) -> Part:
    """Measure a machine in small: its hooks, its clients, its start, its memory."""
    sizes = QUICK if quick else Sizes()
    embedder = CachedEmbedder.open(cache)
    world = synthetic.make_world(embedder)
    with tempfile.TemporaryDirectory(prefix="dmm-bench-", dir="/tmp") as name:
        machine = Machine(Path(name))
        folders = [machine.make(n, world, embedder, sizes) for n in range(sizes.projects)]
        questions = list(synthetic.ask(world, 200))
        measures = [
            *_measure_start(machine, folders[0], sizes),
            *_measure_hooks(machine, folders[0], questions, sizes),
            *_measure_clients(machine, folders[0], sizes),
            *_measure_memory(machine, folders, questions),
            *_measure_soak(machine, folders[0], questions, sizes),
        ]
    remark = f"{sizes.memories:,} memories a project; medians of {sizes.rounds} runs; times in ms."
    return Part("Background process", tuple(measures), remark)


def draw_texts(world: World, count: int) -> Iterator[Text]:
    """Draw short texts of the topics that the questions are about; the same ones each time."""
    rng = np.random.default_rng(synthetic.SEED)
    for number in range(count):
        topic = int(rng.integers(len(world.topics)))
        words = [str(world.words[n]) for n in rng.choice(world.topics[topic], WORDS)]
        title = " ".join(words[:4]).capitalize()
        folder = f"area_{topic % synthetic.DIRECTORIES:02d}"
        yield Text(str(number), folder, f"memory_{number:06d}", " ".join(words) + ".", title)


class Machine:
    """A home, a run folder, projects in it, and one background process at a time."""

    def __init__(self, base: Path) -> None:
        self.base = base
        self.home = base / "home"
        self.home.mkdir()
        self.run = base / "run"
        left_out = ("DMM_", "CLAUDE", "XDG_", "PYTHONDONTWRITEBYTECODE")
        own = {name: value for name, value in os.environ.items() if not name.startswith(left_out)}
        self.env = own | {"HOME": str(self.home), "DMM_RUN_DIR": str(self.run)}

    def make(self, number: int, world: World, embedder: Embedder, sizes: Sizes) -> Path:
        """Make a trusted project of real files, indexed, with a rule in its ledger."""
        folder = self.base / f"project_{number}"
        (folder / ".dmm" / "memory").mkdir(parents=True)
        projects.write_baseline(folder)
        projects.write_texts(folder, draw_texts(world, sizes.memories))
        # The bench waits for every answer, so no prompt may be given up on a busy machine.
        settings = '{"hooks": {"prompt_deadline_ms": 2000}}'
        (folder / ".dmm" / "daemon.config.json").write_text(settings)
        TrustStore.of_user(self.home).trust(folder / ".dmm")
        opened = open_dmm(override=folder, home=self.home, load_model=lambda: embedder)
        opened.indexes.sync()
        opened.ledger.add_constraint(RULE)
        opened.close()
        return folder

    @contextlib.contextmanager
    def running(self) -> Iterator[int]:
        """Have a background process, as long as this is entered."""
        process = self.begin()
        try:
            self.await_call("health")
            yield process.pid
        finally:
            self.end(process)

    def begin(self) -> subprocess.Popen[bytes]:
        """Start the background process as hooks start it."""
        line = [sys.executable, "-m", "dmm.daemon", "--idle", "100000"]
        return subprocess.Popen(line, env=self.env, stdin=subprocess.DEVNULL)

    def end(self, process: subprocess.Popen[bytes]) -> None:
        """Stop it and wait for its end."""
        process.terminate()
        process.wait(30)

    def ask(self, kind: str, body: bytes) -> bytes | None:
        """Send one request, as the clients do; None where nobody answers."""
        with socket.socket(socket.AF_UNIX) as link:
            try:
                link.connect(str(self.run / "dmm.sock"))
                head = f"DMM1 {VERSION} {kind} claude-code {len(body)}\n"
                link.sendall(head.encode() + body)
                reply = b"".join(iter(lambda: link.recv(1 << 16), b""))
            except OSError:
                return None
        return reply[1:] if reply[:1] == b"+" else None

    def call(self, verb: str, **arguments: Any) -> dict[str, Any] | None:
        """Call a verb; None where nobody answers."""
        reply = self.ask("call", json.dumps({"verb": verb, "arguments": arguments}).encode())
        return None if reply is None else dict(json.loads(reply))

    def await_call(self, verb: str, **arguments: Any) -> dict[str, Any]:
        """Call until somebody answers."""
        told: list[dict[str, Any]] = []

        def answered() -> bool:
            reply = self.call(verb, **arguments)
            told.extend([] if reply is None else [reply])
            return bool(told)

        until(answered)
        return told[0]

    def query(self, folder: Path, question: str) -> dict[str, Any]:
        """Ask for a pack."""
        told = self.await_call("query", start=str(folder), request={"query": question})
        if "error" in told:
            raise RuntimeError(told["error"]["what"])
        return told


def until(check: Callable[[], bool]) -> None:
    """Look again and again, for a minute at most: another process can't tell this one."""
    deadline = time.monotonic() + UP_WITHIN
    while not check():
        if time.monotonic() > deadline:
            raise TimeoutError("it does not come up")
        time.sleep(0.001)


def run_child(
    line: Sequence[str], env: dict[str, str], text: bytes = b"", within: Path | None = None
) -> tuple[clock.Spent, bytes]:
    """Run a program to its end; tell its own CPU time, its wall time and what it said."""
    started = time.perf_counter()
    child = subprocess.Popen(
        line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=within
    )
    assert child.stdin
    assert child.stdout
    child.stdin.write(text)
    child.stdin.close()
    said = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - started
    child.stdout.close()
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"{line[-1]} ended with {child.returncode}")
    return clock.Spent(usage.ru_utime + usage.ru_stime, wall), said


def payload(folder: Path, event: str, **fields: Any) -> bytes:
    """Write what an agent tells its hook."""
    told = {"session_id": "bench", "cwd": str(folder), "hook_event_name": event}
    return json.dumps(told | fields).encode()


def bash(folder: Path, command: str, number: str) -> bytes:
    """Write the payload of a shell command that is about to run."""
    call = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": number}
    return payload(folder, "PreToolUse", **call)


def _measure_start(machine: Machine, folder: Path, sizes: Sizes) -> Iterator[Measure]:
    hooks: list[float] = []
    queries: list[float] = []
    for number in range(sizes.starts + 1):
        body = os.fsencode(folder / ".dmm") + b"\n" + bash(folder, "ls", f"start-{number}")
        for waits, ask in (
            (hooks, lambda body=body: machine.ask("hook", body) is not None),
            (
                queries,
                lambda: bool(machine.call("query", start=str(folder), request={"query": "x"})),
            ),
        ):
            started = time.perf_counter()
            process = machine.begin()
            try:
                until(ask)
                waits.append(time.perf_counter() - started)
            finally:
                machine.end(process)
    # The first start reads everything from the disk.
    for name, waits, bar in (("hook", hooks[1:], 150), ("query", queries[1:], 1_000)):
        milliseconds = sorted(1_000 * one for one in waits)
        middle = milliseconds[len(milliseconds) // 2]
        note = f"least {milliseconds[0]:.0f}"
        yield Measure(
            f"from start to the answer of a {name}, wall", middle, bar, True, 0, note=note
        )


def _measure_hooks(
    machine: Machine, folder: Path, questions: Sequence[str], sizes: Sizes
) -> Iterator[Measure]:
    hook = [sys.executable, "-I", "-S", str(PACKAGE / "hook" / "__main__.py")]
    hook += ["--client", "claude-code"]
    bare, calls, prompts, packs = [], [], [], 0
    with machine.running():
        run_child(hook, machine.env, payload(folder, "SessionStart", source="startup"), folder)
        machine.query(folder, questions[0])
        for number in range(sizes.rounds + 3):
            bare.append(run_child([sys.executable, "-I", "-S", "-c", "pass"], machine.env)[0])
            spent, _ = run_child(hook, machine.env, bash(folder, "ls", f"call-{number}"), folder)
            calls.append(spent)
            asked = {"prompt": questions[number % len(questions)], "prompt_id": f"p{number}"}
            text = payload(folder, "UserPromptSubmit", **asked).replace(
                b"bench", b"b%d" % number, 1
            )
            spent, said = run_child(hook, machine.env, text, folder)
            prompts.append(spent)
            packs += bool(said)
    calls, prompts, bare = calls[3:], prompts[3:], bare[3:]
    both = [*calls, *prompts]
    beside = {"p90": clock.cpu_ms(both, 0.9), "bare python": clock.cpu_ms(bare)}
    yield Measure("dmm-hook, CPU", clock.cpu_ms(both), 30, True, 1, beside)
    beside = {"p90": clock.wall_ms(calls, 0.9), "bare python": clock.wall_ms(bare)}
    yield Measure("PreToolUse with a ruling, wall", clock.wall_ms(calls), None, True, 1, beside)
    beside = {"p90": clock.wall_ms(prompts, 0.9), "bare python": clock.wall_ms(bare)}
    note = f"{packs} of {sizes.rounds + 3} got a pack"
    wall = clock.wall_ms(prompts)
    yield Measure("UserPromptSubmit with retrieval, wall", wall, 100, True, 1, beside, note)


def _measure_clients(machine: Machine, folder: Path, sizes: Sizes) -> Iterator[Measure]:
    pump = [sys.executable, "-I", "-S", str(PACKAGE / "mcp_stdio" / "__main__.py")]
    with machine.running():
        machine.query(folder, QUESTION)
        connects = [_connect(pump, machine.env, folder) for _ in range(sizes.rounds + 2)][2:]
        line = [str(COMMAND), "query", QUESTION]
        queries = [run_child(line, machine.env, within=folder)[0] for _ in range(sizes.rounds + 2)]
    beside = {"p90": clock.wall_ms(connects, 0.9)}
    wall = clock.wall_ms(connects)
    yield Measure("MCP from the pump's start to tools/list, wall", wall, 60, True, 1, beside)
    wall, cpu = clock.wall_ms(queries[2:]), clock.cpu_ms(queries[2:])
    beside = {"p90": clock.wall_ms(queries[2:], 0.9)}
    note = f"CPU {cpu:.0f}"
    yield Measure("dmm query, the whole command, wall", wall, 150, True, 1, beside, note)


def _connect(pump: Sequence[str], env: dict[str, str], folder: Path) -> clock.Spent:
    """Start a pump and take the time until it has answered with the tools."""
    started = time.perf_counter()
    child = subprocess.Popen(
        pump, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env, cwd=folder
    )
    with child:
        assert child.stdin
        assert child.stdout
        for message in (
            {"id": 1, "method": "initialize", "params": HELLO},
            {"method": "notifications/initialized"},
            {"id": 2, "method": "tools/list", "params": {}},
        ):
            child.stdin.write(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")
        child.stdin.flush()
        for _ in range(2):
            child.stdout.readline()
        wall = time.perf_counter() - started
        child.stdin.close()
    return clock.Spent(0.0, wall)


@dataclass(frozen=True, slots=True)
class Held:
    """What a process holds."""

    megabytes: float
    descriptors: int
    threads: int
    children: int


def look(pid: int) -> Held:
    """Look at what a process holds now."""
    status = Path(f"/proc/{pid}/status").read_text().splitlines()
    lines = dict(line.split(":", 1) for line in status)
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return Held(
        int(lines["VmRSS"].split()[0]) / 1024,
        len(list(Path(f"/proc/{pid}/fd").iterdir())),
        int(lines["Threads"]),
        len(children),
    )


def _measure_memory(
    machine: Machine, folders: Sequence[Path], questions: Sequence[str]
) -> Iterator[Measure]:
    pump = [sys.executable, "-I", "-S", str(PACKAGE / "mcp_stdio" / "__main__.py")]
    with machine.running() as pid:
        for question in questions[:50]:
            machine.query(folders[0], question)
        _connect(pump, machine.env, folders[0])
        one = look(pid)
        for folder in folders[1:]:
            for question in questions[:5]:
                machine.query(folder, question)
        many = look(pid)
    note = f"{one.threads} threads, {one.descriptors} descriptors"
    yield Measure("memory with one project, MB", one.megabytes, 200, True, 0, note=note)
    note = f"{many.threads} threads, {many.descriptors} descriptors"
    name = f"memory with {len(folders)} projects, MB"
    yield Measure(name, many.megabytes, 260, True, 0, note=note)


def _measure_soak(
    machine: Machine, folder: Path, questions: Sequence[str], sizes: Sizes
) -> Iterator[Measure]:
    """Query and reindex for long; what is held after a first tenth is what it is compared with."""
    file = min((folder / ".dmm" / "memory" / "project").rglob("memory_*.md"))
    text = file.read_text()
    share = max(1, sizes.queries // sizes.reindexes)
    with machine.running() as pid:
        first = None
        started = time.perf_counter()
        for number in range(sizes.queries):
            if number % share == 0:
                file.write_text(f"{text}\nChanged {number} times.\n")
                told = machine.await_call("reindex", start=str(folder))
                if told.get("errors"):
                    raise RuntimeError("a file could not be indexed")
            machine.query(folder, questions[number % len(questions)])
            if number == sizes.queries // 10:
                first = look(pid)
        last = look(pid)
        took = time.perf_counter() - started
    assert first is not None
    growth = 100 * (last.megabytes / first.megabytes - 1)
    what = f"{sizes.queries:,} queries, {sizes.reindexes:,} reindexes"
    note = f"{first.megabytes:.0f} to {last.megabytes:.0f} MB in {took:.0f} s"
    yield Measure(f"growth after {what}, %", growth, 10, True, 1, note=note)
    for name, before, after in (
        ("descriptors", first.descriptors, last.descriptors),
        ("threads", first.threads, last.threads),
        ("child processes", first.children, last.children),
    ):
        yield Measure(
            f"  {name} more than before", after - before, 2, True, 0, note=f"{before} to {after}"
        )
