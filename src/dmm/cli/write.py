"""`dmm write`: propose changes to memory."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from dmm.cli import failures
from dmm.cli.fast_typer import FastTyper
from dmm.cli.format import paint, verdicts
from dmm.cli.options import Json, Root, open_project, present
from dmm.cli.texts import Content, FromStdin, TextFile, read_patch, read_text
from dmm.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.domain.proposal import Operation
    from dmm.review.drafting import About
    from dmm.review.writing import Writing

app = FastTyper(help="Propose changes to memory.")

FilePath = Annotated[str, typer.Option("--path", help="Such as project/build/tests.md.")]
Reason = Annotated[str, typer.Option(help="The reason; it is recorded.")]
Tags = Annotated[str | None, typer.Option(help='For a new memory: "auth,sessions".')]
Priority = Annotated[
    float | None,
    typer.Option(min=0.0, max=1.0, help="For a new memory.", show_default="0.5"),
]
Expires = Annotated[str | None, typer.Option(metavar="DAY", help="For a new memory: 2026-12-31.")]
Supersedes = Annotated[str | None, typer.Option(help="Ids of memories it replaces.")]
Related = Annotated[str | None, typer.Option(help="Ids of related memories.")]
Evidence = Annotated[
    list[int] | None, typer.Option(metavar="SEQ", help="An event it is based on; repeatable.")
]
Source = Annotated[
    str | None,
    typer.Option(help="Where the text comes from: user, agent, tool or third_party."),
]
NewScope = Annotated[str, typer.Option(help="baseline, global, project, agent or ephemeral.")]
Try = Annotated[bool, typer.Option("--preview", help="Show the checks; record nothing.")]
To = Annotated[str | None, typer.Option(metavar="PATH", help="The new path, if the name changes.")]


def _of_text(operation: str | None, summary: str) -> Callable[..., None]:
    """Make the command of an operation that takes a new text."""

    def command(
        *,
        path: FilePath,
        reason: Reason,
        content: Content = None,
        file: TextFile = None,
        from_stdin: FromStdin = False,
        tags: Tags = None,
        priority: Priority = None,
        expires: Expires = None,
        supersedes: Supersedes = None,
        related: Related = None,
        evidence: Evidence = None,
        source: Source = None,
        preview: Try = False,
        as_json: Json = False,
        root: Root = None,
    ) -> None:
        text = _needed_text(content, file, from_stdin=from_stdin)
        about = _about(tags, priority, expires, supersedes, related)
        given = {"content": text, "about": about, "evidence": evidence, "source": source}
        asked = _asked(path, reason, operation, **given)
        (_preview if preview else _write)(asked, root, as_json=as_json)

    command.__doc__ = summary
    return command


app.command("propose")(_of_text(None, "Propose a memory: a new one, or a new text for one."))
app.command("create")(_of_text("create", "Propose a new memory; fails if the file already exists."))


@app.command()
def update(
    path: FilePath,
    reason: Reason,
    content: Content = None,
    file: TextFile = None,
    from_stdin: FromStdin = False,
    patch: Annotated[
        str | None, typer.Option(help="A unified diff: the text, @FILE, or - for standard input.")
    ] = None,
    base: Annotated[
        str | None, typer.Option(metavar="HASH", help="SHA-256 of the text it was made from.")
    ] = None,
    evidence: Evidence = None,
    source: Source = None,
    preview: Try = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Propose a change: a diff, a whole file, or a new body."""
    text = read_text(content, file, from_stdin=from_stdin)
    change = read_patch(patch)
    if (text is None) == (change is None):
        raise UsageError("give one of: --content, --file, --from-stdin, --patch")
    asked = _asked(
        path,
        reason,
        "update",
        content=text,
        patch=change,
        base=base,
        evidence=evidence,
        source=source,
    )
    (_preview if preview else _write)(asked, root, as_json=as_json)


@app.command()
def deprecate(
    path: FilePath,
    reason: Reason,
    evidence: Evidence = None,
    source: Source = None,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Propose deprecating a memory; its file stays."""
    asked = _asked(path, reason, "deprecate", evidence=evidence, source=source)
    _write(asked, root, as_json=as_json)


def _of_scope(operation: str, summary: str) -> Callable[..., None]:
    """Make the command of an operation that moves a memory."""

    def command(
        path: FilePath,
        new_scope: NewScope,
        reason: Reason,
        to: To = None,
        evidence: Evidence = None,
        source: Source = None,
        as_json: Json = False,
        root: Root = None,
    ) -> None:
        given = {"new_scope": new_scope, "to": to, "evidence": evidence, "source": source}
        _write(_asked(path, reason, operation, **given), root, as_json=as_json)

    command.__doc__ = summary
    return command


app.command("promote")(_of_scope("promote", "Propose a wider scope for a memory."))
app.command("demote")(_of_scope("demote", "Propose a narrower scope for a memory."))


def _needed_text(content: str | None, file: Path | None, *, from_stdin: bool) -> str:
    text = read_text(content, file, from_stdin=from_stdin)
    if text is None:
        hint = "give one of: --content, --file, --from-stdin"
        raise UsageError("the content is missing", hint=hint)
    return text


def _asked(path: str, reason: str, operation: str | None, **given: Any) -> Writing:
    from dmm.domain.proposal import Operation
    from dmm.review.writing import Writing

    meant: Operation | None = None if operation is None else Operation(operation)
    given["evidence"] = given.get("evidence") or ()
    return Writing(path, reason, meant, **given)


def _about(
    tags: str | None,
    priority: float | None,
    expires: str | None,
    supersedes: str | None,
    related: str | None,
) -> About:
    from dmm.review.drafting import About

    usual = About()
    return About(
        tags=_names(tags),
        priority=usual.priority if priority is None else priority,
        related=_names(related),
        supersedes=_names(supersedes),
        expires=None if expires is None else _day(expires),
    )


def _names(given: str | None) -> tuple[str, ...]:
    parts = (part.strip() for part in (given or "").split(","))
    return tuple(part for part in parts if part)


def _day(text: str) -> dt.date:
    try:
        return dt.date.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is not a day", hint="such as 2026-12-31") from None


def _write(asked: Writing, root: Path | None, *, as_json: bool) -> None:
    """Make the proposal and tell what became of it; a check that failed is a finding."""
    told = open_project(root).proposals.write(asked)
    present(told, as_json=as_json, lines=verdicts.made, show=paint.show)
    if any(check.failed for check in told.checks):
        raise typer.Exit(failures.FINDINGS)


def _preview(asked: Writing, root: Path | None, *, as_json: bool) -> None:
    """Tell what the checks would say, and who would decide."""
    told = open_project(root).proposals.preview(asked)
    present(told, as_json=as_json, lines=verdicts.imagined, show=paint.show)
    if any(check.failed for check in told.checks):
        raise typer.Exit(failures.FINDINGS)
