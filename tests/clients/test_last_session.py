"""The real clients: a session begins where the last one on its branch ended."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.clients.memories import furnish
from tests.conftest import git

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.clients.conftest import RealClaude, RealCodex, Stage
    from tests.conftest import MemoryText

pytestmark = pytest.mark.slow

RECORD = "## Last session on this branch"
DONE = "- Done: Add a page with the opening hours (hours.html)"
PROMPT = "Please add a page with the opening hours."


@pytest.fixture(scope="module")
def work(
    tmp_path_factory: pytest.TempPathFactory,
    shared_stage: Stage,
    shared_claude: RealClaude,
    memory_text: MemoryText,
) -> Iterator[Path]:
    """A trusted project in Git, in which a session of Claude Code on main wrote a page."""
    folder = tmp_path_factory.mktemp("last") / "work"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    furnish(folder, shared_stage, memory_text)
    assert shared_stage.dmm("install", within=folder).returncode == 0
    page = {"file_path": str(folder / "hours.html"), "content": "<p>9 to 5</p>\n"}
    run = shared_claude(folder, [[("^Write$", page)], "I added the page hours.html."], PROMPT)
    assert run.exit == 0
    assert RECORD not in run.main[0].text
    yield folder
    shared_stage.stop_daemons()


def test_the_next_session_of_either_client_is_told_and_only_on_that_branch(
    shared_claude: RealClaude, shared_codex: RealCodex, work: Path
) -> None:
    for client in (shared_claude, shared_codex):
        told = client(work, ["Hello."], "say hello").main[0].text
        assert told.count(RECORD) == 1
        assert DONE in told
    git(work, "checkout", "-q", "-b", "other")
    for client in (shared_claude, shared_codex):
        assert RECORD not in client(work, ["Hello."], "say hello").main[0].text
    git(work, "symbolic-ref", "HEAD", "refs/heads/main")
    assert DONE in shared_claude(work, ["Hello."], "say hello").main[0].text
