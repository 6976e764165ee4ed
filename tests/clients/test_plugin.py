"""The plugin that both Claude Code and Codex install."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dmm import VERSION
from dmm.clients.base import WAIT, WAITS
from dmm.clients.claude_code import EVENTS

if TYPE_CHECKING:
    from tests.clients.conftest import RealClaude, RealCodex, Stage
    from tests.clients.scripted import Turn

pytestmark = pytest.mark.slow

REPOSITORY = Path(__file__).resolve().parents[2]
PLUGIN = REPOSITORY / "plugins" / "dmm"
NAME = "dmm@dynamic-markdown-memory"

# Stand in for our two programs, so that the tests are about the plugin alone.
HOOK = """#!/bin/sh
payload=$(cat)
printf '%s %s\\n' "$*" "$payload" >> "$HOME/fired"
case "$payload" in *'"SessionStart"'*)
    printf '{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"MARK"}}' ;;
esac
"""
SERVER = """#!/usr/bin/env python3
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    said = {}
    if asked["method"] == "initialize":
        version = asked["params"]["protocolVersion"]
        about = {"name": "stand-in", "version": "1"}
        said = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about}
    elif asked["method"] == "tools/list":
        schema = {"type": "object", "properties": {"task": {"type": "string"}}}
        said = {"tools": [{"name": "memory_pack", "description": "p", "inputSchema": schema}]}
    elif asked["method"] == "tools/call":
        said = {"content": [{"type": "text", "text": "PACK"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": said}), flush=True)
"""


def read(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text())
    return found


@pytest.fixture
def programs(stage: Stage, tmp_path: Path) -> Path:
    folder = tmp_path / "programs"
    folder.mkdir()
    for name, text in (("dmm-hook", HOOK), ("dmm-mcp", SERVER)):
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    stage.programs.insert(0, folder)
    return folder


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def run(stage: Stage, program: Path, *arguments: str) -> str:
    done = stage.call(
        lambda: subprocess.run(
            [str(program), *arguments],
            cwd=stage.home,
            env=stage.environment,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    )
    assert done.returncode == 0, done
    return str(done.stdout)


def fired(home: Path) -> list[tuple[str, str]]:
    """List the arguments and the event of every hook that ran."""
    lines = (home / "fired").read_text().splitlines()
    found = [re.search(r'"hook_event_name": ?"(\w+)"', line) for line in lines]
    return [
        (line.split(" {")[0], event[1]) for line, event in zip(lines, found, strict=True) if event
    ]


def test_the_plugin_is_the_one_of_this_version() -> None:
    assert read(PLUGIN / ".claude-plugin" / "plugin.json")["version"] == VERSION
    (listed,) = read(REPOSITORY / ".claude-plugin" / "marketplace.json")["plugins"]
    assert (listed["name"], listed["source"]) == ("dmm", "./plugins/dmm")


def test_the_plugin_has_the_hooks_that_an_installation_writes() -> None:
    hooks = read(PLUGIN / "hooks" / "hooks.json")["hooks"]
    assert list(hooks) == list(EVENTS)
    for event, groups in hooks.items():
        ((hook,),) = (group["hooks"] for group in groups)
        assert hook["type"] == "command"
        assert hook["timeout"] == WAITS.get(EVENTS[event], WAIT)


def test_claude_code_installs_and_runs_the_plugin(
    claude: RealClaude, stage: Stage, programs: Path, work: Path, home: Path
) -> None:
    run(stage, claude.program, "plugin", "validate", str(PLUGIN))
    run(stage, claude.program, "plugin", "marketplace", "add", str(REPOSITORY))
    run(stage, claude.program, "plugin", "install", NAME)
    done = claude(work, [[("memory_pack$", {"task": "x"})], "All done."], "use the memory")
    assert (done.exit, done.stdout) == (0, "All done.\n")
    assert "mcp__plugin_dmm_memory__memory_pack" in done.main[0].tools
    assert "MARK" in done.main[0].text
    assert "PACK" in done.main[1].text
    assert "recall" in done.main[0].text
    assert [event for _, event in fired(home)] == [
        *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd")
    ]
    assert {arguments for arguments, _ in fired(home)} == {"--client claude-code"}
    run(stage, claude.program, "plugin", "uninstall", NAME)
    (home / "fired").unlink()
    claude(work, ["All done."], "once more")
    assert not (home / "fired").exists()


def test_codex_installs_and_runs_the_plugin(
    codex: RealCodex, stage: Stage, programs: Path, work: Path, home: Path
) -> None:
    (home / ".codex").mkdir()
    # Codex copies the plugin; a copy of the two folders keeps the rest of the repository out.
    market = home / "market"
    for name in (".claude-plugin", "plugins"):
        shutil.copytree(REPOSITORY / name, market / name)
    run(stage, codex.program, "plugin", "marketplace", "add", str(market))
    run(stage, codex.program, "plugin", "add", NAME)
    script: list[Turn] = [
        [("^tool_search$", {"query": "memory pack"})],
        [("memory_pack$", {"task": "x"})],
        "All done.",
    ]
    done = codex(work, script, "use the memory", "-c", "features.plugins=true")
    assert (done.exit, done.stdout) == (0, "All done.\n")
    assert "MARK" in done.main[0].text
    assert "PACK" in done.main[2].text
    assert [event for _, event in fired(home)] == [
        *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop", "SessionEnd")
    ]
    assert {arguments for arguments, _ in fired(home)} == {"--client codex"}
