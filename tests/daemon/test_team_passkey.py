"""An owner manages a team from the terminal: the server checks the passkey, too."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING
from urllib.parse import quote

import pytest
from tests.daemon.test_terminal_passkey import Tab, begin, find_address
from tests.daemon.test_terminal_passkey import key as key  # noqa: PLC0414 - a fixture, used by name
from tests.passkeys.authenticator import to_json
from tests.team.conftest import served
from tests.team.test_chain import fold_rules

from dmm.bootstrap import open_dmm
from dmm.passkeys.webauthn import decode, encode
from dmm.team.chain import Trail
from dmm.team.keys import SigningKey
from dmm.team.port import Page
from dmm.team.registry import Registry
from dmm.team.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import Project
    from tests.daemon.conftest import Machine
    from tests.passkeys.authenticator import Authenticator

    from dmm.team.folding import TeamRule

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


def read_rules(registry: Registry) -> tuple[TeamRule, ...]:
    """Join as a laptop that checks the whole log; return the rules it finds there."""
    invitation = registry.invite("acme", "shop", "reader")
    joined = registry.join(invitation, SigningKey.make().public, "ben")
    log = registry.open(joined.token)
    assert log is not None
    page = log.pull(0)
    assert isinstance(page, Page)
    Trail(joined.server_key, ("acme", "shop")).follow(page.placed)
    return fold_rules(page.placed)


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


def test_a_rule_of_a_person_is_proved_to_the_server_and_to_others(
    machine: Machine, lived_in: Project, key: Authenticator, hosted: tuple[Registry, str]
) -> None:
    registry, url = hosted
    invitation = registry.invite("acme", "shop", "reviewer")
    confirm(machine, lived_in, key, "team", "join", url, invitation)
    running = begin(machine, lived_in, "ledger", "constraint", "Never push to main")
    tab = Tab(find_address(running.stderr))
    (told,) = tab.asked["shared"]
    assert told.endswith('ConstraintAdded {"priority":"required","text":"Never push to main"}')
    assert tab.confirm(key) == (200, {"confirmed": True})
    assert running.wait(60) == 0
    machine.dmm("team", "sync", within=lived_in.folder)
    (rule,) = read_rules(registry)
    assert (rule.text, rule.proved) == ("Never push to main", True)


def test_a_rule_that_is_accepted_in_the_page_is_proved_too(
    machine: Machine, lived_in: Project, key: Authenticator, hosted: tuple[Registry, str]
) -> None:
    registry, url = hosted
    invitation = registry.invite("acme", "shop", "reviewer")
    running = begin(machine, lived_in, "team", "join", url, invitation)
    tab = Tab(find_address(running.stderr))
    assert tab.confirm(key) == (200, {"confirmed": True})
    assert running.wait(60) == 0
    with closing(open_dmm(override=lived_in.folder, home=machine.home, by_agent=True)) as agent:
        pending = str(agent.ledger.add_constraint("Never push to main").seq)
    where = f"?root={quote(str(lived_in.folder))}"
    seen = tab.ask(f"/v1/rules/{pending}{where}")[1]["digest"]
    asked = {"action": "accept_rule", "id": pending, "digest": seen}
    begun = tab.ask(f"/v1/confirmations{where}", asked)[1]
    (told,) = begun["shared"]
    assert '"text":"Never push to main"' in told
    assert (begun["credentials"], begun["unknown"]) == ([encode(key.id)], [])
    credential = to_json(key.sign(decode(begun["challenge"])))
    proof = {"confirmation": begun["id"], "credential": credential}
    body = {"names": [pending], "seen": seen, "proof": proof}
    assert tab.ask(f"/v1/rules/accept{where}", body)[0] == 200
    machine.dmm("team", "sync", within=lived_in.folder)
    assert [(one.text, one.proved) for one in read_rules(registry)] == [
        ("Never push to main", True)
    ]
