"""OpenTelemetry spans, if it is installed.

A span carries the name of its operation, its tags and the verdict, never what was said.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

SIMULATION = ("simulation", "timeline-b")
LIBRARY = "opentelemetry.trace"
RECEIVER = "OTEL_PYTHON_TRACER_PROVIDER"
TAGS = "dmm.tags"
TOLD = {"status": "dmm.status", "result": "dmm.result", "seq": "dmm.seq", "query_seq": "dmm.seq"}

P = ParamSpec("P")
R = TypeVar("R")


def traced(*tags: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make an operation tell of each of its runs as the span `dmm.<its name>`."""

    def wrap(operation: Callable[P, R]) -> Callable[P, R]:
        name = f"dmm.{operation.__name__}"

        @functools.wraps(operation)
        def run(*arguments: P.args, **named: P.kwargs) -> R:
            tracer = _tracer()
            if tracer is None:
                return operation(*arguments, **named)
            with tracer.start_as_current_span(name) as span:
                if tags:
                    span.set_attribute(TAGS, list(tags))
                result = operation(*arguments, **named)
                _describe(span, result)
                return result

        return run

    return wrap


def _describe(span: Any, result: object) -> None:
    read = result.get if isinstance(result, dict) else functools.partial(getattr, result)
    for key, attribute in TOLD.items():
        if isinstance(value := read(key, None), str | int):
            span.set_attribute(attribute, value)


def _tracer() -> Any:
    """Return what takes spans; the library is not loaded where nobody could receive them.

    A receiver is named by the environment, or set up by a program that has loaded the library.
    """
    if LIBRARY not in sys.modules and RECEIVER not in os.environ:
        return None
    return _load_tracer()


@functools.cache
def _load_tracer() -> Any:
    try:
        api = importlib.import_module(LIBRARY)
    except ImportError:
        return None
    return api.get_tracer("dmm")
