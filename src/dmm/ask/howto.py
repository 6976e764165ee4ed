"""Find what a repository tells people to do about a question, in documents and in tasks."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dmm.ask import landmarks
from dmm.index.analysis import analyze

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.ask.guides import Instruction

    Liken = Callable[[str, Sequence[str]], Sequence[float]]

# The model compares the question with the instructions that share most of its words.
MOST_COMPARED = 80
# What the words count beside the meaning, what having a command counts, and what it costs to stand
# beside the product: chosen on 133 questions over 19 repositories (bench/everyday/howto.jsonl).
WORDS, COMMAND, BESIDE = 0.3, 0.05, 0.05
MOST_HEADINGS, LONGEST_READ, LONGEST_CODE = 2, 240, 120
# What a person reads of an instruction.
LONGEST_SAID, LONGEST_COMMAND, MOST_SHOWN = 140, 80, 3
# What a prompt quotes of the section, from an instruction on.
MOST_QUOTED = 12
_ASKS_TO_DO = re.compile(
    r"\bhow (?:do|can|could|should|would|must) (?:i|we|you|one|people)\b|\bhow to\b"
    r"|\bcan (?:i|we|you)\b|\bwhat (?:do|should|must|can) (?:i|we|you) (?:run|need|install)\b"
    r"|\bwhat (?:has|needs|must) (?:to )?be\b|\bwhat are the steps\b"
    r"|\b(?:what|which|where|there)(?:'s| is)?(?: \w+){0,3} (?:command|script|guide)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Judged:
    """An instruction, how near it is to a question, in meaning alone, and its share of words."""

    told: Instruction
    near: float
    alike: float
    covers: float


def asks_to_do(question: str) -> bool:
    """Return whether a question asks how to do something rather than what the code does."""
    return _ASKS_TO_DO.search(question) is not None


def order(words: str, found: Sequence[Instruction], liken: Liken) -> list[Judged]:
    """Order instructions, the nearest to a question first; without a model by their words alone."""
    asked = {*analyze(words)}
    held = [asked.intersection(analyze(_write(one))) for one in found]
    counted = Counter(term for terms in held for term in terms)
    worth = {term: math.log(1 + len(found) / (1 + counted[term])) for term in asked}
    total = sum(worth.values()) or 1.0
    covers = [sum(worth[term] for term in terms) / total for terms in held]
    first = sorted(range(len(found)), key=lambda at: -covers[at])[:MOST_COMPARED]
    alike = liken(words, [describe(found[at]) for at in first]) or [0.0] * len(first)
    judged = [
        Judged(one, value + WORDS * covers[at] + _weigh(one), value, covers[at])
        for at, value in zip(first, alike, strict=True)
        for one in (found[at],)
    ]
    return _complete(sorted(judged, key=lambda one: -one.near), found)


def _complete(judged: Sequence[Judged], found: Sequence[Instruction]) -> list[Judged]:
    """Keep the nearest instruction of each section, with the commands of the section."""
    sections: dict[object, list[Instruction]] = {}
    for one in found:
        sections.setdefault(_section_of(one), []).append(one)
    nearest: dict[object, Judged] = {}
    for two in judged:
        nearest.setdefault(_section_of(two.told), two)
    return [_join(one, sections[key]) for key, one in nearest.items()]


def _section_of(one: Instruction) -> object:
    return one if one.is_declared else (one.path, one.headings)


def _join(one: Judged, section: Sequence[Instruction]) -> Judged:
    """Add to an instruction the lines that follow, and to words without a command that as well."""
    told = one.told
    if told.is_declared:
        return one
    later = [two for two in section if two.line > told.line]
    commanded = [] if told.commands else [two for two in later if two.commands][:1]
    is_lead = told.said.endswith(":") and not (told.commands or commanded)
    listed = later[:MOST_SHOWN] if is_lead else []
    near = [two for two in later if two.end < told.line + MOST_QUOTED]
    joined = replace(
        told,
        said=f"{told.said} {'; '.join(two.said for two in listed)}".strip(),
        commands=commanded[0].commands if commanded else told.commands,
        end=max(two.end for two in (told, *commanded, *listed, *near)),
    )
    return replace(one, told=joined)


def _write(one: Instruction) -> str:
    return " ".join((one.path, *one.headings, one.said, *one.commands))


def _weigh(one: Instruction) -> float:
    return COMMAND * bool(one.commands or "`" in one.said) - BESIDE * is_beside(one.path)


def is_beside(path: str) -> bool:
    """Return whether a file serves an example or a tool."""
    documented = path.startswith((".github/", "docs/", "doc/"))
    return landmarks.is_aside(path) or (landmarks.order(path)[0] and not documented)


def describe(one: Instruction) -> str:
    """Return what an instruction is about: where it stands, its words and its first commands."""
    place = " ".join(one.path.split("/")[-2:]).rpartition(".")[0]
    titles = (place, *one.headings[-MOST_HEADINGS:])
    code = "; ".join(one.commands[:2])[:LONGEST_CODE]
    return f"{'. '.join(filter(None, titles))}. {one.said[:LONGEST_READ]} {code}".strip(" .")


def title_of(one: Instruction) -> str:
    """Return what an instruction is called: its command, or the heading above it."""
    if one.is_declared:
        return one.commands[0]
    return one.headings[-1].rstrip(":") if one.headings else ""


def tell(one: Instruction) -> str:
    """Return what a person reads: the words and the commands of an instruction."""
    shown = "; ".join(f"`{_clip(code, LONGEST_COMMAND)}`" for code in one.commands[:MOST_SHOWN])
    said = _clip(one.said, LONGEST_SAID)
    if one.is_declared:
        inside = "".join(f" in {folder}" for folder in one.headings)
        return f"{shown}{inside}: {said}" if said else f"{shown}{inside}"
    glue = ":" if said and shown and said[-1].isalnum() else ""
    words = f"{said}{glue} {shown}".strip()
    title = title_of(one)
    return words if not title or title in words else f"{title}: {words}"


def _clip(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
