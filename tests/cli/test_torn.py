"""What Git left in two versions is never served; it is named with its line and the way out."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from dmm.domain.pack import QueryRequest
from dmm.errors import UsageError
from dmm.rules.checks import Asked

if TYPE_CHECKING:
    from tests.cli.conftest import Typed
    from tests.conftest import MemoryText, Opener, Project

    from dmm.bootstrap import Dmm

MARKERS = "<<<<<<< HEAD\nRetry a failed call five times.\n=======\nNever retry.\n>>>>>>> topic"
RULE = "---\nid: no-push\nlevel: deny\nmatch:\n  - command: git push\n---\n# Never push\n"
TORN_RULE = RULE.replace("level: deny", "<<<<<<< HEAD\nlevel: warn\n=======\n>>>>>>> topic")


@pytest.fixture
def torn(project: Project, memory_text: MemoryText) -> Project:
    """A project whose memory, baseline, folder description and contract are in conflict."""
    project.write("project/retry.md", memory_text(body=MARKERS))
    project.write("project/_dir.md", MARKERS)
    project.write("project/other.md", memory_text("Logging", "Log calls.", id="mem_2026_01_31_002"))
    project.write(
        "baseline/rules.md", memory_text(body=MARKERS, scope="baseline", id="mem_2026_01_31_003")
    )
    (project.dmm / "BOOT.md").write_text(MARKERS)
    return project


def everything_served(dmm: Dmm) -> str:
    pack = dmm.packs.query(QueryRequest("retry a failed call")).pack
    return repr(pack) + dmm.sessions.find_briefing().write()


def test_nothing_with_markers_is_served(torn: Project, open_project: Opener) -> None:
    for trusted in (False, True):
        served = everything_served(open_project(torn, trusted=trusted))
        assert "<<<<<<<" not in served
        assert "five times" not in served


def test_a_text_with_markers_stays_inactive_and_the_one_accepted_before_is_served(
    project: Project, memory_text: MemoryText, open_project: Opener
) -> None:
    text = memory_text(body="Ask before a release.", scope="baseline")
    file = project.write("baseline/rules.md", text)
    (project.dmm / "BOOT.md").write_text("Read the baseline first.")
    dmm = open_project(project)
    assert "Ask before a release." in everything_served(dmm)
    file.write_text(memory_text(body=MARKERS, scope="baseline"))
    (project.dmm / "BOOT.md").write_text(MARKERS)
    served = everything_served(dmm)
    assert "Ask before a release." in served
    assert "Read the baseline first." in served
    assert "unresolved merge conflict: BOOT.md, baseline/rules.md" in served
    assert "dmm merge" in served
    with pytest.raises(UsageError, match="unresolved merge conflict"):
        dmm.consents.accept_seen(dmm.consents.changes())


def test_a_rule_stays_in_force_while_its_file_is_in_conflict(
    project: Project, open_project: Opener
) -> None:
    file = project.dmm / "rules" / "no-push.md"
    file.parent.mkdir()
    file.write_text(RULE)
    dmm = open_project(project)
    assert dmm.rules.check(Asked("git push")).outcome == "denied"
    file.write_text(TORN_RULE)
    assert dmm.rules.check(Asked("git push")).outcome == "denied"
    assert "unresolved merge conflict: rules/no-push.md" in (dmm.consents.notice() or "")


def test_consent_to_everything_leaves_out_what_is_in_conflict(
    project: Project, open_project: Opener
) -> None:
    file = project.dmm / "rules" / "no-push.md"
    file.parent.mkdir()
    file.write_text(TORN_RULE)
    dmm = open_project(project)
    assert dmm.consents.effective("rules/no-push.md") is None
    assert "rules/no-push.md" in (dmm.consents.notice() or "")


def named(findings: list[dict[str, Any]]) -> set[tuple[str, int]]:
    return {(one["path"], one["line"]) for one in findings if one["check"] == "merge_conflict"}


def test_validate_status_and_doctor_name_file_line_and_the_way_out(
    torn: Project, typed: Typed, home: Any
) -> None:
    (torn.dmm / "rules").mkdir()
    (torn.dmm / "rules" / "no-push.md").write_text(TORN_RULE)
    torn.trust(home)
    told = typed("validate", "--json", within=torn.folder)
    expected = {
        ("BOOT.md", 1),
        ("baseline/rules.md", 12),
        ("project/_dir.md", 1),
        ("project/retry.md", 12),
        ("rules/no-push.md", 3),
    }
    assert told.status == 1
    assert named(json.loads(told.out)["findings"]) == expected
    status = json.loads(typed("status", "--json", within=torn.folder).out)
    assert named(status["faults"]) == expected - {("project/_dir.md", 1)}
    checks = [one for one in typed.look_at(torn.folder) if one.name == "merge conflict"]
    assert len(checks) == 4
    assert all(one.way == "resolve it with: dmm merge" for one in checks)


def test_settings_in_conflict_are_named_with_their_line(project: Project, typed: Typed) -> None:
    (project.dmm / "daemon.config.json").write_text(f"{{\n{MARKERS}\n}}")
    told = typed("status", within=project.folder)
    assert told.status != 0
    assert "unresolved merge conflict" in told.err
    assert "daemon.config.json:2" in told.err
    assert "dmm merge" in told.err


def test_a_fix_leaves_a_file_in_conflict_alone(torn: Project, typed: Typed) -> None:
    text = "<<<<<<< HEAD\n# One\n=======\n# Two\n>>>>>>> topic\n"
    file = torn.write("project/both.md", text)
    typed("validate", "--fix", within=torn.folder)
    assert file.read_text() == text
