"""The tools: one service call each, described in few words."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from dmm.domain.memory import RETRIEVED_SCOPES, Scope
from dmm.domain.pack import QueryRequest
from dmm.domain.plain import to_plain
from dmm.domain.text import neutralise
from dmm.ledger.service import SCOPES
from dmm.mcp.arguments import Arguments
from dmm.mcp.asking import ANSWER_STYLES, ask
from dmm.mcp.recall import get_observations, search, timeline
from dmm.mcp.writing import OUTCOMES, SOURCES, forget, give_feedback, propose, remember
from dmm.review.writing import OPERATIONS
from dmm.rules.language.judge import Priority

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dmm.bootstrap import Dmm
    from dmm.errors import DmmError
    from dmm.mcp.arguments import Schema
    from dmm.mcp.caller import Caller

MOST_TOKENS = 20_000
# Of a recorded event, so much reaches an agent.
LONGEST_TEXT = 600
MOST_ITEMS = 10
# What a hint says by being absent is not said: tools cost context.
READS = {"readOnlyHint": True}
RECORDS = {"destructiveHint": False}


@dataclass(frozen=True, slots=True)
class MemoryTool:
    """One tool; what it returns is text, and nothing but text."""

    name: str
    description: str
    arguments: Arguments
    hints: Mapping[str, bool]
    answer: Callable[..., str]

    def in_brief(self) -> MemoryTool:
        """Return it as sessions see it that pay for few words: its first sentence says enough."""
        first = self.description.partition(". ")[0].removesuffix(".")
        return replace(self, description=f"{first}.", arguments=self.arguments.only_required())

    def call(self, caller: Caller, given: Mapping[str, Any]) -> str:
        """Check what is given and answer; faults are raised."""
        return safe(self.answer(caller, **self.arguments.check(given)))


def safe(text: str) -> str:
    """Make a text fit to be sent: invisible characters shown as codes, invalid ones replaced."""
    return neutralise(text).encode("utf-8", "replace").decode()


def to_json(value: object) -> str:
    """Write data as compact JSON, which costs the fewest tokens."""
    return json.dumps(to_plain(value), ensure_ascii=False, separators=(",", ":"))


def describe_error(error: DmmError) -> str:
    """Return an error as data: code, what is wrong, where, and a hint."""
    told = {"code": error.code, "what": str(error), "hint": error.hint}
    return safe(to_json({"error": told}))


def _on_ledger(operation: Callable[[Dmm], Callable[..., object]]) -> Callable[..., str]:
    def answer(caller: Caller, **arguments: Any) -> str:
        with caller.project().recording(caller.actor) as dmm:
            return to_json(operation(dmm)(**arguments))

    return answer


def _looking(operation: Callable[[Dmm], Callable[..., object]]) -> Callable[..., str]:
    def answer(caller: Caller, **arguments: Any) -> str:
        with caller.project().reading(caller.actor) as dmm:
            return to_json(operation(dmm)(**arguments))

    return answer


def _trace(caller: Caller, **arguments: Any) -> str:
    with caller.project().reading(caller.actor) as dmm:
        told = dmm.timelines.trace_provenance(**arguments)
    chain = (replace(one, payload=_shorten(to_plain(one.payload))) for one in told.chain)
    return to_json(replace(told, chain=tuple(chain)))


def _shorten(value: Any) -> Any:
    """Cut long texts and lists of a recorded event; an import alone may hold a whole memory."""
    if isinstance(value, dict):
        return {name: _shorten(one) for name, one in value.items()}
    if isinstance(value, list):
        more = len(value) - MOST_ITEMS
        return [*map(_shorten, value[:MOST_ITEMS]), *([f"… {more} more"] if more > 0 else [])]
    if isinstance(value, str) and len(value) > LONGEST_TEXT:
        return f"{value[:LONGEST_TEXT]}… {len(value) - LONGEST_TEXT} more characters"
    return value


def _give_pack(
    caller: Caller,
    *,
    task: str,
    budget: int | None = None,
    scope: str | None = None,
    precise: bool = False,
) -> str:
    project = caller.project()
    settings = project.dmm.config.retrieval
    request = QueryRequest(
        query=task,
        budget=settings.default_budget if budget is None else budget,
        baseline_budget=settings.baseline_budget,
        scope=None if scope is None else Scope(scope),
        precise=precise,
    )
    return project.query(request, actor=caller.actor).markdown


def _telling(operation: Callable[..., object]) -> Callable[..., str]:
    return lambda caller, **arguments: to_json(operation(caller, **arguments))


def _text(about: str = "", **more: Any) -> Schema:
    return {"type": "string", **({"description": about} if about else {}), **more}


def _texts(about: str = "") -> Schema:
    told = {"type": "array", "items": {"type": "string"}}
    return told | ({"description": about} if about else {})


def _number(about: str = "", **more: Any) -> Schema:
    return {"type": "integer", **({"description": about} if about else {}), **more}


_PRIORITY = _text(enum=[str(one) for one in Priority])

TOOLS = (
    MemoryTool(
        "memory_pack",
        "Rules and memories; call it before each task.",
        Arguments(
            {
                "task": _text("what you are about to do"),
                "budget": _number("token budget", minimum=0, maximum=MOST_TOKENS),
                "scope": _text(enum=[str(one) for one in RETRIEVED_SCOPES]),
                "precise": {"type": "boolean", "description": "only sure matches"},
            },
            ("task",),
        ),
        READS,
        _give_pack,
    ),
    MemoryTool(
        "remember",
        "Keep a decision, convention or pitfall in a sentence or two; no secrets, logs or chat."
        " Says if it is known already.",
        Arguments({"text": _text(), "replaces": _text("path")}, ("text",)),
        RECORDS,
        _telling(remember),
    ),
    MemoryTool(
        "forget",
        "Propose to deprecate a memory.",
        Arguments({"name": _text("path, id or words of it"), "reason": _text()}, ("name",)),
        RECORDS,
        _telling(forget),
    ),
    MemoryTool(
        "memory_propose",
        "Propose a change to memory: a long note, an update, a move.",
        Arguments(
            {
                "path": _text("such as project/auth/sessions.md"),
                "reason": _text(),
                "content": _text("markdown with a # title"),
                "operation": _text(enum=[str(one) for one in OPERATIONS]),
                "new_scope": _text("for promote, demote"),
                "patch": _text("unified diff, for update"),
                "tags": _texts(),
                "source": _text("where the text comes from", enum=list(SOURCES)),
            },
            ("path", "reason"),
        ),
        RECORDS,
        _telling(propose),
    ),
    MemoryTool(
        "memory_feedback",
        "Report whether memories from a pack helped, were wrong or outdated.",
        Arguments(
            {
                "memories": _texts("ids or paths"),
                "outcome": _text(enum=list(OUTCOMES)),
                "context": _text(),
            },
            ("memories", "outcome"),
        ),
        RECORDS,
        _telling(give_feedback),
    ),
    MemoryTool(
        "add_fact",
        "Record a fact. drift_alert in the answer: the value changed.",
        Arguments(
            {
                "key": _text("short name, such as test_command"),
                "value": _text(),
                "confidence": {"type": "number", "minimum": 0, "maximum": 1},
            },
            ("key", "value"),
        ),
        RECORDS,
        _on_ledger(lambda dmm: dmm.ledger.add_fact),
    ),
    MemoryTool(
        "add_constraint",
        "Propose every rule the user sets; a person accepts it. Forms: never X, only X, verify"
        " X before Y. With match (prompt draft_rules) it checks tool calls.",
        Arguments(
            {
                "text": _text(),
                "priority": _PRIORITY,
                "triggered_by": _number("seq it was learned from"),
                "match": {"type": "object"},
                "examples": {"type": "object"},
            },
            ("text",),
        ),
        RECORDS,
        _on_ledger(lambda dmm: dmm.rules.add_constraint),
    ),
    MemoryTool(
        "record_decision",
        "Record a decision before you act on it: COMMITTED, or BLOCKED by a constraint with reason"
        " and suggestion. When blocked, follow the suggestion; do not retry unchanged.",
        Arguments(
            {
                "text": _text("what you will do"),
                "rationale": _text("why"),
                "references": {
                    "type": "array",
                    "items": {"type": "integer"},
                    "description": "seqs it is based on",
                },
            },
            ("text", "rationale"),
        ),
        RECORDS,
        _on_ledger(lambda dmm: dmm.ledger.record_decision),
    ),
    MemoryTool(
        "query_memory",
        "Look up facts, constraints and decisions. It is recorded and satisfies rules like"
        " 'verify X before Y'; pass query_seq on in references.",
        Arguments(
            {
                "question": _text(),
                "scope": _text(enum=list(SCOPES)),
            },
            ("question",),
        ),
        RECORDS,
        _on_ledger(lambda dmm: dmm.ledger.query_memory),
    ),
    MemoryTool(
        "get_memory_context",
        "All facts, constraints and decisions, and what changed.",
        Arguments({}),
        READS,
        _looking(lambda dmm: dmm.ledger.get_memory_context),
    ),
    MemoryTool(
        "trace_provenance",
        "Where a decision or fact came from. Give seq or fact_key.",
        Arguments({"seq": _number(), "fact_key": _text()}),
        READS,
        _trace,
    ),
    MemoryTool(
        "time_travel",
        "What was known at an event, and what changed since.",
        Arguments({"to_seq": _number(minimum=0)}, ("to_seq",)),
        READS,
        _looking(lambda dmm: dmm.timelines.time_travel),
    ),
    MemoryTool(
        "simulate_timeline",
        "What if this constraint had existed since an event?",
        Arguments(
            {
                "inject_constraint": _text(),
                "at_seq": _number(minimum=0),
                "then_decide": _text(),
                "priority": _PRIORITY,
            },
            ("inject_constraint", "at_seq", "then_decide"),
        ),
        READS,
        _looking(lambda dmm: dmm.timelines.simulate_timeline),
    ),
    MemoryTool(
        "search",
        "Search earlier sessions; pass ids for the full text of rows.",
        Arguments(
            {
                "query": _text(),
                "ids": _texts(),
                "kind": _text("decision, bugfix, …"),
                "file": _text(),
                "session": _text(),
                "since": _text(),
                "until": _text(),
                "limit": _number(),
            }
        ),
        READS,
        search,
    ),
    MemoryTool(
        "timeline",
        "Rows around an id or a best match.",
        Arguments({"id": _text(), "query": _text(), "before": _number(), "after": _number()}),
        READS,
        timeline,
    ),
    MemoryTool(
        "get_observations",
        "Full text of rows.",
        Arguments({"ids": _texts()}, ("ids",)),
        READS,
        get_observations,
    ),
    MemoryTool(
        "ask",
        "Cited evidence from memory, earlier sessions, docs and code.",
        Arguments(
            {
                "question": _text(),
                "profile": _text(),
                "budget": _number(),
                "style": _text(enum=list(ANSWER_STYLES)),
            },
            ("question",),
        ),
        READS,
        ask,
    ),
)
BY_NAME = {tool.name: tool for tool in TOOLS}
# The tools that most sessions need. Each is offered with its first sentence and the arguments it
# can't do without, since every session pays for them; it takes all.
CORE = ("memory_pack", "remember", "add_constraint", "ask")
