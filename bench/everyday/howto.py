"""Count how often people are told how: python -m bench.everyday.howto --repositories FOLDER.

FOLDER holds the repositories as for `python -m bench.everyday`. Which lines answer, and which
commands, was written by reading each repository, before anybody saw what `dmm ask` answers.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.everyday.snapshots import open_projects

if TYPE_CHECKING:
    from dmm.ask.results import Answered

HERE = Path(__file__).parent
# A citation may name the line above a block, or the comment above a target.
AROUND = 2


def answers(asked: dict[str, Any], text: str, cite: str) -> bool:
    """Return whether a point shows a right command or cites lines that answer."""
    if any(one in text for one in asked["commands"]):
        return True
    path, _, line = cite.rpartition(":")
    return line.isdigit() and any(
        one["path"] == path and one["from"] - AROUND <= int(line) <= one["to"] + AROUND
        for one in asked["places"]
    )


def judge(asked: dict[str, Any], told: Answered) -> Counter[str]:
    """Count for one question what its answer shows."""
    points = told.answer.points
    if asked.get("absent"):
        return Counter(absent=1, named=bool(told.answer.missing) or not points)
    right = [answers(asked, one.text, one.cite) for one in points]
    shown = any(command in one.text for one in points for command in asked["commands"])
    if asked.get("code"):
        return Counter(code=1, found=any(right))
    return Counter(
        told=1,
        first=right[:1] == [True],
        points=any(right),
        command=shown,
        prompt=any(command in told.prompt for command in asked["commands"]),
        tokens=told.tokens,
    )


def main() -> int:
    """Ask every question of the table, one repository after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--table", type=Path, default=HERE / "howto.jsonl")
    parser.add_argument("--work", type=Path, help="keep the imported projects here")
    given = parser.parse_args()
    rows = [json.loads(line) for line in given.table.read_text("utf-8").splitlines()]
    totals: dict[str, Counter[str]] = defaultdict(Counter)
    for project, asked in open_projects(given.repositories, rows, given.work):
        for one in asked:
            totals[one["set"]] += judge(one, project.dmm.asking.ask(one["question"]))
    for name, one in totals.items():
        print(f"\n{name} set")
        print(f"  told by files {one['told']}: first point right {one['first']}", end="")
        print(f", one of three {one['points']}, a right command shown {one['command']}")
        print(f"  a right command in the prompt {one['prompt']}", end="")
        print(f", tokens of a prompt {one['tokens'] // max(1, one['told'])}")
        print(f"  told by code only {one['code']}: found {one['found']}")
        print(f"  absent {one['absent']}: named as missing {one['named']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
