"""Titles that make sense outside their original headings."""

from __future__ import annotations

import re

from dmm.clients.registry import all_clients
from dmm.importer.vocabulary import phrases

LONGEST = 80
_AMBIGUOUS = phrases(
    """avoid, background, bad, basics, best practices, checklist, command, commands,
    common commands, common tasks, config, configuration, conventions, details, do,
    do's and don'ts, don't, don'ts, dos, example, examples, exceptions, faq, files, flags, general,
    getting started, good, guidelines, how, important, install, installation, intro, introduction,
    key commands, key files, key points, layout, links, misc, miscellaneous, naming, no, note,
    notes, options, other, overview, pattern, patterns, prefer, prerequisites, principles, process,
    quick start, quickstart, rationale, reference, references, requirements, resources, rule, rules,
    running, scope, setup, steps, structure, summary, tips, todo, tools, types, usage, what, when,
    why, yes"""
)
_CLIENTS = "|".join(word for client in all_clients() for word in client.headed)
_GENERIC = re.compile(
    rf"({_CLIENTS}|agents?|readme|project|repository|ai|coding|development|memory)?\W*"
    r"(\.?md|instructions?|rules|guidelines|guide|guidance|notes|index|memory|conventions)?"
    r"( for .*)?"
    rf"|.*\b(agents?|{_CLIENTS}|ai) (guide|rules|instructions|guidelines)",
    re.IGNORECASE,
)


def title_for(trail: tuple[str, ...]) -> str:
    """Choose a title for the last heading of a trail; a vague one names the heading above."""
    if not trail:
        return "Notes"
    own = trail[-1].rstrip(":").strip() or "Notes"
    if is_vague(own):
        parent = next((above for above in reversed(trail[:-1]) if _speaks(above)), "")
        if parent:
            return clipped(f"{parent}: {_lowered(own)}")
    return clipped(own)


def titled(base: str, part: str) -> str:
    """Name a part of something: `Testing: commands`."""
    return clipped(f"{base}: {_lowered(part)}") if part else clipped(base)


def is_vague(heading: str) -> bool:
    """Say whether a heading means something only below the one above it."""
    return heading.casefold().replace("\u2019", "'").rstrip(":") in _AMBIGUOUS


def is_generic(title: str) -> bool:
    """Say whether a document's title names only the kind of file it is."""
    return bool(_GENERIC.fullmatch(title.strip()))


def clipped(title: str) -> str:
    """Shorten a title at a word to the longest allowed."""
    title = " ".join(title.split())
    if len(title) <= LONGEST:
        return title
    return title[:LONGEST].rpartition(" ")[0].rstrip(" ,;:-") or title[:LONGEST]


def _speaks(title: str) -> bool:
    return not is_vague(title) and not is_generic(title)


def _lowered(text: str) -> str:
    first = text.partition(" ")[0]
    keeps = len(first) > 1 and first[1:] != first[1:].lower()
    return text if keeps or first == "I" else text[:1].lower() + text[1:]
