"""The background process exchanges rules with the team while hooks go on without it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import Opener, Project
from tests.team.conftest import served

from dmm.team.keys import SigningKey
from dmm.team.registry import Registry
from dmm.team.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.daemon.conftest import Machine, Session

    from dmm.embed.model import Embedder

pytestmark = pytest.mark.slow

RULE = "never run terraform destroy"


@pytest.fixture
def registry(tmp_path: Path) -> Iterator[Registry]:
    database = SqliteDatabase(tmp_path / "server.db")
    database.migrate()
    made = Registry(database, SigningKey.make())
    made.add("acme", "shop")
    yield made
    database.close()


def decide(machine: Machine, payload: dict[str, Any]) -> str:
    told = machine.hook(payload) or {}
    return str(told.get("hookSpecificOutput", {}).get("permissionDecision", "allow"))


def test_rules_come_and_go_by_themselves_and_hold_when_the_server_is_gone(
    machine: Machine,
    lived_in: Project,
    session: Session,
    registry: Registry,
    tmp_path: Path,
    model: Embedder,
    wait: Callable[..., Any],
) -> None:
    other = Project(tmp_path / "other" / "work")
    other.memory.mkdir(parents=True)
    ada = Opener(tmp_path / "other", model)(other)
    with served(registry) as url:
        ada.team.join(url, registry.invite("acme", "shop", "reviewer"))
        joined = machine.dmm(
            *("team", "join", url, registry.invite("acme", "shop", "reviewer")),
            within=lived_in.folder,
        )
        assert joined.returncode == 0, joined.stderr
        machine.hook(session.start())
        call = session.bash("terraform destroy -auto-approve")
        assert decide(machine, call) == "allow"
        ada.ledger.add_constraint(RULE)
        ada.team.sync()
        wait(lambda: decide(machine, call) == "deny", "the rule has come")
        added = machine.dmm("ledger", "constraint", "never use eval", within=lived_in.folder)
        assert added.returncode == 0, added.stderr
        wait(lambda: ada.team.sync().received, "the other rule has gone")
        assert [one.text for one in ada.team.status().rules] == ["never use eval"]
    assert decide(machine, call) == "deny"
    machine.dmm("daemon", "stop")
    assert decide(machine, call) == "deny"
    told = json.loads(machine.dmm("team", "status", "--json", within=lived_in.folder).stdout)
    assert (told["unsent"], told["behind"], len(told["rules"])) == (0, 0, 1)
