"""The announcement of an applied write, for what follows from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True)
class AppliedWrite:
    """What subscribers are told: the files, and the proposal that is applied.

    There is no proposal where several were finished after a crash. What is derived from the files
    may wait for the next query where the write is one of many.
    """

    paths: tuple[str, ...]
    proposal: int | None = None
    is_one_of_many: bool = False


class Subscriber(Protocol):
    """Is told of applied writes; a write stands whatever becomes of this."""

    def __call__(self, write: AppliedWrite, /) -> list[str]:
        """Run what follows a write; return what the user should know."""
        ...
