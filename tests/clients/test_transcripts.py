"""What the real clients write down of a session can be imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.bootstrap import open_dmm
from dmm.files.trusted import TrustStore

if TYPE_CHECKING:
    from pathlib import Path

    from tests.clients.conftest import RealClaude, RealCodex, Stage
    from tests.clients.scripted import Turn

    from dmm.bootstrap import Dmm


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "my.shop_1"
    (folder / ".dmm" / "memory").mkdir(parents=True)
    return folder


def imported(work: Path, stage: Stage, monkeypatch: pytest.MonkeyPatch) -> Dmm:
    for name in ("CLAUDE_CONFIG_DIR", "CODEX_HOME", "DMM_ROOT"):
        monkeypatch.delenv(name, raising=False)
    TrustStore.of_user(stage.home).trust(work / ".dmm")
    dmm = open_dmm(start=work, home=stage.home)
    told = dmm.transcripts.record(dmm.transcripts.find())
    assert told.skipped == ()
    assert dmm.transcripts.record(dmm.transcripts.find()).count("events") == 0
    return dmm


def told(dmm: Dmm) -> list[tuple[str, str]]:
    events = list(dmm.project_ledger.log.events())
    dmm.close()
    return [(event.type, event.get("text") or event.get("source") or "") for event in events]


EXPECTED = [
    ("SessionStarted", "import"),
    ("UserMessageReceived", "make the file"),
    ("ToolUsed", "echo made > made.txt"),
    ("ToolFailed", "exit 3"),
    ("TurnEnded", "All done."),
]


def test_a_session_of_claude_code(
    claude: RealClaude, work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script: list[Turn] = [
        [("^Bash$", {"command": "echo made > made.txt", "description": "Make"})],
        [("^Bash$", {"command": "exit 3", "description": "Fail"})],
        "All done.",
    ]
    assert claude(work, script, "make the file").exit == 0
    assert told(imported(work, claude.stage, monkeypatch)) == EXPECTED


def test_a_session_of_codex(codex: RealCodex, work: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    script: list[Turn] = [
        [("^exec_command$", {"cmd": "echo made > made.txt"})],
        [("^exec_command$", {"cmd": "exit 3"})],
        "All done.",
    ]
    assert codex(work, script, "make the file").exit == 0
    assert told(imported(work, codex.stage, monkeypatch)) == EXPECTED
