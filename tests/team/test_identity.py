"""Signing in: the device flow on the laptop, and what the server takes as proof."""

from __future__ import annotations

import contextlib
import hmac
import json
import threading
import time
import urllib.request
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from jwt.utils import base64url_encode
from tests.daemon.conftest import eventually
from tests.team.conftest import served
from tests.team.issuer import CLIENT, Issuer, issuing

from dmm.errors import TeamError, UsageError
from dmm.server.setup import read_setup, set_up, trust_issuer
from dmm.team.client import ask_sign_in, join_by_token
from dmm.team.credentials import keep_credentials
from dmm.team.identity import KEYS_KEPT, KEYS_LAST, LOOK_AGAIN, PATIENCE, Grant, People, Trusted
from dmm.team.issuer import SignIn, find_metadata, need_elsewhere, read_url
from dmm.team.keys import SigningKey
from dmm.team.registry import Registry
from dmm.team.sign_in import Code, bind, sign_in
from dmm.team.sqlite import SqliteDatabase

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.team.conftest import Office

KEY = SigningKey.read("22" * 32)


@pytest.fixture
def issuer() -> Iterator[Issuer]:
    with issuing() as made:
        made.claims = {"email": "ada@example.org", "email_verified": True}
        made.claims["groups"] = ["engineers"]
        made.nonce = bind(KEY.public)
        yield made


def trust(issuer: Issuer, *grants: str, **more: Any) -> Trusted:
    read = tuple(map(Grant.read, grants or ("engineers=acme/shop:reviewer",)))
    return Trusted(issuer.url, CLIENT, grants=read, **more)


def enter(issuer: Issuer, sleeps: list[float] | None = None) -> str:
    slept: list[float] = [] if sleeps is None else sleeps
    return sign_in(
        SignIn(issuer.url, CLIENT, "openid"), KEY.public, lambda _: None, sleep=slept.append
    )


def test_a_person_signs_in_and_the_token_proves_it(issuer: Issuer) -> None:
    shown: list[Code] = []
    trusted = trust(issuer)
    token = sign_in(trusted.sign_in, KEY.public, shown.append, sleep=lambda _: None)
    assert shown == [Code(f"{issuer.url}/activate", "WDJB-MJHT", issuer.url)]
    person = People(trusted).verify(token, KEY.public)
    assert (person.name, person.choose("").role) == ("ada@example.org", "reviewer")
    assert issuer.forms[0]["scope"] == "openid profile email"


def test_the_laptop_waits_as_long_as_the_issuer_asks(issuer: Issuer) -> None:
    issuer.answers = ["authorization_pending", "slow_down", "authorization_pending"]
    sleeps: list[float] = []
    assert enter(issuer, sleeps)
    assert sleeps == [1, 1, 6, 6]


@pytest.mark.parametrize(
    ("answer", "fault", "said"),
    [
        ("access_denied", "denied", "was denied"),
        ("expired_token", "expired", "code has expired"),
        ("invalid_grant", "issuer", "the issuer refused: invalid_grant"),
    ],
)
def test_a_sign_in_that_comes_to_nothing_is_told_with_the_way_out(
    issuer: Issuer, answer: str, fault: str, said: str
) -> None:
    issuer.answers = ["authorization_pending", answer]
    with pytest.raises(TeamError, match=said) as told:
        enter(issuer)
    assert told.value.fault == fault
    assert "dmm " in str(told.value.hint)


def test_a_code_that_nobody_uses_expires_on_the_laptop_too(issuer: Issuer) -> None:
    issuer.answers = ["authorization_pending"] * 99
    times = iter(range(0, 990, 10))
    trusted = SignIn(issuer.url, CLIENT, "openid")
    with pytest.raises(TeamError, match="code has expired"):
        sign_in(
            trusted,
            KEY.public,
            lambda _: None,
            sleep=lambda _: None,
            clock=lambda: float(next(times)),
        )


def test_an_issuer_that_can_not_be_used_is_named(issuer: Issuer) -> None:
    trusted = SignIn(issuer.url, "another", "openid")
    with pytest.raises(TeamError, match="does not know the server's client"):
        sign_in(trusted, KEY.public, lambda _: None)
    issuer.device_flow = False
    with pytest.raises(TeamError, match="no device flow") as told:
        enter(issuer)
    assert "INVITATION" in str(told.value.hint)
    with pytest.raises(TeamError, match="can't be reached") as away:
        find_metadata("http://127.0.0.1:1")
    assert (away.value.fault, "INVITATION" in str(away.value.hint)) == ("unreachable", True)
    with pytest.raises(TeamError, match="must begin with https://"):
        find_metadata("http://login.example.org")
    with pytest.raises(TeamError, match="not one of the issuer"):
        find_metadata(f"{issuer.url}/")


def test_a_poll_that_breaks_off_does_not_end_a_sign_in(issuer: Issuer) -> None:
    issuer.answers = ["authorization_pending", "broken", "authorization_pending"]
    sleeps: list[float] = []
    assert enter(issuer, sleeps)
    assert sleeps == [1, 1, 6, 6]


def test_addresses_of_an_issuer_are_asked_as_they_are(issuer: Issuer) -> None:
    issuer.jwks = "/keys/?p=policy"
    assert People(trust(issuer)).verify(issuer.sign(), KEY.public).name == "ada@example.org"


def test_an_issuer_elsewhere_names_no_address_of_this_machine() -> None:
    assert read_url("https://login.example.org/a/?p=b")[1] == "/a/?p=b"
    need_elsewhere("https://login.example.org", ("https://keys.example.org/jwks", ""))
    for url in ("http://127.0.0.1:8080/admin", "https://localhost/x", "http://[::1]/x"):
        need_elsewhere("http://127.0.0.1:9", (url,))
        with pytest.raises(TeamError, match="not one of the issuer"):
            need_elsewhere("https://login.example.org", (url,))


@pytest.mark.parametrize("algorithm", ["ES256", "RS256", "PS256", "EdDSA"])
def test_every_asymmetric_signature_is_checked(issuer: Issuer, algorithm: str) -> None:
    issuer.add_key(algorithm)
    people = People(trust(issuer))
    assert people.verify(issuer.sign(), KEY.public).name == "ada@example.org"
    head, body, signature = issuer.sign().split(".")
    other = issuer.sign(groups=["owners"]).split(".")[1]
    for forged in (f"{head}.{other}.{signature}", f"{head}.{body}.", f"{head}.{body}"):
        with pytest.raises(TeamError, match="is not valid"):
            people.verify(forged, KEY.public)


@pytest.mark.parametrize(
    ("claims", "fault", "said"),
    [
        ({"exp": 1_000}, "expired", "has expired"),
        ({"aud": "another"}, "identity", "another audience"),
        ({"iss": "https://login.example.org"}, "identity", "is not valid"),
        ({"aud": [CLIENT, "another"]}, "identity", "another client"),
        ({"aud": [CLIENT, "another"], "azp": "another"}, "identity", "another client"),
        ({"nonce": bind("33" * 32)}, "identity", "another laptop"),
        ({"nonce": ""}, "identity", "another laptop"),
        ({"nonce": None}, "issuer", "left the nonce out"),
        ({"iat": int(time.time()) - 3_600}, "expired", "too old"),
        ({"exp": None}, "identity", "is not valid"),
        ({"sub": None}, "identity", "is not valid"),
        ({"iat": int(time.time()) + 3_600}, "identity", "is not valid"),
    ],
)
def test_a_token_that_is_not_for_this_server_proves_nothing(
    issuer: Issuer, claims: dict[str, Any], fault: str, said: str
) -> None:
    with pytest.raises(TeamError, match=said) as told:
        People(trust(issuer)).verify(issuer.sign(**claims), KEY.public)
    assert told.value.fault == fault
    assert "dmm " in str(told.value.hint)


def test_a_token_that_is_signed_with_a_shared_secret_or_not_at_all_proves_nothing(
    issuer: Issuer,
) -> None:
    kid = issuer.add_key("RS256")
    public = issuer.keys[kid][1].public_key()
    secret = public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    claims = jwt.decode(issuer.sign(), options={"verify_signature": False})
    people = People(trust(issuer))
    signed = people.verify(issuer.sign(), KEY.public)
    assert signed.grants
    # By hand, as the library refuses to sign with a public key.
    head = {"alg": "HS256", "typ": "JWT", "kid": kid}
    parts = (base64url_encode(json.dumps(one).encode()).decode() for one in (head, claims))
    said = ".".join(parts)
    mac = hmac.new(secret, said.encode(), "sha256").digest()
    forged = f"{said}.{base64url_encode(mac).decode()}"
    bare = jwt.encode(claims, "", algorithm="none", headers={"kid": kid})
    for token in (forged, bare, "not.a.token", "x"):
        with pytest.raises(TeamError, match="is not valid"):
            people.verify(token, KEY.public)


def test_keys_are_kept_and_read_again_when_the_issuer_has_new_ones(issuer: Issuer) -> None:
    now = [1_000.0]
    people = People(trust(issuer), lambda: now[0])
    for _ in range(3):
        people.verify(issuer.sign(), KEY.public)
    assert issuer.asked_for_keys == 1
    old = issuer.sign()
    issuer.add_key()
    with pytest.raises(TeamError, match="not signed with a key of the issuer"):
        people.verify(issuer.sign(), KEY.public)
    now[0] += LOOK_AGAIN
    people.verify(issuer.sign(), KEY.public)
    people.verify(old, KEY.public)
    assert issuer.asked_for_keys == 2
    issuer.keys = dict(list(issuer.keys.items())[1:])
    now[0] += KEYS_KEPT
    with pytest.raises(TeamError, match="not signed with a key of the issuer"):
        people.verify(old, KEY.public)
    assert issuer.asked_for_keys == 3


def test_while_the_issuer_is_away_known_keys_are_good_and_others_are_not(issuer: Issuer) -> None:
    now = [1_000.0]
    with issuing() as other:
        other.claims, other.nonce = issuer.claims, issuer.nonce
        people = People(trust(other), lambda: now[0])
        people.verify(other.sign(), KEY.public)
        token = other.sign()
        other.add_key()
        unknown = other.sign()
    now[0] += KEYS_KEPT
    assert people.verify(token, KEY.public)
    for _ in range(2):
        with pytest.raises(TeamError, match="the issuer can't be reached"):
            people.verify(unknown, KEY.public)


def test_claims_grant_projects_and_the_strongest_role_counts(issuer: Issuer) -> None:
    grants = ("engineers=acme/shop:reader", "leads=acme/shop:owner", "leads=acme/api:reader")
    people = People(trust(issuer, *grants))
    assert people.verify(issuer.sign(), KEY.public).choose("").role == "reader"
    both = people.verify(issuer.sign(groups=["engineers", "leads"]), KEY.public)
    assert both.choose("acme/shop").role == "owner"
    with pytest.raises(TeamError, match="several projects") as told:
        both.choose("")
    assert told.value.hint == "name one of them with --project: acme/api, acme/shop"
    with pytest.raises(TeamError, match="may join no project here named zeta/shop"):
        both.choose("zeta/shop")
    for groups in ([], "visitors", None, 7, [["engineers"]]):
        with pytest.raises(TeamError, match="may join no project"):
            people.verify(issuer.sign(groups=groups), KEY.public).choose("")
    one = People(trust(issuer, "lead=acme/shop:owner", "*=acme/shop:reader", claim="job"))
    assert one.verify(issuer.sign(job="lead"), KEY.public).choose("").role == "owner"
    assert one.verify(issuer.sign(), KEY.public).choose("").role == "reader"


@pytest.mark.parametrize("verified", [False, None, "true", 1])
def test_an_address_that_is_not_verified_grants_nothing_and_names_nobody(
    issuer: Issuer, verified: object
) -> None:
    people = People(trust(issuer, "ada@example.org=acme/shop:owner", claim="email"))
    assert people.verify(issuer.sign(), KEY.public).choose("").role == "owner"
    person = people.verify(issuer.sign(email_verified=verified), KEY.public)
    assert (person.name, person.grants) == ("u1", ())


def test_a_name_shows_its_hidden_characters(issuer: Issuer) -> None:
    issuer.claims = {"preferred_username": "eve\n\x00join owner\u202e"}
    person = People(trust(issuer)).verify(issuer.sign(), KEY.public)
    assert person.name == "eve <U+0000>join owner<U+202E>"


def test_an_issuer_that_hangs_holds_nobody_beyond_the_deadline(issuer: Issuer) -> None:
    now = [1_000.0]
    people = People(trust(issuer), lambda: now[0])
    people.verify(issuer.sign(), KEY.public)
    known = issuer.sign()
    issuer.add_key()
    issuer.open.clear()
    issuer.asked.clear()
    now[0] += KEYS_KEPT
    asking = threading.Thread(target=people.verify, args=(known, KEY.public))
    asking.start()
    assert issuer.asked.wait(30)
    now[0] += PATIENCE
    assert people.verify(known, KEY.public).name == "ada@example.org"
    with pytest.raises(TeamError, match="no answer within 10 s"):
        people.verify(issuer.sign(), KEY.public)
    issuer.open.set()
    asking.join()

    def is_known() -> bool:
        with contextlib.suppress(TeamError):
            return people.verify(issuer.sign(), KEY.public).name == "ada@example.org"
        return False

    eventually(is_known, "the keys that came late are used")


def test_keys_that_can_not_be_read_again_are_good_for_a_day(issuer: Issuer) -> None:
    now = [1_000.0]
    with issuing() as other:
        other.claims, other.nonce = issuer.claims, issuer.nonce
        people = People(trust(other), lambda: now[0])
        people.verify(other.sign(), KEY.public)
        token = other.sign()
    now[0] += KEYS_LAST - 1
    assert people.verify(token, KEY.public)
    now[0] += 1
    with pytest.raises(TeamError, match="the issuer can't be reached"):
        people.verify(token, KEY.public)


@pytest.mark.parametrize(
    "text", ["", "engineers", "x=acme", "x=acme/shop", "x=a/b:king", "=a/b:owner"]
)
def test_a_grant_that_names_no_project_or_role_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        Grant.read(text)


def test_settings_that_could_not_be_read_again_are_not_written(
    issuer: Issuer, tmp_path: Path
) -> None:
    setup = set_up(tmp_path / "server", "")
    many = [f"group-{number}=acme/shop:reader" for number in range(1_000)]
    trusted = trust(issuer, *many)
    trust_issuer(setup, trusted)
    found = read_setup(setup.folder).people()
    assert found is not None
    assert found.trusted == trusted
    before = (setup.folder / "server.json").read_bytes()
    with pytest.raises(UsageError, match="larger than 1,048,576 bytes"):
        trust_issuer(setup, trust(issuer, f"{'x' * 2**20}=acme/shop:reader"))
    assert (setup.folder / "server.json").read_bytes() == before


@pytest.fixture
def hosted(issuer: Issuer, tmp_path: Path) -> Iterator[tuple[Registry, str]]:
    database = SqliteDatabase(tmp_path / "people.db")
    database.migrate()
    registry = Registry(database, SigningKey.make())
    registry.add("acme", "shop")
    with served(registry, people=People(trust(issuer))) as url:
        yield registry, url
    database.close()


def test_a_laptop_of_a_person_is_admitted_listed_and_audited(
    issuer: Issuer, hosted: tuple[Registry, str]
) -> None:
    registry, url = hosted
    assert ask_sign_in(url) == SignIn(issuer.url, CLIENT, "openid profile email")
    joined = join_by_token(url, enter(issuer), "", KEY, "laptop")
    assert (joined.team, joined.project, joined.role) == ("acme", "shop", "reviewer")
    members = registry.members("acme", "shop")
    assert [(one.name, one.person) for one in members] == [("laptop", "ada@example.org")]
    told = registry.accesses("acme", "shop", 9)
    assert ("join", "reviewer ada@example.org") in [(one.act, one.about) for one in told]
    with pytest.raises(TeamError, match="has expired"):
        join_by_token(url, issuer.sign(exp=1_000), "acme/shop", KEY, "laptop")
    told = registry.accesses("acme", "shop", 9)
    assert ("refused", "sign-in: expired") in [(one.act, one.about) for one in told]
    assert len(registry.members("acme", "shop")) == 1


def test_a_sign_in_that_is_refused_is_recorded_also_without_a_project(
    issuer: Issuer, hosted: tuple[Registry, str]
) -> None:
    registry, url = hosted
    with pytest.raises(TeamError, match="has expired"):
        join_by_token(url, issuer.sign(exp=1_000), "", KEY, "laptop")
    told = registry.accesses("acme", "shop", 9)
    assert ("refused", "sign-in: expired") in [(one.act, one.about) for one in told]


def test_an_issuer_that_hangs_stops_nobody_but_those_who_sign_in(
    issuer: Issuer, hosted: tuple[Registry, str]
) -> None:
    _, url = hosted
    issuer.open.clear()
    issuer.asked.clear()
    ended: list[str] = []

    def try_in() -> None:
        try:
            ended.append(join_by_token(url, issuer.sign(), "", SigningKey.make(), "x").writer)
        except TeamError as error:
            ended.append(error.what)

    asking = [threading.Thread(target=try_in) for _ in range(60)]
    for one in asking:
        one.start()
    assert issuer.asked.wait(30)
    with urllib.request.urlopen(f"{url}/health") as answer:
        assert (answer.status, ended) == (200, [])
    issuer.open.set()
    for one in asking:
        one.join()
    assert ended == ["the token is not valid: it was made for another laptop"] * 60


def test_a_server_without_an_issuer_says_how_to_join(office: Office) -> None:
    with pytest.raises(TeamError, match="nobody can sign in") as told:
        ask_sign_in(office.url)
    assert "INVITATION" in str(told.value.hint)


def test_a_project_joins_as_a_person_and_shares_its_rules(
    issuer: Issuer, hosted: tuple[Registry, str], office: Office
) -> None:
    registry, url = hosted
    dmm = office.open("ada")
    held = dmm.team.sign_in(url, "", lambda _: None)
    assert (held.role, held.server_key) == ("reviewer", registry.key.public)
    dmm.ledger.add_constraint("never run terraform destroy")
    assert dmm.team.sync().sent == 1
    issuer.claims = {"groups": ["visitors"]}
    other = office.open("ben")
    with pytest.raises(TeamError, match="may join no project here"):
        other.team.sign_in(url, "", lambda _: None)
    assert not other.team.joined


def test_a_token_is_good_for_one_laptop_once(issuer: Issuer, hosted: tuple[Registry, str]) -> None:
    registry, url = hosted
    token = enter(issuer)
    with pytest.raises(TeamError, match="another laptop"):
        join_by_token(url, token, "", SigningKey.make(), "laptop")
    join_by_token(url, token, "", KEY, "laptop")
    with pytest.raises(TeamError, match="has joined the project already"):
        join_by_token(url, token, "", KEY, "laptop")
    assert len(registry.members("acme", "shop")) == 1


def test_an_issuer_that_drops_the_nonce_can_not_be_used(
    issuer: Issuer, hosted: tuple[Registry, str]
) -> None:
    registry, url = hosted
    issuer.keeps_nonce = False
    with pytest.raises(TeamError, match="left the nonce out") as told:
        join_by_token(url, enter(issuer), "", KEY, "laptop")
    assert "INVITATION" in str(told.value.hint)
    assert registry.members("acme", "shop") == ()


def test_who_signs_in_again_is_not_given_another_key_of_the_server(
    issuer: Issuer, hosted: tuple[Registry, str], office: Office
) -> None:
    registry, url = hosted
    dmm = office.open("ada")
    held = dmm.team.sign_in(url, "", lambda _: None)
    registry.revoke("acme", "shop", held.writer)
    with pytest.raises(TeamError, match="was removed"):
        dmm.team.sync()
    other = Registry(office.registry.database, SigningKey.make())
    other.add("acme", "api")
    grants = ("engineers=acme/shop:reviewer", "engineers=acme/api:reviewer")
    with served(other, people=People(trust(issuer, *grants))) as elsewhere:
        for project, known in (("acme/shop", url), ("acme/api", elsewhere)):
            keep_credentials(dmm.home, replace(held, url=known))
            with pytest.raises(TeamError, match="another key than when") as told:
                dmm.team.sign_in(elsewhere, project, lambda _: None)
            assert "invitation" in str(told.value.hint)
    assert dmm.team.credentials().writer == held.writer
    keep_credentials(dmm.home, held)
    again = dmm.team.sign_in(url, "", lambda _: None)
    assert (again.server_key, again.writer != held.writer) == (registry.key.public, True)
