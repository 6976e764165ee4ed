"""What a session of a real client pays for DMM before it asks for anything."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.clients.conftest import RealClaude, RealCodex, Stage
    from tests.clients.scripted import Request

pytestmark = pytest.mark.slow

MOST = 900
PROMPT = "say hello"
# Ids differ from run to run, and so does the number of their tokens.
ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{64}")
SAME = "01a1eb7e-2943-7fd2-af5b-59efc7d9bf2c"


def size(request: Request, count: Callable[[str], int]) -> int:
    """Count the tokens of a whole request, with one id in place of all."""
    return count(ID.sub(SAME, json.dumps(request.body)))


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
    assert "memory_pack" in session.text
    assert "Replace this text" not in session.text
    assert size(session, count) - size(bare, count) <= MOST
