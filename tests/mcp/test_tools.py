"""The tools through a real connection: their answers are those of the services, as text only."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from dmm.domain.event import Trust
from dmm.domain.memory import Scope
from dmm.domain.pack import QueryRequest
from dmm.domain.plain import to_plain
from dmm.eventlog.open_ledger import Actor
from dmm.ledger.service import PENDING
from dmm.mcp.server import INSTRUCTIONS, MORE, list_tools
from dmm.mcp.tools import TOOLS

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import mcp_types as types
    from tests.mcp.conftest import Daemon

    Read = Callable[[types.CallToolResult], Any]

pytestmark = pytest.mark.anyio
BUDGET = 6_500
CONTRACT = {
    "memory_pack": (["task"], ["budget", "scope", "precise"]),
    "remember": (["text"], ["replaces"]),
    "forget": (["name"], ["reason"]),
    "memory_propose": (
        ["path", "reason"],
        ["content", "operation", "new_scope", "patch", "tags", "source"],
    ),
    "memory_feedback": (["memories", "outcome"], ["context"]),
    "add_fact": (["key", "value"], ["confidence"]),
    "add_constraint": (["text"], ["priority", "triggered_by", "match", "examples"]),
    "record_decision": (["text", "rationale"], ["references"]),
    "query_memory": (["question"], ["scope"]),
    "get_memory_context": ([], []),
    "trace_provenance": ([], ["seq", "fact_key"]),
    "time_travel": (["to_seq"], []),
    "simulate_timeline": (["inject_constraint", "at_seq", "then_decide"], ["priority"]),
    "search": ([], ["query", "ids", "kind", "file", "session", "since", "until", "limit"]),
    "timeline": ([], ["id", "query", "before", "after"]),
    "get_observations": (["ids"], []),
    "ask": (["question"], ["profile", "budget", "style"]),
}
RECORDING = {
    *("remember", "forget"),
    *("memory_propose", "memory_feedback"),
    *("add_fact", "add_constraint", "record_decision", "query_memory"),
}


async def test_every_tool_is_listed_with_the_arguments_of_its_contract(house: Daemon) -> None:
    async with house.connect() as client:
        listed = (await client.list_tools()).tools
    found = {}
    for tool in listed:
        needed = tool.input_schema.get("required", [])
        names = list(tool.input_schema["properties"])
        found[tool.name] = (needed, [name for name in names if name not in needed])
    assert found == CONTRACT


def test_all_tools_together_cost_little_context() -> None:
    told = list_tools().model_dump_json(by_alias=True, exclude_none=True)
    assert len(told) <= BUDGET
    assert len(INSTRUCTIONS + MORE) <= 1_000


def test_hints_say_what_records_and_that_nothing_is_destroyed() -> None:
    for tool in list_tools().tools:
        hints = tool.annotations
        assert hints is not None
        # Absent means false for the first; of what only reads, no more has to be said.
        assert bool(hints.read_only_hint) is (tool.name not in RECORDING)
        assert hints.read_only_hint or hints.destructive_hint is False
        assert tool.output_schema is None


async def test_what_is_recorded_is_answered_as_in_the_contract(
    house: Daemon, read_json: Read
) -> None:
    async with house.connect() as client:

        async def call(name: str, **arguments: Any) -> Any:
            result = await client.call_tool(name, arguments)
            assert not result.is_error
            return read_json(result)

        first = await call("add_fact", key="budget", value="900 EUR", confidence=0.7)
        assert first == {"seq": 1, "key": "budget", "value": "900 EUR"}
        assert await call("add_fact", key="budget", value="700 EUR") == {
            "seq": 2,
            "key": "budget",
            "value": "700 EUR",
            "previous_value": "900 EUR",
            "drift_alert": True,
        }
        rule = "verify budget before booking"
        assert await call("add_constraint", text=rule, priority="learned", triggered_by=2) == {
            "seq": 3,
            "constraint": rule,
            "priority": "learned",
            "triggered_by": 2,
            "pending": True,
            "note": PENDING.format(command="dmm ledger accept 3"),
            "state": "advice",
        }
        early = await call("record_decision", text="Book a hotel", rationale="near")
        assert early["status"] == "COMMITTED"
        assert rule in early["warning"]
        with house.project.recording(Actor()) as dmm:
            dmm.ledger.accept_constraints([3])
        blocked = await call("record_decision", text="Book a hotel", rationale="near")
        assert sorted(blocked) == ["reason", "status", "suggestion", "violated_constraint_seq"]
        assert (blocked["status"], blocked["violated_constraint_seq"]) == ("BLOCKED", 3)
        found = await call("query_memory", question="budget", scope="facts")
        fact = {"key": "budget", "value": "700 EUR", "confidence": 1.0, "seq": 2}
        assert found == {"query_seq": 7, "facts": [fact]}
        assert await call(
            "record_decision", text="Book a hotel", rationale="it fits", references=[7, 2]
        ) == {"status": "COMMITTED", "seq": 8, "decision": "Book a hotel", "rationale": "it fits"}


async def test_what_is_looked_up_is_answered_as_by_the_service(
    house: Daemon, read_json: Read
) -> None:
    async with house.connect() as client:

        async def call(name: str, **arguments: Any) -> Any:
            return read_json(await client.call_tool(name, arguments))

        for value in ("900 EUR", "700 EUR"):
            await call("add_fact", key="budget", value=value)
        found = await call("query_memory", question="budget", scope="facts")
        references = [found["query_seq"], 2]
        await call("record_decision", text="Book a hotel", rationale="fits", references=references)
        simulated = await call(
            "simulate_timeline",
            inject_constraint="never book hotels",
            at_seq=2,
            then_decide="Book a hotel",
        )
        reason = simulated.pop("reason")
        assert simulated == {
            "timeline": "B (simulated)",
            "injected_constraint": "never book hotels",
            "injected_at_seq": 2,
            "injected_priority": "required",
            "tested_decision": "Book a hotel",
            "result": "BLOCKED",
        }
        assert "never book hotels" in reason
        context = await call("get_memory_context")
        chain = await call("trace_provenance", seq=4)
        of_fact = await call("trace_provenance", fact_key="budget")
        flashback = await call("time_travel", to_seq=1)
    dmm = house.project.dmm
    assert context == to_plain(dmm.ledger.get_memory_context())
    assert context["current_seq"] == 4
    assert chain == to_plain(dmm.timelines.trace_provenance(seq=4))
    assert [link["seq"] for link in chain["chain"]] == [4, 3, 2]
    assert of_fact == to_plain(dmm.timelines.trace_provenance(fact_key="budget"))
    assert flashback == to_plain(dmm.timelines.time_travel(1))
    assert flashback["mode"] == "FLASHBACK"


async def test_a_pack_is_the_markdown_of_the_service_and_nothing_else(
    house: Daemon, read_text: Callable[[types.CallToolResult], str]
) -> None:
    async with house.connect() as client:
        task = "how are the tests run?"
        result = await client.call_tool(
            "memory_pack", {"task": task, "budget": 900, "scope": "project", "precise": True}
        )
    assert result.structured_content is None
    settings = house.project.dmm.config.retrieval
    request = QueryRequest(
        task,
        budget=900,
        baseline_budget=settings.baseline_budget,
        scope=Scope.PROJECT,
        precise=True,
    )
    assert read_text(result) == house.project.query(request).markdown
    assert read_text(result).startswith("# DMM Memory Pack")


async def test_what_is_recorded_speaks_for_the_agent_in_the_session_of_its_hooks(
    house: Daemon,
) -> None:
    async with house.connect() as client:
        await client.call_tool("add_fact", {"key": "a", "value": "b"})
        await client.call_tool("memory_pack", {"task": "tests"})
    log = house.project.dmm.project_ledger.reading
    events = [log.event(seq) for seq in (1, 2)]
    assert [event.type for event in events if event] == ["FactAdded", "PackServed"]
    for event in events:
        assert event is not None
        assert (event.actor, event.source, event.session) == (
            "claude-code",
            "mcp",
            "session-of-the-hooks",
        )
        assert event.trust == Trust.AGENT


@pytest.mark.parametrize(
    ("tool", "given", "what"),
    [
        ("add_fact", {"key": "a"}, "value is missing"),
        ("add_fact", {"key": "a", "value": None}, "value is missing"),
        ("add_fact", {"key": "a", "value": 3}, "value must be a string"),
        ("add_fact", {"key": "", "value": "b"}, "the key is empty"),
        ("add_fact", {"key": "a", "value": "b", "confidence": 2}, "confidence must be from 0 to 1"),
        ("add_fact", {"key": "a", "value": "b", "confidence": True}, "confidence must be a number"),
        ("add_fact", {"key": "a", "value": "b", "why": 1}, "there is no argument 'why'"),
        (
            "add_constraint",
            {"text": "never x", "priority": "high"},
            "priority must be one of required, preferred, learned",
        ),
        (
            "add_constraint",
            {"text": "never x", "priority": "learned"},
            "a learned constraint must name what triggered it",
        ),
        (
            "record_decision",
            {"text": "a", "rationale": "b", "references": ["1"]},
            "references must be a list of whole numbers",
        ),
        (
            "record_decision",
            {"text": "a", "rationale": "b", "references": 1},
            "references must be a list of whole numbers",
        ),
        (
            "memory_feedback",
            {"memories": [1], "outcome": "helped"},
            "memories must be a list of strings",
        ),
        (
            "memory_feedback",
            {"memories": "a.md", "outcome": "helped"},
            "memories must be a list of strings",
        ),
        (
            "memory_feedback",
            {"memories": ["a"], "outcome": "served"},
            "outcome must be one of helped, wrong, outdated",
        ),
        ("time_travel", {"to_seq": 99}, "there is no event 99"),
        ("time_travel", {"to_seq": -1}, "to_seq must be 0 or more"),
        ("time_travel", {"to_seq": "1"}, "to_seq must be a whole number"),
        ("time_travel", {"to_seq": 1.5}, "to_seq must be a whole number"),
        ("trace_provenance", {"fact_key": "no"}, "there is no fact 'no'"),
        ("memory_pack", {"task": "a", "budget": 10**9}, "budget must be from 0 to 20000"),
        ("memory_pack", {"task": {}}, "task must be a string"),
    ],
)
async def test_what_can_not_be_done_is_told_as_data(
    house: Daemon, read_json: Read, tool: str, given: dict[str, Any], what: str
) -> None:
    async with house.connect() as client:
        await client.call_tool("add_fact", {"key": "known", "value": "1"})
        result = await client.call_tool(tool, given)
        assert result.is_error
        error = read_json(result)["error"]
        assert sorted(error) == ["code", "hint", "what"]
        assert error["what"] == what
        assert error["hint"] != "not a list"
        assert (await client.call_tool("get_memory_context", {})).is_error is False


async def test_null_stands_for_an_argument_that_is_left_out(house: Daemon, read_json: Read) -> None:
    async with house.connect() as client:
        given = {"key": "a", "value": "b", "confidence": None}
        result = await client.call_tool("add_fact", given)
        assert read_json(result) == {"seq": 1, "key": "a", "value": "b"}
        travelled = await client.call_tool("time_travel", {"to_seq": 1.0})
        assert read_json(travelled)["viewing_seq"] == 1


async def test_invisible_characters_in_the_ledger_are_shown(house: Daemon, read_json: Read) -> None:
    async with house.connect() as client:
        await client.call_tool("add_fact", {"key": "a", "value": "left\u202eright"})
        context = read_json(await client.call_tool("get_memory_context", {}))
    assert context["facts"]["a"]["value"] == "left<U+202E>right"


async def test_without_a_project_every_tool_says_so_and_the_connection_lives(
    house: Daemon, tmp_path: Path, read_json: Read
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    async with house.connect(elsewhere) as client:
        for name in CONTRACT:
            error = read_json(await client.call_tool(name, ARGUMENTS[name]))["error"]
            assert error["code"] == "no_root"
            assert "dmm init" in error["hint"]
        assert len((await client.list_tools()).tools) == len(TOOLS)


async def test_an_untrusted_project_is_refused_until_it_is_trusted(
    house: Daemon, read_json: Read
) -> None:
    house.trust.revoke(house.folder / ".dmm")
    async with house.connect() as client:
        for name in CONTRACT:
            error = read_json(await client.call_tool(name, ARGUMENTS[name]))["error"]
            assert error["code"] == "not_trusted"
            assert "dmm trust" in error["hint"]
        house.trust.trust(house.folder / ".dmm")
        assert not (await client.call_tool("get_memory_context", {})).is_error


ARGUMENTS: dict[str, dict[str, Any]] = {
    "memory_pack": {"task": "a"},
    "remember": {"text": "a note"},
    "forget": {"name": "a"},
    "memory_propose": {"path": "project/a.md", "reason": "b", "content": "# A\n\nB."},
    "memory_feedback": {"memories": ["a"], "outcome": "helped"},
    "add_fact": {"key": "a", "value": "b"},
    "add_constraint": {"text": "never x"},
    "record_decision": {"text": "a", "rationale": "b"},
    "query_memory": {"question": "a"},
    "get_memory_context": {},
    "trace_provenance": {"seq": 1},
    "time_travel": {"to_seq": 0},
    "simulate_timeline": {"inject_constraint": "never x", "at_seq": 0, "then_decide": "x"},
    "search": {"query": "a"},
    "timeline": {"id": "obs_1"},
    "get_observations": {"ids": ["obs_1"]},
    "ask": {"question": "a"},
}
