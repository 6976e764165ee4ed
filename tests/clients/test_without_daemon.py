"""The real clients where no background process can run: rules hold, and nothing fails silently."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest
from tests.clients.memories import RULE, furnish

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.clients.conftest import RealClaude, RealCodex, Stage
    from tests.clients.scripted import Turn
    from tests.conftest import MemoryText

pytestmark = pytest.mark.slow

FORBIDDEN = "touch pushed.txt && git push --force origin main"
HARMLESS = "touch ran.txt"


@pytest.fixture(scope="module")
def work(
    tmp_path_factory: pytest.TempPathFactory, shared_stage: Stage, memory_text: MemoryText
) -> Iterator[Path]:
    """A trusted project with a rule, DMM in both clients, and a place where no daemon can run."""
    folder = tmp_path_factory.mktemp("alone") / "work"
    furnish(folder, shared_stage, memory_text)
    assert shared_stage.dmm("install", within=folder).returncode == 0
    shared_stage.stop_daemons()
    shared_stage.more["DMM_RUN_DIR"] = "/proc/none"
    yield folder
    del shared_stage.more["DMM_RUN_DIR"]


def test_claude_code_is_denied_by_the_hook_alone(shared_claude: RealClaude, work: Path) -> None:
    script: list[Turn] = [
        [("^Bash$", {"command": FORBIDDEN, "description": "Push"})],
        [("^Bash$", {"command": HARMLESS, "description": "Touch"})],
        "I stop here.",
    ]
    run = shared_claude(work, script, "say hello")
    assert run.stdout == "I stop here.\n"
    assert RULE.rstrip(".") in run.main[1].text.removeprefix(run.main[0].text)
    assert not (work / "pushed.txt").exists()
    assert (work / "ran.txt").exists()


def test_codex_is_denied_by_the_hook_alone(shared_codex: RealCodex, work: Path) -> None:
    script: list[Turn] = [[("^exec_command$", {"cmd": FORBIDDEN})], "I stop here."]
    run = shared_codex(work, script, "say hello")
    assert RULE.rstrip(".") in run.main[1].text.removeprefix(run.main[0].text)
    assert not (work / "pushed.txt").exists()


def test_a_call_that_nobody_can_check_runs_and_is_not_kept_quiet(
    shared_claude: RealClaude, shared_stage: Stage, work: Path
) -> None:
    rules = shared_stage.home / ".local" / "state" / "dmm" / "rules"
    rules.rename(rules.with_name("away"))
    try:
        script: list[Turn] = [
            [("^Bash$", {"command": "touch seen.txt", "description": "Touch"})],
            "Done.",
        ]
        run = shared_claude(
            work, script, "say hello", "--output-format", "stream-json", "--verbose"
        )
    finally:
        shutil.rmtree(rules, ignore_errors=True)
        rules.with_name("away").rename(rules)
    assert (work / "seen.txt").exists()
    assert run.exit == 0
    kept = sorted((shared_stage.home / ".local" / "state" / "dmm" / "spool").glob("*.event"))
    assert any(b" unchecked-allow\n" in path.read_bytes() for path in kept)
