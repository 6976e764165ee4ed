"""Every program of the table of carriers is followed into what it runs."""

from __future__ import annotations

import pytest

from dmm.reading import read_sections
from dmm.rules.commands.shell import parse_shell

COMMAND = "git push --force"
WAYS = {
    "argv": COMMAND,
    "=argv": f"A=1 {COMMAND}",
    "shell": COMMAND,
    "text": f"'{COMMAND}' EXIT",
    "each": f"ls '{COMMAND}'",
    "keys": f"'{COMMAND}' Enter",
    "fed": COMMAND,
    "--": f"-- {COMMAND}",
    "stdin": f"<<< '{COMMAND}'",
}


def lines() -> list[str]:
    """Write a command line for every program, and for every way in which it runs something."""
    found = []
    for row in read_sections("carriers.txt")["commands"]:
        programs, what = (part.strip() for part in row.split("|")[:2])
        for program in programs.split():
            for way in what.split(", "):
                form, _, operands = way.partition("+")
                flag = form.partition("/")[0]
                rest = f"{flag} '{COMMAND}'" if flag[0] == "-" and flag[1:] != "-" else ""
                rest = rest or WAYS.get(form, "")
                before = "x " * int(operands or 0)
                found.append(f"{program.replace(':', ' ')} {before}{rest}" if rest else "")
    return [one for one in found if one]


@pytest.mark.parametrize("line", lines())
def test_a_carrier_is_followed_into_the_command(line: str) -> None:
    script = parse_shell(line)
    found = [" ".join(one.argv) for one in script.invocations[1:]]
    assert any(one.startswith(COMMAND) for one in found), found


@pytest.mark.parametrize("program", ["sudo -l", "command -v", "taskset -p", "at -l", "screen -r"])
def test_an_option_with_which_nothing_is_run_ends_the_search(program: str) -> None:
    script = parse_shell(f"{program} {COMMAND}")
    assert len(script.invocations) == 1


def test_flags_of_a_wrapped_command_stay_with_it() -> None:
    (_, inner) = parse_shell(f"git submodule foreach {COMMAND}").invocations
    assert inner.argv == tuple(COMMAND.split())
