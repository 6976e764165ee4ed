"""What the matchers of rule files mean at their edges."""

from __future__ import annotations

from typing import Any

import pytest

from dmm.errors import RuleFormError
from dmm.rules.callbook import CallBook, CallEntry
from dmm.rules.commands.calls import ToolCall
from dmm.rules.form import compile_fields
from dmm.rules.patterns import PathPattern
from dmm.rules.source import prove


def holds(block: list[Any], allow: list[Any], **fields: Any) -> bool:
    """Whether a rule of these fields stops and allows just that."""
    examples = {"block": block, "allow": allow}
    return prove(compile_fields({**fields, "examples": examples}, "A rule", "", "rule")) == ()


@pytest.mark.parametrize(
    ("program", "flag"), [("kubectl", "--context"), ("tools/trial.py", "--name-filter")]
)
def test_a_flag_with_a_value_wants_that_value_in_either_spelling(program: str, flag: str) -> None:
    name = program.rpartition("/")[2]
    assert holds(
        [f"{program} get {flag} prod-eu", f"{program} get {flag}=prod-us"],
        [
            f"{program} get {flag} staging",
            f"{program} get {flag}=staging",
            f"{program} get prod-eu",
        ],
        match={"command": {"program": name, "flags": f"{flag}=prod-*"}},
    )


def test_a_subcommand_stands_first_also_for_a_program_that_nobody_knows() -> None:
    assert holds(
        ["tracker edit 4", "tracker --db a.db edit 4", "tracker -v edit"],
        ["tracker show edit", "tracker list --sort edit-date"],
        match={"command": {"program": "tracker", "subcommand": "edit"}},
    )


def test_names_with_an_exclamation_mark_are_taken_out_of_packages_and_branches() -> None:
    assert holds(
        ["npm install left-pad", "npm install @types/node left-pad"],
        ["npm install -D @types/node"],
        match={"command": {"package": ["*", "!@types/*"]}},
    )
    assert holds(
        ["git push origin main"],
        ["git push origin dev/one"],
        match={"command": {"branch": ["!dev/*"]}},
    )


def test_an_exception_for_a_command_lifts_the_files_it_touches_and_no_others() -> None:
    assert holds(
        ["sed -i s/a/b/ src/a.py", "git add . && sed -i s/a/b/ src/a.py"],
        ["git mv src/a.py src/b.py", "git checkout src/a.py"],
        match={"tool": "Bash", "path": "*.py"},
        unless={"command": {"program": "git"}},
    )


def test_an_edit_of_a_text_never_creates_a_file() -> None:
    created = {"path": {"glob": "notes/**", "access": "create"}}
    patch = "*** Begin Patch\n*** Update File: notes/a.md\n@@\n-a\n+b\n*** End Patch\n"
    several = {"file_path": "notes/a.md", "edits": [{"old_string": "a", "new_string": "b"}]}
    assert holds(
        [{"write": "notes/a.md", "text": "a"}, "touch notes/a.md"],
        [
            {"edit": "notes/a.md", "old": "a", "new": "b"},
            {"tool": "MultiEdit", "input": several},
            {"tool": "apply_patch", "input": {"input": patch}},
            {"write": "notes/a.md", "text": "b", "files": {"notes/a.md": "a"}},
        ],
        match=created,
    )


def test_braces_in_a_glob_are_refused_as_they_would_never_match() -> None:
    with pytest.raises(RuleFormError, match="braces"):
        compile_fields({"match": {"path": "src/**/*.{ts,tsx}"}}, "A rule", "", "rule")


@pytest.mark.parametrize("tool", ["Bash", "bash", "exec_command", "run_shell_command"])
def test_bash_in_a_rule_is_the_shell_of_every_client(tool: str) -> None:
    assert holds(
        [{"tool": tool, "input": {"command": "ls"}}], [{"read": "a"}], match=[{"tool": "Bash"}]
    )


@pytest.mark.parametrize("glob", ["a[z-a]", "[b-a].py", "[!]", "!src/[z-a]"])
def test_an_impossible_glob_is_refused(glob: str) -> None:
    with pytest.raises(RuleFormError, match="is not a valid glob"):
        compile_fields({"match": {"path": glob}}, "A rule", "", "rule")


def test_a_rule_that_fails_asks_and_the_others_still_decide() -> None:
    sound = compile_fields({"match": {"path": "src/**"}}, "A rule", "", "sound").call
    assert sound is not None
    faulty = sound.changed(patterns=(PathPattern("[z-a]\n**", ("write",), ""),))
    book = CallBook([CallEntry(1, "Faulty", faulty, id="faulty"), CallEntry(2, "Sound", sound)])
    call = ToolCall("Write", {"file_path": "src/a.py", "content": "x"})
    ruling = book.rule(call)
    assert (ruling.level, ruling.seq) == ("deny", 2)
    (failed,) = [one for one in ruling.findings if one.id == "faulty"]
    assert failed.level == "ask"
    assert failed.stopped
    assert failed.reason.startswith("this rule could not be applied: ")
