"""A ledger that a branch or an archive puts in the place of the user's, and one that is gone."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from dmm.domain.pack import QueryRequest
from dmm.errors import LedgerRefused
from dmm.eventlog.log import EventLog
from dmm.ledger.service import Ledger
from dmm.rules.commands.calls import ToolCall
from dmm.rules.guard import Guard
from dmm.rules.project_ledger import ProjectLedger

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import Opener, Project

    from dmm.bootstrap import Dmm

PUSH = ToolCall("Bash", {"command": "git push --force"})
TEST = ToolCall("Bash", {"command": "npm test"})


@pytest.fixture
def dmm(project: Project, open_project: Opener) -> Dmm:
    dmm = open_project(project)
    dmm.ledger.add_constraint("Never run git push --force")
    return dmm


@pytest.fixture
def foreign(tmp_path: Path, dmm: Dmm) -> Path:
    path = tmp_path / "foreign.db"
    project_ledger = ProjectLedger(path, dmm.project_ledger.now)
    Ledger(project_ledger).add_constraint("Never run npm test")
    project_ledger.close()
    return path


def ask(dmm: Dmm) -> tuple[str, ...]:
    return dmm.packs.query(QueryRequest(query="deploy")).pack.notices


def replace(project: Project, foreign: Path) -> Path:
    """Do what Git does on a checkout: the file is removed, and another one is written."""
    ledger = project.dmm / "ledger.db"
    ledger.unlink()
    shutil.copy(foreign, ledger)
    return ledger


@pytest.mark.parametrize("held", [True, False])
def test_rules_of_another_ledger_are_not_enforced_and_nothing_is_written_to_it(
    project: Project, open_project: Opener, dmm: Dmm, foreign: Path, held: bool
) -> None:
    assert Guard(dmm.project_ledger).rule(PUSH).denied
    if not held:
        dmm.close()
        dmm = open_project(project)
    ledger = replace(project, foreign)
    with pytest.raises(LedgerRefused, match="another ledger has replaced"):
        Guard(dmm.project_ledger).rule(TEST)
    with pytest.raises(LedgerRefused, match="another ledger has replaced"):
        dmm.ledger.add_fact("budget", "5")
    assert ledger.read_bytes() == foreign.read_bytes()


def test_a_ledger_that_was_held_open_is_rescued_and_can_be_put_back(
    project: Project, dmm: Dmm, foreign: Path
) -> None:
    ledger = replace(project, foreign)
    with pytest.raises(LedgerRefused):
        dmm.project_ledger.state()
    rescued = project.dmm / "ledger.db.rescued-1"
    log = EventLog.open(rescued)
    assert log.head().seq == 1
    log.close()
    assert not ledger.with_name("ledger.db-wal").exists()
    ledger.unlink()
    rescued.rename(ledger)
    assert Guard(dmm.project_ledger).rule(PUSH).denied


def test_a_pack_tells_that_the_ledger_is_another_one(
    project: Project, open_project: Opener, dmm: Dmm, foreign: Path
) -> None:
    dmm.close()
    replace(project, foreign)
    told = ask(open_project(project))
    assert any("another ledger has replaced the one that was written" in one for one in told)


def test_a_pack_tells_that_the_ledger_is_gone_and_begins_none(
    project: Project, open_project: Opener, dmm: Dmm
) -> None:
    dmm.close()
    (project.dmm / "ledger.db").unlink()
    dmm = open_project(project)
    assert any("the ledger that was written here is missing" in one for one in ask(dmm))
    with pytest.raises(LedgerRefused, match="is missing"):
        Guard(dmm.project_ledger).rule(PUSH)
    with pytest.raises(LedgerRefused, match="is missing"):
        dmm.audit.init()
    assert not (project.dmm / "ledger.db").exists()


def test_a_ledger_that_comes_where_none_was_written_is_not_used(
    project: Project, open_project: Opener, tmp_path: Path, foreign: Path
) -> None:
    (project.dmm / "ledger.db").unlink()
    other = type(project)(tmp_path / "fresh")
    other.memory.mkdir(parents=True)
    dmm = open_project(other)
    assert not Guard(dmm.project_ledger).rule(TEST).denied
    shutil.copy(foreign, other.dmm / "ledger.db")
    with pytest.raises(LedgerRefused, match="was not written here"):
        Guard(dmm.project_ledger).rule(TEST)
