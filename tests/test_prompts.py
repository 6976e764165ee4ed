"""The prompts: every tool and argument that they name exists, and the examples are true."""

from __future__ import annotations

import ast
import doctest
import inspect
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dmm.bootstrap import open_stage
from dmm.domain.plain import to_plain
from dmm.ledger.service import SCOPES, Ledger
from dmm.ledger.timelines import Timelines

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FOLDER = Path(__file__).parents[1] / "prompts"
# These agents have no tools; what their prompts name is tested where they are used.
ALONE = ("distiller.md", "reviewer.md")
PROMPTS = sorted(path for path in FOLDER.glob("*.md") if path.name not in ALONE)
TOOLS = {
    "add_fact": ("key", "value", "confidence"),
    "add_constraint": ("text", "priority", "triggered_by"),
    "record_decision": ("text", "rationale", "references"),
    "query_memory": ("question", "scope"),
    "get_memory_context": (),
    "trace_provenance": ("seq", "fact_key"),
    "time_travel": ("to_seq",),
    "simulate_timeline": ("inject_constraint", "at_seq", "then_decide", "priority"),
}
RESULTS = {"seq", "query_seq", "drift_alert", "status", "warning", "reason", "suggestion", "stale"}
RESULTS |= {"violated_constraint_seq"}
WORDS = {"required", "preferred", "learned", "COMMITTED", "BLOCKED", "ALLOWED", *SCOPES}
KEYS = {"budget", "destination", "dates", "accessibility"}


def tool(name: str) -> Callable[..., dict[str, Any]]:
    stage = open_stage()
    owner = stage.ledger if hasattr(Ledger, name) else stage.timelines
    found: Callable[..., dict[str, Any]] = getattr(owner, name)
    return found


def as_told(operation: Callable[..., object]) -> Callable[..., Any]:
    """Give the result of an operation in the form in which an agent gets it."""
    return lambda *given, **named: to_plain(operation(*given, **named))


def calls(text: str) -> Iterator[ast.Call]:
    """List the calls in code spans; an ellipsis stands for any value."""
    for span in re.findall(r"`(\w+\([^`]*\))`", text):
        node = ast.parse(span.replace("…", "..."), mode="eval").body
        assert isinstance(node, ast.Call)
        yield node


def test_all_prompts_are_there() -> None:
    names = [path.name for path in PROMPTS]
    assert names == ["tool_examples.md", "travel_agent.md", "workflows.md"]
    assert all((FOLDER / name).is_file() for name in ALONE)


@pytest.mark.parametrize("name", TOOLS)
def test_the_services_take_exactly_the_arguments_of_the_tools(name: str) -> None:
    given = inspect.signature(tool(name)).parameters.values()
    assert tuple(one.name for one in given if one.kind is not one.KEYWORD_ONLY) == TOOLS[name]


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda path: path.name)
def test_every_call_in_a_prompt_names_a_tool_and_its_arguments(prompt: Path) -> None:
    for call in calls(prompt.read_text()):
        assert isinstance(call.func, ast.Name)
        assert {one.arg for one in call.keywords} <= set(TOOLS[call.func.id]), ast.unparse(call)
        assert call.args == []
        inspect.signature(tool(call.func.id)).bind(**{str(one.arg): 0 for one in call.keywords})


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda path: path.name)
def test_every_name_in_a_prompt_exists(prompt: Path) -> None:
    arguments = {argument for names in TOOLS.values() for argument in names}
    known = {*TOOLS, *arguments, *RESULTS, *WORDS, *KEYS}
    assert set(re.findall(r"`(\w+)`", prompt.read_text())) <= known


@pytest.mark.parametrize("name", TOOLS)
def test_every_tool_is_told_of_in_every_prompt(name: str) -> None:
    for prompt in PROMPTS:
        assert name in prompt.read_text(), prompt.name


def test_the_examples_are_true() -> None:
    stage = open_stage()
    tools = {
        name: as_told(getattr(stage.ledger if hasattr(Ledger, name) else stage.timelines, name))
        for name in TOOLS
    }
    assert all(hasattr(Ledger, name) or hasattr(Timelines, name) for name in TOOLS)
    path = PROMPTS[0]
    found = doctest.DocTestParser().get_doctest(path.read_text(), tools, path.name, str(path), 0)
    told: list[str] = []
    results = doctest.DocTestRunner().run(found, out=told.append)
    assert (results.failed, "".join(told)) == (0, "")
    assert results.attempted >= 20
