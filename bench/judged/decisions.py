"""Decisions against rules in plain English: which break them, which keep them?

Tables by strangers (`fresh_*` and the two held-out ones) were never read while the engine was
written. The others were read; they are shown, and held to few false blocks.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from bench.report import Measure, Part
from dmm.rules.language.compile import compile_rule
from dmm.rules.language.judge import InForce, Priority, Recorded, Status, judge

TABLES = Path(__file__).resolve().parents[2] / "tests" / "rules"
BLOCK, FALSE_BLOCK, MISS, PASS = "block", "false block", "miss", "pass"
# Least precision and least recall, in percent.
FLOORS = {
    "cases": (98, 67),
    "duties": (98, 60),
    "held_out": (98, 67),
    "second_held_out": (98, 67),
}


def read_table(name: str) -> list[dict[str, Any]]:
    """Read the cases of a table."""
    return [json.loads(line) for line in (TABLES / f"{name}.jsonl").read_text("utf-8").splitlines()]


def status_of(case: dict[str, Any]) -> Status:
    """Judge a decision by its one rule."""
    rule = compile_rule(case["constraint"]).rule
    constraint = InForce(1, case["constraint"], Priority.REQUIRED, rule)
    records = [Recorded(number, text) for number, text in enumerate(case.get("verified", ()))]
    return judge(case["decision"], [constraint], records).status


def count(*names: str) -> Counter[str]:
    """Count how the cases of some tables come out."""
    found: Counter[str] = Counter()
    for case in (case for name in names for case in read_table(name)):
        blocked = status_of(case) is Status.BLOCKED
        wanted = case["expected"] == "BLOCKED"
        outcomes = {(True, True): BLOCK, (True, False): FALSE_BLOCK, (False, True): MISS}
        found[outcomes.get((blocked, wanted), PASS)] += 1
    return found


def measure() -> Part:
    """Score all tables."""
    counted = {name: count(name) for name in (*FLOORS, *_strangers("fresh"), *_strangers("open"))}
    rows = [row for name, floors in FLOORS.items() for row in _score(name, counted[name], *floors)]
    fresh, opened = _total(counted, *_strangers("fresh")), _total(counted, *_strangers("open"))
    unread = fresh + counted["held_out"] + counted["second_held_out"]
    rows += _score("all that were never read", unread, 98, 67)
    rows += _score("by strangers, fresh", fresh, 98, 60)
    rows += _score("by strangers, open", opened, 98, 67)
    ordinary = count("ordinary")
    rows.append(Measure("ordinary words: recall", _recall(ordinary), 67, note=_cases(ordinary)))
    rows.append(_false_blocks("  false blocks", ordinary, 3))
    rows.append(_false_blocks("everyday: false blocks", count("everyday"), 3))
    rows.append(_false_blocks("wordings: false blocks", count("wordings"), 1))
    rows += [_preferences(), _examples()]
    return Part("Decisions", tuple(rows), remark="Percent.")


def _strangers(sort: str) -> list[str]:
    return [f"tables/{path.stem}" for path in sorted((TABLES / "tables").glob(f"{sort}_*.jsonl"))]


def _total(counted: dict[str, Counter[str]], *names: str) -> Counter[str]:
    total: Counter[str] = Counter()
    for name in names:
        total += counted[name]
    return total


def _score(name: str, row: Counter[str], precision: float, recall: float) -> list[Measure]:
    share = 100 * row[BLOCK] / (row[BLOCK] + row[FALSE_BLOCK])
    return [
        Measure(f"{name}: precision", share, precision, note=_cases(row)),
        Measure("  recall", _recall(row), recall),
    ]


def _recall(row: Counter[str]) -> float:
    return 100 * row[BLOCK] / (row[BLOCK] + row[MISS])


def _false_blocks(name: str, row: Counter[str], most: float) -> Measure:
    share = 100 * row[FALSE_BLOCK] / (row[FALSE_BLOCK] + row[PASS])
    return Measure(name, share, most, at_most=True, digits=2, note=_cases(row))


def _cases(row: Counter[str]) -> str:
    return f"{row.total()} cases"


def _preferences() -> Measure:
    """A preference in the text only warns."""
    soft = [case for case in read_table("cases") if case["expected"] == "WARNING"]
    warned = [status_of(case) is Status.WARNING for case in soft]
    note = f"{len(soft)} cases"
    return Measure("preferences that only warn", 100 * sum(warned) / len(warned), 100, note=note)


def _examples() -> Measure:
    """Every rule that is compiled blocks its own example and allows the other."""
    kept = [kept for text in _texts() if (kept := _keeps_examples(text)) is not None]
    note = f"{len(kept)} rules"
    return Measure("rules that hold their examples", 100 * sum(kept) / len(kept), 100, note=note)


def _texts() -> list[str]:
    return sorted(
        {case["constraint"] for name in ("cases", "held_out") for case in read_table(name)}
    )


def count_rules() -> int:
    """Count the sentences of the first tables that become a rule."""
    return sum(compile_rule(text).rule is not None for text in _texts())


def _keeps_examples(text: str) -> bool | None:
    compiled = compile_rule(text)
    if compiled.rule is None:
        return None if compiled.why_not else False
    rules = [InForce(1, text, Priority.REQUIRED, compiled.rule)]
    firm = not compiled.rule.soft and getattr(compiled.rule.parts[0], "firm", True)
    blocks, allows = judge(compiled.blocks, rules).status, judge(compiled.allows, rules).status
    wanted = Status.BLOCKED if firm else Status.WARNING
    return compiled.why_not is None and blocks is wanted and allows is not Status.BLOCKED
