"""Commands and descriptions that a project's manifests declare."""

from __future__ import annotations

import json
import re
import tomllib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MOST_COMMANDS = 12
_CONSOLE = re.compile(r"^\s*[\"']?([\w.-]+)\s*=\s*([\w.]+:\w+)", re.MULTILINE)
_DESCRIPTION = re.compile(r"^\s*[\"']?description[\"']?\s*[=:]\s*[\"']\S")
_TESTED = re.compile(
    r"^\s*(?:\[tool\.pytest|\[tool:pytest\]|\[pytest\]|\"test(?::\w+)?\"\s*:|tests?\s*:(?!=))"
)
_MODULE = re.compile(r"^module\s+(?:\S*/)?(?!v\d+\s*$)([\w.-]+?)(?:/v\d+)?\s*$", re.MULTILINE)
_CALLED = re.compile(r"\bname\s*=\s*[\"']?([\w.-]+)")
# Endings that a monorepo adds to the name of its product.
_WHOLE = re.compile(r"[-_](?:monorepo|root|workspace)$")
_TABLES = ("project", "package", "poetry")
_SAID = re.compile(r"[=:]\s*([\"'])(.*?)(?<!\\)\1")
_START = re.compile(r'"start"\s*:\s*(?=")')


@dataclass(frozen=True, slots=True)
class Command:
    """A command that a manifest declares: a function of a module, or a file."""

    name: str
    module: str = ""
    function: str = ""
    file: str = ""


@dataclass(frozen=True, slots=True)
class Start:
    """How a package is started: the words of its script, and their line."""

    words: str
    line: int


def find_start(path: str, lines: Sequence[str]) -> Start | None:
    """Find the script that starts a package of JavaScript; None where it can't be read."""
    if path.rpartition("/")[2] != "package.json":
        return None
    text = "\n".join(lines)
    try:
        words = json.loads(text).get("scripts", {}).get("start")
        if not isinstance(words, str) or not words.strip():
            return None
        read = json.JSONDecoder().raw_decode
        keys = (one for one in _START.finditer(text) if read(text, one.end())[0] == words)
        return Start(words, text.count("\n", 0, next(keys).end()) + 1)
    except (ValueError, RecursionError, AttributeError, StopIteration):
        return None


def read_commands(path: str, lines: Sequence[str]) -> list[Command]:
    """Read the commands that a manifest declares; one that can't be read declares none."""
    name, text = path.rpartition("/")[2], "\n".join(lines)
    try:
        if name.endswith(".toml"):
            found = _from_toml(tomllib.loads(text), cargo=name == "Cargo.toml")
        elif name == "package.json":
            found = _from_package(json.loads(text))
        else:
            _, _, told = text.partition("console_scripts")
            found = (_python(*one) for one in _CONSOLE.findall(told))
        return list(found)[:MOST_COMMANDS]
    except (ValueError, RecursionError, AttributeError):
        return []


def _from_toml(told: Any, *, cargo: bool) -> Iterator[Command]:
    if cargo:
        for one in told.get("bin", ()):
            yield Command(str(one.get("name", "")), file=str(one.get("path", "src/main.rs")))
        return
    poetry = told.get("tool", {}).get("poetry", {}).get("scripts", {})
    for name, target in {**poetry, **told.get("project", {}).get("scripts", {})}.items():
        if isinstance(target, str):
            yield _python(name, target)


def _from_package(told: Any) -> Iterator[Command]:
    given = told.get("bin") or {}
    named = {str(told.get("name", "")): given} if isinstance(given, str) else given
    for name, file in named.items():
        yield Command(str(name), file=str(file).removeprefix("./"))


def _python(name: str, target: str) -> Command:
    module, _, function = target.partition(":")
    return Command(name, module.strip(), function.strip().partition(".")[0])


def resolve(command: Command, manifest: str, paths: Iterable[str]) -> str | None:
    """Find the file of a command among those of the repository, near its manifest first."""
    base = manifest.rpartition("/")[0]
    if command.file:
        wanted = f"{base}/{command.file}" if base else command.file
        return wanted if wanted in set(paths) else None
    stem = command.module.replace(".", "/")
    fitting = [
        path
        for path in paths
        for end in (f"{stem}.py", f"{stem}/__init__.py")
        if path == end or path.endswith(f"/{end}")
    ]
    return min(fitting, key=lambda path: (not path.startswith(base), len(path), path), default=None)


def find_name(path: str, lines: Sequence[str]) -> str:
    """Find the name that a manifest gives the project, in lower case; empty where it has none."""
    kind, text = path.rpartition("/")[2], "\n".join(lines)
    try:
        if kind.endswith(".toml"):
            told = tomllib.loads(text)
            tables = (told, told.get("tool", {}))
            named = (one.get(name, {}).get("name") for one in tables for name in _TABLES)
            found = next(filter(None, named), "")
        elif kind == "package.json":
            found = json.loads(text).get("name", "")
        else:
            read = (_MODULE if kind == "go.mod" else _CALLED).search(text)
            found = read[1] if read else ""
    except (ValueError, RecursionError, AttributeError):
        return ""
    return _WHOLE.sub("", str(found).rpartition("/")[2].casefold())


def read_description(line: str) -> str:
    """Return the words of a description on one line of a manifest."""
    found = _SAID.search(line)
    return "" if found is None else found[2].strip()


def find_description(lines: Sequence[str]) -> int | None:
    """Find the line of a manifest that says what the project is, from 1."""
    return next((at for at, line in enumerate(lines, 1) if _DESCRIPTION.match(line)), None)


def find_test_command(lines: Sequence[str]) -> int | None:
    """Find the line that says how tests are run, from 1."""
    return next((at for at, line in enumerate(lines, 1) if _TESTED.match(line)), None)
