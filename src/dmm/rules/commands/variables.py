"""Variables in front of a command that tell it what to run: `GIT_EDITOR=… git commit`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.commands.runs import SHELL, Run
from dmm.rules.commands.values import Word

if TYPE_CHECKING:
    from dmm.rules.commands.values import Invocation

_COMMAND_VARIABLE = r"(?:\w*_)?(?:EDITOR|VISUAL|PAGER|COMMAND|ASKPASS|BROWSER|SSH)"


def assigned_by(words: tuple[Word, ...]) -> list[tuple[str, str]]:
    """Return the variables that `env A=1 command` sets."""
    pairs = [word.text.partition("=") for word in words[1:]]
    return [(name, value) for name, equals, value in pairs if equals and name.isidentifier()]


def runs_of_variables(invocation: Invocation) -> list[Run]:
    """Open what variables in front of a command tell it to run: `GIT_EDITOR=… git commit`."""
    found: list[Run] = []
    pairs = list(invocation.env)
    if invocation.program in ("env", "sudo", "export"):
        pairs += assigned_by(invocation.words)
    for name, value in pairs:
        if " " in value and re.fullmatch(_COMMAND_VARIABLE, name):
            found.append(Run("shell", name, text=value, guess=True))
        elif name in ("BASH_ENV", "ENV") and value:
            word = Word(value, 0, 0)
            found.append(Run("file", name, (word,), language=SHELL))
    return found
