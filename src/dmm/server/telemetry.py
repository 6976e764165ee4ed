"""Metrics for OpenTelemetry, sent by OTLP over HTTP to the receiver that the environment names.

The SDK reads the standard variables: where to, how often, with which headers and certificates.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from dmm import VERSION
from dmm.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from opentelemetry.metrics import CallbackOptions, Observation
    from opentelemetry.sdk.metrics import MeterProvider

    from dmm.server.metrics import Metrics

    Observed = Callable[[CallbackOptions], list[Observation]]

ENDPOINTS = ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
SERVICE = "dmm-server"
# A receiver that can't be reached keeps no server from stopping.
LAST_SEND_MS = 2_000


@contextlib.contextmanager
def exporting(metrics: Metrics, waiting: Callable[[], int]) -> Iterator[None]:
    """Send figures for a block, and the last ones at its end; nothing without an address."""
    if not any(os.environ.get(name) for name in ENDPOINTS):
        yield
        return
    provider = _make_provider()
    _measure(provider, metrics, waiting)
    try:
        yield
    finally:
        provider.shutdown(timeout_millis=LAST_SEND_MS)


def _make_provider() -> MeterProvider:
    try:
        from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
        from opentelemetry.sdk.metrics import MeterProvider
        from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
        from opentelemetry.sdk.resources import Resource
    except ImportError as error:
        what = "OpenTelemetry is not installed, and the environment names a receiver for it"
        hint = (
            "uv tool install --force '.[server,otlp]' in a checkout of DMM, or unset the variable"
        )
        raise UsageError(what, where=" or ".join(ENDPOINTS), hint=hint) from error
    named = os.environ.get("OTEL_SERVICE_NAME", SERVICE)
    about = Resource.create({"service.name": named, "service.version": VERSION})
    return MeterProvider([PeriodicExportingMetricReader(OTLPMetricExporter())], about)


def _measure(provider: MeterProvider, metrics: Metrics, waiting: Callable[[], int]) -> None:
    """Report the figures under OpenTelemetry's names, or our own where it has none."""
    meter = provider.get_meter("dmm.server", VERSION)
    took = meter.create_histogram("http.server.request.duration", "s", "How long requests took.")

    def note(path: str, method: str, status: int, seconds: float) -> None:
        about = {"http.route": path, "http.request.method": method, "url.scheme": "http"}
        took.record(seconds, {**about, "http.response.status_code": status})

    metrics.listeners.append(note)
    meter.create_observable_up_down_counter(
        "http.server.active_requests",
        [_observe(lambda: metrics.active)],
        "{request}",
        "Requests under way.",
    )
    meter.create_observable_counter(
        "dmm.server.events",
        [_observe(lambda: metrics.events)],
        "{event}",
        "Events that logs have taken.",
    )
    meter.create_observable_up_down_counter(
        "dmm.server.waiting_laptops",
        [_observe(waiting)],
        "{laptop}",
        "Laptops that wait for news.",
    )


def _observe(read: Callable[[], int]) -> Observed:
    from opentelemetry.metrics import Observation

    return lambda _: [Observation(read())]
