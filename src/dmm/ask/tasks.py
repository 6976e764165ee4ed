"""What a repository declares to be run or set: targets, scripts, workflows, sample settings."""

from __future__ import annotations

import json
import re
import tomllib
from itertools import islice, takewhile
from typing import TYPE_CHECKING

import yaml

from dmm.ask.guides import LONGEST_LINE, LONGEST_SAID, MOST_COMMANDS, MOST_LINES, Instruction
from dmm.ask.plain_yaml import Text, read_yaml
from dmm.rules.commands.carriers import MANAGERS
from dmm.rules.commands.projectfiles import can_drop_run

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    Reader = Callable[[str, Sequence[str], Collection[str]], Iterator[Instruction]]

MOST_TASKS = 200
# A manifest with longer lines, or longer in all, was not written by hand.
LONGEST_VALUE, LONGEST_FILE = 5_000, 200_000
# The text that follows the first line of a script says what it is for.
MOST_OF_SCRIPT = 12
_TARGET = re.compile(r"([A-Za-z][\w./-]*(?: +[A-Za-z][\w./-]*)*) *::?(?![=:])(.*)")
_RECIPE = re.compile(r"@?([A-Za-z_][\w-]*)(?: [^:#]*)?:(?!=)(.*)")
# A variable that a target sets for itself.
_SETS = re.compile(r"\s*(?:export\s+)?\w+\s*[:?+]?=")
_BESIDE = re.compile(r"(?:^|\s)#+\s*(.*)$")
_COMMENT = re.compile(r"\s*#+(?!!)\s?(.*)$")
_SHELL = re.compile(r"#!.*\b(?:sh|bash|zsh|python3?|node|ruby|perl|php|elixir|deno|bun)\b")
_VARIABLE = re.compile(r"\s*#?\s?(?:export )?([A-Z][A-Z0-9_]+=\S*)")
_ALIAS = re.compile(r"""\s*"?([a-z][\w.]*)"?(?::|\s*=>)\s*\[(.*)""")
# Which program runs the scripts of a package.json, by the file beside it.
_LOCKS = {
    "pnpm-lock.yaml": "pnpm",
    "pnpm-workspace.yaml": "pnpm",
    "yarn.lock": "yarn",
    ".yarnrc.yml": "yarn",
    "bun.lock": "bun",
    "bunfig.toml": "bun",
    "package-lock.json": "npm",
    "npm-shrinkwrap.json": "npm",
}
# What npm runs by itself, around a command.
_AROUND = frozenset(
    ["prepare", "preinstall", "postinstall", "prepublish", "prepublishOnly", "prepack", "postpack"]
)


def is_declaring(path: str) -> bool:
    """Return whether the name of a file says that it declares what can be run or set."""
    return _find_reader(path) is not None


def read_tasks(path: str, lines: Sequence[str], files: Collection[str]) -> list[Instruction]:
    """Read what a file declares; one that can't be read declares nothing."""
    reader = _find_reader(path)
    if reader is None or sum(map(len, lines)) > LONGEST_FILE:
        return []
    if any(len(one) > LONGEST_VALUE for one in lines):
        return []
    try:
        return [*islice(reader(path, lines[:MOST_LINES], files), MOST_TASKS)]
    except (ValueError, RecursionError, AttributeError, TypeError, yaml.YAMLError):
        return []


def _find_reader(path: str) -> Reader | None:
    return next((reader for pattern, reader in _READERS if pattern.search(path)), None)


def _task(path: str, line: int, run: str, said: object = "", does: object = "") -> Instruction:
    """Make the instruction of a task; without words of its own it is explained by what it does."""
    folder = path.rpartition("/")[0]
    words = " ".join(_text(said).split()).strip(" #-=")
    words = (words or " ".join(_text(does).split()))[:LONGEST_SAID]
    return Instruction(
        path, line, line, (folder,) if folder else (), words, (run,), is_declared=True
    )


def _read_make(path: str, lines: Sequence[str], _: Collection[str]) -> Iterator[Instruction]:
    yield from _read_targets(path, lines, _TARGET, "make")


def _read_just(path: str, lines: Sequence[str], _: Collection[str]) -> Iterator[Instruction]:
    yield from _read_targets(path, lines, _RECIPE, "just")


def _read_targets(
    path: str, lines: Sequence[str], pattern: re.Pattern[str], program: str
) -> Iterator[Instruction]:
    """Yield targets with the comment above or beside them, else with their first command."""
    above: list[str] = []
    for at, line in enumerate(lines):
        if comment := _COMMENT.match(line):
            above.append(comment[1])
            continue
        found = pattern.match(line[:LONGEST_LINE])
        if found and not _SETS.match(found[2]):
            beside = _BESIDE.search(found[2])
            body = takewhile(lambda one: one[:1] in ("\t", " "), lines[at + 1 :])
            recipe = (one.strip().lstrip("@-+") for one in body)
            does = next((one for one in recipe if one and not one.startswith(("#", "echo"))), "")
            said = beside[1] if beside else " ".join(above)
            for name in found[1].split():
                yield _task(path, at + 1, f"{program} {name}", said, does)
        if not line.startswith((".PHONY", "[")):
            above = []


def _read_package(path: str, lines: Sequence[str], files: Collection[str]) -> Iterator[Instruction]:
    told = json.loads("\n".join(lines))
    named = _text(told.get("packageManager")).partition("@")[0]
    program = named if named in MANAGERS else _find_lock(path, files)
    scripts = told.get("scripts", {})
    for name, words in scripts.items():
        base = name.removeprefix("pre") if name.startswith("pre") else name.removeprefix("post")
        if name not in _AROUND and (base == name or base not in scripts):
            is_bare = program != "bun" and can_drop_run(program, ("run", name))
            run = f"{program} {name}" if is_bare else f"{program} run {name}"
            yield _task(path, _line_of(lines, "scripts", name), run, does=words)


def _find_lock(path: str, files: Collection[str]) -> str:
    """Find the program of the nearest lock file, in the folder of a package or above."""
    folder = path
    while folder:
        folder = folder.rpartition("/")[0]
        inside = f"{folder}/" if folder else ""
        if named := next((one for lock, one in _LOCKS.items() if inside + lock in files), ""):
            return named
    return "npm"


def _read_composer(path: str, lines: Sequence[str], _: Collection[str]) -> Iterator[Instruction]:
    told = json.loads("\n".join(lines))
    said = told.get("scripts-descriptions", {})
    for name, words in told.get("scripts", {}).items():
        if not name.startswith(("pre-", "post-")):
            does = words if isinstance(words, str) else "; ".join(map(_text, words))
            line = _line_of(lines, "scripts", name)
            yield _task(path, line, f"composer {name}", said.get(name), does)


def _read_pyproject(path: str, lines: Sequence[str], _: Collection[str]) -> Iterator[Instruction]:
    tool = tomllib.loads("\n".join(lines)).get("tool", {})
    envs = tool.get("hatch", {}).get("envs", {})
    tables = [
        ("poe ", "tool.poe", tool.get("poe", {}).get("tasks", {})),
        ("pdm run ", "tool.pdm", tool.get("pdm", {}).get("scripts", {})),
        ("task ", "tool.taskipy", tool.get("taskipy", {}).get("tasks", {})),
        *(
            (f"hatch run {env}:".replace(" default:", " "), f"envs.{env}", one.get("scripts", {}))
            for env, one in envs.items()
        ),
    ]
    for program, table, tasks in tables:
        for name, told in tasks.items():
            named = told if isinstance(told, dict) else {"cmd": told}
            does = named.get("cmd") or named.get("shell") or ""
            line = _line_of(lines, table, name)
            yield _task(path, line, f"{program}{name}", named.get("help"), does)


def _read_mix(path: str, lines: Sequence[str], _: Collection[str]) -> Iterator[Instruction]:
    """Yield the aliases of a project of Elixir."""
    begins = next((at for at, line in enumerate(lines) if "defp aliases" in line), len(lines))
    body = takewhile(lambda one: one.strip() != "end", lines[begins:])
    for at, line in enumerate(body, begins + 1):
        if found := _ALIAS.match(line):
            yield _task(path, at, f"mix {found[1]}", does=found[2].rstrip("], "))


def _read_taskfile(path: str, lines: Sequence[str], _: Collection[str]) -> Iterator[Instruction]:
    for name, told in read_yaml("\n".join(lines)).get("tasks", {}).items():
        named = told if isinstance(told, dict) else {}
        said = named.get("desc") or named.get("summary")
        yield _task(path, name.line, f"task {name}", said)


def _read_workflow(path: str, lines: Sequence[str], _: Collection[str]) -> Iterator[Instruction]:
    told = read_yaml("\n".join(lines))
    for key, job in told.get("jobs", {}).items():
        titles = tuple(filter(None, map(_text, (told.get("name"), job.get("name") or key))))
        for step in job.get("steps", ()):
            run = step.get("run")
            written = enumerate(map(str.strip, _text(run).split("\n")))
            commands = {at: one for at, one in written if one and not one.startswith("#")}
            if isinstance(run, Text) and commands:
                # A block begins on the line below its mark.
                line = run.line + run.is_block + min(commands)
                said = _text(step.get("name"))[:LONGEST_SAID]
                shown = tuple(commands.values())[:MOST_COMMANDS]
                yield Instruction(path, line, line, titles, said, shown)


def _read_settings(path: str, lines: Sequence[str], _: Collection[str]) -> Iterator[Instruction]:
    """Yield the variables of a sample of settings, with the comment above each."""
    above: list[str] = []
    for at, line in enumerate(lines, 1):
        if variable := _VARIABLE.match(line[:LONGEST_LINE]):
            said = " ".join(above)[:LONGEST_SAID]
            yield Instruction(path, at - len(above), at, (), said, (variable[1],), is_declared=True)
            above = []
        elif found := _COMMENT.match(line):
            above.append(found[1])
        else:
            above = []


def _read_script(path: str, lines: Sequence[str], _: Collection[str]) -> Iterator[Instruction]:
    """Yield a script that can be run, with the comment that it begins with."""
    if lines and _SHELL.match(lines[0]):
        comments = map(_COMMENT.match, lines[1:MOST_OF_SCRIPT])
        said = " ".join(" ".join(one[1] for one in comments if one).split())
        yield Instruction(path, 1, 1, (), said[:LONGEST_SAID], (f"./{path}",), is_declared=True)


def _text(value: object) -> str:
    """Return a text as it is; what is none says nothing."""
    return str(value) if isinstance(value, str) else ""


def _line_of(lines: Sequence[str], table: str, name: str) -> int:
    """Find the line of a key below that of its table."""
    begins = next((at for at, one in enumerate(lines) if table in one), 0)
    key = re.compile(rf"(?:^\s*|[\"'{{,\s]){re.escape(name)}[\"']?\s*[:=]")
    return next((at + 1 for at in range(begins, len(lines)) if key.search(lines[at])), begins + 1)


_READERS: tuple[tuple[re.Pattern[str], Reader], ...] = (
    (re.compile(r"(?:^|/)(?:GNU)?makefile$|\.mk$", re.IGNORECASE), _read_make),
    (re.compile(r"(?:^|/)\.?justfile$", re.IGNORECASE), _read_just),
    (re.compile(r"(?:^|/)Taskfile\.ya?ml$", re.IGNORECASE), _read_taskfile),
    (re.compile(r"(?:^|/)package\.json$"), _read_package),
    (re.compile(r"(?:^|/)composer\.json$"), _read_composer),
    (re.compile(r"(?:^|/)pyproject\.toml$"), _read_pyproject),
    (re.compile(r"(?:^|/)mix\.exs$"), _read_mix),
    (re.compile(r"^\.(?:github|gitea|forgejo)/workflows/[^/]+\.ya?ml$"), _read_workflow),
    (re.compile(r"(?:^|/)[\w.-]*\.env\.(?:example|sample|template|dist)$"), _read_settings),
    (re.compile(r"(?:^|/)(?:(?:bin|scripts?)/[^/.]+|[^/]+\.sh)$"), _read_script),
)
