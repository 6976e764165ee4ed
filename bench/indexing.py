"""Indexing: files through a whole sync, against embedding the same windows and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench import clock, longfiles, metrics, projects
from bench.report import Measure, Part
from dmm.embed.model import Embedder
from dmm.index import composite

if TYPE_CHECKING:
    from bench.clock import Spent
    from bench.corpora import Text

FILES = 100
TOKENS = range(420, 581)
ROUNDS = 3


def choose_texts(count: int = FILES) -> list[Text]:
    """Choose files of about 500 tokens from the long-file set."""
    (corpus,) = longfiles.build()
    measured = projects.counter()
    fitting = [text for text in corpus.texts if measured(text.content) in TOKENS]
    if len(fitting) < count:
        raise LookupError(f"only {len(fitting)} of {count} texts of fitting length")
    return fitting[:count]


def measure() -> Part:
    """Sync new projects and embed their windows bare, in turns."""
    embedder = Embedder.load()
    texts = choose_texts()
    count = projects.counter()
    tokens = metrics.mean([count(text.content) for text in texts])
    rounds = [_sync(texts, embedder) for _ in range(ROUNDS)]
    whole = metrics.percentile([one.wall for one, _, _ in rounds], 0.5)
    busy = metrics.percentile([one.cpu for one, _, _ in rounds], 0.5)
    single = [one for _, _, one in rounds]
    ratio = metrics.percentile([bare.cpu / synced.cpu for synced, bare, _ in rounds], 0.5)
    wall_ratio = metrics.percentile([bare.wall / synced.wall for synced, bare, _ in rounds], 0.5)
    measures = (
        Measure("throughput over bare embedding, CPU", ratio, 0.8, digits=2),
        Measure("throughput over bare embedding, wall", wall_ratio, 0.8, digits=2),
        Measure("files per second", FILES / whole, 10, note=f"{tokens:.0f} tokens a file"),
        Measure(
            f"{FILES} files, wall s", whole, 10, at_most=True, digits=2, note=f"CPU {busy:.1f} s"
        ),
        Measure("one changed file, wall ms", clock.wall_ms(single), 500, at_most=True, digits=0),
        Measure("one changed file, CPU ms", clock.cpu_ms(single), digits=0),
    )
    return Part("Indexing", measures, f"Median of {ROUNDS} fresh indexes; the model is loaded.")


def _sync(texts: list[Text], embedder: Embedder) -> tuple[Spent, Spent, Spent]:
    """Take the time of a fresh sync, of the bare windows, and of one changed file."""
    with projects.open_project(lambda: embedder) as dmm:
        projects.write_texts(dmm.root.project, texts)
        synced = clock.spend(dmm.indexes.sync)
        memories = projects.open_store(dmm).memories()
        if len(memories) != len(texts):
            raise LookupError(f"{len(memories)} of {len(texts)} files were indexed")
        cuts = [composite.cut(memory, embedder.encode) for memory in memories]
        windows = [window for cut in cuts for window in cut]
        bare = clock.spend(lambda: embedder.embed_windows(windows))
        changed = dmm.root.project / ".dmm" / "memory" / memories[0].path
        changed.write_text(changed.read_text("utf-8") + "\nOne more sentence.\n", "utf-8")
        return synced, bare, clock.spend(dmm.indexes.sync)
