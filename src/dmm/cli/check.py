"""`dmm check`: whether a call would be allowed."""

from __future__ import annotations

import json
import sys
from typing import Annotated, Any

import typer

from dmm.cli import failures
from dmm.cli.format import rule_lines
from dmm.cli.options import Json, Root, open_project, present
from dmm.errors import ConfigError, UsageError

FORMS = ("a command", "--write", "--read", "--edit", "--tool", "--decision")
STATUS = {"denied": failures.BLOCKED, "asks": failures.ASKS}

Writing = Annotated[
    str | None,
    typer.Option(metavar="PATH", help="Check writing this file; its new text is on stdin."),
]

Reading = Annotated[str | None, typer.Option(metavar="PATH", help="Check reading this file.")]

Editing = Annotated[
    str | None,
    typer.Option(metavar="PATH", help="Check replacing --old by --new in this file."),
]


def check(
    command: Annotated[str | None, typer.Argument(help="The shell command to check.")] = None,
    write: Writing = None,
    read: Reading = None,
    edit: Editing = None,
    old: Annotated[str | None, typer.Option(help="The text that --edit replaces.")] = None,
    new: Annotated[str | None, typer.Option(help="The text that replaces --old.")] = None,
    tool: Annotated[
        str | None, typer.Option(metavar="NAME", help="Check calling this tool.")
    ] = None,
    given: Annotated[
        str | None, typer.Option("--input", metavar="JSON", help="The input of --tool.")
    ] = None,
    decision: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Check this decision, in words.")
    ] = None,
    branch: Annotated[
        str | None, typer.Option(help="The branch checked out.", show_default="the current one")
    ] = None,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Check whether the rules allow a call or a decision.

    Nothing is run or recorded. Exit status: 0 if it is allowed, 3 if denied,
    4 if a person would be asked, 2 for a usage error, 5 outside a project.
    Example: dmm check "git push origin main"
    """
    from dmm.rules.checks import Asked

    named = [one for one in (command, write, read, edit, tool, decision) if one is not None]
    if len(named) != 1 or not named[0].strip():
        hint = 'for example: dmm check "git push origin main"'
        raise UsageError(f"give one call: {', '.join(FORMS[:-1])} or {FORMS[-1]}", hint=hint)
    before, after = _edited(edit, old, new)
    text = "" if write is None else _written()
    asked = Asked(
        command, write, text, read, edit, before, after, tool, _input(tool, given), branch
    )
    try:
        dmm = open_project(root)
    except ConfigError as error:
        # Its own status would read as an answer here.
        raise UsageError(error.what, where=error.where, hint=error.hint) from error
    told = dmm.rules.check(asked) if decision is None else dmm.ledger.check_decision(decision)
    present(told, as_json=as_json, lines=rule_lines.checked)
    status = STATUS.get(told.outcome, 0)
    if status:
        raise typer.Exit(status)


def _edited(edit: str | None, old: str | None, new: str | None) -> tuple[str, str]:
    if edit is None and (old is not None or new is not None):
        raise UsageError("--old and --new need --edit")
    if edit is not None and (old is None or new is None):
        raise UsageError("--edit needs --old and --new", hint="--new '' deletes the old text")
    return old or "", new or ""


def _written() -> str:
    if sys.stdin.isatty():
        sys.stderr.write("dmm: reading the text from standard input; end it with Ctrl-D\n")
    return sys.stdin.read()


def _input(tool: str | None, given: str | None) -> dict[str, Any] | None:
    if given is None:
        return None
    if tool is None:
        raise UsageError("--input needs --tool")
    try:
        found = json.loads(given)
    except ValueError as error:
        raise UsageError(f"--input is not JSON: {error}") from error
    if not isinstance(found, dict):
        raise UsageError("--input must be a JSON object", hint='such as \'{"path": "src/a.py"}\'')
    return found
