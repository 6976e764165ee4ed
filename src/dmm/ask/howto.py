"""Find what a repository tells people to do about a question, in documents and in tasks."""

from __future__ import annotations

import math
import re
from collections import Counter
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING

from dmm.index.analysis import analyze

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.ask.guides import Instruction

    Liken = Callable[[str, Sequence[str]], Sequence[float]]
    Conceal = Callable[[str], str]

# The model compares the question with the instructions that share most of its words.
MOST_COMPARED = 80
MOST_TOLD = 8
# What the words count beside the meaning, and what having a command counts: chosen on the first set
# of bench/everyday/howto.jsonl.
WORDS, COMMAND = 0.3, 0.05
MOST_HEADINGS, LONGEST_READ, LONGEST_CODE = 2, 240, 120
# What a person reads of an instruction.
LONGEST_SAID, LONGEST_COMMAND, LONGEST_STEPS, MOST_SHOWN = 140, 80, 300, 3
# What a prompt quotes of the section, in lines from an instruction on, and how far away a step may
# stand from another one.
MOST_QUOTED, FARTHEST = 12, 40
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


def order(
    words: str,
    found: Sequence[Instruction],
    liken: Liken,
    most: int = MOST_TOLD,
    conceal: Conceal = str,
) -> list[Judged]:
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
        Judged(one, value + WORDS * covers[at] + COMMAND * _has_command(one), value, covers[at])
        for at, value in zip(first, alike, strict=True)
        for one in (found[at],)
    ]
    judged.sort(key=lambda one: -one.near)
    return _complete(judged, found, most, conceal)


def _complete(
    judged: Sequence[Judged], found: Sequence[Instruction], most: int, conceal: Conceal
) -> list[Judged]:
    """Keep the nearest instruction of each section, with what belongs to it, without secrets."""
    sections: dict[object, list[Instruction]] = {}
    for one in found:
        sections.setdefault(_section_of(one), []).append(one)
    nearest: dict[object, Judged] = {}
    for two in judged:
        nearest.setdefault(_section_of(two.told), two)
    told: dict[str, Judged] = {}
    for key, two in islice(nearest.items(), most):
        near = (one for one in sections[key] if abs(one.line - two.told.line) <= FARTHEST)
        # A secret that is cut is not known any more: it goes before anything is.
        clean = {one: _conceal(one, conceal) for one in near}
        joined = replace(two, told=_join(clean[two.told], [*clean.values()]))
        # Some documents are kept in two places.
        told.setdefault(tell(joined.told), joined)
    return [*told.values()]


def _conceal(one: Instruction, conceal: Conceal) -> Instruction:
    return replace(
        one,
        headings=tuple(map(conceal, one.headings)),
        said=conceal(one.said),
        commands=tuple(map(conceal, one.commands)),
    )


def _section_of(one: Instruction) -> object:
    return one if one.is_declared else (one.path, one.headings)


def _join(told: Instruction, section: Sequence[Instruction]) -> Instruction:
    """Add to an instruction the lines that follow, and to words without a command that as well."""
    if told.is_declared:
        return told
    later = [two for two in section if told.line < two.line < told.line + MOST_QUOTED]
    if steps := _steps_with(told, section):
        said, line = " ".join(map(_tell_step, steps)), steps[0].line
        return replace(told, said=said, commands=(), line=line, end=steps[-1].end)
    commanded = [] if told.commands else [two for two in later if two.commands][:1]
    is_lead = told.said.endswith(":") and not (told.commands or commanded)
    listed = later[:MOST_SHOWN] if is_lead else []
    return replace(
        told,
        said=f"{told.said} {'; '.join(two.said for two in listed)}".strip(),
        commands=commanded[0].commands if commanded else told.commands,
        end=max(two.end for two in (told, *later)),
    )


def _steps_with(told: Instruction, section: Sequence[Instruction]) -> list[Instruction]:
    """List the numbered steps of which an instruction is one, from the first if they are short."""
    run: list[Instruction] = []
    for two in section:
        if run and two.step <= run[-1].step:
            if told in run:
                break
            run = []
        run += [two] if two.step else []
    if told not in run:
        return []
    is_short = len(" ".join(map(_tell_step, run))) <= LONGEST_STEPS
    return run if is_short else run[run.index(told) :]


def _tell_step(one: Instruction) -> str:
    return f"{one.step}. {_tell_words(replace(one, said=_clip(one.said, LONGEST_SAID)))}"


def _write(one: Instruction) -> str:
    return " ".join((one.path, *one.headings, one.said, *one.commands))


def _has_command(one: Instruction) -> bool:
    return bool(one.commands) or "`" in one.said


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
    told = replace(one, said=_clip(one.said, LONGEST_STEPS if one.step else LONGEST_SAID))
    if one.is_declared:
        inside = "".join(f" in {folder}" for folder in one.headings)
        return f"{_show_commands(one)}{inside}{': ' if one.said else ''}{told.said}"
    words, title = _tell_words(told), title_of(one)
    return words if not title or title in words else f"{title}: {words}"


def _tell_words(one: Instruction) -> str:
    shown = _show_commands(one)
    glue = ":" if one.said and shown and one.said[-1].isalnum() else ""
    return f"{one.said}{glue} {shown}".strip()


def _show_commands(one: Instruction) -> str:
    return "; ".join(f"`{_clip(code, LONGEST_COMMAND)}`" for code in one.commands[:MOST_SHOWN])


def _clip(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
