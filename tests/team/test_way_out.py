"""A team can be left in every state of a laptop, and none of them lifts a rule by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.team.conftest import Late, Office, rewrite, spoil
from tests.team.test_departure import RULE, credentials, level

from dmm.errors import LedgerBroken, LedgerRefused, StorageError, TeamError
from dmm.team import departure
from dmm.team.client import HttpLog
from dmm.team.mark import joined_mark

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.bootstrap import Dmm


@pytest.fixture
def ben(office: Office) -> Dmm:
    """A laptop that holds a rule of another one."""
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint(RULE)
    ada.team.sync()
    ben.team.sync()
    assert level(ben) == "deny"
    return ben


def need_free(office: Office, dmm: Dmm) -> None:
    """Check that a laptop has left: for the process that did it, and for the next."""
    assert not joined_mark(dmm.team.home, dmm.team.path).exists()
    for one in (dmm, office.open("ben")):
        assert not one.team.joined
        assert level(one) == "allow"
        with pytest.raises(TeamError, match="has not joined a team"):
            one.team.leave()
    dmm.team.join(office.url, office.registry.invite("acme", "shop", "reader"))
    assert level(dmm) == "deny"


def test_a_copy_that_names_no_laptop_lifts_no_rule(office: Office, ben: Dmm) -> None:
    rewrite(ben.team.path, "UPDATE membership SET writer = ''")
    for dmm in (ben, office.open("ben")):
        assert dmm.team.joined
        with pytest.raises(LedgerBroken, match="names no laptop") as told:
            level(dmm)
        assert "dmm team join" in str(told.value.hint)
        assert "dmm team leave" in str(told.value.hint)
        with pytest.raises(LedgerBroken, match="names no laptop"):
            dmm.team.sync()
    ben.team.join(office.url, office.registry.invite("acme", "shop", "reader"))
    assert level(ben) == "deny"


def test_a_copy_that_was_saved_after_an_earlier_departure_lifts_no_rule(
    office: Office, ben: Dmm
) -> None:
    ben.team.leave(keep=False)
    saved = ben.team.path.read_bytes()
    ben.team.join(office.url, office.registry.invite("acme", "shop", "reader"))
    assert level(ben) == "deny"
    for file in ben.team.path.parent.glob("team.db-*"):
        file.unlink()
    ben.team.path.write_bytes(saved)
    with pytest.raises(LedgerBroken, match="names no laptop"):
        level(office.open("ben"))


def delete(dmm: Dmm) -> None:
    for file in dmm.team.path.parent.glob("team.db*"):
        file.unlink()


@pytest.mark.parametrize(
    "harm",
    [
        delete,
        lambda dmm: spoil(dmm, "empty"),
        lambda dmm: spoil(dmm, "no membership"),
        lambda dmm: spoil(dmm, "no database"),
        lambda dmm: rewrite(dmm.team.path, "DELETE FROM event"),
    ],
    ids=["deleted", "empty", "no membership", "no database", "edited"],
)
def test_a_copy_that_can_not_be_used_keeps_no_laptop(
    office: Office, ben: Dmm, harm: Callable[[Dmm], None]
) -> None:
    harm(ben)
    with pytest.raises((LedgerRefused, LedgerBroken)) as told:
        level(ben)
    assert told.value.hint
    left = ben.team.leave()
    assert (left.parted.kept, left.parted.read) == (0, False)
    need_free(office, ben)


def test_a_laptop_that_lost_its_key_leaves_or_joins_again(office: Office, ben: Dmm) -> None:
    for file in credentials(office, "ben"):
        file.unlink()
    for use in (ben.team.sync, ben.team.status):
        with pytest.raises(TeamError, match="key for the team can't be read") as told:
            use()
        assert "dmm team leave" in str(told.value.hint)
    with pytest.raises(LedgerRefused):
        level(office.open("ben"))
    ben.team.join(office.url, office.registry.invite("acme", "shop", "reader"))
    assert level(ben) == "deny"
    for file in credentials(office, "ben"):
        file.unlink()
    left = ben.team.leave()
    assert (left.team, left.told, left.parted.read) == ("", False, False)
    need_free(office, ben)


def test_a_departure_that_broke_off_before_its_end_lifts_nothing_and_is_finished(
    office: Office, ben: Dmm, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise StorageError("the disk is full")

    with monkeypatch.context() as patched:
        patched.setattr(departure, "forget_joined", fail)
        with pytest.raises(StorageError, match="the disk is full"):
            ben.team.leave()
    assert credentials(office, "ben") == []
    with pytest.raises(LedgerBroken, match="names no laptop"):
        level(office.open("ben"))
    left = ben.team.leave()
    assert (left.parted.kept, left.parted.read) == (0, True)
    # The first attempt has recorded it.
    assert level(office.open("ben")) == "deny"
    assert not ben.team.joined


def test_an_answer_that_comes_after_a_departure_brings_no_mark_back(
    office: Office, ben: Dmm
) -> None:
    held = ben.team.credentials()
    assert (
        ben.team.exchange(held, Late(HttpLog.of(held), lambda: ben.team.leave(keep=False))).received
        == 0
    )
    assert not (ben.team.path.parent / "team.seen").exists()
    need_free(office, ben)


def test_a_copy_of_a_later_version_is_a_membership_and_stops_no_redaction(ben: Dmm) -> None:
    seq = ben.ledger.add_constraint("never print canary-secret").seq
    rewrite(ben.team.path, "PRAGMA user_version = 99")
    assert ben.team.joined
    assert ben.redactions.redact([seq], "it leaked").unread == (str(ben.team.path),)
    with pytest.raises(TeamError, match="has version 99"):
        ben.team.leave()
    ben.team.path.unlink()
    ben.team.path.mkdir()
    assert ben.team.joined
    assert ben.redactions.redact([seq], "it leaked").unread == (str(ben.team.path),)
