"""Justfiles: written, line by line, as the makefile that runs the same."""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING

from dmm.rules.commands.makefiles import recipes_of
from dmm.rules.commands.runs import SHELL, language_in
from dmm.rules.commands.wordlists import names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Include = Callable[[str], str | None]

_VALUED = names(
    "-f --justfile -d --working-directory --set --shell --shell-arg --dotenv-path --color"
)
_LOOKS = names(
    """-l --list --summary -s --show --dump --fmt -n --dry-run --version -V -h --help --init
    -e --edit --variables --choose --completions --man --groups"""
)
_ASSIGNMENT = r"(?:export\s+)?([A-Za-z_][\w-]*)\s*:=\s*(?:'([^']*)'|\"([^\"\\]*)\"|`([^`]+)`)\s*"
_PARAMETER = r"[*+$]*([\w-]+)(?:=(?:'([^']*)'|\"([^\"]*)\"|([^\s:'\"]+)))?"
_HEADER = (
    r"@?([A-Za-z_][\w-]*)((?:\s+[*+$]*[\w-]+(?:=(?:'[^']*'|\"[^\"]*\"|[^\s:'\"]+))?)*)"
    r"\s*:(?!=)(.*)"
)
_IMPORT = r"import\??\s+['\"]([^'\"]+)['\"]"
_ALIAS = r"alias\s+([\w-]+)\s*:=\s*([\w-]+)"
_MAX_LINES = 4_000


class _Justfile:
    """A justfile as a makefile, with the parameters of its recipes and their defaults."""

    def __init__(self, text: str) -> None:
        self.parameters: dict[str, list[tuple[str, str]]] = {}
        self.aliases: dict[str, str] = {}
        lines = text.split("\n")[:_MAX_LINES]
        self.text = "\n".join(
            self._body(lines, at) if line[:1] in (" ", "\t") else self._defined(line)
            for at, line in enumerate(lines)
        )

    def _defined(self, line: str) -> str:
        if imported := re.match(_IMPORT, line):
            return f"include {imported[1]}"
        if alias := re.match(_ALIAS, line):
            self.aliases[alias[1]] = alias[2]
            return f"{alias[1]}: {alias[2]}"
        if assigned := re.fullmatch(_ASSIGNMENT, line):
            name, single, double, command = assigned.groups()
            return f"{name} != {command}" if command else f"{name} = {single or double or ''}"
        header = re.fullmatch(_HEADER, line.rstrip())
        if not header:
            return ""
        self.parameters[header[1]] = [
            (name, single or double or bare)
            for name, single, double, bare in re.findall(_PARAMETER, header[2])
        ]
        needs = re.findall(r"[A-Za-z_][\w-]*", re.sub(r"'[^']*'|\"[^\"]*\"|#.*", "", header[3]))
        return f"{header[1]}: {' '.join(needs)}"

    @staticmethod
    def _body(lines: Sequence[str], at: int) -> str:
        """Write a line of a recipe; code of another language as the commands that it runs."""
        text = lines[at].strip()
        begins = at == 0 or lines[at - 1][:1] not in (" ", "\t")
        if begins and text.startswith("#!") and language_in(text) != SHELL:
            stop = next((end for end in range(at, len(lines)) if lines[end][:1].strip()), None)
            text = "; ".join(_of_code(language_in(text), "\n".join(lines[at:stop])))
        plain = text.replace("$", "$$")
        return "\t" + re.sub(r"\{\{\s*([\w-]+)\s*\}\}", r"$(\1)", plain) if text else ""

    def called(self, words: Sequence[str]) -> list[str]:
        """Write the words of `just` as those of `make`; parameters become variables."""
        operands = _operands(words)
        places = reversed(list(enumerate(operands)))
        known = {self.aliases.get(one, one): at for at, one in places}
        found = list(operands)
        for name, parameters in self.parameters.items():
            given = operands[known[name] + 1 :] if name in known else []
            for at, (parameter, default) in enumerate(parameters):
                last = at == len(parameters) - 1
                value = " ".join(given[at:] if last else given[at : at + 1]) or default
                found += [f"{parameter}={value}"] if value else []
        return found


def _of_code(language: str, script: str) -> Iterator[str]:
    from dmm.rules.commands.inline import inline_runs

    for one in inline_runs(language, re.sub(r"(?m)^\s*\n?", "", script)):
        yield shlex.join(one.argv) if one.argv else one.text


def _operands(words: Sequence[str]) -> list[str]:
    skipped = {at + 1 for at, word in enumerate(words) if word in _VALUED}
    return [word for at, word in enumerate(words) if at not in skipped and not word.startswith("-")]


def just_recipes(text: str, words: Sequence[str], include: Include) -> list[tuple[str, int]]:
    """Return the shell lines that `just` would run, each with its line in the justfile."""
    if not _LOOKS.isdisjoint(words):
        return []

    def included(name: str) -> str:
        return _Justfile(include(name) or "").text

    made = _Justfile(text)
    return [one for one in recipes_of(made.text, made.called(words), included) if one[0]]
