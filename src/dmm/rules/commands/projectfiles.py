"""Project files: makefiles, justfiles and package.json say what their tools run."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

from dmm.rules.commands.carriers import MANAGERS, OF_MANAGERS
from dmm.rules.commands.wordlists import names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

PROJECT_FILES = {
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "package": ("package.json",),
    "just": ("justfile", "Justfile", ".justfile"),
}
FOLDER_FLAGS = {
    "make": ("-C", "--directory"),
    "package": ("--prefix", "-C", "--cwd", "--dir"),
    "just": ("--working-directory", "-d"),
}
_CRON = r"(?m)^[ \t]*(?:@\w+|(?:[\d*,/A-Za-z-]+[ \t]+){4}[\d*,/A-Za-z-]+)[ \t]+(.+)$"

_VALUED = names("--prefix -C --cwd --dir --filter -F --workspace -w --loglevel --registry")
_RUN = ("run", "run-script")
_SHORT = {"t": "test", "tst": "test"}
_ALWAYS = frozenset({"test", "start", "stop", "restart"})
# What installing and publishing run beside their work.
_AROUND_INSTALL = ("preinstall", "install", "postinstall", "prepare")
_AROUND_PUBLISH = ("prepublishOnly", "prepack", "prepare", "postpack")
_BESIDE = {
    **dict.fromkeys(("install", "i", "ci", "add"), _AROUND_INSTALL),
    **dict.fromkeys(("publish", "pack"), _AROUND_PUBLISH),
}


def cron_commands(text: str) -> str:
    """Return the commands of a crontab, one per line."""
    return "\n".join(re.findall(_CRON, text))


def project_commands(
    language: str,
    text: str,
    argv: Sequence[str],
    include: Callable[[str], str | None] = lambda _: None,
) -> list[tuple[str, int]]:
    """Return the commands that a project file would run, with their lines.

    `include` gives the text of other files of its kind.
    """
    if language == "make":
        from dmm.rules.commands.makefiles import recipes_of

        return recipes_of(text, argv[1:], include)
    if language == "just":
        from dmm.rules.commands.justfiles import just_recipes

        return just_recipes(text, argv[1:], include)
    return _package_scripts(argv, text)


def _operands(words: Sequence[str]) -> list[str]:
    found: list[str] = []
    at = 1
    while at < len(words):
        if words[at] == "--" or (found and words[at].startswith("-") and len(found) > 1):
            found += [word for word in words[at:] if word != "--"]
            break
        if words[at].startswith("-"):
            at += words[at] in _VALUED
        else:
            found.append(words[at])
        at += 1
    return found


def can_drop_run(program: str, operands: Sequence[str]) -> bool:
    """Return whether a script would run without `run`, too: `pnpm run lint`."""
    if program not in MANAGERS or len(operands) < 2 or operands[0] not in _RUN:
        return False
    if program == "bun" and operands[1] == "test":
        return False  # runs its own tests
    return _runs_by_name(program, operands[1])


def _runs_by_name(program: str, name: str) -> bool:
    return name in _ALWAYS or (program != "npm" and name not in OF_MANAGERS)


def _asked(words: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Name the scripts that a command runs, and the arguments it hands to the named one."""
    operands = _operands(words)
    if not operands:
        return (), []
    first = _SHORT.get(operands[0], operands[0])
    if first in _RUN:
        name, rest = (operands[1], operands[2:]) if len(operands) > 1 else ("", [])
    elif _runs_by_name(words[0], first):
        name, rest = first, operands[1:]
    else:
        return _BESIDE.get(first, ()), []
    return (f"pre{name}", name, f"post{name}") if name else (), rest


def _package_scripts(words: Sequence[str], text: str) -> list[tuple[str, int]]:
    """Return the shell texts that a command would run, each with its line in package.json."""
    wanted, rest = _asked((words[0].rpartition("/")[2], *words[1:]))
    try:
        scripts = json.loads(text).get("scripts", {}) if wanted else {}
    except (ValueError, AttributeError, RecursionError):
        return []
    found = []
    for name in wanted:
        script = scripts.get(name) if isinstance(scripts, dict) else None
        if isinstance(script, str):
            asked = len(wanted) == 3 and name == wanted[1]
            whole = f"{script} {shlex.join(rest)}" if rest and asked else script
            place = re.search(rf'"{re.escape(name)}"\s*:', text)
            line = text.count("\n", 0, place.start()) + 1 if place else 1
            found.append((whole, line))
    return found
