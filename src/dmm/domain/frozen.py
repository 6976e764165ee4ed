"""Frozen dataclasses that are quick to define.

For each class `dataclass(frozen=True)` writes and compiles six methods, and a short command defines
hundreds of classes before it does anything. Here only `__init__` is written for each class; the
other methods are the same for all.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any, TypeVar, dataclass_transform, overload

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

T = TypeVar("T")

# Stands for a default that is made anew for each value.
_LATER = object()


@overload
def frozen(kind: type[T], /) -> type[T]: ...
@overload
def frozen(*, kw_only: bool) -> Callable[[type[T]], type[T]]: ...
@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(
    kind: type[T] | None = None, /, *, kw_only: bool = False
) -> type[T] | Callable[[type[T]], type[T]]:
    """Make a class what `dataclass(frozen=True, slots=True)` would make of it.

    A field can't have `init` or `hash`, and the class no `__init__` of its own.
    """

    def make(given: type[T]) -> type[T]:
        if "__init__" in given.__dict__:
            raise TypeError(f"{given.__name__} has an __init__ of its own")
        _add(given, _METHODS)
        made = dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(given)
        compared = [one.name for one in _fields_of(made) if one.compare]
        _add(made, {"__init__": _write_init(made), **_comparing(compared)})
        return made

    return make if kind is None else make(kind)


def _add(kind: type, methods: Mapping[str, Any]) -> None:
    """Give a class methods that it does not have itself."""
    for name, method in methods.items():
        # Python sets the hash of a class that compares its values itself to None.
        if kind.__dict__.get(name) is None:
            setattr(kind, name, method)


class _Frozen:
    """The methods that are the same for all classes."""

    @recursive_repr("...")
    def __repr__(self) -> str:
        names = (one.name for one in _fields_of(self) if one.repr)
        told = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{type(self).__qualname__}({told})"

    def __setattr__(self, name: str, value: object) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __getstate__(self) -> list[object]:
        return [getattr(self, one.name) for one in _fields_of(self)]

    def __setstate__(self, state: Sequence[object]) -> None:
        for one, value in zip(_fields_of(self), state, strict=True):
            object.__setattr__(self, one.name, value)


_METHODS = {name: method for name, method in vars(_Frozen).items() if callable(method)}


def _fields_of(value: Any) -> tuple[Field[Any], ...]:
    return fields(value)


def _comparing(names: list[str]) -> dict[str, object]:
    """Return the methods that compare values by some of their fields."""

    def get_few(value: object) -> tuple[object, ...]:
        return tuple(getattr(value, name) for name in names)

    # Of fewer than two fields it would make no tuple.
    get: Callable[[object], object] = attrgetter(*names) if len(names) > 1 else get_few

    def equal(self: object, other: object) -> bool:
        return get(self) == get(other) if other.__class__ is self.__class__ else NotImplemented

    def hashed(self: object) -> int:
        return hash(get(self))

    return {"__eq__": equal, "__hash__": hashed}


def _write_init(kind: Any) -> Any:
    """Write and compile the method that takes the fields of a class."""
    known: dict[str, object] = {"_set": object.__setattr__, "_LATER": _LATER}
    if any(not one.init or one.hash is not None for one in fields(kind)):
        raise TypeError(f"{kind.__name__}: every field is given, and compared as it is hashed")
    by_place: list[str] = []
    by_name: list[str] = ["*"]
    body: list[str] = []
    for one in fields(kind):
        name, value = one.name, one.name
        taken = name
        if one.default is not MISSING:
            known[f"default_{name}"] = one.default
            taken = f"{name}=default_{name}"
        elif one.default_factory is not MISSING:
            known[f"make_{name}"] = one.default_factory
            taken, value = f"{name}=_LATER", f"make_{name}() if {name} is _LATER else {name}"
        (by_name if one.kw_only else by_place).append(taken)
        body.append(f"_set(self, {name!r}, {value})")
    if hasattr(kind, "__post_init__"):
        body.append("self.__post_init__()")
    taken = ", ".join(["self", *by_place, *(by_name if by_name[1:] else ())])
    # As `dataclasses` does it: a method that binds its arguments itself is several times slower.
    # The text holds names of fields of this source alone.
    exec(f"def __init__({taken}):\n " + "\n ".join(body or ["pass"]), known)  # noqa: S102
    made: Any = known["__init__"]
    made.__qualname__ = f"{kind.__qualname__}.__init__"
    made.__annotations__ = {one.name: one.type for one in fields(kind)} | {"return": None}
    return made
