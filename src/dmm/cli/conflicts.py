"""`dmm conflicts`: find, show and resolve memories that contradict each other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli.fast_typer import FastTyper
from dmm.cli.format.wrapping import wrapped
from dmm.cli.options import Json, Root, counted, is_alone, open_project, present
from dmm.cli.persons import need_person
from dmm.cli.texts import FromStdin, TextFile, read_text
from dmm.errors import UsageError
from dmm.passkeys.acts import PersonAct

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dmm.conflicts.results import ConflictList, ConflictView, Scanned
    from dmm.domain.conflict import Side

app = FastTyper(no_args_is_help=False)

Named = Annotated[str | None, typer.Argument(metavar="ID", help="Such as conflict_12.")]
Id = Annotated[str | None, typer.Option("--id", help="The same, as an option.")]

_RESOLVE = "dmm conflicts resolve {} --action ... --reason ..."


@app.callback(invoke_without_command=True)
def conflicts(ctx: typer.Context, as_json: Json = False, root: Root = None) -> None:
    """Find and resolve contradictions between memories.

    Without a command the unresolved ones are listed.
    """
    if is_alone(ctx, as_json=as_json, root=root):
        list_conflicts(as_json=as_json, root=root)


@app.command()
def scan(as_json: Json = False, root: Root = None) -> None:
    """Compare all memories; show unresolved conflicts."""
    from dmm.cli.progress import bar

    dmm = open_project(root)
    with bar("Comparing") as progress:
        told = dmm.conflicts.scan(progress)
    present(told, as_json=as_json, lines=_scanned)


@app.command("list")
def list_conflicts(
    status: Annotated[str, typer.Option(help="unresolved, resolved or all.")] = "unresolved",
    every: Annotated[bool, typer.Option("--all", help="The same as --status all.")] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """List recorded conflicts."""
    told = open_project(root).conflicts.list("all" if every else status)
    present(told, as_json=as_json, lines=_listed)


@app.command()
def show(
    name: Named = None, conflict_id: Id = None, as_json: Json = False, root: Root = None
) -> None:
    """Show one conflict in full."""
    told = open_project(root).conflicts.show(_one(name, conflict_id))
    present(told, as_json=as_json, lines=_shown)


@app.command()
def flag(
    ids: Annotated[str, typer.Option(help='Two memories, by id or path: "a,b".')],
    description: Annotated[str, typer.Option(help="What they contradict each other on.")],
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Record a conflict that you found yourself."""
    told = open_project(root).conflicts.flag(ids.split(","), description)
    present(told, as_json=as_json, lines=_shown)


@app.command()
def resolve(
    name: Named = None,
    conflict_id: Id = None,
    action: Annotated[
        str, typer.Option(help="deprecate, merge, clarify or intentional.", show_default=False)
    ] = "",
    reason: Annotated[
        str, typer.Option(help="The reason; it is recorded.", show_default=False)
    ] = "",
    target: Annotated[
        str | None,
        typer.Option(help="The memory to deprecate, to keep in a merge, or to clarify."),
    ] = None,
    content: Annotated[str | None, typer.Option(help="The new text of that memory.")] = None,
    file: TextFile = None,
    from_stdin: FromStdin = False,
    other_content: Annotated[
        str | None, typer.Option(help="With clarify: a new text for the other memory too.")
    ] = None,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Resolve a conflict with proposals.

    It counts as resolved once they are applied.
    """
    wanted = _one(name, conflict_id)
    _need(action=action, reason=reason)
    dmm, seen = open_project(root), None
    if action == "intentional":
        shown = dmm.conflicts.show
        seen = need_person(
            PersonAct.RESOLVE, dmm, lambda: shown(wanted).digest or "", on=f"{wanted}:{action}"
        )
    text = read_text(content, file, from_stdin=from_stdin)
    texts: str | Mapping[str, str] | None = text
    if other_content is not None:
        texts = _for_both(dmm.conflicts.show(wanted), target, text, other_content)
    told = dmm.resolutions.resolve(
        wanted, action, target=target, reason=reason, content=texts, seen=seen
    )
    present(told, as_json=as_json, lines=_settled)


def _one(name: str | None, given: str | None) -> str:
    if (name is None) == (given is None):
        raise UsageError("name one conflict", hint="such as: dmm conflicts show conflict_12")
    return name or given or ""


def _need(**values: str) -> None:
    for name, value in values.items():
        if not value.strip():
            hint = "deprecate, merge, clarify or intentional; see dmm conflicts resolve --help"
            raise UsageError(f"--{name} is missing", hint=hint if name == "action" else "say why")


def _for_both(
    record: ConflictView, target: str | None, text: str | None, other: str
) -> dict[str, str]:
    """Match two texts with the two memories of a conflict."""
    sides = record.memories
    named = [side for side in sides if target in (side.id, side.path)]
    if not named or text is None:
        raise UsageError("--other-content also needs --target and --content")
    return {side.id: text if side is named[0] else other for side in sides}


def _scanned(told: Scanned) -> Iterator[str]:
    memories = counted(told.memories, "memory", "memories")
    yield f"{memories}, {counted(told.compared, 'pair')} compared"
    yield from _listing(told.conflicts)
    news = [(told.found, "new"), (told.gone, "gone")]
    changes = ", ".join(f"{number} {word}" for number, word in news if number)
    unresolved = _counted(told.conflicts)
    yield f"{unresolved} ({changes})" if changes and told.recorded else unresolved
    for notice in told.notices:
        yield from wrapped(notice, "Notice: ")
    if told.conflicts and told.recorded:
        yield f"Resolve one with: {_RESOLVE.format('ID')}"


def _counted(conflicts: Sequence[ConflictView]) -> str:
    """Count the conflicts, and apart from them what only may be one."""
    sure = sum(one.sure for one in conflicts)
    told = counted(sure, "unresolved conflict")
    return told if sure == len(conflicts) else f"{told}, {len(conflicts) - sure} possible"


def _listed(told: ConflictList) -> Iterator[str]:
    yield from _listing(told.conflicts)
    yield counted(told.unresolved, "unresolved conflict")


def _listing(conflicts: Sequence[ConflictView]) -> Iterator[str]:
    for one in conflicts:
        yield from _head(one)
        for side in one.memories:
            yield from _side(side)
        yield ""


def _head(one: ConflictView) -> Iterator[str]:
    state = one.status.replace("_", " ")
    settled = one.resolution
    state += f": {settled.action}" if settled else ""
    kind = one.type.replace("_", " ")
    kind = kind if one.sure else f"possible {kind}"
    yield from wrapped(f"{kind} ({one.confidence:.2f}), {state}", f"{one.conflict_id}  ")


def _side(side: Side) -> Iterator[str]:
    yield from wrapped(side.path, "  - ")
    yield from wrapped(side.summary, "    ")


def _shown(one: ConflictView) -> Iterator[str]:
    yield from _head(one)
    for side in one.memories:
        yield from wrapped(f"{side.path} ({side.id})", "  - ")
        yield from wrapped(side.summary, "    ")
    yield from wrapped(one.description, "  what:     ")
    if one.suggested_resolution:
        yield from wrapped(one.suggested_resolution, "  hint:     ")
    yield from wrapped(", ".join(one.methods) or "unknown", "  found by: ")
    yield f"  since:    {one.detected}"
    settled = one.resolution
    if settled:
        yield from wrapped(f"{settled.action}: {settled.reason}", "  settled:  ")
        if settled.proposals:
            yield from wrapped(", ".join(settled.proposals), "  by:       ")
    elif one.status == "unresolved":
        yield f"  resolve:  {_RESOLVE.format(one.conflict_id)}"


def _settled(one: ConflictView) -> Iterator[str]:
    yield from _shown(one)
    waiting = [p for p in one.proposals if p.status == "pending"]
    for proposal in waiting:
        yield from wrapped(
            f"{proposal.operation} {proposal.path}: dmm review show {proposal.id}",
            "  pending:  ",
        )
