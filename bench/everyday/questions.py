"""Print the answers to questions: python -m bench.everyday.questions --repositories FOLDER.

FOLDER holds the repositories as for `python -m bench.everyday`. Whether an answer is useful is
judged by reading it; here are counted the citations that a person who knows the code expects, and
the missing subjects that are named.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench.everyday.snapshots import open_projects

if TYPE_CHECKING:
    from dmm.ask.answer import Answer
    from dmm.ask.results import Answered

HERE = Path(__file__).parent


def cites_right(asked: dict[str, Any], answer: Answer) -> bool:
    """Return whether a point cites an expected file, or the absent subject is named as missing."""
    if "absent" in asked:
        return bool(answer.missing) and set(asked["absent"]) <= set(answer.missing)
    said = " ".join(f"{one.text} {one.cite}" for one in answer.points)
    return any(path in said for path in asked["cites"])


def show(asked: dict[str, Any], told: Answered) -> bool:
    """Print an answer as a person reads it, and return whether it cites what is expected."""
    answer, gate = told.answer, told.written.gate
    right = cites_right(asked, answer)
    print(f"\n[{'ok' if right else '--'}] {asked['question']}  ({told.decision.profile.name})")
    for point in answer.points:
        print(f"   * {point.text}\n     [{point.cite}]")
    print(f"   missing: {list(answer.missing)}; complete: {gate.enforced and gate.pass_}")
    return right


def main() -> int:
    """Ask every question of a table, one repository after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--table", type=Path, default=HERE / "questions.jsonl")
    parser.add_argument("--work", type=Path, help="keep the imported projects here")
    given = parser.parse_args()
    rows = [json.loads(line) for line in given.table.read_text("utf-8").splitlines()]
    right = total = 0
    for project, asked in open_projects(given.repositories, rows, given.work):
        print(f"\n# {asked[0]['repo']}")
        found = [show(one, project.dmm.asking.ask(one["question"])) for one in asked]
        right, total = right + sum(found), total + len(found)
    print(f"\n{right} of {total} cite what is expected")
    return 0


if __name__ == "__main__":
    sys.exit(main())
