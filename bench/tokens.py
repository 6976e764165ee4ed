"""Tokens an agent reads per answered question: packs against all notes in one file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench import loaders, projects
from bench.report import Measure, Part, missing
from dmm.domain.pack import QueryRequest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from bench.corpora import ComparisonSet
    from dmm.embed.model import Embedder

TITLE = "Tokens per answered question"


def measure(data: Path, embedder: Embedder) -> Part:
    """Measure on the notes; a question is answered when its target is in the pack."""
    try:
        (corpus,) = loaders.load_notes(data)
    except loaders.SetMissing as error:
        return Part(TITLE, (missing("notes", error),))
    return Part(TITLE, tuple(_measure(corpus, embedder)))


def _measure(corpus: ComparisonSet, embedder: Embedder) -> Iterator[Measure]:
    count = projects.counter()
    monolith = count("\n\n".join(text.content for text in corpus.texts))
    answered, spent = _ask(corpus, embedder)
    total = len(corpus.questions)
    each = spent / max(answered, 1)
    yield Measure("monolith: tokens per question", monolith, digits=0, note="all notes in one file")
    yield Measure("pack: answered, percent", 100 * answered / total, note=f"of {total} questions")
    yield Measure("pack: tokens per question", spent / total, digits=0, note="markdown, all of it")
    yield Measure("pack: tokens per answered question", each, digits=0)
    yield Measure("monolith over pack, per answered question", monolith / each)


def _ask(corpus: ComparisonSet, embedder: Embedder) -> tuple[int, int]:
    """Count the answered questions and the tokens of all packs, at the default budget."""
    count = projects.counter()
    paths = {text.id: text.path for text in corpus.texts}
    answered = spent = 0
    with projects.open_project(lambda: embedder) as dmm:
        memories = (projects.record(text, count=count) for text in corpus.texts)
        projects.fill(dmm, memories, embedder)
        for asked in corpus.questions:
            answer = dmm.packs.query(QueryRequest(asked.text), refresh=False)
            targets = {paths[id_] for id_ in asked.relevant}
            answered += targets <= set(answer.pack.included_paths)
            spent += count(answer.markdown)
    return answered, spent
