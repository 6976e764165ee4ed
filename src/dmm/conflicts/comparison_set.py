"""The memories in force, ready to be compared with one another; it follows the index.

Each has a number. What is known of it is read once and again only when its file has changed, so
that a check after a write costs what the write touched and not what the project holds.
"""

from __future__ import annotations

import contextlib
import math
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING

from dmm.conflicts.candidates import Candidates, Pair, in_order, profile_of
from dmm.conflicts.compare import compare_all, find_forbidden, read_memory
from dmm.conflicts.members import Found, Member, fetch_memories, memory_of
from dmm.conflicts.shortlist import Shortlist, linked
from dmm.conflicts.verdicts import Verdicts
from dmm.domain.conflict import Method
from dmm.domain.memory import Origin, Scope, has_expired
from dmm.errors import IndexBroken, ModelUnavailable
from dmm.gc_tuning import settle
from dmm.packs.alike import Likeness

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from dmm.conflicts.compare import Reading
    from dmm.domain.conflict import Clash
    from dmm.domain.memory import Memory
    from dmm.embed.pairs import PairModel
    from dmm.index.records import IndexedMemory
    from dmm.index.service import Indexes
    from dmm.index.shelves import Shelf
    from dmm.index.vectors import Floats

    Progress = Callable[[int, int], None]

NEAREST = 10
FLOOR = 0.3
# Pairs that are handed to the model at a time, and the most of a scan: the most alike come first.
AT_ONCE = 64
MOST_JUDGED = 6_000
JUDGED_OF_A_MEMORY = 8
JUDGED_ANYWAY = 500
MOST_AT_A_WRITE = 8
PAUSE_EVERY = 50


@dataclass(slots=True)
class ComparisonSet:
    """All memories of a project and of the user's overlay that are in force."""

    indexes: Indexes
    today: Callable[[], dt.date]
    load_judge: Callable[[], PairModel]
    verdicts: Path
    members: dict[int, Member] = field(default_factory=dict)
    _numbers: dict[tuple[Origin, str], int] = field(default_factory=dict)
    _hashes: dict[Origin, dict[str, str]] = field(default_factory=dict)
    _free: list[int] = field(default_factory=list)
    _seen: dict[Origin, tuple[str, int]] = field(default_factory=dict)
    _candidates: Candidates = field(default_factory=Candidates)
    _likeness: tuple[str, Likeness] | None = None
    _serving: tuple[dt.date, dict[int, Member], dict[str, int]] | None = None
    _judge: PairModel | Verdicts | None = None

    def refresh(self) -> None:
        """Load what changed in the index since the last time."""
        try:
            self._follow()
        except IndexBroken as error:
            self.indexes.fix(error)
            self._forget()
            self._follow()

    def _follow(self) -> None:
        embedder = self.indexes.embedder()
        model = None if embedder is None else embedder.identity
        if (None if self._likeness is None else self._likeness[0]) != model:
            self._forget()
        if embedder is not None and self._likeness is None:
            self._likeness = embedder.identity, Likeness(embedder.dimensions)
        for shelf in self.indexes.shelves:
            self._follow_shelf(shelf, model)

    def _forget(self) -> None:
        for part in (self.members, self._numbers, self._hashes, self._seen):
            part.clear()
        self._free.clear()
        self._candidates, self._likeness, self._serving = Candidates(), None, None

    def _follow_shelf(self, shelf: Shelf, model: str | None) -> None:
        store = self.indexes.store(shelf.origin)
        if store is None:
            return
        with store.reading():
            state = store.meta("file") or "", store.generation()
            if self._seen.get(shelf.origin) == state:
                return
            hashes = store.hashes()
            known = self._hashes.get(shelf.origin, {})
            self._serving = None
            for path in known.keys() - hashes.keys():
                self._drop(shelf.origin, path)
            changed = [path for path, digest in hashes.items() if known.get(path) != digest]
            usable = store.meta("model") == model
            for one in fetch_memories(store, changed, len(hashes)):
                self._put(shelf.origin, one, store.vector(one.vector_key) if usable else None)
        settle(len(changed))
        self._seen[shelf.origin], self._hashes[shelf.origin] = state, hashes

    def _put(self, origin: Origin, known: IndexedMemory, vectors: bytes | None) -> None:
        place = origin, known.path
        if not known.in_force:
            self._drop(*place)
            return
        number = self._numbers.get(place)
        if number is None:
            number = self._free.pop() if self._free else len(self.members)
            self._numbers[place] = number
        memory = memory_of(known)
        self.members[number] = Member(origin, memory)
        self._candidates.put(number, profile_of(memory))
        if self._likeness is not None:
            self._likeness[1].put(number, vectors or b"")

    def _drop(self, origin: Origin, path: str) -> None:
        number = self._numbers.pop((origin, path), None)
        if number is None:
            return
        del self.members[number]
        self._candidates.drop(number)
        if self._likeness is not None:
            self._likeness[1].drop(number)
        self._free.append(number)

    def serving(self) -> dict[int, Member]:
        """Return the members served today: not expired, and not hidden by one of the project."""
        return self._serve()[1]

    def by_id(self) -> dict[str, int]:
        """Return the numbers of those members by their ids."""
        return self._serve()[2]

    def _serve(self) -> tuple[dt.date, dict[int, Member], dict[str, int]]:
        day = self.today()
        if self._serving is None or self._serving[0] != day:
            serving = {
                number: member
                for number, member in self.members.items()
                if not has_expired(member.memory.expires, day)
            }
            others = [n for n, member in serving.items() if member.origin is not Origin.PROJECT]
            if others:
                own = {m.memory.id for m in self.members.values() if m.origin is Origin.PROJECT}
                for number in others:
                    if serving[number].memory.id in own:
                        del serving[number]
            ids = {member.memory.id: number for number, member in serving.items()}
            self._serving = day, serving, ids
        return self._serving

    def find(self, path: str) -> int | None:
        """Find the number of a memory by its path as packs show it."""
        user, _, rest = path.partition(":")
        if rest and user == Origin.USER:
            return self._numbers.get((Origin.USER, rest))
        return self._numbers.get((Origin.PROJECT, path))

    def choose(
        self,
        pairs: Iterable[Pair],
        most: int | None = None,
        *,
        but: Collection[tuple[int, int]] = (),
    ) -> list[Pair]:
        """Choose the pairs to compare, best first; at least one memory is the project's."""
        chosen = Shortlist(self._room() if most is None else most)
        self._offer(chosen, pairs, but)
        return chosen.best()

    def choose_all(
        self, progress: Progress | None = None, *, but: Collection[tuple[int, int]] = ()
    ) -> list[Pair]:
        """Choose the pairs that a scan compares; progress is reported without a total.

        Words find pairs too, but the most alike are chosen: words are looked at only where one that
        is not among the nearest can still be alike enough.
        """
        chosen = Shortlist(self._room())
        unseen: dict[int, float] = {}
        for number, alike in self._nearest():
            _pause(progress, number)
            if number in self.members:
                unseen[number] = min(alike.values()) if len(alike) >= NEAREST else FLOOR
                found = self._candidates.find_linked(self._candidates.profiles[number], number)
                self._offer(chosen, self._pairs(number, found, alike), but)
        # What has no vector may be as alike as anything.
        least = chosen.least() if all(map(self._knows, self.members)) else -math.inf
        for number in sorted(number for number, alike in unseen.items() if alike >= least):
            _pause(progress, number)
            self._offer(chosen, self._pairs(number, self._partners(number), {}), but)
        return chosen.best()

    def _room(self) -> int:
        return min(MOST_JUDGED, JUDGED_ANYWAY + JUDGED_OF_A_MEMORY * len(self.serving()))

    def _offer(
        self, chosen: Shortlist, pairs: Iterable[Pair], but: Collection[tuple[int, int]]
    ) -> None:
        serving = self.serving()
        for pair in pairs:
            if (pair.one, pair.other) not in but and _concerns_project(pair, serving):
                chosen.offer(pair)

    def _nearest(self) -> Iterable[tuple[int, dict[int, float]]]:
        if self._likeness is None:
            return ((number, {}) for number in sorted(self.members))
        return self._likeness[1].nearest(NEAREST, FLOOR)

    def _partners(self, number: int) -> dict[int, set[Method]]:
        return self._candidates.partners(self._candidates.profiles[number], number)

    def pairs_of(self, number: int) -> list[Pair]:
        """List the pairs with something in common for one memory."""
        near = () if self._likeness is None else self._likeness[1].near(number, NEAREST, FLOOR)
        return self._pairs(number, self._partners(number), dict(near))

    def pair(self, one: int, other: int, methods: tuple[Method, ...]) -> Pair:
        """Return a pair that was found before, the smaller number first."""
        return Pair(one, other, methods, *self._likenesses(one, [other]))

    def _pairs(
        self, number: int, found: dict[int, set[Method]], alike: Mapping[int, float]
    ) -> list[Pair]:
        for other in alike:
            found.setdefault(other, set()).add(Method.SIMILARITY)
        others = sorted(found)
        return [
            Pair(
                min(number, other), max(number, other), in_order(frozenset(found[other])), likeness
            )
            for other, likeness in zip(others, self._likenesses(number, others), strict=True)
        ]

    def judge(self, pairs: Sequence[Pair], progress: Progress | None = None) -> list[Found]:
        """Compare the pairs, in their order; return those that clash."""
        serving = self.serving()
        found: list[Found] = []
        for start in range(0, len(pairs), AT_ONCE):
            part = pairs[start : start + AT_ONCE]
            keys = [_in_place(pair, serving) for pair in part]
            read = {number: self._reading(number) for key in keys for number in key}
            readings = [(read[one], read[other]) for one, other in keys]
            for key, pair, clash in zip(keys, part, self._compare(readings), strict=True):
                if clash is not None:
                    one, other = (serving[number] for number in key)
                    found.append(Found(one, other, clash, self._methods(pair)))
            if progress is not None:
                progress(min(start + AT_ONCE, len(pairs)), len(pairs))
        return sorted(found, key=lambda one: (one.one.place, one.other.place))

    def _methods(self, pair: Pair) -> tuple[Method, ...]:
        """Return all methods that find a pair, from either side."""
        sides = (pair.one, pair.other), (pair.other, pair.one)
        found = (self._partners(one).get(other, ()) for one, other in sides)
        return in_order(frozenset({*pair.methods, *chain.from_iterable(found)}))

    def _compare(self, readings: Sequence[tuple[Reading, Reading]]) -> list[Clash | None]:
        """Compare memories; without the model of conflicts only what is exact is found."""
        day = self.today()
        try:
            self._judge = self._judge or (self.load_judge() if readings else None)
            return compare_all(readings, self._judge, day)
        except ModelUnavailable as fault:
            self.indexes.notices["conflicts"] = f"only exact conflicts are found: {fault}"
            return compare_all(readings, None, day)

    @contextlib.contextmanager
    def remembering(self) -> Iterator[None]:
        """Reuse the verdicts of earlier scans in this block, and release the model after it."""
        self._judge = kept = Verdicts(self.verdicts, self.load_judge)
        try:
            yield
            kept.forget_others()
        finally:
            # What was asked before it was interrupted need not be asked again either.
            kept.keep()
            self.release()

    def release(self) -> None:
        """Release the model; the next comparison loads it again."""
        self._judge = None

    def _likenesses(self, number: int, others: Sequence[int]) -> list[float | None]:
        known = self._likeness
        return [None] * len(others) if known is None else known[1].to_each(number, others)

    def _reading(self, number: int) -> Reading:
        return read_memory(self.members[number].memory)

    def find_clashes(self, memory: Memory, towards: Floats | None) -> list[tuple[Clash, str, str]]:
        """Return the clashes of a new memory, each with the path and id of the other one."""
        self.refresh()
        found = self.clashes_of(memory, towards)
        return [(clash, other.shown, other.memory.id) for other, clash in found]

    def clashes_of(self, memory: Memory, towards: Floats | None) -> Iterator[tuple[Member, Clash]]:
        """Compare a memory that has no file yet with those that have; `towards` is its vector.

        Without a vector, words and tags choose the memories to compare.
        """
        serving = self.serving()
        found = self._candidates.partners(profile_of(memory))
        alike = self._near(towards)
        # What shares words but points elsewhere is a stranger, and of strangers the model errs.
        if towards is not None:
            found = {n: ways for n, ways in found.items() if linked(ways) or not self._knows(n)}
        others = [
            number
            for number in sorted(found.keys() | alike.keys(), key=lambda n: (-alike.get(n, 0.0), n))
            if (other := serving.get(number)) is not None
            and other.memory.id != memory.id
            and other.shown != memory.path
        ][:MOST_AT_A_WRITE]
        reading = read_memory(memory)
        read = {number: self._reading(number) for number in others}
        told = self._compare([(reading, one) for one in read.values()])
        found_by = dict(zip(others, told, strict=True))
        # What is in every pack bears on every note, however far it is from it.
        always = (n for n, m in serving.items() if m.memory.scope is Scope.BASELINE)
        for number in sorted(n for n in {*others, *always} if serving[n].memory.id != memory.id):
            near = read.get(number) or self._reading(number)
            clash = found_by.get(number) or find_forbidden(reading, near)
            if clash is not None:
                yield serving[number], clash

    def _near(self, towards: Floats | None) -> dict[int, float]:
        if towards is None or self._likeness is None:
            return {}
        return dict(self._likeness[1].near_to(towards, NEAREST, FLOOR))

    def _knows(self, number: int) -> bool:
        """Return whether a memory has a vector."""
        return self._likeness is not None and self._likeness[1].holds(number)


def _in_place(pair: Pair, serving: dict[int, Member]) -> tuple[int, int]:
    """Order a pair by path, which is the same in every process."""
    if serving[pair.one].place <= serving[pair.other].place:
        return pair.one, pair.other
    return pair.other, pair.one


def _pause(progress: Progress | None, number: int) -> None:
    if progress is not None and number % PAUSE_EVERY == 0:
        progress(0, 0)


def _concerns_project(pair: Pair, serving: dict[int, Member]) -> bool:
    sides = serving.get(pair.one), serving.get(pair.other)
    if sides[0] is None or sides[1] is None:
        return False
    return Origin.PROJECT in (sides[0].origin, sides[1].origin)
