"""A ledger in a folder that this user may not write to, or not even enter."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from dmm.domain.event import EventType
from dmm.eventlog.place import find_earlier, find_ledger

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import Command, Opener, Project

pytestmark = pytest.mark.slow

RULE = "never run git push --force"
GONE = "is gone"


@pytest.fixture
def ruled(shop: Project, open_project: Opener) -> Iterator[Project]:
    """A project in a repository, with a rule."""
    (shop.folder / ".git").mkdir()
    (shop.folder / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    dmm = open_project(shop)
    dmm.ledger.add_constraint(RULE)
    dmm.close()
    yield shop
    for name in (".git", ".git/dmm", ".git/dmm/ledger.db", ".dmm"):
        if (shop.folder / name).exists():
            (shop.folder / name).chmod(0o700)


@pytest.fixture
def unmoved(ruled: Project) -> Project:
    """The same, with the ledger still where an earlier version kept it."""
    find_ledger(ruled.dmm).rename(find_earlier(ruled.dmm)[0])
    shutil.rmtree(ruled.folder / ".git" / "dmm")
    return ruled


def close(*folders: Path) -> None:
    for folder in folders:
        folder.chmod(0o500)


@pytest.mark.parametrize("closed", [".git", ".git .dmm"])
def test_a_ledger_that_can_not_be_moved_is_read_where_it_is(
    unmoved: Project, command: Command, bound: list[str], closed: str
) -> None:
    close(*(unmoved.folder / name for name in closed.split()))
    told = command("ledger", "context", within=unmoved.folder, before=bound)
    assert told.returncode == 0, told.stderr
    assert RULE in told.stdout
    asked = command("query", "deploy", within=unmoved.folder, before=bound)
    assert GONE not in asked.stdout + asked.stderr
    assert RULE in asked.stdout
    trust = command("trust", within=unmoved.folder, before=bound)
    assert "outside DMM" not in trust.stdout + trust.stderr
    assert GONE not in trust.stdout + trust.stderr


def test_a_ledger_that_could_not_be_moved_is_moved_later(
    unmoved: Project, command: Command, bound: list[str]
) -> None:
    close(unmoved.folder / ".git")
    fact = ("ledger", "fact", "budget", "4000")
    assert command(*fact, within=unmoved.folder, before=bound).returncode == 0
    (unmoved.folder / ".git").chmod(0o700)
    log = command("ledger", "log", within=unmoved.folder)
    assert EventType.FACT_ADDED in log.stdout
    assert find_ledger(unmoved.dmm).exists()


def test_trust_does_not_accuse_a_ledger_that_can_only_be_read(
    ruled: Project, command: Command, bound: list[str]
) -> None:
    ledger = find_ledger(ruled.dmm)
    close(ledger.parent, ruled.dmm)
    for log in ("", "some bytes"):
        if log:
            ledger.parent.chmod(0o700)
            ledger.with_name("ledger.db-wal").write_text(log)
            ledger.parent.chmod(0o500)
        told = command("trust", within=ruled.folder, before=bound)
        assert told.returncode == 0, told.stderr
        assert "outside DMM" not in told.stdout


@pytest.mark.parametrize("place", ["dmm", "dmm/ledger.db"])
def test_a_ledger_that_can_not_be_looked_at_is_not_gone(
    ruled: Project, command: Command, bound: list[str], place: str
) -> None:
    (ruled.folder / ".git" / place).chmod(0)
    asked = command("query", "deploy", within=ruled.folder, before=bound)
    assert asked.returncode == 0, asked.stderr
    assert "the constraints could not be read" in asked.stdout
    assert "baseline" in asked.stdout
    status = command("status", within=ruled.folder, before=bound)
    assert status.returncode == 0, status.stderr
    for arguments in (["ledger", "log"], ["ledger", "verify"], ["trust"], ["doctor"], ["status"]):
        told = command(*arguments, within=ruled.folder, before=bound)
        assert GONE not in told.stdout + told.stderr
        assert "no ledger here yet" not in told.stdout + told.stderr
        assert "operating system error" not in told.stderr
        assert "Traceback" not in told.stderr
    assert "ermission" in command("ledger", "log", within=ruled.folder, before=bound).stderr
