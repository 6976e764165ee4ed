"""Instruction files: their kind and front matter."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import translate
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import yaml

from dmm.clients.registry import all_clients

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

FRONT_MATTER_BYTES = 16_384
_YAML_DEPTH = 8
_FENCE = re.compile(r"---[ \t]*")
_FENCE_END = re.compile(r"(---|\.\.\.)[ \t]*")
_YAML_LINE = re.compile(r"[\w.-]+[ \t]*:(\s|$)|[ \t]|#|- |$")
_KNOWN_KEY = re.compile(
    r"(description|globs|alwaysApply|name|type|metadata|paths|applyTo|title|tags|trigger)[ \t]*:"
)
_PERSONAL = "|".join(re.escape(one) for client in all_clients() for one in client.personal)
_HOME = re.compile(rf"(~|/home/[^/]+|/Users/[^/]+|/root|[A-Za-z]:/Users/[^/]+)/({_PERSONAL})/")
# What the `paths` of a memory may be; a glob that matches every file says nothing.
_SAFE = re.compile(r"(?!((\*\*/)?\*(\.\*)?|\*\*)$)(?!~)(?!(.*/)?\.\.(/|$))[^\\]+")
_AUTO_MEMORY = re.compile(r"(^|/)\.claude/projects/[^/]+/memory/")
_MENTION = re.compile(r"(?<![\w`@/.])@((?:~/|\.{1,2}/|/)?\.?\w[\w./-]*)")
_FILE_NAME = re.compile(r"(README|AGENTS|CLAUDE|GEMINI)|.*\.(md|mdc|txt|rst|json|ya?ml|toml)")


# Folders without instructions of the project's own.
SKIPPED = {".git", ".dmm", ".venv", "venv", "node_modules", "site-packages", "vendor"}
# Where clients look for skills, and where a repository keeps those of all of them.
_OUTSIDE = re.compile(r"[~/]|[^/\\]*:.*[/\\]")
# Hidden folders and those of skills say nothing of what a file in them is about.
_OF_TOOLS = re.compile(r"(?:^|/)(?:\.|skills(?:/|$))")
_SKILL_FOLDER = re.compile(r"(^|/)\.[\w-]+/skills/|^skills/")
_IN_SKILL = re.compile(r"(?:^|/)\.[\w-]+/skills/[^/]+/")


class SourceKind(StrEnum):
    """The kinds of instruction files, recognised by path."""

    CLAUDE = "claude"
    AGENTS = "agents"
    GEMINI = "gemini"
    COPILOT = "copilot"
    CURSOR_RULES = "cursorrules"
    CURSOR_RULE = "mdc"
    SKILL = "skill"
    MEMORY_INDEX = "memory_index"
    MEMORY_TOPIC = "memory_topic"
    MARKDOWN = "markdown"


# The files that clients read at every session, by patterns of their paths.
_INSTRUCTIONS = {
    pattern: SourceKind(shape)
    for client in all_clients()
    for pattern, shape in client.instructions.items()
}
# A file name that none of them can match spares a large repository the look at its path.
_LAST = re.compile(
    "|".join(translate(pattern.rpartition("/")[2]) for pattern in _INSTRUCTIONS), re.IGNORECASE
)
_NAMED = {"memory.md": SourceKind.MEMORY_INDEX, "skill.md": SourceKind.SKILL}


@dataclass(frozen=True, slots=True)
class Source:
    """One instruction file: its path and text."""

    path: str
    text: str


@dataclass(frozen=True, slots=True, order=True)
class SourceRef:
    """A run of lines of a source, counted from 1, both ends included."""

    path: str
    first_line: int
    last_line: int

    @property
    def lines(self) -> range:
        """The numbers of its lines."""
        return range(self.first_line, self.last_line + 1)

    def __str__(self) -> str:
        return f"{self.path}:{line_range(self.first_line, self.last_line)}"


@dataclass(frozen=True, slots=True)
class SourceLines:
    """Which memories come from each line of the sources, in the order of the memories."""

    by_line: dict[tuple[str, int], tuple[str, ...]]

    @classmethod
    def of(cls, memories: Mapping[str, Sequence[SourceRef]]) -> SourceLines:
        """Return the lines of some memories, each with its source lines."""
        by_line: dict[tuple[str, int], tuple[str, ...]] = {}
        for memory, refs in memories.items():
            lines = {(r.path, n) for r in refs for n in range(r.first_line, r.last_line + 1)}
            for line in lines:
                by_line[line] = (*by_line.get(line, ()), memory)
        return cls(by_line)

    def memories_at(self, ref: SourceRef) -> tuple[str, ...]:
        """Return the memories that cover the first line of a run."""
        return self.by_line.get((ref.path, ref.first_line), ())


@dataclass(frozen=True, slots=True)
class FileImport:
    """Another file that a source pulls in with `@path`; it is named, not followed."""

    target: str
    ref: SourceRef


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """The front matter of a source; `last_line` is 0 if there is none."""

    last_line: int = 0
    name: str = ""
    description: str = ""
    globs: tuple[str, ...] = ()
    always: bool = False
    memory_type: str = ""


def line_range(first: int, last: int) -> str:
    """Return a range of lines as text: `12` or `12-40`."""
    return str(first) if first == last else f"{first}-{last}"


def split_lines(text: str) -> list[str]:
    """Split a text into lines at any kind of line end."""
    text = text.removeprefix("\ufeff").replace("\0", "\ufffd")
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


def recognise(path: str) -> SourceKind:
    """Return the kind of an instruction file by its path alone."""
    plain = path.replace("\\", "/")
    parts = PurePosixPath(plain)
    if named := _NAMED.get(parts.name.casefold()):
        return named
    # As clients read them: docs/agents.md is a page about agents, agents.md at the top is not.
    for pattern, kind in _INSTRUCTIONS.items() if _LAST.match(parts.name) else ():
        if parts.match(pattern) or plain.casefold() == pattern.casefold():
            # Some skills bring an AGENTS.md with all they know; it holds only where they are used.
            return SourceKind.SKILL if _IN_SKILL.search(plain) else kind
    if _AUTO_MEMORY.search(plain):
        return SourceKind.MEMORY_TOPIC
    return SourceKind.MARKDOWN


def is_instruction(path: str) -> bool:
    """Return whether a client reads the file at every session."""
    return recognise(path) in _INSTRUCTIONS.values()


_NEAR = 2


def find_instructions(project: Path, *, deep: bool = True) -> Iterator[Path]:
    """Find the instruction files and the skills of agents below a folder, in order.

    Without `deep`, only in the folder itself and two levels below: .cursor/rules is there.
    """
    for folder, names, files in os.walk(project):
        near = deep or len(Path(folder).relative_to(project).parts) < _NEAR
        names[:] = sorted(set(names) - SKIPPED) if near else []
        for name in sorted(files):
            path = Path(folder, name)
            # A link may lead nowhere: CLAUDE.md -> agents.md, where only AGENTS.md is there. In
            # somebody else's repository it may lead to a device that never ends.
            if _is_for_agents(path.relative_to(project).as_posix()) and path.is_file():
                yield path


def _is_for_agents(path: str) -> bool:
    kind = recognise(path)
    skill = kind is SourceKind.SKILL
    return bool(_SKILL_FOLDER.search(path)) if skill else kind in _INSTRUCTIONS.values()


def kinds_of(paths: tuple[str, ...]) -> dict[str, SourceKind]:
    """Return the kinds of files imported together; a file beside a MEMORY.md is its topic."""
    kinds = {path: recognise(path) for path in paths}
    folders = {folder_of(p) for p, kind in kinds.items() if kind is SourceKind.MEMORY_INDEX}
    beside = (path for path, kind in kinds.items() if kind is SourceKind.MARKDOWN)
    return kinds | {p: SourceKind.MEMORY_TOPIC for p in beside if folder_of(p) in folders}


def folder_of(path: str) -> str:
    """The folder part of a path, with slashes."""
    return path.replace("\\", "/").rpartition("/")[0]


@lru_cache(maxsize=256)
def base_of(path: str) -> str:
    """Return the folder that a file is about, such as `web` for `web/.cursor/rules/a.mdc`.

    It is empty for the whole project, and for documents that no client reads by their place.
    """
    if recognise(path) not in {SourceKind.SKILL, *_INSTRUCTIONS.values()} or _OUTSIDE.match(path):
        return ""
    return _OF_TOOLS.split(folder_of(path), maxsplit=1)[0]


def reach_of(path: str, globs: Sequence[str]) -> tuple[str, ...]:
    """Write the globs of the files that a source applies to; none where it applies to all."""
    base = base_of(path)
    own = [one.lstrip("/") for one in globs if _SAFE.fullmatch(one)]
    if not base:
        return tuple(own)
    return tuple(f"{base}/{one}" if "/" in one else f"{base}/**/{one}" for one in own) or (
        f"{base}/**",
    )


def is_user_level(path: str) -> bool:
    """Return whether a file speaks for the user in every project rather than for one project."""
    plain = path.replace("\\", "/")
    return bool(_HOME.match(plain)) and not _AUTO_MEMORY.search(plain)


def mentions(text: str) -> tuple[str, ...]:
    """List the files that a line pulls in with `@path`, code spans left aside."""
    if "@" not in text:
        return ()
    bare = re.sub(r"`[^`]*`", "", text)
    found = (match.group(1).rstrip(".") for match in _MENTION.finditer(bare))
    return tuple(t for t in found if t[0] in "~./" or _FILE_NAME.fullmatch(t))


def read_front_matter(lines: list[str]) -> FrontMatter:
    """Read the head of a source, tolerant of values that are not YAML, such as a bare `*.ts`."""
    end = _front_matter_end(lines)
    if not end:
        return FrontMatter()
    inner = lines[1 : end - 1]
    fields = _as_yaml("\n".join(inner))
    if fields is None:
        fields = _line_by_line(inner)
    match fields:
        case {"metadata": {"type": kind}}:
            fields = {"type": kind, **fields}
    always = str(fields.get("alwaysApply")).casefold() == "true"
    always |= fields.get("trigger") == "always_on"
    return FrontMatter(
        last_line=end,
        name=_one_line(_first(fields, "name", "title")),
        description=_one_line(fields.get("description")),
        globs=_globs(_first(fields, "globs", "paths", "applyTo")),
        always=always,
        memory_type=_one_line(fields.get("type")).casefold(),
    )


def _first(fields: Mapping[str, object], *names: str) -> object:
    """Return the first of some fields that says anything."""
    return next((fields[name] for name in names if fields.get(name)), None)


def _front_matter_end(lines: list[str]) -> int:
    if not _FENCE.fullmatch(lines[0]):
        return 0
    size = 0
    for number, line in enumerate(lines[1:], start=2):
        if _FENCE_END.fullmatch(line):
            known = any(_KNOWN_KEY.match(inner) for inner in lines[1 : number - 1])
            return number if known else 0
        size += len(line.encode("utf-8", "surrogatepass")) + 1
        if size > FRONT_MATTER_BYTES or not _YAML_LINE.match(line):
            return 0
    return 0


def _as_yaml(text: str) -> Mapping[str, object] | None:
    try:
        depth = 0
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > _YAML_DEPTH or getattr(event, "anchor", None):
                return None
        loaded = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError):
        return None
    return {str(key): value for key, value in loaded.items()} if isinstance(loaded, dict) else None


def _line_by_line(lines: list[str]) -> Mapping[str, object]:
    fields: dict[str, object] = {}
    key = ""
    for line in lines:
        if match := re.match(r"([\w.-]+)[ \t]*:(.*)", line):
            key = match.group(1)
            fields[key] = match.group(2).strip().strip("'\"")
        elif key and (item := line.strip().removeprefix("- ").strip().strip("'\"")):
            fields[key] = f"{fields[key]},{item}".removeprefix(",")
    return fields


def _one_line(value: object) -> str:
    return " ".join(str(value).split()) if isinstance(value, str) else ""


def _globs(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        # A comma inside braces belongs to the pattern: `*.{ts,tsx}`.
        value = re.split(r",(?![^{]*\})", value.strip().strip("[]"))
    if not isinstance(value, list):
        return ()
    cleaned = (str(part).strip().strip("'\"") for part in value)
    return tuple(dict.fromkeys(part for part in cleaned if part))
