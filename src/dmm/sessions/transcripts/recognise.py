"""Detect the client, session and folder of a transcript from its first lines."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from dmm.sessions.transcripts import claude, codex, generic
from dmm.sessions.transcripts.entry import Fault
from dmm.sessions.transcripts.lines import Values, read_lines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import BinaryIO

    from dmm.sessions.transcripts.entry import Read

READERS: dict[str, Callable[[BinaryIO], Iterator[Read]]] = {
    claude.CLIENT: claude.read_claude,
    codex.CLIENT: codex.read_codex,
    generic.CLIENT: generic.read_generic,
}
LOOKED_AT = 40


@dataclass(frozen=True, slots=True)
class Head:
    """What the beginning of a transcript tells; a helper's file belongs to the session it names."""

    client: str
    session: str = ""
    cwd: str = ""
    helper: bool = False


def recognise(stream: BinaryIO) -> Head | None:
    """Return what a file is; None if it is not a readable transcript."""
    head: Head | None = None
    for line in islice(read_lines(stream), LOOKED_AT):
        if isinstance(line, Fault):
            continue
        if head is None:
            head = _first(line.values)
        if head is not None and head.client == claude.CLIENT:
            head = _add(head, line.values)
        if head is not None and (head.cwd or head.client != claude.CLIENT):
            break
    return head


def _first(values: Values) -> Head | None:
    if "role" in values and "session" in values:
        return Head(generic.CLIENT)
    if values.get("type") == "session_meta" or {"id", "timestamp", "instructions"} <= set(
        values.data
    ):
        session, cwd, helper = codex.read_head(values)
        return Head(codex.CLIENT, session, cwd, helper is not None)
    known = "sessionId" in values or values.get("type") in ("summary", "file-history-snapshot")
    return Head(claude.CLIENT) if known else None


def _add(head: Head, values: Values) -> Head:
    return replace(
        head,
        session=head.session or values.name("sessionId"),
        cwd=values.path("cwd"),
        helper=head.helper or values.get("isSidechain") is True,
    )
