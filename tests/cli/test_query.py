"""`dmm query` as it is typed."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Typed
    from tests.conftest import Project

TASK = "add password reset to the login flow"


def test_the_pack_is_printed_and_nothing_else(typed: Typed, lantern: Project) -> None:
    told = typed("query", TASK, within=lantern.folder)
    assert (told.status, told.err) == (0, "")
    assert told.out == (lantern.dmm / "packs" / "last_pack.md").read_text()
    assert told.out.splitlines()[2] == f'Task: "{TASK}"'
    assert "#### [project/auth/passwords.md] (relevance: 0." in told.out


def test_the_budgets_and_filters_are_passed_on(typed: Typed, lantern: Project) -> None:
    options = ["--budget", "700", "--baseline-budget", "90", "--scope", "global"]
    told = typed("query", TASK, *options, "--include-deprecated", "--json", within=lantern.folder)
    pack = json.loads(told.out)["pack"]
    assert (pack["budget"], pack["baseline_budget"]) == (700, 90)
    assert {entry["scope"] for entry in pack["retrieved_entries"]} == {"global"}
    assert pack["notices"] == [
        "the baseline has 143 tokens, its budget is 90; move to global/ or project/:"
        " baseline/hard_constraints.md (80)"
    ]
    brief = ["--exclude-ephemeral", "--precise", "--json"]
    told = typed("query", "checkout test fails at midnight", *brief, within=lantern.folder)
    assert not any("ephemeral" in path for path in json.loads(told.out)["pack"]["included_paths"])


def test_the_settings_hold_where_no_budget_is_given(typed: Typed, shop: Project) -> None:
    settings = {"retrieval": {"default_budget": 640, "baseline_budget": 99}}
    (shop.dmm / "daemon.config.json").write_text(json.dumps(settings))
    pack = json.loads(typed("query", TASK, "--json", within=shop.folder).out)["pack"]
    assert (pack["budget"], pack["baseline_budget"]) == (640, 99)


def test_the_answer_as_data_has_the_receipt_only_on_request(typed: Typed, lantern: Project) -> None:
    told = json.loads(typed("query", TASK, "--json", within=lantern.folder).out)
    assert set(told) == {"pack", "pack_markdown", "stats"}
    assert told["pack_markdown"] == typed("query", TASK, within=lantern.folder).out
    explained = json.loads(typed("query", TASK, "--json", "--explain", within=lantern.folder).out)
    assert set(explained) == {*told, "receipt"}
    assert explained["pack"] == told["pack"]
    assert len(explained["receipt"]["candidates"]) == told["stats"]["candidates"]


def test_the_receipt_follows_the_pack(typed: Typed, lantern: Project) -> None:
    pack = typed("query", TASK, within=lantern.folder).out
    told = typed("query", TASK, "--explain", within=lantern.folder).out
    assert told.startswith(f"{pack}\n## Receipt: 13 candidates\nDirectories preferred: project/a")
    receipt = told.removeprefix(pack)
    assert "\nin  0." in receipt
    assert "\nout 0." in receipt
    assert "      found by similarity and keywords; below floor\n" in receipt
    assert "  claims 0." in receipt


def test_the_receipt_names_the_reason_and_its_detail(typed: Typed, lantern: Project) -> None:
    out = typed("query", TASK, "--explain", "--budget", "500", within=lantern.folder).out
    assert "; budget: " in out
    out = typed("query", "capital of France", "--explain", within=lantern.folder).out
    assert "Nothing was relevant enough, so nothing was retrieved.\n" in out
    out = typed("query", "", "--explain", within=lantern.folder).out
    assert out.endswith("\n## Receipt: 0 candidates\n")


def test_verbose_adds_counts_times_and_scores(typed: Typed, lantern: Project) -> None:
    out = typed("query", TASK, "--verbose", within=lantern.folder).out
    added = out.partition("## Retrieval\n")[2].splitlines()
    names = [line.split(":")[0] for line in added[:5]]
    assert names == ["- indexed", "- candidates", "- directories", "- retrieval", "- milliseconds"]
    assert added[0] == "- indexed: 16"
    assert added[2].startswith("- directories: project/auth, ")
    assert added[5].endswith(" project/auth/login_throttle.md")
    stats = json.loads(typed("query", TASK, "-v", "--json", within=lantern.folder).out)["stats"]
    assert stats["milliseconds"] > 0


def test_a_pack_can_be_written_to_a_file(typed: Typed, shop: Project) -> None:
    typed("reindex", within=shop.folder)  # a copied index is not believed
    told = typed("query", TASK, "--output", "pack.md", within=shop.folder)
    assert (told.status, told.out) == (0, "")
    assert told.err.startswith("Pack written to pack.md (")
    written = (shop.folder / "pack.md").read_text()
    assert written == (shop.dmm / "packs" / "last_pack.md").read_text()
    told = typed("query", TASK, "--output", "pack.json", "--json", within=shop.folder)
    assert (told.status, told.out) == (0, "")
    assert told.err.startswith("Pack written to pack.json (")
    assert json.loads((shop.folder / "pack.json").read_text())["pack_markdown"] == written


@pytest.mark.parametrize("form", [[], ["--json"]])
def test_a_dash_as_output_is_standard_output(
    form: list[str], typed: Typed, lantern: Project
) -> None:
    told = typed("query", TASK, "--output", "-", *form, within=lantern.folder)
    assert told == typed("query", TASK, *form, within=lantern.folder)
    assert not (lantern.folder / "-").exists()


def test_an_output_behind_a_link_is_written_where_the_link_leads(
    typed: Typed, shop: Project, tmp_path: Path
) -> None:
    (tmp_path / "target.md").write_text("old")
    (shop.folder / "pack.md").symlink_to(tmp_path / "target.md")
    typed("query", TASK, "--output", "pack.md", within=shop.folder)
    assert (shop.folder / "pack.md").is_symlink()
    assert (tmp_path / "target.md").read_text().startswith("# DMM Memory Pack\n")


def test_a_pipe_as_output_stays_what_it_is(typed: Typed, shop: Project) -> None:
    pipe = shop.folder / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        assert typed("query", TASK, "--output", "pipe", within=shop.folder).status == 0
        assert os.read(reader, 18) == b"# DMM Memory Pack\n"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


@pytest.mark.parametrize("place", ["missing/pack.md", ".dmm", "file/pack.md"])
def test_an_output_that_cannot_be_written_is_refused(
    place: str, typed: Typed, shop: Project
) -> None:
    (shop.folder / "file").write_text("a file")
    told = typed("query", TASK, "--output", place, within=shop.folder)
    assert (told.status, told.out) == (9, "")
    assert told.err.startswith("dmm: could not write the file: ")
    assert place in told.err


def test_a_task_of_a_megabyte_is_refused(typed: Typed, lantern: Project) -> None:
    told = typed("query", "word " * 200_000, within=lantern.folder)
    assert (told.status, told.out) == (2, "")
    assert told.err == (
        "dmm: the task has more than 20,000 characters\n"
        "  hint:  describe the task in a few sentences\n"
    )


@pytest.mark.parametrize(
    "task",
    ["🔑🧵 login 👩\u200d💻", "إعادة تعيين كلمة المرور", "שלום login", "密码重置", "a" * 20_000],
)
def test_any_script_may_be_asked_in(task: str, typed: Typed, lantern: Project) -> None:
    told = typed("query", task, within=lantern.folder)
    assert (told.status, told.err) == (0, "")
    assert told.out.splitlines()[2] == f'Task: "{task}"'


def test_marks_that_turn_the_direction_of_text_are_shown(typed: Typed, lantern: Project) -> None:
    told = typed("query", "login \u202enigol", within=lantern.folder)
    assert told.out.splitlines()[2] == 'Task: "login <U+202E>nigol"'
