"""A memory about files comes with the first call that touches one of them, and only then."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import git

from dmm.domain.pack import Supplement
from dmm.sessions.payload import parse_payload
from dmm.sessions.service import Delivery, deliver

if TYPE_CHECKING:
    from pathlib import Path

    from tests.conftest import MemoryText, Opener, Project

    from dmm.bootstrap import Dmm

ROUNDING = "Amounts are rounded half to even, and only once, at the end."


@pytest.fixture
def dmm(shop: Project, open_project: Opener, memory_text: MemoryText) -> Dmm:
    note = memory_text("Rounding", ROUNDING, id="mem_2026_01_31_901", paths="[src/billing/**]")
    shop.write("project/rounding.md", note)
    opened = open_project(shop)
    opened.indexes.sync()
    return opened


def done(
    dmm: Dmm, number: int, tool: str = "Read", client: str = "claude-code", **fields: Any
) -> Delivery:
    given = {"file_path": str(dmm.root.project / "src/billing/invoice.py")}
    told = {
        "session_id": "s",
        "cwd": str(dmm.root.project),
        "hook_event_name": "PostToolUse",
        "tool_name": tool,
        "tool_input": given,
        "tool_use_id": f"t{number}",
        "tool_response": {"stdout": "ok"},
    }
    return deliver(parse_payload(client, json.dumps(told | fields).encode()))


def command(dmm: Dmm, number: int, line: str, **fields: Any) -> Delivery:
    return done(dmm, number, "Bash", tool_input={"command": line}, **fields)


def told(dmm: Dmm, delivery: Delivery) -> str:
    return dmm.sessions.attend(delivery).reply.context


def test_it_comes_with_the_first_matching_file_and_once(dmm: Dmm) -> None:
    other = {"file_path": str(dmm.root.project / "src/shipping/cart.py")}
    assert told(dmm, done(dmm, 1, tool_input=other)) == ""
    first = told(dmm, done(dmm, 2))
    assert ROUNDING in first
    assert "src/billing/invoice.py" in first
    assert "[project/rounding.md]" in first
    assert told(dmm, done(dmm, 3)) == ""
    assert ROUNDING in told(dmm, done(dmm, 4, session_id="another"))


@pytest.mark.parametrize(
    "line",
    [
        "cat src/billing/invoice.py | head",
        "cd src && sed -n 1,20p billing/invoice.py",
        "echo x > src/billing/new.py",
    ],
)
def test_a_shell_command_reads_and_writes_files_too(dmm: Dmm, line: str) -> None:
    assert ROUNDING in told(dmm, command(dmm, 1, line, client="codex"))


def test_what_a_patch_changes_counts(dmm: Dmm) -> None:
    patch = "*** Begin Patch\n*** Update File: src/billing/a.py\n@@\n-a\n+b\n*** End Patch"
    delivery = done(dmm, 1, "apply_patch", "codex", tool_input={"command": patch})
    assert ROUNDING in told(dmm, delivery)


def test_what_a_session_was_given_is_known_after_a_restart(
    dmm: Dmm, shop: Project, open_project: Opener
) -> None:
    assert ROUNDING in told(dmm, done(dmm, 1))
    event = list(dmm.project_ledger.log.events())[-1]
    assert (event.type, event.get("files")) == ("PackServed", ["src/billing/invoice.py"])
    assert event.get("retrieved")[0]["path"] == "project/rounding.md"
    dmm.close()
    again = open_project(shop)
    assert told(again, done(again, 2)) == ""
    compacted = {"session_id": "s", "hook_event_name": "PostCompact", "compact_summary": "x"}
    again.sessions.attend(deliver(parse_payload("claude-code", json.dumps(compacted).encode())))
    assert ROUNDING in told(again, done(again, 3))


def test_a_subagent_has_a_context_of_its_own(dmm: Dmm) -> None:
    assert ROUNDING in told(dmm, done(dmm, 1, agent_id="a1"))
    assert told(dmm, done(dmm, 2, agent_id="a1")) == ""
    assert ROUNDING in told(dmm, done(dmm, 3))
    assert ROUNDING in told(dmm, done(dmm, 4, agent_id="a2"))


def test_what_a_prompt_brought_does_not_come_again(dmm: Dmm) -> None:
    prompt = {"session_id": "s", "hook_event_name": "UserPromptSubmit", "prompt": "rounding"}
    delivery = deliver(parse_payload("claude-code", json.dumps(prompt).encode()))
    scoped = dmm.packs.scoped.all()
    dmm.sessions.give(delivery, Supplement(dmm.packs.about_files(scoped, 1_000)))
    assert told(dmm, done(dmm, 1)) == ""


def test_a_file_that_is_not_as_it_was_indexed_waits_for_the_index(dmm: Dmm, shop: Project) -> None:
    """As after a checkout of a branch that has another text, or none."""
    path = shop.memory / "project/rounding.md"
    text = path.read_text()
    path.write_text(text.replace(ROUNDING, "Amounts are cut off."))
    assert told(dmm, done(dmm, 1)) == ""
    path.unlink()
    assert told(dmm, done(dmm, 2)) == ""
    path.write_text(text)
    assert ROUNDING in told(dmm, done(dmm, 3))


def test_files_of_another_worktree_belong_to_another_branch(
    dmm: Dmm, shop: Project, tmp_path: Path
) -> None:
    git(shop.folder, "init", "-q", "-b", "main")
    git(shop.folder, "add", "-A")
    git(shop.folder, "commit", "-q", "-m", "all")
    git(shop.folder, "worktree", "add", "-q", "-b", "feature", str(tmp_path / "feature"))
    elsewhere: dict[str, Any] = {
        "cwd": str(tmp_path / "feature"),
        "tool_input": {"file_path": str(tmp_path / "feature/src/billing/invoice.py")},
    }
    assert told(dmm, done(dmm, 1, **elsewhere)) == ""
    assert ROUNDING in told(dmm, done(dmm, 2))


def test_a_large_set_comes_in_parts_the_most_important_first(
    dmm: Dmm, shop: Project, memory_text: MemoryText
) -> None:
    for number in range(4):
        body = f"Part {number}. " + "Invoices are kept for ten years. " * 60
        fields = {"id": f"mem_2026_01_31_91{number}", "priority": f"0.{9 - number}"}
        note = memory_text(f"Part {number}", body, paths="[src/billing/**]", **fields)
        shop.write(f"project/part{number}.md", note)
    dmm.indexes.sync()
    texts = [told(dmm, done(dmm, number)) for number in range(1, 7)]
    seen = [[n for n in range(4) if f"Part {n}." in text] for text in texts]
    assert seen[0]
    assert seen[1]
    assert [n for part in seen for n in part] == [0, 1, 2, 3]
    assert sum(ROUNDING in text for text in texts) == 1
    assert texts[-1] == ""
    assert all(len(text) <= 9_500 for text in texts)
