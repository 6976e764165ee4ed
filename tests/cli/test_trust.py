"""`dmm trust` as it is typed."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from dmm.rulefile import RuleFiles

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.cli.conftest import Typed
    from tests.conftest import Command, MemoryText, Project


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def state(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("DMM_STATE_DIR", str(home / "state"))
    return home / "state"


@pytest.fixture
def cloned(project: Project, memory_text: MemoryText) -> Project:
    project.write("baseline/rules.md", memory_text("Rules", "Obey \x1b[2J me.", scope="baseline"))
    project.write("project/one.md", memory_text(id="mem_2026_01_31_002"))
    return project


SHOWN = """\
{folder}
  2 memories (1 baseline, 1 project)
  1 hidden character: dmm validate names the files
  every session would start with:
    Rules  (baseline/rules.md)
      Obey <U+001B>[2J me.
"""


def is_trusted(typed: Typed, project: Project) -> bool:
    told = json.loads(typed("trust", "--json", within=project.folder).out)
    return bool(told["trusted"])


def test_without_a_terminal_it_shows_the_memory_and_trusts_nothing(
    typed: Typed, cloned: Project
) -> None:
    told = typed("trust", within=cloned.folder)
    assert told.status == 2
    assert told.out == SHOWN.format(folder=cloned.dmm)
    assert told.err == (
        "dmm: no terminal to confirm trusting this\n  hint:  run it in a terminal, or add --yes\n"
    )
    assert not is_trusted(typed, cloned)


@pytest.mark.parametrize(
    ("said", "trusted"),
    [("y\n", True), ("YES\n", True), ("n\n", False), ("\n", False), ("", False)],
)
def test_in_a_terminal_it_asks_and_only_yes_is_yes(
    typed: Typed, cloned: Project, monkeypatch: pytest.MonkeyPatch, said: str, trusted: bool
) -> None:
    monkeypatch.setattr(sys, "stdin", Terminal(said))
    told = typed("trust", within=cloned.folder)
    assert told.status == 0
    end = (
        "Trusted. Agents can use this memory from now on."
        if trusted
        else "Not trusted. Agents get nothing from it; you can still use dmm query."
    )
    assert told.out == f"{SHOWN.format(folder=cloned.dmm)}Trust this project? [y/N] \n{end}\n"
    assert is_trusted(typed, cloned) is trusted


def test_a_ledger_is_asked_about_separately(
    typed: Typed, cloned: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed("ledger", "constraint", "never run the tests", within=cloned.folder)
    monkeypatch.setattr(sys, "stdin", Terminal("y\nn\n"))
    told = typed("trust", within=cloned.folder).out
    assert "    required: never run the tests\n" in told
    assert "Keep its ledger active too? [y/N] " in told
    aside = list(cloned.dmm.glob("ledger.db.untrusted-*"))
    assert len(aside) == 1
    assert str(aside[0].name) in told.replace("\n", "").replace(" ", "")
    assert not (cloned.dmm / "ledger.db").exists()


def test_a_ledger_is_kept_on_request(
    typed: Typed, cloned: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed("ledger", "fact", "a", "b", within=cloned.folder)
    monkeypatch.setattr(sys, "stdin", Terminal("y\ny\n"))
    typed("trust", within=cloned.folder)
    assert (cloned.dmm / "ledger.db").exists()
    typed("trust", "--revoke", within=cloned.folder)
    told = typed("trust", "--yes", "--with-ledger", "--json", within=cloned.folder)
    assert json.loads(told.out)["ledger_aside"] is None
    assert (cloned.dmm / "ledger.db").exists()
    typed("trust", "--revoke", within=cloned.folder)
    told = typed("trust", "--yes", "--json", within=cloned.folder)
    assert json.loads(told.out)["ledger_aside"].startswith(f"{cloned.dmm}/ledger.db.untrusted-")


def test_as_data_it_only_shows_unless_yes_is_said(typed: Typed, cloned: Project) -> None:
    told = json.loads(typed("trust", "--json", within=cloned.folder).out)
    assert told == {
        "folder": str(cloned.dmm),
        "trusted": False,
        "memories": {"baseline": 1, "project": 1},
        "faulty": 0,
        "baseline": [{"path": "baseline/rules.md", "title": "Rules", "begins": "Obey \x1b[2J me."}],
        "ledger": None,
        "constraints": [],
        "ledger_note": "",
        "changed": [],
        "brought": [],
        "hidden": 1,
        "strange": "",
        "changes": [],
        "rules": [],
        "written_in": None,
        "ledger_aside": None,
    }
    assert json.loads(typed("trust", "--json", "--yes", within=cloned.folder).out)["trusted"]
    told = typed("trust", within=cloned.folder)
    assert told.status == 0
    assert told.out.endswith(
        "\nThis project is already trusted. To stop trusting it: dmm trust --revoke\n"
    )


def test_trusted_projects_are_listed(typed: Typed, cloned: Project) -> None:
    assert typed("trust", "--list", within=cloned.folder).out == "No project is trusted yet.\n"
    typed("trust", "--yes", within=cloned.folder)
    assert typed("trust", "--list", within=cloned.folder).out == f"{cloned.dmm}\n"
    moved = cloned.folder.rename(cloned.folder.with_name("moved"))
    told = typed("trust", "--list", within=moved)
    assert told.out == f"{cloned.dmm}  (missing, or a different folder now)\n"
    told = typed("trust", "--list", "--json", within=moved)
    assert json.loads(told.out) == {"projects": [{"folder": str(cloned.dmm), "there": False}]}
    told = typed("trust", "--revoke", "--root", str(cloned.folder), within=moved)
    assert told.out == f"{cloned.dmm} is no longer trusted\n"
    told = typed("trust", "--revoke", "--json", within=moved)
    assert json.loads(told.out) == {"folder": str(moved / ".dmm"), "revoked": False}


@pytest.mark.parametrize("gone", [False, True])
def test_a_project_that_is_no_longer_trusted_leaves_no_rules_on_file(
    typed: Typed, project: Project, home: Path, state: Path, gone: bool
) -> None:
    files = RuleFiles(str(state))
    typed("trust", "--yes", within=project.folder)
    typed("ledger", "constraint", "never run terraform destroy", within=project.folder)
    assert files.read(str(project.dmm))
    if gone:
        shutil.rmtree(project.folder)
    typed("trust", "--revoke", "--root", str(project.folder), within=home)
    assert files.read(str(project.dmm)) is None


def test_a_revocation_that_fails_or_is_of_another_folder_leaves_the_rules(
    typed: Typed, project: Project, home: Path, state: Path
) -> None:
    files = RuleFiles(str(state))
    typed("trust", "--yes", within=project.folder)
    typed("ledger", "constraint", "never run terraform destroy", within=project.folder)
    rules = files.read(str(project.dmm))
    assert rules
    # A worktree that is gone shared the ledger, but was trusted by its repository.
    gone = home / "gone" / ".dmm"
    gone.mkdir(parents=True)
    files.write(str(gone), str(project.dmm / "ledger.db"), rules)
    shutil.rmtree(gone.parent)
    told = typed("trust", "--revoke", "--root", str(gone), within=home)
    assert told.out == f"{gone} was not trusted\n"
    assert files.read(str(project.dmm)) == rules
    (state / "trust.json").write_text("{")
    assert typed("trust", "--revoke", within=project.folder).status == 9
    assert files.read(str(project.dmm)) == rules


def test_what_init_makes_is_trusted_and_what_was_there_is_not(
    typed: Typed, cloned: Project, tmp_path: Path
) -> None:
    (tmp_path / "new").mkdir()
    told = typed("init", "--json", within=tmp_path / "new")
    assert json.loads(told.out)["trusted"] is True
    told = typed("init", within=cloned.folder)
    assert " ".join(
        [
            "This memory was not created here, so agents get nothing from it yet.",
            "Review it and decide: dmm trust",
        ]
    ) in " ".join(told.out.split())
    assert not is_trusted(typed, cloned)


RULE = """\
---
id: no-push
level: deny
match:
  - {command: {program: git, subcommand: push}}
---
# Never push

Releases come from CI.
"""


def test_a_new_rule_is_shown_once_and_a_changed_or_broken_one_as_a_diff(
    typed: Typed, cloned: Project
) -> None:
    rules = cloned.dmm / "rules"
    rules.mkdir()
    (rules / "no-push.md").write_text(RULE)
    typed("trust", "--yes", within=cloned.folder)
    (rules / "no-push.md").write_text(RULE.replace("deny", "ask"))
    (rules / "no-pull.md").write_text(RULE.replace("push", "pull"))
    (rules / "broken.md").write_text("# Never\n\x00")
    told = typed("trust", within=cloned.folder).out
    assert "    enforced: Never pull  (rules/no-pull.md)\n" in told
    assert "      why: Releases come from CI.\n" in told
    assert "  rules/no-pull.md (new), as above\n" in told
    assert "+# Never pull" not in told
    assert "  rules/no-push.md (changed)\n" in told
    assert "    +level: ask\n" in told
    assert "    +# Never\n" in told


def test_a_damaged_record_is_told_with_the_way_out(
    typed: Typed, cloned: Project, state: Path
) -> None:
    typed("trust", "--yes", within=cloned.folder)
    (state / "trust.json").write_text("{")
    told = typed("trust", "--list", within=cloned.folder)
    assert told.status == 9
    assert told.err == (
        "dmm: the record of trusted projects is damaged\n"
        f"  where: {state}/trust.json\n"
        "  hint:  move the file away; then, in each of your projects: dmm trust --with-ledger\n"
    )
    assert typed("trust", "--yes", within=cloned.folder).status == 9


def test_a_state_folder_that_can_not_be_made_is_told(
    typed: Typed, cloned: Project, state: Path
) -> None:
    state.write_text("a file")
    told = typed("trust", "--yes", within=cloned.folder)
    assert told.status == 9
    assert told.err.startswith("dmm: could not make the folder of the user's state: ")


def test_an_agents_shell_can_not_trust(project: Project, command: Command) -> None:
    told = command("trust", "--yes", within=project.folder, env={"CLAUDECODE": "1"})
    assert told.returncode == 2
    assert "an agent can't trust memory" in told.stderr
    assert command("trust", "--yes", within=project.folder).returncode == 0


@pytest.mark.parametrize("line", [["trust"], ["trust", "--yes"], ["trust", "--revoke"]])
def test_an_agent_neither_gives_nor_takes_trust_even_in_a_terminal(
    typed: Typed, cloned: Project, monkeypatch: pytest.MonkeyPatch, line: list[str]
) -> None:
    monkeypatch.setenv("CODEX_THREAD_ID", "1")
    monkeypatch.setattr(sys, "stdin", Terminal("y\ny\n"))
    told = typed(*line, within=cloned.folder)
    assert told.status == 2
    assert "(CODEX_THREAD_ID is set)" in told.err
    assert typed("trust", "--list", within=cloned.folder).out == "No project is trusted yet.\n"


def test_a_ledger_that_lost_events_is_told_and_settled_by_a_person(
    typed: Typed, project: Project
) -> None:
    typed("trust", "--yes", within=project.folder)
    typed("ledger", "fact", "budget", "5", within=project.folder)
    copy = project.folder / "older.db"
    typed("ledger", "backup", str(copy), within=project.folder)
    typed("ledger", "fact", "budget", "6", within=project.folder)
    ledger = project.dmm / "ledger.db"
    ledger.unlink()
    shutil.copy(copy, ledger)
    refused = typed("ledger", "context", within=project.folder)
    assert refused.status == 11
    assert "the ledger ends at event 1, but event 2 was recorded in it" in refused.err
    verified = typed("ledger", "verify", within=project.folder)
    assert verified.status == 1
    assert "NOT VALID" in verified.out
    told = typed("trust", within=project.folder)
    assert "the ledger was changed outside DMM" in told.out
    settled = typed("trust", "--yes", "--with-ledger", within=project.folder)
    assert "The ledger is trusted." in settled.out
    assert "budget = 5" in typed("ledger", "context", within=project.folder).out


def test_a_damaged_ledger_without_a_backup_is_set_aside_by_a_person(
    typed: Typed, project: Project
) -> None:
    typed("trust", "--yes", within=project.folder)
    for number in range(40):
        typed("ledger", "fact", f"budget {number}", "x" * 400, within=project.folder)
    ledger = project.dmm / "ledger.db"
    os.truncate(ledger, ledger.stat().st_size // 2)
    told = typed("status", within=project.folder)
    assert "dmm ledger restore" in " ".join(told.out.split())
    refused = typed("ledger", "restore", within=project.folder)
    assert refused.err.endswith("or start a new ledger: dmm trust\n")
    settled = typed("trust", "--yes", within=project.folder)
    assert "A new ledger was started" in settled.out
    assert list(project.dmm.glob("ledger.db.untrusted-*"))
    assert typed("ledger", "fact", "budget", "6", within=project.folder).status == 0


def test_a_ledger_in_the_place_of_the_own_is_settled_by_a_person(
    typed: Typed, project: Project, new_project: Callable[[str], Project]
) -> None:
    other = new_project("other")
    typed("ledger", "fact", "colour", "red", within=other.folder)
    typed("trust", "--yes", within=project.folder)
    typed("ledger", "fact", "budget", "5", within=project.folder)
    ledger = project.dmm / "ledger.db"
    ledger.unlink()
    shutil.copy(other.dmm / "ledger.db", ledger)
    refused = typed("ledger", "context", within=project.folder)
    assert refused.status == 11
    assert refused.err == (
        "dmm: another ledger has replaced the one that was written here\n"
        f"  where: {ledger}\n"
        "  hint:  review it and decide: dmm trust; or restore a backup: dmm ledger restore\n"
    )
    assert "Ledger" in typed("status", within=project.folder).out
    told = typed("trust", within=project.folder)
    assert told.status == 2
    assert "the ledger is not the one written here" in told.out
    settled = typed("trust", "--yes", within=project.folder)
    assert "A new ledger was started" in settled.out
    assert not ledger.exists()
    assert typed("ledger", "fact", "budget", "6", within=project.folder).status == 0


@pytest.mark.parametrize("size", [0, 5_000, None])
@pytest.mark.parametrize("options", [[], ["--with-ledger"]])
@pytest.mark.parametrize("record_gone", [False, True])
def test_a_damaged_ledger_is_called_damaged_and_a_new_one_can_begin(
    typed: Typed,
    project: Project,
    state: Path,
    size: int | None,
    options: list[str],
    *,
    record_gone: bool,
) -> None:
    typed("trust", "--yes", within=project.folder)
    typed("ledger", "fact", "budget", "5", within=project.folder)
    ledger = project.dmm / "ledger.db"
    if size is None:
        ledger.write_bytes(b"no database" * 1_000)
    else:
        os.truncate(ledger, size)
    refused = typed("ledger", "fact", "budget", "6", within=project.folder)
    assert "replaced" not in refused.err
    assert "dmm ledger restore" in refused.err
    assert "dmm trust" in refused.err
    told = typed("trust", within=project.folder)
    assert "the ledger is damaged: none of its events can be read" in told.out
    if record_gone:
        (state / "trust.json").unlink()
    settled = typed("trust", "--yes", *options, within=project.folder)
    assert ("A new ledger was started" in settled.out) is not record_gone
    assert list(project.dmm.glob("ledger.db.untrusted-*"))
    assert typed("ledger", "fact", "budget", "6", within=project.folder).status == 0


@pytest.mark.parametrize(
    "settings",
    ['{"storage": {"embeddings_db": "elsewhere.db"}}', '{"model": {"name": "m"}}', "{"],
)
def test_settings_that_no_project_can_be_opened_with_are_not_approved(
    typed: Typed, cloned: Project, settings: str
) -> None:
    file = cloned.dmm / "daemon.config.json"
    file.write_text("{}")
    typed("trust", "--yes", within=cloned.folder)
    file.write_text(settings)
    refused = typed("trust", "--yes", within=cloned.folder)
    assert refused.status != 0
    assert "daemon.config.json" in refused.err
    assert typed("query", "what are the rules", within=cloned.folder).status == 0
    file.write_text('{"conflict_scan_interval": "never"}')
    assert typed("trust", "--yes", within=cloned.folder).status == 0
    assert typed("query", "what are the rules", within=cloned.folder).status == 0
