"""Options that several commands share."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dmm.bootstrap import Dmm

Root = Annotated[
    Path | None,
    typer.Option(help="The .dmm folder or its parent (default: found upwards, or $DMM_ROOT)."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON for programs.")]


def open_project(root: Path | None) -> Dmm:
    """Open the project around the working directory."""
    from dmm.bootstrap import open_dmm

    return open_dmm(override=root)


def write_output(path: Path, text: str) -> None:
    """Write a file that the user named; a pipe or a device gets the text and stays what it is."""
    from dmm.files.durable import translated, write_atomic

    data = text.encode("utf-8", "replace")
    if path.exists() and not path.is_file():
        with translated(path, "write the file"):
            path.write_bytes(data)
    else:
        write_atomic(path.resolve(), data)


def print_json(value: Any) -> None:
    """Print plain data as JSON that is the same for the same data."""
    sys.stdout.write(json.dumps(value, indent=2, ensure_ascii=False) + "\n")


def print_lines(lines: Iterator[str] | list[str]) -> None:
    """Print text as it is: no colour, no wrapping, good for pipes."""
    sys.stdout.write("".join(f"{line}\n" for line in lines))


def present(told: Any, *, as_json: bool, lines: Callable[[Any], Iterable[str]]) -> None:
    """Print a result: as it is for programs, in lines for people."""
    if as_json:
        print_json(told)
    else:
        print_lines(list(lines(told)))
