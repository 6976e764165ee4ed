"""Join sections that are too small for a file of their own."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from dmm.domain.memory import Scope
from dmm.importer.bearing import CONSTRAINTS, IDENTITY, PROJECT_SCOPE
from dmm.importer.cuts import fill
from dmm.importer.notes import WANTED_TOKENS, Count, Note
from dmm.importer.outline import heading_line, shift_headings
from dmm.importer.split import CRUMB
from dmm.importer.titles import LONGEST, clipped, is_generic, is_vague, lowered, titled
from dmm.importer.topics import GENERAL, MOST_TAGS, content_words, meaning, topic_of, topic_title
from dmm.text.stem import stem

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

_APART = (IDENTITY, PROJECT_SCOPE)
# Only what is tiny is put together with other topics.
_TINY = 20


def gather(notes: Sequence[Note], *, count: Count) -> list[Note]:
    """Join small notes with a note of the same title, with siblings, or with one of their topic."""
    # Each note is asked for its size several times, and its text is at hand.
    count = cache(count)
    joined = _absorb(list(notes), count, by_title=True)
    joined = _join_alike(joined, _branch, count)
    joined = _join_alike(joined, _branch_topic, count)
    joined = _absorb(joined, count, by_title=False)
    joined = _join_alike(joined, _topic, count)
    return _join_alike(joined, _kin, count, below=_TINY)


def _is_crumb(note: Note, count: Count, below: int = CRUMB) -> bool:
    return not note.stands_alone and note.topic not in _APART and count(note.body) < below


def _branch(note: Note) -> Hashable | None:
    # Right under the document's title stand different subjects: those need the topic too.
    parent = note.trail[:-1]
    below_the_title = len(parent) <= 1
    if below_the_title and not is_vague(note.trail[-1]):
        return None
    return (*_kin(note), parent)


def _branch_topic(note: Note) -> Hashable | None:
    return (*_kin(note), note.trail[:-1], note.topic) if _names_its_topic(note) else None


def _topic(note: Note) -> Hashable | None:
    if note.scope is Scope.BASELINE or not _names_its_topic(note):
        return None
    return (note.scope, note.subject, note.globs, note.users, note.topic)


def _names_its_topic(note: Note) -> bool:
    # A stray word in the text is no reason to put a section to another subject.
    return note.topic == CONSTRAINTS or note.topic == topic_of("", note.title) != GENERAL


def _kin(note: Note) -> tuple[Hashable, ...]:
    return (note.sources[0].path, note.scope, note.subject, note.globs, note.users)


def _join_alike(
    notes: list[Note],
    key: Callable[[Note], Hashable | None],
    count: Count,
    below: int = CRUMB,
) -> list[Note]:
    families: dict[Hashable, list[Note]] = {}
    for note in notes:
        kin = key(note) if _is_crumb(note, count, below) else None
        families.setdefault(kin or id(note), []).append(note)
    return [note for family in families.values() for note in _chunks(family, count)]


def _chunks(family: list[Note], count: Count) -> list[Note]:
    """Join sibling notes into as few notes of the wanted size as possible."""
    runs = fill(family, WANTED_TOKENS, lambda note: count(note.body) + 5)
    return [_joined(run) if len(run) > 1 else run[0] for run in runs]


def _joined(family: list[Note]) -> Note:
    trails = {note.trail[:-1] for note in family}
    topics = {note.topic for note in family}
    trail = trails.pop() if len(trails) == 1 else family[0].trail[:1]
    topic = topics.pop() if len(topics) == 1 else GENERAL
    title = _family_title(family, trail, topic)
    parts = [heading_line(1, title), *(_part(note, title) for note in family)]
    return replace(
        family[0],
        title=title,
        body="\n\n".join(parts),
        tags=_tags(family),
        priority=max(note.priority for note in family),
        sources=tuple(ref for note in family for ref in note.sources),
        trail=trail,
        topic=topic,
    )


def _family_title(family: list[Note], trail: tuple[str, ...], topic: str) -> str:
    base = "".join(one for one in trail[-1:] if not is_generic(one))
    if topic != GENERAL:
        about = topic_title(topic)
        told = stem(about) in {stem(word) for word in content_words(base)}
        return clipped(base) if told else titled(base, about)
    if len(trail) > 1 and base:
        return clipped(base)
    *most, last = dict.fromkeys(_own(note, base) for note in family)
    names = f"{', '.join(most)} and {last}" if most else last
    fits = len(f"{base}: {names}".removeprefix(": ")) <= LONGEST
    return titled(base, names if fits else "short notes")


def _own(note: Note, base: str) -> str:
    return lowered(note.title.removeprefix(f"{base}: "))


def _part(note: Note, title: str) -> str:
    rest = note.body.partition("\n\n")[2]
    if note.title == title or rest.startswith("## "):
        return rest
    return shift_headings(note.body, 1)


def _tags(family: Sequence[Note]) -> tuple[str, ...]:
    # One of each in turn, so that every part is found by its first tag.
    longest = max(len(note.tags) for note in family)
    turns = (note.tags[n] for n in range(longest) for note in family if n < len(note.tags))
    return tuple(dict.fromkeys(turns))[:MOST_TAGS]


def _absorb(notes: list[Note], count: Count, *, by_title: bool) -> list[Note]:
    """Merge each small note into one with its title, or a larger one on its topic."""
    left = dict(enumerate(notes))
    crumbs = {n: note for n, note in left.items() if _is_crumb(note, count)}
    hosts: dict[Hashable, list[int]] = {}
    for n, note in enumerate(notes):
        if n not in crumbs and not note.stands_alone and note.topic not in _APART:
            hosts.setdefault(_about(note, by_title=by_title), []).append(n)
    for at, crumb in crumbs.items():
        about = _about(crumb, by_title=by_title)
        room = WANTED_TOKENS - 5 - count(crumb.body)
        near = (n for n in sorted(hosts.get(about, ())) if count(left[n].body) <= room)
        fitting = (n for n in near if _is_elsewhere(notes[n], crumb, in_branch=not by_title))
        taker = next(fitting, None)
        if taker is not None and (meaning(crumb.title) if by_title else _names_its_topic(crumb)):
            left[taker] = _with(left[taker], left.pop(at), titled_alike=by_title)
        elif by_title:
            # Of two crumbs the later joins the earlier.
            hosts.setdefault(about, []).append(at)
    return list(left.values())


def _about(note: Note, *, by_title: bool) -> Hashable:
    """Return the properties that two notes must share to be merged."""
    subject = meaning(note.title) if by_title else note.topic
    return (subject, note.scope, note.subject, note.globs, note.users)


def _is_elsewhere(host: Note, crumb: Note, *, in_branch: bool) -> bool:
    """Return whether a note is from another source, or below the same headings."""
    if host.sources[0].path != crumb.sources[0].path:
        return True
    return in_branch and host.trail[:-1] == crumb.trail[:-1]


def _with(host: Note, crumb: Note, *, titled_alike: bool) -> Note:
    part = _part(crumb, crumb.title if titled_alike else host.title)
    return replace(
        host,
        body=f"{host.body}\n\n{part}",
        priority=max(host.priority, crumb.priority),
        sources=(*host.sources, *crumb.sources),
    )
