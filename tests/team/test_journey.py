"""Fifty laptops, two teams, a server and a PostgreSQL that are killed in the middle of their work.

Everything is a process of its own and is killed with SIGKILL. The line between them cuts pushes in
half, loses answers, and delivers requests twice, late and out of order. Clocks are up to a day off.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import random
import sys
from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import apsw
import pytest
from tests.conftest import Project
from tests.team.conftest import need_programs
from tests.team.fleet import PACE, PLAN, Fleet, Plan, word
from tests.team.host import Host, until
from tests.team.line import CUT, FAULTS, Line, opened
from tests.team.postgres import running_postgres
from tests.team.test_chain import fold_rules

from dmm.eventlog.chain import Head
from dmm.server.setup import read_setup, set_up
from dmm.team.chain import SERVER, Trail, is_checkpoint
from dmm.team.credentials import read_credentials
from dmm.team.in_force import NAME
from dmm.team.port import Page
from dmm.team.replica import Replica
from dmm.team.rules import read_rules

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dmm.team.chain import Placed
    from dmm.team.credentials import Credentials
    from dmm.team.registry import Registry

pytestmark = pytest.mark.slow

SEED = 18
TEAMS, LAPTOPS, ROUNDS = ("red", "blue"), 25, 20
# Each fault of the line happens this often: rounds go on, and laptops record more, until it did.
FAULTS_EACH, MOST_ROUNDS = 10, 100
# A laptop records one more rule after so many rounds.
ROUNDS_A_RULE = 4
# Per round: laptops that are killed, and laptops that are cut off until the next.
KILLED, OFFLINE = 3, 5
DAY = 86_400.0


@dataclass(frozen=True, slots=True)
class Laptop:
    """One laptop of the test: its folder, which is also its home, its team and its lead."""

    folder: Path
    team: str
    lead: int

    @property
    def copy(self) -> Path:
        return next(self.folder.rglob(NAME))

    @property
    def words(self) -> list[str]:
        """The rules it has recorded in the end."""
        pace = int((self.folder.parent / PACE).read_text())
        return [word(self.folder.name, number) for number in range(pace + self.lead)]

    def credentials(self) -> Credentials:
        with Replica.opened(self.copy) as replica:
            return read_credentials(self.folder, replica.membership().writer)

    def known(self) -> int:
        """Return how many events its copy of the log holds."""
        with contextlib.suppress(StopIteration, apsw.Error):
            connection = apsw.Connection(str(self.copy), apsw.SQLITE_OPEN_READONLY)
            with contextlib.closing(connection):
                return int(next(connection.execute("SELECT count(*) FROM event"))[0])
        return 0


@pytest.fixture
def host(tmp_path: Path) -> Iterator[Host]:
    with running_postgres(need_programs()) as server:
        set_up(tmp_path / "server", server.make("team"))
        found = Host(tmp_path / "server", server)
        found.start()
        try:
            yield found
        finally:
            found.kill()


@pytest.fixture
def fleet() -> Iterator[Fleet]:
    launched = Fleet.launch()
    yield launched
    launched.end()


def invite(registry: Registry, folder: Path, url: str, dice: random.Random) -> list[Laptop]:
    """Make the laptops' folders; each laptop joins when it first starts."""
    (folder / PACE).write_text("0")
    made = []
    for team in TEAMS:
        registry.add(team, "shop")
        for number in range(LAPTOPS):
            laptop = Laptop(folder / f"{team}-{number}", team, number % 3)
            project = Project(laptop.folder / "work")
            project.memory.mkdir(parents=True)
            project.trust(laptop.folder)
            invitation = registry.invite(team, "shop", "reviewer")
            ahead = dice.uniform(-DAY, DAY)
            plan = Plan(laptop.folder.name, url, invitation, ahead, laptop.lead)
            (laptop.folder / PLAN).write_text(json.dumps(asdict(plan)))
            made.append(laptop)
    return made


def had_enough(line: Line) -> bool:
    """Return whether every fault of the line has happened often enough."""
    happened = line.happened
    return min(happened[one] for one in FAULTS) >= FAULTS_EACH and happened[CUT] >= ROUNDS


def torment(host: Host, fleet: Fleet, line: Line, laptops: list[Laptop]) -> Counter[str]:
    """Kill everything in turn; each time something is answered before the next."""
    kills: Counter[str] = Counter()
    writers = {one.folder: one.credentials().writer for one in laptops}
    line.faulty = True

    def go_on() -> None:
        before = line.happened["answered"]
        until(lambda: line.happened["answered"] > before, "the server answers again")

    for number in range(MOST_ROUNDS):
        if number >= ROUNDS and had_enough(line):
            break
        (laptops[0].folder.parent / PACE).write_text(str(1 + number // ROUNDS_A_RULE))
        chosen = line.dice.sample(laptops, KILLED + OFFLINE)
        victims, away = chosen[:KILLED], chosen[KILLED:]
        line.offline = frozenset(writers[one.folder] for one in away)
        for one in victims:
            fleet.kill(one.folder)
        host.kill_database()
        go_on()
        host.kill()
        for one in victims:
            fleet.start(one.folder)
        host.start()
        go_on()
        kills.update(server=1, database=1, laptop=len(victims))
    line.faulty, line.offline = False, frozenset()
    return kills


def read_log(registry: Registry, laptop: Laptop) -> list[Placed]:
    """Read a team's whole log from the database and prove both of its chains."""
    held = laptop.credentials()
    log = registry.open(held.token)
    assert log is not None
    trail = Trail(held.server_key, held.log)
    found: list[Placed] = []
    while True:
        page = log.pull(trail.head.seq)
        assert isinstance(page, Page)
        trail.follow(page.placed)
        found += page.placed
        if trail.head.seq == page.head.seq:
            assert trail.head == Head(page.head.seq, page.head.hash)
            assert is_checkpoint(held.server_key, *held.log, page.head)
            return found


def count_events(team: list[Laptop]) -> int:
    """Return how many events a team's log has in the end: who joined, and all of their rules."""
    return sum(1 + len(one.words) for one in team)


def check_team(registry: Registry, laptops: list[Laptop]) -> None:
    """Nothing is lost, doubled or out of place, and every laptop has the same."""
    events = read_log(registry, laptops[0])
    assert [one.seq for one in events] == list(range(1, count_events(laptops) + 1))
    told = Counter(json.loads(one.entry.payload).get("text") for one in events)
    assert told.pop(None) == LAPTOPS
    assert told == Counter(text for one in laptops for text in one.words)
    rules = fold_rules(events)
    for one in laptops:
        held = one.credentials()
        own = [placed.entry for placed in events if placed.entry.writer == held.writer]
        assert [json.loads(entry.payload)["text"] for entry in own] == one.words
        with Replica.opened(one.copy) as replica:
            known = replica.membership()
            assert (known.fault, known.sent, replica.count_unsent()) == ("", len(one.words), 0)
            assert replica.trail(held).head == Head(known.head.seq, known.head.hash)
            # Byte for byte: the same rows as those of the server, whose hashes were proved.
            assert list(replica.events()) == events
        others = tuple(rule for rule in rules if rule.writer != held.writer)
        assert read_rules(one.copy, one.folder) == others
    times = [
        dt.datetime.fromisoformat(one.entry.at) for one in events if one.entry.writer != SERVER
    ]
    assert max(times) - min(times) > dt.timedelta(days=1)


def test_nothing_is_lost_doubled_or_mixed_up_whoever_is_killed(
    host: Host, fleet: Fleet, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DMM_ROOT", raising=False)
    sys.stderr.write(f"seed {SEED}\n")
    dice = random.Random(SEED)
    folder = tmp_path / "laptops"
    folder.mkdir()
    with (
        opened(Line(host.port, dice)) as line,
        read_setup(host.folder).registry() as registry,
    ):
        laptops = invite(registry, folder, f"http://127.0.0.1:{line.port}", dice)
        for one in laptops:
            fleet.start(one.folder)
        until(lambda: all(one.known() >= LAPTOPS for one in laptops), "all have joined")
        kills = torment(host, fleet, line, laptops)
        teams = [[one for one in laptops if one.team == team] for team in TEAMS]
        expected = {members[0].team: count_events(members) for members in teams}
        until(
            lambda: all(one.known() == expected[one.team] for one in laptops),
            "all have everything",
        )
        for one in laptops:
            fleet.kill(one.folder)
            kills["laptop"] += 1
        sys.stderr.write(f"killed {dict(kills)}, on the line {dict(line.happened)}\n")
        assert min(kills.values()) >= ROUNDS
        assert had_enough(line)
        for members in teams:
            check_team(registry, members)
        # No process failed in a way that its code does not name.
        for told in (host.said, *(one.folder / "out" for one in laptops)):
            assert "Traceback" not in told.read_text()
