"""Real sentences of instruction files, compiled from English alone, on calls for each."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from dmm.rules.callbook import CallBook, CallEntry
from dmm.rules.commands.calls import ToolCall
from dmm.rules.english import compile_sentence
from dmm.rules.form import compile_fields

DATA = "policy/real_rules.dev.jsonl"
LEAST_ENFORCED = 24
MOST_FALSE = 1


def stops(book: CallBook, call: dict[str, Any] | None) -> bool:
    """Whether a call is denied or asked about; a mere decision is no call."""
    if not call or "tool" not in call:
        return False
    return book.rule(ToolCall(call["tool"], call["input"])).level in ("deny", "ask")


def test_real_sentences_are_enforced_and_stop_nothing_else() -> None:
    folder = os.environ.get("DMM_BENCH_DATA")
    path = Path(folder, DATA) if folder else None
    if path is None or not path.is_file():
        pytest.skip(f"no sentences: set DMM_BENCH_DATA to the folder that holds {DATA}")
    enforced, false = 0, []
    for row in map(json.loads, path.read_text().splitlines()):
        fields = compile_sentence(row["rule"]).fields
        if fields is None:
            continue
        rule = compile_fields(fields, row["rule"], stem="a-rule")
        assert rule.call is not None
        book = CallBook([CallEntry(1, rule.title, rule.call, typed=True)])
        enforced += row["enforceable"] and stops(book, row["violation"])
        false += [row["id"] for near in row["near_misses"] if stops(book, near)]
    assert enforced >= LEAST_ENFORCED
    assert len(false) <= MOST_FALSE
