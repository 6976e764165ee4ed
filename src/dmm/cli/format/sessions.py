"""Sessions of agents as lines of at most 80 columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.cli.format.wrapping import wrapped
from dmm.cli.options import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dmm.project.session_history import SessionRow, SessionStory


def list_sessions(sessions: Sequence[SessionRow]) -> Iterator[str]:
    """List sessions, the newest first."""
    if not sessions:
        yield "No session is recorded yet. To connect an agent: dmm install"
    for one in sessions:
        yield from wrapped(f"{one.id}: {_told(one)}", f"{one.last[:16]}  ")


def show_session(story: SessionStory, fixed: int) -> Iterator[str]:
    """Show a session with its newest entries and what was put into it."""
    row, cost = story.session, story.cost
    yield from wrapped(f"{row.id}: {_told(row)}", "Session ")
    yield from wrapped(f"{cost.injected} tokens, and {fixed} that every session pays", "Given: ")
    for item in cost.items:
        yield f"  {item.what}: {counted(item.count, 'time')}, {item.tokens} tokens"
    for one in story.entries:
        yield from wrapped(one.title, f"{one.seq:>8}  {one.at[11:19]}  {one.kind:<6}  ")
        if one.matched:
            yield from wrapped(f"rule {one.rule} matched: {one.matched}", " " * 28)


def _told(row: SessionRow) -> str:
    parts = [row.client, row.branch, "open" if row.open else "ended"]
    parts += [counted(row.prompts, "prompt"), counted(row.calls, "call")]
    parts += [f"{row.blocked} blocked"] if row.blocked else []
    return ", ".join(one for one in (*parts, f"{row.tokens} tokens") if one)
