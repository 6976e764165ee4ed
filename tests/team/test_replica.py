"""A laptop's copy of the log: read in parts, found by writer, and never sent in circles."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest
from tests.team.conftest import rewrite

from dmm.errors import TeamError
from dmm.team import replica_tables as tables
from dmm.team.client import HttpLog
from dmm.team.port import Gap
from dmm.team.replica import Replica

if TYPE_CHECKING:
    from tests.team.conftest import Office

    from dmm.bootstrap import Dmm
    from dmm.team.port import Batch, Outcome, Page, Revoked

RULES = [f"Never use port {number}" for number in range(8000, 8007)]


def share(office: Office) -> tuple[Dmm, Dmm]:
    ada, ben = office.laptop("ada"), office.laptop("ben")
    for text in RULES:
        ada.ledger.add_constraint(text)
    ada.team.sync()
    return ada, ben


def test_a_log_is_read_and_checked_in_parts(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, ben = share(office)
    monkeypatch.setattr("dmm.team.replica.READ_AT_ONCE", 2)
    ben.team.sync()
    assert [one.text for one in ben.team.status().rules] == RULES
    with Replica.opened(ben.team.path) as replica:
        assert [one.seq for one in replica.events()] == list(range(1, len(RULES) + 3))
        assert [one.seq for one in replica.events(len(RULES))] == [len(RULES) + 1, len(RULES) + 2]
        assert [*replica.events(len(RULES) + 2)] == []
    # Another process checks all of it, also where it was changed.
    rewrite(ben.team.path, "UPDATE event SET payload = '{}' WHERE seq = 6")
    with pytest.raises(TeamError, match="event 6 of the team log: it does not match its hash"):
        office.open("ben").team.status()


@pytest.mark.parametrize("statement", ["HELD", "SENT", "ROLE", "PASSKEYS"])
def test_what_is_asked_once_a_second_reads_no_more_of_a_log_than_it_needs(
    office: Office, statement: str
) -> None:
    _, ben = share(office)
    asked = getattr(tables, statement)
    values = ["x"] * (1 if "?1" in asked else asked.count("?"))
    with Replica.opened(ben.team.path) as replica:
        plan = [str(row[3]) for row in replica._rows(f"EXPLAIN QUERY PLAN {asked}", *values)]
    looked = [one for one in plan if " event" in one]
    assert looked
    assert all("event_of_writer" in one for one in looked), plan


def test_a_copy_of_an_earlier_build_gets_the_index(office: Office) -> None:
    _, ben = share(office)
    rewrite(ben.team.path, "DROP INDEX event_of_writer")
    ben.team.sync()
    with Replica.opened(ben.team.path) as replica:
        assert replica._rows(tables.INDEXED)
    assert [one.text for one in ben.team.status().rules] == RULES


@dataclass(frozen=True, slots=True)
class Circling:
    """A server that always asks for what comes before."""

    log: HttpLog
    asked: int

    def push(self, batch: Batch) -> Outcome:
        return Gap(self.asked) if batch.entries else self.log.push(batch)

    def pull(self, after: int) -> Page | Revoked:
        return self.log.pull(after)


@pytest.mark.parametrize("asked", [-1, 0, 1, 2])
def test_a_server_that_asks_for_an_event_that_never_was_is_told_once(
    office: Office, asked: int
) -> None:
    ada = office.laptop("ada")
    ada.ledger.add_constraint(RULES[0])
    held = ada.team.credentials()
    with pytest.raises(TeamError, match=f"the server expects event {asked} of this laptop"):
        ada.team.push(held, Circling(HttpLog.of(held), asked))
    assert ada.team.sync().sent == 1
