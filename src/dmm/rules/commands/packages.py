"""Package scripts: what `npm run NAME` and its like would run, from package.json."""

from __future__ import annotations

import json
import re
import shlex
from typing import TYPE_CHECKING

from dmm.rules.commands.carriers import OF_MANAGERS
from dmm.rules.commands.wordlists import names

if TYPE_CHECKING:
    from collections.abc import Sequence

_VALUED = names("--prefix -C --cwd --dir --filter -F --workspace -w --loglevel --registry")
_SHORT = {"t": "test", "tst": "test"}
_ALWAYS = frozenset({"test", "start", "stop", "restart"})
# What installing and publishing run beside their work.
_AROUND_INSTALL = ("preinstall", "install", "postinstall", "prepare")
_AROUND_PUBLISH = ("prepublishOnly", "prepack", "prepare", "postpack")
_BESIDE = {
    **dict.fromkeys(("install", "i", "ci", "add"), _AROUND_INSTALL),
    **dict.fromkeys(("publish", "pack"), _AROUND_PUBLISH),
}


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


def _asked(words: Sequence[str]) -> tuple[tuple[str, ...], list[str]]:
    """Name the scripts that a command runs, and the arguments it hands to the named one."""
    operands = _operands(words)
    if not operands:
        return (), []
    first = _SHORT.get(operands[0], operands[0])
    if first in ("run", "run-script"):
        name, rest = (operands[1], operands[2:]) if len(operands) > 1 else ("", [])
    elif first in _ALWAYS or (words[0] != "npm" and first not in OF_MANAGERS):
        name, rest = first, operands[1:]
    else:
        return _BESIDE.get(first, ()), []
    return (f"pre{name}", name, f"post{name}") if name else (), rest


def package_scripts(words: Sequence[str], text: str) -> list[tuple[str, int]]:
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
