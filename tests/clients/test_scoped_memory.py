"""The real clients: a memory about files comes with the first of them, and only then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.clients.memories import furnish

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.clients.conftest import RealClaude, RealCodex, Run, Stage
    from tests.conftest import MemoryText

pytestmark = pytest.mark.slow

ROUNDING = "Amounts are rounded half to even, and only once, at the end."
FILES = ("readme.txt", "src/billing/invoice.py", "src/billing/total.py")


@pytest.fixture(scope="module")
def work(
    tmp_path_factory: pytest.TempPathFactory, shared_stage: Stage, memory_text: MemoryText
) -> Iterator[Path]:
    """A trusted project with a memory about some of its files, and DMM in both clients."""
    folder = tmp_path_factory.mktemp("scoped") / "work"
    furnish(folder, shared_stage, memory_text)
    for name in FILES:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"this is {name}\n")
    note = memory_text("Rounding", ROUNDING, id="mem_2026_01_31_901", paths="[src/billing/**]")
    (folder / ".dmm" / "memory" / "project" / "rounding.md").write_text(note)
    assert shared_stage.dmm("reindex", within=folder).returncode == 0
    assert shared_stage.dmm("install", within=folder).returncode == 0
    yield folder
    shared_stage.stop_daemons()


def counts(run: Run) -> list[int]:
    """How often the memory stands in each request of the conversation."""
    return [request.text.count(ROUNDING) for request in run.main]


def test_claude_code_gets_it_with_the_first_file_that_matches(
    shared_claude: RealClaude, work: Path
) -> None:
    reads = [[("^Read$", {"file_path": str(work / name)})] for name in FILES]
    run = shared_claude(work, [*reads, "Read."], "say hello")
    assert (run.exit, run.stdout) == (0, "Read.\n")
    assert counts(run) == [0, 0, 1, 1]


def test_codex_gets_it_with_the_first_file_that_matches(
    shared_codex: RealCodex, work: Path
) -> None:
    reads = [[("^exec_command$", {"cmd": f"cat {name}"})] for name in FILES]
    run = shared_codex(work, [*reads, "Read."], "say hello")
    assert (run.exit, run.stdout) == (0, "Read.\n")
    assert counts(run) == [0, 0, 1, 1]
