"""`dmm import` and `dmm export`: instruction files to memories and back."""

from __future__ import annotations

import dataclasses
import json
from collections import Counter
from itertools import chain, groupby
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Annotated

import typer

from dmm.cli.daemon_call import find_agent
from dmm.cli.format.wrapping import wrapped
from dmm.cli.options import Json, Root, counted, deliver, open_project, present, refuse_agents
from dmm.cli.persons import need_person
from dmm.domain.memory import Scope
from dmm.errors import UsageError
from dmm.passkeys.acts import PersonAct, digest_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dmm.bootstrap import Dmm
    from dmm.importer.memories import PlannedMemory
    from dmm.importer.rules import PlannedRule
    from dmm.importer.service import Import

MOST_NAMED = 4
# Statements on one rule; `dmm rules show` has all of them.
MOST_STATED = 3
# What says nothing needs no word.
SILENT = ("separator line", "comment")

Files = Annotated[
    list[Path] | None,
    typer.Argument(
        metavar="FILE",
        help="CLAUDE.md, .cursor/rules, a folder, ...",
        show_default="all instruction files and skills",
    ),
]


def import_files(
    files: Files = None,
    apply: Annotated[
        bool, typer.Option("--apply", help="Write rules and memories; without it, preview.")
    ] = False,
    propose: Annotated[
        bool, typer.Option("--propose", help="Propose them instead, to be reviewed one by one.")
    ] = False,
    keep: Annotated[
        list[str] | None,
        typer.Option(metavar="FILE:LINE", help="Keep a line that would be left out; repeatable."),
    ] = None,
    full: Annotated[
        bool, typer.Option("--full", help="Show each memory, and where it comes from.")
    ] = False,
    as_json: Json = False,
    root: Root = None,
) -> None:
    """Turn instruction files into rules, an always-on baseline and small memories.

    Previews the result unless --apply or --propose is given.
    """
    if apply and propose:
        raise UsageError("give either --apply or --propose")
    if apply:
        refuse_agents(PersonAct.IMPORT.words, "use --propose")
    dmm = open_project(root)
    given = files or dmm.importer.find_files()
    if not given:
        file = next((one.name for one in sorted(dmm.root.project.glob("README*"))), "docs/guide.md")
        hint = f'dmm remember "..." and dmm rules add "...", or name a file: dmm import {file}'
        raise UsageError("no instruction files found", hint=hint)
    found = dmm.importer.plan(given, keep or (), proposed=propose)
    if apply:
        need_person(PersonAct.IMPORT, dmm, lambda: _digest(found))
        found = dmm.importer.apply(found)
    elif propose:
        found = dmm.importer.submit(found)
    present(
        _describe(found),
        as_json=as_json,
        lines=lambda _: [
            *_details(found, full=full, written=apply or propose),
            *chain.from_iterable(map(wrapped, _summary(found, _cost(found, dmm), applied=apply))),
        ],
    )


def export(
    output: Annotated[Path | None, typer.Option(help="Write to a file instead.")] = None,
    include_deprecated: Annotated[
        bool, typer.Option("--include-deprecated", help="Add deprecated memories at the end.")
    ] = False,
    root: Root = None,
) -> None:
    """Write all memories of the project as one markdown file."""
    text = open_project(root).importer.export(include_deprecated=include_deprecated)
    deliver(text, output, "Memories")


def _digest(found: Import) -> str:
    """Return the digest of all that an import would write."""
    memories = [[one.memory.path, one.memory.title, one.memory.body] for one in found.plan.memories]
    rules = [[one.rule.id, one.source] for one in found.rules]
    return digest_text(json.dumps([memories, rules, found.baseline_budget]))


def _describe(found: Import) -> object:
    plan = found.plan
    return {
        "memories": [_describe_planned(one) for one in plan.memories],
        "present": [one.memory.title for one in found.present],
        "known": dict(found.known),
        "merged": [
            {"text": m.text, "source": str(m.source), "kept": str(m.kept), "memory": m.memory}
            for m in plan.merged
        ],
        "conflicts": [
            {"one": str(c.one), "other": str(c.other), "memories": list(c.memories)}
            for c in plan.conflicts
        ],
        "skipped": [
            {"text": s.text, "source": str(s.source), "reason": s.reason} for s in plan.skipped
        ],
        "imports": [{"target": i.target, "source": str(i.ref)} for i in plan.imports],
        "monolith_tokens": plan.monolith_tokens,
        "always_tokens": plan.always_tokens,
        "baseline_tokens": plan.baseline_tokens,
        "left": [{"text": one.text, "source": str(one.source)} for one in plan.left],
        "pack_tokens": found.pack_tokens,
        "secret": list(found.secret),
        "hidden": [
            {"source": str(one.source), "characters": list(one.codes)} for one in found.hidden
        ],
        "unseen": list(found.unseen),
        "rules": [_describe_rule(one) for one in found.rules],
        "written": list(found.written),
        "proposed": list(found.proposed),
        "proposed_rules": list(found.proposed_rules),
        "repeated": list(found.repeated),
        "notice": found.notice,
        "outdated": [dataclasses.asdict(one) for one in found.outdated],
        "corrected": [dataclasses.asdict(one) for one in found.corrected],
    }


def _describe_planned(one: PlannedMemory) -> object:
    return {
        "path": one.memory.path,
        "id": one.memory.id,
        "title": one.memory.title,
        "scope": one.memory.scope.value,
        "tags": list(one.memory.tags),
        "tokens": one.tokens,
        "sources": [str(source) for source in one.sources],
        "warnings": list(one.warnings),
        "content": one.memory.body,
    }


def _describe_rule(one: PlannedRule) -> object:
    return {
        "id": one.rule.id,
        "path": f"rules/{one.rule.id}.md",
        "title": one.rule.title,
        "state": one.state.value,
        "source": one.rule.origin,
        "does": list(one.does),
        "content": one.source,
    }


def _rule_lines(found: Import) -> Iterator[str]:
    """Show the rules by state, and what each does: a sentence that was misread shows there."""
    for state, group in groupby(sorted(found.rules, key=_by_state), key=lambda one: one.state):
        rules = list(group)
        yield f"{counted(len(rules), 'rule')}: {state}"
        for one in rules:
            yield f"    {one.rule.origin}  {one.rule.title}"
            for statement in one.does[:MOST_STATED]:
                yield from wrapped(statement, " " * 8)
            if (more := len(one.does) - MOST_STATED) > 0:
                yield f"        ... and {more} more"


def _by_state(one: PlannedRule) -> int:
    return list(type(one.state)).index(one.state)


def _details(found: Import, *, full: bool, written: bool) -> list[str]:
    """Show what stands above the summary, and the empty line between them."""
    shown = _all_memories(found) if full else _by_file(found, written=written)
    lines = [*shown, *_decisions(found)]
    return [*lines, ""] if lines else []


def _all_memories(found: Import) -> Iterator[str]:
    """Show each memory with its source, and what it made superfluous."""
    for one in found.plan.memories:
        yield f"{one.memory.path}  ({counted(one.tokens, 'token')})"
        yield f"    {one.memory.title}  [{', '.join(one.memory.tags)}]"
        yield f"    from {', '.join(str(source) for source in one.sources)}"
        if known := found.known.get(one.memory.path):
            yield f"    {counted(known, 'rule')} left out: already in the project's memory"
    for merged in found.plan.merged:
        yield f"merged   {merged.source}: already said at {merged.kept}"
    for one in found.present:
        yield f"present  {one.memory.title}: already in the project's memory"


def _by_file(found: Import, *, written: bool) -> Iterator[str]:
    """Show in one line what each instruction file becomes."""
    searched, standing = Counter[str](), Counter[str]()
    for one in found.plan.memories:
        file = one.sources[0].path
        if one.memory.scope is Scope.BASELINE:
            standing[file] += one.tokens
        else:
            searched[file] += 1
    rules = Counter(one.rule.origin.rpartition(":")[0] for one in found.rules)
    # The order is that of the plan.
    files = dict.fromkeys([*(one.sources[0].path for one in found.plan.memories), *rules])
    for file in files:
        parts = {
            counted(searched[file], "memory", "memories"): searched[file],
            f"{counted(standing[file], 'token')} always on": standing[file],
            counted(rules[file], "rule"): rules[file],
        }
        yield from wrapped(", ".join(filter(parts.get, parts)), f"{file}: ")
    elsewhere = {one.source.path: one.kept.path for one in found.plan.merged}
    for file in sorted(elsewhere.keys() - files):
        yield from wrapped(f"already covered by {elsewhere[file]}", f"{file}: ")
    if found.plan.memories and not written:
        yield "To show each memory with its source, add --full."


def _decisions(found: Import) -> Iterator[str]:
    """Show what a person has to know to decide: clashes, what is left out, and the rules."""
    plan = found.plan
    for conflict in plan.conflicts:
        where = " and ".join(conflict.memories)
        yield f"conflict? {conflict.one} / {conflict.other}: in {where}"
    skipped: dict[tuple[str, str], list[str]] = {}
    for one in plan.skipped:
        if one.reason not in SILENT:
            lines = str(one.source).removeprefix(f"{one.source.path}:")
            skipped.setdefault((one.source.path, one.reason), []).append(lines)
    for (file, reason), places in skipped.items():
        yield from wrapped(f"{file}:{', '.join(places)}: {reason}", "skipped  ")
    for mention in plan.imports:
        gone = mention in found.missing
        told = "no such file" if gone else "to import it too, name it"
        yield f"mentions {mention.target} ({mention.ref}): {told}"
    yield from _left_out(found)
    yield from _overflow(found)
    yield from _rule_lines(found)
    yield from _outdated(found)


def _outdated(found: Import) -> Iterator[str]:
    """Name what stays here although its file says something else, and how to take it out."""
    for kept in found.corrected:
        said = shorten(kept.line, 60, placeholder=" …")
        told = f'{kept.memory}: changed since it was imported; {kept.source} still says "{said}"'
        yield from wrapped(told, "kept     ")
    for one in found.outdated:
        told = one.memory or f"rule {one.rule}"
        said = shorten(one.line, 60, placeholder=" …")
        new = f"; its text goes to {one.new}" if one.new else ""
        yield from wrapped(f'{told}: {one.source} does not say "{said}"{new}', "outdated ")
    if found.outdated:
        yield from wrapped(
            "These stay as they are. Edit or forget a memory that no longer holds"
            " (dmm forget MEMORY); disable such a rule (dmm rules disable RULE)."
        )


def _left_out(found: Import) -> Iterator[str]:
    for hidden in found.hidden:
        codes = list(dict.fromkeys(hidden.codes))
        named = ", ".join([*codes[:MOST_NAMED], *["..."][: len(codes) > MOST_NAMED]])
        many = counted(len(hidden.codes), "hidden character")
        yield f"hidden   {hidden.source}: {many} left out: {named}"
    for path in found.unseen:
        yield f"left out {path}: hidden characters in the name or front matter of its source"
    for path in found.secret:
        yield f"left out {path}: it seems to contain a secret; remove that from the source"


def _named(files: Sequence[str]) -> str:
    if len(files) > MOST_NAMED:
        return f"{', '.join(files[:MOST_NAMED])} and {len(files) - MOST_NAMED} more"
    *most, last = files
    return f"{', '.join(most)} and {last}" if most else last


def _waiting(found: Import) -> Iterator[str]:
    """Return what waits for a person, and what lets it in."""
    if found.proposed:
        many = counted(len(found.proposed), "proposal")
        before = f" ({len(found.repeated)} proposed before)" if found.repeated else ""
        yield f"{many} pending{before}. To review: dmm review list"
    if found.proposed_rules:
        rules = counted(len(found.proposed_rules), "rule")
        verb = "asks" if len(found.proposed_rules) == 1 else "ask"
        numbers = " ".join(map(str, found.proposed_rules))
        yield f"{rules} {verb} until a person accepts. To accept: dmm rules accept {numbers}"


def _summary(found: Import, cost: Iterable[str], *, applied: bool) -> Iterator[str]:
    plan = found.plan
    if plan.memories or plan.merged or found.present:
        yield _count_memories(found)
    yield from cost
    if found.proposed or found.proposed_rules:
        yield from _waiting(found)
    elif not (plan.memories or found.rules):
        yield "There is nothing to write."
    elif not applied:
        way = "propose the memories, add --propose" if find_agent() else "write them, add --apply"
        yield f"Nothing was written. To {way}."
    elif found.written:
        if found.instructions:
            yield (
                f"Shorten {_named(found.instructions)} to one line that points to "
                ".dmm/BOOT.md; until then, every instruction is loaded twice."
            )
        yield "The memories are in .dmm/memory. Read them, run dmm validate, and commit them."
    if applied and found.rules:
        yield "The rules are in .dmm/rules; commit them too. To see what each does: dmm rules"
    if found.notice:
        yield found.notice


def _count_memories(found: Import) -> str:
    """Count the memories by scope, the merged duplicates and those that exist already."""
    plan = found.plan
    scopes = Counter(one.memory.scope.value for one in plan.memories)
    parts = ", ".join(f"{count} {scope}" for scope, count in scopes.items())
    counts = {
        f"{counted(len(plan.memories), 'memory', 'memories')} ({parts})": plan.memories,
        f"{counted(len(plan.merged), 'duplicate')} merged": plan.merged,
        f"{counted(len(found.present), 'memory', 'memories')} already here": found.present,
    }
    return ", ".join(filter(counts.get, counts))


def _overflow(found: Import) -> Iterator[str]:
    """Name the rules that found no room in the baseline, and the way to make room."""
    left = [one for one in found.plan.left if one.hard]
    softer = len(found.plan.left) - len(left)
    if softer:
        told = counted(softer, "softer instruction")
        yield f"{told} did not fit into the baseline; only search finds them."
    if not left:
        return
    for one in left:
        yield f"no room  {one.source}: {one.text}"
    found_by = "is" if len(left) == 1 else "are"
    yield from wrapped(
        f"{counted(len(left), 'rule')} did not fit into the baseline ({found.baseline_budget}"
        f" tokens) and {found_by} found by search only. To always include them, set a higher"
        " retrieval.baseline_budget in .dmm/daemon.config.json, accept it with dmm trust, and"
        " import again."
    )


def _cost(found: Import, dmm: Dmm) -> Iterator[str]:
    """Compare what every session loads before and after, with all that DMM adds."""
    # The server takes long to load, and only this needs it.
    from dmm.mcp.cost import count_fixed, count_rules

    own = sum(tokens for _, tokens in count_fixed(dmm))
    rules = count_rules(dmm, found.rules)
    baseline = found.baseline_held + found.plan.baseline_tokens
    before, after = found.plan.always_tokens, own + rules + baseline
    yield f"Every session now loads {counted(before, 'token')} from these files."
    yield f"With DMM: {after} tokens ({own} for DMM itself, {baseline} baseline, {rules} rules)."
    budget = dmm.config.retrieval.baseline_budget
    if found.baseline_budget > budget and not found.proposed:
        many = "more" if found.plan.left else "all"
        yield (
            f"The baseline's budget grows from {budget} to {found.baseline_budget} tokens"
            f" (.dmm/daemon.config.json), so that {many} instructions stay always on."
        )
    if found.pack_tokens is not None:
        yield f"A task that needs memory gets a pack of at most {found.pack_tokens} tokens."
