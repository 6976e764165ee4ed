"""Jobs: long work tells how far it is, can be cancelled, and its result is kept for a while."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dmm.domain.plain import to_plain
from dmm.errors import DaemonError, StorageError, UsageError
from dmm.eventlog.open_ledger import Actor
from dmm.http.work import MOST_KEPT, MOST_RUNNING, Job, Jobs, JobState

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.http.conftest import Server

WITHIN = 30.0
ROOT = Path("/project/.dmm")


class Listener:
    """Hears of jobs, and waits for what it wants to hear."""

    def __init__(self) -> None:
        self.told: list[Job] = []
        self._changed = threading.Condition()

    def __call__(self, _root: Path, job: Job) -> None:
        with self._changed:
            self.told.append(job)
            self._changed.notify_all()

    def ended(self, name: str) -> Job:
        """Wait for the end of a job."""

        def last() -> Job | None:
            own = [one for one in self.told if one.id == name and one.ended is not None]
            return own[-1] if own else None

        with self._changed:
            found = self._changed.wait_for(last, WITHIN)
        assert found is not None
        return found


class Steps:
    """Work in steps, each of which somebody allows."""

    def __init__(self) -> None:
        self.allowed = threading.Semaphore(0)
        self.reached = 0
        self.stepped = threading.Event()

    def __call__(self, progress: Callable[[int, int], None]) -> str:
        for number in range(1, 101):
            self.stepped.set()
            assert self.allowed.acquire(timeout=WITHIN)
            progress(number, 100)
            self.reached = number
        return "all"


@pytest.fixture
def listener() -> Listener:
    return Listener()


@pytest.fixture
def jobs(listener: Listener) -> Iterator[Jobs]:
    held = Jobs(listener)
    yield held
    held.close()


def test_a_job_runs_to_its_end_and_its_result_is_kept(jobs: Jobs, listener: Listener) -> None:
    def work(progress: Callable[[int, int], None]) -> dict[str, int]:
        progress(1, 2)
        return {"found": 3}

    job = jobs.begin("verify", ROOT, work)
    assert (job.kind, job.root, job.state) == ("verify", "/project", JobState.RUNNING)
    told = listener.ended(job.id)
    assert (told.state, told.result) == ("done", None)
    done = jobs.find(ROOT, job.id)
    assert (done.state, done.result, done.done, done.total) == ("done", {"found": 3}, 2, 2)
    assert done.ended is not None
    assert [one.result for one in jobs.list(ROOT)] == [None]
    assert jobs.list(Path("/other/.dmm")) == ()
    with pytest.raises(UsageError, match="no such job"):
        jobs.find(Path("/other/.dmm"), job.id)


def test_a_cancelled_job_stops_its_work(jobs: Jobs, listener: Listener) -> None:
    steps = Steps()
    job = jobs.begin("scan", ROOT, steps)
    assert steps.stepped.wait(WITHIN)
    # Cancelling waits a moment for the step under way, which is allowed only afterwards.
    assert jobs.cancel(ROOT, job.id).state == "running"
    steps.allowed.release(100)
    done = listener.ended(job.id)
    assert (done.state, done.result, done.error) == ("cancelled", None, None)
    assert steps.reached < 100
    assert jobs.running == 0


def test_what_goes_wrong_is_told(jobs: Jobs, listener: Listener) -> None:
    def fail(_progress: object) -> None:
        raise StorageError("the disk is full", hint="free some space")

    def surprise(_progress: object) -> None:
        raise RuntimeError("the words of a request")

    told = listener.ended(jobs.begin("verify", ROOT, fail).id)
    assert told.state == "failed"
    assert told.error == {
        "code": "storage",
        "what": "the disk is full",
        "hint": "free some space",
    }
    told = listener.ended(jobs.begin("scan", ROOT, surprise).id)
    assert "words" not in json.dumps(to_plain(told))


def test_the_same_work_is_not_begun_twice_and_few_run_at_a_time(jobs: Jobs) -> None:
    waiting = [Steps() for _ in range(MOST_RUNNING)]
    first = jobs.begin("rehearse", ROOT, waiting[0], "rule 0")
    assert jobs.begin("rehearse", ROOT, waiting[0], "rule 0") == first
    for number, steps in enumerate(waiting[1:], 1):
        jobs.begin("rehearse", ROOT, steps, f"rule {number}")
    with pytest.raises(DaemonError, match="3 jobs are already running"):
        jobs.begin("rehearse", ROOT, Steps(), "one more")
    jobs.close()
    for steps in waiting:
        steps.allowed.release()


def test_old_jobs_are_forgotten(jobs: Jobs, listener: Listener) -> None:
    for _ in range(MOST_KEPT + 5):
        listener.ended(jobs.begin("verify", ROOT, lambda _progress: None).id)
    assert len(jobs.list(ROOT)) == MOST_KEPT


@pytest.fixture
def follow(server: Server) -> Callable[..., dict[str, Any]]:
    """Begins a job over HTTP and waits for its end."""

    def run(**wanted: Any) -> dict[str, Any]:
        begun = server.ask("POST", "/v1/jobs", wanted)
        assert begun.status == 200, begun.json()
        job: dict[str, Any] = begun.json()
        while job["state"] == "running":
            job = server.ask("GET", f"/v1/jobs/{job['id']}").json()
        return job

    return run


def test_each_kind_of_work_gives_what_it_gives_elsewhere(
    server: Server, follow: Callable[..., dict[str, Any]]
) -> None:
    with server.projects.find(server.root).recording(Actor()) as dmm:
        dmm.ledger.record_decision("Use MongoDB for sessions", "quick")
    verified = follow(kind="verify")
    assert verified["state"] == "done"
    assert verified["result"] == server.ask("GET", "/v1/ledger/verify").json()
    assert verified["done"] == verified["total"] == verified["result"]["events"]
    rehearsed = follow(kind="rehearse", rule="never use MongoDB")
    body = {"rule": "never use MongoDB"}
    assert rehearsed["result"] == server.ask("POST", "/v1/rules/rehearse", body).json()
    assert [one["text"] for one in rehearsed["result"]["would_block"]] == [
        "Use MongoDB for sessions"
    ]
    indexed = follow(kind="reindex", full=True)
    assert (indexed["state"], indexed["result"]["errors"]) == ("done", 0)
    scanned = follow(kind="scan")
    assert scanned["result"]["memories"] > 0
    checked = follow(kind="checkup")
    areas = {one["area"] for one in checked["result"]["checks"]}
    assert {"program", "project", "daemon", "clients"} >= areas >= {"program", "project"}
    kinds = [one["kind"] for one in server.ask("GET", "/v1/jobs").json()["jobs"]]
    assert kinds[:5] == ["checkup", "scan", "reindex", "rehearse", "verify"]


def test_a_rehearsal_of_a_long_past_can_be_cancelled(server: Server) -> None:
    with server.projects.find(server.root).recording(Actor()) as dmm:
        call = {"tool": "Bash", "input": {"command": "ls"}, "text": "ls"}
        drafts = [dmm.project_ledger.draft_of("ToolRequested", call) for _ in range(20_000)]
        dmm.project_ledger.log.extend(drafts)
    wanted = {"kind": "rehearse", "rule": "never run terraform destroy"}
    job = server.ask("POST", "/v1/jobs", wanted).json()
    told = server.ask("DELETE", f"/v1/jobs/{job['id']}")
    while told.json()["state"] == "running":
        told = server.ask("GET", f"/v1/jobs/{job['id']}")
    assert told.json()["state"] == "cancelled"
    assert (told.json()["done"] or 0) < 20_000


@pytest.mark.parametrize(
    "wanted",
    [
        {"kind": "rehearse"},
        {"kind": "verify", "rule": "never"},
        {"kind": "scan", "full": True},
        {"kind": "wipe"},
        {},
    ],
)
def test_work_that_is_not_described_is_refused(server: Server, wanted: dict[str, Any]) -> None:
    refused = server.ask("POST", "/v1/jobs", wanted)
    assert (refused.status, refused.code) == (422, "usage")


def test_a_job_of_nobody_is_refused(server: Server) -> None:
    for method in ("GET", "DELETE"):
        refused = server.ask(method, "/v1/jobs/nothing", None)
        assert refused.status == 422
