"""An owner's acts are a person's, on the server too, once the laptop has told it a passkey."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

import pytest
from tests.passkeys.authenticator import Authenticator, write_cbor
from tests.team.test_chain import ADA, BEN, LOG, SERVER_KEY, place, server_says, tell_joined

from dmm.domain.event import canonical
from dmm.errors import TeamError
from dmm.passkeys.acts import Act, make_nonce
from dmm.passkeys.keyring import Passkey, Signed
from dmm.passkeys.webauthn import Made, encode
from dmm.team.chain import JOINED, PASSKEY, Trail, WriterHead, digest
from dmm.team.client import HttpMembers
from dmm.team.persons import describe_passkeys, tell_line
from dmm.team.port import Page
from dmm.team.proofs import GOOD_FOR
from dmm.team.roles import OWNER
from dmm.team.stored import now

if TYPE_CHECKING:
    import datetime as dt

    from tests.team.conftest import Hall, Laptop, Office

    from dmm.team.keys import SigningKey
    from dmm.team.proofs import Enrolled

ORIGIN = "http://page.localhost:8300"


def make_key() -> Authenticator:
    return Authenticator("page.localhost", ORIGIN)


def hold(key: Authenticator) -> Passkey:
    """Return a passkey as the user's record has it."""
    return Passkey(encode(key.id), "mine", write_cbor(key.signer.cose), 0, "", key.name)


@dataclass(slots=True)
class Owner:
    """A laptop of an owner, in process or over HTTP, and its user's passkey."""

    hall: Hall
    laptop: Laptop
    key: Authenticator = field(default_factory=make_key)

    @property
    def log(self) -> tuple[str, str]:
        return self.hall.team, "shop"

    def describe(self) -> tuple[Enrolled, ...]:
        writer = self.laptop.joined.writer
        return describe_passkeys(self.log, writer, self.laptop.key, [hold(self.key)])

    def enrol(self, told: tuple[Enrolled, ...] | None = None) -> int:
        told = self.describe() if told is None else told
        if self.hall.url:
            return self.members(None).enrol(told)
        return self.hall.registry.enrol(*self.log, self.laptop.joined.writer, told)

    def members(self, proof: dict[str, str] | None) -> HttpMembers:
        return HttpMembers.of(self.laptop.credentials(self.hall.url), proof)

    def sign(self, words: str, at: dt.datetime | None = None) -> dict[str, str]:
        nonce = make_nonce(at or now())
        challenge = Act("terminal", tell_line(self.log, words)).challenge(nonce)
        return Signed(nonce, self.key.sign(challenge)).describe()

    def invite(self, proof: dict[str, str] | None = None) -> str:
        if self.hall.url:
            return self.members(proof).invite("reader")
        by = self.laptop.joined.writer
        return self.hall.registry.invite(*self.log, "reader", by=by, proof=proof or {})

    def change_role(self, writer: str, role: str, proof: dict[str, str] | None = None) -> bool:
        if self.hall.url:
            return self.members(proof).change_role(writer, role)
        by = self.laptop.joined.writer
        return self.hall.registry.change_role(*self.log, writer, role, by=by, proof=proof or {})

    def revoke(self, writer: str, proof: dict[str, str] | None = None) -> bool:
        if self.hall.url:
            return self.members(proof).revoke(writer)
        by = self.laptop.joined.writer
        return self.hall.registry.revoke(*self.log, writer, by=by, proof=proof or {})


INVITE = "invite --role reader"


def test_an_owner_without_a_passkey_manages_as_before(hall: Hall) -> None:
    assert Owner(hall, hall.join("owner")).invite()


def test_every_act_of_an_owner_with_a_passkey_is_confirmed_by_it(hall: Hall) -> None:
    owner, ben = Owner(hall, hall.join("owner")), hall.join("reader").joined.writer
    assert (owner.enrol(), owner.enrol()) == (1, 1)
    for act in (
        owner.invite,
        lambda: owner.change_role(ben, "reviewer"),
        lambda: owner.revoke(ben),
    ):
        with pytest.raises(TeamError, match="confirmed by passkey, and this one is not") as refused:
            act()
        # A laptop that is in the team can't join before it has left.
        assert "dmm team leave --drop-rules" in (refused.value.hint or "")
    assert owner.invite(owner.sign(INVITE))
    assert owner.change_role(ben, "reviewer", owner.sign(f"role {ben} reviewer"))
    assert owner.revoke(ben, owner.sign(f"revoke {ben}"))
    told = hall.registry.accesses(*owner.log, 50)
    acts = [(one.act, one.about.rpartition(" ")[0]) for one in told if one.act == "passkey"]
    lines = (INVITE, f"role {ben} reviewer", f"revoke {ben}", "enrol")
    assert sorted(acts) == sorted(("passkey", one) for one in lines)
    assert ("refused", "passkey", 3) in [(one.act, one.about, one.count) for one in told]
    # Looking at the list decides nothing.
    assert hall.registry.members(*owner.log, by=owner.laptop.joined.writer)


def test_a_proof_is_good_once_for_its_own_words_and_for_ten_minutes(hall: Hall) -> None:
    owner, ben = Owner(hall, hall.join("owner")), hall.join("reader").joined.writer
    owner.enrol()
    proof = owner.sign(INVITE)
    with pytest.raises(TeamError, match="did not confirm this"):
        owner.change_role(ben, "owner", proof)
    with pytest.raises(TeamError, match="did not confirm this"):
        owner.change_role(ben, "owner", owner.sign(f"role {ben} reviewer"))
    assert owner.invite(proof)
    with pytest.raises(TeamError, match="was used before"):
        owner.invite(proof)
    for late in (GOOD_FOR, -GOOD_FOR):
        at = now() + late + (late / 10)
        with pytest.raises(TeamError, match="has expired"):
            owner.invite(owner.sign(INVITE, at))
    other = Owner(hall, owner.laptop)
    with pytest.raises(TeamError, match="not one that the laptop told"):
        owner.invite(other.sign(INVITE))
    forged = Authenticator(other.key.name, ORIGIN, other.key.signer, owner.key.id)
    with pytest.raises(TeamError, match="signature is wrong"):
        owner.invite(replace(other, key=forged).sign(INVITE))
    unverified = replace(owner.key, flags=0x01)
    with pytest.raises(TeamError, match="did not verify who you are"):
        owner.invite(replace(owner, key=unverified).sign(INVITE))


def test_whoever_has_the_token_alone_adds_no_passkey(hall: Hall) -> None:
    owner = Owner(hall, hall.join("owner"))
    (told,) = owner.describe()
    with pytest.raises(TeamError, match="did not sign its passkey"):
        owner.enrol((replace(told, page="other.localhost"),))
    with pytest.raises(TeamError, match="can't be used"):
        owner.enrol((replace(told, key="AAAA"),))
    assert owner.enrol() == 1
    # The first stays the only one.
    thief = Owner(hall, owner.laptop)
    assert thief.enrol() == 1
    with pytest.raises(TeamError, match="not one that the laptop told"):
        thief.invite(thief.sign(INVITE))
    gone = Owner(hall, hall.join("reader"))
    hall.registry.revoke(*owner.log, gone.laptop.joined.writer)
    with pytest.raises(TeamError, match="removed from the team"):
        gone.enrol()


def test_the_log_shows_the_passkey_to_all_and_laptops_check_who_signed_it(hall: Hall) -> None:
    owner = Owner(hall, hall.join("owner"))
    owner.enrol()
    page = hall.join("reader").log.pull(0)
    assert isinstance(page, Page)
    Trail(owner.laptop.joined.server_key, owner.log).follow(page.placed)
    (told,) = [json.loads(one.entry.payload) for one in page.placed if one.entry.type == PASSKEY]
    assert (told["writer"], told["id"]) == (owner.laptop.joined.writer, encode(owner.key.id))


@pytest.mark.parametrize(("signer", "found"), [(ADA, False), (BEN, True)])
def test_a_server_that_makes_up_a_passkey_is_found_out(signer: SigningKey, found: bool) -> None:
    joined = server_says((), JOINED, tell_joined("ada", WriterHead(ADA.public, OWNER)))
    (told,) = describe_passkeys(LOG, "ada", signer, [hold(make_key())])
    payload = canonical({"writer": "ada", **asdict(told)})
    placed = place([joined, server_says((joined,), PASSKEY, payload)])
    trail = Trail(SERVER_KEY.public, LOG)
    if not found:
        trail.follow(placed)
        return
    with pytest.raises(TeamError, match="its laptop did not sign this passkey"):
        trail.follow(placed)


def test_passkeys_that_the_server_would_not_take_are_told_no_more(office: Office) -> None:
    ada = office.laptop("ada")
    held, lost, mine = ada.team.credentials(), make_key(), make_key()
    (told,) = describe_passkeys(held.log, held.writer, held.key, [hold(lost)])
    plain = digest("passkey", *held.log, held.writer, told.id, told.key, told.page)
    # As the version before told it, and it is gone since.
    old = replace(told, scope="", signature=held.key.sign(plain))
    office.registry.enrol(*held.log, held.writer, [old])
    ada.team.sync()
    made = Made(encode(mine.id), write_cbor(mine.signer.cose), mine.counter, "")
    ada.team.keyring.add(made, "mine", "code of the terminal", mine.name, "now")
    # Nothing is asked of the server, which nobody could reach.
    ada.team.tell_passkeys(replace(held, url="http://127.0.0.1:1"))
    assert ada.team.sync().sent == 0
