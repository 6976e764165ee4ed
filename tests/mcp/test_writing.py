"""Writing memory by tools: proposals are made in the agent's name, and no tool decides."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from dmm.mcp.tools import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable

    import mcp_types as types
    from mcp.client.client import Client
    from tests.mcp.conftest import Daemon

    Read = Callable[[types.CallToolResult], Any]

pytestmark = pytest.mark.anyio
ROOMS = (
    *("hall", "kitchen", "cellar", "attic", "garage"),
    *("study", "library", "workshop", "pantry", "porch"),
)
NOTE = "# What the sensors of the house reported in the trial\n\n" + "\n".join(
    f"The sensor in the {room} reported {number + 11} degrees at noon and {number + 7} at night;"
    f" its battery was at {90 - number} percent and its clock was {number} seconds slow."
    for number, room in enumerate(ROOMS)
)
WAITS = "inactive until a person approves it; continue without it"
STAYS = "until a person approves it, the memory stays as it is and is still served"


async def propose(client: Client, read: Read, **given: Any) -> Any:
    usual = {"path": "project/house/sensors.md", "reason": "settled today"}
    result = await client.call_tool("memory_propose", usual | given)
    assert not result.is_error, result
    return read(result)


async def test_a_good_note_waits_and_the_answer_is_short(house: Daemon, read_json: Read) -> None:
    async with house.connect() as client:
        told = await propose(client, read_json, content=NOTE, tags=["sensors", "house"])
    assert told == {"id": "proposal_1", "status": "pending", "next": WAITS}
    assert not (house.folder / ".dmm/memory/project/house").exists()
    with house.project.reading(house.project.dmm.project_ledger.actor) as dmm:
        made = dmm.proposal_store.find("1")
    assert (made.proposer, made.source, made.trust) == ("claude-code", "mcp", "agent")
    assert made.session == "session-of-the-hooks"
    assert "tags: [sensors, house]\n" in (made.text or "")


async def test_what_failed_is_named_with_the_way_on(house: Daemon, read_json: Read) -> None:
    async with house.connect() as client:
        told = await propose(client, read_json, content="# Words\n\n" + "many words " * 600)
    assert sorted(told) == ["failed", "id", "next", "status"]
    assert list(told["failed"]) == ["tokens"]
    assert told["next"] == (
        "inactive; propose a text that fixes what failed, or leave it to a person"
    )


async def test_checks_that_say_the_same_are_told_once(house: Daemon, read_json: Read) -> None:
    async with house.connect() as client:
        told = await propose(client, read_json, content="")
    assert list(told["failed"]) == ["schema"]
    ((names, text),) = told["warnings"].items()
    assert len(names.split(", ")) == 6
    assert text == "not checked: it can't be read as a memory"


async def test_a_trace_cuts_what_would_fill_the_context(house: Daemon, read_json: Read) -> None:
    async with house.connect() as client:
        await propose(client, read_json, content=NOTE, tags=["sensors", "house"])
        told = read_json(await client.call_tool("trace_provenance", {"seq": 1}))
    (edit,) = told["chain"][0]["payload"]["edits"]
    assert edit["after"].endswith(" more characters")
    assert len(edit["after"]) < 640


async def test_every_operation_can_be_proposed(house: Daemon, read_json: Read) -> None:
    path = "project/keeping_memory.md"
    text = (house.folder / ".dmm/memory" / path).read_text()
    first = next(line for line in text.splitlines() if line.startswith("# "))
    at = text.splitlines().index(first) + 1
    patch = f"@@ -{at},1 +{at},1 @@\n-{first}\n+{first} today\n"
    wishes: list[dict[str, Any]] = [
        {"operation": "update", "patch": patch},
        {"patch": patch},
        {"content": "# Another text\n\nWith a body."},
        {"operation": "deprecate"},
        {"operation": "promote", "new_scope": "global"},
        {"operation": "demote", "new_scope": "ephemeral"},
    ]
    async with house.connect() as client:
        for wish in wishes:
            told = await propose(client, read_json, path=path, **wish)
            assert (told["status"], told["next"]) == ("pending", STAYS)
    with house.project.reading(house.project.dmm.project_ledger.actor) as dmm:
        made = [str(one.operation) for one in dmm.proposal_store.queue().open]
    # Both patches are the same wish, so they wait as one.
    assert made == ["update", "update", "deprecate", "promote", "demote"]
    assert (house.folder / ".dmm/memory" / path).read_text() == text


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({}, "content is missing"),
        ({"operation": "promote"}, "new_scope is missing"),
        ({"operation": "deprecate", "content": "x"}, "deprecate takes no content"),
        ({"content": "x", "new_scope": "global"}, "a proposal takes no new_scope"),
        ({"content": "x", "tags": "auth"}, "tags must be a list of strings"),
        (
            {"content": "x", "source": "god"},
            "source must be one of user, agent, tool, third_party",
        ),
        (
            {"content": "x", "operation": "merge"},
            "operation must be one of create, update, deprecate, promote, demote",
        ),
        (
            {"content": "---\nid: a\n---\n# T\n\nB.", "tags": ["a"]},
            "tags, priority, expires, supersedes and related are for a new text without them",
        ),
    ],
)
async def test_what_makes_no_sense_is_refused(
    house: Daemon, read_json: Read, given: dict[str, Any], what: str
) -> None:
    usual = {"path": "project/a.md", "reason": "why"}
    async with house.connect() as client:
        result = await client.call_tool("memory_propose", usual | given)
    assert result.is_error
    assert read_json(result)["error"]["what"] == what


async def test_a_text_that_no_memory_can_be_is_refused_unread(
    house: Daemon, read_json: Read
) -> None:
    given = {"path": "project/a.md", "reason": "why", "content": "x" * 3_000_000}
    async with house.connect() as client:
        error = read_json(await client.call_tool("memory_propose", given))["error"]
    assert error["what"] == "the text has 3,000,000 bytes; a proposal can have at most 65,536"


async def test_files_outside_the_memory_are_refused(house: Daemon, read_json: Read) -> None:
    async with house.connect() as client:
        for path in ("../x.md", "/etc/passwd", "project/../../x.md", "BOOT.md"):
            given = {"path": path, "reason": "why", "content": NOTE}
            error = read_json(await client.call_tool("memory_propose", given))["error"]
            assert error["code"] == "path_refused", path


async def test_an_agent_can_lower_the_trust_of_its_words_and_not_raise_it(
    house: Daemon, read_json: Read
) -> None:
    async with house.connect() as client:
        for source, path in (("tool", "project/a.md"), ("user", "project/b.md")):
            await propose(client, read_json, path=path, content=NOTE, source=source)
    with house.project.reading(house.project.dmm.project_ledger.actor) as dmm:
        assert [str(one.trust) for one in dmm.proposal_store.queue().open] == ["tool", "agent"]


async def test_a_note_that_the_settings_let_through_is_in_force(
    house: Daemon, read_json: Read
) -> None:
    settings = {"governance": {"auto_apply": True}}
    (house.folder / ".dmm" / "daemon.config.json").write_text(json.dumps(settings))
    async with house.connect() as client:
        given = {"path": "agent/claude-code/sensors.md", "tags": ["sensors", "house"]}
        told = await propose(client, read_json, **given, content=NOTE)
    assert told == {"id": "proposal_1", "status": "applied", "next": "it is active now"}
    assert (house.folder / ".dmm/memory/agent/claude-code/sensors.md").is_file()


def test_no_tool_decides() -> None:
    names = " ".join(tool.name for tool in TOOLS)
    assert not any(word in names for word in ("approve", "reject", "review", "undo", "trust"))


async def test_feedback_is_recorded_by_id_and_path(house: Daemon, read_json: Read) -> None:
    async with house.connect() as client:
        result = await client.call_tool(
            "memory_feedback",
            {
                "memories": ["baseline/identity.md", ".dmm/memory/agent/using_memory.md"],
                "outcome": "outdated",
                "context": "the tool has another name now",
            },
        )
        unknown = await client.call_tool(
            "memory_feedback", {"memories": ["project/none.md"], "outcome": "wrong"}
        )
    assert read_json(result) == {
        "seq": 1,
        "memories": ["baseline/identity.md", "agent/using_memory.md"],
    }
    assert read_json(unknown)["error"]["what"] == "there is no memory 'project/none.md'"
    event = house.project.dmm.project_ledger.reading.event(1)
    assert event is not None
    assert (event.type, event.actor, event.trust) == ("UsageReported", "claude-code", "agent")
    assert event.get("context") == "the tool has another name now"


async def test_a_note_is_remembered_in_one_line_and_waits(house: Daemon, read_json: Read) -> None:
    async with house.connect() as client:
        told = read_json(await client.call_tool("remember", {"text": "Use pnpm, not npm."}))
        again = read_json(await client.call_tool("remember", {"text": "Use pnpm, not npm."}))
    assert (told["status"], told["next"]) == ("pending", WAITS)
    assert told["path"].endswith("pnpm_not_npm.md")
    assert again["id"] == told["id"]


async def test_forgetting_is_proposed_for_the_one_that_is_meant(
    house: Daemon, read_json: Read
) -> None:
    memory = next(iter(house.project.dmm.root.tree.scan().stamps)).path
    async with house.connect() as client:
        told = read_json(await client.call_tool("forget", {"name": memory}))
        missing = await client.call_tool("forget", {"name": "quantum chromodynamics"})
    assert (told["status"], told["path"], told["next"]) == ("pending", memory, STAYS)
    assert missing.is_error
