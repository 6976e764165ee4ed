"""Removing laptops: all of a person, and while a restored server waits for others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.team.test_approvals import hold_passkey, sign_command
from tests.team.test_backup import ENGINES, RULE, Machines, move, office_of
from tests.team.test_persons import make_key

from dmm.errors import TeamError
from dmm.server.backups import make_backup
from dmm.team.chain import REVOKED, Trail
from dmm.team.client import HttpMembers
from dmm.team.keys import SigningKey
from dmm.team.port import Page

if TYPE_CHECKING:
    from pathlib import Path

    from tests.team.conftest import Hall

    from dmm.embed.model import Embedder


@pytest.fixture
def machines(tmp_path: Path, request: pytest.FixtureRequest) -> Machines:
    return Machines(tmp_path, request)


def test_a_person_is_removed_with_all_laptops(hall: Hall) -> None:
    registry, place = hall.registry, (hall.team, "shop")
    owner, other = hall.join("owner"), hall.join("reviewer")
    persons = ("ada@example.org", "ada@example.org", "ben@example.org")
    laptops = [
        registry.admit(*place, "owner", SigningKey.make().public, f"laptop {number}", person)
        for number, person in enumerate(persons)
    ]
    ended = registry.invite(*place, "reader", by=laptops[0].writer)
    with pytest.raises(TeamError, match=r"nobody signed in as eve@example\.org"):
        registry.revoke_person(*place, "eve@example.org")
    with pytest.raises(TeamError, match="a reviewer can't manage"):
        registry.revoke_person(*place, persons[0], by=other.joined.writer)
    if hall.url:
        members = HttpMembers.of(owner.credentials(hall.url))
        assert members.revoke_person(persons[0]) == 2
    else:
        assert registry.revoke_person(*place, persons[0], by=owner.joined.writer) == 2
    known = {one.writer: one.revoked for one in registry.members(*place)}
    assert [known[one.writer] for one in laptops] == [True, True, False]
    with pytest.raises(TeamError, match="wrong, used or expired"):
        registry.join(ended, SigningKey.make().public, "laptop")
    page = other.log.pull(0)
    assert isinstance(page, Page)
    # The log tells of both, and every laptop takes it.
    Trail(owner.joined.server_key, place).follow(page.placed)
    assert [one.entry.type for one in page.placed[-2:]] == [REVOKED, REVOKED]
    with pytest.raises(TeamError, match="nobody signed in as"):
        registry.revoke_person(*place, persons[0])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("enrolled", [True, False])
def test_an_owner_with_a_passkey_removes_a_laptop_while_a_restored_server_waits(
    machines: Machines,
    model: Embedder,
    monkeypatch: pytest.MonkeyPatch,
    engine: str,
    enrolled: bool,
) -> None:
    monkeypatch.delenv("DMM_ROOT", raising=False)
    first, file = machines.make(engine), machines.folder / "backup"
    key = make_key()
    with office_of(first, machines.folder, model) as office:
        office.registry.add("acme", "shop")
        ada, eve = office.laptop("ada", "owner"), office.laptop("eve")
        hold_passkey(ada, key)
        if enrolled:
            ada.team.members(sign_command(ada, key, "revoke nobody"))
        make_backup(first, file)
    second = machines.restore(file, engine, {})
    with office_of(second, machines.folder, model) as office:
        for dmm in (ada, eve):
            move(dmm, office)
        writer = eve.team.credentials().writer
        proof = sign_command(ada, key, f"revoke {writer}")
        assert ada.team.members(proof).revoke(writer)
        with pytest.raises(TeamError, match="removed from the team"):
            eve.team.sync()
        # Without a proof, only a laptop whose passkey is not known there.
        other = ada.team.members()
        if enrolled:
            with pytest.raises(TeamError, match="confirmed by passkey"):
                other.revoke(writer)
        else:
            assert not other.revoke(writer)


@pytest.mark.parametrize("engine", ENGINES)
def test_a_laptop_is_removed_while_a_restored_server_waits(
    machines: Machines, model: Embedder, monkeypatch: pytest.MonkeyPatch, engine: str
) -> None:
    monkeypatch.delenv("DMM_ROOT", raising=False)
    first, file = machines.make(engine), machines.folder / "backup"
    with office_of(first, machines.folder, model) as office:
        office.registry.add("acme", "shop")
        ada, ben, eve = (office.laptop(one) for one in ("ada", "ben", "eve"))
        for dmm in (ada, ben, eve):
            dmm.team.sync()
        make_backup(first, file)
        # What the backup lacks was said by the laptop that is removed, too.
        eve.ledger.add_constraint(RULE)
        eve.team.sync()
        ada.team.sync()
    second = machines.restore(file, engine, {})
    with office_of(second, machines.folder, model) as office:
        for dmm in (ada, ben, eve):
            move(dmm, office)
        writer = eve.team.credentials().writer
        assert office.registry.revoke("acme", "shop", writer)
        assert not office.registry.revoke("acme", "shop", writer)
        with pytest.raises(TeamError, match="removed from the team"):
            eve.team.sync()
        # A backup of that moment forgets nothing of it.
        again = machines.folder / "again"
        make_backup(second, again)
        assert ada.team.sync().returned == 1
        ben.team.sync()
        ada.ledger.add_constraint("never force a push")
        assert ada.team.sync().sent == 1
        told = [(one.type, one.told.get("writer")) for one in ada.team.log()]
        assert told[-3:] == [
            ("ConstraintAdded", None),
            ("WriterRevoked", writer),
            ("ConstraintAdded", None),
        ]
        ben.team.sync()
        assert ben.team.status().fault == ""
        with pytest.raises(TeamError, match="removed from the team"):
            eve.team.sync()
    third = machines.restore(again, "sqlite", {})
    with office_of(third, machines.folder, model) as office:
        known = {one.writer: one.revoked for one in office.registry.members("acme", "shop")}
        assert known[writer]
