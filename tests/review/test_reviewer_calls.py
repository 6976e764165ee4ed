"""Asking the reviewer agent: what it answers, what it costs, and silence whatever goes wrong."""

from __future__ import annotations

import datetime as dt
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from dmm.config import ModelConfig
from dmm.domain.event import EventType, Trust
from dmm.domain.plain import to_plain
from dmm.domain.proposal import Check, CheckName, Edit, Operation, Outcome, Proposal, Verdict
from dmm.models.choose import choose_model
from dmm.models.port import estimate_tokens
from dmm.review.reviewer import Answer
from dmm.review.reviewer_calls import Reviewer, Silence, Spent
from dmm.review.surroundings import Neighbour

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.models.scripted import Server

    from dmm.rules.project_ledger import ProjectLedger

TODAY = dt.date(2026, 1, 31)
SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ012345"
PROPOSAL = Proposal(
    seq=1,
    operation=Operation.CREATE,
    edits=(Edit("project/retry.md", None, "# Retry\n\nThree times.\n"),),
    reason="the team agreed",
    proposer="claude",
    source="mcp",
    trust=Trust.AGENT,
    at="2026-01-31T12:00:00.000+00:00",
)
CHECKS = (Check(CheckName.SCHEMA, Outcome.PASS, "complete"),)
NEIGHBOURS = (Neighbour("project/calls.md", "mem_1", "Calls", f"token {SECRET}\n"),)
GOOD = {
    "verdict": "approved",
    "confidence": 0.97,
    "reason": "It is fit.",
    "checks": {"schema": "complete"},
}


class Clock:
    """A time that stands until a test moves it."""

    def __init__(self) -> None:
        self.moment = dt.datetime(2026, 1, 31, 23, 30, tzinfo=dt.UTC)

    def __call__(self) -> dt.datetime:
        return self.moment


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def project_ledger(project_ledger: ProjectLedger) -> ProjectLedger:
    """The ledger with one proposal in it."""
    project_ledger.record(project_ledger.draft_of(EventType.PROPOSAL_MADE, {"operation": "create"}))
    return project_ledger


@pytest.fixture
def reviewer(
    project_ledger: ProjectLedger, clock: Clock, server: Server
) -> Callable[..., Reviewer]:
    def make(**settings: Any) -> Reviewer:
        named = {"provider": "anthropic", "name": "m", "base_url": server.url} | settings
        config = ModelConfig(**named)
        ticks = iter(range(100))
        return Reviewer(
            lambda: choose_model(config, {}),
            project_ledger,
            config,
            clock,
            clock=lambda: next(ticks) / 8,
        )

    return make


def answer(server: Server, said: object, **more: object) -> None:
    text = said if isinstance(said, str) else json.dumps(said)
    usage = {"input_tokens": 1_000, "output_tokens": 60}
    told = {"type": "message", "content": [{"type": "text", "text": text}], "usage": usage}
    server.say(told | more)


def review(reviewer: Reviewer, proposal: Proposal = PROPOSAL) -> Answer | Silence:
    return reviewer.review(proposal, CHECKS, NEIGHBOURS)


def calls(project_ledger: ProjectLedger) -> list[dict[str, Any]]:
    log = project_ledger.reading
    found = log.events_of([EventType.MODEL_CALLED], 0, log.head().seq)
    return [event.payload or {} for event in found]


def test_an_answer_is_given_and_its_call_recorded(
    reviewer: Callable[..., Reviewer], server: Server, project_ledger: ProjectLedger
) -> None:
    answer(server, GOOD)
    assert review(reviewer()) == Answer(
        Verdict.APPROVED, 0.97, "It is fit.", (("schema", "complete"),)
    )
    assert calls(project_ledger) == [
        {
            "purpose": "review",
            "provider": "anthropic",
            "model": "m",
            "input_tokens": 1_000,
            "output_tokens": 60,
            "outcome": "answered",
            "milliseconds": 125,
            "proposal": 1,
        }
    ]
    event = project_ledger.reading.event(2)
    assert event is not None
    assert event.references == (1,)


def test_the_model_is_told_no_secret_and_its_limit(
    reviewer: Callable[..., Reviewer], server: Server
) -> None:
    answer(server, GOOD)
    review(reviewer(max_output_tokens=700))
    (asked,) = server.asked
    assert asked.body["max_tokens"] == 700
    assert SECRET not in json.dumps(asked.body)
    assert "| token [" in asked.body["messages"][0]["content"]


def test_a_private_passage_hides_nothing_but_itself(
    reviewer: Callable[..., Reviewer], server: Server
) -> None:
    answer(server, GOOD)
    edit = Edit("project/a.md", None, "# A\n\n<private>never closed\n")
    review(reviewer(), replace(PROPOSAL, trust=Trust.TOOL, edits=(edit,)))
    told = server.asked[0].body["messages"][0]["content"]
    assert "never closed" not in told
    assert "## What the checks found" in told
    assert told.endswith("One JSON object, and nothing else.\n")


@pytest.mark.parametrize(
    ("said", "more", "why"),
    [
        ("APPROVED", {}, "malformed answer: it is not one JSON object"),
        (GOOD | {"checks": {}}, {}, "malformed answer: checks does not have exactly the names"),
        ("", {}, "malformed answer: it is not one JSON object"),
        (GOOD, {"stop_reason": "max_tokens"}, "malformed answer: it was cut off at"),
    ],
)
def test_a_malformed_answer_is_silence_and_is_paid_for(
    reviewer: Callable[..., Reviewer],
    server: Server,
    project_ledger: ProjectLedger,
    said: object,
    more: dict[str, object],
    why: str,
) -> None:
    answer(server, said, **more)
    found = review(reviewer())
    assert isinstance(found, Silence)
    assert found.reason.startswith(why)
    (call,) = calls(project_ledger)
    assert (call["outcome"], call["input_tokens"], call["output_tokens"]) == ("malformed", 1000, 60)


def test_a_modification_where_none_was_offered_is_silence(
    reviewer: Callable[..., Reviewer], server: Server
) -> None:
    answer(server, GOOD | {"verdict": "modified", "content": "# A\n"})
    gone = Edit("ephemeral/a.md", "# A\n", None)
    move = replace(PROPOSAL, operation=Operation.PROMOTE, edits=(gone, PROPOSAL.edits[0]))
    assert review(reviewer(), move) == Silence("malformed answer: this proposal can't be modified")


def test_a_model_that_is_down_is_silence_and_costs_nothing(
    reviewer: Callable[..., Reviewer], server: Server, project_ledger: ProjectLedger
) -> None:
    asking = reviewer()
    server.close()
    found = review(asking)
    assert isinstance(found, Silence)
    assert "not reachable" in found.reason
    (call,) = calls(project_ledger)
    assert (call["outcome"], call["input_tokens"], call["output_tokens"]) == ("failed", 0, 0)
    assert "estimated" not in call


@pytest.mark.parametrize("status", ["401 Unauthorized", "429 Too Many Requests", "500 Oh"])
def test_a_refusal_is_silence_and_costs_nothing(
    reviewer: Callable[..., Reviewer], server: Server, project_ledger: ProjectLedger, status: str
) -> None:
    server.say({"error": {"message": "no"}}, status, Retry_After="0")
    assert isinstance(review(reviewer()), Silence)
    (call,) = calls(project_ledger)
    assert (call["outcome"], call["input_tokens"]) == ("failed", 0)


def test_a_late_model_is_silence_and_counts_as_all_that_was_set_aside(
    reviewer: Callable[..., Reviewer], server: Server, project_ledger: ProjectLedger
) -> None:
    server.pause = 0.02
    server.pieces = lambda _: iter([b"HTTP/1.1 200 OK\r\n", *[b"X"] * 10_000])
    found = review(reviewer(timeout_ms=200, max_output_tokens=500))
    assert isinstance(found, Silence)
    assert "no answer within 0.2 s" in found.reason
    body = server.asked[0].body
    (call,) = calls(project_ledger)
    assert (call["outcome"], call["estimated"], call["output_tokens"]) == ("late", True, 500)
    asked = body["system"] + body["messages"][0]["content"]
    assert call["input_tokens"] == estimate_tokens(asked)


def test_an_answer_of_another_kind_is_malformed(
    reviewer: Callable[..., Reviewer], server: Server, project_ledger: ProjectLedger
) -> None:
    server.say(b"<html>login</html>")
    assert isinstance(review(reviewer()), Silence)
    assert calls(project_ledger)[0]["outcome"] == "malformed"


def test_without_a_model_a_person_has_to_review_and_nothing_is_recorded(
    reviewer: Callable[..., Reviewer], project_ledger: ProjectLedger
) -> None:
    found = review(reviewer(provider=""))
    assert found == Silence("no model is configured; a person has to review")
    assert calls(project_ledger) == []


def test_a_missing_key_is_silence_that_names_the_variable(
    reviewer: Callable[..., Reviewer], project_ledger: ProjectLedger
) -> None:
    found = review(reviewer(api_key_env="REVIEW_KEY"))
    assert isinstance(found, Silence)
    assert "the environment variable REVIEW_KEY is not set" in found.reason
    assert calls(project_ledger) == []


def test_a_proposal_too_long_to_be_shown_is_not_asked_about(
    reviewer: Callable[..., Reviewer], server: Server, project_ledger: ProjectLedger
) -> None:
    edit = Edit("project/a.md", None, "x" * 10_000_000)
    found = review(reviewer(), replace(PROPOSAL, edits=(edit,)))
    assert isinstance(found, Silence)
    assert "too long" in found.reason
    assert (server.asked, calls(project_ledger)) == ([], [])


def test_the_day_has_its_limit_and_the_next_day_its_own(
    reviewer: Callable[..., Reviewer], server: Server, project_ledger: ProjectLedger, clock: Clock
) -> None:
    answer(server, GOOD)
    assert isinstance(review(reviewer()), Answer)
    body = server.asked[0].body
    most = estimate_tokens(body["system"] + body["messages"][0]["content"]) + 4_000
    # Room for one call more at its dearest; one token is missing for yet another.
    limit = 2 * 1_060 + most - 1
    asking = reviewer(max_tokens_per_day=limit, max_output_tokens=4_000)
    assert isinstance(review(asking), Answer)
    told = f"2120 of the {limit} in model.max_tokens_per_day used today"
    assert review(asking) == Silence(f"asking could take {most} tokens, and {told}")
    assert len(server.asked) == 2
    assert [call["outcome"] for call in calls(project_ledger)] == ["answered", "answered", "capped"]
    assert calls(project_ledger)[2]["input_tokens"] == 0
    assert asking.spend(TODAY) == [Spent("review", 2, 2_000, 120)]
    clock.moment = dt.datetime(2026, 2, 1, 0, 0, tzinfo=dt.UTC)
    assert asking.spent_today() == 0
    assert isinstance(review(asking), Answer)


def test_a_limit_of_nothing_means_that_no_model_is_asked(
    reviewer: Callable[..., Reviewer], server: Server
) -> None:
    assert isinstance(review(reviewer(max_tokens_per_day=0)), Silence)
    assert server.asked == []


def test_days_are_those_of_utc(
    reviewer: Callable[..., Reviewer], server: Server, clock: Clock
) -> None:
    answer(server, GOOD)
    clock.moment = dt.datetime(2026, 2, 1, 1, 0, tzinfo=dt.timezone(dt.timedelta(hours=2)))
    asking = reviewer()
    review(asking)
    assert asking.spend(TODAY) == [Spent("review", 1, 1_000, 60)]
    assert asking.spend(dt.date(2026, 2, 1)) == []
    assert asking.spent_today() == 1_060


def test_spending_is_told_by_purpose_and_nonsense_does_not_count(
    reviewer: Callable[..., Reviewer], project_ledger: ProjectLedger
) -> None:
    def note(**payload: Any) -> None:
        project_ledger.record(project_ledger.draft_of(EventType.MODEL_CALLED, payload))

    note(purpose="review", input_tokens=5, output_tokens=1, outcome="answered")
    note(purpose="ask", input_tokens=7, output_tokens=2, outcome="late")
    note(purpose="review", input_tokens=-100, output_tokens="9", outcome="answered")
    note(purpose=["review"], input_tokens=100, output_tokens=1)
    timeless = project_ledger.draft_of(
        EventType.MODEL_CALLED, {"purpose": "ask", "input_tokens": 9}
    )
    project_ledger.record(replace(timeless, at="some day"))
    asking = reviewer()
    assert asking.spend(TODAY) == [Spent("ask", 1, 7, 2), Spent("review", 2, 5, 1)]
    assert asking.spent_today() == 15
    assert to_plain(asking.spend(TODAY)[0]) == {
        "purpose": "ask",
        "calls": 1,
        "input_tokens": 7,
        "output_tokens": 2,
    }
