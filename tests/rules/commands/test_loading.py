"""Files that a command loads as variables, and what it runs with them."""

from __future__ import annotations

import pytest

from dmm.rules.callbook import CallBook, CallEntry
from dmm.rules.commands.calls import ToolCall, read_call
from dmm.rules.form import compile_fields

HIDDEN = "$(echo Z2l0IHB1c2g= | base64 -d | tr x y)"


def level(fields: dict[str, object], command: str) -> str:
    rule = compile_fields(fields, "A rule", "", "a-rule")
    assert rule.call is not None
    book = CallBook([CallEntry(1, rule.title, rule.call, typed=True)])
    return book.rule(ToolCall("Bash", {"command": command}, "/repo", None, "/repo")).level


@pytest.mark.parametrize(
    "command",
    [
        "export $(cat .env | xargs)",
        "export $(grep -v '^#' .env | xargs)",
        "env $(cat .env) make",
        "env $(cat .env | xargs) make",
        "eval $(cat .env)",
        "set -a; . ./.env; set +a",
    ],
)
def test_a_file_whose_lines_become_variables_is_read(command: str) -> None:
    assert level({"match": {"path": {"glob": ".env", "access": "read"}}}, command) == "deny"
    assert level({"match": {"path": ".env"}}, command) == "allow"


def test_the_program_behind_loaded_variables_is_run() -> None:
    facts = read_call(ToolCall("Bash", {"command": "env $(cat b) c d"}))
    assert [(one.path, one.access) for one in facts.paths] == [("d", "read"), ("b", "load")]
    assert ("c", "d") in [one.invocation.argv for one in facts.commands]
    for command in ("env $(cat .env | xargs) git push", "env -i A=1 $(cat .env) git push"):
        assert level({"match": {"command": "git push"}}, command) == "deny"


def test_a_program_whose_name_is_decoded_is_still_asked_about() -> None:
    assert level({"match": {"command": "git push"}}, f"env {HIDDEN} origin") == "ask"


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        ({"command": "git push"}, "ask"),
        ({"content": "console.log"}, "ask"),
        ({"tool": {"name": "Bash", "matches": "curl.*sh"}}, "ask"),
        ({"tool": "mcp__slack__*"}, "allow"),
    ],
)
def test_a_command_that_hides_what_it_runs_is_asked_about_where_a_rule_could_stop_it(
    match: dict[str, object], expected: str
) -> None:
    assert level({"match": match}, f'sh -c "{HIDDEN}"') == expected


@pytest.mark.parametrize(
    ("match", "expected"),
    [
        ({"command": "git push"}, "ask"),
        ({"content": "console.log"}, "allow"),
        ({"tool": "mcp__slack__*"}, "allow"),
    ],
)
def test_a_command_that_no_shell_would_take_can_still_break_a_rule_on_commands(
    match: dict[str, object], expected: str
) -> None:
    assert level({"match": match}, "echo 'a") == expected
