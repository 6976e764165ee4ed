"""`dmm feedback`, `dmm lifecycle`, `dmm export-usage`: memory usage and suggestions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli.format.wrapping import wrapped
from dmm.cli.options import Json, Root, counted, open_project, present, refuse_agents
from dmm.cli.persons import need_person
from dmm.domain.plain import to_plain
from dmm.passkeys.acts import PersonAct

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.lifecycle.results import FeedbackRecorded, LifecycleRun, SuggestionView, UsageExport

SHOWN = 20
MOVES = {"deprecate": "deprecate", "promote": "promote to", "demote": "demote to"}
STATES = {
    "new": "not proposed yet",
    "waits": "awaits review",
    "refused": "can't be proposed",
}

DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Show what would be done; record and write nothing.")
]


def feedback(
    outcome: Annotated[str, typer.Argument(help="helped, wrong, outdated or served.")],
    memories: Annotated[
        list[str], typer.Argument(help="Memories by id or path, as packs show them.")
    ],
    context: Annotated[str, typer.Option(help="What they were used for.")] = "",
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Report that memories helped, are wrong or are outdated.

    Two reports against a memory, or one from you, suggest deprecating it.
    """
    told = open_project(root).lifecycle.report(memories, outcome, context)
    present(told, as_json=as_json, lines=_report_lines)


def lifecycle(dry_run: DryRun = False, as_json: Json = False, root: Root = None) -> None:
    """Suggest memories to deprecate or promote.

    Looks for memories that are expired, reported, stale or worth a wider scope.

    Each suggestion becomes a pending proposal; none is made twice.
    """
    part = open_project(root).lifecycle
    told = part.look() if dry_run else part.run()
    present(told, as_json=as_json, lines=lifecycle_lines)


def export_usage(dry_run: DryRun = False, as_json: Json = False, root: Root = None) -> None:
    """Write usage counts into the memory files.

    Counts live in the ledger; this writes last_used and usage_count to files that Git tracks.
    """
    if not dry_run:
        refuse_agents(PersonAct.EXPORT_USAGE.words)
    dmm = open_project(root)
    if not dry_run:
        need_person(PersonAct.EXPORT_USAGE, dmm)
    found = dmm.lifecycle.export_usage(dry_run=dry_run)
    told = to_plain(found) | {"dry_run": dry_run}
    present(told, as_json=as_json, lines=lambda _: _export_lines(found, dry_run=dry_run))


def _report_lines(told: FeedbackRecorded) -> Iterator[str]:
    number = counted(len(told.memories), "memory", "memories")
    yield f"recorded as event {told.seq}: {number} {told.outcome}"
    for one in told.memories:
        yield from wrapped(f"{one.path} {one.id}".rstrip(), "  ")


def lifecycle_lines(told: LifecycleRun) -> Iterator[str]:
    """Return the suggestions and their outcomes."""
    found = told.suggestions
    if not found:
        yield "nothing to suggest"
        return
    proposed = f", {told.proposed} proposed now" if told.proposed else ""
    yield f"{counted(len(found), 'suggestion')}{proposed}"
    for one in found:
        yield from _suggestion_lines(one)
    if any(one.proposal and one.state in ("proposed", "waits") for one in found):
        yield "Review them with: dmm review list"


def _suggestion_lines(one: SuggestionView) -> Iterator[str]:
    what = f"{MOVES[one.operation]} {one.new_scope or ''}".rstrip()
    yield from wrapped(f"{one.path}: {what}", "  - ")
    yield from wrapped(one.reason, "      why: ")
    state = STATES.get(one.state, one.state)
    told = f"{one.proposal} {state}" if one.proposal else state
    yield from wrapped(told + (f": {one.why}" if one.why else ""), "      now: ")


def _export_lines(told: UsageExport, *, dry_run: bool) -> Iterator[str]:
    files = told.files
    done = "would be updated" if dry_run else "updated"
    yield f"Counts {done} in {counted(len(files), 'file')}"
    for path in files[:SHOWN]:
        yield from wrapped(path, "  ")
    if len(files) > SHOWN:
        yield f"  and {len(files) - SHOWN} more"
    for one in told.skipped:
        yield from wrapped(f"{one.path}: {one.why}", "  skipped: ")
    for name in told.proposals:
        yield f"Applied as {name}; to undo it: dmm undo {name.rpartition('_')[2]}"
