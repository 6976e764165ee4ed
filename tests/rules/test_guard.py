"""One ruling on a tool call, recorded so that it can be explained and tried again."""

from __future__ import annotations

import datetime as dt
import json
import sys
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from dmm.domain.event import EventType, Trust
from dmm.domain.plain import to_plain
from dmm.errors import LedgerRefused
from dmm.eventlog.open_ledger import Actor
from dmm.ledger.service import Ledger
from dmm.ledger.timelines import Timelines
from dmm.rules.callbook import GUARD_VERSION, Ruling
from dmm.rules.commands.calls import ToolCall
from dmm.rules.guard import Guard
from dmm.rules.project_ledger import ProjectLedger
from dmm.rules.rulebook import compile_constraint

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def project_ledger() -> Iterator[ProjectLedger]:
    made = ProjectLedger(None, lambda: dt.datetime(2026, 11, 1, tzinfo=dt.UTC))
    yield made
    made.close()


@pytest.fixture
def ledger(project_ledger: ProjectLedger) -> Ledger:
    return Ledger(project_ledger)


@pytest.fixture
def guard(project_ledger: ProjectLedger) -> Guard:
    return Guard(project_ledger)


def bash(command: str, branch: str | None = None) -> ToolCall:
    return ToolCall("Bash", {"command": command}, branch=branch)


def used(project_ledger: ProjectLedger, command: str, kind: str = EventType.TOOL_USED) -> None:
    payload = {"tool": "Bash", "input": {"command": command}, "text": command}
    project_ledger.record(project_ledger.draft_of(kind, payload))


def requested(project_ledger: ProjectLedger, call: ToolCall, ruling: Ruling) -> int:
    payload = {
        "tool": call.tool,
        "input": dict(call.input),
        "cwd": call.cwd,
        "branch": call.branch,
        "verdict": ruling.describe(),
    }
    return project_ledger.record(project_ledger.draft_of(EventType.TOOL_REQUESTED, payload)).seq


def test_without_a_ledger_everything_is_allowed(guard: Guard) -> None:
    assert guard.rule(bash("rm -rf /")) == Ruling()


def test_a_denial_carries_the_constraint_its_number_and_the_way_out(
    ledger: Ledger, guard: Guard
) -> None:
    ledger.add_fact("budget", "1")
    ledger.add_constraint("never use npm, use pnpm")
    ruling = guard.rule(bash("cd web && npm install"))
    assert ruling.denied
    assert (ruling.seq, ruling.text) == (2, "never use npm, use pnpm")
    assert ruling.suggestion == "Use pnpm."
    assert ruling.describe() == {
        "status": "deny",
        "engine": GUARD_VERSION,
        "seq": 2,
        "reason": 'constraint 2 "never use npm, use pnpm": the command npm is '
        'forbidden ("npm install")',
        "suggestion": "Use pnpm.",
        "violations": [
            {
                "seq": 2,
                "level": "deny",
                "spans": [[10, 21]],
                "reason": 'the command npm is forbidden ("npm install")',
            }
        ],
        "trace": ["constraint 2: rules version 2", "constraint 2: command: `npm` is run"],
    }
    assert json.loads(json.dumps(ruling.describe())) == ruling.describe()


def test_the_hardest_level_decides_and_then_the_oldest_constraint(
    ledger: Ledger, guard: Guard
) -> None:
    ledger.add_constraint("command: git push; action: warn")
    ledger.add_constraint("command: git push; action: ask")
    assert (guard.rule(bash("git push")).level, guard.rule(bash("git push")).seq) == ("ask", 2)
    ledger.add_constraint("Never run git push --force")
    ledger.add_constraint("command: git push --force")
    ruling = guard.rule(bash("git push --force"))
    assert (ruling.level, ruling.seq) == ("deny", 3)
    assert [(one.seq, one.level) for one in ruling.findings] == [
        (3, "deny"),
        (4, "deny"),
        (2, "ask"),
        (1, "warn"),
    ]


def test_a_preference_only_warns(ledger: Ledger, guard: Guard) -> None:
    ledger.add_constraint("Never run rm -rf", "preferred")
    assert guard.rule(bash("rm -rf build")).level == "warn"


def test_a_learned_constraint_denies_until_it_is_out_of_force(ledger: Ledger, guard: Guard) -> None:
    ledger.record_message("that lost my work")
    ledger.add_constraint("Never run git reset --hard", "learned", 1)
    assert guard.rule(bash("git reset --hard")).denied
    ledger.deactivate(2)
    assert guard.rule(bash("git reset --hard")).level == "allow"


@pytest.mark.parametrize("trust", [Trust.TOOL, Trust.THIRD_PARTY])
@pytest.mark.parametrize("text", ["Never run rm -rf", "command: rm -rf"])
def test_the_constraint_of_a_stranger_only_warns(
    project_ledger: ProjectLedger, guard: Guard, trust: Trust, text: str
) -> None:
    stranger = project_ledger.as_actor(Actor(trust=trust))
    rule = compile_constraint(text).rule
    payload = {"text": text, "priority": "required", "rule": rule}
    stranger.record(stranger.draft_of(EventType.CONSTRAINT_ADDED, payload))
    ruling = guard.rule(bash("rm -rf build"))
    assert ruling.level == "warn"
    assert any("it only warns" in step for step in ruling.trace)
    assert guard.rule(bash('echo "unclosed')).level == "allow"


@pytest.mark.parametrize(
    "rule",
    [
        None,
        {"kind": "language"},
        {"kind": "language", "rule": None, "calls": {"version": 99}},
        {"kind": "language", "rule": {"version": 99}},
    ],
)
def test_a_constraint_from_before_is_read_from_its_text(
    project_ledger: ProjectLedger, guard: Guard, rule: dict[str, Any] | None
) -> None:
    payload = {"text": "Never run rm -rf", "priority": "required", "rule": rule}
    project_ledger.record(project_ledger.draft_of(EventType.CONSTRAINT_ADDED, payload))
    assert guard.rule(bash("rm -rf build")).denied


def test_a_rule_of_an_unknown_kind_holds_nothing(
    project_ledger: ProjectLedger, guard: Guard
) -> None:
    payload = {"text": "Never run rm -rf", "priority": "required", "rule": {"kind": "future"}}
    project_ledger.record(project_ledger.draft_of(EventType.CONSTRAINT_ADDED, payload))
    assert guard.rule(bash("rm -rf build")).level == "allow"


def test_an_unreadable_command_is_asked_about_only_under_rules_on_commands(
    ledger: Ledger, guard: Guard
) -> None:
    ledger.add_constraint("Never touch .env files")
    assert guard.rule(bash('echo "unclosed')).level == "allow"
    ledger.add_constraint("command: git push; action: warn")
    assert guard.rule(bash('echo "unclosed')).level == "allow"
    ledger.add_constraint("Never run rm -rf")
    ruling = guard.rule(bash('echo "unclosed'))
    assert (ruling.level, ruling.seq) == ("ask", None)
    assert "could not parse" in ruling.reason
    assert guard.rule(bash('rm -rf x; echo "unclosed')).denied


def test_a_command_that_hides_another_is_asked_about_unless_something_is_found(
    ledger: Ledger, guard: Guard
) -> None:
    hidden = "echo Z2l0 | base64 -d | sh"
    ledger.add_constraint("tool: WebFetch")
    assert guard.rule(bash(hidden)).level == "allow"
    ledger.add_constraint("Never touch .env files")
    assert guard.rule(bash(hidden)).level == "ask"
    ledger.add_constraint("Never push to main")
    ruling = guard.rule(bash(hidden))
    assert (ruling.level, ruling.seq) == ("ask", None)
    assert ruling.reason.startswith("what `sh` runs is made by `base64`")
    assert ruling.trace == ("unresolved: what `sh` runs is made by `base64`",)
    found = guard.rule(bash(f"{hidden}; git push origin main"))
    assert (found.level, found.seq) == ("deny", 3)
    assert guard.rule(bash(f"{hidden}; cat .env")).denied


def test_a_reason_is_told_once(ledger: Ledger, guard: Guard) -> None:
    ledger.add_constraint("Never run terraform destroy.")
    plain = guard.rule(bash("terraform destroy")).findings[0].reason
    assert plain == "the command terraform destroy is forbidden"
    longer = guard.rule(bash("terraform destroy -auto-approve")).findings[0].reason
    assert longer == f'{plain} ("terraform destroy -auto-approve")'


def test_tests_count_once_for_each_push(
    project_ledger: ProjectLedger, ledger: Ledger, guard: Guard
) -> None:
    ledger.add_constraint("run the tests before git push")
    ruling = guard.rule(bash("git push"))
    assert ruling.denied
    assert ruling.suggestion == (
        "First run the tests, then try again. If another command did that, name it with "
        'query_memory: "./COMMAND runs the tests".'
    )
    used(project_ledger, "pytest -q", EventType.TOOL_FAILED)
    assert guard.rule(bash("git push")).denied
    used(project_ledger, "pytest -q")
    assert guard.rule(bash("git push")).level == "allow"
    used(project_ledger, "git push", EventType.TOOL_FAILED)
    assert guard.rule(bash("git push")).level == "allow"
    used(project_ledger, "git push")
    assert guard.rule(bash("git push")).denied


def test_tests_and_push_in_one_call_use_the_tests_up(
    project_ledger: ProjectLedger, ledger: Ledger, guard: Guard
) -> None:
    ledger.add_constraint("run the tests before git push")
    assert guard.rule(bash("pytest -q && git push")).level == "allow"
    used(project_ledger, "pytest -q && git push")
    assert guard.rule(bash("git push")).denied


def test_a_query_can_name_the_command_that_was_the_test(
    project_ledger: ProjectLedger, ledger: Ledger, guard: Guard
) -> None:
    ledger.add_constraint("run the tests before git push")
    ledger.query_memory("`./ci.sh` runs the tests")
    assert guard.rule(bash("git push")).denied
    used(project_ledger, "./ci.sh --fast")
    assert guard.rule(bash("git push")).level == "allow"
    used(project_ledger, "git push")
    used(project_ledger, "./ci.sh --fast")
    assert guard.rule(bash("git push")).denied
    ledger.query_memory("what does ls do in the tests?")
    used(project_ledger, "ls")
    assert guard.rule(bash("git push")).denied


def test_a_check_that_no_call_shows_is_asked_about(ledger: Ledger, guard: Guard) -> None:
    ledger.add_constraint("check the migration plan before running alembic upgrade")
    assert guard.rule(bash("alembic upgrade head")).level == "ask"
    assert guard.rule(bash("alembic history")).level == "allow"


def test_a_ruling_is_explained_and_replayed(
    project_ledger: ProjectLedger, ledger: Ledger, guard: Guard
) -> None:
    ledger.add_constraint("Never commit directly to main")
    call = bash("git commit -m x", "main")
    seq = requested(project_ledger, call, guard.rule(call))
    ledger.deactivate(1)
    told = Timelines(project_ledger).explain(seq)
    assert list(to_plain(told)) == ["seq", "branch", "decision", "recorded", "replayed", "agrees"]
    assert told.decision == "git commit -m x"
    assert told.recorded == told.replayed
    assert told.agrees is True
    other = requested(project_ledger, call, Ruling(level="deny", seq=1))
    assert Timelines(project_ledger).explain(other).agrees is False


def test_a_call_without_a_verdict_is_not_explained(
    project_ledger: ProjectLedger, guard: Guard
) -> None:
    used(project_ledger, "ls", EventType.TOOL_REQUESTED)
    with pytest.raises(LedgerRefused, match="nor a judged tool call"):
        Timelines(project_ledger).explain(1)
    payload = {"tool": "Bash", "verdict": Ruling().describe()}
    seq = project_ledger.record(project_ledger.draft_of(EventType.TOOL_REQUESTED, payload)).seq
    with pytest.raises(LedgerRefused, match="not recorded in full"):
        Timelines(project_ledger).explain(seq)


def test_a_rehearsal_uses_the_same_rules(project_ledger: ProjectLedger) -> None:
    for command in ("git push", "pytest", "git push", "git push", "rm -rf build", "npm ci"):
        used(project_ledger, command)
    timelines = Timelines(project_ledger)

    def blocked(text: str, priority: str = "required") -> list[int]:
        return [one.seq for one in timelines.rehearse(text, priority).would_block]

    assert blocked("Never run rm -rf") == [5]
    assert blocked("Never run rm -rf", "preferred") == []
    assert blocked("command: rm -rf", "preferred") == []
    assert blocked("run the tests before git push") == [1, 4]
    assert blocked("Never use npm") == [6]
    assert blocked("Never run npm ci without approval") == []


def steps(work: Callable[[], object]) -> int:
    """Count the calls of functions that something takes, once it is warm."""
    work()
    taken = 0

    def note(_frame: object, event: str, _value: object) -> None:
        nonlocal taken
        taken += event == "call"

    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
    return taken


@pytest.mark.repeats
def test_a_thousand_constraints_are_not_all_asked(
    project_ledger: ProjectLedger, guard: Guard
) -> None:
    shapes = (
        "Never run tool{} --force",
        "Do not edit files in folder{}/",
        "Do not install package{}",
        "Never push to `branch{}`",
        "never call the tool{} tool",
    )
    drafts = []
    for number in range(1_000):
        text = shapes[number % len(shapes)].format(number)
        payload = {"text": text, "priority": "required", "rule": None}
        drafts.append(project_ledger.draft_of(EventType.CONSTRAINT_ADDED, payload))
    project_ledger.log.append(drafts)
    calls = [
        bash("cd web && pnpm install && pnpm test | tee out.log"),
        ToolCall("Edit", {"file_path": "src/app.py", "old_string": "a", "new_string": "b"}),
        bash("git push origin branch8 --force"),
    ]
    assert guard.rule(ToolCall("Write", {"file_path": "folder6/x.py"})).denied
    # In steps of the interpreter, not in time. Whether the rules are the same is asked of each.
    few = ProjectLedger(None, project_ledger.now)
    few.log.append(drafts[:10])
    for call in calls:
        many = steps(partial(guard.rule, call)) - 3 * len(drafts)
        assert many < 3 * steps(partial(Guard(few).rule, call))
    few.close()


LIFTING = (
    "dmm rules disable never-use-npm",
    "dmm rules enable never-use-npm",
    "dmm --root . rules edit never-use-npm",
    "uv run dmm rules accept 4",
    "bash -c 'dmm rules adopt --all'",
    "env -u CLAUDECODE dmm rules disable never-use-npm",
    "CLAUDECODE= dmm trust --yes",
    "dmm ledger constraint --deactivate 1",
    "dmm ledger accept 3",
    "rm .dmm/rules/a.md",
    "mv .dmm/rules /tmp/aside",
    "rm -rf .dmm",
    "cd .dmm/rules && sed -i s/deny/warn/ a.md",
    "echo x > .dmm/rules/a.md",
    "git checkout HEAD~1 -- .dmm/rules/a.md",
)
HARMLESS = (
    "dmm rules",
    "dmm rules show never-use-npm",
    "dmm rules add 'never use yarn'",
    "dmm check 'dmm trust --yes'",
    "dmm query 'who may disable rules'",
    "dmm trust --list",
    "cat .dmm/rules/a.md",
    "grep -r deny .dmm/rules",
    "git add .dmm/rules",
    "git checkout topic",
)


@pytest.mark.parametrize("command", LIFTING)
def test_where_a_rule_holds_a_person_is_asked_before_rules_change(
    command: str, ledger: Ledger, guard: Guard
) -> None:
    assert guard.rule(bash(command)).level == "allow"
    ledger.add_constraint("never use npm")
    ruling = guard.rule(bash(command))
    assert ruling.level == "ask"
    assert "only a person may change the rules" in ruling.reason


@pytest.mark.parametrize("command", HARMLESS)
def test_reading_rules_and_proposing_them_stays_free(
    command: str, ledger: Ledger, guard: Guard
) -> None:
    ledger.add_constraint("never use npm")
    assert guard.rule(bash(command)) == Ruling()


def test_a_tool_that_writes_a_rule_file_is_asked_about_and_one_that_reads_it_is_not(
    ledger: Ledger, guard: Guard
) -> None:
    ledger.add_constraint("the price of a seat is never shown without tax")
    file = {"file_path": ".dmm/rules/a.md"}
    assert guard.rule(ToolCall("Write", file | {"content": "x"})).level == "ask"
    assert (
        guard.rule(ToolCall("mcp__files__delete_file", {"path": file["file_path"]})).level == "ask"
    )
    assert guard.rule(ToolCall("Read", file)).level == "allow"


def test_a_rule_that_denies_the_same_goes_before_the_built_in_one(
    ledger: Ledger, guard: Guard
) -> None:
    ledger.add_constraint("never run dmm trust")
    ruling = guard.rule(bash("dmm trust --yes"))
    assert (ruling.level, ruling.seq) == ("deny", 1)


def test_a_call_that_would_lift_a_rule_is_explained_later_as_it_was_judged(
    project_ledger: ProjectLedger, ledger: Ledger, guard: Guard
) -> None:
    ledger.add_constraint("never use npm")
    call = bash("dmm rules disable 1")
    seq = requested(project_ledger, call, guard.rule(call))
    assert Timelines(project_ledger).explain(seq).agrees
    assert Timelines(project_ledger).rehearse("never use yarn").would_block == ()
