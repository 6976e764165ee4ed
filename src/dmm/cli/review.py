"""`dmm review`: inspect pending proposals and decide."""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli import failures
from dmm.cli.fast_typer import FastTyper
from dmm.cli.format import paint, verdicts
from dmm.cli.options import (
    Full,
    Json,
    Root,
    agrees,
    counted,
    is_alone,
    open_project,
    present,
    refuse_agents,
)
from dmm.cli.persons import need_person
from dmm.cli.texts import FromStdin, TextFile, read_text
from dmm.errors import DmmError, UsageError
from dmm.passkeys.acts import PersonAct, digest_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from dmm.bootstrap import Dmm
    from dmm.cli.batch import Decision
    from dmm.domain.proposal import ProposalResult
    from dmm.review.decisions import Reviews
    from dmm.review.results import ProposalView

app = FastTyper(no_args_is_help=False)

Named = Annotated[str | None, typer.Argument(metavar="ID", help="Such as proposal_17, or 17.")]
Id = Annotated[str | None, typer.Option("--id", help="The same, as an option.")]
Seen = Annotated[
    str | None,
    typer.Option(
        "--seen", metavar="DIGEST", help="Require that the text still has this digest (from show)."
    ),
]
DECIDE = PersonAct.BATCH.words
EDITED = "proposed.md"
_present = partial(present, show=paint.show)


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why a decision was not carried out."""

    code: str
    what: str
    hint: str | None


@dataclass(frozen=True, slots=True)
class NotDecided:
    """A proposal that was left as it is."""

    id: str
    error: Refusal


@dataclass(frozen=True, slots=True)
class DecidedAll:
    """What became of some decisions, and how many proposals are left."""

    decided: tuple[ProposalResult | NotDecided, ...]
    pending: int


@app.callback(invoke_without_command=True)
def review(ctx: typer.Context, as_json: Json = False, root: Root = None) -> None:
    """Review proposed changes to memory.

    Without a command the pending ones are listed.
    """
    if is_alone(ctx, as_json=as_json, root=root):
        list_proposals(as_json=as_json, root=root)


@app.command("list")
def list_proposals(
    status: Annotated[
        str, typer.Option(help="pending, rejected, applying, applied, undone or all.")
    ] = "pending",
    every: Annotated[bool, typer.Option("--all", help="The same as --status all.")] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """List pending proposals, oldest first."""
    told = open_project(root).reviews.list("all" if every else status)
    _present(told, as_json=as_json, lines=verdicts.listed)


@app.command()
def show(
    name: Named = None,
    proposal_id: Id = None,
    full: Full = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Show a proposal with its checks and what would change."""
    told = open_project(root).reviews.show(_one(name, proposal_id))
    _present(told, as_json=as_json, lines=partial(verdicts.shown, full=full))


@app.command()
def process(
    name: Named = None, proposal_id: Id = None, as_json: Json = False, root: Root = None
) -> None:
    """Send a proposal to the reviewer agent.

    Without a usable verdict it stays pending.
    """
    told = open_project(root).reviews.process(_one(name, proposal_id))
    _present(told, as_json=as_json, lines=verdicts.decided)


@app.command("process-all")
def process_all(as_json: Json = False, root: Root = None) -> None:
    """Send all pending proposals to the reviewer agent."""
    told = open_project(root).reviews.process_all()
    _present(told, as_json=as_json, lines=verdicts.processed)


@app.command()
def approve(
    name: Named = None,
    proposal_id: Id = None,
    reason: Annotated[
        str, typer.Option(help="The reason; it is recorded.", show_default=False)
    ] = "",
    bypass_reviewer: Annotated[
        bool, typer.Option("--bypass-reviewer", help="Apply despite failed checks.")
    ] = False,
    seen: Seen = None,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Approve a proposal and write its files."""
    refuse_agents(DECIDE)
    wanted = _one(name, proposal_id)
    dmm = open_project(root)
    seen = _proved(PersonAct.APPROVE, dmm, wanted, seen)
    told = dmm.reviews.approve(wanted, bypass_reviewer=bypass_reviewer, reason=reason, seen=seen)
    _present(told, as_json=as_json, lines=verdicts.decided)


@app.command()
def reject(
    reason: Annotated[str, typer.Option(help="Why; the proposer can read it.")],
    name: Named = None,
    proposal_id: Id = None,
    seen: Seen = None,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Reject a proposal; it stays on record."""
    refuse_agents(DECIDE)
    wanted = _one(name, proposal_id)
    dmm = open_project(root)
    seen = _proved(PersonAct.REJECT, dmm, wanted, seen)
    told = dmm.reviews.reject(wanted, reason, seen=seen)
    _present(told, as_json=as_json, lines=verdicts.decided)


@app.command()
def edit(
    name: Named = None,
    proposal_id: Id = None,
    file: TextFile = None,
    from_stdin: FromStdin = False,
    seen: Seen = None,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Change the proposed text in $EDITOR.

    Without an ID, decide on all at once, as with dmm review batch.
    """
    refuse_agents(DECIDE)
    text = read_text(None, file, from_stdin=from_stdin)
    dmm = open_project(root)
    reviews = dmm.reviews
    if name is None and proposal_id is None and text is None and seen is None:
        _decide_all(dmm, as_json=as_json)
        return
    wanted = _one(name, proposal_id)
    if text is None:
        told = _edit(dmm, wanted, seen)
    else:
        need_person(PersonAct.EDIT, dmm, lambda: digest_text(text), on=wanted)
        told = reviews.edit(wanted, text, seen=seen)
    _present(told, as_json=as_json, lines=verdicts.decided)


@app.command()
def batch(as_json: Json = False, root: Root = None) -> None:
    """Decide on all pending proposals in one document.

    It opens in $EDITOR; an unchanged or empty document decides nothing.
    """
    refuse_agents(DECIDE)
    _decide_all(open_project(root), as_json=as_json)


def _one(name: str | None, given: str | None) -> str:
    if (name is None) == (given is None):
        raise UsageError("name one proposal", hint="such as: dmm review show proposal_17")
    return name or given or ""


def _proved(act: PersonAct, dmm: Dmm, name: str, seen: str | None) -> str | None:
    """Have a person prove a decision; return the digest of the text that it is about."""
    return need_person(act, dmm, lambda: dmm.reviews.as_seen(name, seen).seal, on=name) or seen


def _edit(dmm: Dmm, name: str, seen: str | None) -> ProposalResult:
    """Open the text in the user's editor; a refused text is not lost."""
    from dmm.cli.editor import edit_text, keeping

    reviews = dmm.reviews
    if seen is not None:
        # Before anybody writes what would be refused.
        reviews.as_seen(name, seen)
    shown = reviews.show(name)
    text = next((one.after for one in shown.edits if one.after is not None), None)
    if text is None:
        raise UsageError("this proposal has no text to edit", where=name)
    changed = edit_text(text, EDITED)
    if changed == text:
        raise UsageError("nothing was changed", where=name)
    with keeping(changed, EDITED):
        need_person(PersonAct.EDIT, dmm, lambda: digest_text(changed), on=name)
        return reviews.edit(name, changed, seen=shown.digest)


def _decide_all(dmm: Dmm, *, as_json: bool) -> None:
    """Let the user decide in one document, then apply and report it line by line."""
    from dmm.cli.batch import NAME, write_document
    from dmm.cli.editor import keeping

    reviews = dmm.reviews
    shown = {one.id: reviews.show(one.id) for one in reviews.list().proposals}
    decisions: list[Decision] = []
    if shown:
        text, decisions = _read_decisions(write_document(list(shown.values())), shown)
    if decisions:
        on = ",".join(f"{one.verb} {one.id}" for one in decisions)
        with keeping(text, NAME):
            need_person(PersonAct.BATCH, dmm, lambda: _digest(decisions, shown), on=on)
    told = tuple(_carry_out(reviews, one, shown[one.id]) for one in decisions)
    left = len(reviews.list().proposals)
    _present(DecidedAll(told, left), as_json=as_json, lines=_decided_all)
    if any(isinstance(one, NotDecided) for one in told):
        raise typer.Exit(failures.FINDINGS)


def _digest(decisions: Iterable[Decision], shown: Mapping[str, ProposalView]) -> str:
    """Return the digest of some decisions with the texts that they are about."""
    told = [[one.verb, one.id, one.reason, shown[one.id].digest] for one in decisions]
    return digest_text(json.dumps(told))


def _read_decisions(document: str, shown: Iterable[str]) -> tuple[str, list[Decision]]:
    """Read what the user wrote and decided; a slip need not cost all that was written."""
    from dmm.cli.batch import NAME, read_document
    from dmm.cli.editor import edit_text, keeping

    text = edit_text(document, NAME)
    while True:
        try:
            with nullcontext() if sys.stdin.isatty() else keeping(text, NAME):
                return text, read_document(text, shown)
        except UsageError as error:
            if not sys.stdin.isatty():
                raise
            failures.report(error, as_json=False)
            if not agrees("Edit it again?"):
                return text, []
        text = edit_text(text, NAME)


def _carry_out(
    reviews: Reviews, decision: Decision, seen: ProposalView
) -> ProposalResult | NotDecided:
    """Carry out one decision; what goes wrong with it keeps no other from being carried out."""
    from dmm.cli.batch import INSIST, REJECT

    name, reason = decision.id, decision.reason
    try:
        if decision.verb == REJECT:
            return reviews.reject(name, reason, seen=seen.digest)
        insists = decision.verb == INSIST
        return reviews.approve(name, bypass_reviewer=insists, reason=reason, seen=seen.digest)
    except DmmError as error:
        return NotDecided(name, Refusal(error.code, error.what, error.hint))


def _decided_all(told: DecidedAll) -> Iterable[paint.Line | str]:
    for one in told.decided:
        if isinstance(one, NotDecided):
            yield paint.Line(f"{one.id} left: {one.error.what}", "red", folds=True)
            if one.error.hint:
                yield f"  hint: {one.error.hint}"
        else:
            yield from verdicts.decided(one)
    if not told.decided:
        yield "Nothing is decided."
    yield f"{counted(told.pending, 'proposal')} left"
