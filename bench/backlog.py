"""A large tree that is not indexed yet: how soon a query answers, what it finds, what it costs.

The files are drawn like those of the other measures. One file in the middle of the tree is about
something that no other file mentions; the query asks for it, so a partial answer that finds it has
looked where it matters.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bench import projects, synthetic
from bench.corpora import Text
from bench.daemon import COMMAND, Machine
from bench.report import Measure, Part
from dmm.domain.memory import Origin
from dmm.embed.model import Embedder
from dmm.embed.tokens import TokenCounter
from dmm.files import markdown
from dmm.files.tree import MemoryTree
from dmm.files.trusted import TrustStore
from dmm.index import analysis, composite
from dmm.index.lexical import pack_terms
from dmm.index.store import IndexStore
from dmm.index.sync import Syncer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bench.synthetic import World

FILES = 100_000
FEW_FILES = 3_000
SAMPLE = 500
QUESTION = "why does the zeppelin hangar refuse a quixotic moonbeam"
ABOUT = "The zeppelin hangar refuses a quixotic moonbeam, since its roof is made of slate."
WITHIN = 5.0
QUERIES = 3


@dataclass(frozen=True, slots=True)
class Asked:
    """What one query took, and what came of it."""

    wall: float
    cpu: float
    peak: float
    indexed: int
    found: bool
    baseline: int


def measure(*, quick: bool = False) -> Part:
    """Ask without the daemon and with it, while nothing, half and all words are indexed."""
    files = FEW_FILES if quick else FILES
    embedder = Embedder.load()
    world = synthetic.make_world(embedder)
    with tempfile.TemporaryDirectory(prefix="dmm-bench-", dir="/tmp") as name:
        machine = Machine(Path(name))
        folder = _write(machine, world, files)
        tree = MemoryTree(folder / ".dmm" / "memory")
        measures = [
            *_profile(tree, embedder),
            *_ask_all(machine, folder, tree, files),
        ]
    remark = f"{files:,} files of about 260 words; wall times depend on what else runs here."
    return Part("Backlog", tuple(measures), remark)


def _write(machine: Machine, world: World, files: int) -> Path:
    folder = machine.base / "project"
    (folder / ".dmm" / "memory").mkdir(parents=True)
    projects.write_baseline(folder)
    projects.write_texts(folder, _draw(world, files))
    TrustStore.of_user(machine.home).trust(folder / ".dmm")
    return folder


def _draw(world: World, files: int) -> Iterator[Text]:
    rng = np.random.default_rng(synthetic.SEED)
    for number in range(files):
        words = synthetic.draw_words(world, rng, int(rng.integers(*synthetic.LENGTHS)))
        body = f"{' '.join(words)}."
        if number == files // 2:
            body = f"{body}\n\n{ABOUT}"
        title = " ".join(words[:4]).capitalize()
        area = f"area_{number % synthetic.DIRECTORIES:02d}"
        yield Text(str(number), area, f"memory_{number:06d}", body, title)


def _profile(tree: MemoryTree, embedder: Embedder) -> Iterator[Measure]:
    """Tell what each step costs for one file; the ratios say what is worth leaving for later."""
    count = TokenCounter().count
    count("load the ranks")
    begun = time.process_time()
    stamps = tree.scan().stamps
    yield _each("a file scanned, CPU us", begun, len(stamps))
    chosen = stamps[:: max(1, len(stamps) // SAMPLE)][:SAMPLE]
    begun = time.process_time()
    for stamp in chosen:
        tree.glance(stamp.path)
    yield _each("  looked at, raw", begun, len(chosen))
    begun = time.process_time()
    documents = [markdown.decode(one.path, tree.read(one.path)) for one in chosen]
    memories = [
        markdown.parse(one.path, text).memory for one, text in zip(chosen, documents, strict=True)
    ]
    yield _each("  read and parsed", begun, len(chosen))
    begun = time.process_time()
    for memory in memories:
        count(memory.body)
    yield _each("  tokens counted", begun, len(chosen))
    store = IndexStore.in_memory()
    begun = time.process_time()
    run = Syncer(Origin.PROJECT, count, None).begin(tree, store, now_ns=time.time_ns())
    run.prepare()
    run.prefer([one.path for one in chosen], 0)
    while run.prefers:
        run.advance()
    words = time.process_time() - begun
    rows = list(store.memories())
    begun = time.process_time()
    for row in rows:
        pack_terms(analysis.weigh(row))
    yield _each("  terms weighed", begun, len(rows))
    yield Measure("  words indexed, all of it", 1e6 * words / len(rows), digits=0)
    begun = time.process_time()
    cuts = [composite.cut(row, embedder.encode) for row in rows]
    yield _each("  windows cut", begun, len(rows))
    begun = time.process_time()
    embedder.embed_windows([window for cut in cuts[:50] for window in cut])
    vectors = (time.process_time() - begun) / 50
    yield Measure("  windows embedded", 1e6 * vectors, digits=0)
    ratio = vectors / (words / len(rows))
    yield Measure("vectors over words, CPU of one file", ratio, digits=1)
    store.close()


def _each(name: str, begun: float, number: int) -> Measure:
    return Measure(name, 1e6 * (time.process_time() - begun) / number, digits=0)


def _ask_all(machine: Machine, folder: Path, tree: MemoryTree, files: int) -> Iterator[Measure]:
    reading = _read_all(tree)
    cold = [_ask(machine, folder) for _ in range(QUERIES)]
    yield from _tell("nothing indexed, no daemon", cold, reading)
    yield Measure("  files indexed by each of them", cold[-1].indexed / QUERIES, digits=0)
    with machine.running() as pid:
        warm = [_ask(machine, folder, pid) for _ in range(QUERIES)]
    yield from _tell("nothing indexed, daemon", warm, reading)
    for share in (2, 1):
        _index_words(folder, tree, files // share)
        name = "half of the words indexed" if share == 2 else "all words indexed, no vectors"
        yield from _tell(f"{name}, no daemon", [_ask(machine, folder)], reading)
        with machine.running() as pid:
            warm = [_ask(machine, folder, pid) for _ in range(QUERIES)]
        yield from _tell(f"{name}, daemon", warm, reading)


def _read_all(tree: MemoryTree) -> float:
    """Take the time to read every file once, which no search without an index can do without."""
    begun = time.process_time()
    for stamp in tree.scan().stamps:
        tree.glance(stamp.path)
    return time.process_time() - begun


def _index_words(folder: Path, tree: MemoryTree, files: int) -> None:
    """Index the words of so many files, as an interrupted run leaves them."""
    store = IndexStore.open(folder / ".dmm" / "index" / "embeddings.db")
    syncer = Syncer(Origin.PROJECT, TokenCounter().count, None, batch_size=500)
    run = syncer.begin(tree, store, now_ns=time.time_ns())
    run.prepare()
    while len(run.waiting) > len(run.scan.stamps) - files and run.advance():
        pass
    store.close()


def _ask(machine: Machine, folder: Path, daemon: int | None = None) -> Asked:
    """Run `dmm query` in a process of its own and see what it answers."""
    line = [str(COMMAND), "query", QUESTION, "--json"]
    busy = 0.0 if daemon is None else _cpu(daemon)
    begun = time.perf_counter()
    process = subprocess.Popen(line, cwd=folder, env=machine.env, stdout=subprocess.PIPE)
    assert process.stdout is not None
    told: dict[str, Any] = json.loads(process.stdout.read())
    process.stdout.close()
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0
    wall = time.perf_counter() - begun
    cpu = used.ru_utime + used.ru_stime + (0.0 if daemon is None else _cpu(daemon) - busy)
    peak = used.ru_maxrss / 1024 if daemon is None else _peak(daemon)
    paths = "".join(one["content"] for one in told["pack"]["retrieved_entries"])
    return Asked(
        wall,
        cpu,
        peak,
        told["stats"]["indexed"],
        ABOUT in paths,
        len(told["pack"]["baseline_entries"]),
    )


def _cpu(pid: int) -> float:
    parts = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def _peak(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def _tell(name: str, asked: Sequence[Asked], reading: float) -> Iterator[Measure]:
    def worst(figure: Callable[[Asked], float]) -> float:
        return max(map(figure, asked))

    whole = all(one.baseline == len(projects.BASELINE) for one in asked)
    found = sum(one.found for one in asked)
    note = f"found {found} of {len(asked)}, baseline {'whole' if whole else 'NOT WHOLE'}"
    wall = worst(lambda one: one.wall)
    yield Measure(f"{name}, slowest, wall s", wall, WITHIN, at_most=True, digits=2, note=note)
    ratio = worst(lambda one: one.cpu) / reading
    yield Measure("  CPU over reading every file once", ratio, digits=1)
    yield Measure("  memory at its peak, MB", worst(lambda one: one.peak), digits=0)
