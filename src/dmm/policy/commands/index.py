"""An index of rules on tool calls: by program, path, package, branch and tool."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Generic, TypeVar

from dmm.policy.commands.dependencies import ANY_PACKAGE, normal_name
from dmm.policy.commands.options import SUBCOMMANDED
from dmm.policy.commands.paths import script_of
from dmm.policy.commands.rules import (
    BranchPattern,
    CommandPattern,
    DependencyPattern,
    PathPattern,
    ScriptPattern,
    ToolPattern,
    WrappedPattern,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dmm.policy.commands.facts import CallFacts
    from dmm.policy.commands.rules import Pattern

T = TypeVar("T")
Key = tuple[str, str]
_WILD = frozenset("*?[")


def _is_plain(text: str) -> bool:
    return _WILD.isdisjoint(text)


def _name_key(kind: str, name: str) -> Key:
    return (kind, name) if _is_plain(name) else (kind, "*")


def _path_key(glob: str) -> Key:
    """Choose the part of a glob that every path it matches must hold."""
    parts = [part for part in glob.split("/") if part not in ("", ".")]
    plain = [part for part in parts if _is_plain(part)]
    if plain:
        return ("part", max(plain, key=len))
    stem, dot, ending = parts[-1].rpartition(".") if parts else ("", "", "")
    if dot and stem and _is_plain(ending) and not glob.endswith("/**"):
        return ("ending", ending)
    return ("path", "*")


def _command_keys(program: str, operands: tuple[str, ...]) -> Iterator[Key]:
    """Go by the subcommand too, where a program has them: there are many rules on Git."""
    if program in SUBCOMMANDED and operands and _is_plain(operands[0]):
        for operand in operands[0].split("|"):
            yield ("subcommand", f"{program} {operand}")
    else:
        yield _name_key("program", program)


def _pattern_keys(pattern: Pattern) -> Iterator[Key]:
    match pattern:
        case CommandPattern():
            for name in pattern.programs:
                yield from _command_keys(name, pattern.operands)
        case PathPattern() | ScriptPattern():
            yield _path_key(pattern.glob)
        case WrappedPattern():
            yield ("program", "*")
        case DependencyPattern():
            yield _name_key("package", normal_name(pattern.name))
        case BranchPattern():
            yield _name_key("branch", pattern.name)
        case ToolPattern():
            yield _name_key("tool", pattern.name)


def _path_keys(path: str) -> Iterator[Key]:
    yield ("path", "*")
    parts = path.split("/")
    for part in parts:
        yield ("part", part)
        # A file glob also covers what lies in a folder of that name.
        if "." in part:
            yield ("ending", part.rpartition(".")[2])


def _open_kinds(facts: CallFacts) -> set[str]:
    """Name the kinds of keys that a call may meet under any name, by its wildcards."""
    kinds: set[str] = set()
    if any(use.glob for use in facts.paths):
        kinds.update(("path", "part", "ending"))
    if any(use.name and not _is_plain(use.name) for use in facts.branches):
        kinds.add("branch")
    if facts.doubts and any(use.name == ANY_PACKAGE for use in facts.dependencies):
        kinds.add("package")
    return kinds


def _fact_keys(facts: CallFacts) -> set[Key]:
    found: set[Key] = {("tool", facts.call.tool), ("tool", "*")}
    for use in facts.commands:
        program, operands = use.invocation.program, use.options.operands
        found.update((("program", program), ("program", "*")))
        if operands:
            found.add(("subcommand", f"{program} {operands[0].text}"))
        script = script_of(use)
        if script:
            found.update(_path_keys(script))
    for path in facts.paths:
        found.update(_path_keys(path.path))
    for package in facts.dependencies:
        found.update((("package", normal_name(package.name)), ("package", "*")))
    for branch in facts.branches:
        if branch.name:
            found.update((("branch", branch.name), ("branch", "*")))
    return found


class CallIndex(Generic[T]):
    """Entries that some patterns belong to, found by what a call does."""

    def __init__(self, entries: Iterable[tuple[T, Iterable[Pattern]]]) -> None:
        self._entries: list[T] = []
        self._places: dict[Key, set[int]] = defaultdict(set)
        for number, (entry, patterns) in enumerate(entries):
            self._entries.append(entry)
            for pattern in patterns:
                for key in _pattern_keys(pattern):
                    self._places[key].add(number)

    def candidates(self, facts: CallFacts) -> list[T]:
        """Give the entries that a call could concern, in their order."""
        found: set[int] = set()
        for key in _fact_keys(facts) & self._places.keys():
            found |= self._places[key]
        kinds = _open_kinds(facts)
        for (kind, _), numbers in self._places.items() if kinds else ():
            found |= numbers if kind in kinds else set()
        return [self._entries[number] for number in sorted(found)]
