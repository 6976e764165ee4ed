"""A passkey of the browser decides; what was signed decides once, and nothing else."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from playwright.sync_api import expect
from tests.page.visit import AUTHENTICATOR, add_authenticator, visiting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, Request, Route
    from tests.page.visit import Visit
    from tests.page.world import World

pytestmark = pytest.mark.slow

FORBIDDEN = r"console: .* status of 403"


@pytest.fixture
def owner(alone: World) -> World:
    """A user of their own: once there is a passkey, decisions need it."""
    return alone


@pytest.fixture
def visit(browser: Browser, owner: World) -> Iterator[Visit]:
    """A browser with an authenticator that has verified its user, and an enrolled passkey."""
    with visiting(browser, owner) as found:
        add_authenticator(found.page)
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


def test_a_further_passkey_is_confirmed_by_the_first(visit: Visit) -> None:
    tools = visit.page.context.new_cdp_session(visit.page)
    tools.send("WebAuthn.enable")
    stick = AUTHENTICATOR | {"transport": "usb"}
    made = tools.send("WebAuthn.addVirtualAuthenticator", {"options": stick})

    def unplug(route: Route) -> None:
        """Leave the first authenticator alone: the new one would answer that it has no such key."""
        tools.send("WebAuthn.removeVirtualAuthenticator", made)
        route.continue_()

    visit.page.route("**/v1/confirmations", unplug)
    visit.open("health")
    visit.main.get_by_role("textbox", name="Name of the new passkey").fill("phone")
    visit.main.get_by_role("button", name="Add a passkey").click()
    expect(visit.page.get_by_role("status").get_by_text("phone added")).to_be_visible()
    assert visit.ask("/v1/session")[1]["passkey"] == {"enrolled": 2, "required": True}


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


def test_every_decision_of_the_page_is_signed_for_itself(visit: Visit, owner: World) -> None:
    sent: list[str] = []
    visit.page.on("request", lambda one: sent.append(one.post_data or ""))
    # A proposal: changed, approved, taken back.
    proposal = owner.propose_note("the lamp at the door is green on Sundays", "door_lamp")
    visit.open(f"review/{proposal}")
    visit.main.get_by_role("button", name="Edit").click()
    expect(visit.page.get_by_role("textbox", name="Proposed text")).to_be_focused()
    visit.press("Control+End")
    visit.page.keyboard.type("\nSeen by hand.\n")
    visit.main.get_by_role("button", name="Save as the proposed text").click()
    _told(visit, f"{proposal} has the new text")
    expect(visit.main.get_by_role("region", name="Difference")).to_contain_text("by hand.")
    visit.main.get_by_role("button", name="Approve").click()
    visit.main.get_by_role("button", name="Confirm approval").click()
    _told(visit, f"{proposal} approved and applied")
    visit.open(f"review/{proposal}")
    visit.main.get_by_role("button", name="Undo").click()
    visit.main.get_by_role("button", name="Confirm undo").click()
    _told(visit, f"{proposal} undone")
    assert not (owner.project.memory / "project" / "notes" / "door_lamp.md").exists()
    # A rule: disabled, and enabled again.
    visit.open("rules/never-push-to-main")
    for step in ("disable", "enable"):
        visit.main.get_by_role("button", name=step.capitalize()).click()
        visit.main.get_by_role("button", name=f"Confirm: {step}").click()
        _told(visit, f"never-push-to-main: {step}d")
        told = owner.ask("POST", "/v1/check", {"command": "git push origin main"})
        assert told["outcome"] == ("allowed" if step == "disable" else "denied")
    # A sentence becomes the rule that is shown; two memories that clash are kept.
    visit.open("rules")
    visit.main.get_by_role("textbox", name="Rule in a sentence").fill("never run kubectl delete")
    expect(visit.main.get_by_role("article")).to_contain_text("kubectl delete")
    visit.main.get_by_role("button", name="Add rule").click()
    expect(visit.page.get_by_role("link", name="never run kubectl delete")).to_be_visible()
    visit.open("conflicts")
    visit.main.get_by_role("radio", name="Both are right: keep them").check()
    visit.main.get_by_role("textbox", name="Why").fill("one is for staff")
    visit.main.get_by_role("button", name="Resolve").click()
    visit.main.get_by_role("button", name="Confirm").click()
    expect(visit.page.get_by_role("status").get_by_text("resolved")).to_be_visible()
    assert len([one for one in sent if "signature" in one]) == 7


def _told(visit: Visit, words: str) -> None:
    expect(visit.page.get_by_role("status").get_by_text(words)).to_be_visible()
