"""The walk through the page that docs/ui.md describes, click by click."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect
from tests.page.world import PROMPTS

if TYPE_CHECKING:
    from tests.page.visit import Visit

pytestmark = pytest.mark.slow

DOCS = Path(__file__).resolve().parents[2] / "docs" / "ui.md"


def test_a_new_user_understands_a_prompt_accepts_a_proposal_and_tries_a_rule(
    own: Visit,
) -> None:
    page = own.page
    # 1: why the last prompt got its memories.
    page.get_by_role("navigation", name="Sessions").get_by_role("link", name="codex").click()
    own.settle()
    prompt = own.main.get_by_role("listitem").filter(has_text=PROMPTS[2])
    prompt.get_by_role("button", name="Why these memories").click()
    receipt = own.main.locator(".receipt")
    for words in ("In the pack", "charge_once.md", "similarity", "Left out", "about the task"):
        expect(receipt).to_contain_text(words)
    # 2: accept a proposal.
    page.get_by_role("link", name="Review").click()
    page.get_by_role("link", name="password_reset").click()
    own.main.get_by_role("button", name="Approve").click()
    own.main.get_by_role("button", name="Confirm approval").click()
    own.confirm()
    expect(page.get_by_role("status").get_by_text("approved and applied")).to_be_visible()
    assert (own.world.project.memory / "project/auth/password_reset.md").exists()
    # 3: try a rule.
    page.get_by_role("link", name="Rules").click()
    own.main.get_by_role("textbox", name="Command").fill("git push origin main")
    own.main.get_by_role("button", name="Check").click()
    verdict = own.main.get_by_role("article", name="Bench").get_by_role("status")
    expect(verdict).to_contain_text("denied")
    expect(verdict).to_contain_text("never-push-to-main")


def test_the_docs_name_every_control_of_the_walk() -> None:
    told = DOCS.read_text("utf-8")
    for name in ("Why these memories", "Approve", "Confirm approval", "Check", "Confirmation code"):
        assert name in told
