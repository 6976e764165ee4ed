"""What a person is shown before they decide, and of what is recorded: what others are told."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.team.conftest import rewrite
from tests.team.test_journal import settle

from dmm.domain.event import Trust
from dmm.eventlog.open_ledger import Actor
from dmm.passkeys.acts import PersonAct
from dmm.team.foretelling import foretell, foretell_words, list_shared

if TYPE_CHECKING:
    from tests.team.conftest import Office

    from dmm.bootstrap import Dmm

RULE = "Never push to main"


def propose_rule(dmm: Dmm) -> int:
    """Have an agent propose a rule, which waits for a person."""
    return dmm.as_actor(Actor("agent", "mcp", Trust.AGENT)).ledger.add_constraint(RULE).seq


def test_a_decision_is_foretold_in_words(office: Office) -> None:
    ada = office.laptop("ada")
    seq = propose_rule(ada)
    assert foretell_words(ada.team, PersonAct.ACCEPT_RULE, str(seq)) == (RULE,)
    ends = foretell_words(ada.team, PersonAct.DISABLE_RULE, str(seq))
    assert ends == ("this rule no longer holds",)
    # A file travels by Git, and of what is not there nobody is told.
    assert foretell_words(ada.team, PersonAct.DISABLE_RULE, "never-push-to-main") == ()
    assert foretell_words(ada.team, PersonAct.ACCEPT_RULE, "99") == ()


def test_nothing_is_foretold_without_a_team_or_by_a_role_that_shares_no_rules(
    office: Office,
) -> None:
    for dmm in (office.open("ada"), office.laptop("ben", "contributor")):
        seq = str(propose_rule(dmm))
        assert foretell_words(dmm.team, PersonAct.ACCEPT_RULE, seq) == ()
        assert foretell(dmm.team, PersonAct.ACCEPT_RULE, seq) == ()


def test_an_event_that_is_shared_waits_and_is_sent(office: Office) -> None:
    ada = settle(office, "ada", ["facts"])
    rule = ada.ledger.add_constraint(RULE).seq
    fact = ada.ledger.add_fact("region", "eu-west-1").seq
    # An agent's word stays here.
    ada.as_actor(Actor("agent", "mcp", Trust.AGENT)).ledger.add_fact("color", "green")
    assert list_shared(ada.team, 0, fact) == {}
    assert ada.team.status().unsent == 2
    assert list_shared(ada.team, 0, fact + 9) == {rule: False, fact: False}
    ada.team.sync()
    assert list_shared(ada.team, 0, fact + 9) == {rule: True, fact: True}
    assert list_shared(ada.team, rule, fact) == {fact: True}
    assert list_shared(office.open("ben").team, 0, 9) == {}


def test_a_copy_that_can_not_be_read_shows_nothing_as_shared(office: Office) -> None:
    ada = office.laptop("ada")
    ada.ledger.add_constraint(RULE)
    ada.team.sync()
    rewrite(ada.team.path, "PRAGMA user_version = 99")
    assert list_shared(ada.team, 0, 9) == {}
