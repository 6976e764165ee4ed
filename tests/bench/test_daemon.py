"""The measures of the background process work, in small."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench import daemon

if TYPE_CHECKING:
    from pathlib import Path


def test_every_figure_is_measured(tmp_path: Path) -> None:
    part = daemon.measure(tmp_path, quick=True)
    assert [one.name for one in part.measures if one.value is None] == []
    flat = [one for one in part.measures if one.name.startswith("  ")]
    assert len(flat) == 3
