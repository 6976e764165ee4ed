"""The cost of sessions as lines of at most 80 columns."""

from __future__ import annotations

import textwrap
from dataclasses import astuple
from typing import TYPE_CHECKING

from dmm.cli.format.wrapping import wrapped
from dmm.cli.options import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dmm.project.cost import CostReport, Injection, SessionCost
    from dmm.project.metrics import Figures

LONGEST_TASK = 48
SHORT = 8
MOST_PATHS = 4
MOST_SHOWN = 20


def summarise(one: SessionCost) -> str:
    """Return one line on what a session was given."""
    given = sum(part.why == "prompt" for part in one.injections)
    day, _, clock = one.injections[0].at.partition("T")
    name = f"in session {one.session[:SHORT]}" if one.session else "outside of sessions"
    prompts = f", {given} of {counted(one.prompts, 'prompt')} got memory" if one.prompts else ""
    return f"{one.tokens:,} tokens {name} ({one.client}, {day} {clock[:5]}){prompts}"


def cost_lines(
    report: CostReport, fixed: Sequence[tuple[str, int]], own: Sequence[tuple[str, int]]
) -> Iterator[str]:
    """Show what every session costs, then each one with what was put into it and why."""
    yield from wrapped(_sum(fixed), "Fixed per session: ")
    yield from wrapped(_sum(own), "Your project:      ")
    memories = "the memory" if report.memories == 1 else f"all {report.memories} memories"
    whole = f"{report.memory_tokens:,} tokens if {memories} were always loaded"
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


def _sum(parts: Sequence[tuple[str, int]]) -> str:
    total = sum(tokens for _, tokens in parts)
    return f"{total:,} tokens: " + ", ".join(f"{name} {tokens:,}" for name, tokens in parts)


def _injection(part: Injection) -> Iterator[str]:
    task = textwrap.shorten(part.task, LONGEST_TASK, placeholder=" ...")
    match part.why:
        case "start":
            what = "session start: BOOT, rules and baseline"
        case "file":
            what = f"file {part.task}"
        case why:
            what = f'{why} "{task}"' if task else why
    yield from wrapped(what, f"  {part.at[11:16]} {part.tokens:>6}  ")
    for path in part.paths[:MOST_PATHS]:
        yield f"{' ' * 16}{path}"
    if len(part.paths) > MOST_PATHS:
        yield f"{' ' * 16}and {len(part.paths) - MOST_PATHS} more"


_HEADS = ("day", "packs", "given", "whole memory", "blocked", "asked", "proposed", "applied")
_WIDTHS = (10, 5, 9, 12, 7, 5, 8, 7)


def day_lines(figures: Figures) -> Iterator[str]:
    """Show what was given each day against the whole memory each time; quiet days are left out."""
    rows = [astuple(one) for one in figures.days if any(astuple(one)[1:])]
    if not rows:
        yield f"Nothing was given or stopped in the last {counted(len(figures.days), 'day')}."
        return
    yield _columns(_HEADS)
    # In the order of the fields: packs, tokens, monolith, then what rules and review did.
    for day, *numbers in rows:
        yield _columns((day, *(f"{number:,}" for number in numbers)))
    given, whole = (sum(row[place] for row in rows) for place in (2, 3))
    yield ""
    yield f"{given:,} tokens given; {max(0, whole - given):,} fewer than with all memory each time."


def _columns(row: Sequence[str]) -> str:
    return "  ".join(f"{one:>{width}}" for one, width in zip(row, _WIDTHS, strict=True))
