"""The `dmm` command: its parts, and the one place where errors become messages."""

from __future__ import annotations

import io
import os
import sys

import typer

from dmm.cli import failures, ledger
from dmm.cli.demo import demo
from dmm.cli.monolith import export, import_files
from dmm.cli.query import query
from dmm.cli.reindex import reindex
from dmm.cli.setup import init
from dmm.cli.status import status
from dmm.cli.validate import validate
from dmm.errors import DmmError, StorageError

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


def main() -> None:
    """Run a command; every expected failure ends in one message and its exit status."""
    _speak_utf8()
    try:
        try:
            app(prog_name="dmm")
        finally:
            sys.stdout.flush()
    except DmmError as error:
        sys.exit(failures.report(error, as_json="--json" in sys.argv))
    except (KeyboardInterrupt, SystemExit) as end:
        # typer ends an interrupted command in its own way, without a word.
        if isinstance(end, SystemExit) and end.code != failures.INTERRUPTED:
            raise
        sys.stderr.write("\ndmm: interrupted; what was finished is kept\n")
        sys.exit(failures.INTERRUPTED)
    except BrokenPipeError:
        # The reader went away; keep Python from complaining while it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(failures.FINDINGS)
    except OSError as error:
        unforeseen = StorageError(f"the system refused: {error.strerror}", where=error.filename)
        sys.exit(failures.report(unforeseen, as_json="--json" in sys.argv))


def _speak_utf8() -> None:
    """Give the same bytes under every locale; what is no text at all becomes a question mark."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(encoding="utf-8", errors="replace")
