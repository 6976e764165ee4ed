"""Packs, health, status and indexing over HTTP.

FastAPI reads the annotations when the program runs, so they stand here as they are.
"""

import datetime as dt
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fastapi import APIRouter

from dmm import VERSION
from dmm.bootstrap import Dmm
from dmm.domain.pack import read_request
from dmm.domain.plain import to_plain
from dmm.http import models
from dmm.http.calls import BEHIND_TOKEN, Call, Called, Reply, told
from dmm.index.store import IndexStore
from dmm.projects import Project

router = APIRouter(tags=["memory"], dependencies=BEHIND_TOKEN)


def query(call: Called, body: models.Query) -> Reply:
    """Compile the memory pack for a task: the baseline, and what is relevant within the budget."""
    started = time.perf_counter()
    project = call.project(body.root)
    settings = project.dmm.config.retrieval
    asked = body.model_dump(exclude={"root", "verbose", "record", "scope_filter"})
    asked["scope"] = body.scope_filter
    request = read_request(asked, settings.default_budget, settings.baseline_budget)
    answer = project.query(request, actor=call.actor, record=body.record)
    if body.verbose:
        stats = replace(answer.stats, milliseconds=_milliseconds(started))
        answer = replace(answer, stats=stats)
    return Reply(answer)


def health(call: Called) -> Reply:
    """Return whether the daemon is well."""
    found = dict(call.access.health())
    if "indexed_count" not in found:
        trusted = [one for one in call.access.projects.each() if one.trusted]
        found["indexed_count"] = sum(_count(call, project) for project in trusted)
    names = ("status", "uptime", "indexed_count")
    return Reply({"status": "healthy", "uptime": 0.0} | {n: found[n] for n in names if n in found})


def status(call: Called) -> Reply:
    """Describe the daemon, the project that is named or alone, and all that are open."""
    named = call.project().root if call.names_project else None
    projects = [one for one in call.access.projects.each() if one.trusted]
    shown = {one.root: _describe(call, one) for one in projects}
    about = [shown[named]] if named in shown else list(shown.values())
    found = {
        "daemon_version": VERSION,
        "memory_root": about[0].memory_root if len(about) == 1 else None,
        "indexed_memories": sum(one.indexed_memories for one in about),
        "baseline_tokens": sum(one.baseline_tokens for one in about),
        "last_reindex": max(filter(None, (one.last_reindex for one in about)), default=None),
        "watcher_active": bool(about) and all(one.watcher_active for one in about),
        "projects": list(shown.values()),
    }
    return Reply(found)


def reindex(call: Called, body: models.Reindex) -> Reply:
    """Update the index from the files, or rebuild it; queries continue meanwhile."""
    started = time.perf_counter()
    report = call.project(body.root).sync(full=body.full)
    found = to_plain(report) | {"duration_ms": round(_milliseconds(started))}
    return Reply(found)


@dataclass(frozen=True, slots=True)
class _Open:
    """An open project."""

    root: Path
    memory_root: Path
    indexed_memories: int
    baseline_tokens: int
    last_reindex: str | None
    watcher_active: bool


def _describe(call: Call, project: Project) -> _Open:
    with project.reading(call.actor) as dmm:
        _open_indexes(dmm)
        indexed, baseline = dmm.overview.glance()
        index = dmm.indexes.shelves[0].path
    observed = call.access.health().get("projects", ())
    root, last, watched = project.root, None, False
    for own in observed:
        if own["root"] == str(root):
            last, watched = own.get("last_reindex"), own.get("watcher") is not None
    return _Open(root.parent, root, indexed, baseline, last or _changed(str(index)), watched)


def _count(call: Call, project: Project) -> int:
    with project.reading(call.actor) as dmm:
        files = [one for store in _open_indexes(dmm) for one in store.files().values()]
    return sum(one.fault is None for one in files)


def _open_indexes(dmm: Dmm) -> list[IndexStore]:
    """Open the indexes that were built; through its own connection one shows all it holds."""
    built = [shelf.origin for shelf in dmm.indexes.shelves if shelf.path.exists()]
    stores = [dmm.indexes.store(origin) for origin in built]
    return [store for store in stores if store is not None]


def _changed(index: str) -> str | None:
    """Return when an index was last written."""
    files = [path for path in (Path(index), Path(f"{index}-wal")) if path.exists()]
    times = [path.stat().st_mtime for path in files]
    if not times:
        return None
    return dt.datetime.fromtimestamp(max(times), dt.UTC).isoformat(timespec="seconds")


def _milliseconds(started: float) -> float:
    return round((time.perf_counter() - started) * 1000, 1)


ROUTES: tuple[tuple[str, str, Any, type[Any]], ...] = (
    ("POST", "/query", query, models.QueryTold),
    ("GET", "/health", health, models.HealthTold),
    ("GET", "/status", status, models.StatusTold),
    ("POST", "/reindex", reindex, models.ReindexTold),
)


@router.get("/v1/projects", responses=told(models.ProjectsTold))
def list_projects(call: Called) -> Reply:
    """List the projects that the user trusts, and those that are open."""
    return Reply({"projects": call.access.projects.known()})


for method, path, answer, model in ROUTES:
    for prefix in ("/v1", ""):
        router.add_api_route(
            f"{prefix}{path}",
            answer,
            methods=[method],
            responses=told(model),
            include_in_schema=bool(prefix),
        )
