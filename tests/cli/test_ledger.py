"""dmm ledger: exact results for programs, exit statuses, and nothing made by a look."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from dmm.bootstrap import open_dmm
from dmm.cli.ledger import app
from dmm.domain.event import Trust
from dmm.domain.payload import SessionStarted, UserMessageReceived
from dmm.eventlog.open_ledger import Actor

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Told, Typed
    from tests.conftest import Command, Project

RULE = "verify accessibility before booking"
UNVERIFIED = 'no recorded verification of accessibility ("Book")'
COMMANDS = [
    *("init", "fact", "constraint", "pending", "accept", "decide", "query", "context"),
    *("trace", "replay", "at", "diff", "drift", "simulate", "rehearse", "explain"),
    *("verify", "backup", "restore", "log", "pack", "session"),
]


@dataclass(frozen=True, slots=True)
class Scribe:
    """Types dmm ledger commands in a project."""

    typed: Typed
    project: Project

    def __call__(self, *arguments: str) -> Told:
        return self.typed("ledger", *arguments, within=self.project.folder)

    def data(self, *arguments: str) -> Any:
        return json.loads(self(*arguments, "--json").out)


@pytest.fixture
def ledger(typed: Typed, project: Project) -> Scribe:
    return Scribe(typed, project)


@pytest.fixture
def told(ledger: Scribe) -> Scribe:
    """A ledger of six events: two facts, a rule, a refusal, a look-up, a decision."""
    ledger("fact", "budget", "4000")
    ledger("fact", "budget", "3000", "--caused-by", "1")
    ledger("constraint", RULE, "--priority", "learned", "--triggered-by", "2")
    ledger("decide", "Book Hotel A", "--rationale", "near")
    ledger("query", "accessibility")
    ledger("decide", "Book Hotel A", "--rationale", "near", "--reference", "5", "--reference", "2")
    return ledger


def test_every_command_of_the_ledger_is_there(ledger: Scribe) -> None:
    shown = ledger("--help").out.partition("Commands:\n")[2]
    assert [line.split()[0] for line in shown.splitlines()] == COMMANDS
    assert app.info.help is not None


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_fits_a_terminal_of_80_columns(ledger: Scribe, name: str) -> None:
    told = ledger(*([name] if name else []), "--help")
    assert told.status == 0
    assert max(map(len, told.out.splitlines())) <= 80


def test_what_is_recorded_is_told_exactly(ledger: Scribe) -> None:
    assert ledger.data("fact", "budget", "4000", "--confidence", "0.5") == {
        "seq": 1,
        "key": "budget",
        "value": "4000",
    }
    assert ledger.data("fact", "budget", "3000") == {
        "seq": 2,
        "key": "budget",
        "value": "3000",
        "previous_value": "4000",
        "drift_alert": True,
    }
    learned = ("--priority", "learned", "--triggered-by", "2")
    assert ledger.data("constraint", RULE, *learned) == {
        "seq": 3,
        "constraint": RULE,
        "priority": "learned",
        "triggered_by": 2,
        "state": "checked on decisions only",
    }
    assert ledger.data("decide", "Book Hotel A", "--rationale", "near") == {
        "status": "BLOCKED",
        "violated_constraint_seq": 3,
        "reason": f'constraint 3 "{RULE}": {UNVERIFIED}',
        "suggestion": "Query the memory about accessibility first, then decide again.",
    }
    ledger("query", "accessibility")
    decide = ("decide", "Book Hotel A", "--rationale", "near", "--reference", "5")
    assert ledger.data(*decide) == {
        "status": "COMMITTED",
        "seq": 6,
        "decision": "Book Hotel A",
        "rationale": "near",
    }


def test_what_is_known_is_told_exactly(told: Scribe) -> None:
    state = "checked on decisions only"
    rule = {"text": RULE, "priority": "learned", "active": True, "seq": 3, "state": state}
    assert told.data("query", "accessibility") == {
        "query_seq": 7,
        "facts": [],
        "constraints": [rule],
        "decisions": [],
    }
    assert told.data("query", "budget", "--scope", "facts") == {
        "query_seq": 8,
        "facts": [{"key": "budget", "value": "3000", "confidence": 1.0, "seq": 2}],
    }
    message = "budget changed from 4000 to 3000"
    assert told.data("context") == {
        "current_seq": 8,
        "facts": {"budget": {"value": "3000", "confidence": 1.0, "seq": 2}},
        "constraints": [rule],
        "decisions": [
            {"text": "Book Hotel A", "status": "blocked", "seq": 4},
            {"text": "Book Hotel A", "status": "committed", "seq": 6},
        ],
        "alerts": [{"type": "drift", "message": message, "related_seqs": [1, 2]}],
    }


def test_what_was_is_told_exactly(told: Scribe) -> None:
    first, second = told.data("trace", "budget")["chain"]
    assert (first["seq"], first["caused_by"]) == (2, 1)
    assert second == {
        "seq": 1,
        "type": "FactAdded",
        "payload": {"key": "budget", "value": "4000", "confidence": 1.0},
        "caused_by": None,
        "stale": True,
    }
    assert [link["seq"] for link in told.data("trace", "6")["chain"]] == [6, 5, 2, 1]
    flashback = told.data("at", "1")
    assert list(flashback) == [
        *("mode", "viewing_seq", "current_seq", "historical_state", "diff_from_current")
    ]
    assert list(flashback["historical_state"]) == ["facts", "constraints", "decisions"]
    assert list(flashback["diff_from_current"]) == ["added", "removed", "changed"]


def test_what_might_have_been_is_told_exactly(told: Scribe) -> None:
    simulate = ("simulate", "--inject", RULE, "--at", "1", "--decide", "Book Hotel B")
    assert told.data(*simulate) == {
        "timeline": "B (simulated)",
        "injected_constraint": RULE,
        "injected_at_seq": 1,
        "injected_priority": "required",
        "tested_decision": "Book Hotel B",
        "result": "BLOCKED",
        "reason": f'injected constraint "{RULE}": {UNVERIFIED}',
    }
    preferred = told.data(*simulate, "--priority", "preferred")
    assert (preferred["injected_priority"], preferred["result"]) == ("preferred", "ALLOWED")
    assert preferred["reason"] is None
    assert told.data("context")["current_seq"] == 6


def test_a_blocked_decision_ends_with_3_and_stays_blocked(told: Scribe) -> None:
    for _ in range(2):
        again = told("decide", "Book Hotel B", "--rationale", "accessibility verified")
        assert (again.status, again.err) == (3, "")
        assert again.out == (
            "BLOCKED by constraint 3\n"
            '  reason: constraint 3 "verify accessibility before booking": no recorded\n'
            '          verification of accessibility ("Book")\n'
            "  hint:   Query the memory about accessibility first, then decide again.\n"
        )


def test_a_warning_is_part_of_a_committed_decision(ledger: Scribe) -> None:
    ledger("constraint", "never use eval", "--priority", "preferred")
    told = ledger("decide", "Use eval", "--rationale", "short", "--json")
    assert told.status == 0
    data = json.loads(told.out)
    assert list(data) == ["status", "seq", "decision", "rationale", "warning"]
    assert "  warning: constraint 1" in ledger("decide", "Use eval", "--rationale", "short").out


def test_a_constraint_is_shown_back_with_its_two_examples(
    ledger: Scribe, typed: Typed, project: Project
) -> None:
    typed("trust", "--yes", within=project.folder)
    told = ledger("constraint", "never use eval")
    first, *rest = told.out.splitlines()
    assert first == "constraint 1 (required): never use eval"
    assert rest[:2] == [
        "  state: checked on decisions only",
        "  Not enforced on tool calls; only recorded decisions are checked.",
    ]
    assert [line.partition(":")[0] for line in rest[-2:]] == [
        "  would reject the decision",
        "  would accept the decision",
    ]
    assert told.err == ""
    enforced = ledger("constraint", "never run rm -rf").out.splitlines()
    assert enforced[1] == "  state: enforced"
    assert [line.partition(":")[0] for line in enforced[-2:]] == [
        "  would block",
        "  would allow",
    ]
    preferred = ledger("constraint", "never use eval", "--priority", "preferred").out
    assert "  state: advice\n" in preferred
    assert "would warn about:" in preferred
    assert "block" not in preferred


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_guidance_is_said_to_be_guidance_on_the_error_stream(
    ledger: Scribe, more: list[str]
) -> None:
    told = ledger("constraint", "Be kind to the traveller", *more)
    assert told.status == 0
    assert told.err.startswith(
        "dmm: NOT ENFORCED: constraint 1 is advice and blocks nothing\n  why: "
    )
    assert max(map(len, told.err.splitlines())) <= 80
    if more:
        assert json.loads(told.out) == {
            "seq": 1,
            "constraint": "Be kind to the traveller",
            "priority": "required",
            "state": "advice",
        }


def test_starter_rules_are_added_once_and_bind_commands(ledger: Scribe) -> None:
    first = ledger.data("constraint", "--starter")
    assert first["present"] == 0
    assert len(first["added"]) > 10
    second = ledger("constraint", "--starter")
    assert second.out == f"0 starter rules added, {len(first['added'])} were already active\n"
    assert ledger("decide", "git push --force", "--rationale", "haste").status == 3
    assert ledger("decide", "git push", "--rationale", "done").status == 0


def test_a_constraint_goes_out_of_force_once(told: Scribe) -> None:
    gone = told("constraint", "--deactivate", "3")
    assert gone.out == f"constraint 3 is inactive: {RULE}\n"
    assert told("decide", "Book Hotel B", "--rationale", "near").status == 0
    assert told("constraint", "--deactivate", "3").status == 11
    assert told("constraint", "--deactivate", "1").status == 11
    assert "inactive" in told("context").out


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["never x", "--starter"],
        ["--starter", "--deactivate", "3"],
        ["never x", "--deactivate", "3"],
    ],
)
def test_a_constraint_is_one_thing_at_a_time(ledger: Scribe, arguments: list[str]) -> None:
    told = ledger("constraint", *arguments)
    assert (told.status, told.err) == (
        2,
        "dmm: give one of: TEXT, --starter, --deactivate SEQ\n",
    )


@pytest.mark.parametrize(
    ("arguments", "status", "what"),
    [
        (["fact", "", "1"], 2, "the key is empty"),
        (["fact", "a", "1", "--confidence", "2"], 2, "0.0 to 1.0"),
        (["fact", "a", "1", "--caused-by", "99"], 11, "there is no earlier event 99"),
        (["fact", "a", "1", "--caused-by", "-1"], 11, "there is no earlier event -1"),
        (["constraint", "never x", "--priority", "urgent"], 2, "the priority must be one of"),
        (["constraint", "never x", "--priority", "learned"], 2, "name what triggered it"),
        (["decide", "x", "--rationale", ""], 2, "the rationale is empty"),
        (["decide", "x", "--rationale", "y", "--reference", "99"], 11, "no earlier event 99"),
        (["query", "x", "--scope", "moon"], 2, "the scope must be one of"),
        (["trace", "colour"], 11, "there is no fact 'colour'"),
        (["trace", "0"], 11, "there is no event 0"),
        (["trace", "99"], 11, "there is no event 99"),
        (["replay", "--to", "-1"], 11, "there is no event -1"),
        (["at", "99"], 11, "there is no event 99"),
        (["at", "-1"], 11, "there is no event -1"),
        (["at", "99999999999999999999999"], 11, "there is no event 99999999999999999999999"),
        (["diff", "-2", "1"], 11, "there is no event -2"),
        (["drift", "1", "99"], 11, "there is no event 99"),
        (["explain", "-1"], 11, "there is no event -1"),
        (["explain", "1"], 11, "event 1 is neither a decision"),
        (["simulate", "--inject", "never x", "--at", "-1", "--decide", "x"], 11, "no event -1"),
    ],
)
def test_what_can_not_be_done_is_explained(
    told: Scribe, arguments: list[str], status: int, what: str
) -> None:
    plain = told(*arguments)
    assert (plain.status, plain.out) == (status, "")
    assert what in plain.err
    data = told(*arguments, "--json")
    assert data.status == status
    error = json.loads(data.out)["error"]
    assert list(error) == ["code", "what", "where", "hint"]
    assert what in error["what"]
    assert told.data("context")["current_seq"] == 6


@pytest.mark.parametrize(
    "arguments",
    [
        ["fact", "budget"],
        ["decide", "x"],
        ["decide", "x", "--rationale", "y", "--reference", "first"],
        ["at", "now"],
        ["at", "--nonsense"],
        ["log", "--last", "0"],
        ["simulate", "--inject", "never x", "--decide", "x"],
        ["nonsense"],
    ],
)
def test_a_wrong_command_line_shows_the_usage(ledger: Scribe, arguments: list[str]) -> None:
    told = ledger(*arguments)
    assert (told.status, told.out) == (2, "")
    assert "Usage: dmm ledger" in told.err


@pytest.mark.parametrize(
    ("arguments", "result"),
    [
        (["context"], {"current_seq": 0, "facts": {}, "constraints": [], "decisions": []}),
        (["trace", "budget"], {"chain": []}),
        (["trace", "4"], {"chain": []}),
        (["replay"], {"seq": 0}),
        (["at", "0"], {"viewing_seq": 0, "current_seq": 0}),
        (["diff", "0", "0"], {"from_seq": 0, "to_seq": 0}),
        (["drift", "0", "0"], {"drift": 0.0}),
        (["rehearse", "never use eval"], {"decisions": 0, "would_block": []}),
        (["verify"], {"valid": True, "events": 0}),
        (["verify", "--anchor"], {"valid": True, "events": 0}),
        (["log"], {"events": []}),
        (
            ["simulate", "--inject", "never use eval", "--at", "0", "--decide", "Use eval"],
            {"result": "BLOCKED"},
        ),
    ],
)
def test_a_look_at_no_ledger_says_so_and_makes_none(
    ledger: Scribe, project: Project, arguments: list[str], result: dict[str, Any]
) -> None:
    told = ledger(*arguments, "--json")
    assert told.status == 0
    assert told.err == "dmm: there is no ledger here yet; create one with: dmm ledger init\n"
    data = json.loads(told.out)
    assert {key: data[key] for key in result} == result
    plain = ledger(*arguments)
    assert (plain.status, plain.err) == (0, told.err)
    assert plain.out
    assert [one.name for one in project.dmm.iterdir()] == ["memory"]


@pytest.mark.parametrize("look", ["log", "verify", "context", "replay"])
def test_a_look_at_a_ledger_that_is_gone_says_just_that(
    ledger: Scribe, typed: Typed, project: Project, look: str
) -> None:
    typed("trust", "--yes", within=project.folder)
    ledger("fact", "budget", "4000")
    (project.dmm / "ledger.db").unlink()
    gone = ledger(look)
    assert gone.status == 11
    assert "the ledger that was written here is missing" in gone.err
    assert "there is no ledger here yet" not in gone.err


def test_there_is_nothing_to_back_up_without_a_ledger(ledger: Scribe, project: Project) -> None:
    told = ledger("backup", "copy.db")
    assert told.status == 11
    assert "dmm: there is no ledger to copy\n" in told.err
    assert not (project.folder / "copy.db").exists()


def test_init_makes_the_ledger_once(ledger: Scribe, project: Project) -> None:
    path = project.dmm / "ledger.db"
    assert ledger("init").out == f"Created {path}\n"
    assert path.exists()
    assert ledger("init").out == f"Already recorded, at event 0: {path}\n"
    assert ledger.data("init") == {"ledger": str(path), "created": False, "seq": 0}


def test_outside_a_project_the_way_in_is_shown(typed: Typed, tmp_path: Path) -> None:
    told = typed("ledger", "fact", "a", "1", within=tmp_path)
    assert told.status == 5
    assert "dmm init" in told.err


def test_a_damaged_ledger_is_reported_and_left_alone(ledger: Scribe, project: Project) -> None:
    path = project.dmm / "ledger.db"
    path.write_bytes(b"this is not a database, it is a letter" * 100)
    told = ledger("context")
    assert (told.status, told.out) == (12, "")
    assert str(path) in told.err
    assert path.read_bytes().startswith(b"this is not")


def test_replay_is_the_same_in_another_process_and_locale(
    told: Scribe, command: Command, project: Project
) -> None:
    here = told.data("replay")
    assert list(here) == ["seq", "state_hash", "state"]
    strange = {"LC_ALL": "C", "TZ": "Asia/Kolkata", "PYTHONHASHSEED": "7"}
    there = command("ledger", "replay", "--json", within=project.folder, env=strange)
    assert json.loads(there.stdout) == here


def test_verify_and_anchor_find_a_cut_tail(told: Scribe, project: Project) -> None:
    anchored = told("verify", "--anchor")
    assert anchored.out.endswith("  anchored event 6; commit .dmm/ledger.anchor\n")
    assert told("verify", "--anchor").out.endswith("  nothing new to anchor\n")
    lines = (project.dmm / "ledger.anchor").read_text()
    digest = lines.split()[1]
    (project.dmm / "ledger.anchor").write_text(f"7 {digest} 2026-01-31\n")
    broken = told("verify")
    assert broken.status == 1
    assert broken.out == (
        "NOT VALID: the first bad event is 7\n"
        "  reason: the log was anchored at 7 and is now shorter\n"
    )
    assert told.data("verify")["first_bad_seq"] == 7


def test_a_backup_is_a_ledger(told: Scribe, project: Project) -> None:
    copy = project.folder / "copy.db"
    first = told("backup", "copy.db")
    assert first.status == 0
    assert first.out.startswith("copied to copy.db\nvalid: 6 events, 0 anchors\n")
    assert copy.exists()
    assert told("backup", "copy.db").status == 11
    assert told("backup", "no/such/folder/copy.db").status == 9


@pytest.mark.slow
def test_two_processes_can_not_use_one_verification(
    told: Scribe, command: Command, project: Project
) -> None:
    told("query", "accessibility")
    first = command(
        "ledger", "decide", "Book Hotel B", "--rationale", "near", within=project.folder
    )
    second = command(
        "ledger", "decide", "Book Hotel C", "--rationale", "near", within=project.folder
    )
    assert (first.returncode, second.returncode) == (0, 3)


def test_what_an_agent_adds_is_pending_until_a_person_accepts_it(
    typed: Typed, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    added = typed("ledger", "constraint", "never push to main", within=project.folder).out
    assert "would block" not in added
    assert "  asks about until then: git push" in added
    assert "  pending until a person accepts it (dmm ledger accept 1); until then it" in added
    refused = typed("ledger", "accept", "1", within=project.folder)
    assert refused.status == 2
    assert "an agent can't accept a constraint" in refused.err
    assert "never push" not in typed("ledger", "context", within=project.folder).out
    decide = ("ledger", "decide", "Push to main", "--rationale", "it is ready")
    assert "warning" in typed(*decide, within=project.folder).out
    monkeypatch.delenv("CLAUDECODE")
    told = typed("ledger", "pending", within=project.folder).out
    assert told.startswith("constraint 1 (required): never push to main\n    added by agent\n")
    assert told.endswith("  accept:    dmm ledger accept 1\n")
    shown = typed("ledger", "context", within=project.folder).out
    assert "never push to main (required, asks, pending)" in shown
    accepted = typed("ledger", "accept", "1", within=project.folder)
    assert accepted.out == "constraint 1 is active: never push to main\n"
    assert typed("ledger", "pending", within=project.folder).out == "No constraint is pending.\n"
    assert typed(*decide, within=project.folder).status == 3
    again = typed("ledger", "accept", "1", within=project.folder)
    assert "already accepted" in again.err


def test_an_agent_speaks_in_its_own_name_and_lifts_no_rule(
    typed: Typed, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed("ledger", "constraint", "never push to main", within=project.folder)
    monkeypatch.setenv("CLAUDECODE", "1")
    told = typed("ledger", "constraint", "--deactivate", "1", within=project.folder)
    assert told.status == 2
    assert told.err == (
        "dmm: an agent can't make a constraint inactive (CLAUDECODE is set)\n"
        "  hint:  run it in a terminal of your own\n"
    )
    assert typed("ledger", "constraint", "use pnpm", within=project.folder).status == 0
    log = json.loads(typed("ledger", "log", "--json", within=project.folder).out)
    said = [(one["actor"], one["source"], one["trust"]) for one in log["events"]]
    assert said == [("user", "cli", "user"), ("agent", "cli", "agent")]


def test_an_unknown_number_keeps_the_others_from_being_accepted(
    typed: Typed, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    typed("ledger", "constraint", "never push to main", within=project.folder)
    monkeypatch.delenv("CLAUDECODE")
    told = typed("ledger", "accept", "1", "999", within=project.folder)
    assert told.status == 11
    assert "event 999 is not a constraint" in told.err
    assert "never push" in typed("ledger", "pending", within=project.folder).out


def test_an_agent_that_looks_around_is_not_shown_a_pending_text(
    typed: Typed, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDECODE", "1")
    monkeypatch.setenv("COLUMNS", "120")
    typed("ledger", "constraint", "never push to main", within=project.folder)
    typed("ledger", "decide", "Push to main", "--rationale", "it is ready", within=project.folder)
    looks = ["pending", "log", "trace 1", "trace 2", "explain 2", "diff 0 1", "at 1", "replay"]
    for look in looks:
        for form in ([], ["--json"]):
            told = typed("ledger", *look.split(), *form, within=project.folder)
            assert told.status == 0, look
            assert "never push" not in told.out, look
    assert "pending; text hidden from agents" in typed("ledger", "log", within=project.folder).out
    monkeypatch.delenv("CLAUDECODE")
    for look in looks:
        told = typed("ledger", *look.split(), "--json", within=project.folder)
        assert "never push to main" in told.out, look


def test_a_rule_in_a_project_that_is_not_trusted_says_that_it_binds_nobody(
    typed: Typed, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    note = "dmm: note: this project is not trusted yet, so nothing is enforced.\n"
    for line in (["never push to main"], ["--starter"]):
        assert note in typed("ledger", "constraint", *line, within=project.folder).err
    typed("trust", "--yes", "--with-ledger", within=project.folder)
    told = typed("ledger", "constraint", "never use eval()", within=project.folder)
    assert note not in told.err
    assert "never push to main" in typed("ledger", "context", within=project.folder).out


def test_a_pack_is_listed_and_shown_with_its_receipt(ledger: Scribe, home: Path) -> None:
    ledger.project.trust(home)
    ledger("fact", "budget", "4000")
    assert ledger("pack").out == "No pack has been served yet.\n"
    ledger.typed("query", "budget", within=ledger.project.folder)
    (line,) = ledger("pack").out.splitlines()
    assert "budget" in line
    shown = ledger("pack", line.split()[0])
    assert shown.out.startswith(f"Pack {line.split()[0]}: asked")
    assert "Task: budget" in shown.out
    refused = ledger("pack", "1")
    assert (refused.status, "event 1 is not a pack" in refused.err) == (2, True)


def test_sessions_are_listed_and_one_is_shown_with_what_every_session_pays(
    ledger: Scribe, home: Path
) -> None:
    ledger.project.trust(home)
    ledger("init")
    assert ledger("session").out.startswith("No session is recorded yet")
    actor = Actor("codex", "hook", Trust.USER, "s-41")
    dmm = open_dmm(override=ledger.project.folder, home=home)
    book = dmm.project_ledger.as_actor(actor)
    book.record(book.draft(SessionStarted(client="codex", source="startup", branch="main")))
    book.record(book.draft(UserMessageReceived(text="Why do the charts fail?")))
    dmm.close()
    (row,) = ledger.data("session")["sessions"]
    assert (row["id"], row["prompts"]) == ("s-41", 1)
    told = ledger.data("session", "s-41")
    cost = ledger.typed("cost", "--json", within=ledger.project.folder)
    fixed = json.loads(cost.out)["fixed"]
    assert told["cost"]["fixed"] == sum(fixed.values()) > 100
    assert [one["kind"] for one in told["entries"]] == ["start", "prompt"]
    shown = ledger("session", "s-41").out
    assert "s-41: codex, main, open, 1 prompt, 0 calls, 0 tokens" in shown
    assert "Why do the charts fail?" in shown
    assert ledger("session", "nobody").status == 2
