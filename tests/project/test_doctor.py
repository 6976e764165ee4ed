"""The parts of a checkup: what they find, and what they fix."""

from __future__ import annotations

import fcntl
import json
import os
from typing import TYPE_CHECKING, Any

import pytest

from dmm import VERSION, endpoint
from dmm.errors import ConfigError, ModelUnavailable, RootNotFound
from dmm.files.trusted import TrustStore
from dmm.ledger.known_passkeys import KnownPasskeys
from dmm.passkeys.keyring import Keyring, page_folder
from dmm.project import doctor
from dmm.project.doctor import Check, Memory, check_daemon, check_program, check_project, examine
from dmm.storage import sqlite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path

    from tests.conftest import MemoryText, Opener, Project

    from dmm.bootstrap import Dmm


def told(checks: Iterable[Check]) -> list[tuple[str, str, str]]:
    return [(check.name, check.level, check.told) for check in checks]


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DMM_RUN_DIR", str(tmp_path / "run"))
    monkeypatch.setenv("DMM_STATE_DIR", str(tmp_path / "state"))


@pytest.fixture
def run_folder(tmp_path: Path) -> Path:
    folder = tmp_path / "run"
    folder.mkdir(mode=0o700)
    return folder


@pytest.fixture
def never_started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Notes that the daemon would have been started."""
    started: list[str] = []
    monkeypatch.setattr(endpoint, "start", lambda: started.append("started"))
    return started


# The program


def test_the_program_stands_on_versions_that_are_new_enough() -> None:
    first, python, database, model = told(check_program(lambda: None))
    assert first == ("dmm", "ok", f"version {VERSION}")
    assert (python[1], database[1]) == ("ok", "ok")
    assert model == ("model", "ok", "loaded")


def test_an_old_sqlite_fails_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "version", lambda: "3.45.1")
    found = told(check_program(lambda: None))
    assert ("SQLite", "fail", "version 3.45.1 is older than 3.51.3") in found


def test_a_model_that_does_not_load_fails_with_the_way_out() -> None:
    def load() -> None:
        raise ModelUnavailable("the model file is missing", hint="install dmm again")

    *_, model = check_program(load)
    assert (model.level, model.told) == ("fail", "the model file is missing")
    assert model.way == "install dmm again"


# The project


@pytest.fixture
def memory_of(open_project: Opener) -> Callable[..., Memory]:
    def make(project: Project, *, trusted: bool = True) -> Memory:
        dmm: Dmm = open_project(project)

        def reindex() -> None:
            dmm.memories.reindex()
            dmm.close()

        return Memory(
            *(project.dmm, trusted, dmm.trust_store.list, dmm.overview, dmm.audit, reindex),
            *(dmm.consents, dmm.published, dmm.backups, dmm.rules.unchecked),
            KnownPasskeys(dmm.project_ledger, Keyring(page_folder())),
        )

    return make


def test_a_record_of_trusted_projects_that_is_damaged_is_named_with_the_way_out(
    memory_of: Callable[..., Memory], shop: Project, home: Path
) -> None:
    memory = memory_of(shop, trusted=False)
    store = TrustStore.of_user(home)
    store.path.write_text('{"version": 1, "projects": [')
    (found,) = (one for one in check_project(lambda: memory) if one.name == "trust")
    assert (found.level, found.told) == ("fail", store.fault())
    assert str(store.path) in found.told
    assert (found.way or "").endswith("in each of your projects: dmm trust --with-ledger")


def test_outside_of_a_project_there_is_only_a_warning() -> None:
    def open_memory() -> Memory:
        raise RootNotFound("no .dmm folder here or above", hint="dmm init")

    (found,) = check_project(open_memory)
    assert (found.level, found.way) == ("warn", "dmm init")


def test_settings_that_can_not_be_read_fail() -> None:
    def open_memory() -> Memory:
        raise ConfigError("unknown key")

    assert told(check_project(open_memory)) == [("memory", "fail", "unknown key")]


def test_a_project_is_counted_and_its_index_brought_up_to_date(
    project: Project, memory_text: MemoryText, memory_of: Callable[..., Memory]
) -> None:
    project.write("project/retry.md", memory_text())
    name = f"index of {project.memory}"

    def probe() -> Iterator[Check]:
        return check_project(lambda: memory_of(project))

    assert told(examine([probe], fix=False)) == [
        ("memory", "ok", str(project.dmm)),
        ("trust", "ok", "trusted"),
        ("files", "ok", "1 of 1 memory files valid"),
        ("Git", "ok", "no memory or rule is ignored"),
        (name, "ok", "not built yet; the next query builds it"),
        ("consent", "ok", "nothing is held back"),
        ("ledger", "ok", "none yet"),
        ("rules on file", "ok", "a hook can decide without the daemon"),
        ("backup", "ok", "none yet; the daemon makes one each day"),
    ]
    fixed = {check.name: check for check in examine([probe], fix=True)}
    assert (fixed[name].told, fixed[name].fixed) == ("up to date, 1 memories", True)
    project.write("project/more.md", memory_text("More", id="mem_2026_01_31_002"))
    behind = {check.name: check for check in examine([probe], fix=False)}
    assert (behind[name].level, behind[name].told) == ("warn", "behind the files: 1 new")
    assert behind[name].way == "dmm reindex"


def test_a_faulty_memory_fails_and_an_untrusted_one_warns(
    project: Project, memory_of: Callable[..., Memory]
) -> None:
    project.write("project/bad.md", "no front matter")
    found = {
        check.name: check for check in check_project(lambda: memory_of(project, trusted=False))
    }
    assert (found["files"].level, found["files"].told) == ("fail", "0 of 1 memory files valid")
    assert found["trust"].level == "warn"
    assert "ledger" not in found


def test_a_broken_index_is_built_again(
    project: Project, memory_text: MemoryText, memory_of: Callable[..., Memory]
) -> None:
    project.write("project/retry.md", memory_text())
    memory_of(project).reindex()
    project.index.write_bytes(b"not a database at all, by any means")
    name = f"index of {project.memory}"

    def probe() -> Iterator[Check]:
        return check_project(lambda: memory_of(project))

    assert {check.name: check.level for check in probe()}[name] == "fail"
    fixed = {check.name: check for check in examine([probe], fix=True)}
    assert (fixed[name].level, fixed[name].fixed) == ("ok", True)


def test_a_ledger_that_was_edited_fails(
    project: Project, open_project: Opener, memory_of: Callable[..., Memory]
) -> None:
    import apsw

    dmm = open_project(project)
    dmm.trust_store.trust(project.dmm)
    dmm.ledger.add_constraint("Never run rm.")
    dmm.ledger.add_constraint("Never run dd.")
    sound = {check.name: check for check in check_project(lambda: memory_of(project))}
    assert (sound["ledger"].level, sound["ledger"].told[-5:]) == ("ok", "valid")
    dmm.close()
    connection = apsw.Connection(str(project.dmm / "ledger.db"))
    for name, text in connection.execute(
        "SELECT name, sql FROM sqlite_master WHERE type='trigger'"
    ):
        connection.execute(f"DROP TRIGGER {name}")
        assert text
    connection.execute("UPDATE events SET payload = replace(payload, 'dd', 'ls')")
    connection.close()
    broken = {check.name: check for check in check_project(lambda: memory_of(project))}
    assert broken["ledger"].level == "fail"


def test_a_ledger_that_was_written_here_and_is_gone_fails(
    project: Project, open_project: Opener, memory_of: Callable[..., Memory]
) -> None:
    dmm = open_project(project)
    dmm.ledger.add_constraint("Never run rm.")
    dmm.close()
    (project.dmm / "ledger.db").unlink()
    found = {check.name: check for check in check_project(lambda: memory_of(project))}["ledger"]
    assert (found.level, found.told) == ("fail", "the ledger that was written here is missing")
    assert found.way == "restore a backup: dmm ledger restore; or start a new ledger: dmm trust"


# The daemon


def test_no_daemon_is_no_fault_and_a_fix_starts_one(never_started: list[str]) -> None:
    assert told(examine([check_daemon], fix=False)) == [
        ("socket", "ok", "not running; the first hook starts it"),
        ("spool", "ok", "empty"),
    ]
    list(examine([check_daemon], fix=True))
    assert never_started == ["started"]


def test_a_folder_that_others_may_enter_is_closed(
    run_folder: Path, never_started: list[str]
) -> None:
    run_folder.chmod(0o755)
    found = told(examine([check_daemon], fix=False))
    assert found[0] == ("run folder", "fail", f"{run_folder}: other users can enter it (mode 755)")
    fixed = next(examine([check_daemon], fix=True))
    assert (fixed.level, fixed.fixed) == ("ok", True)
    assert run_folder.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_is_none_fails(tmp_path: Path) -> None:
    (tmp_path / "run").write_text("")
    assert next(check_daemon()).level == "fail"


def test_a_state_folder_that_can_not_be_written_fails(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("")
    found = next(check_daemon())
    assert (found.name, found.level) == ("state folder", "fail")
    assert found.told == f"{tmp_path / 'state'} can't be written"
    assert (found.way or "").endswith("or name a folder with DMM_STATE_DIR")


def test_what_a_dead_daemon_left_is_cleared_away(
    run_folder: Path, never_started: list[str]
) -> None:
    for name in (endpoint.SOCKET, endpoint.ABOUT):
        (run_folder / name).write_text("")
    found = {check.name: check for check in check_daemon()}
    assert found["socket"].told == "not running, but left behind: dmm.sock, daemon.json"
    fixed = {check.name: check for check in examine([check_daemon], fix=True)}
    assert (fixed["socket"].level, fixed["socket"].fixed) == ("ok", True)
    assert list(run_folder.iterdir()) == []


def test_a_daemon_that_holds_the_lock_and_is_silent_fails(run_folder: Path) -> None:
    lock = os.open(run_folder / endpoint.LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    fcntl.flock(lock, fcntl.LOCK_EX)
    try:
        found = {check.name: check for check in check_daemon()}
    finally:
        os.close(lock)
    assert (found["socket"].level, found["socket"].told) == (
        "fail",
        "a process holds the lock but does not answer",
    )


@pytest.mark.parametrize(
    ("version", "level", "words"),
    [(VERSION, "ok", f"it answers (process 7, version {VERSION})"), ("0.0.1", "warn", "0.0.1")],
)
def test_a_daemon_of_another_version_is_told(
    monkeypatch: pytest.MonkeyPatch, version: str, level: str, words: str
) -> None:
    def call(*_: object, **__: object) -> dict[str, Any]:
        return {"version": version, "pid": 7}

    monkeypatch.setattr(endpoint, "call", call)
    found = next(check for check in check_daemon() if check.name == "socket")
    assert found.level == level
    assert words in found.told


def test_a_daemon_that_answers_on_its_socket_alone_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint, "call", lambda *_, **__: {"version": VERSION, "pid": 7})
    found = {check.name: check.level for check in check_daemon()}
    assert found == {"socket": "ok", "HTTP": "fail", "spool": "ok"}


def test_events_that_wait_are_counted(
    tmp_path: Path, never_started: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    spool = tmp_path / "state" / "spool"
    spool.mkdir(parents=True)
    for number in range(3):
        (spool / f"{number}.event").write_text("")
    assert told(check_daemon())[-1] == ("spool", "ok", "3 events pending")
    monkeypatch.setattr(doctor, "BACKLOG", 2)
    assert told(check_daemon())[-1] == ("spool", "warn", "3 events pending")
    (spool / "dropped").write_text("..")
    (spool / "lost").write_text("00000000000000000005\n")
    assert told(check_daemon())[-1] == (
        "spool",
        "warn",
        "3 events pending, 7 events were lost: the disk or the spool was full",
    )


def test_a_check_can_be_told_as_plain_data() -> None:
    check = Check("area", "name", "warn", "told", "way", fix=lambda: None)
    assert json.loads(json.dumps(check.describe())) == {
        "area": "area",
        "name": "name",
        "level": "warn",
        "told": "told",
        "way": "way",
        "fixed": False,
    }
