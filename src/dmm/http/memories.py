"""Memories to look at, over HTTP.

FastAPI reads the annotations when the program runs, so they stand here as they are.
"""

from typing import Annotated

from fastapi import APIRouter, Path, Query

from dmm.domain.plain import to_plain
from dmm.errors import UsageError
from dmm.http import models
from dmm.http.calls import BEHIND_TOKEN, Called, Reply, told
from dmm.http.nodes import read_nodes
from dmm.project.memory_view import CitedCode, Folders, MemoryRows

router = APIRouter(prefix="/v1/memories", tags=["memory"], dependencies=BEHIND_TOKEN)

LONGEST_PATH = 1_000
LONGEST_MATCH = 300


class NodeTold(models.Told):
    """A piece of a text: its kind, and its children or its value."""

    t: str
    c: list["NodeTold"] | None = None
    v: str | None = None


class ViewTold(models.Told):
    """One memory with all that is known about it."""

    path: str
    id: str
    title: str
    text: str
    body: list[NodeTold]
    citations: list[CitedCode]
    usage: dict[str, object]
    history: list[dict[str, object]]
    packs: list[dict[str, object]]
    conflicts: list[dict[str, object]]
    digest: str | None


@router.get("", responses=told(Folders | MemoryRows))
def list_memories(
    call: Called,
    folder: Annotated[str | None, Query(max_length=LONGEST_PATH)] = None,
    match: Annotated[str | None, Query(max_length=LONGEST_MATCH)] = None,
) -> Reply:
    """List all folders, the memories right in one of them, or those that match some words."""
    with call.reading() as dmm:
        if folder is None and match is None:
            return Reply(dmm.memory_views.folders())
        return Reply(dmm.memory_views.rows(folder, match))


@router.get("/{path:path}", responses=told(ViewTold))
def show_memory(
    call: Called,
    path: Annotated[str, Path(min_length=1, max_length=LONGEST_PATH)],
) -> Reply:
    """Show one memory: its text as nodes, cited code, usage, history, packs and conflicts."""
    if "\0" in path:
        raise UsageError("a path can't contain null characters")
    with call.reading() as dmm:
        shown = dmm.memory_views.show(path)
    found = to_plain(shown)
    found["body"] = to_plain(read_nodes(found.pop("content")))
    return Reply(found)
