"""`dmm cost` by day: what was given against the whole memory each time."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Typed
    from tests.conftest import Project


def test_days_are_shown_against_the_whole_memory_each_time(
    typed: Typed, project: Project, home: Path
) -> None:
    project.trust(home)
    project.write("project/a.md", "---\nid: mem_2026_01_01_001\n---\n# Budget\n\n4000.\n")
    typed("ledger", "init", within=project.folder)
    quiet = typed("cost", "--days", "7", within=project.folder)
    assert quiet.out == "Nothing was given or stopped in the last 7 days.\n"
    typed("query", "budget", within=project.folder)
    told = json.loads(typed("cost", "--days", "7", "--json", within=project.folder).out)
    assert [one["packs"] for one in told["days"]] == [0] * 6 + [1]
    head, row, _, last = typed("cost", "--days", "7", within=project.folder).out.splitlines()
    today = told["days"][-1]
    assert row.split()[:3] == [today["day"], "1", f"{today['tokens']:,}"]
    assert len(head) == len(row) <= 80
    assert last.startswith(f"{today['tokens']:,} tokens given; ")
