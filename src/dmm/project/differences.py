"""What a branch does to memory and rules, in sentences for a pull request."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from difflib import unified_diff
from typing import TYPE_CHECKING, Any

from dmm.domain.memory import Memory
from dmm.errors import DmmError, MemoryFileError
from dmm.files import markdown
from dmm.files.rules import RuleText, parse_rule
from dmm.files.shipped import is_example
from dmm.files.tree import DESCRIPTOR
from dmm.project.snapshots import find_base, read_commit, read_disk
from dmm.rules.source import read_rule, state_of_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from dmm.domain.conflict import Clash
    from dmm.project.snapshots import Files

    Clashes = list[tuple[Clash, str, str]]
    Known = Memory | RuleText | None

HEAD = "HEAD"
MEMORY = "memory/"
RULES = "rules/"
UNCOMMITTED = "there are uncommitted changes; see them with: dmm diff"
_UNTOLD = ("path", "title", "body", "usage_count", "last_used")


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that a branch does, with the sentence that says so."""

    kind: str
    path: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that changed from one state to another."""

    before: str
    after: str
    differences: tuple[Difference, ...]
    notices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Differences:
    """Compares states of one project's memory and rules; nothing is written but the index."""

    folder: Path
    find_clashes: Callable[[Memory], Clashes]

    def compare(self, asked: str) -> Comparison:
        """Compare a range (A...B from their common base, A..B), or a commit with the files."""
        start, dots, end = (*re.split(r"(\.{2,3})", asked, maxsplit=1), "", "")[:3]
        start, end = start or HEAD, end or HEAD
        base = find_base(self.folder, start, end) if dots == "..." else start
        before = read_commit(self.folder, base)
        after = read_commit(self.folder, end) if dots else read_disk(self.folder)
        told = list(compare_files(before, after))
        clashes, notices = self._contradictions(before, after)
        if dots and end == HEAD and read_disk(self.folder) != after:
            notices.append(UNCOMMITTED)
        last = end if dots else "working tree"
        return Comparison(start, last, (*told, *clashes), tuple(notices))

    def _contradictions(self, before: Files, after: Files) -> tuple[list[Difference], list[str]]:
        """Compare what is new with the other memories that both this checkout and the end hold."""
        new = [_read(path, data) for path, data in after.items() if data != before.get(path)]
        found: list[Difference] = []
        told: set[tuple[str, str]] = set()
        try:
            for memory in (one for one in new if isinstance(one, Memory)):
                found += self._clashes(memory, after, told) if memory.in_force else ()
        except DmmError as error:
            return found, [f"contradictions were not checked: {error}"]
        return found, []

    def _clashes(
        self, memory: Memory, after: Files, told: set[tuple[str, str]]
    ) -> Iterator[Difference]:
        """Compare one memory with the others; a pair that was told from the other side is left."""
        for clash, other, _ in self.find_clashes(memory):
            if clash.sure and MEMORY + other in after and (other, memory.path) not in told:
                told.add((memory.path, other))
                kind = "repeats" if clash.type == "duplicate" else "contradicts"
                said = (
                    f"The memory {_quote(memory)} {kind} {other}: {clash.description.rstrip('.')}."
                )
                yield Difference(kind, memory.path, said)


def compare_files(before: Files, after: Files) -> Iterator[Difference]:
    """Return what changed from one set of files to another, by path."""
    old = {path: _read(path, data) for path, data in before.items()}
    new = {path: _read(path, data) for path, data in after.items()}
    moved = dict(_find_moves(old, new))
    both = [*old.values(), *new.values()]
    names = {one.id: _name(one) for one in both if isinstance(one, Memory)}
    for path in sorted({*before, *after}):
        if path in moved.values() or before.get(path) == after.get(path):
            continue
        added = new.get(path) if path not in before else None
        if isinstance(added, Memory) and is_example(added.body):
            continue
        origin = moved.get(path, path)
        if path in after and new[path] is None and not _is_broken(path):
            verb, kind = ("Changes", "changed") if path in before else ("Adds", "added")
            yield Difference(
                kind, path.removeprefix(MEMORY), f"{verb} {path.removeprefix(MEMORY)}."
            )
            continue
        yield from _compare(path, old.get(origin), new.get(path), origin=origin, data=after)
        yield from _supersedes(old.get(origin), new.get(path), names)


def _find_moves(old: Mapping[str, Known], new: Mapping[str, Known]) -> Iterator[tuple[str, str]]:
    """Pair the new path of each memory that moved with its old one, by id."""
    left = ((path, one) for path, one in old.items() if path not in new)
    gone = {one.id: path for path, one in left if isinstance(one, Memory)}
    for path, one in new.items():
        if path not in old and isinstance(one, Memory) and one.id in gone:
            yield path, gone[one.id]


def _compare(
    path: str, old: Known, new: Known, *, origin: str, data: Files
) -> Iterator[Difference]:
    """Return what became of one file."""
    shown = path.removeprefix(MEMORY)
    if path not in data:
        yield Difference("removed", shown, f"Removes {_name(old, shown)}.")
    elif new is None:
        yield Difference("broken", shown, f"Leaves {shown} unreadable; see: dmm validate")
    elif old is None:
        yield Difference("added", shown, f"Adds {_name(new)}{_state(new)}.")
    else:
        said = "; ".join(_list_changes(old, new)) or "format only"
        if origin != path:
            moved = f"Moves {_name(new)} here from {origin.removeprefix(MEMORY)}"
            yield Difference("moved", shown, f"{moved}: {said}.")
        else:
            yield Difference("changed", shown, f"Changes {_name(new)}: {said}.")


def _is_broken(path: str) -> bool:
    """Return whether a file that can't be read as a memory or a rule should be one."""
    return path.startswith((MEMORY, RULES)) and not path.endswith(f"/{DESCRIPTOR}")


def _supersedes(old: Known, new: Known, names: Mapping[str, str]) -> Iterator[Difference]:
    if not isinstance(new, Memory):
        return
    before = old.supersedes if isinstance(old, Memory) else ()
    for one in new.supersedes:
        if one not in before:
            said = f"The memory {_quote(new)} supersedes {names.get(one, one)}."
            yield Difference("supersedes", new.path, said)


def _list_changes(old: Memory | RuleText, new: Memory | RuleText) -> Iterator[str]:
    """List the fields that differ, then the text."""
    for name in dict.fromkeys([*_names(old), *_names(new)]):
        before, after = _field(old, name), _field(new, name)
        if before != after:
            yield _change(name, before, after)
    if old.title != new.title:
        yield f'title "{old.title}" → "{new.title}"'
    lines = list(unified_diff(old.body.splitlines(), new.body.splitlines(), n=0))[2:]
    added, removed = (sum(line.startswith(sign) for line in lines) for sign in "+-")
    if lines:
        yield f"text, {added} line{'s' * (added != 1)} added, {removed} removed"


def _names(one: Memory | RuleText) -> list[str]:
    if isinstance(one, RuleText):
        return list(one.fields)
    return [field.name for field in fields(one) if field.name not in _UNTOLD]


def _field(one: Memory | RuleText, name: str) -> Any:
    return one.fields.get(name) if isinstance(one, RuleText) else getattr(one, name, None)


def _change(name: str, old: Any, new: Any) -> str:
    """Return how a field differs."""
    kinds = {type(old), type(new)}
    if kinds == {tuple}:
        parts = [f"+{one}" for one in new if one not in old]
        parts += [f"-{one}" for one in old if one not in new]
        return f"{name} {' '.join(parts) or 'in another order'}"
    if kinds & {list, dict}:
        return f"{name} changed"
    return f"{name} {_say(old)} → {_say(new)}"


def _say(value: Any) -> str:
    return "none" if value in (None, ()) else str(value)


def _read(path: str, data: bytes) -> Known:
    """Read a file as a memory or a rule; None where it is neither."""
    try:
        text = markdown.decode(path, data)
        if path.startswith(RULES):
            read_rule(path, text)
            return parse_rule(path, text)
        memory = path.removeprefix(MEMORY)
        return None if memory == path else markdown.parse(memory, text).memory
    except MemoryFileError:
        return None


def _name(one: Known, shown: str = "") -> str:
    """Name a memory or a rule as a reader of the sentence would."""
    if one is None:
        return shown
    what = "the rule" if isinstance(one, RuleText) else "the memory"
    return f"{what} {_quote(one)}"


def _quote(one: Memory | RuleText) -> str:
    return f'"{one.title}" ({one.path})'


def _state(one: Known) -> str:
    """Say what a rule does, in the word that every surface uses."""
    if not isinstance(one, RuleText):
        return ""
    rule = read_rule(one.path, one.source)
    return f", {'disabled' if rule.disabled else state_of_rule(rule)}"
