"""Questions over HTTP.

FastAPI reads the annotations when the program runs, so they stand here as they are.
"""

from typing import Annotated, Any, Literal

from fastapi import APIRouter
from pydantic import Field

from dmm.http import models
from dmm.http.calls import BEHIND_TOKEN, Called, Reply, told
from dmm.packs.service import MAX_QUERY_CHARACTERS

router = APIRouter(prefix="/v1", tags=["ask"], dependencies=BEHIND_TOKEN)

Name = Annotated[str | None, Field(max_length=1_000)]


class Asked(models.InProject):
    """A question, and how its answer is to be."""

    question: Annotated[
        str, Field(min_length=1, max_length=MAX_QUERY_CHARACTERS, pattern=models.WRITTEN)
    ]
    profile: Name = None
    budget: models.Budget | None = None
    style: Literal["compact", "full"] = "compact"
    session: Name = None
    verbose: bool = False


class AnswerTold(models.Told):
    """An answer with its evidence; docs/ask.md has every field."""

    answer: dict[str, Any]
    suggested_prompt: str
    token_estimate: int
    mapping_decision: dict[str, Any]
    coverage_gate: dict[str, Any]


@router.post("/ask", responses=told(AnswerTold))
def ask(call: Called, body: Asked) -> Reply:
    """Answer a question with cited evidence from memory, sessions and code; nothing is recorded."""
    with call.project(body.root).asking(call.actor) as dmm:
        found = dmm.asking.ask(
            body.question,
            profile=body.profile,
            budget=body.budget,
            style=body.style,
            session=body.session or call.actor.session,
            timed=body.verbose,
        )
    return Reply(found)
