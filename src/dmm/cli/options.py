"""Options that several commands share."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, TypeVar

import typer

from dmm.cli.daemon_call import find_agent
from dmm.domain.hidden import replace_hidden
from dmm.domain.plain import to_plain
from dmm.domain.text import neutralise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dmm.bootstrap import Dmm

Root = Annotated[
    Path | None,
    typer.Option(
        help="Project or .dmm folder.", show_default="nearest folder with .dmm, or $DMM_ROOT"
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Output JSON.")]
Full = Annotated[bool, typer.Option("--full", help="Every line, however many files change.")]

T = TypeVar("T")

_opened: list[Dmm] = []


def is_alone(ctx: typer.Context, *, as_json: bool, root: Path | None) -> bool:
    """Return whether a group is called without a command; its options go after a command."""
    if ctx.invoked_subcommand is not None and (as_json or root is not None):
        from dmm.errors import UsageError

        what = f"--json and --root go after the command: {ctx.invoked_subcommand}"
        raise UsageError(what, hint=f"{ctx.command_path} {ctx.invoked_subcommand} --help")
    return ctx.invoked_subcommand is None


def refuse_agents(act: str, hint: str = "run it in a terminal of your own") -> None:
    """Refuse a shell known to belong to an agent: only a person may do this."""
    named = find_agent()
    if named is not None:
        from dmm.errors import UsageError

        raise UsageError(f"an agent can't {act} ({named} is set)", hint=hint)


def agrees(question: str) -> bool:
    """Ask the person at the terminal; only yes is yes."""
    sys.stdout.write(f"{question} [y/N] ")
    sys.stdout.flush()
    return sys.stdin.readline().strip().lower() in ("y", "yes")


def open_project(root: Path | None, *, quiet: bool = False) -> Dmm:
    """Open the project around the working directory, in the name of whoever runs this shell.

    What is held back until the user agrees is told, unless the command shows it itself.
    """
    from dmm.bootstrap import open_dmm

    opened = open_dmm(override=root, by_agent=find_agent() is not None)
    _opened.append(opened)
    held = opened.consents.notice()
    if held is not None and not quiet:
        sys.stderr.write(f"dmm: {neutralise(held)}\n")
    return opened


def close_projects() -> None:
    """Close what a command opened: an index left open has its newest changes in a log beside it."""
    while _opened:
        _opened.pop().close()


def write_output(path: Path, text: str) -> None:
    """Write a file that the user named; a pipe or a device gets the text and stays what it is."""
    from dmm.files.durable import translated, write_atomic

    data = text.encode("utf-8", "replace")
    if path.exists() and not path.is_file():
        with translated(path, "write the file"):
            path.write_bytes(data)
    else:
        write_atomic(path.resolve(), data)


def deliver(text: str, output: Path | None, what: str, *, note: str = "") -> None:
    """Hand a document over: to the file that was named, or to standard output (none, or `-`)."""
    if output is None or str(output) == "-":
        print_text(text)
        return
    write_output(output, text)
    sys.stderr.write(neutralise(f"{what} written to {output}{note}") + "\n")


def print_text(text: str) -> None:
    """Print a document: byte for byte into a pipe or a file, harmless on a terminal."""
    sys.stdout.write(neutralise(text) if sys.stdout.isatty() else text)


def to_json(value: Any) -> str:
    """Write a value as JSON that is the same for the same value; hidden characters escaped."""
    text = json.dumps(to_plain(value), indent=2, ensure_ascii=False) + "\n"
    return replace_hidden(text, lambda sign: json.dumps(sign)[1:-1])


def print_json(value: Any) -> None:
    """Print a value as JSON."""
    sys.stdout.write(to_json(value))


def print_lines(lines: Iterable[str]) -> None:
    """Print lines without colour or wrapping, good for pipes; what would steer a terminal shows."""
    sys.stdout.write("".join(f"{neutralise(line)}\n" for line in lines))


def counted(number: int, noun: str, plural: str = "") -> str:
    """Return how many there are: 1 file, 2 files."""
    return f"{number} {noun if number == 1 else plural or noun + 's'}"


def present(
    told: T,
    *,
    as_json: bool,
    lines: Callable[[T], Iterable[Any]],
    show: Callable[[list[Any]], None] = print_lines,
) -> None:
    """Print a result: as it is for programs, in lines for people."""
    if as_json:
        print_json(told)
    else:
        show(list(lines(told)))
