"""Sessions of agents and figures over time, over HTTP.

FastAPI reads the annotations when the program runs, so they stand here as they are.
"""

import mmap
from pathlib import Path as File
from typing import Annotated, Literal

from fastapi import APIRouter, Path, Query

from dmm.domain.plain import to_plain
from dmm.http import models
from dmm.http.calls import BEHIND_TOKEN, Called, Reply, told

router = APIRouter(prefix="/v1", tags=["history"], dependencies=BEHIND_TOKEN)

MOST_ROWS = 200
MOST_DAYS = 366
LONGEST_NAME = 300


class SessionTold(models.Told):
    """One session in brief."""

    id: str
    client: str
    branch: str
    started: str
    last: str
    open: bool
    prompts: int
    calls: int
    blocked: int
    asked: int
    packs: int
    tokens: int


class SessionsTold(models.Told):
    """Sessions, the newest first."""

    sessions: list[SessionTold]


class EntryTold(models.Told):
    """Something that happened in a session."""

    seq: int
    at: str
    kind: Literal["start", "prompt", "pack", "call", "block", "ask", "warn", "note", "end"]
    title: str
    detail: str
    tokens: int | None
    pack: int | None
    rule: str | None
    matched: str | None


class ItemTold(models.Told):
    """What was put into a session for one reason."""

    what: str
    why: str
    tokens: int
    count: int


class GivenTold(models.Told):
    """What DMM put into a session; `fixed` is what its tools, instructions and BOOT take."""

    fixed: int | None
    injected: int
    items: list[ItemTold]


class StoryTold(models.Told):
    """One session with its newest entries."""

    session: SessionTold
    entries: list[EntryTold]
    cost: GivenTold


class DayTold(models.Told):
    """The figures of one day."""

    day: str
    packs: int
    tokens: int
    monolith: int
    blocked: int
    asked: int
    proposals: int
    applied: int


class NowTold(models.Told):
    """How a project stands."""

    memories: int
    indexed: int
    baseline_tokens: int
    baseline_budget: int
    monolith_tokens: int
    daemon_mb: float | None
    queue: int
    queue_oldest_hours: float | None
    events: int


class FiguresTold(models.Told):
    """Figures by day, the oldest first, and as things stand."""

    days: list[DayTold]
    now: NowTold


@router.get("/sessions", responses=told(SessionsTold))
def list_sessions(
    call: Called,
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = 20,
    before: Annotated[int | None, Query(ge=0, le=models.LARGEST)] = None,
) -> Reply:
    """List sessions by their newest event, or those whose last event is before one."""
    with call.reading() as dmm:
        return Reply(dmm.session_history.list(limit, before))


@router.get("/sessions/{id:path}", responses=told(StoryTold))
def show_session(
    call: Called,
    name: Annotated[str, Path(alias="id", min_length=1, max_length=LONGEST_NAME)],
    after: Annotated[int, Query(ge=0, le=models.LARGEST)] = 0,
) -> Reply:
    """Show what was asked, given, stopped and done in a session."""
    with call.reading() as dmm:
        found = to_plain(dmm.session_history.show(name, after))
        count = call.access.count_fixed
        found["cost"]["fixed"] = None if count is None else sum(n for _, n in count(dmm))
    return Reply(found)


@router.get("/metrics", responses=told(FiguresTold))
def metrics(call: Called, days: Annotated[int, Query(ge=1, le=MOST_DAYS)] = 30) -> Reply:
    """Report tokens against the monolith, stops and the queue by day, and how things stand."""
    with call.reading() as dmm:
        found = to_plain(dmm.metrics.report(days))
    found["now"]["daemon_mb"] = _resident_megabytes()
    return Reply(found)


def _resident_megabytes() -> float | None:
    """Measure the memory of this process; None where the system does not tell."""
    try:
        pages = int(File("/proc/self/statm").read_text("ascii").split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return round(pages * mmap.PAGESIZE / (1 << 20), 1)
