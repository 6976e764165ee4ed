"""The team log as its users see it: push what this writer has, pull what all have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar, runtime_checkable

from dmm.team.chain import Checkpoint, Entry, Placed

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T", Entry, Placed)

PROTOCOL = 5
MOST_PUSHED = 100
MOST_PULLED = 200
# How many bytes of payloads, written as JSON, travel at once; both sides take more than that.
MOST_WRITTEN = 3 * 1024 * 1024
REVOKED = (
    "this laptop was removed from the team; its rules stay on this laptop,"
    " until it leaves (dmm team leave) or joins again with a new invitation"
)


@dataclass(frozen=True, slots=True)
class Batch:
    """The next entries of a writer, the hash of the entry before them, and the log it has seen."""

    previous: str
    entries: tuple[Entry, ...]
    seen: int = 0


@dataclass(frozen=True, slots=True)
class Taken:
    """The log holds these entries now; `next` is the number it expects after them."""

    next: int


@dataclass(frozen=True, slots=True)
class Gap:
    """Entries before these are missing; send from `next` on."""

    next: int


@dataclass(frozen=True, slots=True)
class Forked:
    """The log holds another entry under this number of the writer."""

    at: int


@dataclass(frozen=True, slots=True)
class Revoked:
    """The writer was removed from the project."""


@dataclass(frozen=True, slots=True)
class Refused:
    """The entries can't be taken as they are."""

    why: str


Outcome = Taken | Gap | Forked | Revoked | Refused


@dataclass(frozen=True, slots=True)
class Page:
    """Entries after a number, in order, and the signed end of the log."""

    placed: tuple[Placed, ...]
    head: Checkpoint


@dataclass(frozen=True, slots=True)
class Lost:
    """Entries that the log gave out and holds no longer, up to an end that it signed.

    `rest` are the hashes of the entries between these and that end.
    """

    placed: tuple[Placed, ...]
    rest: tuple[str, ...]
    head: Checkpoint


@runtime_checkable
class TakesBack(Protocol):
    """A log that takes back what it lost."""

    def take_back(self, lost: Lost) -> Outcome:
        """Append entries where they stood; those that the log holds already do no harm."""


class TeamLog(Protocol):
    """The log of one project, for one writer."""

    def push(self, batch: Batch) -> Outcome:
        """Send entries; those that the log holds already do no harm."""

    def pull(self, after: int) -> Page | Revoked:
        """Read the entries after a number; at most `MOST_PULLED` at once."""


def tell_fault(outcome: Outcome) -> str:
    """Say why the server did not take what was sent, and what to do."""
    match outcome:
        case Revoked():
            return REVOKED
        case Forked(at):
            return (
                f"the server holds another event {at} of this laptop: it was restored from a "
                "backup, or copied; join again with a new invitation"
            )
        case Refused(why):
            return f"the server refused what was sent: {why}; it is kept here and tried again"
        case Gap(next):
            return f"the server expects event {next} of this laptop, which is not here"
    return ""


def fit(entries: Iterable[T]) -> tuple[T, ...]:
    """Return the first entries, as many as travel at once; one always does."""
    room, found = MOST_WRITTEN, list[T]()
    for one in entries:
        text = (one.entry if isinstance(one, Placed) else one).payload
        # A payload is printable ASCII, of which JSON escapes these two.
        room -= len(text) + text.count('"') + text.count("\\")
        if room < 0 and found:
            break
        found.append(one)
    return tuple(found)
