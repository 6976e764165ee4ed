"""`dmm search`, `dmm timeline` and `dmm get` as they are typed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

    from tests.cli.conftest import Typed
    from tests.conftest import Project

TALK = (
    ("ann", "user", "Why does the nightly export lose rows?"),
    ("ann", "assistant", "The cursor is closed too early; I keep it open until the last page."),
    ("bob", "user", "Which colours shall the charts have?"),
)


@pytest.fixture
def talked(project: Project, home: Path, typed: Typed) -> Project:
    """A project with two imported sessions."""
    project.trust(home)
    lines = [
        {"session": session, "at": f"2026-01-0{day}T10:00:00Z", "role": role, "text": text}
        for day, (session, role, text) in enumerate(TALK, 1)
    ]
    file = project.folder / "talk.jsonl"
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    told = typed("import-sessions", str(file), "--client", "generic", within=project.folder)
    assert told.status == 0, told.err
    return project


def test_a_search_shows_a_row_per_match_and_get_shows_it_whole(
    talked: Project, typed: Typed
) -> None:
    told = typed("search", "export loses rows", "--limit", "1", within=talked.folder)
    assert told.status == 0
    head, row = told.out.splitlines()
    assert head == "ann 2026-01-01"
    name, _, rest = row.partition(" ")
    assert rest.endswith("t Why does the nightly export lose rows?")
    full = typed("get", name, within=talked.folder)
    assert full.out == (
        f"## {name} ann\n[1 January 2026] user (generic): Why does the nightly export lose rows?\n"
    )


def test_json_gives_what_the_service_tells(talked: Project, typed: Typed) -> None:
    told = typed("search", "charts", "--session", "bob", "--json", within=talked.folder)
    found = json.loads(told.out)
    assert found["query"] == "charts"
    (row,) = [one for one in found["results"] if one["kind"] == "message"]
    assert row["session"] == "bob"
    assert row["at"].startswith("2026-01-03")
    full = json.loads(typed("get", row["id"], "--json", within=talked.folder).out)
    assert full["observations"][0]["sources"] == row["sources"]


def test_a_filter_alone_lists_the_newest(talked: Project, typed: Typed) -> None:
    told = typed("search", "--session", "bob", "--json", within=talked.folder)
    assert {one["session"] for one in json.loads(told.out)["results"]} == {"bob"}


def test_a_timeline_marks_what_it_stands_around(talked: Project, typed: Typed) -> None:
    told = typed(
        *("timeline", "--query", "cursor closed early", "--before", "1", "--after", "0"),
        within=talked.folder,
    )
    lines = told.out.splitlines()
    assert [line.partition(" ")[0] for line in lines[::2]] == ["ann", "ann"]
    assert lines[3].startswith("> msg_")
    assert "cursor" in lines[3]
    named = lines[3].split()[1]
    again = typed("timeline", named, "--before", "1", "--after", "0", within=talked.folder)
    assert again.out == told.out


def test_nothing_found_says_how_to_go_on(talked: Project, typed: Typed) -> None:
    told = typed("search", "export", "--kind", "bugfix", within=talked.folder)
    assert (told.status, told.out) == (
        0,
        "hint: no unit passes these filters: leave one out, or widen the dates\n",
    )
    wrong = typed("search", "export", "--kind", "idea", within=talked.folder)
    assert wrong.status == 2
    assert "there is no kind 'idea'" in wrong.err


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        ("timeline", "dmm timeline [OPTIONS] [ID]\n"),
        ("get", "dmm get [OPTIONS] {ID}...\n"),
        ("import-sessions", "dmm import-sessions [OPTIONS] [PATH]...\n"),
    ],
)
def test_usage_names_each_argument_once(
    command: str, usage: str, talked: Project, typed: Typed
) -> None:
    assert f"Usage: {usage}" in typed(command, "--help", within=talked.folder).out


def test_an_id_that_names_nothing_is_told_and_ends_with_a_status(
    talked: Project, typed: Typed
) -> None:
    for command in ("get", "timeline"):
        told = typed(command, "obs_9999", within=talked.folder)
        assert told.status == 1
        assert told.out.startswith("not found: obs_9999\nhint: ")
