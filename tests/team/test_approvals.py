"""What a person decides for others is proved by their passkey, on the server and on laptops."""

from __future__ import annotations

import datetime as dt
import json
import re
import secrets
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.cli.conftest import Typed
from tests.passkeys.authenticator import Authenticator, write_cbor
from tests.team.conftest import rewrite
from tests.team.test_chain import ADA, AT, LOG, SERVER_KEY, place, server_says, tell_joined
from tests.team.test_journal import settle
from tests.team.test_kinds import FAST, SLOW, find_open
from tests.team.test_log import read_all
from tests.team.test_persons import Owner, hold, make_key

from dmm.cli.batch import INSIST
from dmm.cli.team import _lines
from dmm.domain.event import Trust, canonical
from dmm.errors import ProofRefused, TeamError, UsageError
from dmm.eventlog.chain import Head
from dmm.eventlog.open_ledger import Actor
from dmm.passkeys.acts import Act, PersonAct, digest_text, make_nonce
from dmm.passkeys.keyring import Signed
from dmm.passkeys.service import Persons, Proof
from dmm.passkeys.webauthn import Made, Place, encode, read_made
from dmm.review.writing import Writing
from dmm.team.chain import JOINED, PASSKEY, Trail, WriterHead, digest, seal
from dmm.team.confirming import forget_used
from dmm.team.folding import Fold
from dmm.team.foretelling import foretell, foretell_proved
from dmm.team.persons import describe_passkeys, tell_line
from dmm.team.port import Page, Refused, Taken
from dmm.team.proofs import PROOF, Approval, Enrolled, check_answer, state
from dmm.team.roles import OWNER
from dmm.team.stored import now
from dmm.team.told import Told

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.team.conftest import Hall, Office

    from dmm.bootstrap import Dmm
    from dmm.team.chain import Entry

RULE = {"text": "Never push to main", "priority": "required"}
OTHER = {"text": "Never force-push", "priority": "required"}
USED = "its confirmation was used before"
ADDED = "ConstraintAdded"
REVIEWED, SETTLED, LIFTED = "ProposalReviewed", "ConflictResolved", "ConstraintDeactivated"
CANARY = "canary-of-the-command-line"
NOW = dt.datetime.fromisoformat(AT)


def hold_passkey(dmm: Dmm, key: Authenticator) -> None:
    """Give the user of a laptop a passkey; each laptop has a record of its own."""
    made = Made(encode(key.id), write_cbor(key.signer.cose), key.counter, "")
    dmm.team.keyring.add(made, "mine", "code of the terminal", key.name, "now")


def confirm(
    dmm: Dmm,
    key: Authenticator,
    act: PersonAct,
    on: str,
    texts: Sequence[str] = (),
    at: dt.datetime | None = None,
) -> tuple[str, ...]:
    """Have a person confirm a command, as the terminal does; return what the team will be told."""
    shared = foretell(dmm.team, act, on, texts)
    asked = Act("terminal", f"{dmm.root.project}$ {CANARY}", digest_text(""), shared)
    nonce = make_nonce(at)
    persons = Persons(dmm.team.keyring.folder, lambda: Place(key.name, key.origin))
    persons.check(asked, nonce, key.sign(asked.challenge(nonce)))
    return shared


def sign_command(dmm: Dmm, key: Authenticator, words: str) -> Signed:
    """Confirm a command of an owner."""
    nonce, line = make_nonce(now()), tell_line(dmm.team.credentials().log, words)
    return Signed(nonce, key.sign(Act("terminal", line).challenge(nonce)))


def prove(
    log: tuple[str, str],
    writer: str,
    key: Authenticator,
    kind: str,
    *told: Mapping[str, str],
    at: dt.datetime = NOW,
) -> list[dict[str, str]]:
    """Confirm some statements at once; return their payloads with the proof."""
    said = tuple(state(log, writer, kind, one) for one in told)
    act, nonce = Act("terminal", CANARY, "", said), make_nonce(at)
    signed = Signed(act.stamp(nonce), key.sign(act.challenge(nonce)))
    proofs = (Approval(signed, act.items(nonce), salt).write() for salt in act.salts(nonce))
    return [{**one, PROOF: proof} for one, proof in zip(told, proofs, strict=True)]


@dataclass(slots=True)
class Reviewer(Owner):
    """A laptop whose user decides for others."""

    sent: int = field(default=0)

    def prove(
        self, *told: Mapping[str, str], kind: str = ADDED, at: dt.datetime = NOW
    ) -> list[dict[str, str]]:
        return prove(self.log, self.laptop.joined.writer, self.key, kind, *told, at=at)

    def enrol_as_before(self, *keys: Authenticator) -> None:
        """Tell passkeys as the version before did, for owners' acts."""
        writer = self.laptop.joined.writer
        plain = describe_passkeys(self.log, writer, self.laptop.key, map(hold, keys))
        words = (("passkey", *self.log, writer, one.id, one.key, one.page) for one in plain)
        signed = (self.laptop.key.sign(digest(*one)) for one in words)
        old = [replace(one, scope="", signature=by) for one, by in zip(plain, signed, strict=True)]
        self.hall.registry.enrol(*self.log, writer, old)

    def push(self, told: Mapping[str, str], kind: str = ADDED) -> str:
        """Send one event; return why it was refused."""
        self.laptop.tell(kind, told, f"{kind}-{secrets.token_hex(8)}")
        outcome = self.laptop.log.push(self.laptop.batch(self.sent + 1))
        if isinstance(outcome, Refused):
            self.laptop.said.pop()
            return outcome.why
        assert isinstance(outcome, Taken)
        self.sent += 1
        return ""


def test_the_server_takes_no_decision_of_a_person_with_a_passkey_without_it(hall: Hall) -> None:
    ada = Reviewer(hall, hall.join("reviewer"))
    # The laptop's word, as long as it is all there is.
    assert ada.push(RULE) == ""
    ada.enrol()
    missing = "no passkey of its user confirmed it"
    assert missing in ada.push(OTHER)
    assert missing in ada.push({"of": "x", "verdict": "approved", "paths": "a.md"}, REVIEWED)
    assert missing in ada.push({"of": "x"}, "ConstraintDeactivated")
    assert missing in ada.push({"key": "k", "action": "intentional", "paths": "a.md"}, SETTLED)
    # What decides nothing for others needs no person.
    assert ada.push({"key": "k", "action": "merge", "paths": "a.md"}, SETTLED) == ""
    assert ada.push({"key": "region", "value": "eu"}, "FactAdded") == ""
    assert ada.push(ada.prove(OTHER)[0]) == ""
    page = hall.join("reader").log.pull(0)
    assert isinstance(page, Page)
    Trail(ada.laptop.joined.server_key, ada.log).follow(page.placed)
    refused = [one for one in hall.registry.accesses(*ada.log, 50) if one.act == "refused"]
    assert [(one.about, one.count) for one in refused] == [("push: refused", 4)]


def test_a_confirmation_is_for_its_own_words_for_one_laptop_and_for_once(hall: Hall) -> None:
    ada = Reviewer(hall, hall.join("reviewer"))
    ada.enrol()
    (proved,) = ada.prove(RULE)
    assert "confirmed something else" in ada.push({**OTHER, PROOF: proved[PROOF]})
    assert "confirmed something else" in ada.push({**RULE, PROOF: ada.prove(OTHER)[0][PROOF]})
    of = {"of": "x"}
    lifted = ada.push({**of, PROOF: proved[PROOF]}, "ConstraintDeactivated")
    assert "confirmed something else" in lifted
    thief = replace(ada, key=make_key())
    assert "not one that the laptop told" in ada.push(thief.prove(RULE)[0])
    forged = Authenticator(ada.key.name, ada.key.origin, thief.key.signer, ada.key.id)
    assert "signature is wrong" in ada.push(replace(ada, key=forged).prove(RULE)[0])
    # A list of statements that was not the one confirmed.
    told = json.loads(proved[PROOF])
    more = canonical(told | {"items": f"{told['items']},{digest_text(state(ada.log, '', '', {}))}"})
    assert "confirmed something else" in ada.push({**RULE, PROOF: more})
    assert ada.push(proved) == ""
    # Whoever has the laptop's key can't bring a rule back that was lifted.
    assert USED in ada.push(proved)
    one, two = ada.prove(OTHER, {**OTHER, "text": "Never rebase"})
    assert (ada.push(one), ada.push(two)) == ("", "")
    assert USED in ada.push(one)
    # Nor where the server has to read the log again for it, as after a restore or an upgrade.
    with hall.registry.database.transaction(hall.team) as rows:
        forget_used(ada.log, rows)
    three, four = ada.prove({**OTHER, "text": "Never squash"}, {**OTHER, "text": "Never amend"})
    assert [ada.push(each) for each in (three, two, four)] == ["", f"event 5: {USED}", ""]
    assert ada.push(three).endswith(USED)
    ben = Reviewer(hall, hall.join("reviewer"), ada.key)
    ben.enrol()
    assert "confirmed something else" in ben.push(ada.prove(RULE)[0])


@pytest.mark.parametrize(
    "proof",
    [
        "",
        "{}",
        "words of a prompt",
        canonical({"id": "a", "items": "0" * 64}),
        canonical(dict.fromkeys(("authenticator_data", "client_data", "nonce", "signature"), "AA")),
    ],
)
def test_nothing_but_a_proof_travels_in_its_place(hall: Hall, proof: str) -> None:
    ada = Reviewer(hall, hall.join("reviewer"))
    assert "private field" in ada.push({**RULE, PROOF: proof})
    fact = {"key": "a", "value": "b", PROOF: ada.prove(RULE)[0][PROOF]}
    assert "private field" in ada.push(fact, "FactAdded")


def say_all(*told: Mapping[str, str]) -> list[Entry]:
    """Chain some rules of a laptop."""
    head, entries = Head(), []
    for number, one in enumerate(told):
        said = Told(f"ada-{number}", ADDED, AT, canonical(one))
        entries.append(seal(ADA, LOG, "ada", head, said))
        head = Head(entries[-1].wseq, entries[-1].whash)
    return entries


def says_passkey(key: Authenticator, before: tuple[Any, ...], scope: str) -> Any:
    (told,) = describe_passkeys(LOG, "ada", ADA, [hold(key)])
    if not scope:
        # As the version before told it.
        plain = Enrolled(told.id, told.key, told.page)
        told = replace(plain, signature=ADA.sign(_old_digest(plain)))
    return server_says(before, PASSKEY, canonical({"writer": "ada", **asdict(told)}))


def _old_digest(one: Enrolled) -> str:
    return digest("passkey", *LOG, "ada", one.id, one.key, one.page)


@pytest.mark.parametrize("scope", ["approvals", ""])
def test_laptops_check_the_proofs_themselves_and_read_old_logs_as_they_are(scope: str) -> None:
    key = make_key()
    joined = server_says((), JOINED, tell_joined("ada", WriterHead(ADA.public, OWNER)))
    told = says_passkey(key, (joined,), scope)
    (proved,) = prove(LOG, "ada", key, ADDED, RULE)
    good, bare, again = (say_all(*said) for said in ([proved], [RULE], [proved] * 2))
    Trail(SERVER_KEY.public, LOG).follow(place([joined, told, *good]))
    for entries, what in ((bare, "no passkey of its user confirmed it"), (again, "used before")):
        trail = Trail(SERVER_KEY.public, LOG)
        if not scope and entries is bare:
            trail.follow(place([joined, told, *entries]))
            continue
        with pytest.raises(TeamError, match=what) as found:
            trail.follow(place([joined, told, *entries]))
        assert found.value.fault == "unproven"


def test_a_passkey_that_was_told_for_owners_acts_alone_confirms_no_decision(hall: Hall) -> None:
    ada, lost = Reviewer(hall, hall.join("owner")), make_key()
    joined = server_says((), JOINED, tell_joined("ada", WriterHead(ADA.public, OWNER)))
    said = [joined]
    for key, scope in ((ada.key, ""), (lost, ""), (ada.key, "approvals")):
        said.append(says_passkey(key, tuple(said), scope))
    (proved,) = prove(LOG, "ada", lost, ADDED, RULE)
    with pytest.raises(TeamError, match="not one that the laptop told"):
        Trail(SERVER_KEY.public, LOG).follow(place([*said, *say_all(proved)]))
    # The server does the same.
    ada.enrol_as_before(ada.key, lost)
    assert ada.enrol() == 2
    assert "not one that the laptop told" in ada.push(replace(ada, key=lost).prove(RULE)[0])
    assert ada.push(ada.prove(RULE)[0]) == ""
    # It still confirms what it was told for.
    assert replace(ada, key=lost).invite(replace(ada, key=lost).sign("invite --role reader"))


def test_laptops_take_no_further_passkey_of_one_that_decides_by_passkey(hall: Hall) -> None:
    mine, others = make_key(), make_key()
    swapped = Authenticator(mine.name, mine.origin, others.signer, mine.id)
    joined = server_says((), JOINED, tell_joined("ada", WriterHead(ADA.public, OWNER)))
    told = says_passkey(mine, (joined,), "approvals")
    decided = say_all(*prove(LOG, "ada", mine, ADDED, RULE))
    for before, key, scope, fault in (
        ([], swapped, "approvals", "twice"),
        ([], swapped, "", "twice"),
        (decided, swapped, "approvals", "twice"),
        (decided, others, "approvals", "late"),
        (decided, others, "", "late"),
    ):
        said = place([joined, told, *before, says_passkey(key, (joined, told), scope)])
        for signed in (True, False):
            with pytest.raises(TeamError, match=f"event {len(said)} of the team log") as found:
                Trail(SERVER_KEY.public, LOG).follow(said, signed=signed)
            assert found.value.fault == fault
    # All that are told before the first decision count.
    second = says_passkey(others, (joined, told), "approvals")
    Trail(SERVER_KEY.public, LOG).follow(place([joined, told, second, *decided]))
    # No laptop makes an honest server say what the others refuse.
    ada = Reviewer(hall, hall.join("reviewer"))
    writer, twice = ada.laptop.joined.writer, [hold(mine), hold(swapped)]
    with pytest.raises(TeamError, match="listed twice"):
        ada.enrol(describe_passkeys(ada.log, writer, ada.laptop.key, twice))


def test_only_a_proved_verdict_takes_back_a_proved_one(hall: Hall) -> None:
    ada, eve, ben = (Reviewer(hall, hall.join("reviewer")) for _ in range(3))
    ada.enrol()
    eve.enrol()
    told = {"key": "a:1|b:2", "action": "intentional", "paths": "a.md\nb.md"}
    other = {**told, "action": "merge"}

    def find_accepted() -> list[str]:
        fold = Fold()
        for one in read_all(hall.join("reader")):
            fold.add(one)
        return [one.by.partition(", ")[2] for one in fold.in_force("").accepted.values()]

    assert ben.push(told, SETTLED) == ""
    assert find_accepted() == ["said by the laptop alone"]
    assert eve.push(other, SETTLED) == ""
    assert find_accepted() == []
    assert ada.push(ada.prove(told, kind=SETTLED)[0], SETTLED) == ""
    # Neither the key of a laptop with a passkey nor that of one without.
    assert (eve.push(other, SETTLED), ben.push(told, SETTLED)) == ("", "")
    assert find_accepted() == ["proved by passkey"]
    assert eve.push(eve.prove(other, kind=SETTLED)[0], SETTLED) == ""
    assert find_accepted() == []
    assert ben.push(told, SETTLED) == ""
    assert find_accepted() == ["said by the laptop alone"]


def test_passkeys_of_the_version_before_are_told_again_for_decisions(hall: Hall) -> None:
    ada = Reviewer(hall, hall.join("owner"))
    ada.enrol_as_before(ada.key)
    assert ada.push(RULE) == ""
    thief = replace(ada, key=make_key())
    assert thief.enrol() == 1
    assert ada.push(OTHER) == ""
    assert ada.enrol() == 1
    assert "no passkey" in ada.push({**OTHER, "text": "Never rebase"})
    with pytest.raises(TeamError, match="not one that the laptop told"):
        thief.invite(thief.sign("invite --role reader"))


def test_a_rule_of_a_person_reaches_others_with_its_proof(office: Office) -> None:
    ada, ben = office.open("ada"), office.laptop("ben")
    key = make_key()
    hold_passkey(ada, key)
    # The passkey is told when the laptop joins: there is no moment without it.
    ada.team.join(office.url, office.registry.invite("acme", "shop", "owner"))
    with pytest.raises(TeamError, match="confirmed by passkey"):
        ada.team.members().invite("owner")
    (told,) = confirm(ada, key, PersonAct.CONSTRAINT, "required", [RULE["text"]])
    assert told.endswith(f" {ADDED} {canonical(RULE)}")
    ada.ledger.add_constraint(RULE["text"])
    ben.ledger.add_constraint(OTHER["text"])
    assert (ada.team.sync().sent, ben.team.sync().sent) == (1, 1)
    ada.team.sync()
    (rule,) = ben.team.status().rules
    name = rule.name
    assert (rule.proved, rule.by) == (True, f"{name}, proved by passkey")
    assert ben.rules.show(f"team:{rule.seq}").origin == rule.by
    (other,) = ada.team.status().rules
    assert (other.proved, other.by) == (False, f"{name}, said by the laptop alone")
    assert [one.proved for one in ben.team.log() if one.type == ADDED] == [True, False]
    # Others learn what was said, and nothing of the command or the folder.
    sent = "".join(
        one.entry.payload for one in ben.team._copy(ben.team.credentials(), ben.team.checked)
    )
    assert CANARY not in sent
    assert str(ada.root.project) not in sent
    assert ada.team.status().passkeys == 1
    assert (ben.team.status().passkeys, ben.team.status().foreign) == (0, 0)


def test_every_kind_of_decision_is_proved(office: Office, write: Any) -> None:
    ada = settle(office, "ada", ["reviews", "conflicts"])
    key = make_key()
    hold_passkey(ada, key)
    assert ada.team.sync().sent == 0
    ada.team.sync()
    assert ada.team.status().passkeys == 1
    agent = ada.as_actor(Actor("agent", "mcp", Trust.AGENT))
    pending = agent.ledger.add_constraint(RULE["text"]).seq
    confirm(ada, key, PersonAct.ACCEPT_RULE, str(pending))
    ada.rules.accept([str(pending)])
    confirm(ada, key, PersonAct.DISABLE_RULE, str(pending))
    ada.rules.disable(str(pending))
    texts = {
        "office": "# Office\n\nThe office closes at six.\n",
        "logs": "# Logs\n\nLogs are kept for a week.\n",
        "invoices": "# Invoices\n\nInvoices go out by post.\n",
    }
    one, two, three = (
        agent.proposals.write(Writing(f"global/{name}.md", "so", content=text)).id
        for name, text in texts.items()
    )
    confirm(ada, key, PersonAct.APPROVE, one)
    ada.reviews.approve(one, bypass_reviewer=True)
    assert len(confirm(ada, key, PersonAct.BATCH, f"approve {two},reject {three}")) == 2
    ada.reviews.approve(two, bypass_reviewer=True)
    ada.reviews.reject(three, "no")
    write(ada, 1, SLOW)
    write(ada, 2, FAST)
    (found,) = find_open(ada)
    confirm(ada, key, PersonAct.RESOLVE, f"{found}:intentional")
    ada.resolutions.resolve(found, "intentional", reason="so")
    assert ada.team.sync().sent == 6
    shared = [one for one in ada.team.log() if one.writer != "server"]
    assert [(one.type, one.proved) for one in shared] == [
        ("ConstraintAccepted", True),
        ("ConstraintDeactivated", True),
        *[(REVIEWED, True)] * 3,
        (SETTLED, True),
    ]
    assert all(PROOF not in one.told for one in shared)


def test_a_decision_without_a_proof_stays_here_is_counted_and_holds_nothing_up(
    office: Office,
) -> None:
    ada = settle(office, "ada", ["facts"])
    hold_passkey(ada, make_key())
    ada.ledger.add_constraint(RULE["text"])
    # Recorded before the team knew of a passkey, so it goes first.
    assert ada.team.sync().sent == 1
    ada.ledger.add_constraint(OTHER["text"])
    ada.ledger.add_fact("region", "eu")
    assert ada.team.sync().sent == 1
    assert (ada.team.status().unproven, ada.team.status().unsent) == (1, 0)
    # One that was about to be sent when the passkey became known is withdrawn.
    ben = settle(office, "ben", [])
    ben.ledger.add_constraint("Never rebase")
    assert ben.team.status().unsent == 1
    key = make_key()
    hold_passkey(ben, key)
    held = ben.team.credentials()
    told = describe_passkeys(held.log, held.writer, held.key, ben.team.keyring.read())
    office.registry.enrol(*held.log, held.writer, told)
    with pytest.raises(TeamError, match="no passkey of its user confirmed it"):
        ben.team.sync()
    assert (ben.team.status().unproven, ben.team.status().unsent) == (1, 0)


def test_a_passkey_that_somebody_else_told_is_shown(office: Office) -> None:
    ada = office.laptop("ada")
    held = ada.team.credentials()
    told = describe_passkeys(held.log, held.writer, held.key, [hold(make_key())])
    office.registry.enrol(*held.log, held.writer, told)
    ada.team.sync()
    assert (ada.team.status().passkeys, ada.team.status().foreign) == (1, 1)


def test_a_passkey_that_was_removed_here_is_not_called_somebody_elses(office: Office) -> None:
    ada, key = office.laptop("ada"), make_key()
    hold_passkey(ada, key)
    ada.team.sync()
    ada.team.sync()
    assert (ada.team.status().foreign, ada.team.status().removed) == (0, 0)
    name, nonce = encode(key.id), secrets.token_bytes(32)
    removal = Act(PersonAct.REMOVE_PASSKEY, name)
    ada.team.keyring.remove(name, "now", Signed(nonce, key.sign(removal.challenge(nonce))))
    standing = ada.team.status()
    assert (standing.passkeys, standing.foreign, standing.removed) == (1, 0, 1)
    assert "one that you removed still counts for the team" in " ".join(_lines(standing))


def test_a_passkey_confirms_a_hundred_decisions_at_once_and_no_more(office: Office) -> None:
    ada = office.laptop("ada")
    texts = [f"Never use number {one}" for one in range(101)]
    assert len(foretell(ada.team, PersonAct.CONSTRAINT, "required", texts[:100])) == 100
    with pytest.raises(UsageError, match="at most 100"):
        foretell(ada.team, PersonAct.CONSTRAINT, "required", texts)
    assert foretell(office.open("ben").team, PersonAct.CONSTRAINT, "required", texts) == ()


def add_passkey(dmm: Dmm, key: Authenticator, by: Authenticator) -> None:
    """Add a further passkey in the page, confirmed by one that is there."""
    persons = Persons(dmm.team.keyring.folder, lambda: Place(key.name, key.origin))
    asked = persons.begin_enrolment("phone", "browser", None)
    client, attestation = key.create(asked.challenge)
    made = read_made(persons.place, attestation)
    proof = persons.begin(Act(PersonAct.ENROLL, "phone", made.digest), "browser")
    given = Proof(proof.id, credential=by.sign(proof.challenge))
    persons.finish_enrolment("phone", "browser", client, attestation, given)


def test_only_passkeys_that_the_team_knows_confirm_what_it_is_told(office: Office) -> None:
    ada, mine, phone = office.laptop("ada"), make_key(), make_key()
    hold_passkey(ada, mine)
    asked = PersonAct.CONSTRAINT, "required", [RULE["text"]]
    # Before the team was told of any, it will be of all.
    assert foretell_proved(ada.team, *asked)[1] == (encode(mine.id),)
    ada.team.sync()
    ada.team.sync()
    add_passkey(ada, phone, mine)
    shared, by = foretell_proved(ada.team, *asked)
    assert (len(shared), by) == (1, (encode(mine.id),))
    act = Act("terminal", "line", digest_text(""), shared)
    persons = Persons(ada.team.keyring.folder, lambda: Place(mine.name, mine.origin))
    terminal = persons.begin(act, None, by=by)
    page = persons.begin(act, "browser", by=by)
    with pytest.raises(ProofRefused, match="your team does not know this passkey"):
        persons.answer(terminal.id, phone.sign(terminal.challenge))
    with pytest.raises(ProofRefused, match="your team does not know this passkey"):
        persons.require(act, "browser", Proof(page.id, credential=phone.sign(page.challenge)))
    persons.answer(terminal.id, mine.sign(terminal.challenge))
    # What nobody else is told of, each of them confirms.
    own = persons.begin(replace(act, shared=()), None)
    persons.answer(own.id, phone.sign(own.challenge))
    # Once none is left that the team knows, it is told nothing; deciding goes on here.
    removal = persons.begin(Act(PersonAct.REMOVE_PASSKEY, encode(mine.id)), "browser")
    proof = Proof(removal.id, credential=phone.sign(removal.challenge))
    persons.remove(encode(mine.id), "browser", proof)
    assert foretell_proved(ada.team, *asked)[1] == ()


def test_a_copy_that_can_not_be_read_keeps_nobody_from_deciding(office: Office) -> None:
    ada = office.laptop("ada")
    rewrite(ada.team.path, "PRAGMA user_version = 99")
    assert foretell(ada.team, PersonAct.CONSTRAINT, "required", ["Never guess"]) == ()


def test_an_answer_to_a_shared_act_is_none_to_the_act_alone() -> None:
    key, nonce = make_key(), secrets.token_bytes(32)
    act = Act("terminal", "line", digest_text(""))
    shared = replace(act, shared=("acme/shop w ConstraintAdded {}",))
    assert act.challenge(nonce) != shared.challenge(nonce)
    assert act.blind(nonce) == shared.blind(nonce) == act.challenge(nonce)
    known = {encode(key.id): describe_passkeys(LOG, "ada", ADA, [hold(key)])[0]}
    signed = Signed(nonce, key.sign(act.challenge(nonce)))
    check_answer(known, signed, act.challenge(nonce))
    with pytest.raises(ProofRefused, match="confirmed something else"):
        check_answer(known, signed, shared.challenge(nonce))


def test_an_owners_command_tells_the_passkey_after_what_was_recorded_before(office: Office) -> None:
    ada, key = office.laptop("ada", "owner"), make_key()
    ada.ledger.add_constraint(RULE["text"])
    hold_passkey(ada, key)
    proof = sign_command(ada, key, "invite --role reader")
    assert ada.team.members(proof).invite("reader")
    ada.team.sync()
    assert [one.type for one in ada.team.log()][1:] == [ADDED, PASSKEY]
    assert (ada.team.status().passkeys, ada.team.status().unproven) == (1, 0)


def test_a_laptop_whose_decisions_are_refused_still_reaches_the_others(office: Office) -> None:
    ada, key = office.laptop("ada", "owner"), make_key()
    ben = office.laptop("ben").team.credentials().writer
    ada.ledger.add_constraint(RULE["text"])
    hold_passkey(ada, key)
    held = ada.team.credentials()
    told = describe_passkeys(held.log, held.writer, held.key, ada.team.keyring.read())
    office.registry.enrol(*held.log, held.writer, told)
    # The rule is refused, as this laptop does not know yet that its passkey is known.
    assert ada.team.members(sign_command(ada, key, f"revoke {ben}")).revoke(ben)


def test_an_approval_that_insists_is_proved(office: Office) -> None:
    ada, key = settle(office, "ada", ["reviews"]), make_key()
    hold_passkey(ada, key)
    ada.team.sync()
    ada.team.sync()
    agent = ada.as_actor(Actor("agent", "mcp", Trust.AGENT))
    text = "# Deploying\n\nDeploy on Mondays.\n"
    one = agent.proposals.write(Writing("global/deploy.md", "so", content=text)).id
    (told,) = confirm(ada, key, PersonAct.BATCH, f"{INSIST} {one}")
    assert '"verdict":"approved"' in told
    ada.reviews.approve(one, bypass_reviewer=True)
    assert (ada.team.sync().sent, ada.team.status().unproven) == (1, 0)


def test_a_document_that_decides_too_much_for_one_confirmation_is_kept(
    office: Office, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ada = settle(office, "ada", ["reviews"])
    hold_passkey(ada, make_key())
    agent = ada.as_actor(Actor("agent", "mcp", Trust.AGENT))
    for one in range(101):
        text = f"# Number {one}\n\nRoom {one} has a lamp.\n"
        agent.proposals.write(Writing(f"global/room_{one}.md", "so", content=text))
    monkeypatch.setenv("HOME", str(office.folder / "ada"))
    monkeypatch.setenv("EDITOR", "sed -i s/^pending/approve!/")
    monkeypatch.delenv("VISUAL", raising=False)
    told = Typed(monkeypatch, capsys)("review", "batch", within=ada.root.project)
    assert (told.status, "at most 100 decisions" in told.err) == (2, True)
    found = re.search(r"decide on fewer at once; your text is kept in (\S+)", told.err)
    assert found is not None
    assert Path(found[1]).read_text().count(f"\n{INSIST} proposal_") == 101
    assert len(ada.reviews.list().proposals) == 101
