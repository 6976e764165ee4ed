"""What the page costs: the daemon's CPU time of each request of a first paint, over `/v1/health`.

A real daemon serves a large project over its port. Its CPU clock is read around each request, in
the same run as the reference, so the ratios hold on a busy machine. Linux only: elsewhere the clock
of another process can't be read. A search with words embeds them; `embedding ms` is what that alone
takes, by the CPU clock of this process.
"""

from __future__ import annotations

import http.client
import json
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from tests.page.large import EVENTS, MEMORIES, make_large

from bench import metrics
from bench.daemon import Machine, until
from bench.report import Measure, Part
from dmm.embed.model import Embedder

if TYPE_CHECKING:
    from collections.abc import Sequence

BAR = 5.0
ROUNDS = 15
QUICK = (200, 2_000)
OK = 200
# The daemon is at rest when it spends less than this in a look, both in seconds.
REST, LOOK = 0.004, 0.25
REFERENCE = "/v1/health"
WORDS = "refund invoice"
# What the screens ask for when they are opened; `{old}` is the first session, `{seq}` an event.
FIRST_PAINT = (
    "/v1/projects",
    "/v1/status",
    "/v1/ledger/events?last=50&brief=true",
    "/v1/ledger/events?last=50&brief=true&before={seq}",
    "/v1/ledger/events?last=50&brief=true&type=ToolUsed",
    "/v1/ledger/events?last=50&brief=true&type=PackServed",
    "/v1/ledger/events?last=50&brief=true&session={old}",
    "/v1/ledger/events/{seq}",
    "/v1/ledger/histogram?buckets=120",
    "/v1/ledger/context",
    "/v1/sessions?limit=30",
    "/v1/sessions/{old}",
    "/v1/packs?limit=50",
    "/v1/memories",
    "/v1/memories?folder=project/auth",
    "/v1/memories?match=refund",
    "/v1/proposals",
    "/v1/conflicts",
    "/v1/rules",
    "/v1/metrics?days=30",
    "/v1/jobs",
    "/v1/search?limit=20",
    "/v1/search?query={words}&limit=20",
    "/v1/timeline",
)


@dataclass(frozen=True, slots=True)
class Visitor:
    """Asks one daemon for one project, and reads its CPU clock."""

    link: http.client.HTTPConnection
    headers: dict[str, str]
    clock: int

    def ask(self, path: str) -> int:
        """Send a request and read the whole answer; a link that was closed is opened again."""
        try:
            return self._ask(path)
        except (http.client.RemoteDisconnected, ConnectionError):
            self.link.close()
            return self._ask(path)

    def _ask(self, path: str) -> int:
        self.link.request("GET", path, headers=self.headers)
        answer = self.link.getresponse()
        answer.read()
        return answer.status

    def spend(self, path: str) -> tuple[int, float]:
        """Ask, and tell the status and the milliseconds that the daemon spent."""
        begun = time.clock_gettime(self.clock)
        status = self.ask(path)
        return status, 1_000 * (time.clock_gettime(self.clock) - begun)

    def rest(self) -> None:
        """Wait until the daemon does nothing but wait."""
        until(self._is_at_rest)

    def _is_at_rest(self) -> bool:
        begun = time.clock_gettime(self.clock)
        time.sleep(LOOK)
        return time.clock_gettime(self.clock) - begun < REST


def measure(*, quick: bool = False) -> Part:
    """Measure every request of a first paint against the reference."""
    memories, events = QUICK if quick else (MEMORIES, EVENTS)
    with tempfile.TemporaryDirectory(prefix="dmm-bench-", dir="/tmp") as name:
        machine = Machine(Path(name))
        folder = machine.base / "project"
        folder.mkdir()
        make_large(folder, machine.home, memories, events)
        with machine.running() as pid:
            visitor = _visit(machine, folder, pid)
            visitor.ask(REFERENCE)
            visitor.ask("/v1/status")
            visitor.rest()
            names = {"seq": str(events // 2), "old": quote("session-00001"), "words": quote(WORDS)}
            paths = [path.format(**names) for path in FIRST_PAINT]
            measures = _compare(visitor, paths)
            visitor.link.close()
    remark = (
        f"{memories:,} memories, {events:,} events; median of {ROUNDS} requests over that of"
        f" {REFERENCE}, which alternates with each; `first` is the first of its kind."
    )
    return Part("First paint of the page: CPU over health", tuple(measures), remark)


def _visit(machine: Machine, folder: Path, pid: int) -> Visitor:
    until(lambda: bool(machine.call("status") or {}))
    about = json.loads((machine.run / "daemon.json").read_text())
    link = http.client.HTTPConnection("127.0.0.1", about["port"], timeout=120)
    headers = {"Authorization": f"Bearer {about['token']}", "X-DMM-Root": str(folder)}
    # How Linux names the CPU clock of another process.
    return Visitor(link, headers, (~pid << 3) | 2)


def _embed() -> float:
    """Measure the bare embedding of the words: CPU milliseconds, the median."""
    model, spent = Embedder.load(), []
    for _ in range(ROUNDS):
        begun = time.process_time()
        model.embed_query(WORDS)
        spent.append(1_000 * (time.process_time() - begun))
    return metrics.percentile(spent, 0.5)


def _compare(visitor: Visitor, paths: Sequence[str]) -> list[Measure]:
    measures = []
    for path in paths:
        status, first = visitor.spend(path)
        if status != OK:
            measures.append(Measure(path, None, BAR, at_most=True, note=f"answers {status}"))
            continue
        visitor.rest()
        own, reference = [], []
        for _ in range(ROUNDS):
            reference.append(visitor.spend(REFERENCE)[1])
            own.append(visitor.spend(path)[1])
        usual, health = metrics.percentile(own, 0.5), metrics.percentile(reference, 0.5)
        beside = {"ms": usual, "health ms": health, "first": first / health}
        if quote(WORDS) in path:
            beside["embedding ms"] = _embed()
        measures.append(Measure(path, usual / health, BAR, at_most=True, beside=beside))
    return measures
