"""The memories in force, ready to be compared with one another; it follows the index.

Each has a number. What is known of it is read once and again only when its file has changed, so
that a check after a write costs what the write touched and not what the project holds.
"""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from dmm.conflicts.candidates import Candidates, Pair, in_order, profile_of, shorten
from dmm.conflicts.compare import compare, read_memory
from dmm.conflicts.reading_cache import Readings
from dmm.conflicts.worker_pool import WorkerPool, divide
from dmm.domain.conflict import Method
from dmm.domain.memory import Memory, Origin, Status, has_expired
from dmm.domain.pack import shown_path
from dmm.errors import IndexBroken
from dmm.gc_tuning import settle
from dmm.packs.alike import Likeness

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence

    from dmm.conflicts.batches import Task
    from dmm.conflicts.compare import Reading
    from dmm.domain.conflict import Clash
    from dmm.index.records import IndexedMemory
    from dmm.index.service import Indexes
    from dmm.index.shelves import Shelf
    from dmm.index.store import IndexStore
    from dmm.index.vectors import Floats

    Compared = Generator[tuple[Task, Clash | None]]
    Progress = Callable[[int, int], None]

NEAREST = 10
FLOOR = 0.3
PROGRESS_STEP = 50
SENTENCES = 120_000
FEWEST_SENTENCES = 12


@dataclass(frozen=True, slots=True)
class Member:
    """One memory in force and the tree that it comes from."""

    origin: Origin
    memory: Memory

    @property
    def place(self) -> tuple[bool, str]:
        """Where it stands among all: the project's memories first, by path."""
        return self.origin is not Origin.PROJECT, self.memory.path

    @property
    def shown(self) -> str:
        """Its path as packs show it."""
        return shown_path(self.memory.path, self.origin)


@dataclass(frozen=True, slots=True)
class Found:
    """Two members that do not go together, and how they came to be compared."""

    one: Member
    other: Member
    clash: Clash
    methods: tuple[Method, ...]


@dataclass(slots=True)
class ComparisonSet:
    """All memories of a project and of the user's overlay that are in force."""

    indexes: Indexes
    today: Callable[[], dt.date]
    members: dict[int, Member] = field(default_factory=dict)
    _numbers: dict[tuple[Origin, str], int] = field(default_factory=dict)
    _hashes: dict[Origin, dict[str, str]] = field(default_factory=dict)
    _free: list[int] = field(default_factory=list)
    _seen: dict[Origin, tuple[str, int]] = field(default_factory=dict)
    _readings: Readings = field(default_factory=Readings)
    _candidates: Candidates = field(default_factory=Candidates)
    _likeness: tuple[str, Likeness] | None = None
    _serving: tuple[dt.date, dict[int, Member], dict[str, int]] | None = None

    def refresh(self) -> None:
        """Take in what has changed in the index since the last look."""
        try:
            self._follow()
        except IndexBroken as error:
            self.indexes.mend(error)
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
        self._readings.clear()
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
            for one in _fetch(store, changed, len(hashes)):
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
        memory = _memory_of(known)
        self.members[number] = Member(origin, memory)
        self._readings.drop(number)
        self._candidates.put(number, profile_of(memory))
        if self._likeness is not None:
            self._likeness[1].put(number, vectors or b"")

    def _drop(self, origin: Origin, path: str) -> None:
        number = self._numbers.pop((origin, path), None)
        if number is None:
            return
        del self.members[number]
        self._readings.drop(number)
        self._candidates.drop(number)
        if self._likeness is not None:
            self._likeness[1].drop(number)
        self._free.append(number)

    def serving(self) -> dict[int, Member]:
        """Give the members that count today: not expired, and not hidden by the project's."""
        return self._serve()[1]

    def by_id(self) -> dict[str, int]:
        """Tell the numbers of those members by their ids."""
        return self._serve()[2]

    def _serve(self) -> tuple[dt.date, dict[int, Member], dict[str, int]]:
        day = self.today()
        if self._serving is None or self._serving[0] != day:
            own = {m.memory.id for m in self.members.values() if m.origin is Origin.PROJECT}
            serving = {
                number: member
                for number, member in self.members.items()
                if not has_expired(member.memory.expires, day)
                and (member.origin is Origin.PROJECT or member.memory.id not in own)
            }
            ids = {member.memory.id: number for number, member in serving.items()}
            self._serving = day, serving, ids
        return self._serving

    def find(self, path: str) -> int | None:
        """Find the number of a memory by its path as packs show it."""
        user, _, rest = path.partition(":")
        if rest and user == Origin.USER:
            return self._numbers.get((Origin.USER, rest))
        return self._numbers.get((Origin.PROJECT, path))

    def all_pairs(self, progress: Progress | None = None) -> list[Pair]:
        """List everything that a scan compares; progress is told as none, it is not known yet."""
        alike = [] if self._likeness is None else self._likeness[1].pairs(NEAREST, FLOOR)
        return self._candidates.pairs(alike, None if progress is None else partial(progress, 0, 0))

    def pairs_of(self, number: int) -> list[Pair]:
        """List what one memory is to be compared with."""
        found = self._candidates.partners(self._candidates.profiles[number], number)
        alike = (
            {} if self._likeness is None else dict(self._likeness[1].near(number, NEAREST, FLOOR))
        )
        for other in alike:
            found.setdefault(other, set()).add(Method.SIMILARITY)
        return [
            Pair(min(number, other), max(number, other), in_order(methods), alike.get(other))
            for other, methods in sorted(found.items())
        ]

    def judge(
        self,
        pairs: Iterable[Pair],
        progress: Progress | None = None,
        *,
        workers: int = 1,
        complete: bool = False,
    ) -> list[Found]:
        """Compare pairs of which one at least is the project's; gives those that clash.

        With more than one worker it is shared out among so many processes beside this one.
        Pairs are complete where every memory is there with the one nearest to it.
        """
        serving = self.serving()
        methods = {
            _in_place(pair, serving): pair for pair in pairs if _concerns_project(pair, serving)
        }
        tasks = self._tasks(methods, complete=complete)
        compared = self._share_out(tasks, workers) if workers > 1 else self._compare(tasks)
        found: list[Found] = []
        # Whatever ends this early ends the other processes, too.
        with closing(compared):
            for done, ((one, other, *_), clash) in enumerate(compared, start=1):
                if clash is not None:
                    ways = methods[one, other].methods
                    found.append(Found(serving[one], serving[other], clash, ways))
                if progress is not None and (done % PROGRESS_STEP == 0 or done == len(tasks)):
                    progress(done, len(tasks))
        return sorted(found, key=lambda one: (one.one.place, one.other.place))

    def _tasks(self, pairs: Mapping[tuple[int, int], Pair], *, complete: bool) -> list[Task]:
        alike = {key: self._likeness_of(pair) for key, pair in pairs.items()}
        best: dict[int, float] = {}
        for key, value in alike.items():
            for number in key:
                best[number] = max(best.get(number, FLOOR), value or FLOOR)
        return [
            (*key, value, self._are_nearest(key, value, best, complete=complete))
            for key, value in alike.items()
        ]

    def _are_nearest(
        self,
        two: tuple[int, int],
        value: float | None,
        best: Mapping[int, float],
        *,
        complete: bool,
    ) -> bool:
        """Whether of two memories each is the one most like the other."""
        if value is None or any(value < best[number] for number in two):
            return False
        return complete or all(self._has_no_nearer(number, value) for number in two)

    def _has_no_nearer(self, number: int, value: float) -> bool:
        near = [] if self._likeness is None else self._likeness[1].near(number, 1, FLOOR)
        return all(likeness <= value for _, likeness in near)

    def _likeness_of(self, pair: Pair) -> float | None:
        if pair.likeness is not None or self._likeness is None:
            return pair.likeness
        return self._likeness[1].between(pair.one, pair.other)

    def _compare(self, tasks: Iterable[Task]) -> Compared:
        day = self.today()
        for task in tasks:
            one, other, likeness, nearest = task
            readings = self._reading(one), self._reading(other)
            yield task, compare(*readings, likeness=likeness, today=day, nearest=nearest)

    def _share_out(self, tasks: Sequence[Task], workers: int) -> Compared:
        """Have other processes compare; what they do not finish is done here."""
        with WorkerPool(divide(tasks), self, self.today(), workers) as crew:
            for part, answer in crew.work():
                for number, packed in answer.packed.items():
                    self._readings.put_packed(number, packed)
                clashes = dict(answer.clashes)
                yield from ((task, clashes.get(place)) for place, task in enumerate(part))
        for part in crew.rest.values():
            yield from self._compare(part)

    def _reading(self, number: int) -> Reading:
        known = self._readings.find(number)
        if known is None:
            memory = self.text(number)
            # What was proposed a moment ago is often what is in the file now.
            known = self._readings.find_proposed(memory) or read_memory(memory)
            self._readings.put(number, known)
        return known

    def _read_proposed(self, memory: Memory) -> Reading:
        known = self._readings.find_proposed(memory)
        if known is None:
            known = read_memory(memory)
            self._readings.keep_proposed(known)
        return known

    def text(self, number: int) -> Memory:
        """Give a memory as it is to be read."""
        return self._shortened(self.members[number].memory)

    def packed(self, number: int) -> bytes | None:
        """Give what was read of a memory, if it was."""
        return self._readings.packed(number)

    def _shortened(self, memory: Memory) -> Memory:
        """In a large project, take of a long memory its rules first and not all of it."""
        return shorten(memory, max(FEWEST_SENTENCES, SENTENCES // max(1, len(self.members))))

    def trim(self, progress: Progress | None = None) -> None:
        """Make small what a scan has read and a check seldom needs."""
        self._readings.trim(None if progress is None else partial(progress, 0, 0))

    def clashes_of(self, memory: Memory, towards: Floats | None) -> Iterator[tuple[Member, Clash]]:
        """Compare a memory that is in no file yet with those that are.

        Without the direction that it points in, words and tags find what matters most.
        """
        serving = self.serving()
        found = self._candidates.partners(profile_of(memory))
        alike = self._near(towards)
        closest = max(alike.values(), default=FLOOR)
        reading = self._read_proposed(self._shortened(memory))
        for number in sorted(found.keys() | alike.keys()):
            other = serving.get(number)
            if other is None or other.memory.id == memory.id or other.shown == memory.path:
                continue
            likeness = alike.get(number)
            nearest = likeness == closest and self._has_no_nearer(number, closest)
            clash = compare(
                reading,
                self._reading(number),
                likeness=likeness,
                today=self.today(),
                nearest=nearest,
            )
            if clash is not None:
                yield other, clash

    def _near(self, towards: Floats | None) -> dict[int, float]:
        if towards is None or self._likeness is None:
            return {}
        return dict(self._likeness[1].near_to(towards, NEAREST, FLOOR))


def _in_place(pair: Pair, serving: dict[int, Member]) -> tuple[int, int]:
    """Put a pair into an order: numbers come and go, paths are the same in every process."""
    if serving[pair.one].place <= serving[pair.other].place:
        return pair.one, pair.other
    return pair.other, pair.one


def _concerns_project(pair: Pair, serving: dict[int, Member]) -> bool:
    sides = serving.get(pair.one), serving.get(pair.other)
    if sides[0] is None or sides[1] is None:
        return False
    return Origin.PROJECT in (sides[0].origin, sides[1].origin)


def _fetch(store: IndexStore, paths: list[str], held: int) -> Iterator[IndexedMemory]:
    """Read memories of the index: one by one, or in one go where most are wanted."""
    if len(paths) * 2 < held:
        yield from (store.memory(path) for path in paths)
        return
    wanted = set(paths)
    yield from (one for one in store.memories() if one.path in wanted)


def _memory_of(known: IndexedMemory) -> Memory:
    """Read the memory back from what the index keeps of it."""
    return Memory(
        id=known.id,
        path=known.path,
        title=known.title,
        body=known.content,
        tags=known.tags,
        scope=known.scope,
        priority=known.priority,
        confidence=known.confidence,
        status=Status.ACTIVE,
        created=known.created,
        supersedes=known.supersedes,
        related=known.related,
        expires=known.expires,
        cites=known.cites,
        aliases=known.aliases,
    )
