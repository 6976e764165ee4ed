"""Packs that were served, over HTTP.

FastAPI reads the annotations when the program runs, so they stand here as they are.
"""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from dmm.http import models
from dmm.http.calls import BEHIND_TOKEN, Called, Reply, told
from dmm.packs.served import PackRows, ServedPack

router = APIRouter(prefix="/v1/packs", tags=["memory"], dependencies=BEHIND_TOKEN)

MOST_ROWS = 200


@router.get("", responses=told(PackRows))
def list_packs(
    call: Called,
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = 20,
    before: Annotated[int | None, Query(ge=0, le=models.LARGEST)] = None,
) -> Reply:
    """List the newest packs, or the newest before an event."""
    with call.reading() as dmm:
        return Reply(dmm.served_packs.newest(limit, before))


@router.get("/{seq}", responses=told(ServedPack))
def show_pack(call: Called, seq: Annotated[int, Path(ge=0, le=models.LARGEST)]) -> Reply:
    """Show what a pack held, and why each candidate was in it or not."""
    with call.reading() as dmm:
        return Reply(dmm.served_packs.show(seq))
