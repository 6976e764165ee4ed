"""`dmm ask`: answer a question with cited evidence within a token budget."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from dmm.cli.options import Json, Root, counted, open_project, print_json, print_lines, print_text
from dmm.cli.progress import bar
from dmm.domain.text import neutralise

if TYPE_CHECKING:
    from collections.abc import Iterator

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
        print_text(told["suggested_prompt"])
    else:
        print_lines(_answer(told["answer"]))
    print_lines(f"notice: {one}" for one in told["layer1_search"]["notices"])
    if verbose:
        print_lines(_decisions(told))


def _answer(answer: dict[str, Any]) -> Iterator[str]:
    unknown = answer["unknown"]
    missing = [one for one in answer["missing"] if one not in unknown]
    if not answer["points"]:
        yield "Nothing in memory, sessions or code answers this."
    if unknown:
        nearest = " What comes nearest:" if answer["points"] else ""
        yield f"Evidence is missing for: {'; '.join(unknown)}.{nearest}"
    for number, point in enumerate(answer["points"], start=1):
        yield f"{number}. {point['text']}"
        yield f"   [{point['cite']}]"
    if missing:
        yield f"Evidence is missing for: {'; '.join(missing)}."
    if answer["more"]:
        yield "See also:"
        yield from (f"   {one}" for one in answer["more"])
    if answer["points"]:
        yield "All evidence, as a prompt for an agent: add --prompt"


def _decisions(told: dict[str, Any]) -> Iterator[str]:
    mapping, gate = told["mapping_decision"], told["coverage_gate"]
    metrics, critic = told["prompt_metrics"], told["execution_critic"]
    yield "## How this answer was made"
    yield f"- profile {mapping['profile']} by {mapping['source']}: {mapping['reason']}"
    yield f"- {metrics['total']} of {metrics['budget']} tokens"
    for source, number in told["evidence_stats"]["found"].items():
        taken = told["evidence_stats"]["taken"][source]
        yield f"- {source}: {taken} of {counted(number, 'piece')} of evidence"
    if gate["enforced"]:
        state = "complete" if gate["pass"] else f"incomplete: {', '.join(gate['missing'])}"
        yield f"- coverage {state}, {counted(len(gate['probes']), 'second look')}"
    yield f"- session {neutralise(critic['session']) or 'none'}: risk {critic['risk_level']}"
    yield f"- {told['timing']['total_ms']} ms"
