"""An owner manages a team from the terminal: the server checks the passkey, too."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.daemon.test_terminal_passkey import Tab, begin, find_address
from tests.daemon.test_terminal_passkey import key as key  # noqa: PLC0414 - a fixture, used by name
from tests.team.conftest import served

from dmm.team.keys import SigningKey
from dmm.team.registry import Registry
from dmm.team.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import Project
    from tests.daemon.conftest import Machine
    from tests.passkeys.authenticator import Authenticator

pytestmark = pytest.mark.slow


@pytest.fixture
def hosted(tmp_path: Path) -> Iterator[tuple[Registry, str]]:
    database = SqliteDatabase(tmp_path / "server.db")
    database.migrate()
    registry = Registry(database, SigningKey.make())
    registry.add("acme", "shop")
    with served(registry) as url:
        yield registry, url
    database.close()


def confirm(machine: Machine, project: Project, key: Authenticator, *line: str) -> tuple[str, str]:
    """Run a command and confirm it; return what was confirmed and what it printed."""
    running = begin(machine, project, *line)
    tab = Tab(find_address(running.stderr))
    assert tab.confirm(key) == (200, {"confirmed": True})
    said, faults = running.communicate(timeout=60)
    assert running.returncode == 0, faults
    return str(tab.asked["on"]), said.decode()


def test_an_invitation_of_an_owner_is_confirmed_for_the_server(
    machine: Machine, lived_in: Project, key: Authenticator, hosted: tuple[Registry, str]
) -> None:
    registry, url = hosted
    invitation = registry.invite("acme", "shop", "owner")
    confirm(machine, lived_in, key, "team", "join", url, invitation)
    on, said = confirm(machine, lived_in, key, "team", "invite", "--role", "reviewer")
    assert on == "acme/shop$ dmm team invite --role reviewer"
    joined = registry.join(said.strip(), SigningKey.make().public, "ben")
    on, said = confirm(machine, lived_in, key, "team", "revoke", joined.writer)
    assert (on, said) == (
        f"acme/shop$ dmm team revoke {joined.writer}",
        f"{joined.writer} removed\n",
    )
    told = [
        one.about.partition(" ")[0]
        for one in registry.accesses("acme", "shop", 50)
        if one.act == "passkey"
    ]
    assert sorted(told) == ["enrol", "invite", "revoke"]
