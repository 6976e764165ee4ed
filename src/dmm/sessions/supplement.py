"""Find the memories that a prompt adds to its session: certain and new ones."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING

from dmm.domain.pack import QueryRequest, Reason, Receipt, Supplement
from dmm.domain.text import drop_markers, neutralise
from dmm.packs.assemble import order_parts
from dmm.packs.render import render_entry
from dmm.redaction.redact import redact

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from dmm.domain.pack import Candidate, PackEntry
    from dmm.packs.service import Packs

PROMPT_BUDGET = 1_200
PROMPT_CHARACTERS = 9_500
LONGEST_PROMPT = 4_000
SHORTEST_SENTENCE = 3
MOST_SENTENCES = 4
HEADING = "# From project memory (DMM)\n\nKnowledge for this prompt; cite the paths you use.\n\n"
_SENTENCE = re.compile(r"[.;!?\n]+(?:\s|$)")


def supplement(packs: Packs, prompt: str, known: frozenset[str]) -> Supplement:
    """Return the memories that a prompt adds to its session.

    A prompt may ask for several things: each sentence is looked up too, since one request among
    others is lost in the whole. What is found twice is given once, the best first.
    """
    text = drop_markers(redact(prompt).text[:LONGEST_PROMPT])
    found: dict[str, PackEntry] = {}
    looked_up: list[Receipt] = []
    for part in dict.fromkeys((text, *_sentences(text))):
        if part.strip():
            request = QueryRequest(part, budget=PROMPT_BUDGET, baseline_budget=0, precise=True)
            added = packs.supplement(request, known)
            looked_up.append(added.receipt)
            for entry in added.entries:
                before = found.get(entry.path)
                if before is None or before.relevance_score < entry.relevance_score:
                    found[entry.path] = entry
    best = sorted(found.values(), key=lambda one: (-one.relevance_score, one.path))
    entries = tuple(order_parts(_fitting(best)))
    return Supplement(entries, _join(looked_up, {one.path for one in entries}))


def _join(receipts: Sequence[Receipt], given: Collection[str]) -> Receipt:
    """Merge receipts: each candidate once, with its best score."""
    best: dict[str, Candidate] = {}
    for one in chain.from_iterable(receipt.candidates for receipt in receipts):
        if one.path not in best or best[one.path].score < one.score:
            best[one.path] = one
    cut = (
        one._replace(reason=Reason.BUDGET) if one.included and one.path not in given else one
        for one in best.values()
    )
    return Receipt(
        candidates=tuple(sorted(cut, key=lambda one: (-one.score, one.path))),
        considered=max((one.considered for one in receipts), default=0),
        memory=max((one.memory for one in receipts), default=0),
    )


def _sentences(text: str) -> list[str]:
    parts = (part.strip() for part in _SENTENCE.split(text))
    return [part for part in parts if len(part.split()) >= SHORTEST_SENTENCE][:MOST_SENTENCES]


def _fitting(entries: Iterable[PackEntry]) -> tuple[PackEntry, ...]:
    left, taken = PROMPT_BUDGET, []
    for entry in entries:
        left -= entry.token_count + entry.heading_tokens
        if left < 0:
            break
        taken.append(entry)
    return tuple(taken)


def write_supplement(entries: Iterable[PackEntry]) -> str:
    """Return the entries as text: whole ones only, within the limit of every agent."""
    parts = [HEADING]
    left = PROMPT_CHARACTERS - len(parts[0])
    for entry in entries:
        block = neutralise(render_entry(entry).rstrip("\n")) + "\n\n"
        if len(block) > left:
            break
        left -= len(block)
        parts.append(block)
    return "".join(parts).rstrip("\n") + "\n" if len(parts) > 1 else ""
