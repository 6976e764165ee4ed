"""Find the memories that somebody means: by path, by id, or by words of their text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.frozen import frozen
from dmm.domain.memory import ID_PATTERN, Origin
from dmm.errors import DmmError
from dmm.index.likeness import nearest, nearest_by_words

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable

    from dmm.index.service import Indexes
    from dmm.index.snapshot import Place
    from dmm.review.drafting import Drafts

MOST = 5
# Among so many with the same words the text itself is looked for.
READ = 50
LIKE = 0.5


@frozen
class Match:
    """A memory that may be meant."""

    path: str
    title: str
    similarity: float = 1.0


@frozen
class Matches:
    """The memories that may be meant, best first; sure where it can only be the first."""

    matches: tuple[Match, ...]
    sure: bool = False


@frozen
class Search:
    """Looks through the project's memories in force."""

    indexes: Indexes
    drafts: Callable[[], Drafts]
    today: Callable[[], dt.date]

    def find(self, name: str) -> Matches:
        """Find what a path, an id or a text means."""
        known = self.exact(name)
        if known is not None:
            return Matches((known,), sure=True)
        self.indexes.refresh()
        holding = self._holding(name)
        if holding:
            return Matches(holding, sure=len(holding) == 1)
        return Matches(tuple(one for one in self.similar(name) if one.similarity >= LIKE))

    def exact(self, name: str) -> Match | None:
        """Find the memory with this path or id."""
        name = name.strip()
        if ID_PATTERN.fullmatch(name):
            self.indexes.refresh()
            places = self.indexes.snapshot().places
            return next((_match(one) for one in places if one.id == name and _is_own(one)), None)
        if not name.endswith(".md") or " " in name:
            return None
        drafts = self.drafts()
        try:
            path = drafts.place(name)
            text = drafts.tree.text_of(path)
            return None if text is None else Match(path, drafts.tree.load(path).memory.title)
        except DmmError:
            return None

    def similar(self, text: str) -> tuple[Match, ...]:
        """List the memories most like a text; none without the model."""
        vector = self.indexes.embed(text)
        if vector is None:
            return ()
        snapshot = self.indexes.snapshot()
        found = nearest(snapshot, vector, self.today(), MOST)
        rows = [(snapshot.places[row], value) for row, value in found]
        return tuple(_match(place, value) for place, value in rows if _is_own(place))

    def _holding(self, text: str) -> tuple[Match, ...]:
        """List the memories that hold a text word for word."""
        wanted = _folded(text)
        snapshot = self.indexes.snapshot()
        rows = nearest_by_words(snapshot, text, self.today(), READ)
        places = [snapshot.places[row] for row in rows]
        own = [place for place in places if _is_own(place)]
        return tuple(_match(one) for one in own if wanted in self._text(one))[:MOST]

    def _text(self, place: Place) -> str:
        return _folded(f"{place.title}\n{self.indexes.memory(place).content}")


def _is_own(place: Place) -> bool:
    return place.origin is Origin.PROJECT


def _match(place: Place, similarity: float = 1.0) -> Match:
    return Match(place.path, place.title, round(similarity, 2))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
