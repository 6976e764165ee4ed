"""Reports, suggestions and exported counts as they are typed, and what status tells of them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from dmm.files.trusted import TrustStore

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Typed
    from tests.conftest import MemoryText, Project

CENTS = "project/payments/money_in_cents.md"


@pytest.fixture
def shop(shop: Project, home: Path) -> Project:
    shop.trust(home)
    return shop


def id_of(project: Project, path: str) -> str:
    found = re.search(r"^id: (\S+)$", (project.memory / path).read_text(), re.M)
    assert found is not None
    return found[1]


def expired(project: Project, memory_text: MemoryText) -> None:
    text = memory_text(scope="ephemeral", expires="2020-01-01", id="mem_2020_01_01_001")
    project.write("ephemeral/old.md", text)


def test_feedback_records_how_memories_fared(typed: Typed, shop: Project) -> None:
    identity = id_of(shop, CENTS)
    told = typed("feedback", "helped", CENTS, within=shop.folder)
    assert (told.status, told.err) == (0, "")
    assert told.out == f"recorded as event 1: 1 memory helped\n  {CENTS} {identity}\n"
    told = typed(
        *("feedback", "outdated", identity, CENTS, "--context", "x", "--json"),
        within=shop.folder,
    )
    assert json.loads(told.out) == {
        "seq": 2,
        "memories": [{"id": identity, "path": CENTS}],
        "outcome": "outdated",
        "context": "x",
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["splendid", CENTS], "'splendid' is not a known outcome"),
        (["wrong", "project/none.md"], "there is no memory 'project/none.md'"),
    ],
)
def test_feedback_on_nothing_known_is_refused(
    arguments: list[str], message: str, typed: Typed, shop: Project
) -> None:
    told = typed("feedback", *arguments, within=shop.folder)
    assert (told.status, told.out) == (2, "")
    assert told.err.startswith(f"dmm: {message}\n")
    assert not (shop.dmm / "ledger.db").exists()


def test_the_lifecycle_shows_its_suggestions_and_proposes_each_once(
    typed: Typed, shop: Project, memory_text: MemoryText
) -> None:
    assert typed("lifecycle", within=shop.folder).out == "nothing to suggest\n"
    expired(shop, memory_text)
    why = "it expired on 2020-01-01 and has not been served since"
    lines = ["  - ephemeral/old.md: deprecate", f"      why: {why}"]
    dry = typed("lifecycle", "--dry-run", within=shop.folder)
    assert dry.out.splitlines() == ["1 suggestion", *lines, "      now: not proposed yet"]
    told = typed("lifecycle", within=shop.folder)
    assert told.status == 0
    assert told.out.splitlines() == [
        "1 suggestion, 1 proposed now",
        *lines,
        "      now: proposal_1 proposed",
        "Review them with: dmm review list",
    ]
    again = json.loads(typed("lifecycle", "--json", within=shop.folder).out)
    assert again["proposed"] == 0
    assert again["suggestions"] == [
        {
            "kind": "expired",
            "operation": "deprecate",
            "path": "ephemeral/old.md",
            "new_scope": None,
            "reason": why,
            "state": "waits",
            "proposal": "proposal_1",
        }
    ]


def test_usage_is_exported_into_files_on_request(typed: Typed, shop: Project) -> None:
    assert typed("export-usage", within=shop.folder).out == "Counts updated in 0 files\n"
    typed("feedback", "served", CENTS, within=shop.folder)
    dry = typed("export-usage", "--dry-run", within=shop.folder)
    assert dry.out == f"Counts would be updated in 1 file\n  {CENTS}\n"
    told = typed("export-usage", within=shop.folder)
    assert told.out == (
        f"Counts updated in 1 file\n  {CENTS}\nApplied as proposal_2; to undo it: dmm undo 2\n"
    )
    assert "\nusage_count: 1\n" in (shop.memory / CENTS).read_text()


def test_an_agent_can_not_export_usage(
    typed: Typed, shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed("feedback", "served", CENTS, within=shop.folder)
    monkeypatch.setenv("CLAUDECODE", "1")
    told = typed("export-usage", within=shop.folder)
    assert told.status == 2
    assert told.err.startswith("dmm: an agent can't write usage into memory files")
    assert "usage_count" not in (shop.memory / CENTS).read_text()


def test_status_without_a_ledger_tells_what_the_files_tell_and_makes_none(
    typed: Typed, shop: Project, memory_text: MemoryText
) -> None:
    out = typed("status", within=shop.folder).out
    assert re.search(r"^Suggested +nothing$", out, re.M)
    assert not re.search(r"^(Review|Conflicts|Tokens) ", out, re.M)
    expired(shop, memory_text)
    data = json.loads(typed("status", "--json", within=shop.folder).out)
    assert data["agenda"]["pending"] is None
    assert data["agenda"]["conflicts"] is None
    assert data["agenda"]["model"] is None
    assert [one["path"] for one in data["agenda"]["suggestions"]] == ["ephemeral/old.md"]
    assert not (shop.dmm / "ledger.db").exists()


def test_status_tells_what_waits_for_somebody(
    typed: Typed, shop: Project, memory_text: MemoryText
) -> None:
    typed("feedback", "helped", CENTS, within=shop.folder)
    out = typed("status", within=shop.folder).out
    assert re.search(r"^Review +nothing pending$", out, re.M)
    assert re.search(r"^Conflicts +none$", out, re.M)
    expired(shop, memory_text)
    typed("lifecycle", within=shop.folder)
    out = typed("status", within=shop.folder).out
    assert re.search(
        r"^Review +1 pending, the oldest for less than a minute; see: dmm review list$",
        out,
        re.M,
    )
    assert re.search(
        r"^Suggested +1 expired; see: dmm lifecycle\n +ephemeral/old.md: deprecate$", out, re.M
    )
    assert max(map(len, out.splitlines())) <= 80
    agenda = json.loads(typed("status", "--json", within=shop.folder).out)["agenda"]
    assert (agenda["pending"]["count"], agenda["pending"]["oldest"]) == (1, "proposal_2")
    assert agenda["pending"]["age_seconds"] >= 0
    assert (agenda["conflicts"], agenda["model"]["tokens_today"]) == (0, 0)


def test_status_of_a_memory_that_is_not_trusted_does_not_read_its_ledger(
    typed: Typed, shop: Project, home: Path
) -> None:
    typed("feedback", "wrong", CENTS, within=shop.folder)
    assert TrustStore.of_user(home).revoke(shop.dmm)
    data = json.loads(typed("status", "--json", within=shop.folder).out)
    assert data["trusted"] is False
    assert (data["agenda"]["pending"], data["agenda"]["suggestions"]) == (None, [])


def test_status_tells_that_the_baseline_is_over_its_budget(
    typed: Typed, shop: Project, memory_text: MemoryText
) -> None:
    text = memory_text("Style", "Write short sentences. " * 400, scope="baseline")
    shop.write("baseline/style.md", text)
    out = typed("status", within=shop.folder).out
    assert re.search(r"^ +over its budget; to see what to demote: dmm lifecycle$", out, re.M)
    assert re.search(r"^ +baseline/style.md: demote to global$", out, re.M)
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("name", ["feedback", "lifecycle", "export-usage"])
def test_help_fits_80_columns(name: str, typed: Typed, tmp_path: Path) -> None:
    told = typed(name, "-h", within=tmp_path)
    assert told.status == 0
    assert max(map(len, told.out.splitlines())) <= 80


@pytest.mark.parametrize(
    "line",
    [["feedback", "helped", CENTS], ["lifecycle"], ["export-usage"], ["digest"], ["distil"]],
)
def test_in_a_clone_that_is_not_trusted_nothing_is_recorded(
    line: list[str], typed: Typed, shop: Project, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    TrustStore.of_user(home).revoke(shop.dmm)
    before = sorted(shop.dmm.rglob("*"))
    assert typed(*line, within=shop.folder).status == 13
    monkeypatch.setenv("CLAUDECODE", "1")
    assert typed(*line, within=shop.folder).status in (2, 13)
    assert sorted(shop.dmm.rglob("*")) == before


def test_status_tells_what_is_written_and_not_committed(typed: Typed, shop: Project) -> None:
    (shop.dmm / "daemon.config.json").write_text('{"governance": {"git_commit": true}}')
    typed("trust", "--yes", within=shop.folder)
    typed("feedback", "served", CENTS, within=shop.folder)
    typed("export-usage", within=shop.folder)
    out = typed("status", within=shop.folder).out
    told = r"^Git +1 change is not committed \(proposal_2\); the next write retries$"
    assert re.search(told, out, re.M)
    agenda = json.loads(typed("status", "--json", within=shop.folder).out)["agenda"]
    assert agenda["uncommitted"] == ["proposal_2"]
    (shop.dmm / "daemon.config.json").unlink()
    typed("trust", "--yes", within=shop.folder)
    assert not re.search(r"^Git ", typed("status", within=shop.folder).out, re.M)
