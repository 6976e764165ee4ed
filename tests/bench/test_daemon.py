"""The measures of the background process work, in small."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from bench import daemon

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.slow
def test_every_figure_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # What is timed is not watched line by line.
    for name in [name for name in os.environ if name.startswith("COV")]:
        monkeypatch.delenv(name)
    part = daemon.measure(tmp_path, quick=True)
    assert [one.name for one in part.measures if one.value is None] == []
    flat = [one for one in part.measures if one.name.startswith("  ")]
    assert len(flat) == 3
