"""The server's figures reach an OpenTelemetry receiver, by OTLP over HTTP."""

from __future__ import annotations

import gzip
import signal
import socket
import sys
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
    ExportMetricsServiceRequest,
)
from tests.server.test_operation import run_server

from dmm import VERSION
from dmm.errors import UsageError
from dmm.server.metrics import Metrics
from dmm.server.telemetry import exporting
from dmm.team.port import Taken

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.conftest import Command


@dataclass(slots=True)
class Receiver:
    """Takes what is sent, as a collector does."""

    url: str
    requests: list[tuple[str, str, ExportMetricsServiceRequest]] = field(default_factory=list)

    def points(self, name: str) -> list[Any]:
        """Return the last data of one instrument."""
        (resource,) = self.requests[-1][2].resource_metrics
        found = [one for scope in resource.scope_metrics for one in scope.metrics]
        (metric,) = [one for one in found if one.name == name]
        return list(getattr(metric, metric.WhichOneof("data")).data_points)

    def resource(self) -> dict[str, str]:
        (resource,) = self.requests[-1][2].resource_metrics
        return {one.key: one.value.string_value for one in resource.resource.attributes}


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    received = Receiver("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            data = self.rfile.read(int(self.headers["content-length"]))
            if self.headers.get("content-encoding") == "gzip":
                data = gzip.decompress(data)
            told = ExportMetricsServiceRequest.FromString(data)
            received.requests.append((self.path, self.headers["content-type"], told))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        received.url = f"http://127.0.0.1:{server.server_address[1]}"
        yield received
        server.shutdown()
        thread.join()


def read_attributes(point: Any) -> dict[str, Any]:
    return {one.key: getattr(one.value, one.value.WhichOneof("value")) for one in point.attributes}


def test_a_receiver_gets_the_same_figures_and_the_last_ones_when_the_server_stops(
    command: Command, folder: Path, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.url)
    with run_server(command, folder) as running:
        ada = running.join()
        ada.say("never push to main")
        ada.say("never force-push")
        assert isinstance(ada.log.push(ada.batch()), Taken)
        ada.log.pull(0)
        told = running.metrics()
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(30) == 0
    path, kind, _ = receiver.requests[-1]
    assert (path, kind) == ("/v1/metrics", "application/x-protobuf")
    about = receiver.resource()
    assert (about["service.name"], about["service.version"]) == ("dmm-server", VERSION)
    (events,) = receiver.points("dmm.server.events")
    assert events.as_int == told["dmm_server_events_total"] == 2
    counts = {
        (at["http.route"], at["http.request.method"], at["http.response.status_code"]): one.count
        for one in receiver.points("http.server.request.duration")
        for at in [read_attributes(one)]
    }
    # The request for /metrics itself was counted after it was answered.
    assert counts.pop(("/metrics", "GET", 200)) == 1
    labels = 'dmm_server_requests_total{{path="{}",method="{}",status="{}"}}'
    assert counts == {
        key: told[labels.format(*key)]
        for key in (
            ("/v1/team/join", "POST", 200),
            ("/v1/team/push", "POST", 200),
            ("/v1/team/pull", "GET", 200),
        )
    }
    # They name no team, project or laptop.
    sent = b"".join(one.SerializeToString() for _, _, one in receiver.requests)
    assert not [word for word in (b"acme", b"shop", ada.joined.writer.encode()) if word in sent]


def test_a_receiver_that_is_away_keeps_no_server_from_working_or_stopping(
    command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", f"http://127.0.0.1:{port}")
    with run_server(command, folder) as running:
        ada = running.join()
        ada.say("never push to main")
        assert isinstance(ada.log.push(ada.batch()), Taken)
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(30) == 0


def test_without_the_extra_a_named_receiver_is_an_error_with_the_way_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    name = "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT"
    missing = "opentelemetry.exporter.otlp.proto.http.metric_exporter"
    monkeypatch.setitem(sys.modules, missing, None)
    with exporting(Metrics(()), int):
        # Nobody asked for it.
        pass
    monkeypatch.setenv(name, "http://127.0.0.1:1")
    with (
        pytest.raises(UsageError, match="not installed") as refused,
        exporting(Metrics(()), int),
    ):
        pass
    assert "otlp" in str(refused.value.hint)
