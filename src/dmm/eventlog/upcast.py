"""Upcast events of older versions on read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from dmm.domain.event import Event

Upcast = Callable[[dict[str, Any]], dict[str, Any]]
Upcasts = Mapping[str, Mapping[int, Upcast]]

# By type and version: the function that turns a payload of that version into one of the next.
UPCASTS: Upcasts = {}


def upcast(event: Event, upcasts: Upcasts = UPCASTS) -> Event:
    """Raise an event to the newest known version; unknown types and versions stay as they are."""
    steps = upcasts.get(event.type, {})
    while event.payload is not None and event.version in steps:
        payload = steps[event.version](dict(event.payload))
        event = replace(event, payload=payload, version=event.version + 1)
    return event
