"""`dmm ledger`: record and enforce facts, constraints and decisions."""

from __future__ import annotations

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli import failures, ledger_file, ledger_history, timelines
from dmm.cli.fast_typer import FastTyper
from dmm.cli.format import lines, rule_lines
from dmm.cli.options import Json, Root, open_project, present, refuse_agents
from dmm.cli.persons import need_person
from dmm.cli.proposed_rules import show_proposals, warn_untrusted
from dmm.errors import UsageError
from dmm.passkeys.acts import PersonAct, digest_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.bootstrap import Dmm

LIFT, ACCEPT = PersonAct.LIFT_CONSTRAINT.words, "accept a constraint"

app = FastTyper(
    help="Record facts, constraints and decisions, and look back.",
)

Priority = Annotated[str, typer.Option(help="required, preferred or learned.")]


@app.command()
def init(as_json: Json = False, root: Root = None) -> None:
    """Create the ledger; an existing one is kept."""
    told = open_project(root).audit.init()
    present(told, as_json=as_json, lines=lines.made)


@app.command()
def fact(
    key: Annotated[str, typer.Argument(help="The key, such as budget.")],
    value: Annotated[str, typer.Argument(help="The value.")],
    confidence: Annotated[float, typer.Option(help="Confidence, 0.0 to 1.0.")] = 1.0,
    caused_by: Annotated[
        int | None, typer.Option(metavar="SEQ", help="The event it was learned from.")
    ] = None,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Record a fact; a changed value raises an alert."""
    ledger = open_project(root).ledger
    told = ledger.add_fact(key, value, confidence, caused_by=caused_by)
    present(told, as_json=as_json, lines=lines.fact)


@app.command()
def constraint(
    text: Annotated[str | None, typer.Argument(help="The rule, in words or typed.")] = None,
    priority: Priority = "required",
    triggered_by: Annotated[
        int | None, typer.Option(metavar="SEQ", help="The event a learned rule comes from.")
    ] = None,
    starter: Annotated[
        bool, typer.Option("--starter", help="Add the starter rules for tool calls.")
    ] = False,
    deactivate: Annotated[
        int | None, typer.Option(metavar="SEQ", help="Make a constraint inactive.")
    ] = None,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Record a constraint and show the rule it was compiled into."""
    if [text is not None, starter, deactivate is not None].count(True) != 1:
        raise UsageError("give one of: TEXT, --starter, --deactivate SEQ")
    if deactivate is not None:
        refuse_agents(LIFT)
    dmm = open_project(root)
    if text is not None:
        _add(dmm, text, priority, triggered_by, as_json=as_json)
    elif starter:
        _confirm(dmm, _starter, "required")
        present(dmm.ledger.add_starter(), as_json=as_json, lines=lines.starter)
        warn_untrusted(dmm)
    elif deactivate is not None:
        lifted = str(deactivate)
        need_person(PersonAct.LIFT_CONSTRAINT, dmm, lambda: dmm.rules.digest([lifted]), on=lifted)
        present(dmm.ledger.deactivate(deactivate), as_json=as_json, lines=lines.deactivated)


def _add(dmm: Dmm, text: str, priority: str, triggered_by: int | None, *, as_json: bool) -> None:
    from dmm.rules.rulebook import compile_constraint
    from dmm.rules.states import preview_constraint

    _confirm(dmm, lambda: [text], priority)
    told = dmm.ledger.add_constraint(text, priority, triggered_by)
    compiled = compile_constraint(text)
    state, does = preview_constraint(text, priority)
    show = partial(lines.constraint, compiled=compiled, state=state.value, does=does)
    present(told, as_json=as_json, lines=show)
    if not compiled.enforceable:
        sys.stderr.write("".join(f"{line}\n" for line in lines.guidance(told, compiled)))
    warn_untrusted(dmm)


def _confirm(dmm: Dmm, read: Callable[[], Sequence[str]], priority: str) -> None:
    """Have a person confirm what binds at once; what an agent adds is pending anyway."""
    if not dmm.by_agent:
        texts = read()
        words = "\n".join(texts)
        need_person(PersonAct.CONSTRAINT, dmm, lambda: digest_text(words), on=priority, texts=texts)


def _starter() -> list[str]:
    from dmm.rules.starter import starter_rules

    return [f"{one.id}: {one.reason}" for one in starter_rules()]


@app.command()
def pending(as_json: Json = False, root: Root = None) -> None:
    """List pending constraints."""
    told = ledger_file.open_to_look(root).ledger.list_pending()
    present(told, as_json=as_json, lines=lines.pending)


@app.command()
def accept(
    seqs: Annotated[list[int], typer.Argument(metavar="SEQ", help="Pending constraints.")],
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Accept pending constraints, all of them or none.

    They then deny calls instead of asking. A proposed rule file is shown with
    what it would have stopped, then written.
    """
    refuse_agents(ACCEPT)
    dmm, names = open_project(root), [str(seq) for seq in seqs]
    if not as_json:
        show_proposals(dmm, names)
    seen = need_person(
        PersonAct.ACCEPT_RULE, dmm, lambda: dmm.rules.digest(names), on=",".join(names)
    )
    found = dmm.rules.accept(names, seen=seen)
    present({"accepted": found}, as_json=as_json, lines=lambda _: rule_lines.accepted(found))


@app.command()
def decide(
    text: Annotated[str, typer.Argument(help="The decision.")],
    rationale: Annotated[str, typer.Option(help="Why.")],
    reference: Annotated[
        list[int] | None, typer.Option(metavar="SEQ", help="An event it is based on; repeatable.")
    ] = None,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Check a decision against all constraints and record it.

    A blocked decision exits with status 3.
    """
    told = open_project(root).ledger.record_decision(text, rationale, reference)
    present(told, as_json=as_json, lines=lines.decision)
    if told.status == "BLOCKED":
        raise typer.Exit(failures.BLOCKED)


@app.command()
def query(
    question: Annotated[str, typer.Argument(help="What to look up.")],
    scope: Annotated[str, typer.Option(help="facts, constraints, decisions or all.")] = "all",
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Look something up; the question is recorded.

    It can satisfy a constraint that requires verification.
    """
    told = open_project(root).ledger.query_memory(question, scope)
    present(told, as_json=as_json, lines=lines.answer)


@app.command()
def context(as_json: Json = False, root: Root = None) -> None:
    """Show everything currently known, and what needs attention."""
    dmm = ledger_file.open_to_look(root)
    told = dmm.ledger.get_memory_context()
    present(told, as_json=as_json, lines=lines.context)


# So that a negative number reaches the command, which can say what is wrong with it.
_numbers = {"ignore_unknown_options": True}
app.command()(timelines.trace)
app.command()(timelines.replay)
app.command(context_settings=_numbers)(timelines.at)
app.command(context_settings=_numbers)(timelines.diff)
app.command(context_settings=_numbers)(timelines.drift)
app.command()(timelines.simulate)
app.command()(timelines.rehearse)
app.command(context_settings=_numbers)(timelines.explain)
app.command()(ledger_file.verify)
app.command()(ledger_file.backup)
app.command()(ledger_file.restore)
app.command()(ledger_file.log)
app.command()(ledger_history.pack)
app.command()(ledger_history.session)
