"""A rule on commands leaves a command alone where it spares every file that the command touches."""

from __future__ import annotations

import pytest

from dmm.rules.callpatterns import CommandPattern, PathPattern
from dmm.rules.callrules import ToolRule, match_tool
from dmm.rules.commands.calls import ToolCall

NOTHING = ToolCall("", {})
REMOVING = ToolRule(
    "rm",
    (CommandPattern(("rm",)),),
    "no rm",
    "",
    NOTHING,
    NOTHING,
    exceptions=(PathPattern("build/**"), PathPattern("*.log")),
)


def stops(command: str) -> bool:
    return match_tool(REMOVING, ToolCall("Bash", {"command": command}, "/project")) is not None


@pytest.mark.parametrize(
    "command",
    ["rm build/a.o", "rm -rf build", "rm build/a.o x.log", "cd build && rm a.o", "rm build/*"],
)
def test_a_command_on_spared_files_alone_is_let_through(command: str) -> None:
    assert not stops(command)


@pytest.mark.parametrize(
    "command",
    [
        "rm src/a.ts",
        "rm build/a.o src/a.ts",
        "rm -rf .",
        "rm -rf *",
        "rm -rf src > build/log",
        "rm",
        "cat build/a.o; rm src/a.ts",
        "rm build/../src/a.ts",
    ],
)
def test_a_command_that_touches_another_file_or_none_is_not(command: str) -> None:
    assert stops(command)
