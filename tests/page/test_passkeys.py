"""A passkey of the browser decides; what was signed decides once, and nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect
from tests.page.visit import visiting
from tests.page.world import living

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Request
    from tests.page.visit import Visit
    from tests.page.world import World

pytestmark = pytest.mark.browser

AUTHENTICATOR = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}
FORBIDDEN = r"console: .* status of 403"


@pytest.fixture(scope="module")
def owner(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A user of their own: once there is a passkey, decisions need it."""
    with living(tmp_path_factory.mktemp("owner"), worked=False) as world:
        yield world


@pytest.fixture(scope="module")
def visit(browser: Browser, owner: World) -> Iterator[Visit]:
    """A browser with an authenticator that has verified its user, and an enrolled passkey."""
    with visiting(browser, owner) as found:
        link = found.watched.context.new_cdp_session(found.page)
        link.send("WebAuthn.enable")
        link.send("WebAuthn.addVirtualAuthenticator", {"options": AUTHENTICATOR})
        found.open("health")
        found.main.get_by_role("textbox", name="Name of the new passkey").fill("laptop")
        found.main.get_by_role("button", name="Add a passkey").click()
        found.confirm()
        expect(found.page.get_by_role("status").get_by_text("laptop added")).to_be_visible()
        yield found


def test_a_passkey_is_listed_and_required_from_then_on(visit: Visit) -> None:
    status, told = visit.ask("/v1/session")
    assert (status, told["passkey"]) == (200, {"enrolled": 1, "required": True})
    assert told["confirm"] == "passkey"
    visit.open("health")
    expect(visit.main.get_by_role("region", name="Passkeys")).to_contain_text("laptop")


def test_an_approval_is_signed_and_can_t_be_replayed(visit: Visit, owner: World) -> None:
    first = owner.propose_note("the lamp in the hall is switched on at dusk", "hall_lamp")
    sent: list[dict[str, Any]] = []

    def note(request: Request) -> None:
        if request.url.endswith("/approve"):
            sent.append(json.loads(request.post_data or "{}"))

    visit.page.on("request", note)
    visit.open(f"review/{first}")
    visit.press("a", "Enter")
    expect(visit.page.get_by_role("status").get_by_text("approved and applied")).to_be_visible()
    visit.page.remove_listener("request", note)
    assert first not in owner.pending()
    [body] = sent
    assert body["proof"]["credential"]["signature"]
    # The same proof for the next proposal, and without any proof.
    visit.watched.allow(FORBIDDEN)
    second = owner.propose_note("the lamp in the yard is switched off at dawn", "yard_lamp")
    digest = visit.ask(f"/v1/proposals/{second}")[1]["digest"]
    for proof in ({"proof": body["proof"]}, {}):
        told = {"seen": digest, "reason": "", **proof}
        status, answer = visit.ask(f"/v1/proposals/{second}/approve", "POST", told)
        assert status == 403
        assert answer["error"]["code"] in ("proof_refused", "proof_required")
    assert second in owner.pending()


def test_a_signature_for_another_text_is_refused(visit: Visit, owner: World) -> None:
    visit.watched.allow(FORBIDDEN)
    one = owner.propose_note("the bell at the gate rings twice for parcels", "gate_bell")
    other = owner.propose_note("the key of the cellar hangs behind the door", "cellar_key")
    visit.open(f"review/{one}")

    def swap(route: Any) -> None:
        route.continue_(url=route.request.url.replace(one, other))

    visit.page.route("**/approve", swap)
    visit.press("a", "Enter")
    expect(visit.main.locator(".problem")).to_be_visible()
    visit.page.unroute("**/approve")
    assert {one, other} <= set(owner.pending())
