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


# What a program alone is best shown with.
_ARGUMENTS = {
    **dict.fromkeys(("npm", "pnpm", "yarn", "bun", "poetry", "pipenv", "bundle"), "install"),
    "pip": "install requests", "uv": "sync", "conda": "install numpy", "cargo": "build",
    **dict.fromkeys(("curl", "wget"), "https://example.com"), "rm": "build", "rmdir": "build",
    "docker": "ps", "kubectl": "get pods", "terraform": "plan", "make": "all", "git": "status",
    "ssh": "example.com", "sudo": "ls", "chmod": "a.sh", "mv": "a.txt b.txt", "cp": "a.txt b.txt",
}  # fmt: skip
_OTHERS = {
    "git push": "git fetch", "git commit": "git add .", "npm publish": "npm pack",
    "terraform destroy": "terraform plan", "terraform apply": "terraform plan",
}  # fmt: skip


def told_command(text: str) -> str:
    """Return a command that is a program and flags alone something to work on."""
    parts = text.split()
    bare = all(one.startswith("-") for one in parts[1:])
    return f"{text} {_ARGUMENTS[parts[0]]}" if bare and parts[0] in _ARGUMENTS else text


def _filled(glob: str) -> str:
    return re.sub(r"\*\*/|/\*\*|\*\*|\*|\?", lambda found: _WILD[found.group()], glob)


def examples_of(thing: Thing) -> tuple[Example, Example]:
    """Make up a call that is stopped, and one that is not."""
    item: dict[str, Any] = thing.items[0]
    bad, good = thing.sample
    if "content" in item:
        where = _code_file(item["path"])
        return {"write": where, "text": f"{bad}\n"}, {"write": where, "text": f"{good}\n"}
    if "message" in item:
        form = _MESSAGES[item["message"]["of"][0]]
        return form.format(bad), form.format(good)
    if bad:
        # What is about files is tried in the folder of the rule.
        return ({"run": bad}, {"run": good}) if "path" in item else (bad, good)
    if "path" in item:
        return _on_path(item["path"])
    if "tool" in item:
        return {"tool": _filled(item["tool"]), "input": {}}, {"tool": "SomeOtherTool", "input": {}}
    blocked = command_example(item)
    if isinstance(blocked, str) and "'build'" in str(thing.unless):
        blocked = blocked.replace(" build", " src")
    lifted = [one["command"] for one in thing.unless if "branch" in one.get("command", "")]
    spared = str(lifted[0]["branch"][0]) if lifted else "topic"
    return blocked, _near(item["command"], blocked, _filled(spared))


def _code_file(globs: list[str]) -> str:
    """Name a file in the folder, or with the ending, that a rule on code is about."""
    first = globs[0]
    if first == "**":
        return "src/example.ts"
    if first.startswith("*."):
        return f"src/example{first[1:]}"
    return _filled(first.replace("/**/*.", "/example.").replace("/**", "/example.ts"))


def _near(value: Any, blocked: Example, spared: str) -> Example:
    """Make up a call much like the blocked one that the rule is not about."""
    run = blocked if isinstance(blocked, str) else str(blocked["run"])
    held = value if isinstance(value, dict) else {}
    named = [str(one) for one in held.get("branch", ())]
    branch = named[0] if named else ""
    if isinstance(blocked, dict):
        return {"run": run, "branch": spared}
    if branch and run.endswith(_filled(branch)):
        return f"{run.removesuffix(_filled(branch))}{spared}"
    if "remote" in held:
        remote = str(held["remote"][0])
        return run.replace(remote, "fork" if remote == "origin" else "origin")
    if "package" in held:
        return "npm ci"
    if "run" in held:
        return "git status"
    kept = [one for one in run.split() if one not in _given_flags(value)]
    if " ".join(kept) != run and len(kept) > 1:
        return " ".join(kept)
    program = run.split(maxsplit=1)[0]
    # Another use of the program may be stopped by another matcher of the same rule.
    look = f"cat {program}" if "/" in program else f"which {program}"
    return _OTHERS.get(" ".join(run.split()[:2]), look)


def _given_flags(value: Any) -> set[str]:
    """List the flags that a matcher wants, as its example writes them."""
    if isinstance(value, str):
        return {one for one in value.split() if one.startswith("-")}
    return {one.split("|")[0] for one in value.get("flags", ())}


def _on_path(value: Any) -> tuple[Example, Example]:
    globs = value["glob"] if isinstance(value, dict) else value
    access = value["access"][0] if isinstance(value, dict) else "write"
    inside = "elsewhere/file.txt" if globs[0] == "**" else _filled(globs[0])
    spared = next((one[1:] for one in globs if one.startswith("!")), "elsewhere/other.txt")
    near = {"read": inside} if globs == ["**"] else _access_to(_filled(spared), access)
    return _access_to(inside, access), near


def _access_to(path: str, access: str) -> Example:
    if access == "rename":
        return {"run": f"mv {path} {path}.old"}
    return {access if access in ("read", "delete") else "write": path}


def command_example(item: Item) -> Example:
    """Make up a command that a matcher finds."""
    value: Any = item["command"]
    if isinstance(value, list):
        value = value[0]
    if isinstance(value, str):
        return told_command(value)

    def first(name: str, default: str = "") -> str:
        held = value.get(name, default)
        return _filled(str(held[0] if isinstance(held, list) else held)).split("|")[0]

    if "package" in value:
        return f"npm install {'left-pad' if value['package'] == '*' else value['package']}"
    if "run" in value:
        return _RUNS.get(value["run"], "npm test")
    program = first("program", "*")
    if value.get("program", "*") == "*":
        program = "git" if "subcommand" in value else "git push"
    program = f"./{program}" if "/" in program else program
    parts = [program, first("subcommand"), *(one.split("|")[0] for one in value.get("flags", ()))]
    parts += [_filled(one) for one in value.get("args", ())]
    branch = first("branch")
    if "push" in parts and not (value.get("args") or value.get("no_args")):
        parts += [first("remote", "origin"), branch or "topic"]
    elif parts[1] == "commit":
        parts.append("-m x")
    # The first name of an environment that the command has to hold.
    parts += re.findall(r"\(\?:(\w+)", value.get("matches", ""))[:1]
    line = " ".join(one for one in parts if one)
    line = line if value.get("no_args") or "matches" in value else told_command(line)
    line = f"{first('via')} {line}".strip()
    return {"run": line, "branch": branch} if branch and "push" not in parts else line


def order_examples(before: Item, require: tuple[Item, ...]) -> dict[str, list[Example]]:
    """Make up the guarded call alone, and behind its steps."""
    guarded = command_example(before)
    run = guarded if isinstance(guarded, str) else guarded["run"]
    steps = [str(command_example(one)) for one in require]
    return {"block": [run], "allow": [" && ".join((*steps, run)), {"run": run, "after": steps}]}
