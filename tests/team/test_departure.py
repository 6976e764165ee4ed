"""A project that was in a team and left it is as if its rules had always been its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.team.conftest import Office, served

from dmm.domain.pack import QueryRequest
from dmm.errors import TeamError
from dmm.packs.render import render_pack
from dmm.rules.commands.calls import ToolCall
from dmm.team.departure import keep_rules

if TYPE_CHECKING:
    from pathlib import Path

    from dmm.bootstrap import Dmm
    from dmm.embed.model import Embedder
    from dmm.team.registry import Registry

DESTROY = ToolCall("Bash", {"command": "terraform destroy"})
RULE = "never run terraform destroy"
OWN = "never use eval"


def level(dmm: Dmm) -> str:
    return dmm.rules.guard.judge(DESTROY).level


def credentials(office: Office, name: str) -> list[Path]:
    return [one for one in (office.folder / name).rglob("team/*.json") if one.is_file()]


def test_local_to_team_to_local_ends_as_if_there_had_been_no_team(office: Office) -> None:
    ada, ben, twin = office.open("ada"), office.laptop("ben"), office.open("twin")
    for dmm in (ada, twin):
        dmm.ledger.add_constraint(OWN)
        dmm.ledger.add_fact("region", "eu-central-1")
    ada.team.join(office.url, office.registry.invite("acme", "shop", "reviewer"))
    ben.ledger.add_constraint(RULE)
    ben.ledger.add_constraint(OWN)
    ben.ledger.add_constraint("prefer small commits", "preferred")
    ben.team.sync()
    ada.team.sync()
    assert len(ada.team.status().rules) == 3
    left = ada.team.leave()
    assert (left.parted.kept, left.parted.unsent, left.told) == (2, 0, True)
    twin.ledger.add_constraint(RULE)
    twin.ledger.add_constraint("prefer small commits", "preferred")
    for dmm in (ada, office.open("ada")):
        assert dmm.audit.verify().valid
        assert dmm.project_ledger.state().hash() == twin.project_ledger.state().hash()
        assert dmm.rules.list() == twin.rules.list()
        assert level(dmm) == "deny"
    asked = QueryRequest("destroy the cluster")
    packs = [render_pack(one.packs.query(asked).pack) for one in (ada, twin)]
    assert RULE in packs[0]
    assert packs[0] == packs[1]


def test_who_has_left_holds_no_key_and_no_copy_and_the_log_says_so(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ben.ledger.add_constraint("never print canary-words")
    ben.team.sync()
    ada.team.sync()
    assert len(credentials(office, "ada")) == 1
    ada.team.leave(keep=False)
    assert credentials(office, "ada") == []
    assert not ada.team.joined
    for file in ada.team.path.parent.glob("team.db*"):
        assert b"canary" not in file.read_bytes()
    for use in (ada.team.status, ada.team.sync, ada.team.leave):
        with pytest.raises(TeamError, match="has not joined a team"):
            use()
    assert ben.team.sync().received == 1
    assert [one.revoked for one in office.registry.members("acme", "shop")].count(True) == 1
    ada.ledger.add_constraint(RULE)
    assert ada.redactions.redact([1], "it leaked").unread == ()


def test_the_rules_of_the_team_can_be_left_behind(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ben.ledger.add_constraint(RULE)
    ben.team.sync()
    ada.team.sync()
    assert level(ada) == "deny"
    assert ada.team.leave(keep=False).parted.kept == 0
    assert [level(one) for one in (ada, office.open("ada"), ben)] == ["allow", "allow", "deny"]


def test_what_the_laptop_shared_stays_with_the_team(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint(RULE)
    assert ada.team.leave().parted.unsent == 0
    ben.team.sync()
    assert [level(one) for one in (ada, ben)] == ["deny", "deny"]


def test_who_left_joins_again_and_shares_what_is_recorded_from_then_on(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint(RULE)
    ben.ledger.add_constraint(OWN)
    ben.team.sync()
    ada.team.sync()
    ada.team.leave()
    ada.ledger.add_constraint("never use exec")
    ada.team.join(office.url, office.registry.invite("acme", "shop", "reviewer"))
    assert ada.team.sync().sent == 0
    # What was kept is one's own; the team's holds beside it.
    assert [one.text for one in ada.team.status().rules] == [OWN, RULE]
    ada.rules.disable("1")
    assert ada.team.sync().sent == 1
    ben.team.sync()
    assert [level(one) for one in (ada, ben)] == ["allow", "allow"]
    assert ada.audit.verify().valid


def test_a_server_out_of_reach_keeps_no_laptop(
    tmp_path: Path, model: Embedder, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DMM_ROOT", raising=False)
    with served(registry) as url:
        office = Office(tmp_path, model, registry, url)
        ada, ben = office.laptop("ada"), office.laptop("ben")
        ben.ledger.add_constraint(RULE)
        ben.team.sync()
        ada.team.sync()
    ada.ledger.add_constraint(OWN)
    left = ada.team.leave()
    assert (left.parted.kept, left.parted.unsent, left.told) == (1, 1, False)
    assert level(office.open("ada")) == "deny"
    assert credentials(office, "ada") == []
    with served(registry) as url:
        ada.team.join(url, registry.invite("acme", "shop", "reviewer"))
        assert ada.team.status().fault == ""


def test_a_laptop_that_was_removed_can_leave(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ben.ledger.add_constraint(RULE)
    ben.team.sync()
    ada.team.sync()
    office.registry.revoke("acme", "shop", ada.team.credentials().writer)
    left = ada.team.leave()
    assert (left.parted.kept, left.told, level(ada)) == (1, True, "deny")


def test_a_departure_that_broke_off_is_finished_by_the_next(office: Office) -> None:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    for text in (RULE, OWN):
        ben.ledger.add_constraint(text)
    ben.team.sync()
    ada.team.sync()
    assert keep_rules(ada.project_ledger, ada.team.status().rules[:1]) == 1
    assert ada.team.leave().parted.kept == 1
    held = ada.project_ledger.standing(ada.project_ledger.state())
    assert [one.text for one in held] == [RULE, OWN]
