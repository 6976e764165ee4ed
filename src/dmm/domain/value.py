"""Frozen values that are cheap to define, for code that hooks load.

`dataclasses` takes 12 ms to load and about 1 ms for each class. A hook that judges a call alone
loads a score of them, and an agent waits for it at every call.
"""

from __future__ import annotations

# The module `typing` would cost every hook 4 ms.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar, Self, TypeVar, dataclass_transform

    T = TypeVar("T")
else:

    def dataclass_transform(**_: bool) -> Callable[[T], T]:
        """Return a class as it is: only type checkers need to know."""
        return lambda kind: kind


@dataclass_transform(frozen_default=True)
class Value:
    """A frozen value with the fields its class declares; equal to one of its kind that holds the
    same.
    """

    _fields: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        declared = cls.__annotations__.items()
        cls._fields = tuple(name for name, kind in declared if "ClassVar" not in str(kind))

    def __init__(self, *values: Any, **named: Any) -> None:
        held = self.__dict__
        held.update(zip(self._fields, values, strict=False))
        if len(values) > len(self._fields) or not named.keys().isdisjoint(held):
            raise TypeError(f"too many values for {type(self).__name__}")
        held.update(named)
        for name in self._fields:
            if name not in held:
                if not hasattr(type(self), name):
                    raise TypeError(f"{type(self).__name__} lacks {name}")
                held[name] = getattr(type(self), name)
        if len(held) > len(self._fields):
            raise TypeError(f"{type(self).__name__} has no {sorted(held.keys() - self._fields)}")

    def changed(self, **changes: Any) -> Self:
        """Return this value with other content of some fields."""
        return type(self)(**{**self.__dict__, **changes})

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} can't be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} can't be deleted")

    def __eq__(self, other: object) -> bool:
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), *(self.__dict__[name] for name in self._fields)))

    def __repr__(self) -> str:
        held = (f"{name}={self.__dict__[name]!r}" for name in self._fields)
        return f"{type(self).__name__}({', '.join(held)})"
