"""What a session of a real client pays for DMM before it asks for anything."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.clients.conftest import RealClaude, RealCodex, Stage
    from tests.clients.scripted import Request

pytestmark = pytest.mark.slow

MOST = 900
PROMPT = "say hello"


# Codex offers these with any MCP server at all.
OF_CODEX = {"list_mcp_resources", "list_mcp_resource_templates", "read_mcp_resource"}
# Ids of a session differ from run to run and reach no model.
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-|[0-9a-f]{32}")


def tools_of(body: Mapping[str, Any]) -> dict[str, str]:
    """List what a request offers, by name, as it is sent."""
    found = {str(one.get("name") or one.get("type")): json.dumps(one) for one in body["tools"]}
    return {name: text for name, text in found.items() if name not in OF_CODEX}


def texts_of(request: Request) -> list[str]:
    """List the lines of a request beside its tools."""
    left = replace(request, body={k: v for k, v in request.body.items() if k != "tools"})
    return [line for line in left.text.splitlines() if not ID.search(line)]


def added(before: Request, after: Request, count: Callable[[str], int]) -> tuple[int, int]:
    """Count the tokens that the second request has more: of tools, and of texts."""
    known, lines = tools_of(before.body), set(texts_of(before))
    tools = [text for name, text in tools_of(after.body).items() if name not in known]
    texts = [line for line in texts_of(after) if line not in lines]
    return sum(map(count, tools)), count("\n".join(texts))


@pytest.mark.parametrize("name", ["claude-code", "codex"])
def test_a_session_pays_at_most_900_tokens(
    name: str,
    stage: Stage,
    tmp_path: Path,
    count: Callable[[str], int],
    claude: RealClaude,
    codex: RealCodex,
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    client = claude if name == "claude-code" else codex
    # Codex begins without a server that is slow to come up, unless it is told to wait.
    more = () if name == "claude-code" else ("-c", "mcp_servers.dmm.required=true")
    bare = client(work, ["Hello."], PROMPT).main[0]
    assert stage.dmm("init", within=work).returncode == 0
    assert stage.dmm("install", "--client", name, within=work).returncode == 0
    stage.warm(work)
    # The first session loads what the daemon needs for tools; on a busy machine no client waits.
    client(work, ["Hello."], PROMPT, *more)
    session = client(work, ["Hello."], PROMPT, *more).main[0]
    tools, texts = added(bare, session, count)
    assert tools > 0
    assert "memory_pack" in session.text
    assert "Replace this text" not in session.text
    assert tools + texts <= MOST, (tools, texts)
