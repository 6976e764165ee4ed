"""Recall: conversations imported as sessions, what a search finds, and what the layers cost."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import re
import tempfile
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bench import loaders, metrics, recall_speed
from bench.baselines import FullText, rank_by_similarity
from bench.report import Measure, Part, missing
from dmm.bootstrap import Dmm, open_dmm
from dmm.domain.event import EventType
from dmm.embed.model import Embedder
from dmm.recall.format import full_lines, row_lines
from dmm.recall.results import Row, Searched

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from bench.corpora import ComparisonSet, Question, Text

FTS, DENSE, RRF, DMM = "FTS5-OR", "dense", "RRF", "DMM"
SYSTEMS = (FTS, DENSE, RRF, DMM)
BARS = {"R@10": 61.0, "R@1200t": 75.0, "R@2000t": 81.0}
ROWS = (10, 20)
MOST_ROWS = 200
MOST_SESSIONS = 40
SHARE = 15.0
TURNS = (EventType.USER_MESSAGE_RECEIVED, EventType.TURN_ENDED)
_BODY = re.compile(r"\[(?P<at>[^]]*)\] (?P<name>[^:]+): (?P<text>.*)", re.DOTALL)


@dataclass(slots=True)
class Scores:
    """What all questions gave, by metric and system, or by way of reading and its depth."""

    of: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    found: dict[tuple[str, int], list[float]] = field(default_factory=lambda: defaultdict(list))
    cost: dict[tuple[str, int], list[float]] = field(default_factory=lambda: defaultdict(list))
    unclear: int = 0
    questions: int = 0

    def mean(self, metric: str, system: str) -> float:
        """Average in percent."""
        return 100 * metrics.mean(self.of[metric, system])

    def reading(self, way: str, depth: int) -> tuple[float, float]:
        """Average the evidence found and the tokens read of one way of reading."""
        return metrics.mean(self.found[way, depth]), metrics.mean(self.cost[way, depth])


@dataclass(frozen=True, slots=True)
class Talk:
    """One conversation in its project: which event holds which turn, and what reading costs."""

    dmm: Dmm
    turns: dict[int, str]
    full: dict[str, int]
    sessions: dict[str, int]
    place: dict[str, str]

    def named(self, row: Row) -> set[str]:
        """Tell the turns that a row rests on."""
        return {self.turns[seq] for seq in row.sources if seq in self.turns}


def measure(data: Path, embedder: Embedder) -> Part:
    """Measure recall over the conversations in the data folder, and its speed."""
    measures: list[Measure] = []
    try:
        scores = Scores()
        for corpus in loaders.load_locomo(data):
            with opened(embedder) as dmm:
                _ask(corpus, _import(corpus, dmm), embedder, scores)
        measures += [*_quality(scores), *_costs(scores)]
    except loaders.SetMissing as error:
        measures.append(missing("LoCoMo", error))
    model = Embedder.load()
    with opened(recall_speed.Drawn(model)) as dmm:
        measures += recall_speed.measure(dmm, model)
    remark = (
        "Percent, tokens and ms. One ledger event per turn, imported as sessions; the other systems"
        " rank the same turns. Share: rows of a search and the whole of those that are evidence,"
        " over the best sessions in whole as the set has them, as many as find as much evidence."
    )
    return Part("Recall of sessions", tuple(measures), remark)


def _quality(scores: Scores) -> Iterator[Measure]:
    note = f"{scores.questions} questions, {scores.unclear} answered with a hint only or weakly"
    for metric, bar in BARS.items():
        means = {system: scores.mean(metric, system) for system in SYSTEMS}
        yield Measure(f"LoCoMo {metric}", means.pop(DMM), bar, beside=means, note=note)
        note = ""


def _costs(scores: Scores) -> Iterator[Measure]:
    for rows in ROWS:
        found, cost = scores.reading("rows", rows)
        whole = _sessions_for(scores, found)
        note = f"evidence {100 * found:.1f} %: {cost:,.0f} tokens, sessions in whole {whole:,.0f}"
        name = f"three layers, {rows} rows: share of tokens"
        yield Measure(name, 100 * cost / whole, SHARE, at_most=True, note=note)


def _sessions_for(scores: Scores, wanted: float) -> float:
    """Tell what whole sessions cost that find as much; between two numbers in proportion."""
    before = (0.0, 0.0)
    for depth in range(1, MOST_SESSIONS + 1):
        found, cost = scores.reading("sessions", depth)
        if found >= wanted:
            share = (wanted - before[0]) / (found - before[0])
            return before[1] + share * (cost - before[1])
        before = (found, cost)
    return before[1]


@contextlib.contextmanager
def opened(embedder: Embedder) -> Iterator[Dmm]:
    """Make an empty trusted project in a temporary folder."""
    with tempfile.TemporaryDirectory(prefix="dmm-bench-") as name:
        folder = Path(name) / "project"
        (folder / ".dmm" / "memory").mkdir(parents=True)
        dmm = open_dmm(override=folder, home=Path(name), load_model=lambda: embedder)
        dmm.trust_store.trust(dmm.root.folder)
        dmm.recall.embed_within = None
        try:
            yield dmm
        finally:
            dmm.close()


def _import(corpus: ComparisonSet, dmm: Dmm) -> Talk:
    """Import a conversation as its sessions."""
    lines: list[str] = []
    names: dict[str, int] = {}
    for text in corpus.texts:
        found = _BODY.fullmatch(text.body)
        if found is None:
            raise ValueError(f"not a turn: {text.body[:80]}")
        first = names.setdefault(found["name"], len(names)) == 0
        told = {
            "session": text.directory,
            "at": _moment(found["at"], int(text.name)),
            "role": "user" if first else "assistant",
            "name": found["name"],
            "text": found["text"],
        }
        lines.append(json.dumps(told | {"id": text.id}) + "\n")
    file = dmm.root.project / "talk.jsonl"
    file.write_text("".join(lines), "utf-8")
    dmm.transcripts.record(dmm.transcripts.find([file], "generic"))
    return _describe(corpus.texts, dmm, _match(corpus.texts, dmm))


def _moment(told: str, place: int) -> str:
    """Read the time of a session, such as 1:56 pm on 8 May, 2023, and add a second per turn."""
    read = dt.datetime.strptime(told, "%I:%M %p on %d %B, %Y").replace(tzinfo=dt.UTC)
    return (read + dt.timedelta(seconds=place)).isoformat()


def _match(texts: Sequence[Text], dmm: Dmm) -> dict[int, str]:
    """Tell which event holds which turn: both are in the order of their sessions."""
    log = dmm.project_ledger.log
    of: dict[str, list[int]] = defaultdict(list)
    for event in log.events_of(TURNS, 0, log.head().seq):
        of[event.session or ""].append(event.seq)
    turns: dict[str, list[str]] = defaultdict(list)
    for text in texts:
        turns[text.directory].append(text.id)
    pairs: dict[int, str] = {}
    for session, ids in turns.items():
        pairs |= dict(zip(of[session], ids, strict=True))
    return pairs


def _describe(texts: Sequence[Text], dmm: Dmm, turns: dict[int, str]) -> Talk:
    full = {
        name: dmm.count("\n".join(full_lines(dmm.recall.get_observations([name]))))
        for name in dmm.observations.units()
    }
    sessions: dict[str, int] = defaultdict(int)
    for text in texts:
        sessions[text.directory] += dmm.count(text.content)
    return Talk(dmm, turns, full, sessions, {text.id: text.directory for text in texts})


def _ask(corpus: ComparisonSet, talk: Talk, embedder: Embedder, scores: Scores) -> None:
    """Ask all questions of one conversation and score what each system ranks."""
    words = {text.id: len(text.content.split()) for text in corpus.texts}
    full_text = FullText(corpus.texts)
    by_unit = {f"msg_{seq}": turn for seq, turn in talk.turns.items()}
    for asked in corpus.questions:
        told = talk.dmm.recall.search(asked.text, limit=MOST_ROWS)
        rows = told.results
        similar = rank_by_similarity(
            talk.dmm.recall.indexes.snapshot(), embedder.embed_query(asked.text)
        )
        rankings = {
            FTS: full_text.rank(asked.text),
            DENSE: [by_unit[one] for one in similar if one in by_unit],
            DMM: list(dict.fromkeys(turn for row in rows for turn in sorted(talk.named(row)))),
        }
        rankings[RRF] = metrics.fuse_ranks([rankings[FTS], rankings[DENSE]])
        for system, ranked in rankings.items():
            for metric, score in _score(ranked, asked, words).items():
                scores.of[metric, system].append(score)
        scores.questions += 1
        scores.unclear += bool(told.hint)
        _read(talk, asked, rows, scores)


def _score(ranked: list[str], asked: Question, words: dict[str, int]) -> dict[str, float]:
    found = {"R@10": metrics.recall(ranked, asked.relevant, 10)}
    for budget in (1_200, 2_000):
        within = metrics.recall_in_tokens(ranked, asked.relevant, words, budget)
        found[f"R@{budget}t"] = within
    return found


def _read(talk: Talk, asked: Question, rows: tuple[Row, ...], scores: Scores) -> None:
    """Read in two ways: rows and the whole of those that are evidence, or sessions in whole."""
    for depth in ROWS:
        taken = rows[:depth]
        chosen = [row.id for row in taken if talk.named(row) & asked.relevant]
        seen = {turn for row in taken for turn in talk.named(row)} & asked.relevant
        cost = talk.dmm.count("\n".join(row_lines(Searched("", taken, ""))))
        scores.found["rows", depth].append(len(seen) / len(asked.relevant))
        scores.cost["rows", depth].append(cost + sum(talk.full[name] for name in chosen))
    best = list(dict.fromkeys(row.session for row in rows))
    rest = [one for one in sorted(talk.sessions) if one not in best]
    for depth in range(1, MOST_SESSIONS + 1):
        taken_whole = set([*best, *rest][:depth])
        seen = {turn for turn in asked.relevant if talk.place[turn] in taken_whole}
        scores.found["sessions", depth].append(len(seen) / len(asked.relevant))
        scores.cost["sessions", depth].append(sum(talk.sessions[one] for one in taken_whole))
