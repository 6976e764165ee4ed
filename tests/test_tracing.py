"""Spans of the operations, where OpenTelemetry is installed; without it nothing is different."""

from __future__ import annotations

import importlib.util
import inspect
import subprocess
import sys

import pytest

from dmm.ledger.service import Ledger
from dmm.tracing import traced

PROGRAM = """
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from dmm.bootstrap import open_stage
from dmm.errors import UsageError

exporter = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)
stage = open_stage()
stage.ledger.add_fact("budget", "a secret sum")
stage.ledger.add_constraint("never use eval")
stage.ledger.record_decision("Use eval", "short")
stage.ledger.query_memory("budget")
stage.ledger.get_memory_context()
stage.timelines.trace_provenance(fact_key="budget")
stage.timelines.time_travel(1)
stage.timelines.simulate_timeline("never use eval", 0, "Use eval")
stage.timelines.rehearse("never use eval")
try:
    stage.ledger.add_fact("", "")
except UsageError:
    pass
for span in exporter.get_finished_spans():
    print(span.name, dict(sorted(span.attributes.items())), span.status.status_code.name)
"""
SPANS = """\
dmm.add_fact {'dmm.seq': 1} UNSET
dmm.add_constraint {'dmm.seq': 2} UNSET
dmm.record_decision {'dmm.status': 'BLOCKED'} UNSET
dmm.query_memory {'dmm.seq': 4} UNSET
dmm.get_memory_context {} UNSET
dmm.trace_provenance {} UNSET
dmm.time_travel {} UNSET
dmm.simulate_timeline {'dmm.result': 'BLOCKED', 'dmm.tags': ('simulation', 'timeline-b')} UNSET
dmm.rehearse {'dmm.tags': ('simulation', 'timeline-b')} UNSET
dmm.add_fact {} ERROR
"""


def test_every_operation_is_one_span_and_tells_no_content() -> None:
    if importlib.util.find_spec("opentelemetry") is None:
        pytest.skip("opentelemetry-sdk is not installed")
    # A process of its own: the provider of a process can be set only once.
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM], capture_output=True, text=True, timeout=60, check=False
    )
    assert (ended.returncode, ended.stdout) == (0, SPANS), ended.stderr


def test_an_operation_keeps_its_name_and_its_arguments() -> None:
    assert Ledger.add_fact.__name__ == "add_fact"
    assert list(inspect.signature(Ledger.add_fact).parameters) == [
        *("self", "key", "value", "confidence", "caused_by")
    ]


def test_without_opentelemetry_an_operation_just_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("dmm.tracing._tracer", lambda: None)

    @traced("simulation")
    def double(number: int) -> int:
        return 2 * number

    assert double(4) == 8


def test_without_a_receiver_for_spans_the_library_is_not_loaded() -> None:
    program = (
        "import sys\n"
        "from dmm.bootstrap import open_stage\n"
        "open_stage().ledger.add_fact('budget', '100')\n"
        "print(any(name.startswith('opentelemetry') for name in sys.modules))\n"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False
    )
    assert ended.stdout == "False\n", ended.stderr
