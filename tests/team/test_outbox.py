"""What a laptop can't prove is taken out of its outbox and holds nothing else up."""

from __future__ import annotations

import contextlib
import hashlib
import json
import sqlite3
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pytest
from tests.team.conftest import Deaf
from tests.team.test_approvals import ADDED, OTHER, RULE, confirm, hold_passkey
from tests.team.test_journal import settle
from tests.team.test_persons import hold, make_key

from dmm.cli.team import _lines as tell_standing
from dmm.domain.frozen import frozen
from dmm.errors import StorageError, TeamError
from dmm.passkeys.acts import PersonAct, digest_text
from dmm.passkeys.keyring import FILE, Keyring
from dmm.passkeys.webauthn import encode
from dmm.server.body import LARGEST_BODY
from dmm.team.chain import digest
from dmm.team.client import HttpLog
from dmm.team.foretelling import foretell
from dmm.team.persons import describe_passkeys
from dmm.team.port import MOST_WRITTEN
from dmm.team.proofs import PROOF
from dmm.team.replica import Replica

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from tests.passkeys.authenticator import Authenticator
    from tests.team.conftest import Office

    from dmm.bootstrap import Dmm
    from dmm.passkeys.keyring import Signed
    from dmm.team.port import Batch, Outcome, Page, Revoked


@dataclass(frozen=True, slots=True)
class Cut:
    """The log over a line that breaks before the server gets what is sent."""

    log: HttpLog

    def push(self, batch: Batch) -> Outcome:
        if not batch.entries:
            return self.log.push(batch)
        raise TeamError("unreachable", "the line broke")

    def pull(self, after: int) -> Page | Revoked:
        return self.log.pull(after)


def offer(dmm: Dmm, line: type[Cut | Deaf]) -> None:
    """Send what waits over a line that breaks."""
    held = dmm.team.credentials()
    with pytest.raises(TeamError, match="the line broke"):
        dmm.team.push(held, line(HttpLog.of(held)))


def tell_passkey(office: Office, dmm: Dmm, *keys: Authenticator, scoped: bool = True) -> None:
    """Tell the server of passkeys, as this version or the one before does."""
    held = dmm.team.credentials()
    told = describe_passkeys(held.log, held.writer, held.key, map(hold, keys))
    if not scoped:
        words = ("passkey", *held.log, held.writer)
        told = tuple(
            replace(
                one,
                scope="",
                signature=held.key.sign(digest(*words, one.id, one.key, one.page)),
            )
            for one in told
        )
    office.registry.enrol(*held.log, held.writer, told)


def add_line(dmm: Dmm, told: Mapping[str, object]) -> None:
    """Add a line to the record of passkeys, as any process of the user can."""
    path = dmm.team.keyring.folder / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = path.read_text().splitlines() if path.exists() else []
    last = hashlib.sha256(lines[-1].encode()).hexdigest() if lines else "0" * 64
    lines.append(json.dumps({**told, "previous": last}, sort_keys=True))
    path.write_text("".join(f"{line}\n" for line in lines))


def forge(dmm: Dmm, name: str, text: str) -> None:
    """Add an answer to a rule's statement that no passkey gave."""
    shared = foretell(dmm.team, PersonAct.CONSTRAINT, "required", [text])
    proof = dict.fromkeys(("client_data", "authenticator_data", "signature"), "AA")
    about = {"type": "used", "at": "", "id": name, "counter": 0, "blind": "AA", "proof": proof}
    add_line(dmm, about | {"shared": [digest_text(one) for one in shared]})


def be_refused(dmm: Dmm) -> None:
    """Learn from the server that a passkey has to confirm what waits."""
    with pytest.raises(TeamError, match="no passkey of its user confirmed it"):
        dmm.team.sync()


def sync(dmm: Dmm) -> tuple[int, int]:
    """Exchange; return how many decisions are unproved, and how many entries wait."""
    dmm.team.sync()
    standing = dmm.team.status()
    assert standing.fault == ""
    return standing.unproven, standing.unsent


def shared_types(dmm: Dmm) -> list[tuple[str, bool]]:
    return [(one.type, one.proved) for one in dmm.team.log() if one.writer != "server"]


def sent_payloads(dmm: Dmm) -> list[dict[str, str]]:
    held = dmm.team.credentials()
    with Replica.opened(dmm.team.path) as replica:
        own = [one.entry for one in replica.events() if one.entry.writer == held.writer]
    return [json.loads(one.payload) for one in own]


def test_no_more_is_sent_at_once_than_a_server_reads(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    ada = settle(office, "ada", ["facts"])
    for number in range(30):
        ada.ledger.add_fact(f"quotes-{number}", '"' * 1_000)
    monkeypatch.setattr("dmm.server.app.LARGEST_BODY", LARGEST_BODY // 100)
    monkeypatch.setattr("dmm.team.port.MOST_WRITTEN", MOST_WRITTEN // 100)
    assert sync(ada) == (0, 0)
    assert len(sent_payloads(ada)) == 30


def test_an_unproved_decision_that_was_offered_before_holds_nothing_up(office: Office) -> None:
    ada, key = settle(office, "ada", ["facts"]), make_key()
    hold_passkey(ada, key)
    held = ada.team.credentials()
    ada.team.push(held, HttpLog.of(held))
    # The team knows the passkey; this laptop has not read that yet.
    ada.ledger.add_fact("region", "eu")
    ada.ledger.add_constraint(RULE["text"])
    offer(ada, Cut)
    ada.ledger.add_fact("zone", "b")
    confirm(ada, key, PersonAct.CONSTRAINT, "required", [OTHER["text"]])
    ada.ledger.add_constraint(OTHER["text"])
    be_refused(ada)
    assert sync(ada) == (1, 0)
    assert shared_types(ada) == [("FactAdded", False), ("FactAdded", False), (ADDED, True)]


def test_a_decision_that_the_server_took_before_the_passkey_is_not_sealed_anew(
    office: Office,
) -> None:
    ada = settle(office, "ada", ["facts"])
    ada.ledger.add_constraint(RULE["text"])
    offer(ada, Deaf)
    ada.ledger.add_constraint(OTHER["text"])
    offer(ada, Cut)
    key = make_key()
    hold_passkey(ada, key)
    tell_passkey(office, ada, key)
    ada.ledger.add_fact("region", "eu")
    be_refused(ada)
    assert sync(ada) == (1, 0)
    assert shared_types(ada) == [(ADDED, False), ("FactAdded", False)]


@pytest.mark.parametrize("told", [True, False])
def test_an_answer_that_does_not_hold_is_passed_over(office: Office, told: bool) -> None:
    ada, key = settle(office, "ada", ["facts"]), make_key()
    hold_passkey(ada, key)
    if told:
        ada.team.sync()
        ada.team.sync()
    for name in (encode(key.id), "not an id!"):
        forge(ada, name, RULE["text"])
        forge(ada, name, OTHER["text"])
    confirm(ada, key, PersonAct.CONSTRAINT, "required", [RULE["text"]])
    ada.ledger.add_constraint(RULE["text"])
    ada.ledger.add_constraint(OTHER["text"])
    ada.ledger.add_fact("region", "eu")
    assert sync(ada) == (int(told), 0)
    alone = [] if told else [(ADDED, False)]
    assert shared_types(ada) == [(ADDED, told), *alone, ("FactAdded", False)]
    # The answer that holds goes along also before the team knows the passkey.
    assert [PROOF in one for one in sent_payloads(ada)] == [True, *[False] * len(alone), False]


def test_without_a_passkey_no_answer_is_shared(office: Office) -> None:
    ada = settle(office, "ada", [])
    forge(ada, "not an id!", RULE["text"])
    ada.ledger.add_constraint(RULE["text"])
    assert sync(ada) == (0, 0)
    assert [PROOF in one for one in sent_payloads(ada)] == [False]


def test_an_entry_whose_proof_no_longer_holds_is_proved_anew_or_withdrawn(
    office: Office,
) -> None:
    ada, one, two = settle(office, "ada", ["facts"]), make_key(), make_key()
    tell_passkey(office, ada, one, scoped=False)
    held = ada.team.credentials()
    ada.team.exchange(held, HttpLog.of(held))
    # The user has replaced the passkey that the version before told, and comes back to it.
    hold_passkey(ada, two)
    for text in (RULE["text"], OTHER["text"]):
        confirm(ada, two, PersonAct.CONSTRAINT, "required", [text])
        ada.ledger.add_constraint(text)
    assert ada.team.status().unsent == 2
    (ada.team.keyring.folder / FILE).unlink()
    hold_passkey(ada, one)
    confirm(ada, one, PersonAct.CONSTRAINT, "required", [OTHER["text"]])
    tell_passkey(office, ada, one)
    ada.ledger.add_fact("region", "eu")
    ada.team.exchange(held, HttpLog.of(held))
    assert sync(ada) == (1, 0)
    assert shared_types(ada) == [(ADDED, True), ("FactAdded", False)]


@frozen
class Watched(Keyring):
    """Passkeys whose answers are read while another process may write the laptop's team.db."""

    team: Path
    reads: list[int] = field(default_factory=list)

    def shared(self) -> Iterator[tuple[Signed, tuple[str, ...], str]]:
        with contextlib.closing(sqlite3.connect(self.team, timeout=0)) as other:
            other.execute("BEGIN IMMEDIATE")
            other.rollback()
        self.reads.append(1)
        return Keyring.shared(self)


def test_answers_are_read_once_and_nobody_waits_meanwhile(office: Office) -> None:
    ada, key = settle(office, "ada", ["facts"]), make_key()
    hold_passkey(ada, key)
    ada.team.sync()
    ada.team.sync()
    held, ring = ada.team.credentials(), Watched(ada.team.keyring.folder, ada.team.path)

    def collect() -> int:
        with Replica.opened(ada.team.path) as replica:
            return replica.collect(held, ada.team.ledger.reading, ["facts"], ring)

    ada.ledger.add_fact("region", "eu")
    assert (collect(), ring.reads) == (1, [])
    texts = [f"Never use number {one}" for one in range(5)]
    confirm(ada, key, PersonAct.CONSTRAINT, "required", texts[:2])
    for text in texts:
        ada.ledger.add_constraint(text)
    assert (collect(), ring.reads) == (2, [1])
    assert (collect(), ring.reads) == (0, [1])
    assert ada.team.status().unproven == 3


def test_a_record_of_passkeys_that_can_not_be_read_keeps_nobody_from_receiving_or_leaving(
    office: Office,
) -> None:
    ada, ben = settle(office, "ada", ["facts"]), office.laptop("ben")
    key = make_key()
    hold_passkey(ada, key)
    ada.team.sync()
    path = ada.team.keyring.folder / FILE
    record = path.read_text()
    path.write_text("{}\n")
    ada.ledger.add_fact("region", "eu")
    ben.ledger.add_constraint(RULE["text"])
    ben.team.sync()
    # What needs no proof is sent.
    assert (ada.team.sync().sent, len(ada.team.status().rules)) == (1, 1)
    ada.ledger.add_constraint(OTHER["text"])
    ben.ledger.add_constraint("Never rebase")
    ben.team.sync()
    with pytest.raises(StorageError, match="changed outside DMM"):
        ada.team.sync()
    standing = ada.team.status()
    assert (len(standing.rules), standing.passkeys, standing.foreign) == (2, 1, 0)
    assert "the record of your passkeys was changed outside DMM; see docs" in standing.fault
    # Back again, it is read, and the decision was not passed over meanwhile.
    path.write_text(record)
    confirm(ada, key, PersonAct.CONSTRAINT, "required", [OTHER["text"]])
    assert (ada.team.sync().sent, ada.team.status().fault) == (1, "")
    path.write_text("{}\n")
    assert (ada.team.leave().told, ada.team.joined) == (True, False)


def test_status_says_how_an_unproved_decision_is_shared_and_that_way_works(office: Office) -> None:
    ada, ben, key = settle(office, "ada", []), office.laptop("ben"), make_key()
    hold_passkey(ada, key)
    sync(ada)
    ada.team.sync()
    seq = ada.ledger.add_constraint(RULE["text"]).seq
    assert sync(ada) == (1, 0)
    shown = " ".join(" ".join(tell_standing(ada.team.status())).split())
    assert "! 1 decision not shared" in shown
    assert "to share a rule, disable it and add it again" in shown
    confirm(ada, key, PersonAct.DISABLE_RULE, str(seq))
    ada.rules.disable(str(seq))
    confirm(ada, key, PersonAct.CONSTRAINT, "required", [RULE["text"]])
    again = ada.ledger.add_constraint(RULE["text"]).seq
    assert sync(ada) == (1, 0)
    ben.team.sync()
    (rule,) = ben.team.status().rules
    assert (rule.text, rule.proved) == (RULE["text"], True)
    # Lifted here without a proof, it holds for others until the server lifts it.
    ada.rules.disable(str(again))
    assert sync(ada) == (2, 0)
    ben.team.sync()
    assert len(ben.team.status().rules) == 1
    assert office.registry.lift("acme", "shop", rule.seq)
    ben.team.sync()
    assert ben.team.status().rules == ()
