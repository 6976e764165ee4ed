"""The matchers in a rule's fields, read as the patterns that judge a call."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, get_args

from dmm.errors import RuleFormError
from dmm.rules.commands.facts import MESSAGES, MessageKind
from dmm.rules.commands.ignoring import fault_of_glob
from dmm.rules.commands.procedures import BUILD, FORMAT, LINT, TESTS, TYPES
from dmm.rules.content.check import check_content
from dmm.rules.content.pattern import ContentPattern
from dmm.rules.formvalues import Fields, each, flag, mapping, refuse_unknown, strings, text
from dmm.rules.needs import Need
from dmm.rules.patterns import (
    AllOf,
    BranchPattern,
    CommandPattern,
    DependencyPattern,
    MessagePattern,
    PathPattern,
    Pattern,
    ToolPattern,
)
from dmm.rules.syntax import command_pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dmm.rules.formvalues import Place

Patterns = tuple[Pattern, ...]
COMMAND = (
    "program", "subcommand", "flags", "without", "args", "no_args", "matches", "branch", "remote",
    "host", "package", "env", "via", "bare", "run",
)  # fmt: skip
CONTENT_FLAGS = ("only_added", "removed", "ignore_case", "only_new")
CONTENT = ("pattern", "rule", "regex", "language", *CONTENT_FLAGS)
ACCESS = ("read", "write", "create", "delete", "rename")
CHANGES = ("write", "create", "delete", "rename")
RUNS = {"tests": TESTS, "lint": LINT, "typecheck": TYPES, "build": BUILD, "format": FORMAT}


def read_items(value: object, place: Place, folder: str) -> Patterns:
    """Read a list of items, any of which suffices."""
    held = each(value, place)
    return tuple(found for one, where in held for found in _item(one, where, folder))


def _item(value: object, place: Place, folder: str) -> Patterns:
    """Read one item: every key of it must hold, each in any of its ways."""
    held = mapping(value, place, "a matcher")
    refuse_unknown(held, _READERS, place)
    ways = [_READERS[key](one, (*place, key), folder) for key, one in held.items()]
    if "content" in held:
        _check_contents([one for way in ways for one in way], held["content"], (*place, "content"))
    return tuple(one[0] if len(one) == 1 else AllOf(one) for one in product(*ways))


def _command(value: object, place: Place, _: str) -> Patterns:
    if not isinstance(value, dict):
        return tuple(_short_command(text(one, at), at) for one, at in each(value, place))
    fields = Fields(value, place, COMMAND)
    mapping(value, place, "a command")
    names = set(value)
    if names <= {"branch"}:
        wanted, but = _names(value["branch"], (*place, "branch"))
        return tuple(BranchPattern(one, but=but) for one in wanted)
    if names <= {"package"}:
        wanted, but = _names(value["package"], (*place, "package"))
        return tuple(DependencyPattern(one, but) for one in wanted)
    return tuple(_whole_command(fields, words) for words in _subcommands(fields))


def _names(value: object, place: Place) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Read names that are meant, and those that `!` takes out; where none is named, all are."""
    named = strings(value, place)
    but = tuple(one.removeprefix("!") for one in named if one.startswith("!"))
    return tuple(one for one in named if not one.startswith("!")) or ("*",), but


def _subcommands(fields: Fields) -> list[tuple[str, ...]]:
    """Read the words that a subcommand may be; one of several words stands for itself."""
    named = [tuple(one.split()) for one in fields.listed("subcommand")]
    if not named:
        return [()]
    single = [one[0] for one in named if len(one) == 1]
    return [("|".join(single),)] * bool(single) + [one for one in named if len(one) > 1]


def _whole_command(fields: Fields, operands: tuple[str, ...]) -> CommandPattern:
    return CommandPattern(
        programs=fields.listed("program", ("*",)),
        operands=operands,
        flags=fields.listed("flags"),
        without=fields.listed("without"),
        check=fields.read("run", _step, ""),
        args=fields.listed("args"),
        no_args=fields.read("no_args", flag, otherwise=False),
        bare=fields.read("bare", flag, otherwise=False),
        matches=fields.read("matches", _regex, ""),
        env=fields.read("env", _pairs, ()),
        via=fields.listed("via"),
        remotes=fields.listed("remote"),
        hosts=fields.listed("host"),
        branches=fields.listed("branch"),
        packages=fields.listed("package"),
        leading=len(operands),
    )


def _step(value: object, place: Place) -> str:
    name = text(value, place)
    if name not in RUNS:
        raise RuleFormError(place, f"unknown step {name!r}", hint=f"known: {', '.join(RUNS)}")
    return RUNS[name]


def _pairs(value: object, place: Place) -> tuple[str, ...]:
    """Read names with globs of their values, as `NAME=glob`."""
    held = mapping(value, place, "this")
    return tuple(f"{name}={text(one, (*place, name))}" for name, one in held.items())


def _regex(value: object, place: Place) -> str:
    found = text(value, place)
    wrong = check_content(ContentPattern(regex=found))
    if wrong:
        raise RuleFormError(place, wrong)
    return found


def _short_command(value: str, place: Place) -> Pattern:
    found = command_pattern(value)
    if found is None:
        hint = "write one command: a program, its words and flags"
        raise RuleFormError(place, f"{value!r} is not one command", hint=hint)
    return found


def _path(value: object, place: Place, folder: str) -> Patterns:
    access: tuple[str, ...] = CHANGES
    globs, where = value, place
    if isinstance(value, dict):
        refuse_unknown(value, ("glob", "access"), place)
        globs, where = value.get("glob"), (*place, "glob")
        if "access" in value:
            access = _chosen(value["access"], (*place, "access"), ACCESS)
    lines = tuple(_glob(one, where) for one in strings(globs, where))
    if all(one.startswith("!") for one in lines):
        # Everything but these.
        lines = ("**", *lines)
    return (PathPattern("\n".join(lines), _accesses(access), folder),)


def _accesses(named: tuple[str, ...]) -> tuple[str, ...]:
    """Write accesses as patterns hold them: there `write` is every change, `edit` of the text."""
    if set(CHANGES) <= set(named):
        return (*(one for one in named if one == "read"), "write")
    return tuple("edit" if one == "write" else one for one in named)


def _glob(value: str, place: Place) -> str:
    bare = value.removeprefix("!")
    if not bare.strip("/") or "\n" in value or bare.count("[") != bare.count("]"):
        hint = "use globs as in .gitignore, such as src/** or *.pem"
        raise RuleFormError(place, f"{value!r} is not a valid glob", hint=hint)
    if "{" in bare and "," in bare:
        hint = "write a list of globs"
        raise RuleFormError(place, f"{value!r} has braces, which globs do not have", hint=hint)
    if "/" in bare.rstrip("/") and any("**" in one and one != "**" for one in bare.split("/")):
        hint = "`**` stands for folders: write src/**/*.ts, or * for a part of a name"
        raise RuleFormError(place, f"{value!r} has ** in a name", hint=hint)
    if bare.startswith("../") or "/../" in bare or bare == "..":
        raise RuleFormError(place, f"{value!r} lies outside the repository")
    fault = fault_of_glob(bare)
    if fault:
        raise RuleFormError(place, f"{value!r} is not a valid glob: {fault}")
    return value


def _chosen(value: object, place: Place, known: tuple[str, ...]) -> tuple[str, ...]:
    found = strings(value, place)
    for one in found:
        if one not in known:
            raise RuleFormError(place, f"{one!r} is not one of {', '.join(known)}")
    return found


def _content(value: object, place: Place, _: str) -> Patterns:
    held = value if isinstance(value, dict) else {"regex": value}
    refuse_unknown(held, CONTENT, place)
    where = {name: (*place, name) if isinstance(value, dict) else place for name in held}

    def listed(name: str) -> tuple[str, ...]:
        return strings(held[name], where[name]) if name in held else ("",)

    language = text(held["language"], where["language"]) if "language" in held else ""
    rule = _structure(held["rule"], where["rule"]) if "rule" in held else ""
    flags = {name: flag(held[name], where[name]) for name in CONTENT_FLAGS if name in held}
    return tuple(
        ContentPattern(regex=regex, pattern=pattern, rule=rule, language=language, **flags)
        for regex, pattern in product(listed("regex"), listed("pattern"))
    )


def _check_contents(patterns: list[Pattern], value: object, place: Place) -> None:
    """Refuse content that can't be searched for; the globs beside it tell its language."""
    lines = [one.glob.split("\n") for one in patterns if isinstance(one, PathPattern)]
    globs = [one for way in lines for one in way if not one.startswith("!")]
    for one in patterns:
        wrong = check_content(one, globs) if isinstance(one, ContentPattern) else None
        if wrong:
            named = [name for name in CONTENT if isinstance(value, dict) and name in value]
            raise RuleFormError((*place, *named[:1]), wrong)


def _structure(value: object, place: Place) -> str:
    """Write an ast-grep rule as the pattern holds it."""
    return json.dumps(mapping(value, place, "an ast-grep rule"), sort_keys=True)


def _message(value: object, place: Place, _: str) -> Patterns:
    held = value if isinstance(value, dict) else {"regex": value}
    fields = Fields(held, place, ("of", "regex", "not_regex"))
    if "regex" not in held and "not_regex" not in held:
        raise RuleFormError(place, "a message matcher needs regex or not_regex")
    kinds: tuple[MessageKind, ...] = MESSAGES
    if "of" in held:
        named = _chosen(held["of"], (*place, "of"), get_args(MessageKind))
        kinds = tuple(one for one in MESSAGES if one in named)
    regex, not_regex = (fields.read(name, _regex, "") for name in ("regex", "not_regex"))
    return (MessagePattern(kinds, regex, not_regex),)


def _tool(value: object, place: Place, _: str) -> Patterns:
    if not isinstance(value, dict):
        return tuple(ToolPattern(one) for one in strings(value, place))
    fields = Fields(value, place, ("name", "args", "matches"))
    args: tuple[str, ...] = fields.read("args", _pairs, ())
    matches = fields.read("matches", _regex, "")
    return tuple(ToolPattern(one, args, matches) for one in fields.listed("name", ("*",)))


_READERS: dict[str, Callable[[object, Place, str], Patterns]] = {
    "command": _command,
    "path": _path,
    "content": _content,
    "message": _message,
    "tool": _tool,
}


def read_needs(value: object, place: Place, folder: str) -> tuple[Need, ...]:
    """Read what has to be done first; all of it is wanted."""
    return tuple(_need(one, where, folder) for one, where in each(value, place))


def _need(value: object, place: Place, folder: str) -> Need:
    if isinstance(value, str):
        value = {"run": value} if value in RUNS else {"command": value}
    held = mapping(value, place, "a required step")
    rest = {key: one for key, one in held.items() if key not in ("since", "passed")}
    since = _since(held["since"], (*place, "since"), folder) if "since" in held else ()
    passed = flag(held["passed"], (*place, "passed")) if "passed" in held else True
    if set(rest) == {"run"}:
        name = text(rest["run"], (*place, "run"))
        found: Patterns = (CommandPattern(("*",), check=_step(name, (*place, "run"))),)
    else:
        found = _item(_read_counts(rest), place, folder)
    return Need(_said(rest), patterns=found, since=since, passed=passed)


def _read_counts(held: dict[str, object]) -> dict[str, object]:
    """Let a plain path in a required step mean that the file was read."""
    path = held.get("path")
    if path is None or isinstance(path, dict):
        return held
    return held | {"path": {"glob": path, "access": list(ACCESS)}}


def _since(value: object, place: Place, folder: str) -> tuple[str, ...]:
    """Read globs as the repository sees them: those of a folder begin with it."""
    globs = tuple(_glob(one, place) for one in strings(value, place))
    return tuple(_from_root(one, folder) for one in globs) if folder else globs


def _from_root(glob: str, folder: str) -> str:
    bare = glob.removeprefix("!")
    anywhere = "" if "/" in bare.rstrip("/") else "**/"
    return f"{'!' if bare != glob else ''}{folder}/{anywhere}{bare.lstrip('/')}"


def _said(held: Mapping[str, object]) -> str:
    """Name a required step as its rule does."""
    (first,) = list(held.values())[:1] or [""]
    if isinstance(first, dict):
        first = " ".join(str(one) for one in first.values() if isinstance(one, str))
    elif isinstance(first, list):
        first = " or ".join(str(one) for one in first)
    return str(first) or "a step"
