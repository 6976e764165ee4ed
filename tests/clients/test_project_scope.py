"""DMM installed in a repository instead of for a user: what each real client makes of it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from tests.clients.memories import MARK, TOPIC, furnish
from tests.clients.waiting import wait_for

if TYPE_CHECKING:
    from pathlib import Path

    from tests.clients.conftest import RealClaude, RealCodex, Stage
    from tests.clients.scripted import Turn
    from tests.conftest import MemoryText

pytestmark = pytest.mark.slow

PACK = {"task": "retry policy"}


@pytest.fixture(scope="module")
def work(
    tmp_path_factory: pytest.TempPathFactory, shared_stage: Stage, memory_text: MemoryText
) -> Path:
    """A repository that brings hooks and tools; the user's own files know nothing of them."""
    folder = tmp_path_factory.mktemp("scope") / "work"
    furnish(folder, shared_stage, memory_text)
    assert shared_stage.dmm("install", "--scope", "project", within=folder).returncode == 0
    assert not (shared_stage.home / ".claude.json").exists()
    assert not (shared_stage.home / ".codex").exists()
    return folder


def test_claude_code_runs_the_hooks_and_offers_the_tools(
    shared_claude: RealClaude, work: Path
) -> None:
    script: list[Turn] = [[("^mcp__dmm__memory_pack$", PACK)], "Done."]
    run = shared_claude(work, script, "look it up")
    assert MARK in run.main[0].text
    assert "mcp__dmm__memory_pack" in run.main[0].tools
    assert TOPIC in run.main[1].text


def test_claude_code_asks_the_user_about_the_tools_unless_all_are_approved(
    shared_claude: RealClaude, shared_stage: Stage, work: Path
) -> None:
    asking = shared_claude.open(work, ["Hello."], "New MCP server found")
    assert "dmm" in asking.terminal.read()
    asking.terminal.close()
    settings = shared_stage.home / ".claude" / "settings.json"
    settings.write_text(json.dumps({"enableAllProjectMcpServers": True}))
    approved = shared_claude.open(work, ["Hello."] * 50)
    assert MARK in approved.ask("say hello").text
    # On a terminal it does not wait for the tools; a later prompt has them.
    wait_for("tools", lambda: "mcp__dmm__memory_pack" in approved.ask("say hello again").tools)


def test_codex_runs_the_hooks_and_finds_the_tools_of_a_project_that_the_user_trusts(
    shared_codex: RealCodex, work: Path
) -> None:
    search = [("^tool_search$", {"query": "memory pack"})]
    script: list[Turn] = [search, [("memory_pack$", PACK)], "Done."]
    trusted = [*shared_codex.trust(work), "-c", "mcp_servers.dmm.required=true"]
    run = shared_codex(work, script, "look it up", *trusted)
    assert MARK in run.main[0].text
    assert TOPIC in run.main[2].text
