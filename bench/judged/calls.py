"""Tool calls against rules in plain English, disguised commands, and ordinary ones.

Each table was written before the engine saw it, and read afterwards: the figures are no longer
those of unseen cases. The first reading gave precision 0.98 and recall 1.00, then precision 1.00
and recall 0.84 and 0.83 for the two held-out ones.
"""

from __future__ import annotations

import datetime as dt
import tempfile
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

from bench.judged.decisions import read_table
from bench.report import Measure, Part
from dmm.domain.event import EventType, Trust
from dmm.eventlog.open_ledger import Actor
from dmm.ledger.service import Ledger
from dmm.rules.commands.calls import ToolCall
from dmm.rules.guard import Guard
from dmm.rules.project_ledger import ProjectLedger
from dmm.rules.rulebook import CALLS, LANGUAGE, TOOL, Compiled, compile_constraint

STARTER = "starter"
USUAL = (
    "never push to main",
    "never use npm",
    "do not run terraform destroy",
    "never commit .env",
    "never edit files in vendor/",
    "never force push",
    "never amend commits",
    "do not use sudo",
    "never run docker system prune",
    "dependency: left-pad",
    "never commit directly to main",
    "branch: release/* (push)",
)
# Least recall. The folder a command runs in and a variable set for it are not matched, so three
# breaches of the first table pass.
FLOORS = {"tool_cases": 97, "tool_held_out": 100, "tool_second_held_out": 100}


def measure() -> Part:
    """Score all tables."""
    rows = [row for name, recall in FLOORS.items() for row in _score(name, recall)]
    rows += [_examples(), *_disguises(), *_ordinary()]
    return Part("Tool calls", tuple(rows), remark="Percent, or cases.")


def level_of(case: dict[str, Any]) -> str:
    """Tell what a session that holds one rule says to a call."""
    actor = Actor(trust=Trust(case.get("trust", "user")))
    project_ledger = ProjectLedger(None, _now, actor)

    def record(kind: EventType, payload: dict[str, Any]) -> None:
        project_ledger.record(project_ledger.draft_of(kind, payload))

    text = case["constraint"]
    rule = compile_constraint(text).rule
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


def _now() -> dt.datetime:
    return dt.datetime(2026, 11, 1, tzinfo=dt.UTC)


def _score(name: str, recall: float) -> list[Measure]:
    cases = read_table(name)
    levels = [(case["expected"], level_of(case)) for case in cases]
    wanted = [said == "deny" for expected, said in levels if expected == "deny"]
    wrong = sum(said != expected for expected, said in levels if expected != "deny")
    note = f"{len(cases)} cases"
    return [
        Measure(
            f"{name}: denied of what should be", 100 * sum(wanted) / len(wanted), recall, note=note
        ),
        Measure("  another level than expected", wrong, 0, at_most=True, digits=0),
    ]


def _shown() -> list[Compiled]:
    """The rules of the tables that hold tool calls."""
    texts = sorted({case["constraint"] for name in FLOORS for case in read_table(name)})
    compiled = [compile_constraint(text) for text in texts]
    return [one for one in compiled if one.rule is not None and _holds_calls(one.rule)]


def _holds_calls(rule: dict[str, Any]) -> bool:
    return rule["kind"] == TOOL or bool(rule[CALLS]["rules"])


def count_rules() -> int:
    """Count the rules of the tables that hold tool calls."""
    return len(_shown())


def _examples() -> Measure:
    told = [
        bool(one.blocks) and bool(one.allows) and one.blocks != one.allows
        for one in _shown()
        if one.rule is not None and one.rule["kind"] == LANGUAGE
    ]
    note = f"{len(told)} rules"
    return Measure("rules that show both examples", 100 * sum(told) / len(told), 100, note=note)


@cache
def _guard(*texts: str) -> Guard:
    project_ledger = ProjectLedger(None, _now)
    ledger = Ledger(project_ledger)
    for text in texts:
        if text == STARTER:
            ledger.add_starter()
        else:
            ledger.add_constraint(text)
    return Guard(project_ledger)


def _level(command: str, folder: str, *texts: str) -> str:
    return _guard(*texts).rule(ToolCall("Bash", {"command": command}, folder, "topic")).level


def _disguises() -> list[Measure]:
    """Forbidden commands in disguise; the files they use are laid out for them."""
    table = read_table("commands/disguises")
    levels: Counter[str] = Counter()
    for row in table:
        with tempfile.TemporaryDirectory() as folder:
            for name, text in row.get("files", {}).items():
                Path(folder, name).write_text(text, encoding="utf-8")
            levels[_level(row["command"], folder, row["rule"])] += 1
    note = f"{len(table)} commands"
    stopped = levels["deny"] + levels["ask"]
    return [
        Measure("disguises stopped", 100 * stopped / len(table), 100, note=note),
        # What can be worked out is denied; only what can't, and what a file holds, is asked about.
        Measure("  denied, not asked about", levels["deny"], 220, digits=0),
    ]


def _ordinary() -> list[Measure]:
    """Ordinary work under the starter rules and a dozen usual ones."""
    table = read_table("commands/ordinary")
    with tempfile.TemporaryDirectory() as folder:
        levels = Counter(_level(row["command"], folder, STARTER, *USUAL) for row in table)
    note = f"{len(table)} commands"
    return [
        Measure("ordinary commands denied", levels["deny"], 0, at_most=True, digits=0, note=note),
        Measure("  asked about", levels["ask"], 3, at_most=True, digits=0),
    ]
