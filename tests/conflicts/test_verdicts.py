"""What the model said is asked once: a later scan judges only texts that are new."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from dmm.conflicts.verdicts import Verdicts
from dmm.domain.conflict import ConflictType
from dmm.embed.pairs import PairModel
from dmm.errors import ModelUnavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tests.conftest import MemoryText, Opener, Project

    from dmm.bootstrap import Dmm
    from dmm.conflicts.results import Scanned
    from dmm.embed.pairs import Chances

ONE = ("The API timeout is 30 seconds.", "Requests to the API may take as long as they need.")
TWO = ("Deploys happen on Mondays.", "Nobody deploys on a Monday.")


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """What the model is asked."""
    pairs: list[tuple[str, str]] = []
    judge = PairModel.judge

    def record(self: PairModel, more: Sequence[tuple[str, str]]) -> list[Chances]:
        pairs.extend(more)
        return judge(self, more)

    monkeypatch.setattr(PairModel, "judge", record)
    return pairs


def test_what_was_asked_before_is_not_asked_again(
    tmp_path: Path, asked: list[tuple[str, str]]
) -> None:
    verdicts = Verdicts(tmp_path / "verdicts", PairModel.load)
    told = verdicts.judge([ONE])
    assert verdicts.judge([ONE, ONE[::-1]]) == told * 2
    verdicts.keep()
    again = Verdicts(tmp_path / "verdicts", PairModel.load)
    assert again.judge([ONE[::-1]]) == [pytest.approx(told[0], abs=1e-6)]
    again.judge([TWO])
    assert asked == [ONE, TWO]


def test_what_nobody_asked_this_time_is_forgotten(
    tmp_path: Path, asked: list[tuple[str, str]]
) -> None:
    for pairs in ([ONE, TWO], [TWO], [ONE]):
        verdicts = Verdicts(tmp_path / "verdicts", PairModel.load)
        verdicts.judge(pairs)
        verdicts.forget_others()
        verdicts.keep()
    assert asked == [ONE, TWO, ONE]


def test_a_file_that_was_not_made_here_is_not_believed(
    tmp_path: Path, asked: list[tuple[str, str]]
) -> None:
    path = tmp_path / "verdicts"
    verdicts = Verdicts(path, PairModel.load)
    verdicts.judge([ONE])
    verdicts.keep()
    own = path.read_bytes()
    another_model = own[:8] + bytes(32) + own[40:]
    for data in (own[:-1], own[:20], b"", b"x" * 200, another_model):
        with path.open("r+b") as file:  # its inode stays
            file.write(data)
            file.truncate()
        asked.clear()
        Verdicts(path, PairModel.load).judge([ONE])
        assert asked == [ONE]
    copy, link, pipe = (tmp_path / name for name in ("copy", "link", "pipe"))
    copy.write_bytes(own)
    link.symlink_to("/dev/zero")
    os.mkfifo(pipe)
    for other in (copy, link, pipe):
        asked.clear()
        Verdicts(other, PairModel.load).judge([ONE])
        assert asked == [ONE]


def test_where_nothing_can_be_written_the_next_one_asks_again(
    tmp_path: Path, asked: list[tuple[str, str]]
) -> None:
    for _ in range(2):
        verdicts = Verdicts(tmp_path / "missing" / "verdicts", PairModel.load)
        verdicts.judge([ONE])
        verdicts.keep()
    assert asked == [ONE, ONE]


@dataclass(frozen=True, slots=True)
class Notes:
    """A project with three notes, two of which clash."""

    project: Project
    text: MemoryText
    open_project: Opener

    def write(self, name: str, title: str, body: str) -> None:
        path = f"project/{name}.md"
        self.project.write(path, self.text(title, body, id=f"mem_2026_01_31_{ord(name):03d}"))

    def open(self) -> Dmm:
        return self.open_project(self.project, trusted=True)

    def scan(self, load: Callable[[], PairModel] = PairModel.load) -> Scanned:
        dmm = self.open()
        dmm.conflicts.corpus.load_judge = load
        return dmm.conflicts.scan()


@pytest.fixture
def notes(project: Project, memory_text: MemoryText, open_project: Opener) -> Notes:
    notes = Notes(project, memory_text, open_project)
    notes.write("a", "Deploys", "Deploys happen on Mondays, in the morning.")
    notes.write("b", "When we deploy", "Nobody deploys on a Monday.")
    notes.write("c", "Deploys and tests", "Tests run before every deploy.")
    return notes


def test_a_second_scan_asks_only_about_what_has_changed(
    notes: Notes, asked: list[tuple[str, str]]
) -> None:
    found = notes.scan().conflicts
    assert found
    assert asked
    asked.clear()
    assert notes.scan().conflicts == found
    assert asked == []
    notes.write("c", "Deploys and tests", "Tests run after every deploy.")
    notes.scan()
    assert asked
    assert all("after every deploy" in one + other for one, other in asked)


def test_a_scan_that_was_interrupted_need_not_ask_again(
    notes: Notes, asked: list[tuple[str, str]]
) -> None:
    def stop(done: int, of: int) -> None:
        if asked:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        notes.open().conflicts.scan(stop)
    assert asked
    asked.clear()
    assert notes.scan().conflicts
    assert asked == []


def test_a_scan_without_the_model_finds_what_is_exact_and_says_so(notes: Notes) -> None:
    def unavailable() -> PairModel:
        raise ModelUnavailable("not here")

    notes.write("d", "Timeouts", "The API timeout is 30 seconds.")
    notes.write("e", "Timeout of the API", "The API timeout is 10 seconds.")
    told = notes.scan(unavailable)
    assert [one.type for one in told.conflicts] == [ConflictType.NUMERIC]
    assert told.notices == ("only exact conflicts are found: not here",)
