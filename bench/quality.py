"""Quality: how high the answers stand in the ranking that `dmm query` packs from."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from bench import loaders, longfiles, metrics, projects
from bench.baselines import FullText, rank_by_similarity
from bench.report import Measure, Part, missing
from dmm.domain.pack import QueryRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from bench.corpora import ComparisonSet, Question
    from dmm.embed.model import Embedder

    Score = Callable[[Sequence[str], Question, Mapping[str, int]], float]

FTS, DENSE, RRF, DMM = "FTS5-OR", "dense", "RRF", "DMM"
SYSTEMS = (FTS, DENSE, RRF, DMM)


@dataclass(frozen=True, slots=True)
class Test:
    """A set, how its rankings are scored, and what must be reached, in percent."""

    name: str
    load: Callable[[Path], list[ComparisonSet]]
    scores: dict[str, tuple[Score, float | None]]
    by_kind: bool = False


def _recall(depth: int) -> Score:
    return lambda ranked, asked, _: metrics.recall(ranked, asked.relevant, depth)


def _recall_in(tokens: int) -> Score:
    return lambda ranked, asked, words: metrics.recall_in_tokens(
        ranked, asked.relevant, words, tokens
    )


def _reciprocal_rank(ranked: Sequence[str], asked: Question, _: Mapping[str, int]) -> float:
    return metrics.reciprocal_rank(ranked, asked.relevant)


def _ndcg(ranked: Sequence[str], asked: Question, _: Mapping[str, int]) -> float:
    return metrics.ndcg(ranked, asked.relevant)


def _talk(bars: tuple[float | None, ...]) -> dict[str, tuple[Score, float | None]]:
    scores = {"R@10": _recall(10), "R@1200t": _recall_in(1_200), "R@2000t": _recall_in(2_000)}
    return {name: (score, bar) for (name, score), bar in zip(scores.items(), bars, strict=True)}


def _unordered(
    name: str, folder: str, scores: dict[str, tuple[Score, float | None]]
) -> tuple[Test, Test]:
    """Test a set without folders both ways: the layout is ours to choose, so neither is hidden."""
    load = partial(loaders.load_beir, folder=folder)
    return (
        Test(f"{name}, one folder", load, scores),
        Test(f"{name}, a folder each", partial(load, apart=True), scores),
    )


TESTS = (
    Test("LoCoMo", loaders.load_locomo, _talk((75, 84, 88)), by_kind=True),
    Test(
        "LoCoMo, audited key",
        partial(loaders.load_locomo, corrected=True),
        _talk((None, None, None)),
    ),
    Test("notes", loaders.load_notes, {"R@5": (_recall(5), 95), "MRR": (_reciprocal_rank, 87)}),
    *_unordered("SciFact", loaders.SCIFACT, {"nDCG@10": (_ndcg, 74)}),
    *_unordered("CoSQA", loaders.COSQA, {"MRR": (_reciprocal_rank, 54)}),
    Test(
        "long files",
        lambda _: longfiles.build(),
        {"R@5": (_recall(5), 82), "MRR": (_reciprocal_rank, None)},
    ),
    *_unordered("CACM (check)", loaders.CACM, {"nDCG@10": (_ndcg, None)}),
)


@dataclass(slots=True)
class Scores:
    """The scores of all questions by metric and system, and of how many the pack abstained."""

    of: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    kinds: list[str] = field(default_factory=list)
    abstained: int = 0
    packed: list[float] = field(default_factory=list)

    def mean(self, metric: str, system: str, kind: str | None = None) -> float:
        """Average in percent, over all questions or those of one kind."""
        pairs = zip(self.of[metric, system], self.kinds, strict=True)
        return 100 * metrics.mean([score for score, of in pairs if kind in (None, of)])


def measure(data: Path, embedder: Embedder) -> Part:
    """Measure every set that is in the data folder."""
    from bench import beliefs

    measures: list[Measure] = []
    for test in TESTS:
        try:
            measures += _measure_test(test, data, embedder)
        except loaders.SetMissing as error:
            measures.append(missing(test.name, error))
    measures += beliefs.measure(data, embedder)
    remark = (
        "Percent. FTS5-OR: SQLite full text, any word, bm25(). dense: best window. "
        "RRF: both, equal weight, 60."
    )
    return Part("Quality of retrieval", tuple(measures), remark)


def _measure_test(test: Test, data: Path, embedder: Embedder) -> Iterator[Measure]:
    scores = Scores()
    for corpus in test.load(data):
        _run(corpus, test, embedder, scores)
    count = len(scores.kinds)
    note = f"{count} questions, abstained {100 * scores.abstained / count:.1f} %, "
    note += f"answers in the pack {100 * metrics.mean(scores.packed):.1f} %"
    for metric, (_, bar) in test.scores.items():
        yield _compare(f"{test.name} {metric}", scores, metric, bar=bar, note=note)
        note = ""
    if test.by_kind:
        yield from _by_kind(test, scores)


def _by_kind(test: Test, scores: Scores) -> Iterator[Measure]:
    """No kind of question may be answered worse than full text answers it."""
    for kind in sorted(set(scores.kinds)):
        for metric in test.scores:
            bar = scores.mean(metric, FTS, kind)
            note = f"{scores.kinds.count(kind)} questions; bar: FTS5-OR"
            yield _compare(f"  {kind} {metric}", scores, metric, kind=kind, bar=bar, note=note)


def _compare(
    name: str,
    scores: Scores,
    metric: str,
    *,
    kind: str | None = None,
    bar: float | None = None,
    note: str = "",
) -> Measure:
    means = {system: scores.mean(metric, system, kind) for system in SYSTEMS}
    return Measure(name, means.pop(DMM), bar, beside=means, note=note)


def _run(corpus: ComparisonSet, test: Test, embedder: Embedder, scores: Scores) -> None:
    """Ask all questions of one collection and score what each system ranks."""
    words = {text.id: len(text.content.split()) for text in corpus.texts}
    full_text = FullText(corpus.texts)
    with projects.open_project(lambda: embedder) as dmm:
        count = projects.counter()
        memories = (projects.record(text, count=count) for text in corpus.texts)
        projects.fill(dmm, memories, embedder)
        ids = {place.path: place.id for place in dmm.indexes.snapshot().places}
        for asked in corpus.questions:
            vector = embedder.embed_query(asked.text)
            found = full_text.rank(asked.text)
            similar = rank_by_similarity(dmm.indexes.snapshot(), vector)
            request = QueryRequest(asked.text, explain=True)
            pack = dmm.packs.query(request, refresh=False).pack
            ranked = [ids[candidate.path] for candidate in pack.receipt.candidates]
            rankings = {FTS: found, DENSE: similar, DMM: ranked}
            rankings[RRF] = metrics.fuse_ranks([found, similar])
            for metric, (score, _) in test.scores.items():
                for system, ranking in rankings.items():
                    scores.of[metric, system].append(score(ranking, asked, words))
            scores.kinds.append(asked.kind)
            scores.abstained += pack.receipt.abstained
            packed = [ids[path] for path in pack.included_paths]
            scores.packed.append(metrics.recall(packed, asked.relevant, len(packed)))
