"""Read a text from an option, a file or standard input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from dmm.errors import UsageError

# More than any memory may have; what is larger is refused by whoever takes it.
MOST_READ = 1 << 20
STANDARD_INPUT = "-"

Content = Annotated[str | None, typer.Option(help="The text itself.")]
TextFile = Annotated[Path | None, typer.Option("--file", help="A file with the text.")]
FromStdin = Annotated[bool, typer.Option("--from-stdin", help="Read the text from standard input.")]


def read_text(content: str | None, file: Path | None, *, from_stdin: bool) -> str | None:
    """Read a text from the one place where it was given; None where it was not."""
    if [content is not None, file is not None, from_stdin].count(True) > 1:
        raise UsageError("give one of: --content, --file, --from-stdin")
    if from_stdin:
        file = Path(STANDARD_INPUT)
    text = content if file is None else read_file(file)
    if text is not None and not text.strip():
        raise UsageError("the text is empty", where=None if file is None else _place(file))
    return text


def read_patch(given: str | None) -> str | None:
    """Read a patch: the text itself, @FILE, or - for standard input."""
    if given is None:
        return None
    if given == STANDARD_INPUT:
        return read_file(Path(STANDARD_INPUT))
    # A diff begins with @@ where it brings no names of files.
    names_file = given.startswith("@") and not given.startswith("@@")
    return read_file(Path(given[1:])) if names_file else given


def read_file(path: Path) -> str:
    """Read a text file, a pipe, or standard input (-), as far as any memory may go."""
    from dmm.files.durable import translated

    if str(path) == STANDARD_INPUT:
        data = sys.stdin.buffer.read(MOST_READ + 1)
    else:
        with translated(path, "read the file"), path.open("rb") as file:
            data = file.read(MOST_READ + 1)
    if len(data) > MOST_READ:
        raise UsageError(f"the text is larger than {MOST_READ >> 20} MiB", where=_place(path))
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        hint = "save it as UTF-8 and try again"
        raise UsageError("the text is not UTF-8", where=_place(path), hint=hint) from None


def _place(path: Path) -> str:
    return "standard input" if str(path) == STANDARD_INPUT else str(path)
