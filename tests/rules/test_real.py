"""Sentences that people really wrote, each as a rule file that the reference page suffices for.

The sentences and calls are not part of this repository. Where DMM_BENCH_DATA names the folder that
holds them, every rule is tried on its own; without it, every rule still holds its own examples.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dmm.files.rules import parse_rule
from dmm.rules.callbook import CallBook, CallEntry
from dmm.rules.commands.calls import ToolCall
from dmm.rules.form import compile_fields
from dmm.rules.language.compile import compile_rule
from dmm.rules.language.judge import InForce, Priority, Status, judge
from dmm.rules.source import prove

if TYPE_CHECKING:
    from dmm.rules.rule import Rule

DATA = "policy/real_rules.dev.jsonl"
FOLDER = Path(__file__).parent / "real"
FILES = sorted(FOLDER.glob("*.md"))


def read(path: Path) -> Rule:
    text = parse_rule(path.name, path.read_text())
    return compile_fields(text.fields, text.title, text.body, path.stem.lower())


def stops(rule: Rule, act: dict[str, Any]) -> bool:
    """Whether a rule denies or asks about a call, or its title blocks a decision."""
    if "decision" in act:
        known = InForce(1, rule.title, Priority.REQUIRED, compile_rule(rule.title).rule)
        return judge(act["decision"], [known]).status is Status.BLOCKED
    if rule.call is None:
        return False
    book = CallBook([CallEntry(1, rule.title, rule.call, typed=True)])
    return book.rule(ToolCall(act["tool"], act["input"])).level in ("deny", "ask")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_rule_holds_its_own_examples(path: Path) -> None:
    rule = read(path)
    assert prove(rule) == ()
    assert rule.call is None or (rule.block and rule.allow)


def test_the_rules_stop_what_the_sentences_forbid_and_nothing_near_it() -> None:
    folder = os.environ.get("DMM_BENCH_DATA")
    data = Path(folder, DATA) if folder else None
    if data is None or not data.is_file():
        pytest.skip(f"no sentences: set DMM_BENCH_DATA to the folder that holds {DATA}")
    rows = [json.loads(line) for line in data.read_text().splitlines()]
    rows = [row for row in rows if row["enforceable"]]
    rules = {path.stem: read(path) for path in FILES}
    assert sorted(rules) == sorted(row["id"] for row in rows)
    missed = [row["id"] for row in rows if not stops(rules[row["id"]], row["violation"])]
    wrong = [
        row["id"]
        for row in rows
        if any(stops(rules[row["id"]], near) for near in row["near_misses"])
    ]
    assert wrong == []
    assert len(rows) - len(missed) >= 57, missed
