"""Sessions of agents and figures over time, over HTTP.

FastAPI reads the annotations when the program runs, so they stand here as they are.
"""

import mmap
from pathlib import Path as File
from typing import Annotated

from fastapi import APIRouter, Path, Query

from dmm.domain.plain import to_plain
from dmm.http import models
from dmm.http.calls import BEHIND_TOKEN, Called, Reply, told
from dmm.project.metrics import Figures
from dmm.project.session_history import SessionRows, SessionStory

router = APIRouter(prefix="/v1", tags=["history"], dependencies=BEHIND_TOKEN)

MOST_ROWS = 200
MOST_DAYS = 366
LONGEST_NAME = 300


@router.get("/sessions", responses=told(SessionRows))
def list_sessions(
    call: Called,
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = 20,
    before: Annotated[int | None, Query(ge=0, le=models.LARGEST)] = None,
) -> Reply:
    """List sessions by their newest event, or those whose last event is before one."""
    with call.reading() as dmm:
        return Reply(dmm.session_history.list(limit, before))


@router.get("/sessions/{id:path}", responses=told(SessionStory))
def show_session(
    call: Called,
    name: Annotated[str, Path(alias="id", min_length=1, max_length=LONGEST_NAME)],
    after: Annotated[int, Query(ge=0, le=models.LARGEST)] = 0,
) -> Reply:
    """Show what was asked, given, stopped and done in a session.

    `cost.fixed` is what tools, instructions and BOOT take in every session.
    """
    with call.reading() as dmm:
        found = to_plain(dmm.session_history.show(name, after))
        count = call.access.count_fixed
        found["cost"]["fixed"] = None if count is None else sum(n for _, n in count(dmm))
    return Reply(found)


@router.get("/metrics", responses=told(Figures))
def metrics(call: Called, days: Annotated[int, Query(ge=1, le=MOST_DAYS)] = 30) -> Reply:
    """Report tokens against the monolith, stops and the queue by day, and how things stand.

    `now.daemon_mb` is the memory of the daemon.
    """
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
