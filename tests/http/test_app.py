"""The routes answer what the services answer, in one form, with one status per kind of error."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dmm.domain.plain import to_plain
from dmm.errors import DmmError
from dmm.eventlog.open_ledger import Actor
from dmm.http import make_app
from dmm.http.errors import STATUS
from dmm.ledger.service import PENDING

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.http.conftest import Server

    from dmm.projects import Projects

ALIASES = ("/query", "/health", "/status", "/reindex")


def family(kind: type[DmmError]) -> set[type[DmmError]]:
    return {kind}.union(*(family(child) for child in kind.__subclasses__()))


def test_every_kind_of_error_has_a_status_and_no_status_is_left_over() -> None:
    assert {kind.code for kind in family(DmmError)} == set(STATUS)


def test_only_a_fault_of_the_disk_is_a_fault_of_the_server() -> None:
    assert {code for code, status in STATUS.items() if status >= 500} == {
        *("error", "storage", "ledger_broken", "index_broken")
    }
    assert all(400 <= status < 600 for status in STATUS.values())


def test_a_pack_is_the_one_that_the_command_line_gives(server: Server, state: Path) -> None:
    task = "what are the hard constraints"
    given = {"query": task, "budget": 900, "explain": True}
    over_http = server.ask("POST", "/v1/query", given)
    line = [str(Path(sys.executable).with_name("dmm")), "query", task]
    told = subprocess.run(
        [*line, "--budget", "900", "--explain", "--json"],
        cwd=server.root,
        env={"HOME": str(state), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=True,
    )
    assert over_http.status == 200
    assert over_http.json() == json.loads(told.stdout)
    assert set(over_http.json()) == {"pack", "pack_markdown", "stats", "receipt"}


def test_settings_of_the_project_are_the_defaults_of_a_query(server: Server) -> None:
    pack = server.ask("POST", "/v1/query", {"query": ""}).json()["pack"]
    assert (pack["budget"], pack["baseline_budget"]) == (2000, 800)
    none = server.ask("POST", "/v1/query", {"query": "x", "budget": 0, "verbose": True}).json()
    assert none["pack"]["retrieved_entries"] == []
    assert none["stats"]["milliseconds"] >= 0


def test_the_ledger_answers_as_the_services_do(server: Server) -> None:
    ask = server.ask
    first = server.events() + 1
    fact = ask("POST", "/v1/ledger/facts", {"key": "region", "value": "eu"}).json()
    assert fact == {"seq": first, "key": "region", "value": "eu"}
    again = {"key": "region", "value": "us", "confidence": 0.5, "caused_by": first}
    assert ask("POST", "/v1/ledger/facts", again).json() == {
        "seq": first + 1,
        "key": "region",
        "value": "us",
        "previous_value": "eu",
        "drift_alert": True,
    }
    assert ask("POST", "/v1/ledger/constraints", {"text": "never deploy on Fridays"}).json() == {
        "seq": first + 2,
        "constraint": "never deploy on Fridays",
        "priority": "required",
        "pending": True,
        "note": PENDING.format(command=f"dmm ledger accept {first + 2}"),
        "state": "advice",
    }
    with server.projects.find(server.root).recording(Actor()) as dmm:
        dmm.ledger.accept_constraints([first + 2])
    good = {"text": "Write the tests first", "rationale": "they hold", "references": [first]}
    assert ask("POST", "/v1/ledger/decisions", good).json()["status"] == "COMMITTED"
    found = ask("POST", "/v1/ledger/queries", {"question": "region", "scope": "facts"}).json()
    assert [one["value"] for one in found["facts"]] == ["us"]
    with server.projects.find(server.root).recording(Actor()) as dmm:
        timelines, head = dmm.timelines, dmm.project_ledger.reading.head().seq
        same: dict[str, Any] = {
            "/context": dmm.ledger.get_memory_context(),
            f"/trace/{first + 1}": timelines.trace_provenance(seq=first + 1),
            "/trace?fact_key=region": timelines.trace_provenance(fact_key="region"),
            f"/at/{first}": timelines.time_travel(first),
            "/replay": timelines.replay(),
            f"/replay?to={first}": timelines.replay(first),
            f"/diff?before={first}&after={head}": timelines.diff(first, head),
            f"/drift?before={first}&after={head}": timelines.drift(first, head),
            f"/explain/{first + 4}": timelines.explain(first + 4),
            "/events?last=2&type=factadded": dmm.audit.entries(2, "factadded"),
            "/events?before=9&session=s": dmm.audit.entries(20, before=9, session="s"),
            "/events?brief=true&last=3": dmm.audit.briefs(3),
            f"/events/{first}": dmm.audit.entry(first),
            "/histogram?buckets=3": dmm.histograms.count(3),
            "/verify": dmm.audit.verify(),
        }
    for path, told in same.items():
        answer = ask("GET", f"/v1/ledger{path}")
        assert (answer.status, answer.json()) == (200, to_plain(told)), path
    assert server.events() == head


def test_a_blocked_decision_is_an_answer(server: Server) -> None:
    rule = server.ask("POST", "/v1/ledger/constraints", {"text": "never use MongoDB"}).json()
    decision = {"text": "Use MongoDB for sessions", "rationale": "it is quick"}
    early = server.ask("POST", "/v1/ledger/decisions", decision).json()
    assert early["status"] == "COMMITTED"
    assert "never use MongoDB" in early["warning"]
    with server.projects.find(server.root).recording(Actor()) as dmm:
        dmm.ledger.accept_constraints([rule["seq"]])
    told = server.ask("POST", "/v1/ledger/decisions", decision)
    assert (told.status, told.json()["status"]) == (200, "BLOCKED")
    assert told.json()["violated_constraint_seq"] == rule["seq"]
    recorded = server.ask("GET", "/v1/ledger/events?last=1").json()["events"][0]
    assert recorded["type"] == "DecisionBlocked"


def test_what_is_only_tried_is_not_recorded(server: Server) -> None:
    before = server.events()
    trial = {"inject_constraint": "never use Redis", "at_seq": 0, "then_decide": "Use Redis"}
    told = server.ask("POST", "/v1/ledger/simulations", trial)
    assert (told.status, told.json()["result"]) == (200, "BLOCKED")
    assert server.ask("POST", "/v1/ledger/rehearsals", {"text": "never use Redis"}).status == 200
    assert server.events() == before


def test_what_a_program_says_is_recorded_as_an_agents_word(server: Server) -> None:
    fact = {"key": "voice", "value": "agent"}
    who = (("X-DMM-Client", "editor"), ("X-DMM-Session", "s-1"))
    server.ask("POST", "/v1/ledger/facts", fact)
    server.ask("POST", "/v1/ledger/facts", fact, headers=who)
    plain, named = server.ask("GET", "/v1/ledger/events?last=2").json()["events"]
    told = ("actor", "source", "trust", "session")
    assert [plain[name] for name in told] == ["agent", "http", "agent", None]
    assert [named[name] for name in told] == ["editor", "http", "agent", "s-1"]
    bad = server.ask("POST", "/v1/ledger/facts", fact, headers=(("X-DMM-Client", "a b"),))
    assert (bad.status, bad.code) == (422, "usage")


def test_health_status_and_reindex_have_the_fields_they_are_known_for(server: Server) -> None:
    done = server.ask("POST", "/v1/reindex", {"full": True}).json()
    assert done["reindexed"] == done["files"] > 0
    assert (done["errors"], done["faults"]) == (0, [])
    assert done["duration_ms"] >= 0
    health = server.ask("GET", "/v1/health").json()
    assert health == {"status": "healthy", "uptime": 1.5, "indexed_count": done["files"]}
    status = server.ask("GET", "/v1/status").json()
    project = status.pop("projects")
    assert status.pop("daemon_version")
    assert [{"root": str(server.root), **status}] == project
    assert status["memory_root"] == str(server.root / ".dmm")
    assert status["indexed_memories"] == done["files"]
    assert status["baseline_tokens"] > 0
    assert status["last_reindex"].endswith("+00:00")
    assert status["watcher_active"] is True


@pytest.mark.parametrize("path", ALIASES)
def test_the_short_addresses_lead_to_the_same(server: Server, path: str) -> None:
    method = "GET" if path in ("/health", "/status") else "POST"
    body = {"/query": {"query": ""}, "/reindex": {}}.get(path)
    short, full = (server.ask(method, prefix + path, body) for prefix in ("", "/v1"))
    assert short.status == full.status == 200
    assert set(short.json()) == set(full.json())


def test_the_projects_to_choose_from_are_listed(server: Server) -> None:
    found = server.ask("GET", "/v1/projects").json()["projects"]
    about = {"root": str(server.root), "name": server.root.name, "trusted": True, "open": True}
    assert about in found


def test_a_wrong_value_is_named_and_not_repeated(server: Server) -> None:
    before = server.events()
    for body, where in (
        ({"key": "a"}, "body.value"),
        ({"key": "a", "value": "sekrit" * 4000}, "body.value"),
        ({"key": "a", "value": 5}, "body.value"),
        ({"key": "a", "value": "b", "confidence": "1"}, "body.confidence"),
        ({"key": "a", "value": "b", "confidence": 1.5}, "body.confidence"),
        ({"key": "a", "value": "b", "sekrit": 1}, "body.sekrit"),
        ({"key": "a", "value": "b", "caused_by": -1}, "body.caused_by"),
        ({"key": "a", "value": "b", "caused_by": True}, "body.caused_by"),
        ({"key": " \n", "value": "b"}, "body.key"),
        ({"key": "a", "value": "\u00a0\u3000"}, "body.value"),
        ([], "body"),
    ):
        told = server.ask("POST", "/v1/ledger/facts", body)
        assert (told.status, told.code) == (422, "usage"), body
        assert told.json()["error"]["what"].startswith(f"{where}: ")
        assert len(told.body) < 600
    assert server.events() == before


@pytest.mark.parametrize(
    ("method", "address", "name", "known"),
    [
        (
            "GET",
            "/v1/ledger/events?lsat=1",
            "lsat",
            "known parameters: after, before, brief, last, root, session, type",
        ),
        (
            "GET",
            "/v1/ledger/events?kind=FactAdded",
            "kind",
            "known parameters: after, before, brief, last, root, session, type",
        ),
        ("GET", "/v1/ledger/context?at=3", "at", "known parameters: root"),
        ("GET", "/v1/search?query=a&token=b", "token", None),
        ("GET", "/v1/health?verbose", "verbose", "known parameters: root"),
        ("GET", "/health?x=1", "x", "known parameters: root"),
        ("GET", f"/v1/proposals?{'y' * 70}=1", f"{'y' * 60}...", None),
        ("POST", "/v1/reindex?full=true", "full", "known parameters: root"),
        ("POST", "/v1/session?code=1", "code", "it takes no parameters"),
    ],
)
def test_a_parameter_that_an_address_does_not_know_is_refused(
    server: Server, method: str, address: str, name: str, known: str | None
) -> None:
    before = server.events()
    body = {"code": "x"} if address.startswith("/v1/session") else {}
    told = server.ask(method, address, body if method == "POST" else None)
    error = told.json()["error"]
    assert (told.status, error["code"]) == (422, "usage")
    assert error["what"] == f"unknown parameter {name!r}"
    assert known is None or error["hint"] == known
    assert server.events() == before


@pytest.mark.parametrize(
    ("address", "name", "times"),
    [
        ("/v1/ledger/events?last=1&last=2", "last", 2),
        ("/v1/proposals?status=all&status=all&status=pending", "status", 3),
        ("/v1/health?root=/a&root=/b", "root", 2),
    ],
)
def test_a_parameter_that_is_given_again_is_refused_as_only_one_would_count(
    server: Server, address: str, name: str, times: int
) -> None:
    told = server.ask("GET", address)
    error = told.json()["error"]
    assert (told.status, error["code"]) == (422, "usage")
    assert error["what"] == f"the parameter {name!r} is given {times} times"


def test_an_event_that_is_not_there_is_refused(server: Server) -> None:
    before = server.events()
    for body in ({"caused_by": 10**6}, {"caused_by": 2**63 - 1}):
        told = server.ask("POST", "/v1/ledger/facts", {"key": "a", "value": "b", **body})
        assert (told.status, told.code) == (409, "ledger_refused")
    assert server.ask("GET", f"/v1/ledger/at/{2**63 - 1}").code == "ledger_refused"
    assert server.ask("GET", "/v1/ledger/trace?fact_key=nobody").code == "ledger_refused"
    assert server.ask("GET", f"/v1/ledger/at/{2**64}").status == 422
    assert server.events() == before


def test_the_document_describes_the_versioned_routes_and_asks_for_the_token(
    server: Server,
) -> None:
    assert server.ask("GET", "/v1/openapi.json", without=("Authorization",)).status == 401
    document = server.ask("GET", "/v1/openapi.json").json()
    assert all(path.startswith("/v1/") for path in document["paths"])
    open_to_all = {
        path
        for path, methods in document["paths"].items()
        for one in methods.values()
        if not one.get("security")
    }
    assert open_to_all == {"/v1/session"}
    for path in ("/docs", "/redoc", "/openapi.json"):
        assert server.ask("GET", path).code == "not_found"


def test_with_two_projects_open_one_must_be_named(
    projects: Projects,
    new_memory: Callable[[Path, bool], Path],
    tmp_path: Path,
    serve: Callable[..., Server],
) -> None:
    one, two = (new_memory(tmp_path / name, True) for name in ("one", "two"))
    server = serve(projects, one)
    none = server.ask("GET", "/v1/ledger/context")
    assert (none.status, none.code) == (422, "usage")
    assert "0 projects are open" in none.json()["error"]["what"]
    fact = {"key": "a", "value": "b"}
    assert server.ask("POST", "/v1/ledger/facts", {**fact, "root": str(two)}).status == 200
    assert server.ask("POST", "/v1/ledger/facts", fact).json()["seq"] == 2
    header = (("X-DMM-Root", str(one / "src")),)
    assert server.ask("GET", "/v1/ledger/context", headers=header).code == "no_root"
    (one / "src").mkdir()
    assert server.ask("GET", "/v1/ledger/context", headers=header).json()["current_seq"] == 0
    assert "2 projects" in server.ask("POST", "/v1/ledger/facts", fact).json()["error"]["what"]
    both = server.ask("POST", "/v1/ledger/facts", {**fact, "root": str(two)}, headers=header)
    assert (both.status, both.code) == (422, "usage")
    asked = server.ask("GET", f"/v1/ledger/context?root={two}").json()
    assert asked["current_seq"] == 2
    status = server.ask("GET", "/v1/status").json()
    assert (status["memory_root"], len(status["projects"])) == (None, 2)
    named = server.ask("GET", f"/v1/status?root={two}").json()
    assert (named["memory_root"], len(named["projects"])) == (str(two / ".dmm"), 2)


def test_a_path_beyond_ascii_names_its_project(
    projects: Projects,
    new_memory: Callable[[Path, bool], Path],
    tmp_path: Path,
    serve: Callable[..., Server],
) -> None:
    root = new_memory(tmp_path / "größe 日本", True)
    server = serve(projects, root)
    told = server.ask("GET", "/v1/ledger/context", headers=(("X-DMM-Root", str(root)),))
    assert (told.status, told.json()["current_seq"]) == (200, 0)
    latin = str(root).encode("latin-1", "replace").replace(b"?", b"\xff")
    head = server.head("GET", "/v1/ledger/context", (("Host", server.host),))[:-2]
    token = f"Authorization: Bearer {server.token}\r\nX-DMM-Root: ".encode()
    raw = server.send(head + token + latin + b"\r\n\r\n")
    assert (raw.status, raw.code) == (403, "path_refused")


def test_what_nobody_foresaw_is_told_without_a_word_of_it(
    projects: Projects,
    new_memory: Callable[[Path, bool], Path],
    tmp_path: Path,
    serve: Callable[..., Server],
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail() -> dict[str, Any]:
        raise KeyError("sekrit")

    server = serve(projects, new_memory(tmp_path / "work", True), health=fail)
    told = server.ask("GET", "/v1/health")
    assert (told.status, told.code) == (500, "unforeseen")
    assert b"sekrit" not in told.body
    assert told.header("x-content-type-options") == "nosniff"
    assert "unforeseen KeyError at " in caplog.text
    assert "sekrit" not in caplog.text
    assert server.ask("GET", "/v1/ledger/context").status == 422


def test_a_token_that_can_be_guessed_is_not_taken(projects: Projects) -> None:
    with pytest.raises(ValueError, match="too short"):
        make_app(projects, token="secret", port=lambda: 1, health=dict)


WATCHED = """
import asyncio
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from dmm.http import make_app
from dmm.projects import Projects

seen = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(seen))
trace.set_tracer_provider(provider)
sent = []

async def receive():
    return {"type": "http.request"}

async def send(message):
    sent.append(message)

scope = {"type": "http", "method": "GET", "path": "/v1/health", "query_string": b"", "headers": []}
app = make_app(Projects(), token="", port=lambda: 0, health=dict, local=True)
asyncio.run(app(scope, receive, send))
print(sent[0]["status"], len(seen.get_finished_spans()))
"""


@pytest.mark.slow
def test_no_exporter_learns_of_a_request() -> None:
    told = subprocess.run(
        [sys.executable, "-c", WATCHED], capture_output=True, text=True, check=True
    )
    assert told.stdout == "200 0\n"
