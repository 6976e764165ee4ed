"""What `dmm team search` shows: a passage, who said it where, and why it was found."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from dmm.cli.options import counted
from dmm.domain.event import EventType

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dmm.team.answers import Answer, Hit

WIDTH, INDENT, MOST_LINES = 80, "    ", 4
_KINDS: Mapping[str, str] = {
    EventType.CONSTRAINT_ADDED: "rule",
    EventType.CONSTRAINT_ACCEPTED: "rule",
    EventType.FACT_ADDED: "fact",
    EventType.DECISION_MADE: "decision",
    EventType.DECISION_BLOCKED: "blocked decision",
    EventType.PROPOSAL_REVIEWED: "review",
    EventType.CONFLICT_RESOLVED: "conflict",
    EventType.OBSERVATION_MADE: "observation",
}


def tell_answer(answer: Answer) -> Iterator[str]:
    """Yield an answer in lines of at most 80 columns, where words allow it."""
    for one in answer.results:
        yield from _tell(one)
    if not answer.results:
        where = counted(len(answer.projects), "project")
        yield f"Nothing found in what {where} shared."
    if answer.behind:
        yield f"{counted(answer.behind, 'event')} not indexed yet; search again in a while."


def _tell(one: Hit) -> Iterator[str]:
    # A later server may find types that this version does not know.
    kind = _KINDS.get(one.type, one.type)
    said = f"{one.rank}. {one.team}/{one.project} team:{one.seq}  {kind}"
    yield from _wrap(f"{said}  {one.at[:10]}  {one.name or one.writer}", "")
    shown = textwrap.wrap(one.text, WIDTH - len(INDENT), max_lines=MOST_LINES, placeholder=" …")
    yield from (f"{INDENT}{line}" for line in shown)
    words = f"words: {', '.join(one.words)}; " if one.words else ""
    why = f"{words}similarity {one.similarity:.2f}; score {one.score:.2f}"
    yield from _wrap(f"({why})", INDENT)


def _wrap(text: str, indent: str) -> Iterator[str]:
    yield from textwrap.wrap(text, WIDTH, initial_indent=indent, subsequent_indent=INDENT)
