"""dmm conflicts: exact results for programs, readable ones for people, and a way out of each."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from dmm.files.trusted import TrustStore

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Told, Typed
    from tests.conftest import MemoryText, Project

ONE, TWO, THREE = (f"mem_2026_01_31_00{number}" for number in (1, 2, 3))
SLOW = "The API timeout is 30 seconds."
FAST = "The API timeout is 10 seconds."


@dataclass(frozen=True, slots=True)
class Clerk:
    """Types dmm conflicts commands in a project."""

    typed: Typed
    project: Project

    def __call__(self, *arguments: str) -> Told:
        return self.typed("conflicts", *arguments, within=self.project.folder)

    def data(self, *arguments: str) -> Any:
        told = self(*arguments, "--json")
        assert told.status == 0, told
        return json.loads(told.out)


@pytest.fixture
def clerk(typed: Typed, project: Project, memory_text: MemoryText) -> Clerk:
    project.write("project/slow.md", memory_text("API timeout", SLOW, id=ONE))
    project.write("project/fast.md", memory_text("Timeout of the API", FAST, id=TWO))
    project.write("project/lunch.md", memory_text("Lunch", "Lunch is at noon.", id=THREE))
    return Clerk(typed, project)


@pytest.fixture
def trusted(clerk: Clerk, home: Path) -> Clerk:
    TrustStore.of_user(home).trust(clerk.project.dmm)
    return clerk


def test_every_command_is_there(clerk: Clerk) -> None:
    shown = clerk("--help").out.partition("Commands:\n")[2]
    assert [line.split()[0] for line in shown.splitlines()] == [
        *("scan", "list", "show", "flag", "resolve")
    ]


def test_without_a_command_the_unresolved_ones_are_listed(trusted: Clerk) -> None:
    trusted("scan")
    told = trusted()
    assert (told.status, told.out) == (0, trusted("list").out)
    assert "conflict_1  numeric clash" in told.out


def test_options_before_a_command_are_refused_and_nothing_is_done(trusted: Clerk) -> None:
    told = trusted("--root", "elsewhere", "scan")
    assert (told.status, told.out) == (2, "")
    assert "--json and --root go after the command: scan" in told.err


def test_a_scan_prints_the_records_for_programs(trusted: Clerk) -> None:
    told = trusted.data("scan")
    (record,) = told["conflicts"]
    assert set(record) == {
        *("conflict_id", "type", "confidence", "sure", "status", "detected", "description"),
        *("suggested_resolution", "methods", "memories", "quotes"),
    }
    assert (record["conflict_id"], record["type"], record["status"]) == (
        "conflict_1",
        "numeric_clash",
        "unresolved",
    )
    assert record["memories"] == [
        {"id": TWO, "path": "project/fast.md", "summary": FAST},
        {"id": ONE, "path": "project/slow.md", "summary": SLOW},
    ]
    assert {key: told[key] for key in ("memories", "found", "gone", "recorded", "notices")} == {
        "memories": 3,
        "found": 1,
        "gone": 0,
        "recorded": True,
        "notices": [],
    }


def test_a_second_scan_prints_all_that_is_unresolved_not_only_what_is_new(trusted: Clerk) -> None:
    first = trusted.data("scan")
    again = trusted.data("scan")
    assert again["conflicts"] == first["conflicts"]
    assert again["found"] == 0


def test_people_read_what_clashes_in_eighty_columns(trusted: Clerk) -> None:
    told = trusted("scan")
    head, *lines = told.out.splitlines()
    assert head.startswith("3 memories, ")
    assert lines[0].startswith("conflict_1  numeric clash (0.")
    assert lines[0].endswith("), unresolved")
    assert lines[1:] == [
        "  - project/fast.md",
        f"    {FAST}",
        "  - project/slow.md",
        f"    {SLOW}",
        "",
        "1 unresolved conflict (1 new)",
        "Resolve one with: dmm conflicts resolve ID --action ... --reason ...",
    ]
    shown = trusted("show", "conflict_1").out.splitlines()
    assert all(len(line) <= 80 for line in (*told.out.splitlines(), *shown))
    assert f"  - project/fast.md ({TWO})" in shown
    assert any(line.startswith("  found by: ") for line in shown)
    assert shown[-1] == "  resolve:  dmm conflicts resolve conflict_1 --action ... --reason ..."


def test_a_project_that_is_not_trusted_is_scanned_and_says_that_nothing_was_recorded(
    clerk: Clerk,
) -> None:
    told = clerk("scan")
    assert told.status == 0
    assert "unrecorded_1  numeric clash" in told.out
    assert told.out.endswith(
        "1 unresolved conflict\n"
        "Notice: nothing was recorded: this memory is not trusted yet (see it with: dmm\n"
        "        trust)\n"
    )
    assert clerk.data("scan")["recorded"] is False
    assert clerk.data("list") == {"conflicts": [], "unresolved": 0}


def test_a_conflict_is_named_by_position_or_by_option(trusted: Clerk) -> None:
    trusted("scan")
    assert trusted.data("show", "conflict_1") == trusted.data("show", "--id", "conflict_1")
    for arguments in (("show",), ("show", "conflict_1", "--id", "conflict_1")):
        told = trusted(*arguments)
        assert (told.status, told.err) == (
            2,
            "dmm: name one conflict\n  hint:  such as: dmm conflicts show conflict_12\n",
        )
    assert trusted("show", "conflict_99").status == 2


def test_a_flag_is_recorded_and_listed(trusted: Clerk) -> None:
    told = trusted.data("flag", "--ids", f"{ONE}, {THREE}", "--description", "no time to eat")
    assert (told["type"], told["description"]) == ("flagged", "no time to eat")
    assert trusted.data("list")["conflicts"] == [told]
    assert trusted("list").out.splitlines() == [
        "conflict_1  flagged (1.00), unresolved",
        "  - project/slow.md",
        "    API timeout",
        "  - project/lunch.md",
        "    Lunch",
        "",
        "1 unresolved conflict",
    ]


def test_a_person_can_declare_a_conflict_intentional(trusted: Clerk) -> None:
    trusted("scan")
    told = trusted("resolve", "conflict_1", "--action", "intentional", "--reason", "migration")
    assert told.status == 0
    assert "  settled:  intentional: migration" in told.out.splitlines()
    assert trusted.data("scan")["conflicts"] == []
    (record,) = trusted.data("list", "--all")["conflicts"]
    assert (record["status"], record["resolution"]["reason"]) == ("resolved", "migration")
    assert trusted("list", "--status", "resolved").out.startswith("conflict_1  numeric clash (0.")


def test_an_agent_can_not(trusted: Clerk, monkeypatch: pytest.MonkeyPatch) -> None:
    trusted("scan")
    monkeypatch.setenv("CLAUDECODE", "1")
    told = trusted("resolve", "conflict_1", "--action", "intentional", "--reason", "trust me")
    assert (told.status, told.err.splitlines()[0]) == (
        2,
        "dmm: an agent can't declare a conflict intentional (CLAUDECODE is set)",
    )
    assert len(trusted.data("list")["conflicts"]) == 1


def test_a_deprecation_waits_for_its_review(trusted: Clerk) -> None:
    trusted("scan")
    arguments = ("--action", "deprecate", "--target", ONE, "--reason", "outdated")
    told = trusted.data("resolve", "--id", "conflict_1", *arguments)
    assert told["status"] == "resolution_proposed"
    (proposal,) = told["proposals"]
    assert (proposal["operation"], proposal["status"]) == ("deprecate", "pending")
    assert "resolution proposed: deprecate" in trusted("list").out
    assert "status: active" in (trusted.project.memory / "project/slow.md").read_text("utf-8")


def test_a_new_text_comes_from_the_line_from_a_file_or_from_both_sides(
    trusted: Clerk, tmp_path: Path
) -> None:
    trusted("scan")
    text = tmp_path / "new.md"
    text.write_text("# API timeout\n\nIn staging, the API timeout is 30 seconds.\n", "utf-8")
    told = trusted.data(
        *("resolve", "conflict_1", "--action", "clarify", "--reason", "two places"),
        *("--target", ONE, "--file", str(text)),
        *("--other-content", "# API\n\nIn production, the API timeout is 10 seconds.\n"),
    )
    assert sorted(one["path"] for one in told["proposals"]) == [
        "project/fast.md",
        "project/slow.md",
    ]


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (("--reason", "x"), "--action is missing"),
        (("--action", "merge"), "--reason is missing"),
        (
            ("--action", "merge", "--reason", "x", "--content", "y", "--from-stdin"),
            "give one of: --content, --file, --from-stdin",
        ),
        (
            ("--action", "clarify", "--reason", "x", "--other-content", "y"),
            "--other-content also needs --target and --content",
        ),
        (("--action", "deprecate", "--reason", "x"), "name the memory to deprecate"),
    ],
)
def test_a_line_that_can_not_be_carried_out_says_what_is_missing(
    trusted: Clerk, arguments: tuple[str, ...], what: str
) -> None:
    trusted("scan")
    told = trusted("resolve", "conflict_1", *arguments)
    assert (told.status, told.err.splitlines()[0]) == (2, f"dmm: {what}")


def test_a_file_that_is_not_there_is_told(trusted: Clerk, tmp_path: Path) -> None:
    trusted("scan")
    told = trusted(
        *("resolve", "conflict_1", "--action", "merge", "--reason", "x"),
        *("--file", str(tmp_path / "none.md")),
    )
    assert told.status == 9
    assert "none.md" in told.err
