"""Makefiles: the recipes of the targets that are asked for and of all that these need."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from dmm.rules.commands.runs import clustered, takes_next
from dmm.rules.commands.wordlists import names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Numbered = tuple[str, int]
Include = Callable[[str], str | None]

_VALUED = frozenset({"-C", "--directory", "-f", "--file", "--makefile", "-I", "-o", "-W", "--eval"})
_TELLS = names("-v --version -h --help")
# The makefile is read, and no recipe runs but for lines that begin with `+`.
_DRY = names("-n --dry-run --just-print --recon -q --question -t --touch")
_CLUSTERED = _DRY | names("-C -f -I -o -W -j -l -O")
_ASSIGNMENT = re.compile(
    r"\s*(?:(?:export|override|private)\s+)*([\w.-]+)\s*(::?:?=|[?+!]?=)\s*(.*)", re.S
)
_REFERENCE = re.compile(r"\$(?:\$|\(((?:[^()]|\([^()]*\))*)\)|\{([^{}]*)\}|(.))", re.S)
_MAX_TARGETS = 60
_MAX_LINES = 4_000
_MAX_VALUE = 4_000
_MAX_DEPTH = 8
_MAX_INCLUDED = 3
_MAX_RUN = 50
_MAX_TEXT = 48_000
_LEAST_TEXT = 1_000
# What a value refers to may refer to others in turn, and again.
_MAX_EXPANDED = 1_000_000
_STEP = 20
_CONDITIONS = names("ifeq ifneq ifdef ifndef else endif unexport vpath")


class _Rule(NamedTuple):
    """Targets with what they need, and the lines of their recipe."""

    targets: tuple[str, ...]
    needs: tuple[str, ...]
    recipe: list[Numbered]


class _Makefile:
    """What a makefile defines."""

    def __init__(self) -> None:
        self.variables: dict[str, str] = {"MAKE": "make", "CURDIR": ".", "RM": "rm -f"}
        self.rules: list[_Rule] = []
        self.at_once: list[Numbered] = []
        self.given: set[str] = set()
        self.simple: set[str] = set()
        self._ran: list[str] = []
        self._unread = _MAX_TEXT
        self._unexpanded = _MAX_EXPANDED

    def included(self, name: str, include: Include) -> str:
        """Return as much of an included file as is read; files may include each other."""
        if self._unread <= 0:
            return ""
        read = (include(name) or "")[: self._unread]
        self._unread -= max(len(read), _LEAST_TEXT)
        return read

    def ran(self) -> list[str]:
        """Return the commands that the expansions since the last time have run."""
        found, self._ran = self._ran, []
        return found

    def expand(self, text: str, automatic: dict[str, str] | None = None, depth: int = 0) -> str:
        """Put the values of variables in their places; a function runs as the shell would."""
        if "$" not in text or depth > _MAX_DEPTH or self._unexpanded <= 0:
            return text
        self._unexpanded -= len(text) + _STEP

        def value(match: re.Match[str]) -> str:
            if match[0] == "$$":
                return "$"
            name = match[1] or match[2] or match[3] or ""
            return self._value(name, automatic or {}, depth)[:_MAX_VALUE]

        return _REFERENCE.sub(value, text)[: 10 * _MAX_VALUE]

    def _value(self, name: str, automatic: dict[str, str], depth: int) -> str:
        if name in automatic:
            return automatic[name]
        function, _, rest = name.partition(" ")
        if function == "shell":
            command = self.expand(rest, automatic, depth + 1)
            if len(self._ran) < _MAX_RUN and command not in self._ran:
                self._ran.append(command)
            return f"$({command})"
        if function == "call":
            called, *arguments = [self.expand(one, automatic, depth + 1) for one in rest.split(",")]
            inner = {str(at): one.strip() for at, one in enumerate(arguments, 1)}
            return self.expand(self.variables.get(called.strip(), ""), inner, depth + 1)
        if rest and re.fullmatch(r"[a-z-]+", function):
            last = rest.rpartition(",")[2]
            # The conditions and lists of a function are expanded too.
            self.expand(rest.removesuffix(last), automatic, depth + 1)
            return self.expand(last, automatic, depth + 1)
        plain = name.partition(":")[0]
        if plain in self.variables:
            return self.expand(self.variables[plain], automatic, depth + 1)
        return f"${{{re.sub(r'[^A-Za-z0-9_]', '_', plain)}}}"


def _arguments(words: Sequence[str]) -> tuple[list[str], dict[str, str]]:
    """Sort the words of `make` into targets and variables."""
    targets: list[str] = []
    variables: dict[str, str] = {}
    at = 0
    while at < len(words):
        word = words[at]
        name, equals, value = word.partition("=")
        if word.startswith("-"):
            at += takes_next(word, _VALUED)
        elif equals:
            variables[name.rstrip(":")] = value
        else:
            targets.append(word)
        at += 1
    return targets, variables


def _logical_lines(text: str) -> Iterator[Numbered]:
    """Join the lines that a backslash continues."""
    held = ""
    first = 0
    for number, line in enumerate(text.split("\n")[:_MAX_LINES], 1):
        first = first or number
        if line.endswith("\\"):
            held += line + "\n" if line.startswith("\t") or held.startswith("\t") else line[:-1]
            continue
        yield held + line, first
        held, first = "", 0
    if held:
        yield held, first


def _read(text: str, made: _Makefile, include: Include, within: int = 0, depth: int = 0) -> None:
    """Take a makefile in; the lines of an included one count as the line that includes it."""
    current: list[Numbered] | None = None
    lines = _logical_lines(text)
    for line, number in lines:
        if line.startswith("\t") and current is not None:
            current.append((line.strip(), within or number))
            continue
        bare = line.partition("#")[0].strip()
        first = bare.partition(" ")[0]
        if first == "define":
            _define(bare, lines, made)
        elif first in ("include", "-include", "sinclude"):
            for name in made.expand(bare).split()[1 : _MAX_INCLUDED + 1]:
                other = made.included(name, include) if depth < _MAX_INCLUDED else ""
                _read(other, made, include, within or number, depth + 1)
        elif first in _CONDITIONS:
            made.expand(bare)
        elif bare:
            current = _rule_or_variable(bare, within or number, made, current)
        made.at_once += [(command, within or number) for command in made.ran()]


def _define(line: str, lines: Iterator[Numbered], made: _Makefile) -> None:
    body = []
    for text, _ in lines:
        if text.strip() == "endef":
            break
        body.append(text)
    made.variables[line.rsplit(maxsplit=1)[-1].rstrip("=:")] = "\n".join(body)


def _rule_or_variable(
    line: str, number: int, made: _Makefile, current: list[Numbered] | None
) -> list[Numbered] | None:
    assigned = _ASSIGNMENT.fullmatch(line)
    if assigned:
        _assign(assigned, number, made)
        return current
    head, colon, rest = line.partition(":")
    if not colon:
        made.expand(line)
        return current
    needs, _, recipe = rest.lstrip(":").partition(";")
    local = _ASSIGNMENT.fullmatch(needs)
    if local:
        made.variables.setdefault(local[1], local[3])
        made.expand(local[3] if local[2].startswith(":") else "")
        return current
    rule = _Rule(
        tuple(made.expand(head).split()), tuple(made.expand(needs).replace("|", " ").split()), []
    )
    if recipe.strip():
        rule.recipe.append((recipe.strip(), number))
    made.rules.append(rule)
    return rule.recipe


def _assign(match: re.Match[str], number: int, made: _Makefile) -> None:
    name, operator, value = match[1], match[2], match[3]
    if name in made.given or (operator == "?=" and name in made.variables):
        return
    if operator == "!=":
        made.at_once.append((value, number))
        value = f"$(shell {value})"
    elif operator.startswith(":"):
        value = made.expand(value).replace("$", "$$")
        made.simple.add(name)
    elif operator == "+=":
        value = made.expand(value).replace("$", "$$") if name in made.simple else value
        value = f"{made.variables.get(name, '')} {value}".strip()
    made.variables[name] = value[: 10 * _MAX_VALUE]


def _wanted(made: _Makefile, targets: Sequence[str]) -> list[tuple[_Rule, str]]:
    """Follow targets to all that they need."""
    queue = list(targets) or _default_goal(made)
    done: list[tuple[_Rule, str]] = []
    seen: set[str] = set()
    while queue and len(seen) < _MAX_TARGETS:
        name = queue.pop(0)
        if name in seen:
            continue
        seen.add(name)
        for rule in made.rules:
            if any(_fits(name, target) for target in rule.targets):
                done.append((rule, name))
                queue += [need.replace("%", name) for need in rule.needs]
    return done


def _fits(name: str, target: str) -> bool:
    if name == target:
        return True
    before, wild, after = target.partition("%")
    return bool(wild) and bool(before or after) and name.startswith(before) and name.endswith(after)


def _default_goal(made: _Makefile) -> list[str]:
    named = made.variables.get(".DEFAULT_GOAL")
    if named:
        return [named]
    plain = (one for rule in made.rules for one in rule.targets if "%" not in one)
    return [one for one in plain if not one.startswith(".") or "/" in one][:1]


def recipes_of(
    text: str, words: Sequence[str], include: Include = lambda _: None
) -> list[Numbered]:
    """Return the shell lines that `make` would run, each with its line in the makefile."""
    if not _TELLS.isdisjoint(words):
        return []
    targets, variables = _arguments(words)
    made = _Makefile()
    made.variables.update(variables)
    made.given = set(variables)
    _read(text, made, include)
    found = list(made.at_once)
    dry = any(_is_dry(word) for word in words)
    for rule, name in _wanted(made, targets):
        automatic = {"@": name, "<": " ".join(rule.needs[:1]), "^": " ".join(rule.needs), "*": name}
        automatic |= {"@D": ".", "@F": name, "+": automatic["^"], "?": automatic["^"]}
        for line, number in rule.recipe:
            bare = line.lstrip("@-+ \t")
            text = made.expand(bare, automatic)
            ran = made.ran()
            always = "+" in line.removesuffix(bare)
            found += [(one, number) for one in ([text] if always or not dry else ran)]
    return found


def _is_dry(word: str) -> bool:
    held = clustered(word, _CLUSTERED)
    return word in _DRY or (held is not None and held[0] in _DRY)
