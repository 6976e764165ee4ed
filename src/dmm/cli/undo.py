"""`dmm undo`: revert applied writes after showing the changes."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli.format import paint, verdicts
from dmm.cli.format.wrapping import wrapped
from dmm.cli.options import Full, Json, Root, agrees, counted, open_project, present, refuse_agents
from dmm.cli.persons import need_person
from dmm.errors import UsageError
from dmm.passkeys.acts import PersonAct

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dmm.review.results import UndoPreview


def undo(
    seq: Annotated[
        str | None, typer.Argument(metavar="SEQ", help="The write: proposal_17, or 17.")
    ] = None,
    session: Annotated[
        str | None, typer.Option(metavar="ID", help="All writes of this session.")
    ] = None,
    source: Annotated[
        str | None, typer.Option(metavar="NAME", help="All writes of this agent or surface.")
    ] = None,
    reason: Annotated[
        str, typer.Option(help="The reason; it is recorded.", show_default=False)
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Skip the confirmation.")] = False,
    full: Full = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Undo applied writes, after showing what changes."""
    refuse_agents(PersonAct.UNDO.words)
    if sum(given is not None for given in (seq, session, source)) != 1:
        hint = "dmm review list --status applied shows the writes"
        raise UsageError("give one of: a write, --session, --source", hint=hint)
    dmm = open_project(root)
    undoing = dmm.undoing
    number = None if seq is None else _number(seq)
    chosen = {"session": session, "source": source}
    if not yes:
        found = undoing.preview(number, **chosen)
        present(found, as_json=as_json, lines=lambda one: _plan(one, full=full), show=paint.show)
        if as_json:
            return
        if not _agrees():
            paint.show(["Nothing was undone."])
            return
    seen = need_person(PersonAct.UNDO, dmm, lambda: undoing.preview(number, **chosen).digest)
    told = undoing.undo(number, **chosen, reason=reason, seen=seen)
    present(
        told,
        as_json=as_json,
        lines=lambda one: [*verdicts.undone(one), *_rules_left(one.rules_left)],
        show=paint.show,
    )


def _rules_left(names: Sequence[str]) -> Iterator[str]:
    if names:
        yield f"Imported rules stay active ({len(names)}). To stop one: dmm rules disable ID"
        for name in names:
            yield f"  {name}"


def _number(text: str) -> int:
    digits = text.strip().removeprefix("proposal_")
    if not (digits.isascii() and digits.isdecimal()) or len(digits) > verdicts.LONGEST_NUMBER:
        raise UsageError(f"{text!r} is not a write", hint="such as proposal_17, or 17")
    return int(digits)


def _plan(found: UndoPreview, *, full: bool) -> Iterator[paint.Line | str]:
    yield f"{counted(len(found.would_undo), 'write')} would be undone:"
    for one in found.would_undo:
        text = f"{verdicts.change(one)} by {one.proposer}: {one.reason}"
        yield from wrapped(text, f"  {one.id}  ")
    yield ""
    yield from paint.diff_summary(found.diff, full=full)
    yield from _rules_left(found.rules_left)


def _agrees() -> bool:
    if not sys.stdin.isatty():
        hint = "run it in a terminal, or add --yes"
        raise UsageError("no terminal to confirm undoing this", hint=hint)
    return agrees("Undo this?")
