"""The base of event payloads: how a class becomes the payload of a type of event."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self, TypeVar, dataclass_transform

from dmm.domain.frozen import frozen
from dmm.domain.plain import Malformed, read_value

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.domain.event import Event, EventType

VERSION = 1

P = TypeVar("P", bound="Payload")


class Payload:
    """What an event tells; `kinds` are the types whose events have this payload."""

    __slots__ = ()
    kinds: ClassVar[tuple[str, ...]] = ()
    strict: ClassVar[bool] = False

    @classmethod
    def read(cls, event: Event | None) -> Self | None:
        """Read the payload of an event.

        None where it is of another type or a version from the future, blanked or malformed.
        """
        if event is None or event.payload is None or event.version != VERSION:
            return None
        kind = PAYLOADS.get(event.type)
        if kind is None or not issubclass(kind, cls):
            return None
        try:
            return read_value(kind, event.payload, strict=kind.strict)
        except Malformed:
            return None


PAYLOADS: dict[str, type[Payload]] = {}


@dataclass_transform(kw_only_default=True, frozen_default=True)
def recorded(*kinds: EventType, strict: bool = False) -> Callable[[type[P]], type[P]]:
    """Make a frozen class, as the payload of some types of events."""

    def make(cls: type[P]) -> type[P]:
        made = frozen(kw_only=True)(cls)
        made.kinds, made.strict = kinds, strict
        PAYLOADS.update(dict.fromkeys(kinds, made) if len(kinds) == 1 else {})
        return made

    return make
