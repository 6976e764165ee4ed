"""Anchors: ledger heads in a file that Git keeps, to detect a cut-off log.

One line an anchor, in four columns: number, hash, date, and the hash of the ledger's first event.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.eventlog.verify import Anchor
from dmm.files.durable import make_folder, translated, write_atomic

if TYPE_CHECKING:
    from pathlib import Path

    from dmm.eventlog.log import EventLog

NAME = "ledger.anchor"
_LINE = re.compile(
    r"([1-9][0-9]{0,18}) ([0-9a-f]{64}) (\d{4}-\d{2}-\d{2}\S{0,30})(?: ([0-9a-f]{64}))?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class Anchors:
    """What an anchor file holds; `malformed` holds the numbers of lines that are not anchors."""

    anchors: tuple[Anchor, ...] = ()
    malformed: tuple[int, ...] = ()


def parse_anchors(text: str) -> Anchors:
    """Read the lines of an anchor file; empty ones and those that begin with # say nothing."""
    anchors, malformed = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        found = _LINE.fullmatch(line.strip())
        if found is not None:
            seq, digest, date, ledger = found.groups(default="")
            anchors.append(Anchor(int(seq), digest, date, ledger))
        elif line.strip() and not line.startswith("#"):
            malformed.append(number)
    return Anchors(tuple(anchors), tuple(malformed))


def read_anchors(path: Path) -> Anchors:
    """Read an anchor file; one that is not there holds none."""
    return parse_anchors(_read(path))


def _read(path: Path) -> str:
    with translated(path, "read the anchors"):
        try:
            return path.read_bytes().decode("utf-8", "replace")
        except FileNotFoundError:
            return ""


def add_anchor(path: Path, anchor: Anchor) -> None:
    """Write one more line, all of it or nothing; what is there stays as it is."""
    text = _read(path)
    columns = (str(anchor.seq), anchor.hash, anchor.date, anchor.ledger)
    ended = text if text.endswith("\n") or not text else f"{text}\n"
    make_folder(path.parent)
    write_atomic(path, f"{ended}{' '.join(columns).rstrip()}\n".encode())


def anchor_head(log: EventLog, path: Path, date: str) -> Anchor | None:
    """Anchor the newest event, unless there is none or it is anchored already.

    The log is held meanwhile, so that two processes do not write over one another's line.
    """
    with log.writing() as writer:
        first = log.event(1)
        if first is None:
            return None
        anchor = Anchor(writer.head.seq, writer.head.hash, date, first.hash)
        known = read_anchors(path).anchors
        if any((one.seq, one.hash) == (anchor.seq, anchor.hash) for one in known):
            return None
        add_anchor(path, anchor)
    return anchor
