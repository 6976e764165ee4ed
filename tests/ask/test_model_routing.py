"""A model may choose the profile: only where rules can't, only if wanted, never required."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from dmm.config import FILE_NAME
from dmm.domain.event import EventType
from dmm.domain.plain import to_plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.conftest import Opener, Project
    from tests.models.scripted import Server

    from dmm.bootstrap import Dmm

SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ012345"


def answer(server: Server, said: object) -> None:
    text = said if isinstance(said, str) else json.dumps(said)
    usage = {"input_tokens": 100, "output_tokens": 6}
    server.say({"type": "message", "content": [{"type": "text", "text": text}], "usage": usage})


@pytest.fixture
def opened(
    project: Project, home: Path, open_project: Opener, server: Server
) -> Iterator[Callable[..., Dmm]]:
    made: list[Dmm] = []

    def make(*, wanted: bool = True, named: bool = True) -> Dmm:
        (project.dmm / FILE_NAME).write_text(json.dumps({"ask": {"model_fallback": wanted}}))
        (home / ".dmm").mkdir(exist_ok=True)
        model = {"provider": "anthropic", "name": "m", "base_url": server.url}
        own = {"model": model} if named else {}
        (home / ".dmm" / FILE_NAME).write_text(json.dumps(own))
        made.append(open_project(project))
        return made[-1]

    yield make
    for dmm in made:
        dmm.close()


def decide(dmm: Dmm, question: str) -> tuple[str, str]:
    told = to_plain(dmm.asking.ask(question))["mapping_decision"]
    return told["profile"], told["source"]


def calls(dmm: Dmm) -> list[dict[str, Any]]:
    log = dmm.project_ledger.reading
    found = log.events_of([EventType.MODEL_CALLED], 0, log.head().seq)
    return [event.payload or {} for event in found]


def test_a_model_decides_between_equals_and_the_call_is_on_record(
    opened: Callable[..., Dmm], server: Server
) -> None:
    answer(server, {"profile": "architecture"})
    dmm = opened()
    assert decide(dmm, f"review the design of {SECRET}") == ("architecture", "model")
    (call,) = calls(dmm)
    assert (call["purpose"], call["outcome"], call["input_tokens"]) == ("ask", "answered", 100)
    (asked,) = server.asked
    assert SECRET not in json.dumps(asked.body)
    assert "| review the design of" in asked.body["messages"][0]["content"]


def test_it_is_not_asked_where_the_rules_decide(opened: Callable[..., Dmm], server: Server) -> None:
    assert decide(opened(), "where do I start?") == ("onboarding", "rules")
    assert server.asked == []


@pytest.mark.parametrize("said", ["onboarding", {"profile": "tour"}, {"profile": 1}, "{", []])
def test_an_answer_that_is_none_leaves_it_to_the_rules(
    opened: Callable[..., Dmm], server: Server, said: object
) -> None:
    answer(server, said)
    dmm = opened()
    assert decide(dmm, "review the design") == ("review", "rules")
    assert calls(dmm)[0]["outcome"] == "malformed"


def test_without_a_model_or_a_wish_nothing_is_asked(
    opened: Callable[..., Dmm], server: Server
) -> None:
    assert decide(opened(named=False), "review the design") == ("review", "rules")
    assert decide(opened(wanted=False), "review the design") == ("review", "rules")
    assert server.asked == []


def test_a_model_that_is_down_leaves_it_to_the_rules(
    opened: Callable[..., Dmm], server: Server
) -> None:
    dmm = opened()
    server.close()
    assert decide(dmm, "review the design") == ("review", "rules")
