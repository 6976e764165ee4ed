"""`dmm digest` and `dmm distil`: what is said of sessions, in lines and as data."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from typing import TYPE_CHECKING

from dmm.domain.event import EventType
from dmm.eventlog.open_ledger import Actor

if TYPE_CHECKING:
    from tests.cli.conftest import Typed
    from tests.conftest import Opener, Project

DAY = "2026-06-29"
AREAS = ("cart", "search", "login", "export", "invoice", "stock", "mail", "report")


def work(project: Project, open_project: Opener, *areas: str) -> None:
    """Record sessions of one day, as their hooks would."""
    opened = open_project(project)
    project_ledger = replace(
        opened.project_ledger,
        now=lambda: dt.datetime.fromisoformat(f"{DAY}T12:00:00+00:00"),
        actor=Actor("claude-code", "hook", session="s1"),
    )
    for area in areas:
        given = {"file_path": f"src/{area}/view.py"}
        told = (
            f"The {area} page was wrong because `{area}_total()` read the cached customer. "
            f"It takes the customer of the request now, and `src/{area}/view.py` has a test."
        )
        for kind, payload in (
            (EventType.USER_MESSAGE_RECEIVED, {"text": f"Fix the wrong totals of the {area} page"}),
            (EventType.TOOL_USED, {"tool": "Edit", "input": given}),
            (EventType.TURN_ENDED, {"text": told}),
        ):
            project_ledger.record(project_ledger.draft_of(kind, payload))
    opened.close()


def test_a_day_is_shown_proposed_and_known_again(
    typed: Typed, project: Project, open_project: Opener
) -> None:
    work(project, open_project, *AREAS)
    asked = ("digest", "--day", DAY)
    told = typed(*asked, "--dry-run", within=project.folder)
    assert (told.status, told.err) == (0, "")
    first, path, state = told.out.splitlines()
    assert first == "2026-06-29: 8 observations, 1 draft"
    assert path == "  - ephemeral/digests/2026_06_29.md: Work of 2026-06-29: cart"
    assert state.startswith("      not proposed yet, ")
    told = typed(*asked, within=project.folder)
    assert told.out.splitlines()[0] == "2026-06-29: 8 observations, 1 draft, 1 proposed now"
    assert told.out.splitlines()[-1] == "Review them with: dmm review list"
    again = json.loads(typed(*asked, "--json", within=project.folder).out)
    assert (again["proposed"], [one["state"] for one in again["drafts"]]) == (0, ["pending"])


def test_a_day_of_little_is_told_so(typed: Typed, project: Project, open_project: Opener) -> None:
    work(project, open_project, "cart")
    told = typed("digest", "--day", DAY, within=project.folder)
    assert told.out == "2026-06-29: 1 observation, not enough for a memory\n"
    assert typed("digest", "--day", "soon", within=project.folder).status == 2


def test_what_waits_to_be_retold_is_shown_and_why_no_model_is_asked(
    typed: Typed, project: Project, open_project: Opener
) -> None:
    work(project, open_project, "cart")
    told = typed("distil", "--dry-run", within=project.folder)
    assert (told.status, told.out.splitlines()) == (
        0,
        [
            "0 observations rewritten in 0 calls, 1 episode left",
            "  - obs_1 2026-06-29 bugfix: Fix the wrong totals of the cart page",
            "No further model calls: observations.distil_with_model is off in this project's",
            "settings",
        ],
    )
    (project.dmm / "daemon.config.json").write_text('{"observations":{"distil_with_model":true}}')
    assert "inactive until" in typed("distil", "--dry-run", within=project.folder).err
    typed("trust", "--yes", within=project.folder)
    told = typed("distil", "--json", within=project.folder)
    assert json.loads(told.out) == {
        "enabled": True,
        "waiting": 1,
        "calls": 0,
        "retold": [],
        "refused": [],
        "silence": "no model is configured; the original text stays",
    }
