"""Examples: one call that the matchers of a rule stop, and one like it that they let through."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.language.sentences import words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.rules.language.sentences.code import Item
    from dmm.rules.language.sentences.things import Thing

Example = str | dict[str, object]
_WILD = {"**/": "", "/**": "/part/file.txt", "**": "part", "*": "x", "?": "x"}
_RUNS = {"tests": "npm test", "lint": "npm run lint", "typecheck": "npm run typecheck"}
_WAYS = {"read": "read", "delete": "delete"}
_MESSAGES = {
    "commit": "git commit -m '{}'", "branch": "git checkout -b '{}'", "tag": "git tag -m '{}' v1",
    "pr_title": "gh pr create --title '{}'", "pr_body": "gh pr create --title a --body '{}'",
}  # fmt: skip


def sample_of(glob: str) -> str:
    """Fill the wildcards of a glob in."""
    return re.sub(r"\*\*/|/\*\*|\*\*|\*|\?", lambda found: _WILD[found.group()], glob)


def examples_of(thing: Thing) -> tuple[Example, Example]:
    """Make up a call that is stopped, and one that is not."""
    first = thing.items[0]
    bad, good = thing.sample
    if "content" in first:
        where = sample_of(_file(first))
        return {"write": where, "text": f"{bad}\n"}, {"write": where, "text": f"{good}\n"}
    if "message" in first:
        message = first["message"]
        assert isinstance(message, dict)
        form = _MESSAGES[message["of"][0]]
        return form.format(bad), form.format(good)
    if "path" in first:
        return _on_path(first)
    if "tool" in first:
        return {"tool": sample_of(str(first["tool"])), "input": {}}, "ls"
    return (bad, good) if bad else _on_command(first)


def _file(item: Item) -> str:
    globs = item.get("path", ["**"])
    assert isinstance(globs, list)
    first = str(globs[0])
    return "src/example.ts" if first == "**" else first.replace("/**", "/example.ts")


def _on_path(item: Item) -> tuple[Example, Example]:
    value = item["path"]
    globs = value["glob"] if isinstance(value, dict) else value
    access = value["access"] if isinstance(value, dict) else ["write"]
    assert isinstance(globs, list)
    way = _WAYS.get(access[0], "write")
    inside = "elsewhere/file.txt" if globs[0] == "**" else sample_of(globs[0])
    spared = next((one[1:] for one in globs if one.startswith("!")), "")
    other = sample_of(spared) if spared else "elsewhere/other.txt"
    if globs == ["**"]:
        return {"delete": inside} if way == "delete" else {way: inside}, {"read": inside}
    return {way: inside}, {way: other}


def _on_command(item: Item) -> tuple[Example, Example]:
    value = item["command"]
    if isinstance(value, str):
        return value, f"echo '{value}'"
    assert isinstance(value, dict)
    return _run(value), _spared(value)


def _first(value: object) -> str:
    return str(value[0]) if isinstance(value, list) else str(value)


def _run(value: Mapping[str, object]) -> Example:
    if "package" in value:
        return f"npm install {sample_of(_first(value['package'])).replace('x', 'left-pad')}"
    if "run" in value:
        return _RUNS.get(_first(value["run"]), "npm test")
    program = _first(value.get("program", "*")).replace("*", "git")
    parts = [program]
    if "subcommand" in value:
        parts.append(_first(value["subcommand"]))
    flags = value.get("flags", [])
    parts += [one.split("|")[0] for one in flags] if isinstance(flags, list) else []
    args = value.get("args", [])
    parts += [sample_of(str(one)) for one in args] if isinstance(args, list) else []
    branch = sample_of(_first(value["branch"])) if "branch" in value else ""
    if "push" in parts:
        parts += [_first(value.get("remote", "origin")), branch or "topic"]
    elif branch and "-d" in parts:
        parts.append(branch)
    elif parts[-1] == "commit":
        parts.append("-m x")
    if "matches" in value:
        parts.append("production")
    line = " ".join(parts)
    line = f"{_first(value['via'])} {line}" if "via" in value else line
    return {"run": line, "branch": branch} if branch and "push" not in parts else line


def _spared(value: Mapping[str, object]) -> Example:
    if "package" in value:
        return "npm ci"
    if "run" in value:
        return "ls"
    if "branch" in value or "remote" in value:
        return "git status"
    blocked = _run(value)
    return f"echo '{blocked if isinstance(blocked, str) else 'no'}'"


def order_examples(before: Item, require: list[Item]) -> dict[str, list[Example]]:
    """Make up the guarded call alone, and behind its steps."""
    guarded = _on_command(before)[0]
    steps = [_on_command(one)[0] for one in require]
    run = guarded if isinstance(guarded, str) else str(guarded["run"])
    return {"block": [run], "allow": [{"run": run, "after": steps}]}


__all__ = ["examples_of", "order_examples", "sample_of", "words"]
