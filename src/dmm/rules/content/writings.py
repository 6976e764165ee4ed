"""Writings: the text that a call leaves in files, worked out when a rule first asks for it."""

from __future__ import annotations

from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

from dmm.rules.budget import Budget
from dmm.rules.commands.arrivals import arrivals
from dmm.rules.commands.dependencies import declared, is_manifest
from dmm.rules.commands.facts import Writing, located, relative_path
from dmm.rules.commands.reach import looked_up
from dmm.rules.commands.tools import PATCH_TOOLS
from dmm.rules.commands.written import moves
from dmm.rules.content.limits import MAX_TEXT
from dmm.rules.content.words import Vocabulary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dmm.rules.commands.dependencies import DependencyUse
    from dmm.rules.commands.edits import FileChange
    from dmm.rules.commands.facts import CallFacts, CommandUse
    from dmm.rules.commands.scripts import TextOf
    from dmm.rules.commands.values import Span

_MAX_CHANGES = 200
_TOO_MANY = f"the call changes files more than {_MAX_CHANGES} times"


class Writings:
    """The writings of one call, with the time left to search them and what was parsed so far."""

    def __init__(
        self,
        held: tuple[Writing, ...] | Callable[[], tuple[Writing, ...]],
        budget: Budget | None = None,
    ) -> None:
        self._source = held
        self.budget = budget or Budget()
        self._codes: dict[tuple[int, str], Any] = {}
        self._vocabularies: dict[int, Vocabulary] = {}

    @cached_property
    def _held(self) -> tuple[Writing, ...]:
        self.budget.start()
        return self._source() if callable(self._source) else self._source

    def __iter__(self) -> Iterator[Writing]:
        return iter(self._held)

    def code_of(self, text: str, language: str, *, whole: bool) -> Any:
        """Return a text as code; the same text is parsed once for all rules."""
        from dmm.rules.content.structure import Code

        key = (id(text), language)
        if key not in self._codes:
            self._codes[key] = Code(text, language, whole=whole)
        return self._codes[key]

    def vocabulary_of(self, text: str) -> Vocabulary:
        """Return the words of a text; they are listed once for all rules."""
        # The text is kept with its words, so that no other can take its identity.
        return self._vocabularies.setdefault(id(text), Vocabulary(text))


def with_writings(facts: CallFacts, files: TextOf | None) -> CallFacts:
    """Add to the facts of a call what it writes; `files` gives what its files hold now.

    The call, the scripts it runs and all their readings share one budget.
    """
    return _with_writings(facts, files, Budget())


def _with_writings(facts: CallFacts, files: TextOf | None, budget: Budget) -> CallFacts:
    scripts = tuple(
        one._replace(facts=_with_writings(one.facts, files, budget)) for one in facts.scripts
    )
    readings = tuple(one._replace(budget=budget) for one in facts.readings)
    held = Writings(lambda: read_writings(facts, files), budget)
    return _with_held(facts, held)._replace(scripts=scripts, readings=readings, budget=budget)


def _with_held(facts: CallFacts, held: Writings) -> CallFacts:
    """Add the writings, and the packages that a command writes into a manifest."""
    changed = facts.commands and any(use.changes and is_manifest(use.path) for use in facts.paths)
    found = {one.name: one for one in (_declared(held) if changed else ())}
    known = {one.name for one in facts.dependencies}
    added = tuple(one for name, one in found.items() if name not in known)
    return facts._replace(writings=held, dependencies=(*facts.dependencies, *added))


def _declared(held: Writings) -> Iterator[DependencyUse]:
    for one in held:
        if not one.doubt and is_manifest(one.path):
            lines = one.text.split("\n")
            added = "\n".join(line for start, stop in one.added for line in lines[start:stop])
            for use in declared(one.path, added, one.removed):
                yield use._replace(span=one.span)


def read_writings(facts: CallFacts, files: TextOf | None) -> tuple[Writing, ...]:
    """Work out the text that a call leaves in each file that it changes."""
    if not any(use.changes for use in facts.paths):
        return ()
    from dmm.rules.content.changes import arrived, with_copies, without_known, writing_of

    found: list[Writing] = []
    texts: dict[str, str] = {}

    def near(path: str) -> str:
        return relative_path(path, facts.call.cwd)

    def held(path: str) -> str | None:
        known = texts.get(near(path))
        return files(near(path)) if known is None and files is not None else known

    changes = list(_changes(facts, files))
    late = changes[_MAX_CHANGES:]
    # Packages are few and quick to read, and their rules search no text.
    packages = [one for one in late if is_manifest(one[0].path)]
    for given, span in (*changes[:_MAX_CHANGES], *packages):
        change = with_copies(given, held)
        if change is None:
            continue
        path = located(facts.call, change.path)
        source = change.source or change.path
        before = None if change.language and near(source) not in texts else held(source)
        if before is not None and len(before) > MAX_TEXT:
            before = None
        made = writing_of(without_known(change, before), before)
        made = made._replace(path=path, span=span, doubt=change.doubt)
        moved = change.access == "rename" and made.whole
        if change.steps or not moved:
            found.append(made)
        if moved:
            found.append(arrived(made, held(change.path), located(facts.call, source)))
        if made.whole:
            texts[near(change.path)] = made.text
    others = ((one, span) for one, span in late if not is_manifest(one.path))
    unread = {located(facts.call, one.path): span for one, span in others}
    rest = (Writing(at, "", (), span=span, unread=_TOO_MANY) for at, span in unread.items())
    return (*found, *rest)


def _changes(facts: CallFacts, files: TextOf | None) -> Iterator[tuple[FileChange, Span]]:
    call = facts.call
    name = call.tool.lower()
    spans = {use.path: use.span for use in reversed(facts.paths) if use.changes}
    everything = (0, len(facts.text))
    if facts.commands:
        from dmm.rules.content.shelltext import shell_changes

        for use in facts.commands:
            for change in shell_changes(use, files):
                for one in _spread(change, use, facts):
                    yield one, use.invocation.span
    if name in PATCH_TOOLS:
        from dmm.rules.commands.patches import patch_changes

        changes = patch_changes(facts.text)
    elif name == "notebookedit":
        from dmm.rules.commands.edits import notebook_change

        changes = notebook_change(call.input, files)
    else:
        from dmm.rules.commands.edits import file_changes, moved_by_tool

        changes = chain(file_changes(call.input), moved_by_tool(call.tool, call.input))
    for change in changes:
        yield change, spans.get(located(call, change.path), everything)


def _spread(change: FileChange, use: CommandUse, facts: CallFacts) -> Iterator[FileChange]:
    """Name the file that a move makes in a folder, and each of those that wildcards name."""
    source = change.source or (change.copied[0] if len(change.copied) == 1 else "")
    if not source or facts.reach is None or not moves(use.invocation):
        yield change
        return
    call = facts.call
    ends = located(call, source), located(call, change.path)
    for pair in arrivals(use, *ends, facts.reach):
        one, other = (looked_up(path, call) for path in pair)
        where = {"source": one} if change.source else {"copied": (one,)}
        yield change._replace(path=other, **where)
