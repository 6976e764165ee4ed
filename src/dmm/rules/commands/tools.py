"""Tools: what the arguments of a call say, by the name of the tool and of each argument."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, NamedTuple

from dmm.rules.commands.wordlists import names

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from dmm.rules.commands.facts import Access

SHELL_TOOLS = frozenset({
    "bash", "shell", "run_shell_command", "exec", "exec_command", "local_shell", "terminal",
    "run_command", "execute_command", "container.exec", "unified_exec", "run_terminal_cmd",
    "powershell",
})  # fmt: skip
SHELL_NAME = "Bash"
PATCH_TOOLS = frozenset({"apply_patch", "applypatch"})
_PATCHERS = PATCH_TOOLS | {"patch"}
WRITERS = frozenset({
    "write", "write_file", "edit", "multiedit", "notebookedit", "replace", "create", "create_file",
    "str_replace", "str_replace_editor", "edit_file", "patch", "delete_file", "search_replace",
})  # fmt: skip
COMMAND_KEYS = ("command", "cmd", "script", "input")
PATH_KEYS = (
    "file_path", "filePath", "path", "notebook_path", "absolute_path", "filename", "target_file",
    "relative_path",
)  # fmt: skip
TELLING_KEYS = (*COMMAND_KEYS[:2], *PATH_KEYS)
# Words in the name of a tool that runs commands, lists names only, or changes files.
_RUNNING = names(
    """shell bash sh zsh terminal exec execute command cmd run process console powershell"""
)
_LISTING = names("list ls tree stat info exists glob directory dir watch")
_WRITING = names(
    """write edit create update delete remove move rename append put save patch replace insert
    modify apply upsert touch mkdir multiedit overwrite copy"""
)
_PLAIN_VERBS: dict[Access, frozenset[str]] = {
    "delete": names("delete remove"),
    "rename": names("move rename"),
    "create": names("create touch mkdir"),
}
_PATH_ENDINGS = ("path", "paths", "file", "files", "filename", "uri", "uris", "filepath")
_GLOB_NAMES = frozenset(
    {"glob", "globs", "include", "includes", "include_pattern", "includepattern"}
)
_SOURCES, _TARGETS = frozenset({"source", "src", "from"}), frozenset({"destination", "dest", "to"})
_MAX_VALUES = 200
_MAX_DEPTH = 3


class Argument(NamedTuple):
    """One argument that names a file."""

    path: str
    access: Access
    glob: bool = False


class Command(NamedTuple):
    """One argument that is a command line or code; a `guess` may also be something else."""

    text: str
    language: str = ""
    guess: bool = False


def text_of(value: object) -> str | None:
    """Read a value as text; a list of texts is a command with its arguments."""
    if isinstance(value, str):
        return value
    if isinstance(value, (list, tuple)) and all(isinstance(part, str) for part in value):
        return shlex.join(value)
    return None


def first_text(values: Mapping[str, object], keys: tuple[str, ...]) -> str | None:
    """Return the first of some arguments that is a text."""
    for key in keys:
        text = text_of(values.get(key))
        if text is not None:
            return text
    return None


def words_of_name(name: str) -> frozenset[str]:
    """Split the name of a tool into its words: `readFile`, `read_file`, `fs.read`."""
    return frozenset(part.lower() for part in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name))


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        yield from (one for one in value[:_MAX_VALUES] if isinstance(one, str))


def _named(values: Mapping[str, object], depth: int = 0) -> Iterator[tuple[str, object]]:
    """Go through the arguments by name, those of nested values too."""
    for name, value in list(values.items())[:_MAX_VALUES]:
        yield str(name), value
        inner = value if isinstance(value, (list, tuple)) else [value]
        if depth < _MAX_DEPTH:
            for one in inner[:_MAX_VALUES]:
                if isinstance(one, dict):
                    yield from _named(one, depth + 1)


def names_of(tool: str) -> tuple[str, ...]:
    """Return the names that rules know a tool by: a rule is shared by people with other clients."""
    return (tool, SHELL_NAME) if tool.lower() in SHELL_TOOLS else (tool,)


def is_patching(words: Sequence[str]) -> bool:
    """Whether a command takes a patch in."""
    program = words[0].rpartition("/")[2] if words else ""
    return program in _PATCHERS or (program == "git" and tuple(words[1:2]) == ("apply",))


def values_of(values: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Pair the names of arguments with their values as text, those of nested ones too."""
    for name, value in _named(values):
        for one in value[:_MAX_VALUES] if isinstance(value, (list, tuple)) else (value,):
            if isinstance(one, bool):
                yield name, str(one).lower()
            elif isinstance(one, (str, int, float)):
                yield name, str(one)


def arguments_of(tool: str, values: Mapping[str, object]) -> list[Argument]:
    """List the files that the arguments of a tool name, read or written by the tool's verb."""
    verbs = words_of_name(tool)
    if verbs & _LISTING and not verbs & _WRITING:
        return []
    access = _access(verbs)
    found: list[Argument] = []
    for given, value in _named(values):
        name = given.lower()
        for text in _texts(value):
            if text.startswith("file://"):
                found.append(Argument(text.removeprefix("file://"), access))
            elif name in _GLOB_NAMES:
                found.append(Argument(text, access, glob=True))
            elif name in _SOURCES or name in _TARGETS:
                found += _moved(name, text, verbs)
            elif name.replace("_", "").replace("-", "").endswith(_PATH_ENDINGS):
                found += [] if "://" in text else [Argument(text, access)]
    return found[:_MAX_VALUES]


def _access(verbs: frozenset[str]) -> Access:
    """Return what a tool does to the files it names, by the verbs in its name."""
    done = verbs & _WRITING
    if not done:
        return "read"
    for access, words in _PLAIN_VERBS.items():
        if done <= words:
            return access
    return "write"


def _moved(name: str, text: str, verbs: frozenset[str]) -> list[Argument]:
    """Read the two ends of a copy or a move; `source` and `to` may be anything elsewhere."""
    if not verbs & {"move", "rename", "copy"}:
        return []
    if "copy" in verbs:
        return [Argument(text, "write" if name in _TARGETS else "read")]
    return [Argument(text, "rename")]


def commands_of(tool: str, values: Mapping[str, object]) -> list[Command]:
    """List the arguments that are command lines or code."""
    verbs = words_of_name(tool)
    runs = bool(verbs & _RUNNING)
    found: list[Command] = []
    for given, value in _named(values):
        name, text = given.lower(), text_of(value)
        if text is None:
            continue
        if name in ("command", "cmd"):
            rest = text_of(values.get("args")) if isinstance(value, str) else None
            found.append(Command(f"{text} {rest}" if rest else text, guess=not runs))
        elif name == "commands":
            found += [Command(one, guess=not runs) for one in _texts(value)]
        elif name == "script" or (name == "input" and runs):
            found.append(Command(text, guess=not runs))
        elif name == "code":
            language = (text_of(values.get("language")) or "python").lower()
            found.append(Command(text, language, guess=True))
    return found[:_MAX_VALUES]
