"""Anchors: one line each in a file that Git keeps; a line that is none is told."""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.errors import StorageError
from dmm.eventlog.anchors import Anchors, add_anchor, anchor_head, parse_anchors, read_anchors
from dmm.eventlog.log import EventLog
from dmm.eventlog.verify import Anchor, verify

if TYPE_CHECKING:
    from pathlib import Path

    from tests.eventlog.conftest import Drafts, Forger

HASH, LEDGER = "a" * 64, "b" * 64


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "project" / ".dmm" / "ledger.anchor"


def test_a_file_that_is_not_there_holds_no_anchor(file: Path) -> None:
    assert read_anchors(file) == Anchors()


def test_anchors_are_added_line_by_line(file: Path) -> None:
    first = Anchor(5, HASH, "2026-01-31", LEDGER)
    second = Anchor(9, HASH, "2026-02-01T10:00:00Z")
    add_anchor(file, first)
    add_anchor(file, second)
    assert file.read_text() == (f"5 {HASH} 2026-01-31 {LEDGER}\n9 {HASH} 2026-02-01T10:00:00Z\n")
    assert read_anchors(file) == Anchors((first, second))


def test_what_is_in_the_file_stays_as_it_is(file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.write_text("# heads of the ledger\n<<<<<<< mine")
    add_anchor(file, Anchor(5, HASH, "2026-01-31"))
    assert file.read_text() == f"# heads of the ledger\n<<<<<<< mine\n5 {HASH} 2026-01-31\n"
    assert read_anchors(file) == Anchors((Anchor(5, HASH, "2026-01-31"),), (2,))


@pytest.mark.parametrize(
    "line",
    [
        "5",
        f"0 {HASH} 2026-01-31",
        f"-5 {HASH} 2026-01-31",
        f"5 {HASH[1:]} 2026-01-31",
        f"5 {HASH.upper()} 2026-01-31",
        f"5 {HASH} yesterday",
        f"5 {HASH} 2026-01-31 {LEDGER} more",
        f"\u0665 {HASH} 2026-01-31",
        "=======",
    ],
)
def test_a_line_that_is_no_anchor_is_told(line: str) -> None:
    text = f"\n{line}\r\n  \n7 {HASH} 2026-01-31\r\n"
    assert parse_anchors(text) == Anchors((Anchor(7, HASH, "2026-01-31"),), (2,))


@given(st.text())
def test_any_text_can_be_read(text: str) -> None:
    found = parse_anchors(text)
    assert len(found.anchors) + len(found.malformed) <= len(text.splitlines())


def test_bytes_that_are_no_text_are_malformed_lines(file: Path) -> None:
    file.parent.mkdir(parents=True)
    file.write_bytes(b"\xff\xfe\n7 " + HASH.encode() + b" 2026-01-31\n")
    assert read_anchors(file) == Anchors((Anchor(7, HASH, "2026-01-31"),), (1,))


def test_a_line_that_can_not_be_written_leaves_the_file_whole(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    add_anchor(file, Anchor(5, HASH, "2026-01-31"))
    before = file.read_bytes()

    def fail(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(StorageError, match="No space left"):
        add_anchor(file, Anchor(9, HASH, "2026-02-01"))
    assert file.read_bytes() == before
    assert [entry.name for entry in file.parent.iterdir()] == [file.name]


def test_the_head_is_anchored_once(log: EventLog, draft: Drafts, file: Path) -> None:
    assert anchor_head(log, file, "2026-01-31") is None
    log.append([draft(), draft()])
    first = log.event(1)
    assert first is not None
    anchor = anchor_head(log, file, "2026-01-31")
    assert anchor == Anchor(2, log.head().hash, "2026-01-31", first.hash)
    assert anchor_head(log, file, "2026-02-01") is None
    log.append([draft()])
    anchor_head(log, file, "2026-02-02")
    assert [one.seq for one in read_anchors(file).anchors] == [2, 3]
    result = verify(log.raw(), read_anchors(file).anchors)
    assert (result.valid, result.anchors, result.foreign) == (True, 2, 0)


def test_a_tail_that_was_cut_is_found_with_the_file(
    log: EventLog, draft: Drafts, file: Path, forge: Forger
) -> None:
    log.append([draft() for _ in range(5)])
    anchor_head(log, file, "2026-01-31")
    forge("DELETE FROM events WHERE seq > 3")
    log.append([draft()])
    result = verify(log.raw(), read_anchors(file).anchors)
    assert (result.first_bad, result.reason) == (5, "the log was anchored at 5 and is now shorter")
    log.append([draft()])
    result = verify(log.raw(), read_anchors(file).anchors)
    assert (result.first_bad, result.reason) == (5, "it is not the event that was anchored here")


def test_a_clone_is_not_held_to_the_anchors_of_others(file: Path, draft: Drafts) -> None:
    for number in range(2):
        mine = EventLog.in_memory()
        mine.append([draft(number=number), draft()])
        anchor_head(mine, file, "2026-01-31")
        result = verify(mine.raw(), read_anchors(file).anchors)
        assert (result.valid, result.anchors, result.foreign) == (True, 1, number)
        mine.close()
