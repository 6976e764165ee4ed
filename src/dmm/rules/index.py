"""An index of rules on tool calls: by program, path, package, branch and tool."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Generic, TypeVar, assert_never

from dmm.rules.commands.dependencies import ANY_PACKAGE, normal_name
from dmm.rules.commands.options import SUBCOMMANDED, full_name
from dmm.rules.commands.paths import script_of
from dmm.rules.commands.projectfiles import can_drop_run
from dmm.rules.commands.tools import names_of
from dmm.rules.patterns import (
    BranchPattern,
    CommandPattern,
    ContentPattern,
    DependencyPattern,
    MessagePattern,
    PathPattern,
    ToolPattern,
    singles,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dmm.rules.commands.facts import CallFacts
    from dmm.rules.patterns import Pattern, SinglePattern

T = TypeVar("T")
Key = tuple[str, str]
WRITTEN: Key = ("written", "*")
# How much a key lets through, where there are several to choose from.
_KINDS = {"program": 1, "part": 2, "ending": 3}
_OPEN = {WRITTEN: 4, ("path", "*"): 5, ("program", "*"): 6, ("tool", "*"): 7}
_WILD = frozenset("*?[")


def _is_plain(text: str) -> bool:
    return _WILD.isdisjoint(text)


def _name_key(kind: str, name: str) -> Key:
    return (kind, name) if _is_plain(name) else (kind, "*")


def _path_key(glob: str) -> Key:
    """Return the part of a glob that every matching path must contain."""
    parts = [part for part in glob.split("/") if part not in ("", ".")]
    plain = [part for part in parts if _is_plain(part)]
    if plain:
        return ("part", max(plain, key=len))
    stem, dot, ending = parts[-1].rpartition(".") if parts else ("", "", "")
    if dot and stem and _is_plain(ending) and not glob.endswith("/**"):
        return ("ending", ending)
    return ("path", "*")


def _first_words(program: str, operands: Sequence[str]) -> Sequence[str]:
    """Return the words that a command is looked up by: `run` and `lint` of `pnpm run lint`."""
    return operands[: 2 if can_drop_run(program, operands) else 1]


def _command_keys(program: str, operands: tuple[str, ...]) -> Iterator[Key]:
    """Return the keys of a command: the program, and its subcommand if it has any."""
    if "/" in program:
        yield _path_key(program)
    elif program in SUBCOMMANDED and operands and _is_plain(operands[0]):
        for operand in "|".join(_first_words(program, operands)).split("|"):
            yield ("subcommand", f"{program} {full_name(program, operand)}")
    else:
        yield _name_key("program", program)


def _command_keys_of(pattern: CommandPattern) -> Iterator[Key]:
    """Return the keys of a command pattern, by branch if it names one."""
    if pattern.branches and pattern.operands in (("push",), ("commit",)):
        yield from (_name_key("branch", name) for name in pattern.branches)
        return
    for name in pattern.programs:
        yield from _command_keys(name, pattern.operands)


def _path_keys_of(pattern: PathPattern) -> Iterator[Key]:
    """Return the keys of a path pattern: one for each including glob."""
    lines = pattern.glob.split("\n")
    if pattern.folder is not None and not set(pattern.access) <= {"read", "create", "edit"}:
        yield ("change", "*")
    for line in lines:
        if not line.startswith("!"):
            yield _path_key(line)
    if lines[0].startswith("!"):
        yield ("path", "*")


def _tool_key(name: str) -> Key:
    """Return the key of a tool's name: its end, such as in `mcp__*__delete`."""
    end = name[max(map(name.rfind, _WILD)) + 1 :]
    if _is_plain(name) or not end.startswith("_") or not end.strip("_"):
        return _name_key("tool", name)
    return ("tool end", end.lstrip("_"))


def _pattern_keys(pattern: SinglePattern) -> Iterator[Key]:
    match pattern:
        case CommandPattern():
            yield from _command_keys_of(pattern)
        case PathPattern():
            yield from _path_keys_of(pattern)
        case MessagePattern():
            yield from (("message", kind) for kind in pattern.of)
        case DependencyPattern():
            yield _name_key("package", normal_name(pattern.name))
        case BranchPattern():
            yield _name_key("branch", pattern.name)
        case ToolPattern():
            yield _tool_key(pattern.name)
        case ContentPattern():
            yield WRITTEN
        case _:
            # A pattern without a key would never be looked up: its rule would never fire.
            assert_never(pattern)


def _keys_of(pattern: Pattern) -> list[Key]:
    """List the keys of a pattern; of several that must all match, those of the choosiest."""
    return min((list(_pattern_keys(one)) for one in singles(pattern)), key=_openness)


def _openness(keys: list[Key]) -> tuple[int, int]:
    """Order keys by how much they let through: names first, then parts of paths, then all."""
    return max((_OPEN.get(key, _KINDS.get(key[0], 0)) for key in keys), default=0), len(keys)


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


def _keys_of_paths(facts: CallFacts, accesses: set[str]) -> set[Key]:
    found: set[Key] = set()
    for path in facts.paths:
        found.update(_path_keys(path.path))
        if path.changes:
            found.add(WRITTEN)
        if path.access in ("delete", "rename"):
            found.add(("change", "*"))
        if facts.reach is not None and path.access in accesses:
            found.update(key for one in facts.reach.of(path) for key in _path_keys(one))
    return found


def _fact_keys(facts: CallFacts, accesses: set[str]) -> set[Key]:
    tool = facts.call.tool
    found: set[Key] = {*(("tool", one) for one in names_of(tool)), ("tool", "*")}
    found.update(("tool end", tool[at:].lstrip("_")) for at, sign in enumerate(tool) if sign == "_")
    for use in facts.commands:
        program, operands = use.invocation.program, [one.text for one in use.options.operands]
        found.update((("program", program), ("program", "*")))
        first = _first_words(program, operands)
        found.update(("subcommand", f"{program} {full_name(program, one)}") for one in first)
        script = script_of(use)
        if script:
            found.update(_path_keys(script))
    found |= _keys_of_paths(facts, accesses)
    found.update(("message", one.kind) for one in facts.messages)
    for package in facts.dependencies:
        found.update((("package", normal_name(package.name)), ("package", "*")))
    for branch in facts.branches:
        if branch.name:
            found.update((("branch", branch.name), ("branch", "*")))
    return found


def _accesses_of(pattern: Pattern) -> Iterator[str]:
    """Return what is done to files that a pattern is about; others need no look at the files."""
    paths = (one for one in singles(pattern) if isinstance(one, PathPattern))
    return (access for one in paths for access in one.accesses)


class CallIndex(Generic[T]):
    """Entries that some patterns belong to, found by what a call does."""

    def __init__(self, entries: Iterable[tuple[T, Iterable[Pattern]]]) -> None:
        self._entries: list[T] = []
        self._places: dict[Key, set[int]] = defaultdict(set)
        self._accesses: set[str] = set()
        for number, (entry, patterns) in enumerate(entries):
            self._entries.append(entry)
            for pattern in patterns:
                self._accesses.update(_accesses_of(pattern))
                for key in _keys_of(pattern):
                    self._places[key].add(number)

    def candidates(self, facts: CallFacts) -> list[T]:
        """Return the entries that a call could concern, in their order."""
        found: set[int] = set()
        for key in _fact_keys(facts, self._accesses) & self._places.keys():
            found |= self._places[key]
        kinds = _open_kinds(facts)
        for (kind, _), numbers in self._places.items() if kinds else ():
            found |= numbers if kind in kinds else set()
        return [self._entries[number] for number in sorted(found)]
