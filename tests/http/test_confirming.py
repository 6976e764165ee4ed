"""A browser that is signed in decides nothing until a person confirms it."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest
from tests.passkeys.authenticator import Authenticator, to_json
from tests.person_acts import FREE_ROUTES, ROUTES

from dmm.passkeys.acts import PersonAct as Act
from dmm.passkeys.webauthn import decode, encode

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.http.conftest import Headers, Reply, Server

    from dmm.projects import Projects

# What an agent may say too: it waits for a person.
PROPOSED = (Act.REMEMBER, Act.FORGET, Act.ADD_RULE, Act.CONSTRAINT)
NOTE = "# How long a session lives\n\nA session of the shop lives for {days} days, then it ends."


@pytest.fixture
def shop(
    projects: Projects, new_memory: Callable[..., Any], tmp_path: Any, serve: Callable[..., Server]
) -> Server:
    """A server of its own: passkeys that one test enrols are no other's."""
    root = new_memory(tmp_path / "shop")
    projects.find(root)
    return serve(projects, root)


def ask(shop: Server, own: Headers, method: str, path: str, body: object = None) -> Reply:
    named = tuple((n, f"http://{shop.name}:{shop.port}" if n == "Origin" else v) for n, v in own)
    host = (("Host", f"{shop.name}:{shop.port}"),)
    return shop.ask(method, path, body, headers=(*host, *named), without=("Authorization",))


def propose(shop: Server, days: int) -> tuple[str, str]:
    """Propose as an agent does; the id and the digest of the text."""
    body = {"path": "project/sessions.md", "reason": "seen", "content": NOTE.format(days=days)}
    name = shop.ask("POST", "/v1/proposals", body).json()["id"]
    return name, shop.ask("GET", f"/v1/proposals/{name}").json()["digest"]


def enrol(shop: Server, own: Headers) -> Authenticator:
    code = shop.persons.codes.make()
    asked = ask(shop, own, "POST", "/v1/confirmations", {"action": "enroll", "id": "laptop"}).json()
    assert asked["how"] == "code"
    proof = {"confirmation": asked["id"], "code": code}
    options = ask(
        shop, own, "POST", "/v1/passkeys/begin", {"name": "laptop", "proof": proof}
    ).json()
    assert options["authenticatorSelection"]["userVerification"] == "required"
    assert options["rp"]["id"] == shop.name
    assert [one["alg"] for one in options["pubKeyCredParams"]] == [-7, -8, -257]
    key = Authenticator(shop.name, f"http://{shop.name}:{shop.port}")
    client, attestation = key.create(decode(options["challenge"]))
    made = {"client_data": encode(client), "attestation": encode(attestation)}
    told = ask(
        shop,
        own,
        "POST",
        "/v1/passkeys/finish",
        {"name": "laptop", "id": encode(key.id)} | made,
    )
    assert (told.status, told.json()["id"]) == (200, encode(key.id))
    return key


def confirm(shop: Server, own: Headers, key: Authenticator, **act: str) -> dict[str, Any]:
    asked = ask(shop, own, "POST", "/v1/confirmations", act).json()
    assert (asked["how"], asked["rp_id"]) == ("passkey", shop.name)
    assert asked["credentials"] == [encode(key.id)]
    return {
        "confirmation": asked["id"],
        "credential": to_json(key.sign(decode(asked["challenge"]))),
    }


def approve(shop: Server, own: Headers, name: str, seen: str, proof: object) -> Reply:
    path = f"/v1/proposals/{name}/approve"
    body = {"seen": seen, "bypass_reviewer": True, "proof": proof}
    return ask(shop, own, "POST", path, body)


def test_a_browser_without_a_code_reads_and_proposes_but_decides_nothing(shop: Server) -> None:
    own = shop.sign_in(confirmed=False)
    name, digest = propose(shop, 14)
    sides = {"ids": ["project/keeping_memory.md", "baseline/identity.md"], "description": "so"}
    clash = shop.ask("POST", "/v1/conflicts", sides).json()["conflict_id"]
    names = {Act.REMOVE_PASSKEY: "x", Act.RESOLVE: clash}
    before = shop.events()
    for act, (route, body) in ROUTES.items():
        method, _, path = route.partition(" ")
        path = path.replace("{id}", names.get(act, name.rpartition("_")[2]))
        told = ask(shop, own, method, path, body)
        wanted = "proof_refused" if act is Act.REMOVE_PASSKEY else "proof_required"
        assert (act, told.status, told.code) == (act, 403, wanted)
        # A program with the token is an agent, or nobody who could.
        told = shop.ask(method, path, body)
        assert act in PROPOSED or told.status in (403, 409), (act, told.body)
    assert digest == shop.ask("GET", f"/v1/proposals/{name}").json()["digest"]
    events = shop.ask("GET", f"/v1/ledger/events?last=50&after={before}").json()["events"]
    assert {one["trust"] for one in events} <= {"agent"}


def test_every_address_that_changes_something_asks_or_is_known_to_need_no_proof(
    shop: Server,
) -> None:
    document = shop.ask("GET", "/v1/openapi.json").json()
    models = document["components"]["schemas"]
    asking, free = set[str](), set[str]()
    for path, methods in document["paths"].items():
        for method, about in methods.items():
            body = about.get("requestBody", {}).get("content", {}).get("application/json", {})
            model = body.get("schema", {}).get("$ref", "").rpartition("/")[2]
            proven = "proof" in models.get(model, {}).get("properties", {})
            if method != "get":
                (asking if proven else free).add(f"{method.upper()} {path}")
    # A further passkey is confirmed once it is made.
    assert asking == {route for route, _ in ROUTES.values()} | {"POST /v1/passkeys/finish"}
    assert free == FREE_ROUTES


def test_the_code_of_the_terminal_confirms_and_lasts(shop: Server) -> None:
    own = shop.sign_in(confirmed=False)
    name, digest = propose(shop, 14)
    act = {"action": "approve", "id": name, "digest": digest}
    code = shop.persons.codes.make()
    asked = ask(shop, own, "POST", "/v1/confirmations", act).json()
    wrong = {"confirmation": asked["id"], "code": "000000" if code != "000000" else "000001"}
    told = approve(shop, own, name, digest, wrong)
    assert (told.status, told.code) == (403, "proof_refused")
    asked = ask(shop, own, "POST", "/v1/confirmations", act).json()
    right = {"confirmation": asked["id"], "code": code}
    assert approve(shop, own, name, digest, right).json()["status"] == "applied"
    assert ask(shop, own, "POST", "/v1/confirmations", act).json()["how"] == "none"
    assert ask(shop, own, "POST", "/v1/undo", {"seq": int(name.rpartition("_")[2])}).status == 200


def test_a_passkey_confirms_the_text_that_was_shown_and_no_other(shop: Server) -> None:
    own = shop.sign_in(confirmed=False)
    key = enrol(shop, own)
    seen = ask(shop, own, "GET", "/v1/session").json()
    assert (seen["passkey"], seen["confirm"]) == ({"enrolled": 1, "required": True}, "passkey")
    name, digest = propose(shop, 14)
    assert approve(shop, own, name, digest, None).code == "proof_required"
    act = {"action": "approve", "id": name, "digest": digest}
    other, others = propose(shop, 30)
    for target, text in ((other, others), (name, others), (name, digest[:12])):
        told = approve(shop, own, target, text, confirm(shop, own, key, **act))
        assert (told.status, told.code) == (403, "proof_refused")
    rejection = ask(
        shop,
        own,
        "POST",
        f"/v1/proposals/{name}/reject",
        {"reason": "no", "seen": digest, "proof": confirm(shop, own, key, **act)},
    )
    assert rejection.code == "proof_refused"
    proof = confirm(shop, own, key, **act)
    assert approve(shop, own, name, digest, proof).json()["status"] == "applied"
    assert approve(shop, own, name, digest, proof).code == "proof_refused"


def test_a_text_that_changed_after_it_was_confirmed_is_not_applied(shop: Server) -> None:
    own = shop.sign_in(confirmed=False)
    key = enrol(shop, own)
    name, digest = propose(shop, 14)
    content = NOTE.format(days=30)
    edited = confirm(shop, own, key, action="edit", id=name, content=content)
    proof = confirm(shop, own, key, action="approve", id=name, digest=digest)
    body = {"content": content, "seen": digest, "proof": edited}
    assert ask(shop, own, "POST", f"/v1/proposals/{name}/edit", body).status == 200
    told = approve(shop, own, name, digest, proof)
    assert (told.status, told.json()["error"]["code"]) == (409, "review_refused")


def test_what_a_browser_says_is_the_users_word_only_where_a_person_has_confirmed(
    shop: Server,
) -> None:
    said: list[tuple[str, dict[str, Any]]] = [
        ("/v1/ledger/facts", {"key": "region", "value": "eu"}),
        ("/v1/ledger/decisions", {"text": "Move to Frankfurt", "rationale": "nearer"}),
        ("/v1/ledger/queries", {"question": "which region"}),
        ("/v1/feedback", {"memories": ["project/keeping_memory.md"], "outcome": "helped"}),
        ("/v1/proposals", {"path": "project/s.md", "reason": "r", "content": NOTE}),
    ]

    def record(own: Headers) -> list[tuple[str, str]]:
        after = shop.events()
        for path, body in said:
            told = ask(shop, own, "POST", path, body)
            assert (path, told.status) == (path, 200), told.body
        events = shop.ask("GET", f"/v1/ledger/events?last=50&after={after}").json()["events"]
        return sorted({(one["actor"], one["trust"]) for one in events})

    assert record(shop.sign_in(confirmed=False)) == [("browser", "agent")]
    typed = shop.sign_in()
    assert record(typed) == [("user", "user")]
    enrol(shop, shop.sign_in(confirmed=False))
    assert record(typed) == [("browser", "agent")]


def refused(shop: Server, told: Reply, before: int) -> bool:
    """Tell whether a decision was refused for want of the right proof, and left no trace."""
    return (told.status, told.code, shop.events()) == (403, "proof_refused", before)


def test_an_edit_confirmed_for_one_text_brings_in_no_other(shop: Server) -> None:
    own = shop.sign_in(confirmed=False)
    key = enrol(shop, own)
    name, digest = propose(shop, 14)
    path, text = f"/v1/proposals/{name}/edit", NOTE.format(days=30)
    before = shop.events()
    for act in (
        {"action": "edit", "id": name, "content": text},
        {"action": "edit", "id": name, "digest": digest},
        {"action": "approve", "id": name, "content": NOTE.format(days=90)},
    ):
        body = {"content": NOTE.format(days=90), "proof": confirm(shop, own, key, **act)}
        assert refused(shop, ask(shop, own, "POST", path, body), before)
    proof = confirm(shop, own, key, action="edit", id=name, content=text)
    told = ask(shop, own, "POST", path, {"content": text, "seen": digest, "proof": proof})
    assert told.status == 200


def test_an_undo_is_confirmed_for_the_writes_that_were_shown(shop: Server) -> None:
    own = shop.sign_in(confirmed=False)
    key = enrol(shop, own)
    name, digest = propose(shop, 14)
    proof = confirm(shop, own, key, action="approve", id=name, digest=digest)
    assert approve(shop, own, name, digest, proof).json()["status"] == "applied"
    wanted = {"seq": int(name.rpartition("_")[2])}
    shown = ask(shop, own, "POST", "/v1/undo", wanted | {"preview": True}).json()
    assert shown["digest"] == digest
    before, other = shop.events(), "0" * 64
    for seen, act in (
        (other, {"digest": digest}),
        (digest, {"digest": other}),
        (None, {"digest": digest}),
        (None, {}),
    ):
        proof = confirm(shop, own, key, action="undo", id=name, **act)
        told = ask(shop, own, "POST", "/v1/undo", wanted | {"seen": seen, "proof": proof})
        assert refused(shop, told, before)
    proof = confirm(shop, own, key, action="undo", id=name, digest=other)
    told = ask(shop, own, "POST", "/v1/undo", wanted | {"seen": other, "proof": proof})
    assert (told.status, told.code) == (409, "review_refused")
    proof = confirm(shop, own, key, action="undo", id=name, digest=digest)
    told = ask(shop, own, "POST", "/v1/undo", wanted | {"seen": digest, "proof": proof})
    assert (told.status, told.json()["undone"]) == (200, [name])


@pytest.mark.parametrize("act", ["disable", "enable"])
def test_a_rule_is_switched_only_in_the_text_that_was_shown(shop: Server, act: str) -> None:
    own = shop.sign_in()
    made = ask(shop, own, "POST", "/v1/rules", {"text": "Never run terraform destroy."}).json()
    name = made["id"]
    if act == "enable":
        assert ask(shop, own, "POST", f"/v1/rules/{name}/disable", {}).status == 200
    key = enrol(shop, shop.sign_in(confirmed=False))
    seen = ask(shop, own, "GET", f"/v1/rules/{name}").json()
    digest, path = seen["digest"], f"/v1/rules/{name}/{act}"
    before = shop.events()
    for given, signed in ((digest, "0" * 64), ("0" * 64, digest), (None, digest), (None, "")):
        proof = confirm(shop, own, key, action=f"{act}_rule", id=name, digest=signed)
        told = ask(shop, own, "POST", path, {"seen": given, "proof": proof})
        assert refused(shop, told, before)
    file = shop.root / seen["path"]
    file.write_text(file.read_text() + "\nIt was changed meanwhile.\n")
    source = file.read_text()
    proof = confirm(shop, own, key, action="edit_rule", id=name, content=source)
    edited = ask(shop, own, "POST", f"/v1/rules/{name}/edit", {"source": source, "proof": proof})
    assert edited.status == 200
    proof = confirm(shop, own, key, action=f"{act}_rule", id=name, digest=digest)
    told = ask(shop, own, "POST", path, {"seen": digest, "proof": proof})
    assert (told.status, told.code) == (409, "ledger_refused")
    digest = ask(shop, own, "GET", f"/v1/rules/{name}").json()["digest"]
    proof = confirm(shop, own, key, action=f"{act}_rule", id=name, digest=digest)
    told = ask(shop, own, "POST", path, {"seen": digest, "proof": proof})
    assert told.status == 200
    assert told.json().get("disabled", False) is (act == "disable")


def test_a_pending_rule_is_accepted_only_in_the_text_that_was_shown(shop: Server) -> None:
    own = shop.sign_in(confirmed=False)
    for text in ("Never run terraform destroy.", "Never deploy on Fridays."):
        assert shop.ask("POST", "/v1/rules", {"text": text}).status == 200
    first, second = ask(shop, own, "GET", "/v1/rules/pending").json()["pending"]
    key = enrol(shop, own)
    name = str(first["seq"])
    shown = ask(shop, own, "GET", f"/v1/rules/{name}").json()["digest"]
    assert first["digest"] == shown != second["digest"]
    before = shop.events()
    for given, signed in (
        (shown, second["digest"]),
        (second["digest"], shown),
        (None, shown),
        (None, ""),
    ):
        proof = confirm(shop, own, key, action="accept_rule", id=name, digest=signed)
        body = {"names": [name], "seen": given, "proof": proof}
        assert refused(shop, ask(shop, own, "POST", "/v1/rules/accept", body), before)
    other = second["digest"]
    proof = confirm(shop, own, key, action="accept_rule", id=name, digest=other)
    body = {"names": [name], "seen": other, "proof": proof}
    told = ask(shop, own, "POST", "/v1/rules/accept", body)
    assert (told.status, told.code) == (409, "ledger_refused")
    assert len(ask(shop, own, "GET", "/v1/rules/pending").json()["pending"]) == 2
    names = [name, str(second["seq"])]
    both = hashlib.sha256(f"{shown}\n{other}".encode()).hexdigest()
    proof = confirm(shop, own, key, action="accept_rule", id=",".join(names), digest=both)
    body = {"names": names, "seen": both, "proof": proof}
    assert ask(shop, own, "POST", "/v1/rules/accept", body).status == 200


@pytest.mark.parametrize("what", ["forget", "resolve", "adopt_rules"])
def test_a_memory_a_conflict_and_a_constraint_are_decided_in_the_text_that_was_shown(
    shop: Server, what: str
) -> None:
    own = shop.sign_in()
    case = {"forget": forgetting, "resolve": resolving, "adopt_rules": adopting}[what](shop, own)
    key = enrol(shop, shop.sign_in(confirmed=False))

    def decide(seen: str | None, signed: str, name: str = case.id) -> Reply:
        proof = confirm(shop, own, key, action=what, id=name, digest=signed)
        return ask(shop, own, "POST", case.path, case.body | {"seen": seen, "proof": proof})

    digest, before = case.digest(), shop.events()
    assert len(digest) == 64
    for seen, signed in ((digest, "0" * 64), ("0" * 64, digest), (None, digest), (None, "")):
        assert refused(shop, decide(seen, signed), before)
    assert refused(shop, decide(digest, digest, f"{case.id}0"), before)
    told = decide("0" * 64, "0" * 64)
    assert (told.status, told.code) == (409, case.code)
    if case.file is not None:
        case.file.write_text(case.file.read_text() + "\nSaid by somebody else.\n")
        told = decide(digest, digest)
        assert (told.status, told.code) == (409, case.code)
        assert case.digest() != digest
    told = decide(case.digest(), case.digest())
    assert told.status == 200, told.body


@dataclass(frozen=True, slots=True)
class Case:
    """A decision: what is confirmed, how it is sent, and where its digest is shown."""

    id: str
    path: str
    body: dict[str, Any]
    digest: Callable[[], str]
    code: str
    file: Path | None = None


def forgetting(shop: Server, own: Headers) -> Case:
    note = {"text": "The staging database is called harbour."}
    path = ask(shop, own, "POST", "/v1/remember", note).json()["path"]

    def digest() -> str:
        return str(ask(shop, own, "GET", f"/v1/memories/{path}").json()["digest"])

    file = shop.root / ".dmm" / "memory" / path
    return Case(path, "/v1/forget", {"name": path}, digest, "review_refused", file)


def resolving(shop: Server, own: Headers) -> Case:
    texts = "Invoices are sent on Mondays.", "The lamp in the hall is green."
    paths = [ask(shop, own, "POST", "/v1/remember", {"text": one}).json()["path"] for one in texts]
    body = {"ids": paths, "description": "They do not go together."}
    name = ask(shop, own, "POST", "/v1/conflicts", body).json()["conflict_id"]

    def digest() -> str:
        return str(ask(shop, own, "GET", f"/v1/conflicts/{name}").json()["digest"])

    return Case(
        f"{name}:intentional",
        f"/v1/conflicts/{name}/resolve",
        {"action": "intentional", "reason": "both hold"},
        digest,
        "ledger_refused",
        shop.root / ".dmm" / "memory" / paths[1],
    )


def adopting(shop: Server, own: Headers) -> Case:
    body = {"text": "never run rm -rf"}
    seq = ask(shop, own, "POST", "/v1/ledger/constraints", body).json()["seq"]

    def digest() -> str:
        return str(ask(shop, own, "GET", f"/v1/rules/{seq}").json()["digest"])

    return Case(str(seq), "/v1/rules/adopt", {"seqs": [seq]}, digest, "ledger_refused")


def test_a_token_confirms_nothing_and_a_foreign_page_neither(shop: Server) -> None:
    act = {"action": "undo", "id": "1"}
    for method, path, body in (
        ("POST", "/v1/confirmations", act),
        ("POST", "/v1/passkeys/begin", {"name": "mine"}),
        ("DELETE", "/v1/passkeys/x", {}),
    ):
        told = shop.ask(method, path, body)
        assert (told.status, told.code) == (403, "proof_refused")
    own = shop.sign_in(confirmed=False)
    forged = (own[0], ("Origin", "http://evil.example"), own[2])
    told = shop.ask("POST", "/v1/confirmations", act, headers=forged, without=("Authorization",))
    assert (told.status, told.code) == (403, "origin_refused")


def test_a_proof_of_one_browser_is_none_of_another(shop: Server) -> None:
    first, second = shop.sign_in(confirmed=False), shop.sign_in(confirmed=False)
    key = enrol(shop, first)
    name, digest = propose(shop, 14)
    proof = confirm(shop, first, key, action="approve", id=name, digest=digest)
    assert approve(shop, second, name, digest, proof).code == "proof_refused"


def test_a_passkey_is_listed_and_removed_by_itself(shop: Server) -> None:
    own = shop.sign_in(confirmed=False)
    key = enrol(shop, own)
    name = encode(key.id)
    rows = ask(shop, own, "GET", "/v1/passkeys").json()["passkeys"]
    assert [(one["id"], one["name"]) for one in rows] == [(name, "laptop")]
    assert ask(shop, own, "DELETE", f"/v1/passkeys/{name}", {}).code == "proof_required"
    proof = confirm(shop, own, key, action="remove_passkey", id=name)
    told = ask(shop, own, "DELETE", f"/v1/passkeys/{name}", {"proof": proof})
    assert (told.status, told.json()) == (200, {"removed": name})
    assert ask(shop, own, "GET", "/v1/passkeys").json() == {"passkeys": []}


def test_a_further_passkey_is_confirmed_by_the_first_for_what_it_is(shop: Server) -> None:
    own = shop.sign_in(confirmed=False)
    first, second = enrol(shop, own), Authenticator(shop.name, f"http://{shop.name}:{shop.port}")

    def finish(content: str) -> Reply:
        options = ask(shop, own, "POST", "/v1/passkeys/begin", {"name": "phone"}).json()
        client, attestation = map(encode, second.create(decode(options["challenge"])))
        proof = confirm(
            shop, own, first, action="enroll", id="phone", content=content or attestation
        )
        body = {"name": "phone", "id": encode(second.id), "client_data": client}
        told = body | {"attestation": attestation, "proof": proof}
        return ask(shop, own, "POST", "/v1/passkeys/finish", told)

    assert finish("another passkey").code == "proof_refused"
    assert finish("").status == 200
    rows = ask(shop, own, "GET", "/v1/passkeys").json()["passkeys"]
    assert [one["name"] for one in rows] == ["laptop", "phone"]


ZEROS = "0" * 64
ELSEWHERE = {
    Act.REMEMBER: ({"content": "Use pnpm, not npm."}, {}),
    Act.FORGET: ({"id": "project/keeping_memory.md", "digest": ZEROS}, {"seen": ZEROS}),
    Act.RESOLVE: ({"id": "1:intentional", "digest": ZEROS}, {"seen": ZEROS}),
    Act.ADD_RULE: ({"digest": ZEROS}, {"seen": ZEROS}),
    Act.CONSTRAINT: ({"id": "required", "content": "Use tabs."}, {"text": "Use tabs."}),
}


@pytest.mark.parametrize("act", ELSEWHERE)
def test_a_proof_counts_in_the_project_that_is_written_to(
    shop: Server, new_memory: Callable[..., Any], tmp_path: Path, act: Act
) -> None:
    own, beside = shop.sign_in(confirmed=False), new_memory(tmp_path / "beside")
    key = enrol(shop, own)
    asked, given = ELSEWHERE[act]
    proof = confirm(shop, own, key, action=str(act), **asked)
    route, body = ROUTES[act]
    method, _, path = route.replace("{id}", "1").partition(" ")
    ask(shop, own, method, path, body | given | {"root": str(beside), "proof": proof})

    def noted(root: Path) -> int:
        found = shop.ask("GET", f"/v1/ledger/events?type=PasskeysNoted&root={root}").json()
        return len(found["events"])

    assert (noted(beside), noted(shop.root)) == (1, 0)


def test_a_damaged_answer_of_a_passkey_is_refused_in_words(shop: Server) -> None:
    own = shop.sign_in(confirmed=False)
    key = enrol(shop, own)
    name, digest = propose(shop, 14)
    for part, bad in (
        ("client_data", "e30"),
        ("authenticator_data", "AAAA"),
        ("signature", base64.urlsafe_b64encode(b"\x30\x00").decode()),
        ("signature", "!"),
        ("id", "nobody"),
    ):
        proof = confirm(shop, own, key, action="approve", id=name, digest=digest)
        proof["credential"][part] = bad
        told = approve(shop, own, name, digest, proof)
        assert (part, told.status, told.code) == (part, 403, "proof_refused")


def test_a_browser_that_signs_in_again_has_one_session(shop: Server) -> None:
    own = shop.sign_in(confirmed=False)
    other = shop.sign_in(confirmed=False)
    code = {"code": shop.codes.make()}
    again = shop.ask("POST", "/v1/session", code, headers=own, without=("Authorization",))
    assert again.status == 200
    assert ask(shop, own, "GET", "/v1/proposals").status == 401
    assert ask(shop, other, "GET", "/v1/session").json()["sessions"] == 2


def test_signing_out_in_the_page_ends_the_code_of_the_terminal(shop: Server) -> None:
    own = shop.sign_in(confirmed=False)
    code = shop.persons.codes.make()
    assert ask(shop, own, "DELETE", "/v1/session").status == 200
    own = shop.sign_in(confirmed=False)
    asked = ask(shop, own, "POST", "/v1/confirmations", {"action": "enroll", "id": "x"}).json()
    proof = {"confirmation": asked["id"], "code": code}
    told = ask(shop, own, "POST", "/v1/passkeys/begin", {"name": "x", "proof": proof})
    assert (told.status, told.code) == (403, "proof_refused")


def test_a_code_is_gone_after_five_wrong_tries_in_whatever_browser(shop: Server) -> None:
    code = shop.persons.codes.make()
    wrong = f"{(int(code) + 1) % 1_000_000:06}"

    def attempt(own: Headers, given: str) -> Reply:
        asked = ask(shop, own, "POST", "/v1/confirmations", {"action": "enroll", "id": "x"}).json()
        proof = {"confirmation": asked["id"], "code": given}
        return ask(shop, own, "POST", "/v1/passkeys/begin", {"name": "x", "proof": proof})

    for _ in range(5):
        assert attempt(shop.sign_in(confirmed=False), wrong).code == "proof_refused"
    told = attempt(shop.sign_in(confirmed=False), code)
    error = told.json()["error"]
    assert (told.status, error["what"]) == (403, "too many wrong codes")
    assert error["hint"] == "get a new one in a terminal: dmm ui --code"
    assert attempt(shop.sign_in(confirmed=False), shop.persons.codes.make()).status == 200
