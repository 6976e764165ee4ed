"""Read the values of a rule's fields, with errors that name the place."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeVar

from dmm.errors import RuleFormError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Place = tuple[str | int, ...]
T = TypeVar("T")


def refuse_unknown(values: Mapping[str, object], known: Iterable[str], place: Place) -> None:
    """Refuse a field that does not exist, with the nearest one that does."""
    names = list(known)
    for name in values:
        if name not in names:
            near = get_close_matches(name, names, 1)
            hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(names)}"
            raise RuleFormError((*place, name), f"unknown field '{name}'", hint=hint)


def mapping(value: object, place: Place, what: str) -> Mapping[str, object]:
    """Return a mapping that is not empty."""
    if not isinstance(value, dict) or not value:
        raise RuleFormError(place, f"{what} must be a list of 'key: value' fields")
    return value


class Fields:
    """The fields of a mapping, read one by one."""

    def __init__(self, held: Mapping[str, object], place: Place, known: Iterable[str]) -> None:
        refuse_unknown(held, known, place)
        self.held = held
        self.place = place

    def read(self, name: str, reader: Callable[[object, Place], T], otherwise: T) -> T:
        """Return a field's value, or the default if it is not given."""
        given = name in self.held
        return reader(self.held[name], (*self.place, name)) if given else otherwise

    def listed(self, name: str, otherwise: tuple[str, ...] = ()) -> tuple[str, ...]:
        """Read a field that holds one text or several."""
        return self.read(name, strings, otherwise)


def each(value: object, place: Place) -> list[tuple[object, Place]]:
    """Return the items of a list, or a single value, with their places."""
    if not isinstance(value, list):
        return [(value, place)]
    if not value:
        raise RuleFormError(place, "the list is empty")
    return [(one, (*place, number)) for number, one in enumerate(value)]


def strings(value: object, place: Place) -> tuple[str, ...]:
    """Read one text or a list of texts, none of them empty; a number counts as its text."""
    return tuple(text(one, where) for one, where in each(value, place))


def text(value: object, place: Place) -> str:
    """Read a text that is not empty."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise RuleFormError(place, f"text is expected, not {_shown(value)}")
    return value


def flag(value: object, place: Place) -> bool:
    """Read true or false."""
    if not isinstance(value, bool):
        raise RuleFormError(place, f"true or false is expected, not {_shown(value)}")
    return value


def whole(value: object, place: Place) -> int | None:
    """Return a whole number or None."""
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    raise RuleFormError(place, f"a whole number is expected, not {_shown(value)}")


def _shown(value: object) -> str:
    if isinstance(value, dict | list):
        return "a list or mapping"
    return "nothing" if value in (None, "") else repr(value)
