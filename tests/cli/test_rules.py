"""dmm rules: what people see and type, in 80 columns, in a pipe and in an editor."""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dmm.cli.format import rule_lines
from dmm.rules.results import AskedCall
from dmm.sessions.payload import parse_payload
from dmm.sessions.service import deliver

if TYPE_CHECKING:
    from tests.cli.conftest import Told, Typed
    from tests.conftest import Command, Opener, Project

COMMANDS = [
    *("list", "show", "add", "edit", "test", "draft", "rehearse", "disable", "enable"),
    *("accept", "allow", "explain", "adopt"),
]
LONG = "never run rm -rf " + "in a folder that somebody else may still need " * 3


@dataclass(frozen=True, slots=True)
class ProposalStore:
    """Types dmm rules commands in a trusted project."""

    typed: Typed
    folder: Path

    def __call__(self, *arguments: str) -> Told:
        return self.typed("rules", *arguments, within=self.folder)

    def data(self, *arguments: str) -> Any:
        return json.loads(self(*arguments, "--json").out)

    def path(self, name: str) -> Path:
        return self.folder / ".dmm" / "rules" / f"{name}.md"


@pytest.fixture
def rules(typed: Typed, project: Project, monkeypatch: pytest.MonkeyPatch) -> ProposalStore:
    monkeypatch.delenv("VISUAL", raising=False)
    monkeypatch.delenv("CLAUDECODE", raising=False)
    typed("trust", "--yes", within=project.folder)
    return ProposalStore(typed, project.folder)


def write_editor(folder: Path, script: str) -> str:
    path = folder / "editor.sh"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def test_every_command_is_there_with_an_example(rules: ProposalStore) -> None:
    shown = rules("--help").out.partition("Commands:\n")[2]
    assert [line.split()[0] for line in shown.splitlines()] == COMMANDS
    for name in COMMANDS:
        told = rules(name, "--help")
        assert "Example: dmm rules" in " ".join(told.out.split())
        assert max(map(len, told.out.splitlines())) <= 80


def test_without_a_command_the_rules_are_listed_by_state(rules: ProposalStore) -> None:
    assert rules().out.startswith("No rules yet.")
    rules("add", "Be kind to users")
    rules("add", "never run rm -rf")
    rules("add", "tag with care", "--match", "{command: git tag}", "--level", "ask")
    told = rules().out
    assert told == (
        "enforced: 1\n  never-run-rm-rf  never run rm -rf\n"
        "asks: 1\n  tag-with-care  tag with care\n"
        "advice: 1\n  be-kind-to-users  Be kind to users\n"
    )
    assert rules("list").out == told
    assert rules.data("list")["counts"]["enforced"] == 1
    assert json.loads(rules("--json").out) == rules.data("list")


def test_starter_rules_are_one_line_a_state(rules: ProposalStore) -> None:
    rules.typed("ledger", "constraint", "--starter", within=rules.folder)
    told = rules().out
    assert "starter." not in told
    assert " starter rules\n" in told


def test_a_pipe_gets_whole_lines(rules: ProposalStore, command: Command) -> None:
    rules("add", LONG)
    told = command("rules", within=rules.folder)
    assert " ".join(LONG.split()) in told.stdout


def test_a_rule_is_shown_with_its_state_in_80_columns(rules: ProposalStore) -> None:
    added = rules("add", LONG, "--why", "It can't be undone. " * 8)
    shown = rules("show", added.out.split()[1].rstrip(":"))
    for told in (added, shown):
        assert told.status == 0
        assert max(map(len, told.out.splitlines())) <= 80
        assert "  state:    " in told.out
    assert "  stopped:  0 calls\n" in shown.out


def test_what_does_not_block_never_says_so(rules: ProposalStore) -> None:
    for text in ("Be kind to users", "verify budget before booking"):
        told = rules("add", text).out
        assert "block" not in told.lower()
        assert "Not enforced" in told


def test_the_same_rule_is_refused_by_the_name_of_the_first(rules: ProposalStore) -> None:
    rules("add", "never run rm -rf")
    told = rules("add", "Never run rm -rf.")
    assert (told.status, told.out) == (2, "")
    assert "rule never-run-rm-rf says the same" in told.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--match", "{command: x"], "not valid YAML"),
        (["--match", "{comand: x}"], "did you mean 'command'?"),
        (["--match", "{command: x}", "--block", "ls"], "examples.block[0]"),
        (["--level", "strict"], "is not a known level"),
        (["--unless", "{command: x}"], "'unless' needs 'match'"),
    ],
)
def test_a_bad_rule_says_what_is_wrong(
    rules: ProposalStore, arguments: list[str], said: str
) -> None:
    told = rules("add", "some rule", *arguments)
    assert told.status == 2
    assert said in told.err
    assert not rules.path("some-rule").exists()


def test_an_unknown_rule_is_not_found_and_a_near_one_is_named(rules: ProposalStore) -> None:
    rules("add", "never run rm -rf")
    for name in ("show", "edit", "disable", "explain"):
        told = rules(name, "never-run-rm")
        assert told.status == 2
        assert "did you mean never-run-rm-rf" in told.err
    assert "did you mean never-run-rm-rf" in rules("show", "rm").err


def test_an_edit_is_checked_and_a_failed_one_changes_nothing(
    rules: ProposalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules("add", "never run rm -rf")
    before = rules.path("never-run-rm-rf").read_text()
    monkeypatch.setenv("EDITOR", write_editor(tmp_path, 'sed -i s/match:/mach:/ "$1"'))
    failed = rules("edit", "never-run-rm-rf")
    assert failed.status == 7
    assert "your text is kept in" in failed.err
    assert rules.path("never-run-rm-rf").read_text() == before
    monkeypatch.setenv("EDITOR", "true")
    assert rules("edit", "never-run-rm-rf").out == "Nothing changed.\n"
    monkeypatch.setenv("EDITOR", write_editor(tmp_path, 'echo "Because." >> "$1"'))
    assert "  why:      Because." in rules("edit", "never-run-rm-rf").out


def test_a_file_with_a_change_to_approve_opens_no_editor(
    rules: ProposalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules("add", "never run rm -rf")
    changed = rules.path("never-run-rm-rf").read_text() + "\nBecause of May.\n"
    rules.path("never-run-rm-rf").write_text(changed)
    monkeypatch.setenv("EDITOR", write_editor(tmp_path, f'touch "{tmp_path}/opened"'))
    told = rules("edit", "never-run-rm-rf")
    assert told.status == 2
    assert "review the change first: dmm trust" in told.err
    shown = rules("show", "never-run-rm-rf").out
    assert "  state:    enforced (its file has changed: dmm trust)\n" in shown
    assert not (tmp_path / "opened").exists()
    assert rules.path("never-run-rm-rf").read_text() == changed


def read_kept(told: str) -> str:
    kept = re.search(r"your text is kept in (\S+)", told)
    assert kept is not None, told
    return Path(kept[1]).read_text()


def test_an_editor_that_fails_loses_no_text(
    rules: ProposalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules("add", "never run rm -rf")
    before = rules.path("never-run-rm-rf").read_text()
    monkeypatch.setenv("EDITOR", write_editor(tmp_path, 'echo x >> "$1"; exit 1'))
    told = rules("edit", "never-run-rm-rf")
    assert told.status == 2
    assert "the editor exited with status 1" in told.err
    assert read_kept(told.err) == f"{before}x\n"
    monkeypatch.setenv("EDITOR", "false")
    assert "is kept" not in rules("edit", "never-run-rm-rf").err


def test_an_interrupted_editor_changes_nothing(
    rules: ProposalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules("add", "never run rm -rf")
    before = rules.path("never-run-rm-rf").read_text()
    monkeypatch.setenv("EDITOR", write_editor(tmp_path, 'echo x >> "$1"; kill -INT $$'))
    told = rules("edit", "never-run-rm-rf")
    assert told.status == 130
    assert read_kept(told.err) == f"{before}x\n"
    assert rules("add", "another rule", "--edit").status == 130
    assert rules.path("never-run-rm-rf").read_text() == before
    assert not rules.path("another-rule").exists()


def test_a_new_rule_can_be_edited_before_it_is_added(
    rules: ProposalStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = """sed -i 's/^id:.*/&\\nmatch: {command: "git tag"}/' "$1\""""
    monkeypatch.setenv("EDITOR", write_editor(tmp_path, script))
    told = rules("add", "tag with care", "--edit")
    assert "  state:    enforced\n" in told.out


def test_examples_are_run_in_a_clone_that_nobody_trusts(rules: ProposalStore, typed: Typed) -> None:
    rules("add", "never run rm -rf")
    typed("trust", "--revoke", within=rules.folder)
    assert rules("test").status == 0
    rules.path("broken").write_text("---\nmatch: [\n---\n# Broken\n")
    told = rules("test")
    assert told.status == 1
    assert ".dmm/rules/broken.md:" in told.out
    assert rules.data("test")["failures"][0]["path"] == ".dmm/rules/broken.md"


def test_a_broken_file_is_named_and_the_others_stay_in_force(
    rules: ProposalStore, typed: Typed
) -> None:
    rules("add", "never run rm -rf")
    rules.path("broken").write_text("---\nmatch: {comand: x}\n---\n# Broken\n")
    typed("trust", "--yes", within=rules.folder)
    told = rules().out
    assert "1 fault in rule files:\n  .dmm/rules/broken.md:2: " in told
    shown = rules("show", "broken")
    assert shown.status == 7
    assert "unknown field 'comand'" in shown.err
    assert "rules/broken.md:2" in shown.err
    assert typed("check", "rm -rf src", within=rules.folder).status == 3


def test_a_proposal_is_accepted_with_a_look_at_the_past(
    rules: ProposalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    given = ("--match", "{command: git push --force}", "--block", "git push -f")
    told = rules("add", "never force-push", *given, "--allow", "git push")
    assert told.out.startswith("proposed as constraint 1: never force-push\n")
    for name in ("accept", "disable", "edit", "adopt"):
        assert rules(name, "1").status == 2
    monkeypatch.delenv("CLAUDECODE")
    assert (
        "pending, until you accept them (dmm rules accept ID): 1\n  1  never force" in rules().out
    )
    assert rules("accept", "1").status == 2
    told = rules("accept", "1", "--yes")
    assert "  state:    asks (pending, enforced once accepted)\n" in told.out
    assert "  would have stopped 0 of 0 past calls\n" in told.out
    assert "rule never-force-push is enforced: never force-push\n" in told.out
    assert rules.path("never-force-push").is_file()


def test_the_ledgers_own_accept_puts_a_proposed_rule_in_force_too(
    rules: ProposalStore, typed: Typed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    given = ("--match", "{command: git push --force}", "--block", "git push -f")
    rules("add", "never force-push", *given, "--allow", "git push")
    monkeypatch.delenv("CLAUDECODE")
    told = typed("ledger", "accept", "1", within=rules.folder).out
    assert "would have stopped" in told
    assert rules.path("never-force-push").is_file()


def test_ledger_constraints_are_adopted(rules: ProposalStore, typed: Typed) -> None:
    typed("ledger", "constraint", "never run rm -rf", within=rules.folder)
    assert rules("adopt").status == 2
    assert rules("adopt", "--all").out == (
        "constraint 1 -> .dmm/rules/never-run-rm-rf.md: never run rm -rf\n  state: enforced\n"
    )


def test_a_draft_is_printed_for_an_agent(rules: ProposalStore) -> None:
    assert rules("draft").out == "Every rule has a matcher: there is nothing to draft.\n"
    rules("add", "Be kind to users")
    assert rules("draft").out.endswith("## Sentences\n\n- Be kind to users\n")


def test_a_rule_is_switched_off_and_on(rules: ProposalStore) -> None:
    rules("add", "never run rm -rf")
    assert rules("disable", "never-run-rm-rf").out == "rule never-run-rm-rf is disabled\n"
    assert rules().out == "disabled: 1\n  never-run-rm-rf  never run rm -rf\n"
    assert rules("enable", "never-run-rm-rf").out == "rule never-run-rm-rf is enforced\n"


def test_a_rehearsal_counts_past_calls(rules: ProposalStore, tmp_path: Path) -> None:
    assert rules("rehearse", "never use curl").out == "would have stopped 0 of 0 past calls\n"
    file = tmp_path / "new.md"
    file.write_text("---\nmatch: {command: ls}\n---\n# No ls\n")
    assert rules("rehearse", str(file)).status == 0


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_is_read_only_is_named(rules: ProposalStore) -> None:
    folder = rules.folder / ".dmm"
    folder.chmod(0o555)
    try:
        assert rules("add", "never run rm -rf").status == 9
    finally:
        folder.chmod(0o755)


def test_no_project_is_said_so(typed: Typed, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    assert typed("rules", within=empty).status == 5


def test_advice_that_warns_says_so_in_the_list(rules: ProposalStore) -> None:
    rules("add", "prefer the glob tool", "--level", "warn", "--match", "{command: ls}")
    assert "  prefer-the-glob-tool  (warns) prefer the glob tool\n" in rules().out


def test_validation_fits_a_terminal_and_gives_a_pipe_whole_lines(
    rules: ProposalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    rules("add", "never run rm -rf")
    rules.path("broken").write_text("# No front matter\n")
    piped = rules.typed("validate", within=rules.folder).out.splitlines()
    assert max(map(len, piped)) > 80
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    shown = rules.typed("validate", within=rules.folder).out.splitlines()
    assert max(map(len, shown)) <= 80


def test_a_call_that_was_asked_about_is_shown_and_allowed_once(
    rules: ProposalStore, project: Project, open_project: Opener
) -> None:
    rules("add", "never push to main", "--level", "ask")
    payload = {"session_id": "s", "cwd": "/srv/shop", "hook_event_name": "PreToolUse"}
    call = {"tool_name": "Bash", "tool_input": {"command": "git push origin main"}}
    asked = deliver(parse_payload("codex", json.dumps(payload | call).encode()))
    dmm = open_project(project)
    dmm.sessions.attend(asked, dmm.sessions.judge(asked.event))
    seq = dmm.project_ledger.reading.head().seq
    refused = rules("allow", str(seq))
    assert refused.status == 2
    assert "no terminal to confirm this" in refused.err
    told = rules("allow", str(seq), "--yes")
    assert told.out == (
        f"event {seq}, codex: Bash in /srv/shop\n"
        "  command: git push origin main\n"
        '  asked by rule never-push-to-main: it matches "git push origin main"\n'
        "Allowed once, for 15 minutes. Tell the agent to try the same call again.\n"
    )
    assert rules("allow", "1", "--yes").status == 11
    assert rules("allow", "9" * 30, "--yes").status == 2


def test_each_line_of_a_call_is_shown_by_itself() -> None:
    given = {"command": "git push # clean up\nrm -rf x", "ids": [1, 2]}
    asked = AskedCall(
        7, "codex", "", "Bash", given, "/srv", ("rule r: it pushes",), "", partial=True
    )
    assert list(rule_lines.asked(asked)) == [
        "event 7, codex: Bash in /srv",
        "  command: git push # clean up",
        "           rm -rf x",
        "  ids: [1, 2]",
        "  asked by rule r: it pushes",
        "  Secrets and parts of long texts are not shown: see the call in your client.",
    ]
