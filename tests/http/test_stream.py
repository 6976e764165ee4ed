"""The stream: what is recorded reaches everybody who listens, whoever recorded it."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from dataclasses import dataclass, field
from http.client import HTTPConnection
from typing import TYPE_CHECKING, Any

import pytest

from dmm.domain.event import Trust
from dmm.eventlog.open_ledger import Actor
from dmm.files.trusted import TrustStore
from dmm.http.streams import BATCH, Limits, Streams
from dmm.rules.discretion import HIDDEN

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.http.conftest import Server

    from dmm.projects import Projects

QUICK = Limits(most=2, beat=0.05, every=0.01)
APPEND = """
import sys
from pathlib import Path
from dmm.bootstrap import open_dmm
dmm = open_dmm(override=Path(sys.argv[1]), home=Path(sys.argv[2]))
dmm.ledger.add_fact("from", "another process")
dmm.close()
"""


@dataclass
class Stream:
    """A stream as a client reads it, message by message."""

    link: HTTPConnection
    response: Any = field(init=False)

    def __post_init__(self) -> None:
        self.response = self.link.getresponse()

    def line(self) -> str:
        return str(self.response.readline().decode())

    def message(self) -> dict[str, Any]:
        """Read the next message that is no beat; nothing where the stream has ended."""
        told: dict[str, Any] = {}
        while line := self.line():
            name, _, value = line.rstrip("\n").partition(": ")
            if name == "data":
                told[name] = json.loads(value)
            elif name in ("event", "id"):
                told[name] = value
            elif not line.strip() and told:
                return told
        return {}


@pytest.fixture
def streams() -> Streams:
    return Streams(QUICK)


@pytest.fixture
def served(
    serve: Callable[..., Server],
    projects: Projects,
    streams: Streams,
    new_memory: Callable[[Path, bool], Path],
    tmp_path: Path,
) -> Server:
    root = new_memory(tmp_path / "work", True)
    server = serve(projects, root, streams=streams)
    record(server, "first", "1")
    return server


@contextlib.contextmanager
def listening(server: Server, *, root: Path | None = None, **headers: str) -> Iterator[Stream]:
    link = HTTPConnection("127.0.0.1", server.port, timeout=30)
    usual = {"Authorization": f"Bearer {server.token}"}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    sent = {name: value for name, value in (usual | named).items() if value}
    link.request("GET", f"/v1/stream?root={root or server.root}", headers=sent)
    stream = Stream(link)
    try:
        yield stream
    finally:
        stream.response.close()
        link.close()


def record(server: Server, key: str, value: str, actor: Actor | None = None) -> int:
    with server.projects.find(server.root).recording(actor or Actor()) as dmm:
        return dmm.ledger.add_fact(key, value).seq


def seqs(message: dict[str, Any]) -> list[int]:
    return [one["seq"] for one in message["data"]["events"]]


def test_a_stream_says_hello_and_tells_what_is_recorded(served: Server) -> None:
    with listening(served) as stream:
        assert stream.response.status == 200
        assert stream.response.getheader("content-type").startswith("text/event-stream")
        assert stream.response.getheader("cache-control") == "no-store"
        hello = stream.message()
        assert (hello["event"], hello["id"], hello["data"]["head"]) == ("hello", "1", 1)
        record(served, "region", "eu")
        news = stream.message()
        assert (news["event"], news["id"]) == ("ledger", "2")
        assert news["data"]["root"] == str(served.root)
        assert news["data"]["head"] == 2
        assert [one["line"] for one in news["data"]["events"]] == ["Fact: region = eu"]


def test_what_another_process_records_is_told_too(served: Server, state: Path) -> None:
    with listening(served) as stream:
        stream.message()
        line = [sys.executable, "-c", APPEND, str(served.root), str(state)]
        subprocess.run(line, check=True, capture_output=True)
        assert stream.message()["data"]["events"][0]["line"] == "Fact: from = another process"


def test_a_listener_that_comes_back_gets_what_it_missed(served: Server) -> None:
    for number in range(3):
        record(served, "step", str(number))
    with listening(served, Last_Event_ID="2") as stream:
        assert stream.message()["data"]["head"] == 4
        assert seqs(stream.message()) == [3, 4]
        record(served, "step", "last")
        assert seqs(stream.message()) == [5]


def test_of_very_many_events_the_newest_are_told(served: Server) -> None:
    with served.projects.find(served.root).recording(Actor()) as dmm:
        kind = {"key": "k", "value": "v", "confidence": 1.0}
        drafts = [dmm.project_ledger.draft_of("FactAdded", kind) for _ in range(BATCH + 50)]
        dmm.project_ledger.log.extend(drafts)
    with listening(served, Last_Event_ID="1") as stream:
        stream.message()
        news = stream.message()
        assert (len(seqs(news)), seqs(news)[-1], news["data"]["head"]) == (BATCH, 251, 251)


def test_a_stream_beats_while_nothing_happens(served: Server) -> None:
    with listening(served) as stream:
        stream.message()
        assert stream.line() == ": beat\n"


def test_there_is_room_for_so_many_streams_and_again_when_one_has_left(
    served: Server, streams: Streams
) -> None:
    with listening(served) as first, listening(served) as second:
        first.message()
        second.message()
        refused = served.ask("GET", "/v1/stream")
        assert (refused.status, refused.code) == (429, "too_many_streams")
    while streams.count:
        # The server notices at the next beat that nobody reads.
        pass
    with listening(served) as third:
        assert third.message()["event"] == "hello"


def test_a_stream_ends_after_its_life(
    serve: Callable[..., Server], projects: Projects, served: Server
) -> None:
    short = serve(projects, served.root, streams=Streams(Limits(life=0.0)))
    with listening(short) as stream:
        assert stream.message()["event"] == "hello"
        assert stream.line() == ""


def test_all_streams_end_when_the_daemon_leaves_and_none_is_opened(
    served: Server, streams: Streams
) -> None:
    with listening(served) as stream:
        stream.message()
        streams.close()
        assert stream.message() == {}
    assert served.ask("GET", "/v1/stream").status == 429


def test_signing_out_ends_the_streams_of_every_browser(served: Server) -> None:
    own = served.sign_in()
    cookie = dict(own)["Cookie"]
    with listening(served, Authorization="", Cookie=cookie) as stream:
        assert stream.message()["event"] == "hello"
        told = served.ask("DELETE", "/v1/session", headers=own, without=("Authorization",))
        assert (told.status, told.json()["ended"]) == (200, 1)
        assert stream.message() == {}
    again = served.ask("GET", "/v1/stream", headers=own, without=("Authorization",))
    assert again.status == 401
    with listening(served) as stream:
        assert stream.message()["event"] == "hello"


def test_an_agent_reads_no_pending_constraint(served: Server) -> None:
    with listening(served) as stream:
        stream.message()
        agent = Actor("codex", "mcp", Trust.AGENT)
        with served.projects.find(served.root).recording(agent) as dmm:
            dmm.rules.add_constraint("never use the old gateway")
        told = [stream.message() for _ in range(1)]
        lines = [one["line"] for message in told for one in message["data"]["events"]]
        assert f'Rule added: "{HIDDEN}"' in lines
        assert not any("gateway" in line for line in lines)


def test_a_project_that_is_trusted_no_more_is_told_no_more(served: Server, state: Path) -> None:
    with listening(served) as stream:
        stream.message()
        with served.projects.find(served.root).recording(Actor()) as dmm:
            TrustStore.of_user(state).revoke(served.root / ".dmm")
            dmm.project_ledger.record(dmm.project_ledger.draft_of("Unheard", {"text": "secret"}))
        assert stream.message() == {}


def test_a_job_is_told_to_those_who_listen_to_its_project(
    served: Server, streams: Streams, new_memory: Callable[[Path, bool], Path], tmp_path: Path
) -> None:
    other = new_memory(tmp_path / "other", True)
    with listening(served) as stream, listening(served, root=other) as elsewhere:
        stream.message()
        elsewhere.message()
        streams.announce(served.root / ".dmm", "job", {"id": "1"})
        streams.announce(other / ".dmm", "job", {"id": "2"})
        assert stream.message() == {"event": "job", "data": {"id": "1"}}
        assert elsewhere.message() == {"event": "job", "data": {"id": "2"}}


def test_a_stream_needs_the_token_and_a_trusted_project(served: Server) -> None:
    assert served.ask("GET", "/v1/stream", without=("Authorization",)).status == 401
    assert served.ask("GET", "/v1/stream?root=/nowhere").status == 404
    assert served.ask("GET", "/v1/stream", headers=(("Last-Event-ID", "x"),)).status == 422
