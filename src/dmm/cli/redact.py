"""`dmm redact`: blank a recorded secret, keeping the chain valid."""

from __future__ import annotations

import getpass
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dmm.cli.format.wrapping import wrapped
from dmm.cli.options import Json, Root, agrees, counted, open_project, present, print_lines
from dmm.cli.persons import need_person
from dmm.domain.plain import to_plain
from dmm.errors import IndexBusy, UsageError
from dmm.passkeys.acts import PersonAct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.ledger.redactions import Plan
    from dmm.ledger.results import Redacted


LONGEST_SECRET = 20_000
SHOWN = 60


def redact(
    seqs: Annotated[
        list[int] | None, typer.Argument(metavar="SEQ", help="The events to erase.")
    ] = None,
    secret: Annotated[
        bool,
        typer.Option(
            "--secret", help="Ask for the leaked text and find the events that contain it."
        ),
    ] = False,
    reason: Annotated[
        str, typer.Option(help="The reason; it is recorded.")
    ] = "a secret was recorded",
    yes: Annotated[bool, typer.Option("--yes", help="Skip the confirmation.")] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Erase a leaked secret from recorded events.

    The events stay, without their payload. Daily backups, packs and the session index
    are rebuilt; ledgers that were set aside and contain the secret are deleted.
    """
    dmm = open_project(root)
    need_person(PersonAct.REDACT, dmm)
    if bool(seqs) == secret:
        raise UsageError(
            "give event numbers, or find the events with --secret", hint="dmm ledger log"
        )
    redactions = dmm.redactions
    leaked = _read_secret() if secret else ""
    plan = redactions.plan(list(seqs or ()), leaked)
    if yes:
        sys.stderr.write("".join(f"dmm: note: {one}\n" for one in plan.effects))
    elif not plan.empty:
        _ask(plan, leaked)
    told = redactions.redact([event.seq for event in plan.events], reason, leaked)
    shown = to_plain(told) | {"effects": list(plan.effects)}
    present(shown, as_json=as_json, lines=lambda _: _lines(told))
    if not told.erased:
        what = "old bytes are still in the ledger file, because another process is reading it"
        raise IndexBusy(what, hint="run the same command again when it is done")


def _read_secret() -> str:
    """Read the leaked text without showing it; a program gives it on standard input."""
    if not sys.stdin.isatty():
        return _need(sys.stdin.read(LONGEST_SECRET).strip("\n"))
    try:
        return _need(getpass.getpass("The leaked text (it is not shown): ").strip("\n"))
    except EOFError:
        sys.stdout.write("\n")
        return _need("")


def _need(secret: str) -> str:
    if not secret:
        raise UsageError("no text was given; nothing was erased")
    return secret


def _ask(plan: Plan, leaked: str) -> None:
    """Show what would be erased, and end the command unless the person agrees."""
    if not sys.stdin.isatty():
        raise UsageError("no terminal to confirm this", hint="run it in a terminal, or add --yes")
    print_lines(_preview(plan, leaked))
    number = counted(len(plan.events), "event")
    question = f"Erase the content of {number} permanently?" if plan.events else "Delete them?"
    if not agrees(question):
        sys.stdout.write("Nothing was erased.\n")
        raise typer.Exit(1)


def _preview(plan: Plan, leaked: str) -> Iterator[str]:
    from dmm.domain.brief import describe

    for event in plan.events:
        lead = f"{event.seq:6} {event.at[:16].replace('T', ' ')} {event.type} "
        # Masked before it is cut: half a secret would be found no more.
        yield lead + describe(replace(event, payload=_mask(event.payload, leaked)), SHOWN)
    if plan.waiting:
        yield f"{counted(len(plan.waiting), 'event')} not yet recorded would be deleted."
    for path in plan.copies:
        yield from wrapped(str(path), "would be deleted: ")
    for effect in plan.effects:
        yield f"Note: {effect}."


def _mask(value: Any, leaked: str) -> Any:
    """Return a payload without what leaked, however deep it lies."""
    from dmm.ledger.redactions import mask

    if isinstance(value, str):
        return mask(value, leaked)
    if isinstance(value, list):
        return [_mask(one, leaked) for one in value]
    if isinstance(value, dict):
        return {name: _mask(one, leaked) for name, one in value.items()}
    return value


def _lines(told: Redacted) -> Iterator[str]:
    number = len(told.redacted)
    if number:
        first, last = told.events[0], told.events[-1]
        numbers = f"event {first}" if number == 1 else f"events {first} to {last}"
        yield f"{counted(number, 'event')} erased; recorded as {numbers}"
    else:
        yield "Nothing found in the recorded events."
    if told.dropped:
        yield f"  {counted(told.dropped, 'event')} not yet recorded deleted"
    for path in told.removed:
        yield from wrapped(path, "  removed: ")
    if told.sent:
        left = f"  {counted(told.sent, 'event')} had already left this laptop"
        yield f"{left}: the team's server, other laptops and team.db keep the text"
    for path in told.unread:
        yield from wrapped(path, "  damaged and not searched; delete it yourself: ")
    if number or told.dropped:
        yield "Change the secret wherever it is used. Git history and your copies still have it."
