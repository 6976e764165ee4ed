"""`dmm demo`: the story of a travel agent that learns a rule."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli import failures
from dmm.cli.format.lines import line_of
from dmm.domain.text import neutralise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.console import Console, RenderableType
    from rich.table import Table

    from dmm.ledger import results
    from dmm.project.story import Move, Scene

WIDTH = 80
COLOURS = {"COMMITTED": "green", "BLOCKED": "red", "ALLOWED": "green"}


def demo(
    interactive: Annotated[
        bool, typer.Option("--interactive", help="Wait for Enter between steps.")
    ] = False,
) -> None:
    """Show the ledger at work in a short example.

    An agent makes a mistake, learns a rule from it, and is held to it.
    """
    from rich.console import Console

    from dmm.bootstrap import open_stage
    from dmm.project.story import STORY

    console = Console(highlight=False)
    console.width = min(WIDTH, console.width)
    scenes: list[Scene] = []
    for scene in open_stage().play(STORY):
        if interactive and scenes:
            _wait(console)
        scenes.append(scene)
        console.print(_show(scene))
    if all(scene.as_told for scene in scenes):
        console.print(f"All {len(scenes)} steps passed. Nothing was saved.", style="bold green")
        return
    wrong = ", ".join(str(scene.number) for scene in scenes if not scene.as_told)
    console.print(f"Failed: step {wrong}", style="bold red")
    raise typer.Exit(failures.FINDINGS)


def _wait(console: Console) -> None:
    console.print("[dim]Press Enter for the next step.[/dim]")
    sys.stdout.flush()
    sys.stdin.readline()


def _show(scene: Scene) -> RenderableType:
    from rich.console import Group
    from rich.panel import Panel
    from rich.text import Text

    parts: list[RenderableType] = [Text(scene.act.told, style="italic"), Text()]
    parts += [shown for move in scene.moves for shown in _show_move(move)]
    if scene.act.moral:
        parts += [Text(), Text(scene.act.moral, style="cyan")]
    title = f"[bold]{scene.number} · {scene.act.title}[/bold]"
    border = "blue" if scene.as_told else "red"
    return Panel(
        Group(*parts), title=title, title_align="left", border_style=border, padding=(0, 1)
    )


def _show_move(move: Move) -> Iterator[RenderableType]:
    from dmm.ledger import results
    from dmm.rules.results import ConstraintRecorded

    given = move.step.arguments
    match move.result:
        case results.MessageRecorded() as said:
            yield _row(said.seq, "traveller", f"“{said.text}”")
        case results.FactRecorded() as fact:
            yield _row(fact.seq, "fact", f"{fact.key} = {fact.value}")
        case ConstraintRecorded() as rule:
            yield _row(rule.seq, "rule", f"{rule.constraint} ({rule.priority})", "yellow")
            yield _row("", "", f"learned from event {rule.triggered_by}", "dim")
        case results.Committed() | results.Blocked() as told:
            yield from _show_decision(told, f"{given['text']}", f"{given['rationale']}")
        case results.Found() as found:
            events = [str(one.seq) for one in found.facts]
            events += [str(one.seq) for one in found.constraints or ()]
            text = f"{given['question']}? Found: events {', '.join(events)}."
            yield _row(found.query_seq, "look-up", text)
        case results.Chain() as links:
            yield from _show_chain(links)
        case results.Simulation() as told:
            yield _show_timelines(told)
    if not move.as_told:
        yield _row("", "UNEXPECTED", str(move.step.expected), "bold red")


def _row(seq: object, what: str, text: str, style: str = "") -> Table:
    from rich.table import Table
    from rich.text import Text

    row = Table.grid(padding=(0, 2))
    row.add_column(width=3, justify="right", style="dim")
    row.add_column(width=11, style="bold")
    row.add_column(overflow="fold")
    row.add_row(str(seq), Text(what, style=style), Text(neutralise(text), style=style))
    return row


def _show_decision(
    told: results.Committed | results.Blocked, text: str, rationale: str
) -> Iterator[Table]:
    from dmm.ledger.results import Blocked, Committed

    yield _row(told.seq if isinstance(told, Committed) else "", "decision", text)
    yield _row("", "", f"because: {rationale}", "dim")
    reason = told.reason if isinstance(told, Blocked) else ""
    yield _row("", told.status, reason, COLOURS[told.status])
    if isinstance(told, Blocked):
        yield _row("", "", told.suggestion)


def _show_chain(links: results.Chain) -> Iterator[Table]:
    yield _row("", "why?", "the chain of causes:", "cyan")
    for one in links.chain:
        cause = "" if one.caused_by is None else f" ← {one.caused_by}"
        yield _row(one.seq, "", f"{line_of(one)}{cause}")


def _show_timelines(told: results.Simulation) -> Table:
    from rich.box import ROUNDED
    from rich.table import Table
    from rich.text import Text

    table = Table(box=ROUNDED, expand=True, show_lines=True)
    table.add_column("after", justify="right", style="dim", width=5)
    table.add_column("Timeline A (as recorded)", ratio=1)
    table.add_column(f"Timeline {told.timeline}", ratio=1)
    rule = neutralise(f"rule: {told.injected_constraint}")
    after = str(told.injected_at_seq)
    table.add_row(after, Text("no rule yet", style="dim"), Text(rule, style="yellow"))
    decided = Text(neutralise(told.tested_decision))
    table.add_row("", decided, decided)
    table.add_row(
        "",
        Text("COMMITTED: forty steps, a guest stuck outside", style="green"),
        Text(neutralise(f"{told.result}: {told.reason}"), style=COLOURS[told.result]),
    )
    return table
