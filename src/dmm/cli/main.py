"""The `dmm` command: its parts, and the one place where errors become messages."""

from __future__ import annotations

import os
import sys

import typer

from dmm.cli import failures
from dmm.cli.monolith import export, import_files
from dmm.cli.query import query
from dmm.cli.reindex import reindex
from dmm.cli.setup import init
from dmm.cli.status import status
from dmm.cli.validate import validate
from dmm.errors import DmmError

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
    try:
        app()
    except DmmError as error:
        sys.exit(failures.report(error, as_json="--json" in sys.argv))
    except KeyboardInterrupt:
        sys.stderr.write("\ndmm: interrupted; what was finished is kept\n")
        sys.exit(failures.INTERRUPTED)
    except BrokenPipeError:
        # The reader went away; keep Python from complaining while it closes the stream.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(failures.FINDINGS)
