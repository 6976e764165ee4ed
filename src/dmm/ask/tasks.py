"""What a repository declares to be run or set: targets, scripts, workflows, sample settings."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

import yaml

from dmm.ask.guides import LONGEST_SAID, MOST_COMMANDS, Instruction

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence

    Reader = Callable[[str, Sequence[str], Collection[str]], Iterator[Instruction]]

MOST_TASKS = 200
# The text that follows the first line of a script says what it is for.
MOST_OF_SCRIPT = 12
# A target says what it does by the first of its commands.
MOST_OF_RECIPE = 4
_TARGET = re.compile(r"([A-Za-z][\w./-]*)(?:\s+[A-Za-z][\w./ -]*)?\s*:(?![=:])")
_RECIPE = re.compile(r"@?([A-Za-z_][\w-]*)(?:\s+[^:#]*)?:(?!=)")
_BESIDE = re.compile(r"\s#+\s*(.*)$")
_COMMENT = re.compile(r"\s*#+(?!!)\s?(.*)$")
_SHELL = re.compile(r"#!.*\b(?:sh|bash|zsh|python3?|node|ruby|perl|php|elixir|deno|bun)\b")
_VARIABLE = re.compile(r"\s*#?\s?(?:export )?([A-Z][A-Z0-9_]+=\S*)")
_ALIAS = re.compile(r"""\s*"?([a-z][\w.]*)"?(?::|\s*=>)\s*\[(.*)""")
# Which program runs the scripts of a package.json, by the file beside it.
_LOCKS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lockb": "bun", "bun.lock": "bun"}
_RUNS_BARE = frozenset(("pnpm", "yarn", "bun"))
_NPM_OWN = frozenset(("test", "start", "stop", "restart"))


def is_declaring(path: str) -> bool:
    """Return whether the name of a file says that it declares what can be run or set."""
    return _find_reader(path) is not None


def read_tasks(path: str, lines: Sequence[str], files: Collection[str]) -> list[Instruction]:
    """Read what a file declares; one that can't be read declares nothing."""
    reader = _find_reader(path)
    try:
        return [] if reader is None else [*reader(path, lines, files)][:MOST_TASKS]
    except (ValueError, RecursionError, AttributeError, TypeError, yaml.YAMLError):
        return []


def _find_reader(path: str) -> Reader | None:
    return next((reader for pattern, reader in _READERS if pattern.search(path)), None)


def _task(path: str, line: int, run: str, said: object = "", does: object = "") -> Instruction:
    """Make the instruction of a task; without words of its own it is explained by what it does."""
    folder = path.rpartition("/")[0]
    words = " ".join(str(said or "").split()).strip(" #-=")
    words = (words or " ".join(str(does).split()))[:LONGEST_SAID]
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
    """Yield targets with the comment above or beside them."""
    above: list[str] = []
    for at, line in enumerate(lines):
        if comment := _COMMENT.match(line):
            above.append(comment[1])
            continue
        if found := pattern.match(line):
            beside = _BESIDE.search(line)
            recipe = (one.strip().lstrip("@-+") for one in lines[at + 1 : at + MOST_OF_RECIPE])
            does = next((one for one in recipe if one and not one.startswith(("#", "echo"))), "")
            is_own = lines[at + 1 : at + 2] and lines[at + 1][:1] in ("\t", " ")
            said = beside[1] if beside else " ".join(above)
            yield _task(path, at + 1, f"{program} {found[1]}", said, does if is_own else "")
        if not line.startswith((".PHONY", "[")):
            above = []


def _read_package(path: str, lines: Sequence[str], files: Collection[str]) -> Iterator[Instruction]:
    told = json.loads("\n".join(lines))
    program = str(told.get("packageManager", "")).partition("@")[0] or _find_lock(path, files)
    for name, words in told.get("scripts", {}).items():
        if not name.startswith(("pre", "post", "//")):
            is_bare = program in _RUNS_BARE or name in _NPM_OWN
            run = f"{program} {name}" if is_bare else f"{program} run {name}"
            yield _task(path, _line_of(lines, name, words), run, does=words)


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
            does = words if isinstance(words, str) else "; ".join(map(str, words))
            line = _line_of(lines, name)
            yield _task(path, line, f"composer {name}", said.get(name), does)


def _read_pyproject(path: str, lines: Sequence[str], _: Collection[str]) -> Iterator[Instruction]:
    tool = tomllib.loads("\n".join(lines)).get("tool", {})
    envs = tool.get("hatch", {}).get("envs", {})
    tables = [
        ("poe ", tool.get("poe", {}).get("tasks", {})),
        ("pdm run ", tool.get("pdm", {}).get("scripts", {})),
        ("task ", tool.get("taskipy", {}).get("tasks", {})),
        *(
            (f"hatch run {env}:".replace(" default:", " "), one.get("scripts", {}))
            for env, one in envs.items()
        ),
    ]
    for program, table in tables:
        for name, told in table.items():
            named = told if isinstance(told, dict) else {"cmd": told}
            does = named.get("cmd") or named.get("shell") or ""
            line = _line_of(lines, name)
            yield _task(path, line, f"{program}{name}", named.get("help"), does)


def _read_mix(path: str, lines: Sequence[str], _: Collection[str]) -> Iterator[Instruction]:
    """Yield the aliases of a project of Elixir."""
    begins = next((at for at, line in enumerate(lines) if "defp aliases" in line), len(lines))
    for at, line in enumerate(lines[begins:], begins + 1):
        if found := _ALIAS.match(line):
            yield _task(path, at, f"mix {found[1]}", does=found[2].rstrip("], "))


def _read_taskfile(path: str, lines: Sequence[str], _: Collection[str]) -> Iterator[Instruction]:
    for name, told in _load(lines).get("tasks", {}).items():
        named = told if isinstance(told, dict) else {}
        said = named.get("desc") or named.get("summary")
        yield _task(path, _line_of(lines, f"{name}:"), f"task {name}", said)


def _read_workflow(path: str, lines: Sequence[str], _: Collection[str]) -> Iterator[Instruction]:
    told = _load(lines)
    for key, job in told.get("jobs", {}).items():
        titles = tuple(str(one) for one in (told.get("name"), job.get("name") or key) if one)
        for step in job.get("steps", ()):
            written = map(str.strip, str(step.get("run") or "").split("\n"))
            commands = [one for one in written if one and not one.startswith("#")]
            if commands:
                line = _line_of(lines, commands[0])
                said = str(step.get("name") or "")[:LONGEST_SAID]
                yield Instruction(path, line, line, titles, said, tuple(commands[:MOST_COMMANDS]))


def _read_settings(path: str, lines: Sequence[str], _: Collection[str]) -> Iterator[Instruction]:
    """Yield the variables of a sample of settings, with the comment above each."""
    above: list[str] = []
    for at, line in enumerate(lines, 1):
        if variable := _VARIABLE.match(line):
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


def _load(lines: Sequence[str]) -> Any:
    return yaml.load("\n".join(lines), _LOADER)  # noqa: S506 the safe loader, in C where there is one


def _line_of(lines: Sequence[str], name: str, words: object = "") -> int:
    """Find the line of a name, with what it stands for behind it if that is given."""
    held = json.dumps(words)[1:9] if words else ""
    return next((at for at, one in enumerate(lines, 1) if name in one and held in one), 1)


_LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
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
