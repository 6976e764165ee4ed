"""Transcripts of a few lines, and what is recorded of them."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from dmm.domain.plain import to_plain
from dmm.sessions.events import describe_event
from dmm.sessions.transcripts.entry import Entry, Fault
from dmm.sessions.transcripts.recognise import read_transcript

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.sessions.transcripts.entry import Read

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Reader:
    """Reads lines as the transcript of a client."""

    def read(self, client: str, lines: Sequence[Record | bytes]) -> list[Read]:
        data = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in lines]
        return list(read_transcript(client, io.BytesIO(b"\n".join(data) + b"\n")))

    def told(self, client: str, lines: Sequence[Record | bytes]) -> list[tuple[str, str]]:
        """Tell each event by its type and its words: what was said, done, answered or faulty."""
        return [_words(one) for one in self.read(client, lines)]

    def payloads(self, client: str, lines: Sequence[Record | bytes]) -> list[Record]:
        """Tell the payloads as they would be recorded."""
        found = (one for one in self.read(client, lines) if isinstance(one, Entry))
        described = (describe_event(one.event) for one in found)
        return [to_plain(one.told) for one in described if one is not None]


def _words(read: Read) -> tuple[str, str]:
    if isinstance(read, Fault):
        return f"line {read.line}", read.reason
    described = describe_event(read.event)
    assert described is not None
    payload = to_plain(described.told)
    return str(described.told.kinds[0]), str(payload.get("text") or payload.get("source") or "")


@pytest.fixture(scope="session")
def reader() -> Reader:
    return Reader()
