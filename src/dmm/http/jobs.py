"""Jobs over HTTP: long work with progress, which can be cancelled.

FastAPI reads the annotations when the program runs, so they stand here as they are.
"""

import contextlib
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path
from pydantic import Field

from dmm.bootstrap import Dmm
from dmm.errors import UsageError
from dmm.eventlog.open_ledger import Actor
from dmm.http import models
from dmm.http.calls import BEHIND_TOKEN, Called, Reply, told
from dmm.projects import Project
from dmm.redaction.inputs import LONGEST_TEXT

router = APIRouter(prefix="/v1/jobs", tags=["jobs"], dependencies=BEHIND_TOKEN)

Progress = Callable[[int, int], None]


class Wanted(models.InProject):
    """What is to be done: `rule` is for a rehearsal, `full` for indexing everything anew."""

    kind: Literal["verify", "rehearse", "scan", "reindex", "checkup"]
    rule: Annotated[str, Field(min_length=1, max_length=LONGEST_TEXT)] | None = None
    full: bool = False


class JobTold(models.Told):
    """A job as it is now."""

    id: str
    kind: str
    root: str
    state: Literal["running", "done", "failed", "cancelled"]
    done: int
    total: int | None
    started: str
    ended: str | None
    result: Any
    error: dict[str, object] | None


class JobsTold(models.Told):
    """The jobs of a project, without their results."""

    jobs: list[JobTold]


@router.post("", responses=told(JobTold))
def begin(call: Called, body: Wanted) -> Reply:
    """Begin a job; the same one is not begun twice."""
    if (body.rule is None) == (body.kind == "rehearse"):
        what = "`rule` is required for rehearse and not allowed otherwise"
        raise UsageError(what, hint="give `rule` with the kind rehearse, and only with it")
    if body.full and body.kind != "reindex":
        raise UsageError("only reindex takes `full`")
    project = call.project(body.root)
    work = _choose(project, call.unproven.actor, body)
    return Reply(call.access.jobs.begin(body.kind, project.root, work, body.rule, body.full))


def _choose(project: Project, actor: Actor, body: Wanted) -> Callable[[Progress], object]:
    if body.kind == "reindex":
        return lambda progress: project.sync(full=body.full, progress=progress)
    works: dict[str, Callable[[Dmm, Progress], object]] = {
        "verify": lambda dmm, progress: dmm.audit.verify(progress=progress),
        "rehearse": lambda dmm, progress: dmm.rules.rehearse(body.rule or "", progress=progress),
        "scan": lambda dmm, progress: dmm.conflicts.scan(progress=progress),
        "checkup": lambda dmm, progress: dmm.checkup(progress=progress),
    }
    return partial(_do, project, actor, works[body.kind])


def _do(
    project: Project, actor: Actor, work: Callable[[Dmm, Progress], object], progress: Progress
) -> object:
    """Work with connections of its own: nobody waits for it."""
    with contextlib.closing(project.dmm.reopened().as_actor(actor)) as dmm:
        return work(dmm, progress)


@router.get("", responses=told(JobsTold))
def list_jobs(call: Called) -> Reply:
    """List the jobs of a project that run or ended within the hour, the newest first."""
    return Reply({"jobs": call.access.jobs.list(call.project().root)})


@router.get("/{id}", responses=told(JobTold))
def find(call: Called, name: Annotated[str, Path(alias="id", max_length=64)]) -> Reply:
    """Show one job, with its result."""
    return Reply(call.access.jobs.find(call.project().root, name))


@router.delete("/{id}", responses=told(JobTold))
def cancel(call: Called, name: Annotated[str, Path(alias="id", max_length=64)]) -> Reply:
    """Cancel a job; it ends at its next step."""
    return Reply(call.access.jobs.cancel(call.project().root, name))
