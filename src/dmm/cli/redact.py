"""`dmm redact`: a secret that was recorded is blanked, and the chain stays valid."""

from __future__ import annotations

import getpass
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dmm.cli.lines import wrapped
from dmm.cli.options import Json, Root, agrees, counted, open_project, present, refuse_agents
from dmm.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator


LONGEST_SECRET = 20_000


def redact(
    seqs: Annotated[
        list[int] | None, typer.Argument(metavar="[SEQ]...", help="The events to blank.")
    ] = None,
    secret: Annotated[
        bool,
        typer.Option("--secret", help="Ask for the leaked text and find the events that hold it."),
    ] = False,
    reason: Annotated[str, typer.Option(help="Why; it is recorded.")] = "a secret was recorded",
    yes: Annotated[bool, typer.Option("--yes", help="Do it without asking.")] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Erase a leaked secret from recorded events.

    The events stay, without their payload. Daily backups, packs and the index of sessions are
    removed and made again.
    """
    refuse_agents("redact the ledger")
    if bool(seqs) == secret:
        raise UsageError("name events, or find them with --secret", hint="dmm ledger log")
    redactions = open_project(root).redactions
    leaked = _read_secret() if secret else ""
    wanted = [event.seq for event in redactions.find(leaked)] if secret else list(seqs or ())
    if not yes and not _agreed(wanted, secret=secret):
        raise typer.Exit(1)
    told = redactions.redact(wanted, reason, leaked)
    present(told, as_json=as_json, lines=_lines)


def _read_secret() -> str:
    """Read the leaked text without showing it; a program gives it on standard input."""
    if sys.stdin.isatty():
        return getpass.getpass("The leaked text (it is not shown): ").strip("\n")
    return sys.stdin.read(LONGEST_SECRET).strip("\n")


def _agreed(wanted: list[int], *, secret: bool) -> bool:
    if secret and not wanted:
        sys.stdout.write("No recorded event holds this text.\n")
    if not sys.stdin.isatty():
        raise UsageError("there is nobody to ask", hint="run it in a terminal, or add --yes")
    named = ", ".join(map(str, wanted)) or "none"
    return agrees(f"Erase the content of {counted(len(wanted), 'event')} ({named}) for good?")


def _lines(told: dict[str, Any]) -> Iterator[str]:
    number = len(told["redacted"])
    yield f"{counted(number, 'event')} blanked, recorded as {counted(len(told['events']), 'event')}"
    if told["dropped"]:
        yield f"  {counted(told['dropped'], 'event')} that waited to be recorded deleted"
    for path in told["removed"]:
        yield from wrapped(path, "  removed: ")
    yield "Change the secret where it is used. Copies of your own and Git keep what they have."
