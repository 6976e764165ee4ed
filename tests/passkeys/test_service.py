"""A passkey confirms one act on one text, once; everything else that it signed is refused."""

from __future__ import annotations

import hashlib
import json
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from tests.passkeys.authenticator import Authenticator, EdDsa, Es256, Rs256, write_cbor

from dmm.errors import ProofRefused, ProofRequired, StorageError, UsageError
from dmm.passkeys.acts import Act, digest_text
from dmm.passkeys.cbor import read_cbor
from dmm.passkeys.codes import MOST_TRIES
from dmm.passkeys.codes import SECONDS as CODE_SECONDS
from dmm.passkeys.keyring import ANSWER, Keyring, Signed
from dmm.passkeys.service import (
    MOST,
    MOST_OF_BROWSER,
    MOST_OF_TERMINALS,
    SECONDS,
    Asker,
    Persons,
    Proof,
)
from dmm.passkeys.webauthn import Place, decode, encode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

NAME = "dmm-0a1b2c3d.localhost"
ORIGIN = f"http://{NAME}:4711"
TEXT = digest_text("Sessions live 14 days.")
APPROVE = Act("approve", "proposal_15", TEXT)
BROWSER = "browser"
ACT = Act("terminal", "/srv/shop$ dmm trust --yes")


class Desk:
    """Persons of one user, with a clock that is set by hand."""

    def __init__(self, folder: Path) -> None:
        self.now = 0.0
        self.folder = folder
        self.persons = self.open()

    def open(self) -> Persons:
        return Persons(self.folder, lambda: Place(NAME, ORIGIN), lambda: self.now)

    def enrol(self, key: Authenticator | None = None, session: str = BROWSER) -> Authenticator:
        made = key or Authenticator(NAME, ORIGIN)
        self.persons.codes.take(self.persons.codes.make(), session)
        asked = self.persons.begin_enrolment("laptop", session, None)
        given = made.create(asked.challenge)
        self.persons.finish_enrolment("laptop", session, *given)
        return made

    def enrol_further(self, known: Authenticator, made: Authenticator, name: str) -> None:
        asked = self.persons.begin_enrolment(name, BROWSER, None)
        client, attestation = made.create(asked.challenge)
        act = Act("enroll", name, digest_text(encode(attestation)))
        proof = self.confirm(known, act)
        self.persons.finish_enrolment(name, BROWSER, client, attestation, proof)

    def confirm(self, key: Authenticator, act: Act = APPROVE, **stated: Any) -> Proof:
        asked = self.persons.begin(act, BROWSER)
        return Proof(asked.id, credential=key.sign(asked.challenge, **stated))


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path / "page")


@pytest.mark.parametrize("make", [Es256, EdDsa, Rs256])
def test_a_passkey_of_each_algorithm_confirms_an_act(desk: Desk, make: Callable[[], Any]) -> None:
    key = desk.enrol(Authenticator(NAME, ORIGIN, make()))
    desk.persons.require(APPROVE, BROWSER, desk.confirm(key))
    assert desk.open().keyring.read()[0].counter == 1
    assert desk.open().standing(BROWSER).confirm == "passkey"


def test_once_a_passkey_is_enrolled_nothing_else_will_do(desk: Desk) -> None:
    desk.enrol()
    code = desk.persons.codes.make()
    asked = desk.persons.begin(APPROVE, BROWSER)
    for proof in (None, Proof(asked.id), Proof(asked.id, code=code)):
        with pytest.raises(ProofRequired):
            desk.persons.require(APPROVE, BROWSER, proof)


@pytest.mark.parametrize(
    "other",
    [
        Act("approve", "proposal_15", digest_text("Sessions live 30 days.")),
        Act("approve", "proposal_16", TEXT),
        Act("reject", "proposal_15", TEXT),
        Act("approve", "proposal_15", TEXT[:12]),
        Act("approve", "proposal_15"),
    ],
)
def test_a_confirmation_is_for_no_other_text_thing_or_act(desk: Desk, other: Act) -> None:
    proof = desk.confirm(desk.enrol())
    with pytest.raises(ProofRefused, match="something else"):
        desk.persons.require(other, BROWSER, proof)


def test_an_answer_to_one_question_is_none_to_another(desk: Desk) -> None:
    """A page can't have a person sign one act and use it for another."""
    key = desk.enrol()
    shown = desk.persons.begin(APPROVE, BROWSER)
    evil = desk.persons.begin(replace(APPROVE, id="proposal_16"), BROWSER)
    proof = Proof(evil.id, credential=key.sign(shown.challenge))
    with pytest.raises(ProofRefused, match="confirmed something else"):
        desk.persons.require(replace(APPROVE, id="proposal_16"), BROWSER, proof)


def test_a_confirmation_without_its_text_is_refused(desk: Desk) -> None:
    bare = Act("approve", "proposal_15")
    proof = desk.confirm(desk.enrol(), bare)
    with pytest.raises(ProofRefused, match="for which text"):
        desk.persons.require(bare, BROWSER, proof)


def test_an_assertion_is_good_once(desk: Desk) -> None:
    proof = desk.confirm(desk.enrol())
    desk.persons.require(APPROVE, BROWSER, proof)
    with pytest.raises(ProofRefused, match="expired or was used"):
        desk.persons.require(APPROVE, BROWSER, proof)
    again = desk.persons.begin(APPROVE, BROWSER)
    with pytest.raises(ProofRefused, match="something else"):
        desk.persons.require(APPROVE, BROWSER, replace(proof, confirmation=again.id))


def test_a_confirmation_ends_and_belongs_to_one_browser(desk: Desk) -> None:
    key = desk.enrol()
    late = desk.confirm(key)
    desk.now += SECONDS
    with pytest.raises(ProofRefused, match="expired"):
        desk.persons.require(APPROVE, BROWSER, late)
    with pytest.raises(ProofRefused, match="expired"):
        desk.persons.require(APPROVE, "another browser", desk.confirm(key))


@pytest.mark.parametrize(
    ("stated", "why"),
    [
        ({"origin": "http://evil.example"}, "another page"),
        ({"origin": "http://localhost:4711"}, "another page"),
        ({"crossOrigin": True}, "another page"),
        ({"type": "webauthn.create"}, "can't be read"),
        ({"challenge": encode(b"x" * 32)}, "something else"),
        ({"challenge": None}, "something else"),
    ],
)
def test_what_the_browser_states_has_to_fit(desk: Desk, stated: Any, why: str) -> None:
    proof = desk.confirm(desk.enrol(), **stated)
    with pytest.raises(ProofRefused, match=why):
        desk.persons.require(APPROVE, BROWSER, proof)


@pytest.mark.parametrize("flags", [0x00, 0x01, 0x04])
def test_the_authenticator_has_to_verify_the_person(desk: Desk, flags: int) -> None:
    key = desk.enrol()
    key.flags = flags
    with pytest.raises(ProofRefused, match="did not verify"):
        desk.persons.require(APPROVE, BROWSER, desk.confirm(key))


def test_a_passkey_of_another_page_or_of_nobody_is_refused(desk: Desk) -> None:
    key = desk.enrol()
    key.name = "dmm-ffffffff.localhost"
    with pytest.raises(ProofRefused, match="another page"):
        desk.persons.require(APPROVE, BROWSER, desk.confirm(key))
    stranger = Authenticator(NAME, ORIGIN)
    with pytest.raises(ProofRefused, match="not enrolled"):
        desk.persons.require(APPROVE, BROWSER, desk.confirm(stranger))
    stranger.id = key.id
    with pytest.raises(ProofRefused, match="signature is wrong"):
        desk.persons.require(APPROVE, BROWSER, desk.confirm(stranger))


def test_a_counter_that_goes_back_is_told(desk: Desk) -> None:
    key = desk.enrol()
    key.counter = 7
    desk.persons.require(APPROVE, BROWSER, desk.confirm(key))
    key.counter = 3
    with pytest.raises(ProofRefused, match=r"went back \(8 to 4\)") as refused:
        desk.persons.require(APPROVE, BROWSER, desk.confirm(key))
    assert "with another passkey" in (refused.value.hint or "")
    other = Authenticator(NAME, ORIGIN)
    key.counter = 20
    desk.enrol_further(key, other, "phone")
    act = Act("remove_passkey", encode(key.id))
    desk.persons.remove(encode(key.id), BROWSER, desk.confirm(other, act))
    assert [one.name for one in desk.persons.keyring.read()] == ["phone"]


def test_an_authenticator_that_does_not_count_is_taken(desk: Desk) -> None:
    key = desk.enrol()
    for _ in range(2):
        key.counter = -1
        desk.persons.require(APPROVE, BROWSER, desk.confirm(key))


def test_a_first_passkey_needs_the_code_and_a_second_one_the_first(desk: Desk) -> None:
    with pytest.raises(ProofRequired):
        desk.persons.begin_enrolment("laptop", BROWSER, None)
    first, second = desk.enrol(), Authenticator(NAME, ORIGIN)
    asked = desk.persons.begin_enrolment("phone", BROWSER, None)
    with pytest.raises(ProofRequired):
        desk.persons.finish_enrolment("phone", BROWSER, *second.create(asked.challenge))
    for named in (Act("enroll", "phone"), Act("enroll", "phone", TEXT)):
        asked = desk.persons.begin_enrolment("phone", BROWSER, None)
        made, proof = second.create(asked.challenge), desk.confirm(first, named)
        with pytest.raises(ProofRefused, match="something else"):
            desk.persons.finish_enrolment("phone", BROWSER, *made, proof)
    desk.enrol_further(first, second, "phone")
    assert [one.name for one in desk.open().keyring.read()] == ["laptop", "phone"]
    desk.persons.require(APPROVE, BROWSER, desk.confirm(second))


def test_two_first_passkeys_are_not_enrolled_at_once(desk: Desk) -> None:
    desk.persons.codes.take(desk.persons.codes.make(), BROWSER)
    other = "another browser"
    desk.persons.codes.take(desk.persons.codes.make(), other)
    first, second = (desk.persons.begin_enrolment("key", one, None) for one in (BROWSER, other))
    made = Authenticator(NAME, ORIGIN).create(first.challenge)
    desk.persons.finish_enrolment("key", BROWSER, *made)
    made = Authenticator(NAME, ORIGIN).create(second.challenge)
    with pytest.raises(ProofRefused, match="enrolled meanwhile"):
        desk.persons.finish_enrolment("key", other, *made)
    assert len(desk.persons.keyring.read()) == 1


def test_a_passkey_is_enrolled_once_and_removed_by_a_passkey(desk: Desk) -> None:
    key = desk.enrol()
    with pytest.raises(UsageError, match="already"):
        desk.enrol_further(key, key, "again")
    name = encode(key.id)
    with pytest.raises(ProofRequired):
        desk.persons.remove(name, BROWSER, None)
    desk.persons.remove(name, BROWSER, desk.confirm(key, Act("remove_passkey", name)))
    assert desk.open().keyring.read() == ()


def test_a_weak_or_unknown_key_is_not_enrolled(desk: Desk) -> None:
    weak = Authenticator(NAME, ORIGIN, Rs256(1024))
    with pytest.raises(ProofRefused, match="too short"):
        desk.enrol(weak)
    odd = Authenticator(NAME, ORIGIN)
    odd.signer.cose[3] = -35
    with pytest.raises(ProofRefused, match="none of ES256"):
        desk.enrol(odd)
    unverified = Authenticator(NAME, ORIGIN, flags=0x01)
    with pytest.raises(ProofRefused, match="did not verify"):
        desk.enrol(unverified)


def at_once(acts: list[Callable[[], None]]) -> list[bool]:
    """Do some things at the same moment; tell which were not refused."""
    ready = threading.Barrier(len(acts))

    def run(act: Callable[[], None]) -> bool:
        ready.wait()
        try:
            act()
        except ProofRefused:
            return False
        return True

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))


def test_of_copies_that_count_at_the_same_moment_one_is_believed(desk: Desk) -> None:
    key = desk.enrol()
    key.counter = 4
    given = key.sign(b"")
    keyring = Keyring(desk.folder)
    told = at_once([lambda: keyring.use(given, 5, APPROVE, "now")] * 8)
    assert told.count(True) == 1


def test_a_counter_that_no_passkey_has_signed_is_not_believed(desk: Desk) -> None:
    key = desk.enrol()
    told = {"type": "used", "id": encode(key.id), "at": "now", "counter": 4_000_000_000}
    append(desk, **told)
    proof = dict(zip(ANSWER, ["", "", ""], strict=True))
    append(desk, **told | {"proof": proof})
    # An answer of the passkey itself, beside a counter that it has not signed.
    real = key.sign(b"")
    parts = (real.client_data, real.authenticator_data, real.signature)
    append(desk, **told | {"proof": dict(zip(ANSWER, map(encode, parts), strict=True))})
    assert desk.open().keyring.read()[0].counter == 0
    desk.persons.require(APPROVE, BROWSER, desk.confirm(key))
    assert desk.open().keyring.read()[0].counter == 2


def test_a_use_that_was_taken_out_of_the_record_lets_no_answer_count_again(desk: Desk) -> None:
    key = desk.enrol()
    file = desk.folder / "passkeys.jsonl"
    before = file.read_text()
    asked = desk.persons.begin(APPROVE, BROWSER)
    proof = Proof(asked.id, credential=key.sign(asked.challenge))
    desk.persons.require(APPROVE, BROWSER, proof)
    assert file.read_text() != before
    file.write_text(before)
    assert desk.open().keyring.read()[0].counter == 0
    # Neither to the daemon that took it, nor to one that knows nothing of it any more.
    for persons in (desk.persons, desk.open()):
        again = persons.begin(APPROVE, BROWSER)
        for name, why in ((asked.id, "expired or was used"), (again.id, "something else")):
            with pytest.raises(ProofRefused, match=why):
                persons.require(APPROVE, BROWSER, replace(proof, confirmation=name))


def removing(key: Authenticator) -> Signed:
    """Return what a passkey signs to be removed."""
    return Signed(b"n", key.sign(Act("remove_passkey", encode(key.id)).challenge(b"n")))


def append(desk: Desk, **told: Any) -> None:
    """Add a line to the record as any program of the user's could: the chain has no secret."""
    file = desk.folder / "passkeys.jsonl"
    last = hashlib.sha256(file.read_text().splitlines()[-1].encode()).hexdigest()
    file.write_text(f"{file.read_text()}{json.dumps(told | {'previous': last})}\n")


@pytest.mark.parametrize("forged", ["none", "another act", "another key"])
@pytest.mark.parametrize("kind", ["enrolled", "removed"])
def test_a_line_that_no_passkey_has_signed_adds_and_removes_none(
    desk: Desk, kind: str, forged: str
) -> None:
    key, mine = desk.enrol(), Authenticator(NAME, ORIGIN)
    act = Act("enroll", "mine") if kind == "enrolled" else Act("remove_passkey", encode(key.id))
    told: dict[str, Any] = {"type": kind, "id": encode(key.id), "at": "now"}
    if kind == "enrolled":
        made = {"id": encode(mine.id), "key": encode(write_cbor(mine.signer.cose)), "counter": 0}
        told |= made | {"name": "mine", "by": "passkey", "page": NAME}
    if forged == "another act":
        told["signed"] = Signed(b"n", key.sign(APPROVE.challenge(b"n"))).describe()
    elif forged == "another key":
        told["signed"] = Signed(b"n", mine.sign(act.challenge(b"n"))).describe()
    append(desk, **told)
    assert [one.id for one in desk.open().keyring.read()] == [encode(key.id)]
    assert desk.open().keyring.unproven() == (2,)
    desk.persons.require(APPROVE, BROWSER, desk.confirm(key))
    with pytest.raises(ProofRefused, match="not enrolled"):
        desk.persons.require(APPROVE, BROWSER, desk.confirm(mine))


def test_the_signature_for_one_passkey_is_for_no_other_and_good_once(desk: Desk) -> None:
    first, second, mine = desk.enrol(), Authenticator(NAME, ORIGIN), Authenticator(NAME, ORIGIN)
    desk.enrol_further(first, second, "phone")
    line = json.loads((desk.folder / "passkeys.jsonl").read_text().splitlines()[-1])
    made = {"id": encode(mine.id), "key": encode(write_cbor(mine.signer.cose))}
    append(desk, **line | made)
    append(desk, **line | made | {"attestation": encode(mine.create(b"")[1])})
    act = Act("remove_passkey", encode(second.id))
    desk.persons.remove(encode(second.id), BROWSER, desk.confirm(first, act))
    before = len(desk.persons.keyring.unproven())
    append(desk, **line)
    assert [one.name for one in desk.open().keyring.read()] == ["laptop"]
    assert (before, len(desk.persons.keyring.unproven())) == (2, 3)


@pytest.mark.parametrize("told", [{}, {"type": "enrolled"}, {"type": "used", "id": []}])
def test_a_line_that_says_nothing_locks_nobody_out(desk: Desk, told: dict[str, Any]) -> None:
    key = desk.enrol()
    append(desk, **told)
    desk.persons.require(APPROVE, BROWSER, desk.confirm(key))
    assert desk.persons.keyring.unproven() == (2,)


def test_in_a_record_without_signatures_the_first_passkey_counts(desk: Desk) -> None:
    """Earlier versions signed neither a further passkey nor a removal."""
    key, phone = desk.enrol(), Authenticator(NAME, ORIGIN)
    made = {"id": encode(phone.id), "key": encode(write_cbor(phone.signer.cose)), "counter": 0}
    append(desk, type="enrolled", name="phone", by="passkey", at="then", **made)
    append(desk, type="used", id=encode(phone.id), counter=1, at="then")
    append(desk, type="removed", id=encode(key.id), at="then")
    desk.persons.require(APPROVE, BROWSER, desk.confirm(key))
    keyring = desk.open().keyring
    assert [one.name for one in keyring.read()] == ["laptop"]
    assert keyring.unproven() == (2, 4)
    # A ledger may know the phone; it is not missing.
    assert len(keyring.marks()) == 2


def test_a_further_passkey_stays_enrolled_with_the_signature_of_the_first(desk: Desk) -> None:
    first, second = desk.enrol(), Authenticator(NAME, ORIGIN)
    desk.enrol_further(first, second, "phone")
    act = Act("remove_passkey", encode(first.id))
    desk.persons.remove(encode(first.id), BROWSER, desk.confirm(second, act))
    assert [one.name for one in desk.open().keyring.read()] == ["phone"]


def test_a_passkey_confirms_nothing_once_it_is_removed(desk: Desk) -> None:
    key = desk.enrol()
    name, signed = encode(key.id), removing(key)
    keyring = Keyring(desk.folder)
    use = [partial(keyring.use, key.sign(b""), at, APPROVE, "now") for at in range(2, 7)]
    remove = partial(keyring.remove, name, "now", signed)
    told = at_once([remove, *use, remove])
    assert [told[0], told[-1]].count(True) == 1
    lines = map(json.loads, (desk.folder / "passkeys.jsonl").read_text().splitlines())
    assert [one["type"] for one in lines][-1] == "removed"
    assert keyring.read() == ()


def test_a_line_about_a_passkey_that_was_removed_locks_nobody_out(desk: Desk) -> None:
    key = desk.enrol()
    keyring = Keyring(desk.folder)
    name = encode(key.id)
    keyring.remove(name, "now", removing(key))
    for kind in ("used", "removed"):
        append(desk, type=kind, id=name, counter=9, at="later")
    assert keyring.read() == ()
    desk.enrol()
    assert desk.open().standing(BROWSER).confirm == "passkey"


def test_the_record_holds_no_secret_of_a_command_line(desk: Desk) -> None:
    key = desk.enrol()
    line = "/srv/shop$ dmm review edit proposal_1 --content 'PGPASSWORD=s3cr3tPassw0rdX9 psql'"
    act = Act("terminal", line)
    desk.persons.check(act, b"n", key.sign(act.challenge(b"n")))
    told = (desk.folder / "passkeys.jsonl").read_text()
    assert "s3cr3tPassw0rdX9" not in told
    used = json.loads(told.splitlines()[-1])
    assert used["on"].startswith("/srv/shop$ dmm review edit proposal_1")
    assert used["signed"] == digest_text(line)


def test_a_folder_whose_name_is_not_utf8_can_be_confirmed(desk: Desk) -> None:
    key = desk.enrol()
    act = Act("terminal", "/srv/caf\udce9$ dmm trust --yes")
    desk.persons.check(act, b"n", key.sign(act.challenge(b"n")))
    assert desk.open().keyring.read()[0].counter == 1


@pytest.mark.parametrize("change", ["edit", "cut", "insert", "garbage"])
def test_a_changed_record_of_passkeys_is_refused(desk: Desk, change: str) -> None:
    key = desk.enrol()
    desk.persons.require(APPROVE, BROWSER, desk.confirm(key))
    file = desk.folder / "passkeys.jsonl"
    assert file.stat().st_mode & 0o777 == 0o600
    lines = file.read_text().splitlines()
    forged = json.dumps(json.loads(lines[0]) | {"key": encode(b"mine")})
    changed = {
        "edit": [forged, *lines[1:]],
        "cut": lines[1:],
        "insert": [lines[0], forged, *lines[1:]],
        "garbage": [*lines, "{"],
    }
    file.write_text("\n".join(changed[change]) + "\n")
    with pytest.raises(StorageError, match="changed outside DMM"):
        desk.persons.require(APPROVE, BROWSER, None)


def test_without_a_passkey_the_code_of_the_terminal_confirms_for_15_minutes(desk: Desk) -> None:
    with pytest.raises(ProofRequired):
        desk.persons.require(APPROVE, BROWSER, None)
    code = desk.persons.codes.make()
    proof = Proof(desk.persons.begin(APPROVE, BROWSER).id, code=f"{code[:3]} {code[3:]}")
    desk.persons.require(APPROVE, BROWSER, proof)
    desk.persons.require(replace(APPROVE, id="proposal_16"), BROWSER, None)
    with pytest.raises(ProofRequired):
        desk.persons.require(APPROVE, "another browser", None)
    desk.now += CODE_SECONDS
    with pytest.raises(ProofRequired):
        desk.persons.require(APPROVE, BROWSER, None)
    late = Proof(desk.persons.begin(APPROVE, BROWSER).id, code=code)
    with pytest.raises(ProofRefused, match="expired"):
        desk.persons.require(APPROVE, BROWSER, late)


def test_a_code_can_be_guessed_at_only_a_few_times(desk: Desk) -> None:
    code = desk.persons.codes.make()
    wrong = f"{(int(code) + 1) % 1_000_000:06}"
    for number in range(MOST_TRIES):
        # Whoever tries: another browser has no tries of its own.
        with pytest.raises(ProofRefused, match="is wrong") as refused:
            desk.persons.codes.take(wrong, f"browser {number}")
        assert "dmm ui --code" in (refused.value.hint or "")
    with pytest.raises(ProofRefused, match="too many"):
        desk.persons.codes.take(code, BROWSER)
    # What ended a code is no code.
    with pytest.raises(ProofRefused, match="too many"):
        desk.persons.codes.take("", BROWSER)
    desk.persons.codes.take(desk.persons.codes.make(), BROWSER)


def test_a_browser_that_asks_too_much_loses_its_own_questions_only(desk: Desk) -> None:
    others = [desk.persons.begin(APPROVE, "another browser").id, desk.persons.begin(ACT, None).id]
    asked = [desk.persons.begin(APPROVE, BROWSER).id for _ in range(MOST_OF_BROWSER + 3)]
    assert [desk.persons.find(one) is not None for one in asked] == [
        *([False] * 3),
        *([True] * MOST_OF_BROWSER),
    ]
    assert all(desk.persons.find(one) for one in others)


def test_commands_that_wait_and_all_questions_together_are_limited_until_they_expire(
    desk: Desk,
) -> None:
    places = [Asker(f"terminal {number}", at_terminal=True) for number in range(MOST_OF_TERMINALS)]
    waiting = [desk.persons.begin(ACT, None, asker=one).id for one in places]
    with pytest.raises(
        ProofRefused, match=f"{len(waiting)} commands already wait.*dmm trust"
    ) as refused:
        desk.persons.begin(ACT, None, asker=Asker("one more", at_terminal=True))
    hint = refused.value.hint or ""
    assert "Ctrl-C" in hint
    assert "dmm ui --sign-out" in hint
    desk.persons.drop(waiting[0])
    desk.persons.begin(ACT, None)
    for number in range(MOST - MOST_OF_TERMINALS):
        desk.persons.begin(APPROVE, f"browser {number}")
    with pytest.raises(ProofRefused, match="too many decisions") as full:
        desk.persons.begin(APPROVE, BROWSER)
    assert "dmm ui --sign-out" in (full.value.hint or "")
    assert desk.persons.find(waiting[1]) is not None
    desk.now += SECONDS
    assert desk.persons.find(waiting[1]) is None
    assert desk.persons.begin(APPROVE, BROWSER).id


def test_signing_out_ends_the_code_and_what_browsers_asked(desk: Desk) -> None:
    code = desk.persons.codes.make()
    asked, waiting = desk.persons.begin(APPROVE, BROWSER), desk.persons.begin(ACT, None)
    desk.persons.sign_out()
    with pytest.raises(ProofRefused, match="expired"):
        desk.persons.codes.take(code, BROWSER)
    assert desk.persons.find(asked.id) is None
    assert desk.persons.find(waiting.id) is not None
    desk.persons.sign_out(commands=True)
    assert desk.persons.find(waiting.id) is None


def test_a_code_for_another_act_confirms_nothing(desk: Desk) -> None:
    code = desk.persons.codes.make()
    asked = desk.persons.begin(Act("undo", "3"), BROWSER)
    with pytest.raises(ProofRefused, match="something else"):
        desk.persons.require(APPROVE, BROWSER, Proof(asked.id, code=code))
    with pytest.raises(ProofRequired):
        desk.persons.require(APPROVE, BROWSER, None)


def test_no_two_acts_have_the_same_challenge() -> None:
    acts = [Act("a", "bc"), Act("ab", "c"), Act("abc"), Act("", "a", "bc"), Act("a", "b", "c")]
    assert len({act.challenge(b"n") for act in acts}) == len(acts)
    assert Act("a").challenge(b"1") != Act("a").challenge(b"2")


@pytest.mark.parametrize(
    "value",
    [0, 23, 24, 255, 65_536, -1, -257, b"", b"x" * 300, "é", [1, [2, {"a": b"b"}]], True, False],
)
def test_cbor_is_read_as_it_was_written(value: Any) -> None:
    assert read_cbor(write_cbor(value) + b"rest") == (value, b"rest")


@pytest.mark.parametrize(
    "data",
    [
        *(b"", b"\x5f\x41a\xff", b"\x9f\xff", b"\xbf\xff", b"\xc0\x61a", b"\xfb" + bytes(8)),
        *(b"\x5b" + b"\xff" * 8, b"\x9b" + b"\xff" * 8, b"\xa2\x01\x01\x01\x02", b"\xa1\x80\x01"),
        *(b"\x81" * 20 + b"\x01", b"\x61\xff", b"\x1c", b"\xf7"),
    ],
)
def test_cbor_that_authenticators_do_not_write_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        read_cbor(data)


@pytest.mark.parametrize("text", ["a", "ab cd", "a+b/", "é", "a" * 5])
def test_a_part_that_is_not_base64url_is_refused(text: str) -> None:
    with pytest.raises(ProofRefused):
        decode(text)
