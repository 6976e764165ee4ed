"""Examples: one call that the matchers of a rule stop, and one like it that they let through."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dmm.rules.language.sentences.things import Item, Thing

Example = str | dict[str, Any]
_WILD = {"**/": "", "/**": "/part/file.txt", "**": "part", "*": "x", "?": "x"}
_RUNS = {"tests": "npm test", "lint": "npm run lint", "typecheck": "npm run typecheck"}
_MESSAGES = {
    "commit": "git commit -m '{}'", "branch": "git checkout -b '{}'", "tag": "git tag -m '{}' v1",
    "pr_title": "gh pr create --title '{}'", "pr_body": "gh pr create --title a --body '{}'",
}  # fmt: skip


def _filled(glob: str) -> str:
    return re.sub(r"\*\*/|/\*\*|\*\*|\*|\?", lambda found: _WILD[found.group()], glob)


def examples_of(thing: Thing) -> tuple[Example, Example]:
    """Make up a call that is stopped, and one that is not."""
    item: dict[str, Any] = thing.items[0]
    bad, good = thing.sample
    if "content" in item:
        first = str(item["path"][0]).replace("/**", "/example.ts")
        where = "src/example.ts" if first == "**" else _filled(first)
        return {"write": where, "text": f"{bad}\n"}, {"write": where, "text": f"{good}\n"}
    if "message" in item:
        form = _MESSAGES[item["message"]["of"][0]]
        return form.format(bad), form.format(good)
    if "path" in item:
        return _on_path(item["path"])
    if "tool" in item:
        return {"tool": _filled(item["tool"]), "input": {}}, {"tool": "SomeOtherTool", "input": {}}
    if bad:
        return bad, good
    blocked = command_example(item)
    quiet = isinstance(item["command"], dict) and {"branch", "remote", "run", "package"} & set(
        item["command"]
    )
    return blocked, "git status" if quiet else f"echo '{blocked}'"


def _on_path(value: Any) -> tuple[Example, Example]:
    globs = value["glob"] if isinstance(value, dict) else value
    access = value["access"][0] if isinstance(value, dict) else "write"
    way = access if access in ("read", "delete") else "write"
    inside = "elsewhere/file.txt" if globs[0] == "**" else _filled(globs[0])
    spared = next((one[1:] for one in globs if one.startswith("!")), "elsewhere/other.txt")
    if globs == ["**"]:
        return {way: inside}, {"read": inside}
    return {way: inside}, {way: _filled(spared)}


def command_example(item: Item) -> Example:
    """Make up a command that a matcher finds."""
    value: Any = item["command"]
    if isinstance(value, str):
        return value

    def first(name: str, default: str = "") -> str:
        held = value.get(name, default)
        return _filled(str(held[0] if isinstance(held, list) else held)).split("|")[0]

    if "package" in value:
        return f"npm install {'left-pad' if value['package'] == '*' else value['package']}"
    if "run" in value:
        return _RUNS.get(value["run"], "npm test")
    program = "git" if value.get("program", "*") == "*" else first("program")
    program = f"./{program}" if "/" in program else program
    parts = [program, first("subcommand"), *(one.split("|")[0] for one in value.get("flags", ()))]
    parts += [_filled(one) for one in value.get("args", ())]
    branch = first("branch")
    if "push" in parts and not value.get("args"):
        parts += [first("remote", "origin"), branch or "topic"]
    elif parts[1] == "commit":
        parts.append("-m x")
    parts += ["production"] if "matches" in value else []
    line = " ".join(one for one in (first("via"), *parts) if one)
    return {"run": line, "branch": branch} if branch and "push" not in parts else line


def order_examples(before: Item, require: tuple[Item, ...]) -> dict[str, list[Example]]:
    """Make up the guarded call alone, and behind its steps."""
    guarded = command_example(before)
    run = guarded if isinstance(guarded, str) else guarded["run"]
    steps = [str(command_example(one)) for one in require]
    return {"block": [run], "allow": [" && ".join((*steps, run)), {"run": run, "after": steps}]}
