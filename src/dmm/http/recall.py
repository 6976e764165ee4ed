"""Recall over HTTP: search, timeline and full text.

FastAPI reads the annotations when the program runs, so they stand here as they are.
"""

import datetime as dt
from typing import Annotated

from fastapi import APIRouter, Query

from dmm.domain.observation import Kind
from dmm.http.calls import BEHIND_TOKEN, Called, Reply, told
from dmm.packs.service import MAX_QUERY_CHARACTERS
from dmm.recall.results import Searched, Timeline, Units
from dmm.recall.service import DEFAULT_LIMIT, MOST_AROUND, MOST_IDS, MOST_ROWS

router = APIRouter(prefix="/v1", tags=["recall"], dependencies=BEHIND_TOKEN)

LONGEST = 1_000
Words = Annotated[str, Query(max_length=MAX_QUERY_CHARACTERS)]
Name = Annotated[str | None, Query(max_length=LONGEST)]
Around = Annotated[int, Query(ge=0, le=MOST_AROUND)]


@router.get("/search", responses=told(Searched))
def search(
    call: Called,
    query: Words = "",
    kind: Kind | None = None,
    file: Name = None,
    session: Name = None,
    since: dt.date | None = None,
    until: dt.date | None = None,
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = DEFAULT_LIMIT,
) -> Reply:
    """Find what earlier sessions said and did; without a query the newest come first."""
    with call.recall() as dmm:
        found = dmm.recall.search(
            query,
            kind=kind,
            file=file,
            session=session,
            since=None if since is None else since.isoformat(),
            until=None if until is None else until.isoformat(),
            limit=limit,
        )
    return Reply(found)


@router.get("/timeline", responses=told(Timeline))
def timeline(
    call: Called,
    name: Annotated[str | None, Query(alias="id", max_length=LONGEST)] = None,
    query: Annotated[str | None, Query(max_length=MAX_QUERY_CHARACTERS)] = None,
    before: Around = 5,
    after: Around = 5,
) -> Reply:
    """Return what surrounds an id, the best match of a query, or the newest unit."""
    with call.recall() as dmm:
        return Reply(dmm.recall.timeline(name, query, before, after))


@router.get("/observations", responses=told(Units))
def get_observations(
    call: Called,
    ids: Annotated[
        list[Annotated[str, Query(max_length=LONGEST)]], Query(min_length=1, max_length=MOST_IDS)
    ],
) -> Reply:
    """Show units in full, in the order in which they are named."""
    with call.recall() as dmm:
        return Reply(dmm.recall.get_observations(ids))
