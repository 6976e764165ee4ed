"""Inline runs: one thing that code of another language runs or opens."""

from __future__ import annotations

from typing import NamedTuple

# Stands in a command for what the code works out when it runs.
UNKNOWN_VALUE = "COMPUTED"
COMPUTED = "code"
PLACEHOLDER = f"${UNKNOWN_VALUE}"


class InlineRun(NamedTuple):
    """A shell text, an argument list, a file that is opened (`<` or `>`) or run as code.

    `made` names the language where what is run can't be read.
    """

    text: str = ""
    argv: tuple[str, ...] = ()
    path: str = ""
    operator: str = ""
    script: str = ""
    made: str = ""
    line: int = 0
