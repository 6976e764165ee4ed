"""The commands of `dmm`, and the one place where errors become messages."""

from __future__ import annotations

import io
import os
import sys
from typing import Any, cast

import typer

from dmm.cli import failures, ledger
from dmm.cli.demo import demo
from dmm.cli.monolith import export, import_files
from dmm.cli.query import query
from dmm.cli.reindex import reindex
from dmm.cli.setup import init
from dmm.cli.status import status
from dmm.cli.validate import validate
from dmm.domain.text import neutralise
from dmm.errors import DmmError, StorageError, UsageError

# typer has moved this class about; a public one that is made of it leads there.
WRONG_LINE = cast("type[Exception]", typer.BadParameter.__mro__[1])
# Arguments that hold words, so that too many of them are most likely one text without quotes.
TEXTS = {"task", "text", "question", "value"}

app = typer.Typer(
    name="dmm",
    help="Memory for coding agents: small markdown files in, token-budgeted cited packs out.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command()(init)
app.command()(query)
app.command("import")(import_files)
app.command()(export)
app.command()(validate)
app.command()(status)
app.command()(reindex)
app.add_typer(ledger.app, name="ledger")
app.command()(demo)


@app.callback(invoke_without_command=True)
def dmm(
    version: bool = typer.Option(False, "--version", help="Show the version and stop."),
) -> None:
    """Memory for coding agents: small markdown files in, token-budgeted cited packs out."""
    if version:
        from importlib.metadata import version as installed

        sys.stdout.write(f"dmm {installed('dynamic-markdown-memory')}\n")
        raise typer.Exit


def run() -> int:
    """Run a command; every expected failure ends in one message and its exit status."""
    as_json = "--json" in sys.argv
    try:
        try:
            ended = app(prog_name="dmm", standalone_mode=False)
        finally:
            sys.stdout.flush()
    except WRONG_LINE as error:
        return _refuse(error, as_json=as_json)
    except DmmError as error:
        return failures.report(error, as_json=as_json)
    except BrokenPipeError:
        # The reader went away; keep Python from complaining while it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return failures.FINDINGS
    except OSError as error:
        unforeseen = StorageError(f"the system refused: {error.strerror}", where=error.filename)
        return failures.report(unforeseen, as_json=as_json)
    return ended if isinstance(ended, int) else 0


def _refuse(error: Any, *, as_json: bool) -> int:
    """Explain a command line that can't be read: typer knows how, we know the way out."""
    hint = _missing_quotes(error)
    if as_json:
        way = hint or (f"see {error.ctx.command_path} --help" if error.ctx else None)
        return failures.report(UsageError(error.format_message(), hint=way), as_json=True)
    told = io.StringIO()
    error.show(told)
    if hint:
        told.write(f"  try: {hint}\n")
    sys.stderr.write(neutralise(told.getvalue()))
    return int(error.exit_code)


def _missing_quotes(error: Any) -> str | None:
    if error.ctx is None or "unexpected extra argument" not in error.format_message():
        return None
    if not TEXTS & {given.name for given in error.ctx.command.params}:
        return None
    return f'a text of several words needs quotes: {error.ctx.command_path} "several words"'
