"""`dmm ledger trace|replay|at|diff|drift|simulate|rehearse|explain`: the ledger over time."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from dmm.cli.format import lines
from dmm.cli.ledger_file import open_to_look
from dmm.cli.options import Json, Root, present

Seq = Annotated[int, typer.Argument(metavar="SEQ", help="The number of an event.")]
First = Annotated[int, typer.Argument(metavar="A", help="The number of an event.")]
Second = Annotated[int, typer.Argument(metavar="B", help="The number of another event.")]


def trace(
    subject: Annotated[str, typer.Argument(metavar="SEQ|KEY", help="An event, or a fact's key.")],
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Trace an event or a fact to its origin."""
    dmm = open_to_look(root)
    if subject.isdecimal() and subject.isascii():
        told = dmm.timelines.trace_provenance(seq=int(subject))
    else:
        told = dmm.timelines.trace_provenance(fact_key=subject)
    present(told, as_json=as_json, lines=lines.chain)


def replay(
    to: Annotated[
        int | None,
        typer.Option(metavar="SEQ", help="Stop at this event.", show_default="the newest"),
    ] = None,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Rebuild the state from the log and show its hash."""
    dmm = open_to_look(root)
    told = dmm.timelines.replay(to)
    present(told, as_json=as_json, lines=lines.replayed)


def at(seq: Seq, as_json: Json = False, root: Root = None) -> None:
    """Show what was known at an event, and how today differs."""
    dmm = open_to_look(root)
    told = dmm.timelines.time_travel(seq)
    present(told, as_json=as_json, lines=lines.flashback)


def diff(a: First, b: Second, as_json: Json = False, root: Root = None) -> None:
    """Compare what was known at two events."""
    dmm = open_to_look(root)
    told = dmm.timelines.diff(a, b)
    title = f"From event {a} to event {b}"
    present(told, as_json=as_json, lines=partial(lines.difference, title=title))


def drift(a: First, b: Second, as_json: Json = False, root: Root = None) -> None:
    """Measure the distance between two events.

    0 means identical, 1 means nothing in common.
    """
    dmm = open_to_look(root)
    told = dmm.timelines.drift(a, b)
    present(told, as_json=as_json, lines=lines.drifted)


def simulate(
    inject: Annotated[str, typer.Option(help="The constraint to try.")],
    at: Annotated[int, typer.Option(metavar="SEQ", help="As if added after this event.")],
    decide: Annotated[str, typer.Option(help="The decision to check.")],
    priority: Annotated[str, typer.Option(help="required, preferred or learned.")] = "required",
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Try a decision as if a constraint had existed.

    Nothing is recorded.
    """
    dmm = open_to_look(root)
    told = dmm.timelines.simulate_timeline(inject, at, decide, priority)
    present(told, as_json=as_json, lines=lines.simulated)


def rehearse(
    text: Annotated[str, typer.Argument(help="The rule to test.")],
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Test a rule against past calls and decisions.

    Shows what it would have blocked. Nothing is recorded.
    """
    dmm = open_to_look(root)
    told = dmm.timelines.rehearse(text)
    present(told, as_json=as_json, lines=lines.rehearsed)


def explain(seq: Seq, as_json: Json = False, root: Root = None) -> None:
    """Explain the verdict on a decision or a tool call.

    Also shows whether it would be the same today.
    """
    dmm = open_to_look(root)
    told = dmm.timelines.explain(seq)
    present(told, as_json=as_json, lines=lines.explained)
