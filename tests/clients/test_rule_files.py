"""The real clients under rule files: contents are judged, questions are asked, a clone has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.clients.memories import furnish
from tests.clients.waiting import wait_for
from tests.conftest import git

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.clients.conftest import RealClaude, RealCodex, Stage
    from tests.clients.scripted import Turn
    from tests.conftest import MemoryText

pytestmark = pytest.mark.slow

TITLE = "Never leave console.log in src"
NO_LOG = f"""---
id: no-console-log
level: deny
match:
  - content: {{pattern: "console.log($$$)"}}
    path: "src/**"
examples:
  block:
    - {{write: src/a.ts, text: "console.log(1)"}}
  allow:
    - {{write: docs/a.md, text: "console.log(1)"}}
---
# {TITLE}

Production logs go through the logger.
"""
QUESTION = "Ask before touching the release notes"
ASK = f"""---
id: ask-release-notes
level: ask
match:
  - path: RELEASES.md
---
# {QUESTION}
"""
BEFORE = "const sum = total()\n"
PATCH = """*** Begin Patch
*** Update File: src/cart.ts
@@
-const sum = total()
+console.log(total())
*** End Patch
"""


@pytest.fixture(scope="module")
def origin(
    tmp_path_factory: pytest.TempPathFactory, shared_stage: Stage, memory_text: MemoryText
) -> Path:
    """A repository with two rule files, committed."""
    folder = tmp_path_factory.mktemp("rules") / "origin"
    furnish(folder, shared_stage, memory_text)
    rules = folder / ".dmm" / "rules"
    rules.mkdir(exist_ok=True)
    (rules / "no-console-log.md").write_text(NO_LOG)
    (rules / "ask-release-notes.md").write_text(ASK)
    (folder / "src").mkdir()
    (folder / "src" / "cart.ts").write_text(BEFORE)
    git(folder, "init", "-q", "-b", "main")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "all")
    return folder


@pytest.fixture(scope="module")
def work(origin: Path, shared_stage: Stage) -> Iterator[Path]:
    """A clone whose user has agreed to its rules, with DMM in both clients."""
    folder = origin.with_name("clone")
    git(origin.parent, "clone", "-q", str(origin), str(folder))
    told = shared_stage.dmm("trust", "--yes", within=folder)
    assert told.returncode == 0, told.stderr
    assert TITLE in told.stdout
    assert shared_stage.dmm("install", within=folder).returncode == 0
    yield folder
    shared_stage.stop_daemons()


def test_claude_code_is_denied_an_edit_by_what_it_writes(
    shared_claude: RealClaude, work: Path
) -> None:
    path = work / "src" / "cart.ts"
    edit = {
        "file_path": str(path),
        "old_string": "const sum = total()",
        "new_string": "console.log(total())",
    }
    script: list[Turn] = [
        [("^Read$", {"file_path": str(path)})],
        [("^Edit$", edit)],
        "I stop here.",
    ]
    run = shared_claude(work, script, "say hello")
    assert run.stdout == "I stop here.\n"
    answer = run.main[2].text.removeprefix(run.main[1].text)
    assert TITLE in answer
    assert "Production logs go through the logger" in answer
    assert path.read_text() == BEFORE


def test_codex_is_denied_a_patch_by_what_it_writes(shared_codex: RealCodex, work: Path) -> None:
    patch = f"apply_patch <<'EOF'\n{PATCH}EOF\n"
    script: list[Turn] = [[("^exec_command$", {"cmd": patch})], "I stop here."]
    run = shared_codex(work, script, "say hello")
    assert TITLE in run.main[1].text.removeprefix(run.main[0].text)
    assert (work / "src" / "cart.ts").read_text() == BEFORE


def test_codex_is_told_to_ask_by_a_rule_that_asks(shared_codex: RealCodex, work: Path) -> None:
    script: list[Turn] = [[("^exec_command$", {"cmd": "echo 2.0 > RELEASES.md"})], "Wait."]
    run = shared_codex(work, script, "say hello")
    answer = run.main[1].text.removeprefix(run.main[0].text)
    assert QUESTION in answer
    assert "Ask the user for permission" in answer
    assert not (work / "RELEASES.md").exists()


def test_claude_code_asks_its_user_by_a_rule_that_asks(
    shared_claude: RealClaude, work: Path
) -> None:
    command = {"command": "echo 2.0 > RELEASES.md", "description": "Note the release"}
    hand = shared_claude.open(work, [[("^Bash$", command)], "Done."])
    hand.terminal.enter("note the release")
    wait_for(
        "the question",
        lambda: "release notes" in hand.terminal.read() and "Do you want" in hand.terminal.read(),
        hand.terminal.read,
    )
    hand.terminal.close()
    assert not (work / "RELEASES.md").exists()
