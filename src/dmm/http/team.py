"""What a project shares with its team, for whoever decides.

FastAPI reads the annotations when the program runs, so they stand here as they are.
"""

from typing import Annotated

from fastapi import APIRouter, Query

from dmm.http.calls import BEHIND_TOKEN, Called, Reply, told
from dmm.http.models import LARGEST, Told
from dmm.passkeys.acts import PersonAct
from dmm.team.foretelling import foretell_words, list_shared

router = APIRouter(prefix="/v1/team", tags=["team"], dependencies=BEHIND_TOKEN)

# As many as a long list of the page holds.
MOST = 20_000
Seq = Annotated[int, Query(ge=0, le=LARGEST)]


class ForetoldTold(Told):
    """What a team is told of a decision that is not made yet, each in words."""

    team: str
    told: list[str]


class SharedTold(Told):
    """Events of the ledger that the team is told, by number; whether each was sent."""

    events: dict[str, bool]


@router.get("/foretold", responses=told(ForetoldTold))
def foretell(
    call: Called,
    action: PersonAct,
    name: Annotated[str, Query(alias="id", max_length=10_000)] = "",
) -> Reply:
    """Say what the project's team is told if a person decides something; nothing is recorded."""
    with call.reading() as dmm:
        found = foretell_words(dmm.team, action, name)
        log = dmm.team.credentials().log if found else ()
    return Reply({"team": "/".join(log), "told": found})


@router.get("/shared", responses=told(SharedTold))
def list_events(call: Called, after: Seq, to: Seq) -> Reply:
    """Say which events of a part of the ledger the team is told."""
    with call.reading() as dmm:
        found = list_shared(dmm.team, max(after, to - MOST), to)
    return Reply({"events": {str(seq): sent for seq, sent in found.items()}})
