"""`dmm write` as it is typed: proposals are made, checked and told; no file is touched."""

from __future__ import annotations

import hashlib
import io
import json
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Typed
    from tests.conftest import Command, MemoryText, Project

ROOMS = (
    *("hall", "kitchen", "cellar", "attic", "garage"),
    *("study", "library", "workshop", "pantry", "porch"),
)
NOTE = "# What the sensors of the house reported in the trial\n\n" + "\n".join(
    f"The sensor in the {room} reported {number + 11} degrees at noon and {number + 7} at night;"
    f" its battery was at {90 - number} percent and its clock was {number} seconds slow."
    for number, room in enumerate(ROOMS)
)
WHY = ("--reason", "seen in the trial")


@pytest.fixture
def own(project: Project, home: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("DMM_STATE_DIR", str(home / "state"))
    project.trust(home)
    (project.folder / "note.md").write_text(NOTE)
    return project


def stdin(text: bytes) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(text))


def test_a_proposal_is_told_with_its_checks_and_waits(typed: Typed, own: Project) -> None:
    told = typed(
        *("write", "propose", "--path", "project/house/sensors.md", "--file", "note.md", *WHY),
        within=own.folder,
    )
    assert (told.status, told.err) == (0, "")
    assert told.out == (
        "proposal_1 pending: create project/house/sensors.md\n"
        "  ✓ 12 checks passed\n"
        "  why:   the settings require a review; no reviewer agent is set up\n"
        "  see:   dmm review show proposal_1\n"
    )
    assert list(own.memory.rglob("*.md")) == []


@pytest.mark.parametrize("operation", ["propose", "create"])
def test_a_preview_tells_the_checks_and_records_nothing(
    typed: Typed, own: Project, operation: str
) -> None:
    line = ("write", operation, "--path", "project/house/sensors.md", "--file", "note.md", *WHY)
    told = typed(*line, "--preview", within=own.folder)
    assert (told.status, told.err) == (0, "")
    assert told.out.startswith(
        "preview, nothing is recorded: create project/house/sensors.md\n  ✓ 12 checks passed\n"
    )
    as_json = json.loads(typed(*line, "--preview", "--json", within=own.folder).out)
    assert as_json["path"] == "project/house/sensors.md"
    assert {one["outcome"] for one in as_json["checks"]} == {"pass"}
    assert json.loads(typed("review", "list", "--json", within=own.folder).out)["proposals"] == []


def test_a_preview_in_which_a_check_fails_is_a_finding(typed: Typed, own: Project) -> None:
    own.write("project/house/lamp.md", "---\nid: mem_2026_01_01_001\n---\n# Lamp\n\nGreen.\n")
    long = "# Lamp\n\n" + "many words " * 600
    line = ("write", "update", "--path", "project/house/lamp.md", "--content", long, *WHY)
    told = typed(*line, "--preview", within=own.folder)
    assert told.status == 1
    assert "✗" in told.out


def test_a_check_that_failed_is_a_finding(typed: Typed, own: Project) -> None:
    long = "# A\n\n" + "many words " * 600
    told = typed(
        *("write", "create", "--path", "project/a.md", "--content", long, *WHY),
        within=own.folder,
    )
    assert told.status == 1
    lines = told.out.splitlines()
    assert lines[0] == "proposal_1 pending: create project/a.md"
    assert any(line.startswith("  ✗ tokens          ") for line in lines)
    assert max(map(len, lines)) <= 80
    data = json.loads(
        typed(
            *("write", "create", "--path", "project/b.md", "--content", "# B", *WHY, "--json"),
            within=own.folder,
        ).out
    )
    assert {"id", "seq", "status", "operation", "path", "trust", "reason", "checks", "tier"} <= set(
        data
    )


def test_what_is_known_of_a_new_memory_stands_in_its_front_matter(
    typed: Typed, own: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", stdin(NOTE.encode()))
    told = typed(
        *("write", "create", "--path", ".dmm/memory/ephemeral/house/sensors.md", "--from-stdin"),
        *("--tags", "sensors, house", "--priority", "0.7", "--expires", "2999-12-31"),
        *("--related", "mem_2026_01_01_001", "--supersedes", "mem_2026_01_01_002", *WHY),
        within=own.folder,
    )
    assert told.out.startswith("proposal_1 pending: create ephemeral/house/sensors.md\n")
    edits = json.loads(typed("review", "show", "1", "--json", within=own.folder).out)["edits"]
    head = edits[0]["after"].split("---\n")[1]
    for line in (
        *("tags: [sensors, house]", "scope: ephemeral", "priority: 0.7", "expires: 2999-12-31"),
        *("related: [mem_2026_01_01_001]", "supersedes: [mem_2026_01_01_002]"),
    ):
        assert f"{line}\n" in head


@pytest.fixture
def lamp(own: Project, memory_text: MemoryText) -> Path:
    return own.write("project/lamp.md", memory_text("Lamp", "The lamp is red.\n\nIt is old."))


PATCH = "@@ -12,1 +12,1 @@\n-The lamp is red.\n+The lamp is blue.\n"


def changed(typed: Typed, project: Project, number: int) -> str:
    told = typed("review", "show", str(number), "--json", within=project.folder)
    return "\n".join(json.loads(told.out)["diff"])


@pytest.mark.parametrize("way", ["text", "file", "stdin"])
def test_a_patch_comes_as_text_from_a_file_or_from_standard_input(
    typed: Typed, own: Project, lamp: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    (own.folder / "change.diff").write_text(PATCH)
    monkeypatch.setattr(sys, "stdin", stdin(PATCH.encode()))
    patch = {"text": PATCH, "file": "@change.diff", "stdin": "-"}[way]
    line = ("write", "update", "--path", "project/lamp.md", "--patch", patch, *WHY)
    assert "proposal_1 pending: update" in typed(*line, within=own.folder).out
    assert "-The lamp is red.\n+The lamp is blue.\n" in changed(typed, own, 1)
    assert "red" in lamp.read_text()


def test_a_patch_that_is_no_diff_is_the_new_text(typed: Typed, own: Project, lamp: Path) -> None:
    text = "# Lamp\n\nThe lamp is green."
    line = ("write", "update", "--path", "project/lamp.md", "--patch", text, *WHY)
    typed(*line, within=own.folder)
    assert "+The lamp is green." in changed(typed, own, 1)
    assert "-id:" not in changed(typed, own, 1)
    assert lamp.is_file()


def test_a_base_that_is_no_longer_true_is_refused_with_all_texts(
    typed: Typed, own: Project, lamp: Path
) -> None:
    base = hashlib.sha256(lamp.read_bytes()).hexdigest()
    text = "# Lamp\n\nThe lamp is green."
    line = ("write", "update", "--path", "project/lamp.md", "--content", text, *WHY, "--base")
    assert typed(*line, base[:16], within=own.folder).status in (0, 1)
    lamp.write_text(lamp.read_text().replace("red", "white"))
    told = typed(*line, base, within=own.folder)
    assert told.status == 15
    assert told.err.startswith(
        "dmm: the change was made from a different text\n  where: project/lamp"
    )
    assert "The lamp is white.\n" in told.err
    assert "The lamp is green." in told.err
    error = json.loads(typed(*line, base, "--json", within=own.folder).out)["error"]
    assert error["code"] == "stale_base"
    assert "The lamp is white." in error["view"]


def test_memories_are_deprecated_promoted_and_demoted(
    typed: Typed, own: Project, lamp: Path
) -> None:
    path = ("--path", "project/lamp.md")
    typed("write", "deprecate", *path, *WHY, within=own.folder)
    typed("write", "promote", *path, "--new-scope", "global", *WHY, within=own.folder)
    told = typed(
        *("write", "demote", *path, "--new-scope", "agent", "--to", "agent/lights.md", *WHY),
        within=own.folder,
    )
    assert "demote to agent/lights.md" in told.out
    assert "+status: deprecated" in changed(typed, own, 1)
    wrong = typed("write", "promote", *path, "--new-scope", "agent", *WHY, within=own.folder)
    assert (wrong.status, wrong.err) == (
        2,
        "dmm: agent is not a wider scope\n  where: project/lamp.md\n  hint:  use demote\n",
    )
    assert lamp.is_file()


def test_what_it_rests_on_lowers_its_trust(typed: Typed, own: Project) -> None:
    line = ("write", "create", "--path", "project/a.md", "--content", NOTE, *WHY, "--json")
    told = typed(*line, "--source", "third_party", within=own.folder)
    assert json.loads(told.out)["trust"] == "third_party"
    missing = typed(*line, "--evidence", "99", within=own.folder)
    assert json.loads(missing.out)["error"]["what"] == "there is no event 99 to be based on"


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (["propose", "--path", "project/a.md"], "Missing option '--reason'"),
        (["propose", "--path", "project/a.md", *WHY], "content is missing"),
        (
            ["create", "--path", "project/a.md", "--content", "x", "--file", "y", *WHY],
            "give one of: --content, --file, --from-stdin",
        ),
        (
            ["update", "--path", "project/a.md", *WHY],
            "give one of: --content, --file, --from-stdin, --patch",
        ),
        (["create", "--path", "project/a.md", "--file", "none.md", *WHY], "none.md"),
        (
            ["create", "--path", "project/a.md", "--content", "x", "--expires", "soon", *WHY],
            "'soon' is not a day",
        ),
        (
            ["create", "--path", "project/a.md", "--content", "x", "--source", "god", *WHY],
            "'god' is not a known source",
        ),
        (
            ["create", "--path", "project/a.md", "--content", "x", "--source", "reviewed", *WHY],
            "one of user, agent, tool, third_party",
        ),
        (
            ["create", "--path", "project/", "--content", "x", *WHY],
            "it names a folder, not a file",
        ),
        (
            ["create", "--path", "project/a.md", "--content", "x", "--reason", " "],
            "give the reason in one sentence; it is recorded",
        ),
        (["propose", "--path", "../a.md", "--content", "x", *WHY], "../a.md"),
        (["deprecate", "--path", "project/none.md", *WHY], "there is no such memory"),
    ],
)
def test_what_can_not_be_proposed_is_told(
    typed: Typed, own: Project, line: list[str], what: str
) -> None:
    told = typed("write", *line, within=own.folder)
    assert told.status not in (0, 1)
    assert what in told.err
    assert "waits" not in typed("review", "list", within=own.folder).out.partition("0 prop")[0]


def test_what_is_no_text_or_too_much_of_it_is_refused(typed: Typed, own: Project) -> None:
    (own.folder / "bytes.md").write_bytes(b"\xff\xfe\x00")
    (own.folder / "large.md").write_text("x" * 10_000_000)
    (own.folder / "long.md").write_text("x" * 100_000)
    line = ("write", "create", "--path", "project/a.md", *WHY, "--file")
    for name, what in (
        ("bytes.md", "the text is not UTF-8"),
        ("large.md", "the text is larger than 1 MiB"),
        ("long.md", "the text has 100,000 bytes; a proposal can have at most 65,536"),
    ):
        told = typed(*line, name, within=own.folder)
        assert told.status == 2
        assert told.err.startswith(f"dmm: {what}\n")


def test_an_agents_shell_proposes_in_the_name_of_the_agent(own: Project, command: Command) -> None:
    env = {"CLAUDECODE": "1", "DMM_STATE_DIR": str(command.home / "state")}
    line = ("write", "propose", "--path", "project/a.md", "--file", "note.md", *WHY, "--json")
    told = command(*line, within=own.folder, env=env)
    assert json.loads(told.stdout)["trust"] == "agent"


def test_a_memory_that_is_not_trusted_takes_no_proposals(
    typed: Typed, project: Project, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DMM_STATE_DIR", str(home / "state"))
    line = ("write", "propose", "--path", "project/a.md", "--content", NOTE, *WHY)
    assert typed(*line, within=project.folder).status == 13
