"""A project with something to remember, for clients to find."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.clients.conftest import Stage
    from tests.conftest import MemoryText

RULE = "Never run git push --force."
MARK = "Lanterns are lit at dusk and never before."
TOPIC = "The retry policy of the payment gateway is four attempts with a growing pause."
PROMPT = "tell me the retry policy of the payment gateway"
# A busy machine may take its time; how fast a prompt is answered is shown elsewhere.
PATIENT = {"hooks": {"prompt_deadline_ms": 2000}}


def furnish(folder: Path, stage: Stage, memory_text: MemoryText) -> None:
    """Make a trusted project with a baseline, a memory and a rule, all indexed."""
    folder.mkdir(exist_ok=True)
    assert stage.dmm("init", within=folder).returncode == 0
    (folder / ".dmm" / "daemon.config.json").write_text(json.dumps(PATIENT))
    memory = folder / ".dmm" / "memory"
    fields = {"scope": "baseline", "id": "mem_2026_01_31_101", "priority": "1.0"}
    (memory / "baseline" / "lanterns.md").write_text(memory_text("Lanterns", MARK, **fields))
    (memory / "project" / "gateway.md").write_text(
        memory_text("Retry policy of the payment gateway", TOPIC, id="mem_2026_01_31_102")
    )
    assert stage.dmm("trust", "--yes", within=folder).returncode == 0
    assert stage.dmm("ledger", "constraint", RULE, within=folder).returncode == 0
    assert stage.dmm("reindex", within=folder).returncode == 0
