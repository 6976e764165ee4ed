"""`dmm ask`: answer a question with cited evidence within a token budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli.format.wrapping import WIDTH, wrapped
from dmm.cli.options import Json, Root, counted, open_project, print_json, print_lines, print_text
from dmm.cli.progress import bar
from dmm.domain.text import neutralise

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.ask.answer import Answer, Point
    from dmm.ask.results import Answered

# Behind a longer place, too little room is left to say what is there.
LONGEST_PLACE = 45
INDENT = 4

Profile = Annotated[
    str | None,
    typer.Option(
        help="onboarding, debugging, implementation, review, architecture, daily_brief,"
        " general or your own.",
        show_default="chosen by the question",
    ),
]


def ask(
    question: Annotated[str, typer.Argument(help="The question, in plain words.")],
    profile: Profile = None,
    budget: Annotated[
        int | None,
        typer.Option(min=0, help="Token budget of the whole answer.", show_default="3000"),
    ] = None,
    prompt: Annotated[
        bool, typer.Option("--prompt", help="Print the whole evidence as a prompt for an agent.")
    ] = False,
    style: Annotated[
        str, typer.Option(help="compact, or full: print the longer prompt.")
    ] = "compact",
    session: Annotated[
        str | None,
        typer.Option(help="The session that the critic reviews.", show_default="the last"),
    ] = None,
    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-v", help="Add how the answer was made, and the time taken."),
    ] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Answer a question with cited evidence from memory, sessions, documents and code."""
    asking = open_project(root).asking
    with bar("Reading the repository") as progress:
        told = asking.ask(
            question,
            profile=profile,
            budget=budget,
            session=session,
            style=style,
            timed=verbose,
            progress=progress,
        )
    if as_json:
        print_json(told)
        return
    if prompt or style != "compact":
        print_text(told.prompt)
    else:
        print_lines(_answer(told.answer))
    print_lines(f"notice: {one}" for one in told.notices)
    if verbose:
        print_lines(_decisions(told))


def _answer(answer: Answer) -> Iterator[str]:
    unknown, points = answer.unknown, answer.points
    # Of the meaning of a section, its beginning is enough here.
    missing = [one.partition(": ")[0] for one in answer.missing if one not in unknown]
    if not points:
        yield "Nothing in memory, sessions or code answers this."
    if unknown:
        nearest = " What comes nearest:" if points else ""
        yield from wrapped(f"Evidence is missing for: {'; '.join(unknown)}.{nearest}")
    for number, point in enumerate(points, start=1):
        yield from wrapped(point.text, f"{number}. ", whole=True)
        # A line that lists places has the first one in it.
        if f"({point.cite}" not in point.text:
            yield f"   [{point.cite}]"
    if missing:
        yield from wrapped(f"Evidence is missing for: {'; '.join(missing)}.")
    if answer.see_also:
        yield "See also:"
        yield from (line for one in answer.see_also for line in _place(one))
    if points:
        yield "All evidence, as a prompt for an agent: add --prompt"


def _place(point: Point) -> Iterator[str]:
    """Write a place with what is there, below it where the line is too short for both."""
    place, said = f"   {neutralise(point.cite)}", neutralise(point.text)
    if not said or (len(place) + len(said) > WIDTH - 2 and len(place) > LONGEST_PLACE):
        yield place
        if not said:
            return
        place = " " * INDENT
    room = WIDTH - 2 - len(place)
    yield f"{place}  {said if len(said) <= room else f'{said[: room - 1]}…'}"


def _decisions(told: Answered) -> Iterator[str]:
    decision, gate, critique = told.decision, told.written.gate, told.critique
    yield "## How this answer was made"
    yield f"- profile {decision.profile.name} by {decision.source}: {decision.reason}"
    yield f"- {told.tokens} of {told.request.budget} tokens"
    for source, number in told.found.items():
        yield f"- {source}: {told.taken[source]} of {counted(number, 'piece')} of evidence"
    if gate.enforced:
        state = "complete" if gate.pass_ else f"incomplete: {', '.join(gate.missing)}"
        yield f"- coverage {state}, {counted(len(gate.probes), 'second look')}"
    yield f"- session {neutralise(critique.session) or 'none'}: risk {critique.risk_level}"
    if told.timing is not None:
        yield f"- {told.timing['total_ms']} ms"
