"""The cost of sessions as lines of at most 80 columns."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from dmm.cli.format.wrapping import wrapped
from dmm.cli.options import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dmm.project.cost import CostReport, Injection, SessionCost

LONGEST_TASK = 48
SHORT = 8
MOST_PATHS = 4
MOST_SHOWN = 20
WHY = {"start": "session start", "prompt": "prompt", "asked": "asked"}


def summarise(one: SessionCost) -> str:
    """Return one line on what a session was given."""
    given = sum(part.why == "prompt" for part in one.injections)
    day, _, clock = one.injections[0].at.partition("T")
    name = f"in session {one.session[:SHORT]}" if one.session else "outside of sessions"
    prompts = f", {given} of {counted(one.prompts, 'prompt')} got memory" if one.prompts else ""
    return f"{one.tokens:,} tokens {name} ({one.client}, {day} {clock[:5]}){prompts}"


def cost_lines(report: CostReport, fixed: Sequence[tuple[str, int]]) -> Iterator[str]:
    """Show the fixed cost, then each session with what was put into it and why."""
    parts = ", ".join(f"{name} {tokens}" for name, tokens in fixed)
    total = sum(tokens for _, tokens in fixed)
    yield from wrapped(f"{total} tokens: {parts}", "Fixed per session: ")
    memories = counted(report.memories, "memory", "memories")
    whole = f"{report.memory_tokens:,} tokens if all {memories} were always loaded"
    yield from wrapped(whole, "Instead of:        ")
    if not report.sessions:
        yield ""
        yield "No session has been given anything yet."
    for one in report.sessions:
        yield ""
        yield from wrapped(summarise(one))
        if len(one.injections) > MOST_SHOWN:
            yield f"  {len(one.injections) - MOST_SHOWN} earlier ones: dmm cost --json"
        for part in one.injections[-MOST_SHOWN:]:
            yield from _injection(part)


def _injection(part: Injection) -> Iterator[str]:
    task = textwrap.shorten(part.task, LONGEST_TASK, placeholder=" ...")
    what = f'{WHY[part.why]} "{task}"' if task else WHY[part.why]
    if part.why == "start":
        what = "session start: BOOT, rules and baseline"
    yield from wrapped(what, f"  {part.at[11:16]} {part.tokens:>6}  ")
    for path in part.paths[:MOST_PATHS]:
        yield from wrapped(path, " " * 16)
    if len(part.paths) > MOST_PATHS:
        yield f"{' ' * 16}and {len(part.paths) - MOST_PATHS} more"
