"""`dmm query`: a task in, a pack out."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli.options import Json, Root, deliver, open_project, print_lines, to_json
from dmm.domain.memory import Scope

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.domain.pack import Candidate, Receipt
    from dmm.service.packs import Answer

Task = Annotated[str, typer.Argument(help="The task or question, in plain words.")]
Budget = Annotated[int | None, typer.Option(min=0, help="Tokens for the whole pack [2000].")]
BaselineBudget = Annotated[
    int | None, typer.Option(min=0, help="Tokens the baseline should keep to [800].")
]


def query(
    task: Task,
    budget: Budget = None,
    baseline_budget: BaselineBudget = None,
    scope: Annotated[Scope | None, typer.Option(help="Only memories of this scope.")] = None,
    exclude_ephemeral: Annotated[
        bool, typer.Option("--exclude-ephemeral", help="Leave short-lived findings out.")
    ] = False,
    include_deprecated: Annotated[
        bool, typer.Option("--include-deprecated", help="Search archived memories too.")
    ] = False,
    precise: Annotated[
        bool, typer.Option("--precise", help="Only what is certain; rather nothing than noise.")
    ] = False,
    output: Annotated[Path | None, typer.Option(help="Write the pack to a file instead.")] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Add scores, counts and times.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Add the receipt: every candidate and its fate.")
    ] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Compile the memory pack for a task: the baseline, and what is relevant within the budget."""
    from dmm.cli.progress import bar
    from dmm.domain.pack import QueryRequest

    started = time.perf_counter()
    dmm = open_project(root)
    settings = dmm.config.retrieval
    request = QueryRequest(
        query=task,
        budget=settings.default_budget if budget is None else budget,
        baseline_budget=settings.baseline_budget if baseline_budget is None else baseline_budget,
        scope=scope,
        exclude_ephemeral=exclude_ephemeral,
        include_deprecated=include_deprecated,
        precise=precise,
        explain=explain,
    )
    with bar("Indexing") as progress:
        answer = dmm.packs.query(request, progress=progress)
    if verbose:
        answer.stats["milliseconds"] = round((time.perf_counter() - started) * 1000, 1)
    _present(answer, output=output, verbose=verbose, explain=explain, as_json=as_json)


def _present(
    answer: Answer, *, output: Path | None, verbose: bool, explain: bool, as_json: bool
) -> None:
    from dmm.retrieval.render import describe_receipt

    note = f" ({answer.pack.total_tokens} tokens)"
    if as_json:
        receipt = {"receipt": describe_receipt(answer.pack.receipt)} if explain else {}
        deliver(to_json(answer.describe() | receipt), output, "Pack", note=note)
        return
    deliver(answer.markdown, output, "Pack", note=note)
    if verbose:
        print_lines(["", "## Retrieval", *(f"- {k}: {_show(v)}" for k, v in answer.stats.items())])
        print_lines([f"- {e.relevance_score:.4f} {e.path}" for e in answer.pack.retrieved_entries])
    if explain:
        print_lines(list(_receipt_lines(answer.pack.receipt)))


def _show(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _receipt_lines(receipt: Receipt) -> Iterator[str]:
    yield ""
    yield f"## Receipt: {receipt.considered} candidates"
    if receipt.directories:
        pulls = ", ".join(f"{path} {score:.2f}" for path, score in receipt.directories)
        yield f"Directories preferred: {pulls}"
    if receipt.abstained:
        yield "Nothing reached the floor, so nothing was retrieved."
    for candidate in receipt.candidates:
        yield from _candidate_lines(candidate)


def _candidate_lines(candidate: Candidate) -> Iterator[str]:
    fate = "in " if candidate.included else "out"
    yield f"{fate} {candidate.score:.3f}  {candidate.path}  ({candidate.tokens} tokens)"
    found = " and ".join(candidate.lanes)
    why = "" if candidate.included else f"; {candidate.reason.value.replace('_', ' ')}"
    detail = f": {candidate.detail}" if candidate.detail else ""
    yield f"      found by {found}{why}{detail}"
    yield "      " + "  ".join(f"{name} {value:.3f}" for name, value in candidate.parts.items())
