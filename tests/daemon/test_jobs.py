"""Chores are done once, in order, in a quiet moment, and end when the process does."""

from __future__ import annotations

import datetime as dt
import json
import socket
import threading
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import pytest

from dmm.daemon.apart import do_apart
from dmm.daemon.jobs import (
    DAY,
    HOUR,
    PATIENCE,
    QUIET,
    RETRY,
    WEEK,
    Chores,
    Clocks,
    _days_since,
)
from dmm.daemon.logs import Log
from dmm.daemon.server import Server
from dmm.domain.event import EventType, Trust
from dmm.errors import DaemonError
from dmm.eventlog.open_ledger import Actor
from dmm.project.daemon_status import ChoresDone
from dmm.projects import Projects, SharedModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conftest import MemoryText, Project
    from tests.daemon.conftest import Machine, Session

    from dmm.daemon.app import Daemon
    from dmm.domain.event import Event
    from dmm.embed.model import Embedder
    from dmm.projects import Project as Opened
    from dmm.recall.results import Searched

SOON = 60
AREAS = ("cart", "search", "login", "export", "invoice", "stock", "mail", "report")
NOW = 1_780_000_000.0
# So long after that the next day begins.
MIDNIGHT = DAY - NOW % DAY


@dataclass
class Day:
    """Chores of one process, with clocks that a test sets forward."""

    projects: Projects
    log: Log
    more: dict[str, Any] = field(default_factory=dict)
    passed: float = 0.0
    chores: Chores = field(init=False)

    def __post_init__(self) -> None:
        self.begin()

    def begin(self) -> None:
        """Begin anew, as another process would."""
        clocks = Clocks(wall=lambda: NOW + self.passed, steady=lambda: self.passed)
        self.chores = Chores(self.log, clocks=clocks, **self.more)

    def tick(self, quiet: float = QUIET + 1) -> str | None:
        """Let one piece of work begin and end; tells which."""
        before = self.chores._thread
        self.chores.tick(self.projects.each(), quiet)
        after = self.chores._thread
        if after is None or after is before:
            return None
        after.join(SOON)
        assert not self.chores.busy
        return after.name.removeprefix("dmm-")

    def all(self, quiet: float = QUIET + 1) -> list[str]:
        done = []
        while (chore := self.tick(quiet)) is not None:
            done.append(chore)
        return done

    def told(self, project: Project) -> ChoresDone:
        return self.chores.describe(project.dmm)


@pytest.fixture
def day(
    tmp_path: Path,
    home: Path,
    project: Project,
    memory_text: MemoryText,
    new_embedder: Callable[..., Any],
) -> Iterator[Day]:
    project.write("project/a.md", memory_text())
    project.trust(home)
    projects = Projects(home=home, model=SharedModel(new_embedder))
    projects.find(project.folder)
    log = Log(tmp_path / "logs" / "daemon.log")
    yield Day(projects, log)
    projects.close()
    log.close()


def expired(project: Project, memory_text: MemoryText) -> None:
    text = memory_text(scope="ephemeral", expires="2020-01-01", id="mem_2020_01_01_001")
    project.write("ephemeral/old.md", text)


def test_each_chore_is_done_once_recovery_first_and_again_when_it_is_due(
    day: Day, project: Project
) -> None:
    assert day.all() == ["recovery", "backup", "conflicts", "lifecycle", "digest"]
    kept = json.loads((project.dmm / "run" / "chores.json").read_text())
    assert kept == {"backup": NOW, "conflicts": NOW, "digest": NOW, "lifecycle": NOW}
    moment = "2026-05-28T20:26:40Z"
    last = dict.fromkeys(("backup", "conflicts", "digest", "lifecycle"), moment)
    assert day.told(project) == ChoresDone(last, {})
    day.passed = MIDNIGHT - 1
    assert day.all() == []
    day.begin()
    assert day.all() == ["recovery"]
    day.passed = DAY
    assert day.all() == ["backup", "conflicts", "lifecycle", "digest"]


def test_nothing_but_recovery_is_done_while_somebody_asks_unless_that_never_ends(
    day: Day,
) -> None:
    assert day.all(quiet=0.1) == ["recovery"]
    day.passed = PATIENCE - 1
    assert day.all(quiet=0.1) == []
    day.passed = PATIENCE + 1
    assert day.all(quiet=0.1) == ["backup", "conflicts", "lifecycle", "digest"]


def test_a_project_waits_until_its_files_were_looked_at(day: Day) -> None:
    seen = threading.Event()
    day.more = {"is_ready": lambda _: seen.is_set()}
    day.begin()
    assert day.all() == ["recovery"]
    seen.set()
    assert day.all() == ["backup", "conflicts", "lifecycle", "digest"]


@pytest.mark.parametrize(
    ("setting", "after", "done"),
    [
        ("hourly", HOUR, ["conflicts"]),
        ("hourly", HOUR - 1, []),
        ("weekly", WEEK, ["backup", "conflicts", "lifecycle"]),
        ("weekly", WEEK - 1, ["backup", "lifecycle"]),
        ("never", 10 * WEEK, ["backup", "lifecycle"]),
    ],
)
def test_conflicts_are_looked_for_as_often_as_the_settings_say(
    setting: str, after: float, done: list[str], day: Day, project: Project, home: Path
) -> None:
    wanted = {"conflict_scan_interval": setting, "observations": {"daily_digest": False}}
    (project.dmm / "daemon.config.json").write_text(json.dumps(wanted))
    project.trust(home)
    day.projects.find(project.folder)
    day.all()
    day.passed = after
    assert day.all() == done


def test_new_settings_do_not_have_everything_done_again(
    day: Day, project: Project, home: Path
) -> None:
    day.all()
    (project.dmm / "daemon.config.json").write_text('{"lifecycle": {"stale_days": 30}}')
    project.trust(home)
    day.projects.find(project.folder)
    assert day.all() == ["recovery"]


@pytest.mark.parametrize(
    "kept", ["", "[]", "7", '{"conflicts": "x"}', json.dumps({"lifecycle": NOW * 2}), "[" * 3000]
)
def test_a_note_that_is_damaged_or_from_the_future_is_not_believed(
    kept: str, day: Day, project: Project
) -> None:
    (project.dmm / "run").mkdir()
    (project.dmm / "run" / "chores.json").write_text(kept)
    assert day.all() == ["recovery", "backup", "conflicts", "lifecycle", "digest"]


def test_where_nothing_can_be_noted_the_chores_are_done_all_the_same(
    day: Day, project: Project, tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (project.dmm / "run").symlink_to(tmp_path / "elsewhere")
    assert [day.tick(), day.tick(), day.tick()] == ["recovery", "backup", "conflicts"]
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_a_project_that_is_not_trusted_or_can_not_be_configured_is_left_alone(
    day: Day, new_project: Callable[[str], Project], home: Path
) -> None:
    day.projects.close()
    stranger, broken = new_project("stranger"), new_project("broken")
    day.projects.look_up(stranger.folder)
    (broken.dmm / "daemon.config.json").write_text("{")
    broken.trust(home)
    day.projects.find(broken.folder)
    assert len(day.projects.each()) == 2
    assert day.all() == []


def test_a_project_that_was_closed_is_forgotten(day: Day, project: Project) -> None:
    day.all()
    day.chores.tick([], QUIET + 1)
    assert day.told(project) == ChoresDone({}, {})


def test_a_fault_is_told_and_the_chore_is_tried_again_after_a_rest(
    day: Day, project: Project, home: Path
) -> None:
    ledger = project.dmm / "ledger.db"
    ledger.write_bytes(b"garbage" * 2000)
    assert day.tick() == "recovery"
    faults = day.told(project).faults
    assert list(faults) == ["recovery"]
    assert str(ledger) in faults["recovery"]
    assert "recovery failed: " in (day.log._path).read_text()
    ledger.unlink()
    day.passed = RETRY - 1
    assert "recovery" not in day.all()
    day.passed = RETRY
    assert day.tick() == "recovery"
    assert day.told(project).faults == {}


def test_what_the_daemon_proposes_is_recorded_in_its_own_name(
    day: Day, project: Project, memory_text: MemoryText, ledger: Callable[[Project], list[Event]]
) -> None:
    expired(project, memory_text)
    day.all()
    assert day.told(project).faults == {}
    made = [event for event in ledger(project) if event.type == "ProposalMade"]
    assert [(one.actor, one.source, one.trust) for one in made] == [("dmm", "daemon", "agent")]
    assert [one.get("operation") for one in made] == ["deprecate"]
    day.passed = DAY
    day.all()
    assert [event for event in ledger(project) if event.type == "ProposalMade"] == made


def digests(events: list[Event]) -> list[tuple[str, str]]:
    made = [event for event in events if event.type == "ProposalMade"]
    return [(one.get("origin"), one.get("edits")[0]["path"]) for one in made]


def work(day: Day, *areas: str, days_before: int) -> None:
    """Record sessions of one day, as their hooks would."""
    (project,) = day.projects.each()
    moment = dt.datetime.fromtimestamp(NOW - days_before * DAY, dt.UTC)
    actor = Actor("claude-code", "hook", Trust.AGENT, f"s{days_before}")
    opened = project.dmm.reopened().project_ledger
    project_ledger = replace(opened, now=lambda: moment, actor=actor)
    for area in areas:
        told = (
            f"The {area} page was wrong because `{area}_total()` read the cached customer. "
            f"It takes the customer of the request now, and `src/{area}/view.py` has a test."
        )
        given = {"file_path": f"src/{area}/view.py"}
        for kind, payload in (
            ("UserMessageReceived", {"text": f"Fix the wrong totals of the {area} page"}),
            ("ToolUsed", {"tool": "Edit", "input": given}),
            ("TurnEnded", {"text": told}),
        ):
            project_ledger.record(project_ledger.draft_of(kind, payload))
    project_ledger.record(project_ledger.draft_of("SessionEnded", {}))
    project_ledger.close()


def test_the_day_before_is_digested_once_and_what_it_gives_waits(
    day: Day, project: Project, ledger: Callable[[Project], list[Event]]
) -> None:
    work(day, *AREAS, days_before=1)
    work(day, *AREAS, days_before=0)
    day.all()
    assert day.told(project).faults == {}
    once = [("digest", "ephemeral/digests/2026_05_27.md")]
    assert digests(ledger(project)) == once
    assert not any(event.type == "ProposalApplied" for event in ledger(project))
    day.passed = MIDNIGHT - 1
    day.all()
    assert digests(ledger(project)) == once
    day.passed = MIDNIGHT
    assert day.all() == ["digest"]
    assert digests(ledger(project)) == [*once, ("digest", "ephemeral/digests/2026_05_28.md")]


def test_days_while_nobody_was_there_are_digested_later_but_not_all_of_the_past(
    day: Day, project: Project, ledger: Callable[[Project], list[Event]]
) -> None:
    day.all()
    work(day, *AREAS, days_before=0)
    day.passed = 3 * DAY
    day.all()
    assert digests(ledger(project)) == [("digest", "ephemeral/digests/2026_05_28.md")]
    assert _days_since(NOW - 30 * DAY, NOW) == [f"2026-05-{day}" for day in range(21, 28)]
    assert _days_since(None, NOW) == ["2026-05-27"]
    assert _days_since(NOW + 9 * DAY, NOW) == ["2026-05-27"]


def test_no_day_is_digested_where_the_settings_say_so(
    day: Day, project: Project, home: Path, ledger: Callable[[Project], list[Event]]
) -> None:
    (project.dmm / "daemon.config.json").write_text('{"observations": {"daily_digest": false}}')
    project.trust(home)
    day.projects.find(project.folder)
    work(day, *AREAS, days_before=1)
    assert day.all() == ["recovery", "backup", "conflicts", "lifecycle"]
    assert digests(ledger(project)) == []


def test_a_model_retells_once_an_hour_where_the_settings_say_so_and_its_silence_is_logged(
    day: Day, project: Project, home: Path, ledger: Callable[[Project], list[Event]]
) -> None:
    wanted = {"observations": {"distil_with_model": True}}
    (project.dmm / "daemon.config.json").write_text(json.dumps(wanted))
    (home / ".dmm").mkdir(exist_ok=True)
    project.trust(home)
    day.projects.find(project.folder)
    work(day, "cart", days_before=1)
    assert day.all() == ["recovery", "backup", "conflicts", "lifecycle", "distil", "digest"]
    assert day.told(project).faults == {}
    assert "distil: no model is configured; the original text stays" in (day.log._path.read_text())
    day.passed = HOUR
    assert day.all() == ["distil"]
    model = {"provider": "anthropic", "name": "m", "base_url": "http://127.0.0.1:9"}
    (home / ".dmm" / "daemon.config.json").write_text(json.dumps({"model": model}))
    day.passed = 2 * HOUR
    assert day.all() == ["distil"]
    calls = [event for event in ledger(project) if event.type == "ModelCalled"]
    assert [(one.actor, one.get("purpose"), one.get("outcome")) for one in calls] == [
        ("dmm", "distil", "failed")
    ]


def test_work_makes_way_for_whoever_is_served_and_ends_when_the_process_does(
    day: Day, project: Project, memory_text: MemoryText
) -> None:
    expired(project, memory_text)
    serving = threading.Event()

    def is_serving() -> bool:
        serving.set()
        return True

    day.more = {"is_serving": is_serving}
    day.begin()
    day.tick()
    while not serving.is_set():
        day.chores.tick(day.projects.each(), QUIET + 1)
        serving.wait(0.05)
    assert day.chores.stop()
    assert day.told(project).faults == {}
    assert "lifecycle" not in day.told(project).last
    day.chores.tick(day.projects.each(), QUIET + 1)
    assert not day.chores.busy


def talk(day: Day, count: int) -> Opened:
    """Have a session with many prompts in the open project."""
    (opened,) = day.projects.each()
    with opened.recording(Actor("codex", "hook", Trust.USER, "s1")) as dmm:
        book = dmm.project_ledger
        for number in range(count):
            said = {"text": f"Look into ticket {number} about the parser, please."}
            book.record(book.draft_of(EventType.USER_MESSAGE_RECEIVED, said))
    return opened


def search(opened: Opened) -> Searched:
    with opened.recall(Actor()) as dmm:
        return dmm.recall.search("ticket 3 parser")


def test_a_search_leaves_a_backlog_of_vectors_to_a_chore(day: Day) -> None:
    day.all()
    opened = talk(day, 40)
    assert search(opened).notices == ("40 units have no vectors yet and are found by words only",)
    assert day.all(quiet=0.1) == []
    assert day.all() == ["recall"]
    assert search(opened).notices == ()
    assert day.all() == []


@pytest.mark.slow
def test_a_process_of_its_own_makes_the_vectors_that_the_next_search_finds(
    tmp_path: Path, home: Path, project: Project, model: Embedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("DMM_STATE_DIR", raising=False)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    project.trust(home)
    projects = Projects(home=home, model=SharedModel(lambda: model))
    projects.find(project.folder)
    day = Day(projects, Log(tmp_path / "daemon.log"), {"apart": do_apart})
    day.all()
    opened = talk(day, 20)
    assert search(opened).notices
    assert day.all() == ["recall"]
    assert search(opened).notices == ()
    projects.close()
    day.log.close()


@pytest.mark.slow
def test_a_chore_in_a_process_of_its_own_does_the_same(
    day: Day, project: Project, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.delenv("DMM_STATE_DIR", raising=False)
    monkeypatch.delenv("XDG_STATE_HOME", raising=False)
    day.more["apart"] = do_apart
    day.begin()
    assert day.all() == ["recovery", "backup", "conflicts", "lifecycle", "digest"]
    care = day.chores.describe(project.dmm)
    assert care.faults == {}
    assert sorted(care.last) == ["backup", "conflicts", "digest", "lifecycle"]


def test_what_goes_wrong_in_a_process_of_its_own_is_told(
    day: Day, project: Project, tmp_path: Path
) -> None:
    gone = threading.Event()
    with pytest.raises(DaemonError, match="trust"):
        do_apart(tmp_path / "elsewhere" / ".dmm", "lifecycle", None, gone)
    gone.set()
    with pytest.raises(DaemonError, match="it was stopped"):
        do_apart(project.dmm, "conflicts", None, gone)


def test_the_house_does_chores_only_for_projects_that_are_indexed(
    house: Daemon, lived_in: Project
) -> None:
    (project,) = house.projects.each()
    assert not house._is_indexed(project)
    house._watch()
    assert house._watches[lived_in.dmm].await_sync(1, SOON)
    assert house._is_indexed(project)
    assert house.observe().projects[0].chores == ChoresDone({}, {})


def test_the_process_leaves_when_idle_but_not_in_the_middle_of_a_chore(house: Daemon) -> None:
    listener = socket.socket(socket.AF_UNIX)
    server = Server(listener, lambda _: None, house._log)
    server.last = 0.0
    go_on = threading.Event()
    working = threading.Thread(target=go_on.wait, args=(SOON,))
    working.start()
    house._asked = 0.0
    house.chores._thread = working
    assert not house.tick(server, idle=0.0)
    go_on.set()
    working.join()
    assert house.tick(server, idle=0.0)
    listener.close()


@pytest.mark.slow
def test_the_status_of_the_daemon_tells_of_chores(machine: Machine, session: Session) -> None:
    machine.hook(session.start())
    (told,) = machine.ask("status")["projects"]
    assert told["chores"]["faults"] == {}
    assert "failed" not in machine.dmm("daemon", "status").stdout
