"""Read the files that a call runs as commands with their lines.

Everything is bounded: how many files, how deep, how long.
"""

from __future__ import annotations

import posixpath
import re
import shlex
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from dmm.rules.commands.inlineruns import PLACEHOLDER
from dmm.rules.commands.projectfiles import FOLDER_FLAGS, PROJECT_FILES, project_commands
from dmm.rules.commands.runs import SHELL, clustered, language_in, language_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.rules.commands.values import FileRun

TextOf = Callable[[str], str | None]

MAX_FILES = 16
MAX_SCRIPT = 32_000
MAX_TOTAL = 48_000


class Commands(NamedTuple):
    """The commands of a file: a shell text, and pairs of places in it and lines of the file."""

    path: str
    text: str
    lines: tuple[tuple[int, int], ...]
    directory: str = ""
    arguments: tuple[str, ...] = ()


def numbered(pieces: list[tuple[str, int]]) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Join texts, one a line, and keep the line of the file that each comes from."""
    at = 0
    lines = []
    for text, line in pieces:
        lines.append((at, line))
        at += len(text) + 1
    return "\n".join(text for text, _ in pieces), tuple(lines)


def _by_line(text: str) -> tuple[tuple[int, int], ...]:
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    return tuple((start, number) for number, start in enumerate(starts, 1))


def _inside(run: FileRun, name: str) -> str:
    return posixpath.normpath(posixpath.join(run.directory, name)) if run.directory else name


def is_readable(path: str) -> bool:
    """Whether a path names one file, as far as can be told."""
    return bool(path) and not any(mark in path for mark in "$`*?<>\n\0")


def commands_in(run: FileRun, files: TextOf) -> Iterator[Commands]:
    """Read the commands that the run of a file would start."""
    if run.language in PROJECT_FILES:
        yield from _of_project(run, files)
    elif run.language == "git":
        yield from _of_git(run, files)
    elif is_readable(run.path):
        text = files(run.path)
        if text is not None and "\0" not in text:
            found = _of_text(run, text[:MAX_SCRIPT])
            if found is not None:
                yield found


def _of_text(run: FileRun, text: str) -> Commands | None:
    language = run.language or language_in(text)
    if language == SHELL:
        return Commands(run.path, text, _by_line(text), run.directory, run.words[1:])
    if language == "crontab":
        from dmm.rules.commands.projectfiles import cron_commands

        return Commands(run.path, cron_commands(text), ((0, 1),))
    if not language_of(language) and language not in ("awk", "sed"):
        return None
    from dmm.rules.commands.inline import inline_runs

    pieces = []
    for one in inline_runs(language, text):
        if one.argv or one.text:
            words = [word if PLACEHOLDER in word else shlex.quote(word) for word in one.argv]
            pieces.append((" ".join(words) if words else one.text, one.line))
    joined, lines = numbered(pieces)
    return Commands(run.path, joined, lines, run.directory) if pieces else None


def _of_project(run: FileRun, files: TextOf) -> Iterator[Commands]:
    """Read a makefile or package.json; the first that is there counts."""
    directory = posixpath.normpath(posixpath.join(run.directory or ".", _where(run)))
    directory = "" if directory == "." else directory
    names = [posixpath.join(directory, one) for one in PROJECT_FILES[run.language]]
    for name in [run.path] if run.path else names:
        text = files(name) if is_readable(name) else None
        if text is not None:
            include = partial(_beside, files, name)
            pieces = project_commands(run.language, text[:MAX_SCRIPT], run.words, include)
            joined, lines = numbered(pieces)
            if pieces:
                yield Commands(name, joined, lines, directory)
            return


def _where(run: FileRun) -> str:
    """Return the folder that the command works in."""
    flags = FOLDER_FLAGS[run.language]
    for word, following in zip(run.words, [*run.words[1:], ""], strict=False):
        name, value = clustered(word, flags) or word.partition("=")[::2]
        if name in flags:
            return value or following
    return ""


def _beside(files: TextOf, name: str, other: str) -> str | None:
    return files(posixpath.join(posixpath.dirname(name), other))


def _of_git(run: FileRun, files: TextOf) -> Iterator[Commands]:
    """Look an alias of Git up in the settings of the repository and of the user."""
    from dmm.rules.commands.gitaliases import alias_text, aliases_in

    name, rest = run.words[0], shlex.join(run.words[1:])
    for path in (_inside(run, ".git/config"), "~/.gitconfig"):
        text = files(path)
        found = aliases_in(text[:MAX_SCRIPT]) if text and "[alias" in text else {}
        if name in found:
            text_of_alias, line = found[name]
            yield Commands(path, alias_text(name, {name: text_of_alias}, rest), ((0, line),))
            return
