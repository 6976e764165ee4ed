"""A soak: agents of several clients at work for minutes, and what the daemon holds meanwhile.

    python -m bench.soak --minutes 12 --rate 55
    python -m bench.soak --minutes 5 --events 200000

A real daemon is driven over its own sockets, in a home of its own. The first line is taken when the
model is loaded, every kind of request was answered a few times and all agents have ended a session;
the last one when they have hung up.
"""

from __future__ import annotations

import argparse
import contextlib
import http.client
import itertools
import json
import socket
import tempfile
import threading
import time
import urllib.parse
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from bench import projects, recall_speed, synthetic
from bench.daemon import HELLO, RULE, Machine, draw_texts, look
from bench.traffic import CLIENTS, FILES, Agent, Request, write_hook
from dmm import VERSION
from dmm.bootstrap import Dmm, open_dmm
from dmm.domain.event import Draft, EventType
from dmm.embed.model import Embedder
from dmm.files.trusted import TrustStore
from dmm.sessions.payload import parse_payload
from dmm.sessions.service import deliver

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.synthetic import World

BAR = 1.15
# So many sessions of each agent are over when the first line is taken.
WARM_SESSIONS = 2
LAST = 5
# What agents held is let go of some seconds after they have hung up.
AFTER = 30.0
TIMEOUT = 120.0
HEAD = (
    "minutes",
    "requests",
    "a second",
    "RSS MB",
    "private MB",
    "events",
    "descriptors",
    "threads",
)


@dataclass(frozen=True, slots=True)
class Line:
    """What was seen at one moment."""

    minutes: float
    requests: int
    rss: float
    private: float
    events: int
    descriptors: int
    threads: int

    def cells(self, rate: float) -> list[str]:
        """Write the line as a row of the table."""
        held = [f"{self.rss:.1f}", f"{self.private:.1f}", f"{self.events:,}"]
        first = [f"{self.minutes:.1f}", f"{self.requests:,}", f"{rate:.0f}"]
        return [*first, *held, str(self.descriptors), str(self.threads)]


@dataclass(slots=True)
class Pace:
    """Lets so many requests through in a second, all agents together, and counts them."""

    rate: float
    sent: int = 0
    refused: int = 0
    over: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _next: float = field(default_factory=time.monotonic)

    def wait(self) -> bool:
        """Wait for the next turn; say whether the soak goes on."""
        with self._lock:
            self._next = max(self._next + 1 / self.rate, time.monotonic() - 1.0)
            due = self._next
            self.sent += 1
        return not self.over.wait(max(0.0, due - time.monotonic()))


class Drawn(recall_speed.Drawn):
    """Vectors by chance that pass for the model's own: real ones of a long past take an hour."""

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(embedder)
        self.identity = embedder.identity


class Client:
    """The connections of one agent: a new one for a hook, one for MCP, one for HTTP."""

    def __init__(self, machine: Machine, agent: Agent) -> None:
        self._machine = machine
        self._agent = agent
        self._numbers = itertools.count(time.time_ns())
        self._mcp: socket.socket | None = None
        self._heard: Any = None
        self._http: http.client.HTTPConnection | None = None
        self._about: dict[str, Any] = {}

    def send(self, request: Request) -> bool:
        """Send one request and take the whole answer; say whether it was answered well."""
        match request.way:
            case "hook":
                if request.name == "SessionEnd":
                    self.close()
                return self._hook(request)
            case "mcp":
                return self._call_tool(request)
        return self._call_route(request)

    def _hook(self, request: Request) -> bool:
        body = write_hook(request, self._agent.folder, next(self._numbers))
        with self._connect() as link:
            head = f"DMM1 {VERSION} hook {self._agent.client} {len(body)}\n"
            link.sendall(head.encode() + body)
            return b"".join(iter(lambda: link.recv(1 << 16), b""))[:2] == b"+k"

    def _connect(self) -> socket.socket:
        link = socket.socket(socket.AF_UNIX)
        link.settimeout(TIMEOUT)
        link.connect(str(self._machine.run / "dmm.sock"))
        return link

    def _call_tool(self, request: Request) -> bool:
        if self._mcp is None:
            self._open_mcp()
        told = self._exchange("tools/call", {"name": request.name, "arguments": request.body})
        return "result" in told and not told["result"].get("isError")

    def _open_mcp(self) -> None:
        self._mcp = self._connect()
        start = str(self._agent.folder).encode()
        head = f"DMM1 {VERSION} mcp {self._agent.client} {len(start)}\n"
        self._mcp.sendall(head.encode() + start)
        self._heard = self._mcp.makefile("rb")
        self._exchange("initialize", HELLO)
        self._say({"method": "notifications/initialized"})

    def _exchange(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._say({"id": next(self._numbers), "method": method, "params": params})
        return dict(json.loads(self._heard.readline()))

    def _say(self, message: dict[str, Any]) -> None:
        assert self._mcp is not None
        self._mcp.sendall(json.dumps({"jsonrpc": "2.0"} | message).encode() + b"\n")

    def _call_route(self, request: Request) -> bool:
        method, _, path = request.name.partition(" ")
        if self._http is None:
            self._about = json.loads((self._machine.run / "daemon.json").read_text())
            port = self._about["port"]
            self._http = http.client.HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
        headers = {
            "Authorization": f"Bearer {self._about['token']}",
            "X-DMM-Root": str(self._agent.folder),
            "X-DMM-Session": self._agent.session,
        }
        body = None
        if method == "POST":
            headers["Content-Type"] = "application/json"
            body = json.dumps(request.body)
        elif request.body:
            path += "?" + urllib.parse.urlencode(request.body)
        try:
            return self._fetch(method, path, body, headers)
        except (ConnectionError, http.client.HTTPException):
            # The server closes a connection that was silent for a while; clients open another.
            self._http.close()
            return self._fetch(method, path, body, headers)

    def _fetch(self, method: str, path: str, body: str | None, headers: dict[str, str]) -> bool:
        assert self._http is not None
        self._http.request(method, path, body, headers)
        answer = self._http.getresponse()
        answer.read()
        return answer.status == 200

    def close(self) -> None:
        """Hang up, as a client does at the end of a session."""
        if self._heard is not None:
            self._heard.close()
        if self._mcp is not None:
            self._mcp.close()
        if self._http is not None:
            self._http.close()
        self._mcp = self._heard = self._http = None


def drive(machine: Machine, agent: Agent, pace: Pace, warm: threading.Barrier) -> None:
    """Work as one agent until the soak is over; wait for the others when all is warm."""
    client = Client(machine, agent)
    sessions = 0
    try:
        for request in agent.work():
            if not pace.wait():
                return
            if not client.send(request):
                pace.refused += 1
            sessions += request.name == "SessionEnd"
            if request.name == "SessionEnd" and sessions == WARM_SESSIONS:
                warm.wait()
    finally:
        client.close()


def make_project(machine: Machine, world: World, embedder: Embedder, memories: int) -> Path:
    """Make a trusted project with memories, code and a rule."""
    folder = machine.base / "project"
    (folder / ".dmm" / "memory").mkdir(parents=True)
    projects.write_baseline(folder)
    projects.write_texts(folder, draw_texts(world, memories))
    (folder / "src").mkdir()
    for number in range(FILES):
        name = f"src/module_{number:02d}.py"
        words = [str(world.words[n]) for n in world.topics[number % len(world.topics)][:20]]
        code = "\n\n".join(
            f"def {a}_{b}(value):\n    return {a!r}, value" for a, b in itertools.pairwise(words)
        )
        (folder / name).write_text(code + "\n")
    TrustStore.of_user(machine.home).trust(folder / ".dmm")
    opened = open_dmm(override=folder, home=machine.home, load_model=lambda: embedder)
    opened.indexes.sync()
    opened.ledger.add_constraint(RULE)
    opened.close()
    return folder


def fill_ledger(machine: Machine, folder: Path, words: Sequence[str], events: int) -> None:
    """Put so many events of earlier sessions into the ledger, as hooks and tools record them."""
    drawn = Drawn(Embedder.load())
    opened = open_dmm(override=folder, home=machine.home, load_model=lambda: drawn)
    opened.recall.embed_within = None
    try:
        agents = [Agent(client, folder, words, 900 + n) for n, client in enumerate(CLIENTS)]
        works = [agent.work() for agent in agents]
        drafts = _drafts(opened, agents, works)
        while opened.project_ledger.log.head().seq < events:
            opened.project_ledger.log.extend(itertools.islice(drafts, 5_000))
        if events:
            opened.recall.search("anything")
    finally:
        opened.close()


def _drafts(
    opened: Dmm, agents: Sequence[Agent], works: Sequence[Iterator[Request]]
) -> Iterator[Draft]:
    kinds = {"add_fact": EventType.FACT_ADDED, "record_decision": EventType.DECISION_MADE}
    while True:
        for agent, work in zip(agents, works, strict=True):
            request = next(work)
            if request.way == "hook":
                delivery = deliver(parse_payload(agent.client, json.dumps(request.body).encode()))
                if delivery.told is not None:
                    ledger = opened.project_ledger.as_actor(delivery.actor)
                    yield ledger.draft(delivery.told, event_id=delivery.identity)
            elif request.name in kinds:
                yield opened.project_ledger.draft_of(kinds[request.name], request.body)


def observe(pid: int, requests: int, minutes: float, folder: Path) -> Line:
    """Look at the process and its ledger."""
    held = look(pid)
    status = Path(f"/proc/{pid}/status").read_text()
    private = next(line for line in status.splitlines() if line.startswith("RssAnon"))
    events = _count_events(folder)
    return Line(
        minutes, requests, held.megabytes, int(private.split()[1]) / 1024, events,
        held.descriptors, held.threads,
    )  # fmt: skip


def _count_events(folder: Path) -> int:
    import apsw

    connection = apsw.Connection(
        str(folder / ".dmm" / "ledger.db"), flags=apsw.SQLITE_OPEN_READONLY
    )
    try:
        return int(next(connection.execute("SELECT coalesce(max(seq), 0) FROM events"))[0])
    finally:
        connection.close()


def soak(
    machine: Machine, folder: Path, words: Sequence[str], asked: argparse.Namespace
) -> list[Line]:
    """Have the agents work for so long; tell what is held, line by line."""
    agents = [Agent(CLIENTS[n % len(CLIENTS)], folder, words, n) for n in range(asked.agents)]
    pace = Pace(asked.rate)
    warm = threading.Barrier(len(agents) + 1)
    threads = [
        threading.Thread(target=drive, args=(machine, agent, pace, warm), daemon=True)
        for agent in agents
    ]
    lines: list[Line] = []
    with machine.running() as pid:
        for thread in threads:
            thread.start()
        begun = time.monotonic()
        warm.wait()
        print(f"warm after {time.monotonic() - begun:.0f} s and {pace.sent:,} requests")
        print("  ".join(name.rjust(11) for name in HEAD), flush=True)
        started, before = time.monotonic(), pace.sent
        while True:
            elapsed = time.monotonic() - started
            lines.append(observe(pid, pace.sent - before, elapsed / 60, folder))
            rate = lines[-1].requests / max(elapsed, 0.001)
            print("  ".join(cell.rjust(11) for cell in lines[-1].cells(rate)), flush=True)
            if elapsed >= 60 * asked.minutes:
                break
            time.sleep(asked.every)
        pace.over.set()
        for thread in threads:
            thread.join(TIMEOUT)
        print("the agents have hung up")
        time.sleep(AFTER)
        elapsed = time.monotonic() - started
        lines.append(observe(pid, pace.sent - before, elapsed / 60, folder))
        rate = lines[-1].requests / elapsed
        print("  ".join(cell.rjust(11) for cell in lines[-1].cells(rate)), flush=True)
    print(f"{pace.refused} requests were refused")
    return lines


def main() -> None:
    """Run the soak and say whether the bar is reached."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak", description=__doc__)
    parser.add_argument("--minutes", type=float, default=12.0)
    parser.add_argument("--rate", type=float, default=55.0, help="requests a second, all agents")
    parser.add_argument("--agents", type=int, default=6)
    parser.add_argument("--memories", type=int, default=300)
    parser.add_argument("--events", type=int, default=0, help="events in the ledger beforehand")
    parser.add_argument("--every", type=float, default=20.0, help="seconds between two lines")
    asked = parser.parse_args()
    embedder = Embedder.load()
    world = synthetic.make_world(embedder)
    words = [str(word) for word in world.words[synthetic.COMMON_WORDS :]]
    with (
        tempfile.TemporaryDirectory(prefix="dmm-soak-", dir="/tmp") as name,
        contextlib.ExitStack(),
    ):
        machine = Machine(Path(name))
        folder = make_project(machine, world, embedder, asked.memories)
        fill_ledger(machine, folder, words, asked.events)
        lines = soak(machine, folder, words, asked)
    first, after = lines[0].rss, lines[-1].rss
    busy = median(line.rss for line in lines[-LAST - 1 : -1])
    told = "reached" if after / first <= BAR else "NOT reached"
    print(f"under load, at the end: {first:.1f} -> {busy:.1f} MB: {busy / first:.3f} times")
    print(f"after it: {first:.1f} -> {after:.1f} MB: {after / first:.3f} times (bar {BAR}: {told})")


if __name__ == "__main__":
    main()
