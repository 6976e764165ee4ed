"""A repository's own instructions against the commands that its own documentation gives.

`python -m bench.documented PATH… [--json FILE]` takes local Git directories, with or without a work
tree. Every binding sentence of the instruction files at HEAD is compiled as an import would do it;
every command in the shell blocks of all markdown files is judged under those rules. People are told
to run these commands, so a deny is nearly always a false one.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import yaml

from dmm.importer.imperatives import find_imperatives
from dmm.importer.sources import Source
from dmm.rules.callbook import CallBook, CallEntry
from dmm.rules.commands.calls import ToolCall
from dmm.rules.english import compile_sentence
from dmm.rules.form import compile_fields
from dmm.rules.language.sentences.things import Surroundings

if TYPE_CHECKING:
    from collections.abc import Iterator

_INSTRUCTIONS = re.compile(
    r"(?:^|/)(?:CLAUDE|AGENTS|GEMINI)\.md$|(?:^|/)\.cursor/rules/|copilot-instructions\.md$"
)
_SHELL = re.compile(r"^ *```(?:bash|sh|shell|console|zsh) *\n(.*?)^ *```", re.M | re.S)
_MANAGERS = {
    "pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lock": "bun", "bun.lockb": "bun",
}  # fmt: skip
_BUILD_FILE = re.compile(r"(?:^|/)(?:package\.json|Makefile)$|^\.github/workflows/[^/]+\.ya?ml$")
_TARGET = re.compile(r"^([a-z][\w-]*):(?!=)", re.M)
_PROMPT = re.compile(r"^\s*\$ ")


@dataclass(frozen=True, slots=True)
class Denied:
    """A documented command, and the rule that denies it."""

    command: str
    rule: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one repository showed."""

    repository: str
    sentences: int
    rules: int
    commands: int
    asked: int
    # Denied until something else was done first, which the page may well tell people to do.
    waiting: tuple[Denied, ...]
    denied: tuple[Denied, ...]


def measure(path: Path) -> Outcome:
    """Judge all documented commands of a repository by its own instructions."""
    names = _git(path, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    sentences = [
        one
        for name in names
        if _INSTRUCTIONS.search(name)
        for one in find_imperatives(Source(name, _git(path, "show", f"HEAD:{name}")))
    ]
    entries = []
    for number, one in enumerate(sentences, start=1):
        known = Surroundings(folder=one.folder, heading=one.heading)
        fields = compile_sentence(one.text, known).fields
        rule = None if fields is None else compile_fields(fields, one.text, stem=f"r{number}")
        if rule is not None and rule.call is not None:
            entries.append(CallEntry(number, one.text, rule.call))
    book = CallBook(entries)
    commands = sorted(set(documented_commands(path, names)))
    levels: Counter[str] = Counter()
    waiting: list[Denied] = []
    denied: list[Denied] = []
    for command in commands:
        ruling = book.rule(ToolCall("Bash", {"command": command}))
        levels[ruling.level] += 1
        if ruling.denied:
            first = any("not done before" in step for step in ruling.trace)
            (waiting if first else denied).append(Denied(command, ruling.text))
    named = path.parent.name if path.name == "repo" else path.name
    return Outcome(
        named,
        len(sentences),
        len(entries),
        len(commands),
        levels["ask"],
        tuple(waiting),
        tuple(denied),
    )


def documented_commands(path: Path, names: list[str]) -> Iterator[str]:
    """Give the commands in the shell blocks of all markdown files at HEAD."""
    for name in names:
        if name.endswith((".md", ".mdx")):
            for block in _SHELL.findall(_git(path, "show", f"HEAD:{name}")):
                yield from _lines(block)


def named_commands(path: Path, names: list[str]) -> Iterator[str]:
    """Give the scripts, targets and CI steps that the build files at HEAD name, as commands."""
    manager = next((one for lock, one in _MANAGERS.items() if lock in names), "npm")
    for name in names:
        kind = _BUILD_FILE.search(name)
        text = _git(path, "show", f"HEAD:{name}") if kind else ""
        inside = f"cd {quote(str(Path(name).parent))} && " if "/" in name else ""
        if name.endswith("Makefile"):
            yield from (f"{inside}make {one}" for one in _TARGET.findall(text))
        elif name.endswith("package.json") and text.startswith("{"):
            with suppress(json.JSONDecodeError):  # a broken file that some test needs
                scripts = json.loads(text).get("scripts", {})
                yield from (f"{inside}{manager} run {one}" for one in scripts)
        elif kind and name.startswith("."):
            yield from (one for one in _steps(yaml.safe_load(text)) if "${{" not in one)


def _steps(value: object) -> Iterator[str]:
    """Give the `run` steps of a workflow."""
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if isinstance(value, dict) and isinstance(value.get("run"), str):
        yield value["run"].strip()
    for one in inner:
        yield from _steps(one)


def _lines(block: str) -> Iterator[str]:
    """Give the commands of a block; of a session with prompts only what is typed."""
    lines = re.sub(r"\\\n\s*", " ", block).splitlines()
    typed = [_PROMPT.sub("", line) for line in lines if _PROMPT.match(line)]
    for line in typed or lines:
        if line.strip() and not line.lstrip().startswith("#"):
            yield line.strip()


def _git(path: Path, *words: str) -> str:
    line = ["git", "-C", str(path), *words]
    return subprocess.run(line, capture_output=True, check=True).stdout.decode("utf-8", "replace")


def main() -> int:
    """Measure the given repositories; print a table, and JSON where it is asked for."""
    parser = argparse.ArgumentParser(prog="bench.documented", description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    outcomes = [measure(path) for path in given.paths]
    print(f"{'repository':34} sentences  rules  commands  asked  waiting  denied")
    for one in outcomes:
        print(
            f"{one.repository:34} {one.sentences:9} {one.rules:6} {one.commands:9} "
            f"{one.asked:6} {len(one.waiting):8} {len(one.denied):7}"
        )
        for row in (*one.waiting, *one.denied):
            print(f"    {row.command!r} by {row.rule!r}")
    if given.json is not None:
        given.json.write_text(json.dumps([asdict(one) for one in outcomes], indent=2) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
