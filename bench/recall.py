"""Recall: conversations imported as sessions, what a search finds, and what the layers cost."""

from __future__ import annotations

import contextlib
import datetime as dt
import json
import re
import tempfile
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from bench import loaders, metrics, projects
from bench.baselines import FullText, rank_by_similarity
from bench.corpora import Text
from bench.report import Measure, Part, missing
from dmm.bootstrap import Dmm, open_dmm
from dmm.service.recalled import full_lines, row_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from bench.corpora import Corpus, Question
    from dmm.domain.observation import Observation
    from dmm.embed.model import Embedder

FTS, DENSE, RRF, DMM = "FTS5-OR", "dense", "RRF", "DMM"
SYSTEMS = (FTS, DENSE, RRF, DMM)
DEPTH = 10
ROWS = 200
BARS = {"R@10": 61.0, "R@1200t": 75.0, "R@2000t": 81.0}
SHARE = 15.0
_BODY = re.compile(r"\[(?P<at>[^]]*)\] (?P<name>[^:]+): (?P<text>.*)", re.DOTALL)


@dataclass(slots=True)
class Scores:
    """The scores of all questions by metric and system, and what the ways to read cost."""

    of: dict[tuple[str, str], list[float]] = field(default_factory=lambda: defaultdict(list))
    costs: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    empty: int = 0

    def mean(self, metric: str, system: str) -> float:
        """Average in percent."""
        return 100 * metrics.mean(self.of[metric, system])


def measure(data: Path, embedder: Embedder) -> Part:
    """Measure recall over the conversations in the data folder."""
    scores = Scores()
    try:
        corpora = loaders.load_locomo(data)
    except loaders.SetMissing as error:
        return Part("Recall of sessions", (missing("LoCoMo", error),))
    for corpus in corpora:
        with opened(embedder) as dmm:
            _ask(corpus, _import(corpus, dmm), dmm, embedder, scores)
    remark = (
        "Percent; one ledger event per turn, imported as sessions. FTS5-OR, dense and RRF rank the"
        " same units. rows: search with 10 rows; full: the text of the units that are evidence;"
        " sessions: all units of the sessions that the rows lead to."
    )
    return Part("Recall of sessions", tuple(_measures(scores)), remark)


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


def _import(corpus: Corpus, dmm: Dmm) -> dict[int, str]:
    """Import a conversation as its sessions, and tell which event holds which turn."""
    lines, names = [], {}
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
    return _match(corpus.texts, dmm)


def _moment(told: str, place: int) -> str:
    """Read the time of a session, such as 1:56 pm on 8 May, 2023, and add a minute per turn."""
    read = dt.datetime.strptime(told, "%I:%M %p on %d %B, %Y").replace(tzinfo=dt.UTC)
    return (read + dt.timedelta(seconds=place)).isoformat()


def _match(texts: Sequence[Text], dmm: Dmm) -> dict[int, str]:
    """Tell which event holds which turn: both are in the order of their sessions."""
    of = defaultdict(list)
    for event in dmm.chronicle.log.events_of(["UserMessageReceived", "TurnEnded"], 0, 10**9):
        of[event.session].append(event.seq)
    turns = defaultdict(list)
    for text in texts:
        turns[text.directory].append(text.id)
    pairs: dict[int, str] = {}
    for session, ids in turns.items():
        pairs |= dict(zip(of[session], ids, strict=True))
    return pairs
