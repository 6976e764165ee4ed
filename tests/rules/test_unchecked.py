"""A rule that could not be checked on real calls is marked, until its text changes."""

from __future__ import annotations

import json
from dataclasses import astuple
from typing import TYPE_CHECKING

import pytest

from dmm.rules.results import Mark, UncheckedRule
from dmm.sessions.payload import parse_payload
from dmm.sessions.service import deliver

if TYPE_CHECKING:
    from tests.conftest import Opener, Project

    from dmm.bootstrap import Dmm

SLOW = """---
id: slow
match:
  - content: '{regex}'
    path: "src/**"
---
# Never end a line in an odd way
"""
CATASTROPHE = "(?:a|aa)+$"
PLAIN = "---\nid: plain\nmatch: {content: FIXME}\n---\n# No FIXME\n"
SLOW_TEXT = "a" * 5_000 + "b"


@pytest.fixture
def dmm(shop: Project, open_project: Opener) -> Dmm:
    opened = open_project(shop)
    opened.shelf.write("slow", SLOW.replace("{regex}", CATASTROPHE))
    opened.shelf.write("plain", PLAIN)
    return opened


def write(dmm: Dmm, number: int, text: str = SLOW_TEXT) -> str | None:
    """Have a client write a file, as the daemon rules on it and records it."""
    values = {"file_path": f"src/big{number}.ts", "content": text}
    told = {
        "session_id": "s", "cwd": str(dmm.root.project), "hook_event_name": "PreToolUse",
        "tool_name": "Write", "tool_input": values, "tool_use_id": f"t{number}",
    }  # fmt: skip
    delivery = deliver(parse_payload("claude-code", json.dumps(told).encode()))
    ruling = dmm.sessions.judge(delivery.event)
    return dmm.sessions.attend(delivery, ruling).reply.decision


def marks(dmm: Dmm) -> dict[str, Mark]:
    return {one.id: one.unchecked for one in dmm.rules.list().rules if one.unchecked}


def test_a_rule_that_could_not_be_checked_is_marked_with_the_reason_and_the_file(dmm: Dmm) -> None:
    assert marks(dmm) == {}
    assert (write(dmm, 1), write(dmm, 2)) == ("ask", "ask")
    last = dmm.project_ledger.reading.head().seq
    mark = Mark(calls=2, why="its regex took too long", where="src/big2.ts", last=last)
    assert marks(dmm) == {"slow": mark}
    assert dmm.rules.show("slow").unchecked == mark
    assert dmm.rules.show("plain").unchecked is None
    told = (UncheckedRule("slow", "Never end a line in an odd way", *astuple(mark)),)
    assert dmm.rules.unchecked() == told
    assert dmm.rules.test().unchecked == told


def test_the_mark_goes_with_the_text_that_was_too_slow(dmm: Dmm) -> None:
    write(dmm, 1)
    dmm.shelf.write("slow", SLOW.replace("{regex}", "a+b$"))
    assert marks(dmm) == {}
    assert dmm.rules.unchecked() == ()


def test_rules_that_found_the_time_used_up_by_others_are_not_marked(dmm: Dmm) -> None:
    for at in range(6):
        source = SLOW.replace("{regex}", f"(?:a|aa|a{{{at + 3}}})+$").replace("slow", f"slow{at}")
        dmm.shelf.write(f"slow{at}", source.replace("odd way", f"odd way {at}"))
    text = SLOW_TEXT + "\n// FIXME"
    assert write(dmm, 1, text) == "deny"
    verdict = next(
        event.get("verdict")
        for event in dmm.project_ledger.reading.events_of(["ToolRequested"], 0, 1_000)
    )
    assert isinstance(verdict, dict)
    stopped = {one["id"] for one in verdict["violations"] if one.get("stopped")}
    assert len(stopped) == 7
    assert 0 < len(marks(dmm)) < len(stopped)


def test_a_call_that_was_checked_marks_nothing(dmm: Dmm) -> None:
    assert write(dmm, 1, "// FIXME") == "deny"
    assert marks(dmm) == {}
