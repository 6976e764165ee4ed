"""Titles that make sense outside their original headings."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from dmm.clients.registry import all_clients
from dmm.importer.outline import heading_line

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.importer.notes import Note

LONGEST = 80
_HEADINGS = """avoid, background, bad, basics, best practices, checklist, command, commands,
    common commands, common tasks, config, configuration, conventions, details, do,
    do's and don'ts, don't, don'ts, dos, example, examples, exceptions, faq, files, flags, general,
    getting started, good, guidelines, how, important, install, installation, intro, introduction,
    key commands, key files, key points, layout, links, misc, miscellaneous, naming, no, note,
    notes, options, other, overview, pattern, patterns, prefer, prerequisites, principles, process,
    quick start, quickstart, rationale, reference, references, requirements, resources, rule, rules,
    running, scope, setup, steps, structure, summary, tips, todo, tools, types, usage, what, when,
    why, yes"""
_AMBIGUOUS = frozenset(re.split(r",\s+", _HEADINGS))
# An acronym, a name or more words with capitals, or the pronoun.
_AS_IT_IS = re.compile(r".+?[A-Z]|I(?= |$)")
_CLIENTS = "|".join(word for client in all_clients() for word in client.headed)
_GENERIC = re.compile(
    rf"({_CLIENTS}|agents?|readme|project|repository|ai|coding|development|memory)?\W*"
    r"(\.?md|instructions?|rules|guidelines|guide|guidance|notes|index|memory|conventions)?"
    r"( for .*)?"
    rf"|.*\b(agents?|{_CLIENTS}|ai) (guide|rules|instructions|guidelines)",
    re.IGNORECASE,
)
# A heading such as `AGENTS.md: Payments` names its own file before its subject.
_OF_FILE = re.compile(
    rf"^(?:{_CLIENTS}|agents?|readme)\.md\s*[:\N{{EM DASH}}\N{{EN DASH}}-]\s+(?=\S)", re.IGNORECASE
)


def title_for(trail: tuple[str, ...]) -> str:
    """Choose a title for the last heading of a trail; a vague one names the heading above."""
    own = trail[-1].rstrip(":").strip() or "Notes"
    above = trail[-2::-1] if is_vague(own) else ()
    parent = next((one for one in above if not is_vague(one) and not is_generic(one)), "")
    return titled(parent, own) if parent else clipped(own)


def without_file(heading: str) -> str:
    """Return a heading without the name of its file before its subject."""
    return _OF_FILE.sub("", heading, count=1)


def titled(base: str, part: str) -> str:
    """Name a part of something: `Testing: commands`; either may be all there is."""
    if not base:
        return clipped(part[:1].upper() + part[1:])
    return clipped(f"{base}: {lowered(part)}" if part else base)


def is_vague(heading: str) -> bool:
    """Return whether a heading means something only below the one above it."""
    return heading.casefold().replace("\u2019", "'").rstrip(":") in _AMBIGUOUS


def is_generic(title: str) -> bool:
    """Return whether a document's title names only the kind of file it is."""
    return bool(_GENERIC.fullmatch(title.strip()))


def clipped(title: str) -> str:
    """Shorten a title at a word to the longest allowed."""
    title = " ".join(title.split())
    if len(title) <= LONGEST:
        return title
    return title[:LONGEST].rpartition(" ")[0].rstrip(" ,;:-") or title[:LONGEST]


def lowered(text: str) -> str:
    """Write a title within another: with a small letter, or as it is in capitals."""
    return text if _AS_IT_IS.match(text) else text[:1].lower() + text[1:]


def tell_apart(notes: Sequence[Note]) -> list[Note]:
    """Return the notes with unique titles: with package or skill, heading or file."""
    result = [_retitled(note, _of_subject(note)) for note in notes]
    for name in (_of_parent, _of_source):
        result = _change_repeated(result, name)
    numbers: Counter[str] = Counter()
    for at, note in enumerate(result):
        numbers[note.title.casefold()] += 1
        if (number := numbers[note.title.casefold()]) > 1:
            result[at] = _retitled(note, f"{note.title} (part {number})")
    return result


def _change_repeated(notes: list[Note], name: Callable[[Note], str]) -> list[Note]:
    titles = Counter(note.title.casefold() for note in notes)
    return [
        _retitled(note, name(note)) if titles[note.title.casefold()] > 1 else note for note in notes
    ]


def _retitled(note: Note, title: str) -> Note:
    if note.mark is not None:
        return note
    rest = note.body.partition("\n")[2]
    return replace(note, title=title, body=f"{heading_line(1, title)}\n{rest}")


def _of_subject(note: Note) -> str:
    name = note.subject.rpartition("/")[2]
    return note.title if _names(note, name) else titled(name, note.title.removeprefix("Project: "))


def _names(note: Note, name: str) -> bool:
    return re.sub(r"[\W_]+", "", name.casefold()) in re.sub(r"[\W_]+", "", note.title.casefold())


def _of_parent(note: Note) -> str:
    above = next((one for one in reversed(note.trail[1:-1]) if one not in note.title), "")
    return titled(above, note.title) if above else note.title


def _of_source(note: Note) -> str:
    path = next((ref.path for ref in note.sources), "")
    place = path.rpartition("/")[0] or path
    return note.title if _names(note, place.rpartition("/")[2]) else titled(place, note.title)
