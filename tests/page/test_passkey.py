"""A passkey in a real browser: enrolled in the page, asked for by a command in a terminal."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pexpect
import pytest
from playwright.sync_api import expect
from tests.page.browser import watching
from tests.page.visit import add_authenticator

if TYPE_CHECKING:
    from playwright.sync_api import Browser
    from tests.page.world import World

pytestmark = pytest.mark.slow

DMM = str(Path(sys.executable).with_name("dmm"))
# What the page does when a passkey is added, by the routes alone.
ENROL = """async (code) => {
  const headers = {"Content-Type": "application/json", "X-DMM-Page": "1"};
  const ask = async (path, body) => {
    const reply = await fetch(path, {method: "POST", headers, body: JSON.stringify(body)});
    const told = await reply.json();
    if (!reply.ok) throw new Error(told.error.what);
    return told;
  };
  const bytes = (text) => Uint8Array.from(
    atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));
  const text = (data) => btoa(String.fromCharCode(...new Uint8Array(data)))
    .replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  const asked = await ask("/v1/confirmations", {action: "enroll", id: "laptop"});
  const proof = {confirmation: asked.id, code};
  const options = await ask("/v1/passkeys/begin", {name: "laptop", proof});
  const user = {...options.user, id: bytes(options.user.id)};
  const made = await navigator.credentials.create(
    {publicKey: {...options, user, challenge: bytes(options.challenge)}});
  const parts = {
    client_data: text(made.response.clientDataJSON),
    attestation: text(made.response.attestationObject),
  };
  return ask("/v1/passkeys/finish", {name: "laptop", id: text(made.rawId), ...parts});
}"""


def test_a_command_waits_for_the_passkey_in_the_browser(browser: Browser, alone: World) -> None:
    world = alone
    with watching(browser, world.host) as watched:
        environment = world.machine.environment()
        page = watched.new_page()
        add_authenticator(page)
        page.goto(world.sign_in())
        page.get_by_role("navigation").first.wait_for()
        with pexpect.spawn(DMM, ["ui", "--code"], env=environment, timeout=60) as shown:
            shown.expect(r"Confirmation code: (\d{3} \d{3})")
            code = shown.match.group(1).decode()
        assert page.evaluate(ENROL, code)["name"] == "laptop"
        name = world.propose(
            "project/auth/pins.md", "# Pins\n\nA pin of the shop has six digits.", "seen"
        )
        with pexpect.spawn(
            DMM,
            ["review", "approve", name, "--bypass-reviewer"],
            cwd=world.root,
            env=environment,
            timeout=60,
            encoding="utf-8",
        ) as command:
            command.expect(re.compile(r"(http://\S+/confirm\.html#\S+)"))
            page.goto(command.match.group(1))
            expect(page.locator("#line")).to_contain_text(name)
            page.get_by_role("button", name="Confirm").click()
            page.get_by_text("Confirmed. The command goes on").wait_for()
            command.expect(pexpect.EOF)
            command.close()
            assert command.exitstatus == 0
        assert (world.project.dmm / "memory" / "project" / "auth" / "pins.md").exists()
        assert watched.unexpected == []
