"""Compare two memories: exactly where possible, otherwise with the model.

A memory that the model can read whole is compared as one text. Of a longer one, the sentences that
share most words with a sentence of the other memory are compared, and only sure clashes count.
"""

from __future__ import annotations

import re
from functools import lru_cache
from heapq import nlargest
from itertools import product
from typing import TYPE_CHECKING

from dmm.conflicts.exact import (
    DECIDE,
    MERGE,
    SAME,
    VALUES,
    compare_choices,
    compare_texts,
    linked,
    numbers_in,
    rivals,
)
from dmm.conflicts.sentences import code_in, headings_and_sentences
from dmm.domain.conflict import LEAST_SURE, Clash, ConflictType
from dmm.domain.frozen import frozen
from dmm.domain.memory import has_expired
from dmm.domain.text import repeats
from dmm.embed.pairs import phrase
from dmm.index.analysis import analyze
from dmm.rules.language.judge import InForce, Priority, judge
from dmm.rules.source import read_sentence

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Sequence

    from dmm.conflicts.verdicts import Verdicts
    from dmm.domain.memory import Memory
    from dmm.embed.pairs import Chances, PairModel

# Chosen on tables that the model was held back from: nine of ten that reach it are conflicts.
SURE = 0.8
POSSIBLE = 0.55
SURE_OF_A_SENTENCE = 0.95
WHOLE = 90  # words of a memory that the model can read whole
SENTENCES = 2  # pairs of sentences of long memories
FEWEST_SHARED = 3
RETIRE = "Deprecate the outdated one, or let the newer one name it in `supersedes`."
_GONE = re.compile(
    r"\b(?:no longer|not any ?more|was removed|were removed|is gone|replaced|moved from|dropped"
    r"|shut down|switched off|decommissioned|migrated|retired|deprecated)\b",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:not|never|no|don't|doesn't|isn't|aren't|can't|cannot|must\s?n't|won't|without|avoid"
    r"|forbidden|disabled)\b",
    re.IGNORECASE,
)
_TOLD = {
    ConflictType.NUMERIC: VALUES,
    ConflictType.CONTRADICTION: "One says the opposite of the other.",
    ConflictType.OUTDATED: "One says that what the other still relies on is gone.",
    ConflictType.APPROACHES: "They can't both be followed.",
}


@frozen
class Reading:
    """What is compared: the sentences and code of a memory, and whether it is read whole."""

    memory: Memory
    sentences: tuple[str, ...]
    code: tuple[str, ...]
    whole: bool

    @property
    def text(self) -> str:
        """The text that the model reads."""
        told = " ".join(self.sentences)
        return told if repeats(self.memory.title, told) else phrase(self.memory.title, told)


@frozen
class Question:
    """Two texts for the model, and the quotes to show if they contradict each other."""

    one: str
    other: str
    quotes: tuple[str, str]
    least: float
    may_be_same: bool


def read_memory(memory: Memory) -> Reading:
    """Read the sentences of a memory."""
    body = memory.body.strip().removeprefix(f"# {memory.title}")
    _, sentences = headings_and_sentences(body)
    words = sum(len(sentence.split()) for sentence in sentences)
    return Reading(memory, tuple(sentences), tuple(code_in(body)), words <= WHOLE)


def settle_exactly(one: Reading, other: Reading, today: dt.date | None) -> Clash | bool:
    """Return a certain clash, False if there is certainly none, True if the model must decide."""
    first, second = one.memory, other.memory
    if not first.in_force or not second.in_force or linked(first, second):
        return False
    if today and (has_expired(first.expires, today) or has_expired(second.expires, today)):
        return False
    rival = rivals(first, second)
    if rival is not None:
        return rival
    if not one.sentences or not other.sentences:
        return False
    kind = compare_texts(" ".join(one.sentences), " ".join(other.sentences))
    if kind is ConflictType.DUPLICATE:
        same = Clash(kind, 1.0, SAME, MERGE, (one.sentences[0], other.sentences[0]))
        return same if one.code == other.code else False
    quotes = quotes_of(one, other)
    if kind is None and one.whole and other.whole:
        kind = compare_choices(one.sentences, other.sentences)
    elif kind is None:
        # In long memories the words around two sentences say little about them.
        told = ((compare_texts(*pair), pair) for pair in quotes)
        changed = {ConflictType.NUMERIC, ConflictType.CONTRADICTION}
        kind, quotes[0] = next((found for found in told if found[0] in changed), (None, quotes[0]))
    return True if kind is None else Clash(kind, 0.95, _TOLD[kind], DECIDE, quotes[0])


def questions_of(one: Reading, other: Reading) -> list[Question]:
    """Return the questions for the model about two memories."""
    quotes = quotes_of(one, other)
    if one.whole and other.whole:
        return [
            Question(one.text, other.text, quotes[0], POSSIBLE, may_be_same=one.code == other.code)
        ]
    titles = one.memory.title, other.memory.title
    return [
        Question(
            phrase(titles[0], mine),
            phrase(titles[1], yours),
            (mine, yours),
            SURE_OF_A_SENTENCE,
            may_be_same=False,
        )
        for mine, yours in quotes[:SENTENCES]
        if len(_terms(mine) & _terms(yours)) >= FEWEST_SHARED
    ]


def quotes_of(one: Reading, other: Reading) -> list[tuple[str, str]]:
    """Return pairs of sentences, starting with those that share most words."""
    terms = {sentence: _terms(sentence) for sentence in (*one.sentences, *other.sentences)}

    def shared(pair: tuple[str, str]) -> float:
        mine, yours = terms[pair[0]], terms[pair[1]]
        both = len(mine & yours)
        return both / max(1, len(mine) + len(yours) - both)

    return nlargest(SENTENCES, product(one.sentences, other.sentences), shared)


@lru_cache(maxsize=4_096)
def _terms(sentence: str) -> frozenset[str]:
    return frozenset(analyze(sentence))


def find_forbidden(one: Reading, other: Reading) -> Clash | None:
    """Return a clash if a sentence of one memory, read as a rule, forbids one of the other."""
    kind = ConflictType.CONTRADICTION
    pairs = () if linked(one.memory, other.memory) else quotes_of(one, other)
    for mine, yours in pairs:
        if _terms(mine) & _terms(yours) and (_forbids(mine, yours) or _forbids(yours, mine)):
            return Clash(kind, LEAST_SURE - 0.01, _TOLD[kind], DECIDE, (mine, yours))
    return None


def _forbids(ban: str, said: str) -> bool:
    rule, answer = read_sentence(ban), read_sentence(said)
    # What forbids something itself does not do it, whatever the words.
    if rule is None or (answer is not None and answer.forbids):
        return False
    return judge(said, [InForce(0, ban, Priority.REQUIRED, rule)]).blocked


def conclude(questions: Sequence[Question], answers: Sequence[Chances]) -> Clash | None:
    """Return the surest clash from the model's scores; less sure ones are possible."""
    found: list[Clash] = []
    for question, chances in zip(questions, answers, strict=True):
        if chances.conflict >= question.least:
            kind = kind_of(*question.quotes)
            way = RETIRE if kind is ConflictType.OUTDATED else DECIDE
            sure = _confidence(chances.conflict)
            found.append(Clash(kind, sure, _TOLD[kind], way, question.quotes))
        elif question.may_be_same and chances.duplicate >= POSSIBLE:
            sure = _confidence(chances.duplicate)
            found.append(Clash(ConflictType.DUPLICATE, sure, SAME, MERGE, question.quotes))
    return max(found, key=lambda clash: clash.confidence, default=None)


def _confidence(chance: float) -> float:
    """Return the confidence to show; if it is not sure, it stays below the sure level."""
    return round(chance if chance >= SURE else min(chance, LEAST_SURE - 0.01), 2)


def kind_of(one: str, other: str) -> ConflictType:
    """Return the type of the clash between two sentences."""
    if bool(_GONE.search(one)) != bool(_GONE.search(other)):
        return ConflictType.OUTDATED
    mine, yours = numbers_in(one), numbers_in(other)
    if mine and yours and mine != yours:
        return ConflictType.NUMERIC
    if bool(_NOT.search(one)) != bool(_NOT.search(other)):
        return ConflictType.CONTRADICTION
    return ConflictType.APPROACHES


def compare_all(
    pairs: Sequence[tuple[Reading, Reading]],
    model: PairModel | Verdicts | None,
    today: dt.date | None = None,
) -> list[Clash | None]:
    """Return the clash of each pair of memories, or None."""
    found: list[Clash | None] = [None] * len(pairs)
    asked: list[tuple[int, list[Question]]] = []
    for place, (one, other) in enumerate(pairs):
        settled = settle_exactly(one, other, today)
        if isinstance(settled, Clash):
            found[place] = settled
        elif settled and model is not None:
            asked.append((place, questions_of(one, other)))
    if model is None:
        return found
    texts = [(one.one, one.other) for _, questions in asked for one in questions]
    answers = iter(model.judge(texts))
    for place, questions in asked:
        found[place] = conclude(questions, [next(answers) for _ in questions])
    return found
