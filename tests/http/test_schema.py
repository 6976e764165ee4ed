"""The document under fire: requests made from it, good and bad, never fail the server."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
import schemathesis
from hypothesis import HealthCheck, assume, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.config import SchemathesisConfig

from dmm.domain.pack import QueryRequest
from dmm.eventlog.open_ledger import Actor
from dmm.http import Jobs, Streams, make_app
from dmm.http.streams import Limits
from dmm.projects import Projects, SharedModel

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dmm.embed.model import Embedder

# Making requests takes the time; that they are served is counted in other tests.
pytestmark = [pytest.mark.repeats, pytest.mark.slow]
TOKEN = "s" * 64
PORT = 4711
HOST = {"Host": f"127.0.0.1:{PORT}"}
AUTHORISED = {**HOST, "Authorization": f"Bearer {TOKEN}"}
REFUSED = [400, 401, 403, 404, 405, 409, 413, 414, 415, 422, 431]
CONFIG = SchemathesisConfig.from_dict(
    {
        "checks": {"negative_data_rejection": {"expected-statuses": REFUSED}},
        "generation": {"allow-extra-parameters": False, "with-security-parameters": False},
    }
)
NUMBERS = ("seq", "at_seq", "before", "after", "to", "caused_by", "triggered_by")
EVENTS = 8
BEGUN: list[str] = []
NOTE = "# A note\n\nIt says something that nobody has said yet."
PATHS = (
    *("baseline/identity.md", "baseline/hard_constraints.md", "agent/using_memory.md"),
    *("global/writing_memories.md", "project/keeping_memory.md"),
)
PAIRS = itertools.cycle(itertools.combinations(PATHS[2:] + PATHS[:2], 2))
# For a person, so that a token is refused.
DECIDING = {
    *(f"POST /v1/proposals/{{id}}/{verb}" for verb in ("approve", "reject", "edit")),
    *("POST /v1/undo", "POST /v1/conflicts/{id}/resolve"),
    *(f"POST /v1/rules/{{id}}/{verb}" for verb in ("edit", "disable", "enable")),
    *("POST /v1/rules/accept", "POST /v1/rules/adopt"),
}
RULE = "never-run-rm-rf"
SESSION = "s-1"
# The pack that was served, by the number of its event.
SERVED: list[int] = []


@pytest.fixture(scope="module")
def root(
    new_memory: Callable[[Path, bool], Path], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    return new_memory(tmp_path_factory.mktemp("fuzzed") / "work", True)


@pytest.fixture(scope="module")
def operations(state: Path, model: Embedder, root: Path) -> Iterator[list[Any]]:
    projects = Projects(home=state, model=SharedModel(lambda: model))
    with projects.find(root).recording(Actor()) as dmm:
        dmm.ledger.add_fact("region", "eu")
        for number in range(EVENTS):
            dmm.ledger.record_decision(f"Take step {number}", "it is next", [1])
    with projects.find(root).write(Actor(session=SESSION)) as dmm:
        dmm.proposals.create("project/first.md", NOTE, "to be shown")
        dmm.conflicts.flag(PATHS[:2], "to be shown")
        dmm.rules.shelf.write(RULE, "---\nmatch: {command: rm -rf}\n---\n# Never run rm -rf\n")
        dmm.packs.query(QueryRequest("the hard constraints"))
        SERVED[:] = [one.seq for one in dmm.served_packs.newest(1).packs]
    # Streams that end at once: a request is judged when its answer is complete.
    streams = Streams(Limits(life=0.0))
    jobs = Jobs()
    BEGUN[:] = [jobs.begin("verify", root / ".dmm", lambda _progress: None).id]
    app = make_app(
        projects, token=TOKEN, port=lambda: PORT, health=dict, streams=streams, jobs=jobs
    )
    schema = schemathesis.openapi.from_asgi(
        "/v1/openapi.json", app, config=CONFIG, headers=AUTHORISED
    )
    found: list[Any] = list(schema.get_all_operations())
    yield [result.ok() for result in found]
    projects.close()


def fire(operation: Any, mode: GenerationMode, examples: int, judge: Callable[[Any], None]) -> None:
    """Send what the document allows, or what it forbids."""

    @settings(max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=mode))
    def shoot(case: Any) -> None:
        judge(case)

    shoot()


def aim(case: Any) -> None:
    """Let a good request reach the project and events that are there."""
    _aim_writing(case)
    _aim_rules(case)
    _aim_jobs(case)
    for given_values in (case.path_parameters, case.query, case.body):
        if isinstance(given_values, dict):
            given_values.pop("root", None)
            for name in NUMBERS:
                if given_values.get(name) is not None:
                    given_values[name] = int(given_values[name]) % EVENTS
            for name in ("references", "seqs"):
                if given_values.get(name) is not None:
                    given_values[name] = [int(n) % EVENTS for n in given_values[name]]
    _aim_history(case)
    if isinstance(case.body, dict) and case.body.get("priority") == "learned":
        # The document can't say that a learned rule names its cause.
        assume("inject_constraint" in case.body or case.body.get("triggered_by") is not None)


# A project may have profiles of its own, so the document can't list them; nor can it say that
# exactly one of three fields names what is undone.
UNSAID = {
    "POST /v1/ask": "profile",
    "POST /v1/remember": "replaces",
    "POST /v1/undo": "preview",
}


def _aim_writing(case: Any) -> None:
    """Name memories, proposals and conflicts that are there; leave out what excludes the rest."""
    label, body = case.operation.label, case.body
    if "{id}" in label:
        case.path_parameters["id"] = str(EVENTS + (4 if "conflicts" in label else 2))
    if label in ("POST /v1/proposals", "POST /v1/proposals/preview") and isinstance(body, dict):
        for name in ("operation", "patch", "base", "new_scope", "to", "expires"):
            body.pop(name, None)
        body |= {"path": "project/fuzzed.md", "content": NOTE, "evidence": [1]}
    if label in UNSAID:
        body.pop(UNSAID[label], None)
    if label == "POST /v1/remember":
        # The document can't say that one word is no note, since in some scripts it may be one.
        body["text"] = f"Noted: {body['text']}"
    if label == "POST /v1/forget":
        body["name"] = PATHS[0]
    if label == "POST /v1/feedback":
        body["memories"] = list(PATHS[: len(body["memories"])])
    if label == "POST /v1/conflicts":
        body["ids"] = list(next(PAIRS))
    if label == "POST /v1/conflicts/{id}/resolve":
        body |= {"action": "intentional"}


def _aim_history(case: Any) -> None:
    """Name a pack, a memory and a session that are there."""
    label = case.operation.label
    if label == "GET /v1/packs/{seq}":
        case.path_parameters["seq"] = SERVED[0]
    if label == "GET /v1/memories/{path}":
        case.path_parameters["path"] = PATHS[0]
    if label == "GET /v1/sessions/{id}":
        case.path_parameters["id"] = SESSION


def _aim_jobs(case: Any) -> None:
    """Name a job that is there; which fields a kind of work takes, the document can't say."""
    if "/v1/jobs/{id}" in case.operation.label:
        case.path_parameters["id"] = BEGUN[0]
    if case.operation.label == "POST /v1/jobs":
        case.body = {"kind": "verify"}


def _aim_rules(case: Any) -> None:
    """Name a rule that is there; matchers and which of the calls is meant, it can't describe."""
    label, body = case.operation.label, case.body
    if "/v1/rules/{id}" in label:
        case.path_parameters["id"] = RULE
    if label in ("POST /v1/rules", "POST /v1/rules/compile", "POST /v1/ledger/constraints"):
        for name in ("match", "unless", "examples"):
            body.pop(name, None)
    if label == "POST /v1/rules/compile":
        body["text"] = "never use wget"
    if label == "POST /v1/rules/rehearse":
        body["rule"] = "never use curl"
    if label == "POST /v1/check":
        for name in ("write", "read", "edit", "tool", "input", "decision"):
            body.pop(name, None)
        body["command"] = "ls"


def test_good_requests_are_served_as_described(operations: list[Any], root: Path) -> None:
    served: Counter[tuple[str, int]] = Counter()

    def judge(case: Any) -> None:
        aim(case)
        response = case.call_and_validate(headers={**AUTHORISED, "X-DMM-Root": str(root)})
        served[case.operation.label, response.status_code] += 1

    for operation in operations:
        fire(operation, GenerationMode.POSITIVE, 8, judge)
    assert {status for _, status in served} == {200, 401, 403, 409}
    # What a person confirms is for a browser that is signed in, never for the token.
    personal = {label for label, status in served if status == 403}
    assert all("/v1/passkeys" in one or "/v1/confirmations" in one for one in personal), personal
    assert {label for label, status in served if status == 401} == {"POST /v1/session"}
    assert {label for label, status in served if status == 200} == {
        operation.label for operation in operations if operation.label != "POST /v1/session"
    } - DECIDING - personal
    assert {label for label, status in served if status == 409} >= DECIDING


def test_bad_requests_are_refused_as_described(operations: list[Any]) -> None:
    harmless = []
    for operation in operations:
        try:
            fire(
                operation,
                GenerationMode.NEGATIVE,
                4,
                lambda case: case.call_and_validate(headers=AUTHORISED),
            )
        except Unsatisfiable:
            # Nothing that a client sends there can be wrong in form.
            harmless.append(operation.label)
    assert not [one for one in harmless if one.startswith(("POST", "PUT"))]


@pytest.mark.parametrize("headers", [HOST, {**HOST, "Authorization": f"Bearer {TOKEN[:-1]}x"}])
def test_without_the_token_nothing_at_all_is_served(
    operations: list[Any], headers: dict[str, str]
) -> None:
    def judge(case: Any) -> None:
        response = case.call(headers=headers)
        if response.status_code == 200:
            asked = (case.operation.label, "Authorization" in headers, response.json())
            assert asked == ("GET /v1/session", False, {"signed_in": False})
            return
        refused = {401} if case.operation.path != "/v1/session" else {401, 422}
        assert response.status_code in refused
        assert set(response.json()) == {"error"}

    for operation in operations:
        fire(operation, GenerationMode.POSITIVE, 3, judge)
