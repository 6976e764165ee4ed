from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from dmm.embed.tokens import TokenCounter
from dmm.importer.memories import ImportPlan
from dmm.importer.plan import plan_import
from dmm.importer.sources import Source

FILES = Path(__file__).parent / "files"
DAY = dt.date(2026, 1, 2)

Planner = Callable[..., ImportPlan]


@pytest.fixture(scope="session")
def count() -> Callable[[str], int]:
    return TokenCounter().count


@pytest.fixture(scope="session")
def plan(count: Callable[[str], int]) -> Planner:
    """Plan an import of sources, or of (path, text) pairs, on a fixed day."""

    def make(*sources: Source | tuple[str, str], budget: int = 800) -> ImportPlan:
        given = [s if isinstance(s, Source) else Source(*s) for s in sources]
        return plan_import(
            given,
            count=count,
            day=DAY,
            taken_ids=set(),
            taken_paths=set(),
            baseline_budget=budget,
        )

    return make


@pytest.fixture(scope="session")
def realistic() -> Sequence[Source]:
    """Instruction files as people write them, under the names their tools want."""
    names = {
        "CLAUDE.md": "CLAUDE.md",
        "AGENTS.md": "AGENTS.md",
        "cursorrules": ".cursorrules",
        "react-components.mdc": ".cursor/rules/react-components.mdc",
        "security.mdc": ".cursor/rules/security.mdc",
        "GEMINI.md": "GEMINI.md",
        "handbook.md": "docs/handbook.md",
        "auto_memory/MEMORY.md": "memory/MEMORY.md",
        "auto_memory/feedback_small_commits.md": "memory/feedback_small_commits.md",
        "auto_memory/project_release_freeze.md": "memory/project_release_freeze.md",
    }
    return [Source(path, (FILES / name).read_text()) for name, path in names.items()]
