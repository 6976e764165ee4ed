"""The commands that agents run for DMM: how they are written and recognised."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HOOK = "dmm-hook"
SERVER = "dmm-mcp"
# The tools that an agent is offered: the few that most sessions need, or all.
CORE, FULL = "core", "full"

_OURS = {
    HOOK: re.compile(r"\bdmm-hook\b|dmm[/\\]+hook[/\\]+__main__\.py"),
    SERVER: re.compile(
        r"\bdmm-mcp\b|dmm[/\\]+(?:mcp_stdio|pump)[/\\]+__main__\.py|\bdmm['\"]?,? ['\"]?serve\b"
    ),
}


@dataclass(frozen=True, slots=True)
class Launch:
    """How the two programs are started on this machine, or by name on any machine."""

    hook: tuple[str, ...]
    server: tuple[str, ...]
    by_name: bool = False
    tools: str = FULL

    def hook_line(self, client: str) -> str:
        """Write the hook as a line for the shell.

        A line that others get with the repository does nothing where DMM is not installed.
        """
        line = join([*self.hook, "--client", client])
        return f"command -v {HOOK} >/dev/null || exit 0; {line}" if self.by_name else line

    def hook_words(self, client: str) -> list[str]:
        """Write the hook as words for a program that needs no shell."""
        return [*self.hook, "--client", client]

    def server_words(self, client: str) -> list[str]:
        """Write the tools' server as words; without a word on tools it offers all."""
        words = [*self.server, "--client", client]
        return words if self.tools == FULL else [*words, "--tools", self.tools]


def here(tools: str = CORE) -> Launch:
    """Start the programs of this installation in the fastest way: no shell script, no packages."""
    package = Path(__file__).resolve().parents[1]
    python = (sys.executable, "-I", "-S")
    return Launch(
        hook=(*python, str(package / "hook" / "__main__.py")),
        server=(*python, str(package / "mcp_stdio" / "__main__.py")),
        tools=tools,
    )


def anywhere(tools: str = CORE) -> Launch:
    """Start the programs by their names, for files that travel with a repository."""
    return Launch((HOOK,), (SERVER,), by_name=True, tools=tools)


def join(words: list[str]) -> str:
    """Write words as one line of the shell that agents use here."""
    return subprocess.list2cmdline(words) if sys.platform == "win32" else shlex.join(words)


def is_hook(command: object) -> bool:
    """Return whether a configured command is our hook."""
    return _OURS[HOOK].search(_flat(command)) is not None


def is_server(entry: object) -> bool:
    """Return whether a configured server is ours."""
    if not isinstance(entry, dict):
        return False
    words = [_flat(entry.get("command", "")), *map(_flat, _list(entry.get("args")))]
    return _OURS[SERVER].search(" ".join(words)) is not None


def _flat(command: object) -> str:
    return " ".join(map(str, command)) if isinstance(command, list) else str(command)


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
