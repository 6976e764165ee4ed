"""A process checks what is new in its copy of the log; an edit of the rest has no effect."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from tests.team.conftest import Hall, rewrite

from dmm.errors import LedgerRefused, TeamError
from dmm.team import stored
from dmm.team.chain import Trail
from dmm.team.checked import WHOLE_EVERY, Checked
from dmm.team.port import Page, Taken
from dmm.team.receiving import receive
from dmm.team.replica import Replica

if TYPE_CHECKING:
    from tests.team.conftest import Laptop, Office

    from dmm.bootstrap import Dmm
    from dmm.team.chain import Placed
    from dmm.team.registry import Registry

RULE, NEXT = "never run terraform destroy", "never use telnet"
EDIT = """UPDATE event SET payload = replace(payload, 'never', 'always') WHERE seq = 3"""


def texts(dmm: Dmm) -> list[str]:
    return [one.text for one in dmm.base.team_rules()]


def joined_after_two_rules(registry: Registry) -> Laptop:
    """A laptop whose team has two rules, none of which it has pulled."""
    hall = Hall(registry, "acme")
    ada, ben = hall.join(), hall.join()
    ada.say(RULE)
    ada.say(NEXT)
    ada.log.push(ada.batch())
    return ben


@pytest.fixture
def pair(office: Office) -> tuple[Dmm, Dmm]:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    ada.ledger.add_constraint(RULE)
    ada.team.sync()
    ben.team.sync()
    assert texts(ben) == [RULE]
    return ada, ben


def test_only_what_is_new_is_read_again(pair: tuple[Dmm, Dmm]) -> None:
    ada, ben = pair
    checked = ben.team.checked
    known = checked.known
    assert known is not None
    assert (known.trail.head.seq, ben.base.team_rules.checked) == (3, checked)
    ada.ledger.add_constraint(NEXT)
    ada.team.sync()
    ben.team.sync()
    assert texts(ben) == [RULE, NEXT]
    assert checked.known is known
    assert known.trail.head.seq == 4


def test_an_edit_of_what_was_checked_has_no_effect_and_is_found_by_the_next_process(
    pair: tuple[Dmm, Dmm], office: Office
) -> None:
    ada, ben = pair
    rewrite(ben.team.path, EDIT)
    ada.ledger.add_constraint(NEXT)
    ada.team.sync()
    ben.team.sync()
    assert texts(ben) == [RULE, NEXT]
    # As a process that starts does, whether or not a daemon ran at the time of the edit.
    other = office.open("ben")
    with pytest.raises(LedgerRefused, match="event 3 of the team log: it does not match its hash"):
        other.base.team_rules()
    with pytest.raises(TeamError, match="event 3 of the team log"):
        other.team.status()


def test_an_edit_is_found_by_the_check_of_the_whole(pair: tuple[Dmm, Dmm]) -> None:
    _, ben = pair
    held = ben.team.credentials()
    now = [0.0]
    checked = Checked(lambda: now[0])
    with Replica.opened(ben.team.path) as replica:
        replica.check(held, checked)
        rewrite(ben.team.path, EDIT)
        now[0] = WHOLE_EVERY - 1
        replica.check(held, checked)
        now[0] = WHOLE_EVERY
        for _ in range(2):
            with pytest.raises(TeamError, match="event 3 of the team log: it does not match"):
                replica.check(held, checked)
        assert checked.known is None


def test_a_log_of_many_pages_is_proved_once_while_it_is_received(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "MOST_PULLED", 2)
    hall = Hall(registry, "acme")
    ada, ben = hall.join(), hall.join()
    for number in range(20):
        ada.say(f"never use tool {number}")
    assert isinstance(ada.log.push(ada.batch()), Taken)
    proved: list[bool] = []
    take = Trail._take

    def note(trail: Trail, one: Placed, *, signed: bool) -> None:
        proved.append(signed)
        take(trail, one, signed=signed)

    monkeypatch.setattr(Trail, "_take", note)
    checked = Checked()
    with Replica.in_memory() as replica:
        replica.join(ben.joined.writer, 0)
        done, end = receive(replica, ben.credentials(), ben.log, checked)
        assert (done.received, end, proved) == (22, 22, [True] * 22)
        # Then once more up to the end that the server signed, for what it adds up to.
        replica.check(ben.credentials(), checked)
        assert proved == [True] * 22 + [False] * 22


def test_a_page_that_is_refused_leaves_nothing_behind(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "MOST_PULLED", 2)
    ben = joined_after_two_rules(registry)
    held, checked = ben.credentials(), Checked()
    first, last = ben.log.pull(0), ben.log.pull(2)
    assert isinstance(first, Page)
    assert isinstance(last, Page)
    good, bad = last.placed
    forged = replace(last, placed=(good, replace(bad, entry=replace(bad.entry, payload="{}"))))
    with Replica.in_memory() as replica:
        replica.join(ben.joined.writer, 0)
        assert replica.receive(held, first, 0, checked) == 2
        with pytest.raises(TeamError, match="event 4 of the team log"):
            replica.receive(held, forged, 2, checked)
        assert replica.trail(held, checked).head.seq == 2
        assert replica.receive(held, last, 2, checked) == 2


def test_a_part_that_no_signed_end_covers_and_that_was_edited_is_found_at_its_end(
    registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stored, "MOST_PULLED", 3)
    ben = joined_after_two_rules(registry)
    held, checked = ben.credentials(), Checked()
    with Replica.in_memory() as replica:
        replica.join(ben.joined.writer, 0)
        for after in (0, 3):
            page = ben.log.pull(after)
            assert isinstance(page, Page)
            replica.receive(held, page, after, checked)
            replica._connection.execute(EDIT)
        with pytest.raises(TeamError, match="event 3 of the team log: it does not match"):
            replica.check(held, checked)


@pytest.mark.parametrize(
    ("what", "named"),
    [
        ("DELETE FROM event WHERE seq = 2", "event 2 is missing"),
        (
            "UPDATE event SET hash = substr(hash, 2) || substr(hash, 1, 1) WHERE seq = 3",
            "does not continue",
        ),
        ("DELETE FROM event WHERE seq = 3", "was changed on this laptop"),
        (
            "UPDATE membership SET signature = substr(signature, 2) || substr(signature, 1, 1)",
            "was changed on this",
        ),
    ],
)
def test_what_is_dropped_or_no_longer_signed_is_found_at_once(
    pair: tuple[Dmm, Dmm], what: str, named: str
) -> None:
    _, ben = pair
    rewrite(ben.team.path, what)
    with pytest.raises(LedgerRefused, match=named):
        ben.base.team_rules()
    # The rules of before go on in this process.
    assert [one.text for one in ben.base.team_rules._held] == [RULE]


def test_what_was_checked_of_one_copy_counts_for_no_other(
    pair: tuple[Dmm, Dmm], office: Office
) -> None:
    _, ben = pair
    known = ben.team.checked.known
    ben.team.leave(keep=False)
    assert texts(ben) == []
    ben.team.join(office.url, office.registry.invite("acme", "shop", "reader"))
    assert texts(ben) == [RULE]
    assert known is not None
    held = replace(ben.team.credentials(), server_key="0" * 64)
    with (
        Replica.opened(ben.team.path) as replica,
        pytest.raises(TeamError, match="was changed on this laptop"),
    ):
        replica.check(held, Checked(known=known))
