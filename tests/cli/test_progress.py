"""The progress bar is for people only."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

from dmm.cli.progress import bar

if TYPE_CHECKING:
    import pytest


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_nothing_is_drawn_where_nobody_watches(capsys: pytest.CaptureFixture[str]) -> None:
    with bar("Indexing", shown_from=1) as progress:
        progress(1, 100)
    assert capsys.readouterr() == ("", "")


def test_a_person_sees_long_work_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    for total, seen in ((500, True), (19, False)):
        screen = Terminal()
        monkeypatch.setattr(sys, "stderr", screen)
        with bar("Indexing") as progress:
            progress(7, total)
        assert ("Indexing" in screen.getvalue()) is seen
