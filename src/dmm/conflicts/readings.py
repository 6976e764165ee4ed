"""What is read of one memory, once, for all its comparisons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.conflicts.alignment import starts_of
from dmm.conflicts.claims import Claim, read_claims
from dmm.conflicts.places import scopes_in
from dmm.conflicts.quantities import Quantity, quantities_of
from dmm.conflicts.replacements import Traces, traces_of
from dmm.conflicts.sentences import headings_and_sentences
from dmm.conflicts.terms import Term, tells, terms_of
from dmm.conflicts.words import words_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from decimal import Decimal

    from dmm.domain.memory import Memory


Amount = tuple[str, "Decimal | None"]


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything that comparing needs of one memory."""

    memory: Memory
    claims: tuple[Claim, ...]
    title: tuple[Term, ...]
    title_scopes: Mapping[str, frozenset[str]]
    context: frozenset[str]
    starts: Mapping[str, tuple[str, ...]]
    denied: frozenset[str]
    things: frozenset[str]
    traces: Traces
    numbers: frozenset[Amount]


def amount_of(quantity: Quantity) -> Amount:
    """What is counted and how much, whatever the bound."""
    return quantity.measure, quantity.low if quantity.high is None else quantity.high


_LONGEST = 20_000
_MOST_SENTENCES = 40


def read_memory(memory: Memory) -> Reading:
    """Read what a memory claims."""
    _, sentences = headings_and_sentences(memory.body[:_LONGEST])
    sentences = sentences[:_MOST_SENTENCES]
    claims = read_claims(sentences)
    words = words_of(memory.title)
    title = terms_of(words)
    spoken = [(sentence, words_of(sentence)) for sentence in sentences]
    every = frozenset(word.concept for _, said in spoken for word in said if tells(word))
    context = every | {term.concept for term in title}
    return Reading(
        memory=memory,
        claims=claims,
        title=title,
        title_scopes={**scopes_in(words_of(_places_of(memory))), **scopes_in(words)},
        context=context,
        starts=_by_start(context),
        denied=_denied(claims),
        things=frozenset(t.concept for c in claims for t in c.terms if t.slot != "verb"),
        traces=traces_of(memory.title, memory.body),
        numbers=frozenset(
            amount_of(quantity)
            for sentence, said in spoken
            for quantity in quantities_of(said, sentence)
            if quantity.counted or quantity.measure != "count" or quantity.low != 1
        ),
    )


def _places_of(memory: Memory) -> str:
    """The tags and folders of a memory as words; they may tell where it holds."""
    return " ".join((*memory.tags, *memory.directory.split("/"))).replace("_", " ")


def _by_start(words: frozenset[str]) -> dict[str, tuple[str, ...]]:
    table: dict[str, list[str]] = {}
    for word in sorted(words):
        for start in starts_of(word):
            table.setdefault(start, []).append(word)
    return {start: tuple(found) for start, found in table.items()}


def _denied(claims: tuple[Claim, ...]) -> frozenset[str]:
    """What a memory speaks of only to deny it or to tell that it was."""
    against, held = set[str](), set[str]()
    for claim in claims:
        against |= claim.rejected
        (against if claim.negative or claim.past or claim.removing else held).update(claim.keys)
    return frozenset(against - held)
