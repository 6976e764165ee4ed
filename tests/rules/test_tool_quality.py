"""How well plain-language constraints hold real tool calls, by kind of case.

Each table was written before the engine saw it. The first reading gave precision 0.98, recall 1.00
and false blocks 0.011 for the first table, precision 1.00, recall 0.84 and no false block for the
first held-out one, and precision 1.00, recall 0.83 and no false block for the second. What they
showed was mended afterwards, so their figures here are no longer those of unseen cases.
"""

from __future__ import annotations

import datetime as dt
import json
import sys
from collections import Counter, defaultdict
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dmm.domain.event import EventType, Trust
from dmm.eventlog.open_ledger import Actor
from dmm.rules.commands.calls import ToolCall
from dmm.rules.guard import Guard
from dmm.rules.project_ledger import ProjectLedger
from dmm.rules.rulebook import compile_constraint
from dmm.rules.shown import NO_CALLS

HERE = Path(__file__).parent
TABLES = ["tool_cases.jsonl", "tool_held_out.jsonl", "tool_second_held_out.jsonl"]
# The folder a command runs in, and a variable set for it, are not matched: three breaches pass.
LEAST_RECALL = {"tool_cases.jsonl": 0.97, "tool_held_out.jsonl": 1.0}


def cases(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines()]


def level_of(case: dict[str, Any]) -> str:
    project_ledger = ProjectLedger(None, lambda: dt.datetime(2026, 11, 1, tzinfo=dt.UTC))

    def record(kind: EventType, payload: dict[str, Any]) -> None:
        project_ledger.record(project_ledger.draft(kind, payload))

    text = case["constraint"]
    rule = compile_constraint(text).rule
    project_ledger.actor = replace(Actor(), trust=Trust(case.get("trust", "user")))
    priority = case.get("priority", "required")
    record(EventType.CONSTRAINT_ADDED, {"text": text, "priority": priority, "rule": rule})
    for question in case.get("queries", ()):
        record(EventType.MEMORY_QUERY_ISSUED, {"question": question, "scope": "all"})
    for used in case.get("records", ()):
        record(EventType.TOOL_USED, used)
    call = ToolCall(case["tool"], case["input"], case.get("cwd"), case.get("branch"))
    ruling = Guard(project_ledger).rule(call)
    project_ledger.close()
    return ruling.level


def shown(table: dict[str, Counter[str]]) -> str:
    rows = []
    for kind, row in sorted(table.items()):
        denied, wanted = row["hit"] + row["false"], row["hit"] + row["miss"]
        precision = f"{row['hit'] / denied:.3f}" if denied else "    -"
        recall = f"{row['hit'] / wanted:.3f}" if wanted else "    -"
        total = sum(row.values())
        rows.append(f"{kind:10} {total:4} cases  precision {precision}  recall {recall}")
    return "\n".join(rows)


@pytest.mark.parametrize("name", TABLES)
def test_denials_are_right_and_most_breaches_are_denied(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    table: dict[str, Counter[str]] = defaultdict(Counter)
    wrong = []
    for case in cases(name):
        level = level_of(case)
        outcome = {
            (True, True): "hit",
            (True, False): "false",
            (False, True): "miss",
            (False, False): "pass",
        }[level == "deny", case["expected"] == "deny"]
        table[case["kind"]][outcome] += 1
        table["all"][outcome] += 1
        if level != case["expected"]:
            wrong.append((case["constraint"], case["input"], case["expected"], level))
    with capsys.disabled():
        sys.stdout.write(f"\n{name}\n{shown(table)}\n")
    assert [one for one in wrong if one[2] != "deny"] == []
    row = table["all"]
    assert row["false"] == 0
    assert row["hit"] / (row["hit"] + row["miss"]) >= LEAST_RECALL.get(name, 1.0)


def test_the_tables_are_large_and_most_of_their_calls_pass() -> None:
    for name, least in zip(TABLES, (280, 220, 130), strict=True):
        levels = Counter(case["expected"] for case in cases(name))
        assert sum(levels.values()) >= least
        assert levels["allow"] >= levels["deny"]


def test_every_rule_that_is_shown_blocks_its_example_and_allows_the_other() -> None:
    texts = sorted({case["constraint"] for name in TABLES for case in cases(name)})
    compiled = [compile_constraint(text) for text in texts]
    on_calls = [one for one in compiled if one.enforceable and NO_CALLS not in one.plain]
    assert len(on_calls) >= 90
    for one in on_calls:
        if "On tool calls" in one.plain:
            assert one.blocks
            assert one.allows
            assert one.blocks != one.allows
