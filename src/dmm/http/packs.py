"""Packs that were served, over HTTP.

FastAPI reads the annotations when the program runs, so they stand here as they are.
"""

from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from dmm.http import models
from dmm.http.calls import BEHIND_TOKEN, Called, Reply, told

router = APIRouter(prefix="/v1/packs", tags=["memory"], dependencies=BEHIND_TOKEN)

MOST_ROWS = 200
Why = Literal["start", "prompt", "files", "asked"]


class RowTold(models.Told):
    """A pack in brief; `entries` counts its memories."""

    seq: int
    at: str
    why: Why
    task: str
    session: str | None
    client: str
    tokens: int
    entries: int


class RowsTold(models.Told):
    """The newest packs, the newest first."""

    packs: list[RowTold]


class EntryTold(models.Told):
    """A memory in a pack, and how it was found."""

    path: str
    title: str
    score: float | None
    lanes: list[str]
    tokens: int | None
    labels: list[str]


class ExcludedTold(models.Told):
    """A candidate that was left out, and why."""

    path: str
    title: str
    score: float
    reason: str
    tokens: int


class TokensTold(models.Told):
    """The tokens of a pack."""

    baseline: int | None
    retrieved: int | None
    total: int


class ServedTold(models.Told):
    """A pack with its receipt; `receipt` is false where none was kept."""

    seq: int
    at: str
    why: Why
    task: str
    session: str | None
    client: str
    files: list[str]
    budget: int | None
    tokens: TokensTold
    entries: list[EntryTold]
    excluded: list[ExcludedTold]
    excluded_more: int
    receipt: bool
    memory_tokens: int | None


@router.get("", responses=told(RowsTold))
def list_packs(
    call: Called,
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = 20,
    before: Annotated[int | None, Query(ge=0, le=models.LARGEST)] = None,
) -> Reply:
    """List the newest packs, or the newest before an event."""
    with call.reading() as dmm:
        return Reply(dmm.served_packs.newest(limit, before))


@router.get("/{seq}", responses=told(ServedTold))
def show_pack(call: Called, seq: Annotated[int, Path(ge=0, le=models.LARGEST)]) -> Reply:
    """Show what a pack held, and why each candidate was in it or not."""
    with call.reading() as dmm:
        return Reply(dmm.served_packs.show(seq))
