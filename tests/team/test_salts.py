"""The proof of one decision says nothing of the others that were confirmed with it."""

from __future__ import annotations

import json
import secrets
from typing import TYPE_CHECKING

import pytest
from tests.team.test_approvals import (
    ADDED,
    CANARY,
    OTHER,
    RULE,
    Reviewer,
    confirm,
    hold_passkey,
    say_all,
    says_passkey,
)
from tests.team.test_chain import ADA, LOG, SERVER_KEY, place, server_says, tell_joined
from tests.team.test_journal import settle
from tests.team.test_persons import make_key

from dmm.domain.event import Trust, canonical
from dmm.errors import TeamError
from dmm.eventlog.open_ledger import Actor
from dmm.passkeys.acts import Act, PersonAct, challenge_shared, digest_text
from dmm.passkeys.keyring import Signed
from dmm.team.chain import JOINED, Trail, WriterHead
from dmm.team.database import SCHEMA_VERSION
from dmm.team.proofs import PROOF, Approval, state
from dmm.team.roles import OWNER

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.passkeys.authenticator import Authenticator
    from tests.team.conftest import Hall, Office

# The version of the tables that has them.
SALTED = 10


def prove_as_before(
    log: tuple[str, str], writer: str, key: Authenticator, *told: Mapping[str, str]
) -> list[dict[str, str]]:
    """Confirm some rules as the version before did, without salts."""
    items = tuple(digest_text(state(log, writer, ADDED, one)) for one in told)
    own = Act("terminal", CANARY).blind(secrets.token_bytes(32))
    signed = Signed(own, key.sign(challenge_shared(own, items)))
    return [{**one, PROOF: Approval(signed, items).write()} for one in told]


def test_what_was_confirmed_together_and_not_sent_can_not_be_guessed(office: Office) -> None:
    ada, key = settle(office, "ada", []), make_key()
    hold_passkey(ada, key)
    ada.team.sync()
    ada.team.sync()
    agent = ada.as_actor(Actor("agent", "mcp", Trust.AGENT))
    secret = agent.ledger.add_constraint("Deploy to box-4711 alone").seq
    other = agent.ledger.add_constraint("Never rebase").seq
    shared = confirm(ada, key, PersonAct.ACCEPT_RULE, f"{secret},{other}")
    ada.rules.accept([str(secret), str(other)])
    ada.redactions.redact([secret], "so")
    assert ada.team.sync().sent == 1
    sent = [one.entry.payload for one in ada.team._copy(ada.team.credentials(), ada.team.checked)]
    (proof,) = [json.loads(json.loads(one)[PROOF]) for one in sent if PROOF in json.loads(one)]
    (hidden,) = [one for one in shared if "4711" in one]
    (told,) = [one for one in shared if "4711" not in one]
    assert len(proof["items"].split(",")) == 2
    # Its own salt opens its own words alone.
    assert digest_text(f"{proof['salt']} {told}") in proof["items"]
    for guess in (hidden, f"{proof['salt']} {hidden}"):
        assert digest_text(guess) not in proof["items"]


def test_proofs_of_the_version_before_stay_valid(hall: Hall) -> None:
    ada = Reviewer(hall, hall.join("reviewer"))
    ada.enrol()
    for old in prove_as_before(ada.log, ada.laptop.joined.writer, ada.key, RULE, OTHER):
        assert ada.push(old) == ""
        assert "used before" in ada.push(old)
    joined = server_says((), JOINED, tell_joined("ada", WriterHead(ADA.public, OWNER)))
    said = [joined, says_passkey(ada.key, (joined,), "approvals")]
    proved = prove_as_before(LOG, "ada", ada.key, RULE, OTHER)
    Trail(SERVER_KEY.public, LOG).follow(place([*said, *say_all(*proved)]))
    with pytest.raises(TeamError, match="used before"):
        Trail(SERVER_KEY.public, LOG).follow(place([*said, *say_all(proved[0], *proved)]))


def test_a_salt_is_for_its_own_statement_and_written_in_one_way(hall: Hall) -> None:
    ada = Reviewer(hall, hall.join("reviewer"))
    ada.enrol()
    one, two = ada.prove(RULE, OTHER)
    for salt in (json.loads(two[PROOF])["salt"], "0" * 32):
        other = canonical(json.loads(one[PROOF]) | {"salt": salt})
        assert "confirmed something else" in ada.push({**RULE, PROOF: other})
    for field, value in (("salt", ""), ("salt", "A" * 32), ("salt", 7), ("id", 7)):
        wrong = canonical(json.loads(one[PROOF]) | {field: value})
        assert "private field" in ada.push({**RULE, PROOF: wrong})
    assert (ada.push(one), ada.push(two)) == ("", "")
    # A server of the version before would take them for none.
    with pytest.raises(TeamError, match="salted proofs are unknown before it"):
        hall.registry.database.migrate(SALTED - 1)
    assert hall.registry.database.version() == SCHEMA_VERSION
