"""`dmm rules`: rules for agents, as files in Git."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dmm.cli import failures
from dmm.cli.editor import edit_text, keeping
from dmm.cli.fast_typer import FastTyper
from dmm.cli.format import lines, rule_lines
from dmm.cli.options import (
    Json,
    Root,
    agrees,
    is_alone,
    open_project,
    present,
    print_json,
    print_lines,
    print_text,
    refuse_agents,
)
from dmm.cli.persons import need_person
from dmm.cli.proposed_rules import show_proposals, warn_untrusted
from dmm.cli.texts import read_file
from dmm.errors import UsageError
from dmm.passkeys.acts import PersonAct, digest_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.rules.results import ConstraintRecorded, RuleView
    from dmm.rules.service import Rules

app = FastTyper(no_args_is_help=False)
Name = Annotated[str, typer.Argument(metavar="ID", help="A rule's id, or a constraint's number.")]
Names = Annotated[list[str], typer.Argument(metavar="ID", help="Pending rules.")]
Yes = Annotated[bool, typer.Option("--yes", help="Skip the confirmation.")]
Level = Annotated[
    str | None,
    typer.Option(help="deny, ask, warn or advise.", show_default="deny with a matcher"),
]

ALLOWED = "Allowed once, for 15 minutes. Tell the agent to try the same call again."


@app.callback(invoke_without_command=True)
def rules(ctx: typer.Context, as_json: Json = False, root: Root = None) -> None:
    """Rules for agents: list, write, test and accept.

    Without a command they are listed.
    """
    if is_alone(ctx, as_json=as_json, root=root):
        list_rules(as_json=as_json, root=root)


@app.command("list")
def list_rules(as_json: Json = False, root: Root = None) -> None:
    """List rules by state, the most binding first.

    Example: dmm rules list --json
    """
    dmm = open_project(root)
    present(dmm.rules.list(), as_json=as_json, lines=rule_lines.listed)
    warn_untrusted(dmm)


@app.command()
def show(name: Name, as_json: Json = False, root: Root = None) -> None:
    """Show a rule: state, matcher in plain words, examples.

    Example: dmm rules show never-push-to-main
    """
    present(open_project(root).rules.show(name), as_json=as_json, lines=rule_lines.shown)


@app.command()
def add(
    text: Annotated[str, typer.Argument(help="The rule, in one sentence.")],
    level: Level = None,
    match: Annotated[
        str | None, typer.Option(metavar="YAML", help="What it matches, in rule file syntax.")
    ] = None,
    unless: Annotated[
        str | None, typer.Option(metavar="YAML", help="What lifts it, in rule file syntax.")
    ] = None,
    block: Annotated[
        list[str] | None, typer.Option(metavar="CALL", help="A call to block; repeatable.")
    ] = None,
    allow: Annotated[
        list[str] | None, typer.Option(metavar="CALL", help="A call to allow; repeatable.")
    ] = None,
    why: Annotated[str, typer.Option(help="The reason, shown when it blocks.")] = "",
    edit: Annotated[
        bool, typer.Option("--edit", help="Edit the file in $EDITOR before it is saved.")
    ] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Add a rule; common English sentences need no matcher.

    Example: dmm rules add "never push to main"
    """
    given = {"match": _read("match", match), "unless": _read("unless", unless), "why": why}
    given |= {"examples": _examples(block or (), allow or ())}
    if edit:
        refuse_agents(PersonAct.ADD_RULE.words)
    dmm = open_project(root)
    told: RuleView | ConstraintRecorded
    preview = partial(dmm.rules.preview, text, level, **given)
    if edit:
        draft = preview()
        source = edit_text(draft.source, f"{draft.id}.md")
        with keeping(source, f"{draft.id}.md"):
            need_person(PersonAct.ADD_RULE, dmm, lambda: digest_text(source))
            told = dmm.rules.add_source(source, draft.id)
    else:
        # Of an agent nothing is confirmed: its rule is pending anyway.
        seen = None
        if not dmm.by_agent:
            seen = need_person(PersonAct.ADD_RULE, dmm, lambda: digest_text(preview().source))
        told = dmm.rules.add(text, level, seen=seen, **given)
    present(told, as_json=as_json, lines=rule_lines.added)
    warn_untrusted(dmm)


def _read(name: str, text: str | None) -> Any:
    from dmm.rules.authorship import read_field

    return None if text is None else read_field(name, text)


def _examples(block: Sequence[str], allow: Sequence[str]) -> Any:
    found = {"block": [_example(one) for one in block], "allow": [_example(one) for one in allow]}
    return {kind: given for kind, given in found.items() if given} or None


def _example(text: str) -> Any:
    """Read an example: a mapping in braces, or a shell command."""
    return _read("examples", text) if text.startswith("{") else text


@app.command()
def edit(name: Name, as_json: Json = False, root: Root = None) -> None:
    """Edit a rule file in $EDITOR; an invalid rule is not saved.

    Example: dmm rules edit never-push-to-main
    """
    refuse_agents(PersonAct.EDIT_RULE.words)
    dmm = open_project(root)
    shown = dmm.rules.show(name)
    if shown.path is None or shown.source is None:
        way = "accept" if shown.pending else "adopt"
        hint = f"make it one: dmm rules {way} {name}"
        raise UsageError(f"constraint {name} is not a rule file", hint=hint)
    dmm.shelf.refuse_unapproved(dmm.shelf.find(name).path)
    source = edit_text(shown.source, Path(shown.path).name)
    if source == shown.source:
        print_lines(["Nothing changed."])
        return
    with keeping(source, Path(shown.path).name):
        need_person(PersonAct.EDIT_RULE, dmm, lambda: digest_text(source))
        told = dmm.rules.edit(name, source)
    present(told, as_json=as_json, lines=rule_lines.shown)


@app.command("test")
def run_examples(as_json: Json = False, root: Root = None) -> None:
    """Run the examples of all rule files; status 1 on a failure.

    For CI: needs no trust, ledger or daemon. Example: dmm rules test
    """
    told = open_project(root, quiet=True).rules.test()
    present(told, as_json=as_json, lines=rule_lines.tested)
    if told.failures:
        raise typer.Exit(failures.FINDINGS)


@app.command()
def draft(as_json: Json = False, root: Root = None) -> None:
    """Print sentences that lack a matcher as a task for an agent.

    Example: dmm rules draft | claude -p
    """
    told = open_project(root).rules.draft()
    if as_json:
        print_json(told)
    else:
        print_text(told.text)


@app.command()
def rehearse(
    what: Annotated[str, typer.Argument(metavar="ID|TEXT|FILE", help="A rule, or a new one.")],
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Show what a rule would have stopped in past sessions.

    Example: dmm rules rehearse "never use curl"
    """
    path = Path(what)
    source = read_file(path) if what.endswith(".md") and path.exists() else what
    told = open_project(root).rules.rehearse(source)
    present(told, as_json=as_json, lines=rule_lines.rehearsed)


@app.command()
def disable(name: Name, as_json: Json = False, root: Root = None) -> None:
    """Make a rule inactive; its file stays.

    Example: dmm rules disable never-push-to-main
    """
    rules, seen = _decide(PersonAct.DISABLE_RULE, [name], root)
    present(rules.disable(name, seen=seen), as_json=as_json, lines=rule_lines.switched)


@app.command()
def enable(name: Name, as_json: Json = False, root: Root = None) -> None:
    """Make a disabled rule active again.

    Example: dmm rules enable never-push-to-main
    """
    rules, seen = _decide(PersonAct.ENABLE_RULE, [name], root)
    present(rules.enable(name, seen=seen), as_json=as_json, lines=rule_lines.switched)


def _decide(act: PersonAct, names: Sequence[str], root: Path | None) -> tuple[Rules, str | None]:
    """Have a person confirm a decision about rules; what they confirmed is what has to be there."""
    refuse_agents(act.words)
    dmm = open_project(root)
    return dmm.rules, need_person(act, dmm, lambda: dmm.rules.digest(names), on=",".join(names))


@app.command()
def accept(
    names: Names,
    yes: Yes = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Accept rules that agents proposed, all of them or none.

    Each is shown with what it would have stopped. Example: dmm rules accept 41
    """
    refuse_agents(PersonAct.ACCEPT_RULE.words)
    dmm = open_project(root)
    if not as_json:
        show_proposals(dmm, names)
    if not yes:
        _ask("Activate this rule?")
    seen = need_person(
        PersonAct.ACCEPT_RULE, dmm, lambda: dmm.rules.digest(names), on=",".join(names)
    )
    found = dmm.rules.accept(names, seen=seen)
    present({"accepted": found}, as_json=as_json, lines=lambda _: rule_lines.accepted(found))


def _ask(question: str) -> None:
    if not sys.stdin.isatty():
        hint = "run it in a terminal, or add --yes"
        raise UsageError("no terminal to confirm this", hint=hint)
    if not agrees(question):
        raise typer.Exit(failures.FINDINGS)


@app.command()
def allow(
    seq: Annotated[
        int, typer.Argument(metavar="SEQ", min=1, max=10**9, help="The event that asked.")
    ],
    yes: Yes = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Allow one call that a rule asked about.

    For clients that can't ask you. The agent has to make the same call within 15 minutes.
    Example: dmm rules allow 41
    """
    refuse_agents(PersonAct.ALLOW_CALL.words)
    dmm = open_project(root)
    asked = dmm.rules.show_asked(seq)
    if not as_json:
        print_lines(rule_lines.asked(asked))
    if not yes:
        _ask("Allow this call once?")
    seen = need_person(PersonAct.ALLOW_CALL, dmm, lambda: asked.digest, on=str(seq))
    told = dmm.rules.allow(seq, seen=seen)
    present(told, as_json=as_json, lines=lambda _: [ALLOWED])


@app.command()
def explain(
    name: Annotated[str, typer.Argument(metavar="ID|SEQ", help="A rule, or a judged event.")],
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Explain what a rule stopped, or the verdict on one event.

    Example: dmm rules explain never-push-to-main
    """
    from dmm.rules.results import RuleExplained

    told = open_project(root).rules.explain(name)
    if isinstance(told, RuleExplained):
        present(told, as_json=as_json, lines=rule_lines.explained)
    else:
        present(told, as_json=as_json, lines=lines.explained)


@app.command()
def adopt(
    seqs: Annotated[
        list[int] | None, typer.Argument(metavar="SEQ", help="Constraints of the ledger.")
    ] = None,
    adopt_all: Annotated[bool, typer.Option("--all", help="All but the starter rules.")] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Turn ledger constraints into rule files.

    Example: dmm rules adopt --all
    """
    from dmm.rules.views import digest_rules

    refuse_agents(PersonAct.ADOPT_RULES.words)
    if bool(seqs) == adopt_all:
        raise UsageError("name constraints (SEQ...) or give --all, not both")
    dmm, wanted = open_project(root), None if adopt_all else seqs
    chosen = ",".join(str(one.seq) for one in dmm.rules.adoptable(wanted))
    seen = need_person(
        PersonAct.ADOPT_RULES, dmm, lambda: digest_rules(dmm.rules.adoptable(wanted)), on=chosen
    )
    told = dmm.rules.adopt(wanted, seen=seen)
    present(told, as_json=as_json, lines=rule_lines.adopted)
