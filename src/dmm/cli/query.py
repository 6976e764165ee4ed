"""`dmm query`: a task in, a pack out."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dmm.cli.daemon_call import call_daemon
from dmm.cli.options import Json, Root, deliver, open_project, print_lines, to_json
from dmm.domain.memory import Scope
from dmm.domain.plain import to_plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dmm.packs.service import Answer

Task = Annotated[str, typer.Argument(help="The task or question, in plain words.")]
Budget = Annotated[
    int | None,
    typer.Option(
        min=0, help="Token budget of the entries, baseline included.", show_default="2000"
    ),
]
BaselineBudget = Annotated[
    int | None, typer.Option(min=0, help="Token budget of the baseline.", show_default="800")
]


def query(
    task: Task,
    budget: Budget = None,
    baseline_budget: BaselineBudget = None,
    scope: Annotated[Scope | None, typer.Option(help="Only memories of this scope.")] = None,
    exclude_ephemeral: Annotated[
        bool, typer.Option("--exclude-ephemeral", help="Leave out short-lived memories.")
    ] = False,
    include_deprecated: Annotated[
        bool, typer.Option("--include-deprecated", help="Search deprecated memories too.")
    ] = False,
    precise: Annotated[
        bool, typer.Option("--precise", help="Only sure matches; return nothing rather than noise.")
    ] = False,
    output: Annotated[Path | None, typer.Option(help="Write the pack to a file instead.")] = None,
    verbose: Annotated[
        bool, typer.Option("--verbose", "-v", help="Add scores, counts and times.")
    ] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Add the receipt: why each candidate is in or out.")
    ] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Compile the memory pack for a task.

    It holds the baseline, plus what is relevant within the budget.
    """
    started = time.perf_counter()
    request = {
        "query": task,
        "budget": budget,
        "baseline_budget": baseline_budget,
        "scope": None if scope is None else scope.value,
        "exclude_ephemeral": exclude_ephemeral,
        "include_deprecated": include_deprecated,
        "precise": precise,
        "explain": explain,
    }
    asked = call_daemon("query", {"request": request}, root)
    told: dict[str, Any] = asked or to_plain(_answer(request, root))
    if verbose:
        told["stats"]["milliseconds"] = round((time.perf_counter() - started) * 1000, 1)
    _present(told, output=output, verbose=verbose, explain=explain, as_json=as_json)


def _answer(request: Mapping[str, str | int | bool | None], root: Path | None) -> Answer:
    from dmm.cli.progress import bar
    from dmm.domain.pack import read_request

    dmm = open_project(root)
    settings = dmm.config.retrieval
    asked = read_request(request, settings.default_budget, settings.baseline_budget)
    with bar("Indexing") as progress:
        return dmm.packs.query(asked, progress=progress)


def _present(
    told: dict[str, Any], *, output: Path | None, verbose: bool, explain: bool, as_json: bool
) -> None:
    pack = told["pack"]
    note = f" ({pack['total_tokens']} tokens)"
    if as_json:
        deliver(to_json(told), output, "Pack", note=note)
        return
    deliver(told["pack_markdown"], output, "Pack", note=note)
    if verbose:
        stats = told["stats"]
        print_lines(["", "## Retrieval", *(f"- {k}: {_show(v)}" for k, v in stats.items())])
        retrieved = pack["retrieved_entries"]
        print_lines([f"- {e['relevance_score']:.4f} {e['path']}" for e in retrieved])
    if explain:
        print_lines(list(_receipt_lines(told["receipt"])))


def _show(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _receipt_lines(receipt: dict[str, Any]) -> Iterator[str]:
    yield ""
    yield f"## Receipt: {receipt['considered']} candidates"
    if receipt["directories"]:
        pulls = ", ".join(f"{one['path']} {one['score']:.2f}" for one in receipt["directories"])
        yield f"Directories preferred: {pulls}"
    if receipt["abstained"]:
        yield "Nothing was relevant enough, so nothing was retrieved."
    for candidate in receipt["candidates"]:
        yield from _candidate_lines(candidate)


def _candidate_lines(candidate: dict[str, Any]) -> Iterator[str]:
    fate = "in " if candidate["included"] else "out"
    tokens = candidate["tokens"]
    yield f"{fate} {candidate['score']:.3f}  {candidate['path']}  ({tokens} tokens)"
    found = " and ".join(candidate["lanes"])
    why = "" if candidate["included"] else f"; {candidate['reason'].replace('_', ' ')}"
    detail = f": {candidate['detail']}" if candidate["detail"] else ""
    yield f"      found by {found}{why}{detail}"
    yield "      " + "  ".join(f"{name} {value:.3f}" for name, value in candidate["parts"].items())
