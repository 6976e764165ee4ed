"""PrecisionMemBench: nothing but the right beliefs may come back.

How it maps to DMM: a belief is a memory named by its canonical name, its aliases are the memory's
aliases, and what takes part in it is `related`. Pinned beliefs and open questions are always
served, so they are baseline. What is superseded or resolved is not in force. The domain asked in
is the project, so beliefs of other domains and other users are not there. The answer is what the
pack retrieves when it is asked to be precise.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bench import loaders, metrics, projects
from bench.baselines import FullText
from bench.corpora import Text
from bench.report import Measure, missing
from dmm.domain.memory import Scope
from dmm.domain.pack import QueryRequest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dmm.bootstrap import Dmm
    from dmm.embed.model import Embedder
    from dmm.index.records import IndexedMemory

BELIEFS = "memory/precisionmembench/beliefs.seed.json"
CASES = "memory/precisionmembench/retrieval.cases.dev.json"
NAME = "PrecisionMemBench"
USER = "test-user"
UNLIMITED = 10_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one case expects, and what came back: in the pack, first in it, first by full text."""

    expected: frozenset[str]
    packed: frozenset[str]
    first: frozenset[str]
    full_text: frozenset[str]


def measure(data: Path, embedder: Embedder) -> Iterator[Measure]:
    """Measure exact answers, and the precision and recall of what is returned."""
    try:
        beliefs = loaders.read_json(data, BELIEFS)
        cases = loaders.read_json(data, CASES)
    except loaders.SetMissing as error:
        yield missing(NAME, error)
        return
    outcomes = [_answer(case, beliefs, embedder) for case in cases]
    total = len(outcomes)
    exact = sum(o.packed == o.expected for o in outcomes)
    first = sum(o.first == o.expected for o in outcomes)
    fts = sum(o.full_text == o.expected for o in outcomes)
    yield Measure(
        f"{NAME} exact",
        100 * exact / total,
        90,
        beside={"FTS5-OR": 100 * fts / total},
        note=f"{exact} of {total}; FTS5-OR: its first hit; best entry of the pack alone: {first}",
    )
    yield Measure(f"{NAME} precision", 100 * metrics.mean([*map(_precision, outcomes)]))
    yield Measure(f"{NAME} recall", 100 * metrics.mean([*map(_recall, outcomes)]))


def _precision(outcome: Outcome) -> float:
    if not outcome.packed:
        return 1.0
    return len(outcome.packed & outcome.expected) / len(outcome.packed)


def _recall(outcome: Outcome) -> float:
    if not outcome.expected:
        return 1.0
    return len(outcome.packed & outcome.expected) / len(outcome.expected)


def _answer(case: dict[str, Any], beliefs: list[dict[str, Any]], embedder: Embedder) -> Outcome:
    held = [b for b in beliefs if b["user_id"] == USER and set(b["scope"]) & set(case["scope"])]
    served = [b for b in held if _is_current(b) and b["pinned"]]
    most = case.get("budget", {}).get("maxBeliefs", UNLIMITED)
    room = max(0, most - len(served))
    with projects.open_project(lambda: embedder) as dmm:
        count = projects.counter()
        projects.fill(dmm, (_memory(b, count) for b in held), embedder)
        found = _retrieve(dmm, case["query"])[:room]
    expected = case["expect"].get("relevantBeliefs", {}).get("shouldOnlyInclude", [])
    candidates = [_text(b) for b in held if _is_current(b) and not _is_standing(b)]
    return Outcome(
        expected=frozenset(expected),
        packed=frozenset(found),
        first=frozenset(found[:1]),
        full_text=frozenset(FullText(candidates).rank(case["query"])[: min(1, room)]),
    )


def _retrieve(dmm: Dmm, query: str) -> list[str]:
    """List the ids in the pack, best first."""
    request = QueryRequest(query, precise=True)
    entries = dmm.packs.query(request, refresh=False).pack.retrieved_entries
    return [entry.id for entry in sorted(entries, key=lambda entry: -entry.relevance_score)]


def _is_current(belief: dict[str, Any]) -> bool:
    return belief["epistemic_status"] != "superseded" and not belief["resolved_at"]


def _is_standing(belief: dict[str, Any]) -> bool:
    return bool(belief["pinned"]) or belief["type"] == "open_question"


def _text(belief: dict[str, Any]) -> Text:
    domain = belief["scope"][0].partition(":")[2]
    return Text(
        id=belief["_id"],
        directory=domain,
        name=belief["_id"],
        body=belief["content"],
        title=belief["canonical_name"].replace("_", " "),
        aliases=tuple(belief["aliases"]),
    )


def _memory(belief: dict[str, Any], count: Callable[[str], int]) -> IndexedMemory:
    return projects.record(
        _text(belief),
        count=count,
        scope=Scope.BASELINE if _is_standing(belief) else Scope.PROJECT,
        in_force=_is_current(belief),
        related=tuple(belief.get("participants", ())),
    )
