"""Justfiles: the recipes that `just` is asked for and those that they depend on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dmm.rules.commands.runs import SHELL, language_in
from dmm.rules.commands.wordlists import names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Include = Callable[[str], str | None]
    Numbered = tuple[str, int]

_VALUED = names(
    "-f --justfile -d --working-directory --set --shell --shell-arg --dotenv-path --color"
)
_LOOKS = names(
    """-l --list --summary -s --show --dump --fmt -n --dry-run --version -V -h --help --init
    -e --edit --variables --choose --completions --man --groups"""
)
_ASSIGNMENT = r"(?:export\s+)?([A-Za-z_][\w-]*)\s*:=\s*(.*)"
_PARAMETER = r"[*+$]*([\w-]+)(?:=(?:'([^']*)'|\"([^\"]*)\"|([^\s:'\"]+)))?"
_HEADER = (
    r"@?([A-Za-z_][\w-]*)((?:\s+[*+$]*[\w-]+(?:=(?:'[^']*'|\"[^\"]*\"|[^\s:'\"]+))?)*)"
    r"\s*:(?!=)(.*)"
)
_MAX_LINES = 4_000
_MAX_RECIPES = 60
_MAX_IMPORTS = 3


class _Recipe(NamedTuple):
    """A recipe: its parameters with their defaults, what it depends on, and its lines."""

    parameters: list[tuple[str, str]]
    needs: list[str]
    lines: list[Numbered]


class _Justfile:
    """What a justfile defines; `at_once` are the commands between backticks."""

    def __init__(self) -> None:
        self.variables: dict[str, str] = {}
        self.aliases: dict[str, str] = {}
        self.recipes: dict[str, _Recipe] = {}
        self.at_once: list[Numbered] = []

    def read(self, text: str, include: Include, within: int = 0, depth: int = 0) -> None:
        """Take a justfile in; the lines of an imported one count as the line that imports it."""
        current: _Recipe | None = None
        for number, line in enumerate(text.split("\n")[:_MAX_LINES], 1):
            if line[:1] in (" ", "\t"):
                if current is not None and line.strip():
                    current.lines.append((line.strip(), within or number))
                continue
            imported = re.match(r"import\??\s+['\"]([^'\"]+)['\"]", line)
            if imported and depth < _MAX_IMPORTS:
                self.read(include(imported[1]) or "", include, within or number, depth + 1)
            elif line.strip():
                current = self._define(line, within or number)

    def _define(self, line: str, number: int) -> _Recipe | None:
        alias = re.match(r"alias\s+([\w-]+)\s*:=\s*([\w-]+)", line)
        if alias:
            self.aliases[alias[1]] = alias[2]
            return None
        assigned = re.match(_ASSIGNMENT, line)
        if assigned:
            value = assigned[2].strip()
            self.at_once += [(command, number) for command in re.findall(r"`([^`]+)`", value)]
            plain = re.fullmatch(r"'([^']*)'|\"([^\"\\]*)\"", value)
            if plain:
                self.variables[assigned[1]] = plain[1] or plain[2] or ""
            return None
        header = re.fullmatch(_HEADER, line.rstrip())
        if not header:
            return None
        parameters = [
            (name, single or double or bare)
            for name, single, double, bare in re.findall(_PARAMETER, header[2])
        ]
        needs = re.findall(r"[A-Za-z_][\w-]*", re.sub(r"'[^']*'|\"[^\"]*\"|#.*", "", header[3]))
        recipe = _Recipe(parameters, needs, [])
        self.recipes[header[1]] = recipe
        return recipe

    def wanted(self, operands: Sequence[str]) -> list[tuple[_Recipe, Sequence[str]]]:
        """Follow the recipes that are asked for to all that they need, each with its arguments."""
        queue: list[tuple[str, Sequence[str]]] = [
            (name, operands[at + 1 :]) for at, name in enumerate(operands)
        ]
        queue = queue or [(name, ()) for name in list(self.recipes)[:1]]
        found: dict[str, tuple[_Recipe, Sequence[str]]] = {}
        while queue and len(found) < _MAX_RECIPES:
            name, arguments = queue.pop(0)
            name = self.aliases.get(name, name)
            recipe = self.recipes.get(name)
            if recipe is not None and name not in found:
                found[name] = (recipe, arguments)
                queue += [(need, ()) for need in recipe.needs]
        return list(found.values())

    def commands(self, recipe: _Recipe, arguments: Sequence[str]) -> list[Numbered]:
        """Write the lines of a recipe out with the values of its parameters."""
        values = dict(self.variables)
        for at, (name, default) in enumerate(recipe.parameters):
            last = at == len(recipe.parameters) - 1
            given = " ".join(arguments[at:] if last else arguments[at : at + 1])
            values[name] = given or default

        def value(match: re.Match[str]) -> str:
            name = match[1].strip()
            return values.get(name) or f"${{{re.sub(r'[^A-Za-z0-9_]', '_', name) or '_'}}}"

        lines = [(re.sub(r"\{\{([^}]*)\}\}", value, text), number) for text, number in recipe.lines]
        script = "\n".join(text for text, _ in lines)
        language = language_in(script)
        if language != SHELL:
            return _of_code(language, script, lines[0][1])
        return [(text.lstrip("@-"), number) for text, number in lines]


def _of_code(language: str, script: str, number: int) -> list[Numbered]:
    import shlex

    from dmm.rules.commands.inline import inline_runs

    runs = inline_runs(language, script)
    return [(shlex.join(one.argv) if one.argv else one.text, number) for one in runs]


def just_recipes(text: str, words: Sequence[str], include: Include) -> list[Numbered]:
    """Give the shell lines that `just` would run, each with its line in the justfile."""
    if not _LOOKS.isdisjoint(words):
        return []
    made = _Justfile()
    made.read(text, include)
    operands: list[str] = []
    at = 0
    while at < len(words):
        name, equals, value = words[at].partition("=")
        if words[at].startswith("-"):
            at += words[at] in _VALUED
        elif equals and name in made.variables:
            made.variables[name] = value
        else:
            operands.append(words[at])
        at += 1
    found = list(made.at_once)
    for recipe, arguments in made.wanted(operands):
        found += made.commands(recipe, arguments)
    return [one for one in found if one[0]]
