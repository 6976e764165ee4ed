"""The team log: one contract for SQLite and PostgreSQL, in process and over HTTP."""

from __future__ import annotations

import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from dmm.errors import TeamError
from dmm.eventlog.chain import Head
from dmm.team import admission
from dmm.team.chain import Trail, is_checkpoint
from dmm.team.keys import is_signed
from dmm.team.port import (
    MOST_PULLED,
    MOST_PUSHED,
    Batch,
    Forked,
    Gap,
    Page,
    Refused,
    Revoked,
    Taken,
)

if TYPE_CHECKING:
    from tests.team.conftest import Hall, Laptop

    from dmm.team.chain import Placed


def read_all(laptop: Laptop) -> list[Placed]:
    """Read the whole log, and prove it."""
    trail = Trail(laptop.joined.server_key, (laptop.joined.team, laptop.joined.project))
    found: list[Placed] = []
    while True:
        page = laptop.log.pull(trail.head.seq)
        assert isinstance(page, Page)
        trail.follow(page.placed)
        found += page.placed
        if trail.head.seq == page.head.seq:
            assert trail.head == Head(page.head.seq, page.head.hash)
            joined = laptop.joined
            assert is_checkpoint(joined.server_key, joined.team, joined.project, page.head)
            return found


def test_what_is_pushed_is_pulled_by_all_in_the_order_of_the_server(hall: Hall) -> None:
    ada, ben = hall.join(), hall.join()
    first, second = ada.say("never push to main"), ben.say("never use eval")
    third = ada.say("never run terraform destroy")
    assert ada.log.push(ada.batch(1, 1)) == Taken(2)
    assert ben.log.push(ben.batch()) == Taken(2)
    assert ada.log.push(ada.batch(2)) == Taken(3)
    for laptop in (ada, ben):
        events = read_all(laptop)
        assert [one.seq for one in events] == [1, 2, 3, 4, 5]
        assert [one.entry for one in events[2:]] == [first, second, third]


def test_a_second_push_of_the_same_events_changes_nothing(hall: Hall) -> None:
    ada = hall.join()
    for number in range(3):
        ada.say(f"never call number {number}")
    assert ada.log.push(ada.batch(1, 2)) == Taken(3)
    assert ada.log.push(ada.batch(1, 2)) == Taken(3)
    assert ada.log.push(ada.batch()) == Taken(4)
    assert [one.entry.wseq for one in read_all(ada)[1:]] == [1, 2, 3]


def test_nobody_waits_while_the_signatures_of_another_are_checked(
    hall: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada, ben = hall.join(), hall.join()
    ada.say("never push to main")
    between = [ben.say("never use eval")]

    def check(key: str, text: str, signature: str) -> bool:
        if between:
            between.clear()
            assert ben.log.push(ben.batch()) == Taken(2)
        return is_signed(key, text, signature)

    monkeypatch.setattr(admission, "is_signed", check)
    assert ada.log.push(ada.batch()) == Taken(2)
    assert [one.entry.writer for one in read_all(ada)[2:]] == [ben.joined.writer, ada.joined.writer]


def test_events_before_a_batch_that_are_missing_are_asked_for(hall: Hall) -> None:
    ada = hall.join()
    for number in range(3):
        ada.say(f"never call number {number}")
    assert ada.log.push(ada.batch(3)) == Gap(1)
    assert ada.log.push(ada.batch(1, 1)) == Taken(2)
    assert ada.log.push(ada.batch(3)) == Gap(2)


def test_a_laptop_that_was_restored_and_went_on_is_found_to_have_forked(hall: Hall) -> None:
    ada = hall.join()
    ada.say("never push to main")
    ada.say("never use eval")
    assert ada.log.push(ada.batch()) == Taken(3)
    del ada.said[1:]
    ada.say("never use exec", id="another")
    assert ada.log.push(ada.batch(2)) == Forked(2)
    ada.say("never use sudo", id="one-more")
    assert ada.log.push(ada.batch(3)) == Forked(2)
    assert len(read_all(ada)) == 3


def test_a_laptop_that_was_removed_can_neither_push_nor_pull(hall: Hall) -> None:
    ada, ben = hall.join(), hall.join()
    ada.say("never push to main")
    assert ada.log.push(ada.batch()) == Taken(2)
    assert hall.registry.revoke(hall.team, "shop", ada.joined.writer)
    assert not hall.registry.revoke(hall.team, "shop", ada.joined.writer)
    ada.say("never use eval")
    assert ada.log.push(ada.batch(2)) == Revoked()
    assert ada.log.pull(0) == Revoked()
    assert [one.entry.type for one in read_all(ben)][-2:] == ["ConstraintAdded", "WriterRevoked"]


def test_the_server_itself_and_who_never_joined_can_not_be_removed(hall: Hall) -> None:
    ada = hall.join()
    for writer in ("server", "0123456789abcdef"):
        with pytest.raises(TeamError, match=f"there is no writer {writer}"):
            hall.registry.revoke(hall.team, "shop", writer)
    assert len(read_all(ada)) == 1


def test_a_reader_can_pull_and_not_push(hall: Hall) -> None:
    eve = hall.join("reader")
    eve.say("never push to main")
    assert eve.log.push(eve.batch()) == Refused("a reader can't share or lift rules")
    assert len(read_all(eve)) == 1


def test_an_event_is_refused_unless_its_writer_made_and_signed_it(hall: Hall) -> None:
    ada, ben = hall.join(), hall.join()
    said = ada.say("never push to main")
    other = ben.key.sign(said.whash)
    no_hash = replace(said, payload=said.payload.replace("main", "prod"))
    cases = {
        "event 1 is not signed by its writer": replace(said, signature=other),
        "event 1 does not match its hash": no_hash,
        "an event of another writer": replace(said, writer=ben.joined.writer),
    }
    for why, forged in cases.items():
        assert ada.log.push(Batch(Head().hash, (forged,))) == Refused(why)
    assert ada.log.push(ada.batch()) == Taken(2)


def test_an_event_of_a_private_type_or_field_is_refused(hall: Hall) -> None:
    ada = hall.join()
    why = "an event of a private type or with a private field"
    ada.say("never push to main", task="what the user asked")
    assert ada.log.push(ada.batch()) == Refused(why)
    ada.said[0] = replace(ada.said[0], type="UserMessageReceived")
    assert ada.log.push(ada.batch()) == Refused(why)


def test_an_event_is_taken_once_whoever_sends_it_again(hall: Hall) -> None:
    ada, ben = hall.join(), hall.join()
    ada.say("never push to main", id="the-same")
    ben.say("never push to main", id="the-same")
    assert ada.log.push(ada.batch()) == Taken(2)
    why = "an event that the log already holds, under another number"
    assert ben.log.push(ben.batch()) == Refused(why)
    assert len(read_all(ben)) == 3


def test_a_long_log_comes_in_pages(hall: Hall) -> None:
    ada = hall.join()
    for number in range(2 * MOST_PUSHED + 50):
        ada.say(f"never call number {number}")
    for start in (1, MOST_PUSHED + 1, 2 * MOST_PUSHED + 1):
        assert isinstance(ada.log.push(ada.batch(start, start + MOST_PUSHED - 1)), Taken)
    page = ada.log.pull(0)
    assert isinstance(page, Page)
    assert len(page.placed) == MOST_PULLED
    assert len(read_all(ada)) == len(ada.said) + 1


def test_laptops_that_push_at_once_lose_nothing_and_leave_no_gap(hall: Hall) -> None:
    laptops = [hall.join() for _ in range(4)]
    faults: list[object] = []

    def push(laptop: Laptop) -> None:
        for number in range(5):
            laptop.say(f"never call number {number}")
            outcome = laptop.log.push(laptop.batch(number + 1))
            if outcome != Taken(number + 2):
                faults.append(outcome)

    threads = [threading.Thread(target=push, args=(one,)) for one in laptops]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    events = read_all(laptops[0])
    assert len(events) == 4 + 4 * 5
    for laptop in laptops:
        own = [one.entry for one in events if one.entry.writer == laptop.joined.writer]
        assert own == laptop.said


def test_another_teams_log_is_as_if_it_did_not_exist(hall: Hall) -> None:
    other = f"{hall.team}-b"
    hall.registry.add(other, "shop")
    ada, zoe = hall.join(), hall.join(team=other)
    ada.say("never push to main CANARY")
    assert ada.log.push(ada.batch()) == Taken(2)
    assert "CANARY" not in str(read_all(zoe))
    team, writer, secret = ada.joined.token.split(".")
    for token in (f"{other}.{writer}.{secret}", f"{team}.{writer}.{'0' * 64}", "", "..", other):
        assert hall.registry.open(token) is None


def test_an_invitation_is_good_once(hall: Hall) -> None:
    invitation = hall.registry.invite(hall.team, "shop", "reader")
    key = hall.join().key.public
    hall.registry.join(invitation, key, "first")
    with pytest.raises(TeamError, match="wrong, used or expired"):
        hall.registry.join(invitation, key, "second")
