"""A hook that nobody answers judges a tool call itself, and a deny needs no disk to be given."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import git

import dmm.hook
from dmm import losses
from dmm.rulefile import RuleFiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import Opener, Project

ENTRY = Path(dmm.hook.__path__[0]) / "__main__.py"
RULE = "never run terraform destroy"


@dataclass(frozen=True, slots=True)
class Agent:
    """Runs the real hook for one project on a machine where no background process can start."""

    project: Project
    home: Path

    def ask(
        self,
        command: str,
        *,
        client: str = "claude-code",
        largest_file: int | None = None,
        **fields: Any,
    ) -> dict[str, Any]:
        payload = {
            "hook_event_name": "PreToolUse",
            "session_id": "s-1",
            "cwd": str(self.project.folder),
            "tool_name": "Bash",
            "tool_input": {"command": command},
            "tool_use_id": "toolu_1",
        } | fields

        def confine() -> None:
            assert largest_file is not None
            resource.setrlimit(resource.RLIMIT_FSIZE, (largest_file, largest_file))

        done = subprocess.run(
            [sys.executable, "-I", "-S", str(ENTRY), "--client", client],
            input=json.dumps(payload),
            cwd=self.home,
            env={"HOME": str(self.home), "DMM_RUN_DIR": "/proc/none"},
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
            # Without it, nothing of this large process is copied for the small one.
            preexec_fn=None if largest_file is None else confine,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return dict(json.loads(done.stdout)) if done.stdout else {}

    def decide(self, command: str, **more: Any) -> tuple[str, str]:
        told = self.ask(command, **more).get("hookSpecificOutput", {})
        return told.get("permissionDecision", "allow"), told.get("permissionDecisionReason", "")

    @property
    def state(self) -> Path:
        return self.home / ".local" / "state" / "dmm"

    def kept(self) -> list[list[str]]:
        """Give the first lines of the kept events, as words."""
        found = sorted((self.state / "spool").glob("*.event"))
        return [path.read_text().split("\n", 1)[0].split() for path in found]


@pytest.fixture
def agent(shop: Project, home: Path, open_project: Opener) -> Agent:
    dmm = open_project(shop)
    dmm.ledger.add_constraint(RULE)
    dmm.close()
    return Agent(shop, home)


@pytest.fixture
def lost(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    monkeypatch.setenv("DMM_STATE_DIR", str(agent.state))
    return losses.count


def test_a_forbidden_call_is_denied_with_the_rule_and_recorded_as_denied(agent: Agent) -> None:
    decision, reason = agent.decide("sudo terraform destroy -auto-approve")
    assert decision == "deny"
    assert f'DMM constraint 1: "{RULE}"' in reason
    ((_, client, _, ruled),) = agent.kept()
    assert (client, ruled) == ("claude-code", "deny-1")


def test_an_allowed_call_is_not_mentioned(agent: Agent) -> None:
    assert agent.ask("terraform plan") == {}
    assert [words[3] for words in agent.kept()] == ["allow-"]


def test_each_client_gets_the_deny_in_its_own_form(agent: Agent) -> None:
    assert agent.decide("terraform destroy", client="codex")[0] == "deny"
    gemini = agent.ask(
        "terraform destroy",
        client="gemini",
        hook_event_name="BeforeTool",
        tool_name="run_shell_command",
    )
    assert gemini["decision"] == "deny"
    assert agent.ask("terraform destroy", client="opencode")["deny"]


def test_a_deny_is_given_where_no_file_can_be_written(
    agent: Agent, lost: Callable[[], int]
) -> None:
    for number in range(1, 4):
        assert agent.decide("terraform destroy", largest_file=0)[0] == "deny"
        assert agent.kept() == []
        # Not even the counter could be written.
        assert lost() == 0, number


def test_events_that_find_no_room_are_counted(agent: Agent, lost: Callable[[], int]) -> None:
    agent.ask("make")
    before = len(agent.kept())
    for number in range(1, 4):
        # Room enough to write over the counter, and for nothing else.
        assert agent.decide("terraform destroy", largest_file=len(losses.NONE))[0] == "deny"
        assert lost() == number
    assert len(agent.kept()) == before
    assert not list((agent.state / "spool").glob("*.part"))


def test_what_was_done_before_is_not_known_here_so_the_user_is_asked(
    agent: Agent, open_project: Opener
) -> None:
    dmm = open_project(agent.project)
    dmm.ledger.add_constraint("run the tests before git commit")
    dmm.close()
    decision, reason = agent.decide("git commit -m x")
    assert decision == "ask"
    assert "whether this was done first is not known" in reason


def test_a_rule_that_was_lifted_or_added_counts_at_once(agent: Agent, open_project: Opener) -> None:
    dmm = open_project(agent.project)
    dmm.ledger.deactivate(1)
    assert agent.decide("terraform destroy")[0] == "allow"
    dmm.ledger.add_constraint("never run kubectl delete")
    dmm.close()
    assert agent.decide("kubectl delete ns prod")[0] == "deny"


def test_a_session_keeps_its_rules_when_its_folder_is_gone(agent: Agent) -> None:
    RuleFiles(str(agent.state)).remember("s-1", str(agent.project.dmm))
    agent.project.folder.rename(agent.home / "moved")
    assert agent.decide("terraform destroy")[0] == "deny"
    assert agent.decide("terraform destroy", session_id="another")[0] == "allow"


def test_another_folder_in_the_place_of_the_project_is_not_under_its_rules(agent: Agent) -> None:
    agent.project.folder.rename(agent.home / "moved")
    (agent.project.memory).mkdir(parents=True)
    told = agent.ask("terraform destroy")
    assert "hookSpecificOutput" not in told


@pytest.mark.parametrize("damage", [b"", b"{", b'{"rules": {"version": "0"}}', None])
def test_without_usable_rules_a_call_is_allowed_and_the_user_is_told(
    agent: Agent, damage: bytes | None
) -> None:
    (rules,) = (agent.state / "rules").iterdir()
    if damage is None:
        rules.unlink()
    else:
        rules.write_bytes(damage)
    told = agent.ask("terraform destroy")
    assert "could not check this call" in told["systemMessage"]
    assert "dmm doctor" in told["systemMessage"]
    assert agent.kept()[-1][3] == "unchecked-allow"


@pytest.mark.parametrize("wanted", ["ask", "deny"])
def test_whoever_wants_it_closed_gets_it_closed(agent: Agent, wanted: str) -> None:
    own = agent.home / ".dmm" / "daemon.config.json"
    own.parent.mkdir()
    own.write_text(json.dumps({"enforcement": {"on_failure": wanted}}))
    (rules,) = (agent.state / "rules").iterdir()
    rules.unlink()
    decision, reason = agent.decide("make")
    assert decision == wanted
    assert "could not check this call" in reason


def test_a_call_can_not_pass_itself_off_as_another_event(agent: Agent) -> None:
    hidden = {"hook_event_name": "Stop", "command": "terraform destroy"}
    payload_order = {"tool_input": hidden}
    decision, _ = agent.decide("", **payload_order)
    assert decision == "deny"


def test_a_session_that_starts_without_its_memory_is_told_so(agent: Agent) -> None:
    told = agent.ask("", hook_event_name="SessionStart", source="startup")
    assert told["systemMessage"].startswith("The DMM daemon does not answer")
    assert told["hookSpecificOutput"]["additionalContext"] == told["systemMessage"]
    assert len(agent.kept()) == 1


def test_memory_that_nobody_trusts_has_no_rules_and_no_notice(agent: Agent) -> None:
    (agent.state / "trust.json").write_text('{"version": 1, "projects": []}')
    RuleFiles(str(agent.state)).remove(str(agent.project.dmm))
    assert agent.ask("terraform destroy") == {}
    assert agent.ask("", hook_event_name="SessionStart", source="startup") == {}


def test_rule_files_are_private_and_others_are_not_believed(agent: Agent) -> None:
    (rules,) = (agent.state / "rules").iterdir()
    assert rules.stat().st_mode & 0o777 == 0o600
    assert rules.parent.stat().st_mode & 0o777 == 0o700
    rules.chmod(0o666)
    assert "systemMessage" in agent.ask("terraform destroy")


def test_memory_below_that_nobody_trusts_hides_no_rules(agent: Agent) -> None:
    inner = agent.project.folder / "vendor" / "lib"
    (inner / ".dmm" / "memory").mkdir(parents=True)
    for session in ("s-1", "s-2"):
        found = agent.decide("terraform destroy", cwd=str(inner), session_id=session)
        assert found[0] == "deny"


def test_a_session_stays_under_the_rules_it_began_with(agent: Agent, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / ".dmm" / "memory").mkdir(parents=True)
    assert agent.decide("terraform destroy", cwd=str(elsewhere))[0] == "allow"
    RuleFiles(str(agent.state)).remember("s-1", str(agent.project.dmm))
    assert agent.decide("terraform destroy", cwd=str(elsewhere))[0] == "deny"


@pytest.fixture
def second(agent: Agent, home: Path, open_project: Opener, tmp_path: Path) -> Path:
    """A new worktree of the project, of which only the repository knows."""
    git(agent.project.folder, "init", "-q")
    git(agent.project.folder, "commit", "-q", "--allow-empty", "-m", "first")
    agent.project.trust(home)
    dmm = open_project(agent.project)
    dmm.ledger.add_constraint("never run docker system prune")
    dmm.close()
    git(agent.project.folder, "worktree", "add", "-q", str(tmp_path / "second"))
    (tmp_path / "second" / ".dmm" / "memory").mkdir(parents=True)
    return tmp_path / "second"


def test_a_new_worktree_is_under_the_rules_of_its_repository(agent: Agent, second: Path) -> None:
    assert agent.decide("docker system prune -af", cwd=str(second))[0] == "deny"


def test_where_the_memory_is_not_checked_out_the_constraints_hold_and_no_rule_files(
    agent: Agent, second: Path, open_project: Opener
) -> None:
    dmm = open_project(agent.project)
    dmm.shelf.write("makes", "---\nmatch: {command: make}\n---\n# Never run make\n")
    dmm.close()
    start: dict[str, Any] = {"hook_event_name": "SessionStart", "source": "startup"}
    (second / "src").mkdir()
    shutil.rmtree(second / ".dmm")
    told = agent.ask("", cwd=str(second / "src"), **start)
    assert "; the constraints of its ledger are checked." in told["systemMessage"]
    ways = told["hookSpecificOutput"]["additionalContext"]
    assert f"git checkout BRANCH -- {second}/.dmm. " in ways
    assert ways.endswith(f"dmm trust --revoke --root {agent.project.dmm}")
    for folder in (second, second / "src"):
        assert agent.decide("docker system prune -af", cwd=str(folder))[0] == "deny"
        assert agent.ask("make", cwd=str(folder)) == {}
    assert agent.decide("make", cwd=str(agent.project.folder))[0] == "deny"
    assert agent.ask("", cwd=str(second), hook_event_name="Stop") == {}
    assert len(agent.kept()) == 1, "only the call in the checkout with a folder is recorded"
    RuleFiles(str(agent.state)).remove(str(agent.project.dmm))
    assert agent.ask("", cwd=str(second), **start) == {}
    assert agent.ask("docker system prune -af", cwd=str(second)) == {}


def test_where_nothing_is_noted_no_step_is_asked_for(
    agent: Agent, second: Path, open_project: Opener
) -> None:
    dmm = open_project(agent.project)
    dmm.ledger.add_constraint("run the tests before committing")
    dmm.close()
    shutil.rmtree(second / ".dmm")
    assert agent.ask("git commit -m x", cwd=str(second)) == {}
    assert agent.decide("docker system prune -af", cwd=str(second))[0] == "deny"


def test_constraints_on_file_that_can_not_be_read_are_told_where_no_memory_is_checked_out(
    agent: Agent, second: Path
) -> None:
    shutil.rmtree(second / ".dmm")
    for rules in (agent.state / "rules").glob("*"):
        rules.write_bytes(b"{}")
    told = agent.ask("", cwd=str(second), hook_event_name="SessionStart", source="startup")
    assert "no call can be checked against them" in told["systemMessage"]
    said = json.dumps(agent.ask("docker system prune -af", cwd=str(second)))
    assert "the constraints on file can't be used" in said
    assert "the daemon" not in said


def test_a_branch_without_the_folder_is_under_the_constraints_alone(
    agent: Agent, second: Path
) -> None:
    main = agent.project.folder
    git(main, "add", "-A")
    git(main, "commit", "-q", "-m", "all")
    git(main, "checkout", "-q", "--orphan", "pages")
    git(main, "rm", "-rqf", ".")
    shutil.rmtree(agent.project.dmm, ignore_errors=True)
    shutil.rmtree(second)

    assert agent.decide("docker system prune -af", session_id="s-2")[0] == "deny"
    assert agent.decide("terraform destroy", session_id="s-2")[0] == "deny"
    assert agent.ask("terraform plan", session_id="s-2") == {}


def test_without_constraints_a_session_is_told_that_no_rules_are_checked(
    agent: Agent, second: Path, open_project: Opener
) -> None:
    dmm = open_project(agent.project)
    for seq in (1, 2):
        dmm.ledger.deactivate(seq)
    dmm.close()
    shutil.rmtree(second / ".dmm")
    told = agent.ask("", cwd=str(second), hook_event_name="SessionStart", source="startup")

    assert "; no rules are checked." in told["systemMessage"]
    assert agent.ask("docker system prune -af", cwd=str(second)) == {}


def test_a_session_in_a_worktree_is_told_what_it_starts_without(agent: Agent, second: Path) -> None:
    start: dict[str, Any] = {"hook_event_name": "SessionStart", "source": "startup"}
    told = agent.ask("", cwd=str(second), **start)["systemMessage"]
    assert "starts without its memory; rules are still checked" in told
    for rules in (agent.state / "rules").iterdir():
        rules.unlink()
    told = agent.ask("", cwd=str(second), **start)["systemMessage"]
    assert "starts without its memory; no rules are known here" in told
    told = agent.ask("docker system prune -af", cwd=str(second))["systemMessage"]
    assert "could not check this call" in told


def test_a_call_that_can_not_be_read_is_asked_about_where_rules_hold(
    agent: Agent, tmp_path: Path
) -> None:
    deep: object = "x"
    for _ in range(60):
        deep = [deep]
    assert agent.decide("ls", tool_input={"command": deep})[0] == "ask"
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / ".dmm" / "memory").mkdir(parents=True)
    assert agent.decide("ls", tool_input={"command": deep}, cwd=str(elsewhere))[0] == "allow"


@pytest.mark.parametrize("rest", ["[" * 40 + "]" * 40, "[" * 5000 + "]" * 5000, "9" * 5000])
def test_arguments_in_a_text_that_can_not_be_read_pass_no_rule(agent: Agent, rest: str) -> None:
    text = f'{{"command": "terraform destroy", "x": {rest}}}'
    assert agent.decide("", tool_input=text)[0] == "ask"
    assert agent.decide("", tool_input=text, client="codex")[0] == "deny"
    assert agent.ask("", tool_input=text, client="opencode")["deny"]
    gemini: dict[str, Any] = {"hook_event_name": "BeforeTool", "tool_name": "run_shell_command"}
    assert agent.ask("", tool_input=text, client="gemini", **gemini)["decision"] in ("ask", "deny")
    copilot = agent.ask("", tool_input=text, client="copilot")
    assert copilot["permissionDecision"] == "ask"


@pytest.mark.parametrize(
    "command",
    ["git push", ["bash", "-lc", "git push"], ["git", "push"], 'g""it push', "g\\it push"],
)
def test_the_branch_is_known_however_the_command_is_written(
    command: object, agent: Agent, open_project: Opener
) -> None:
    dmm = open_project(agent.project)
    dmm.ledger.add_constraint("never push to main")
    dmm.close()
    repository = agent.project.folder / ".git"
    repository.mkdir()
    (repository / "HEAD").write_text("ref: refs/heads/main\n")
    assert agent.decide("", tool_input={"command": command})[0] == "deny"


def test_a_project_that_is_no_longer_trusted_is_under_no_rules_nor_are_its_worktrees(
    agent: Agent,
) -> None:
    files = RuleFiles(str(agent.state))
    root = str(agent.project.dmm)
    second = agent.project.folder / "second" / ".dmm"
    second.mkdir(parents=True)
    files.write(str(second), files.find_ledger(root) or "", files.read(root) or b"")
    assert files.read(str(second)) is not None
    files.remove(root)
    assert (files.read(root), files.read(str(second))) == (None, None)
    assert list((agent.state / "rules").iterdir()) == []


def test_rule_files_hold_for_a_hook_alone_content_included(
    agent: Agent, open_project: Opener
) -> None:
    dmm = open_project(agent.project)
    fields = 'match:\n  content: {{{}: "console.log({}"}}\n  path: "src/**"\n'
    for name, rest in {"regex": "", "pattern": "$$$)"}.items():
        text = fields.format(name, rest).replace('"console.log("', "'console[.]log'")
        dmm.shelf.write(name, f"---\n{text}---\n# No console.log in src, by {name}\n")
    dmm.close()
    path = f"{agent.project.folder}/src/a.ts"
    given = {"file_path": path, "content": "console.log(1)\n"}
    decision, reason = agent.decide("", tool_name="Write", tool_input=given)
    assert decision == "deny"
    assert 'DMM rule pattern: "No console.log in src, by pattern"' in reason or "regex" in reason
    near = given | {"file_path": f"{agent.project.folder}/test/a.ts"}
    assert agent.decide("", tool_name="Write", tool_input=near)[0] == "allow"
    dmm = open_project(agent.project)
    dmm.shelf.remove("regex")
    dmm.close()
    assert agent.decide("", tool_name="Write", tool_input=given)[0] == "deny"
