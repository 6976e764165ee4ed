from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.rules.conftest import check_call

from dmm.rules.callrules import Action
from dmm.rules.commands.calls import ToolCall
from dmm.rules.starter import starter_rules

DATA = "policy/destructive_commands.jsonl"


@dataclass(frozen=True, slots=True)
class Score:
    """How the starter rules did: hits, misses, false blocks; a question counts as a false block."""

    hits: int
    misses: tuple[str, ...]
    false_blocks: tuple[str, ...]

    @property
    def precision(self) -> float:
        return self.hits / max(1, self.hits + len(self.false_blocks))

    @property
    def recall(self) -> float:
        return self.hits / max(1, self.hits + len(self.misses))


def half_of(command: str) -> int:
    return hashlib.sha256(command.encode()).digest()[0] & 1


def evaluate(rows: list[dict[str, str]]) -> Score:
    rules = starter_rules()
    hits = 0
    misses: list[str] = []
    false_blocks: list[str] = []
    for row in rows:
        found = check_call(rules, ToolCall("Bash", {"command": row["command"]}))
        actions = {match.action for match in found}
        if row["expected"] == "deny":
            hits += Action.DENY in actions
            misses += [] if Action.DENY in actions else [row["command"]]
        elif actions & {Action.DENY, Action.ASK}:
            false_blocks.append(row["command"])
    return Score(hits, tuple(misses), tuple(false_blocks))


def test_the_starter_rules_reach_their_bars_on_the_command_corpus() -> None:
    folder = os.environ.get("DMM_BENCH_DATA")
    path = Path(folder, DATA) if folder else None
    if path is None or not path.is_file():
        pytest.skip(f"no corpus: set DMM_BENCH_DATA to the folder that holds {DATA}")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    for half in (0, 1):
        score = evaluate([row for row in rows if half_of(row["command"]) == half])
        assert score.precision >= 0.98
        assert score.recall >= 0.92
        assert score.false_blocks == ()
