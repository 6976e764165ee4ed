"""dmm demo: eight acts, told within 80 columns, true only if every verdict was as told."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from dmm.bootstrap import open_stage
from dmm.ledger.results import Chain
from dmm.project import story
from dmm.project.story import STORY, Scene

if TYPE_CHECKING:
    from pathlib import Path

    import pytest
    from tests.cli.conftest import Typed
    from tests.conftest import Command

TITLES = [
    "1 · What the traveller needs",
    "2 · A mistake",
    "3 · The traveller objects",
    "4 · A rule is learned",
    "5 · Stopped",
    "6 · Looking it up",
    "7 · Committed",
    "8 · Fork the future",
]


def test_the_story_is_told_in_eight_acts(typed: Typed, tmp_path: Path) -> None:
    told = typed("demo", within=tmp_path)
    assert (told.status, told.err) == (0, "")
    places = [told.out.index(title) for title in TITLES]
    assert places == sorted(places)
    assert told.out.count("BLOCKED") == 3
    assert told.out.count("COMMITTED") == 4
    assert "Timeline A (as recorded)" in told.out
    assert "Timeline B (simulated)" in told.out
    assert told.out.endswith("All 8 steps passed. Nothing was saved.\n")
    assert list(tmp_path.iterdir()) == [tmp_path / "home"]


def test_the_output_is_plain_and_narrow_in_a_pipe(command: Command, tmp_path: Path) -> None:
    told = command("demo", within=tmp_path, env={"COLUMNS": "200", "TERM": "xterm-256color"})
    assert (told.returncode, told.stderr) == (0, "")
    assert "\x1b" not in told.stdout
    assert max(map(len, told.stdout.splitlines())) == 80


def test_the_interactive_story_waits_between_the_acts(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = io.StringIO("\n" * 7 + "left over")
    monkeypatch.setattr(sys, "stdin", keys)
    told = typed("demo", "--interactive", within=tmp_path)
    assert told.status == 0
    assert told.out.count("Press Enter for the next step.") == 7
    assert keys.read() == "left over"


def test_without_anybody_to_press_enter_the_story_goes_on(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    assert typed("demo", "--interactive", within=tmp_path).status == 0


def test_a_verdict_that_is_not_as_told_ends_with_1(
    typed: Typed, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    step = STORY[4].steps[0]
    lying = replace(step, expected={"status": "COMMITTED"})
    acts = [*STORY]
    acts[4] = replace(acts[4], steps=(lying, *acts[4].steps[1:]))
    monkeypatch.setattr(story, "STORY", tuple(acts))
    told = typed("demo", within=tmp_path)
    assert told.status == 1
    assert "UNEXPECTED" in told.out
    assert told.out.endswith("Failed: step 5\n")


def scenes() -> list[Scene]:
    return list(open_stage().play(STORY))


def test_every_act_is_as_told() -> None:
    assert [scene.as_told for scene in scenes()] == [True] * 8


def test_every_decision_and_simulation_has_a_verdict_to_compare() -> None:
    for act in STORY:
        for step in act.steps:
            if step.operation in ("record_decision", "simulate_timeline"):
                assert {"status", "result"} & set(step.expected)


def test_the_trace_of_the_booking_ends_at_the_words_of_the_traveller() -> None:
    told = scenes()[6].moves[1].result
    assert isinstance(told, Chain)
    assert [link.seq for link in told.chain] == [13, 3, 4, 11, 12, 1]
    assert told.chain[-1].type == "UserMessageReceived"
