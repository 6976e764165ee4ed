"""OpenTelemetry spans, if it is installed.

A span carries the name of its operation, its tags and the verdict, never what was said.
"""

from __future__ import annotations

import functools
import importlib
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

SIMULATION = ("simulation", "timeline-b")
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


@functools.cache
def _tracer() -> Any:
    try:
        api = importlib.import_module("opentelemetry.trace")
    except ImportError:
        return None
    return api.get_tracer("dmm")
