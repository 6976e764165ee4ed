"""The dmm command run in this process, with the model loaded once."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from dmm.cli.doctor import _open_memory
from dmm.cli.main import main
from dmm.project.doctor import check_project

if TYPE_CHECKING:
    from pathlib import Path

    from dmm.embed.model import Embedder
    from dmm.project.doctor import Check


@dataclass(frozen=True, slots=True)
class Told:
    """What a command said and its exit status."""

    status: int
    out: str
    err: str


@dataclass(frozen=True, slots=True)
class Typed:
    """Types a command in a folder."""

    monkeypatch: pytest.MonkeyPatch
    capsys: pytest.CaptureFixture[str]

    def __call__(self, *arguments: str, within: Path) -> Told:
        self.monkeypatch.chdir(within)
        self.monkeypatch.setattr(sys, "argv", ["dmm", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        captured = self.capsys.readouterr()
        return Told(int(end.value.code or 0), captured.out, captured.err)

    def look_at(self, folder: Path) -> list[Check]:
        """Check a project as `dmm doctor` does, which starts a daemon to try the rest."""
        self.monkeypatch.chdir(folder)
        return list(check_project(lambda: _open_memory(None)))


@pytest.fixture
def typed(
    home: Path,
    model: Embedder,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Typed:
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("DMM_ROOT", raising=False)
    monkeypatch.setattr("dmm.bootstrap._load_model", lambda: model)
    return Typed(monkeypatch, capsys)
