"""The model prompt for finished episodes, and what to accept of its answer.

Nothing that the model says is believed: a fact has to stand in the evidence word for word, and a
title or narrative may name no number, path or identifier that the evidence does not.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dmm.models.answers import malformed, read_line, read_object
from dmm.models.prompts import Quote, read_instructions
from dmm.observations.titles import LONGEST_TITLE
from dmm.observations.wording import clip, squeeze

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from dmm.domain.event import Event
    from dmm.domain.observation import Observation

FILE_NAME = "distiller.md"
LONGEST_EVENT = 1_500
LONGEST_EVIDENCE = 8_000
LONGEST_ANSWER = 64_000
LONGEST_NARRATIVE = 1_200
LONGEST_FACT = 240
SHORTEST_FACT = 6
MOST_FACTS = 8
MOST_FILES = 12
DEEPEST = 6
SHOWN = ("tool", "text", "summary", "input", "output", "error")
_FIELDS = frozenset({"title", "narrative", "facts"})
_CODE = re.compile(r"`([^`]+)`")
_EXACT = re.compile(r"\d|_|::|\w/\w+[/.]|\w\w\.\w|\w@\w|[a-z]{2}[A-Z]")
_AMOUNT = re.compile(r"(\d+(?:[.,]\d+)*)[-%A-Za-z]*")
_EDGES = " .,;:!?()[]{}\"'`*…"


@dataclass(frozen=True, slots=True)
class Material:
    """An episode with the texts of its evidence, cut to size and free of secrets."""

    unit: Observation
    evidence: tuple[tuple[int, str, str], ...]

    @property
    def size(self) -> int:
        """How many characters there are to read."""
        return sum(len(text) for _, _, text in self.evidence)


@dataclass(frozen=True, slots=True)
class Retold:
    """Other words for one episode; `dropped` facts did not stand in the evidence."""

    title: str
    narrative: str
    facts: tuple[str, ...]
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What counts of an answer, by episode, and why the rest does not."""

    retold: Mapping[str, Retold]
    refused: Mapping[str, str]


def gather(unit: Observation, events: Iterable[Event], clean: Callable[[str], str]) -> Material:
    """Gather what an episode rests on; the words of people and agents before those of tools."""
    found = []
    for event in sorted(events, key=lambda one: (event_rank(one), one.seq)):
        # Secrets are looked for in the whole text: a part of one is not recognised.
        texts = (text for name in SHOWN for text in _texts(event.get(name), 0))
        text = clip(clean("\n".join(texts)), LONGEST_EVENT)
        if text.strip():
            found.append((event.seq, str(event.type), text))
    left, kept = LONGEST_EVIDENCE, []
    for seq, kind, text in found:
        if len(text) <= left:
            kept.append((seq, kind, text))
            left -= len(text)
    return Material(unit, tuple(sorted(kept)))


def event_rank(event: Event) -> int:
    """Return what is shown first where not all can be: words, then what tools did."""
    return int(event.get("tool") is not None or not isinstance(event.get("text"), str))


def _texts(value: object, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and depth < DEEPEST:
        named = isinstance(value, dict)
        for one in [value[name] for name in sorted(value, key=str)] if named else value:
            yield from _texts(one, depth + 1)


def ask(batch: Sequence[Material], *, clean: Callable[[str], str]) -> tuple[str, str]:
    """Write the question: the standing instructions, and the episodes with their evidence."""
    quote = Quote(clean)
    lines = ["Retell these episodes."]
    for material in batch:
        lines.extend(_tell(material, quote))
    lines += ["\n## Your answer\n", f"episodes: {', '.join(one.unit.id for one in batch)}"]
    lines.append("One JSON object, and nothing else.")
    return read_instructions(FILE_NAME), "\n".join(lines) + "\n"


def _tell(material: Material, quote: Quote) -> Iterator[str]:
    unit = material.unit
    yield f"\n## Episode {unit.id}\n"
    yield f"kind: {unit.kind}"
    yield f"files: {', '.join(quote.name(one) for one in unit.files[:MOST_FILES]) or 'none'}"
    yield "as the rules tell it:"
    yield from quote.lines(f"{unit.title}\n{unit.narrative}")
    for seq, kind, text in material.evidence:
        yield f"event {seq}, {kind}:"
        yield from quote.lines(text)


def read_answer(text: str, batch: Sequence[Material]) -> Answer:
    """Read an answer strictly, then keep of each episode only what its evidence bears out."""
    found = read_object(text, LONGEST_ANSWER)
    told = found.get("episodes")
    if set(found) != {"episodes"} or not isinstance(told, dict):
        raise malformed("it does not have the one field episodes")
    known = {one.unit.id: one for one in batch}
    if not set(told) <= set(known):
        raise malformed("it names an episode that was not asked about")
    read = {name: _read_one(told[name], name) for name in told}
    kept = {name: _borne_out(one, known[name]) for name, one in read.items()}
    refused = {name: one for name, one in kept.items() if isinstance(one, str)}
    return Answer({name: one for name, one in kept.items() if isinstance(one, Retold)}, refused)


def _read_one(value: Any, name: str) -> Retold:
    if not isinstance(value, dict) or set(value) != _FIELDS:
        raise malformed(f"{name} does not have the fields title, narrative and facts")
    facts = value["facts"]
    if not isinstance(facts, list) or len(facts) > MOST_FACTS:
        raise malformed(f"the facts of {name} are not a list of at most {MOST_FACTS} texts")
    return Retold(
        title=read_line(value["title"], f"title of {name}", LONGEST_TITLE).rstrip("."),
        narrative=read_line(value["narrative"], f"narrative of {name}", LONGEST_NARRATIVE),
        facts=tuple(read_line(fact, f"fact of {name}", LONGEST_FACT) for fact in facts),
    )


def _borne_out(told: Retold, material: Material) -> Retold | str:
    texts = [_plain(text) for _, _, text in material.evidence]
    facts = tuple(fact for fact in dict.fromkeys(told.facts) if _stands_in(fact, texts))
    unit = material.unit
    known = [*texts, *map(_plain, (unit.title, unit.narrative, *unit.facts, *unit.files))]
    for name in _names(f"{told.title} {told.narrative}"):
        if not _is_named(name, known):
            return f"it names {name!r}, which is not in the evidence"
    return Retold(told.title, told.narrative, facts, len(told.facts) - len(facts))


def _stands_in(fact: str, texts: Sequence[str]) -> bool:
    plain = _plain(fact).strip(_EDGES)
    return len(plain) >= SHORTEST_FACT and _occurs(plain, texts)


def _is_named(name: str, texts: Sequence[str]) -> bool:
    """Find a name, or the number of an amount, whatever stands for its unit."""
    amount = _AMOUNT.fullmatch(name)
    if amount is None:
        return _occurs(_plain(name), texts)
    number = re.compile(rf"(?<!\d){re.escape(amount[1])}(?!\d)")
    return any(number.search(text) for text in texts)


def _plain(text: str) -> str:
    return squeeze(text.replace("`", "")).casefold()


def _occurs(plain: str, texts: Sequence[str]) -> bool:
    """Find whole words."""
    whole = re.compile(rf"(?<!\w){re.escape(plain)}(?!\w)")
    return any(whole.search(text) for text in texts)


def _names(text: str) -> list[str]:
    """List what a text names exactly: code, numbers, paths, identifiers."""
    quoted = [one.strip(_EDGES) for one in _CODE.findall(text)]
    words = [word.strip(_EDGES) for word in _CODE.sub(" ", text).split()]
    exact = [word for word in words if _EXACT.search(word)]
    return [name for name in dict.fromkeys([*quoted, *exact]) if name]
