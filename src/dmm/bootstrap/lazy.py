"""A part that is made when it is first asked for."""

from __future__ import annotations

from functools import cached_property, partial
from typing import TYPE_CHECKING, Generic, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.embed.tokens import TokenCounter

P = ParamSpec("P")
T = TypeVar("T")


class Lazy(Generic[T]):
    """A part to be made once, from values and from parts that are as lazy.

    It knows what it is made of, never who asks for it: so parts that hold each other lazily can't
    form a cycle.
    """

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> None:
        self._make = partial(make, *args, **kwargs)
        self._made: list[T] = []

    def __call__(self) -> T:
        """Return the part, made now if it was not yet."""
        if not self._made:
            self._made.append(self._make())
        return self._made[0]

    @property
    def made(self) -> bool:
        """Whether somebody has asked for it."""
        return bool(self._made)


class Counting:
    """Counts tokens, loaded with the first count; holds no project, so that one can be let go."""

    @cached_property
    def _counter(self) -> TokenCounter:
        from dmm.embed.tokens import TokenCounter

        return TokenCounter()

    def __call__(self, text: str) -> int:
        """Count the tokens of a text."""
        return self._counter.count(text)
