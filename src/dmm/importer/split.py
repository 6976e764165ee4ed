"""Split a document by meaning into notes."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dmm.importer.bearing import IDENTITY, bearing, names_the_agent
from dmm.importer.cuts import pack
from dmm.importer.groups import Group, group
from dmm.importer.marks import read_mark
from dmm.importer.notes import HARD_LIMIT, WANTED_TOKENS, Count, Note
from dmm.importer.outline import Block, BlockKind, Section, heading_line, refs_of, render_blocks
from dmm.importer.sources import SourceKind
from dmm.importer.titles import (
    LONGEST,
    clipped,
    is_generic,
    is_vague,
    title_for,
    titled,
    without_file,
)
from dmm.importer.topics import GENERAL, meaning, tags_of, topic_of, topic_title

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dmm.domain.memory import Memory
    from dmm.importer.documents import Document

# From this size on, a text under a heading of its own is a concept of its own.
CRUMB = 40
_LEAST_TOPIC = 30
_FLAT_ITEMS = 8
_FRAME = 80
_MOST_GLOBS = 10
_LONGEST_GLOB = 60
_STEP = re.compile(r"(step|phase|stage)\b", re.IGNORECASE)
_NAMED = (SourceKind.MEMORY_TOPIC, SourceKind.SKILL)
_ONE_CONCEPT = (SourceKind.CURSOR_RULE, SourceKind.MEMORY_TOPIC, SourceKind.SKILL)


@dataclass(frozen=True, slots=True)
class _Page:
    """A document being split, with its title and the section that stands for all of it."""

    document: Document
    title: str
    top: Section
    count: Count

    def is_top(self, section: Section) -> bool:
        return section.line == self.top.line

    @property
    def is_one_concept(self) -> bool:
        return self.document.voice.kind in _ONE_CONCEPT

    def fits(self, text: str) -> bool:
        """Return whether a text is small enough for one memory, with its frame."""
        return self.count(text) + _FRAME <= WANTED_TOKENS


def split(document: Document, *, count: Count) -> list[Note]:
    """Cut a document into notes, in the order of its text."""
    page = _page(document, count)
    return list(_section(page, page.top, ()))


def _page(document: Document, count: Count) -> _Page:
    top = document.tree
    match top.children:
        case (only,) if not read_mark(only.blocks):
            # Text above the only title belongs to the document as much as the text below it.
            top = replace(only, blocks=(*top.blocks, *only.blocks))
    named = document.voice.kind in _NAMED and document.voice.front.name
    title = document.name if named else top.title or document.name
    return _Page(document, title, top, count)


def _section(page: _Page, section: Section, trail: tuple[str, ...]) -> Iterator[Note]:
    own = page.title if page.is_top(section) else section.title
    here = (*trail, without_file(own))
    mark = read_mark(section.blocks)
    if mark and (not mark.in_force or page.count(_body(section)) <= HARD_LIMIT):
        yield _marked(section, here, mark)
        return
    if not any(True for _ in section.every_block()):
        return
    if _is_one_note(page, section):
        text = _body(section)
        yield _note(page, here, _whole_title(here, text), text, list(section.every_block()))
        return
    yield from _own_text(page, section, here)
    for child in section.children:
        yield from _section(page, child, here)


def _is_one_note(page: _Page, section: Section) -> bool:
    if not page.fits(_body(section)) or _holds_marks(section):
        return False
    if page.is_one_concept:
        return True
    if page.is_top(section):
        return not (section.children or _is_flat(section))
    own = [child for child in section.children if not is_vague(child.title)]
    concepts = {
        meaning(child.title) or child.title
        for child in own
        if page.count(_body(child)) >= CRUMB and not _STEP.match(child.title)
    }
    return len(concepts) < 2


def _holds_marks(section: Section) -> bool:
    return any(read_mark(part.blocks) is not None for part in section.walk())


def _is_flat(section: Section) -> bool:
    return sum(len(block.items) for block in section.blocks) >= _FLAT_ITEMS


def _body(section: Section) -> str:
    """Write all of a section under its own heading, sub-headings moved to start at level 2."""
    parts = []
    for part in section.walk():
        blocks = [block for block in part.blocks if block.kind is not BlockKind.COMMENT]
        if part is not section and any(True for _ in part.every_block()):
            parts.append(_subheading(part, section))
        parts.append(render_blocks(blocks))
    return "\n\n".join(filter(None, parts))


def _subheading(part: Section, section: Section) -> str:
    # The full text of a very long heading stands below it as a paragraph.
    text = part.heading if len(part.heading) <= LONGEST else clipped(part.title)
    return heading_line(part.level - section.level + 1, text)


def _own_text(page: _Page, section: Section, trail: tuple[str, ...]) -> Iterator[Note]:
    """Cut the text right under a heading: whole if it fits, by topic if it is a list of rules."""
    groups = group([block for block in section.blocks if block.kind is not BlockKind.COMMENT])
    if not groups:
        return
    top = page.is_top(section)
    fits = page.fits(render_blocks(_blocks(groups)))
    whole = fits and not (top and _is_flat(section) and not page.is_one_concept)
    runs = [(GENERAL, groups)] if whole else list(_runs(page, groups))
    if len(runs) == 1:
        yield _note_of(page, trail, runs[0][1], "overview" if top and section.children else "")
        return
    seen: dict[str, int] = {}
    for topic, run in runs:
        title = _part_title(title_for(trail), topic, run)
        seen[title] = seen.get(title, 0) + 1
        number = f" (part {seen[title]})" if seen[title] > 1 else ""
        yield _note(page, trail, f"{title}{number}", *_text(run))


def _runs(page: _Page, groups: list[Group]) -> Iterator[tuple[str, list[Group]]]:
    for topic, bucket in _buckets(page, groups):
        yield from ((topic, run) for run in pack(bucket, WANTED_TOKENS - _FRAME, page.count))


def _part_title(base: str, topic: str, run: list[Group]) -> str:
    label = run[0].label if len(run) == 1 else ""
    if label and is_generic(base):
        return clipped(label)
    return titled(base, label or ("" if topic == GENERAL else topic_title(topic)))


def _note_of(page: _Page, trail: tuple[str, ...], groups: list[Group], part: str) -> Note:
    base = title_for(trail)
    text, blocks = _text(groups)
    part = IDENTITY if part and names_the_agent(text) else part
    if not part:
        return _note(page, trail, _whole_title(trail, text), text, blocks)
    return _note(page, trail, titled("Project" if is_generic(base) else base, part), text, blocks)


def _whole_title(trail: tuple[str, ...], text: str) -> str:
    title = title_for(trail)
    # Below another heading, "README.md" is what a section is about.
    if len(trail) > 2 or not is_generic(title):
        return title
    topic = topic_title(topic_of(text))
    return f"{topic[:1].upper()}{topic[1:]} notes"


def _text(groups: Sequence[Group]) -> tuple[str, list[Block]]:
    blocks = _blocks(groups)
    return render_blocks(blocks), blocks


def _blocks(groups: Sequence[Group]) -> list[Block]:
    return [block for found in groups for block in found.blocks]


def _buckets(page: _Page, groups: list[Group]) -> list[tuple[str, list[Group]]]:
    """Sort a list of rules by topic; prose and small topics stay in their order."""
    units = [unit for found in groups for unit in _rules(found)]
    single = sum(unit.blocks[0].kind is BlockKind.ITEM for unit in units)
    if single * 2 < len(units):
        return [(GENERAL, groups)]
    found: dict[str, list[Group]] = {}
    topics = [_topic(unit) for unit in units]
    sizes = dict.fromkeys(topics, 0)
    for topic, unit in zip(topics, units, strict=True):
        sizes[topic] += page.count(render_blocks(unit.blocks))
    for topic, unit in zip(topics, units, strict=True):
        stands = topic == IDENTITY or sizes[topic] >= _LEAST_TOPIC
        found.setdefault(topic if stands else GENERAL, []).append(unit)
    return list(found.items())


def _topic(unit: Group) -> str:
    text = render_blocks(unit.blocks)
    return IDENTITY if names_the_agent(text) else topic_of(text, unit.label)


def _rules(found: Group) -> list[Group]:
    return [found] if found.label else [Group((item,)) for item in found.items] or [found]


def _note(
    page: _Page, trail: tuple[str, ...], title: str, text: str, blocks: Sequence[Block]
) -> Note:
    voice = page.document.voice
    lines = [heading_line(1, title)]
    globs = voice.reach
    if globs:
        lines.append(_reach(globs))
    body = "\n\n".join((*lines, text))
    # A title made up for want of one is no evidence of what the text is.
    given = title_for(trail)
    judged = "" if is_generic(given) and ": " not in title else title
    found = bearing(judged, text, page.count(body), voice, of_all=len(trail) <= 2)
    return Note(
        title=title,
        body=body,
        tags=tags_of(text, (*trail[1:], title), found.topic, globs),
        scope=found.scope,
        priority=found.priority,
        sources=tuple(dict.fromkeys(ref for block in blocks for ref in refs_of(block))),
        trail=trail,
        topic=found.topic,
        globs=globs,
        subject=page.title if voice.kind is SourceKind.SKILL else voice.package,
        users=voice.is_users,
        stands_alone=page.is_one_concept and voice.kind is not SourceKind.SKILL,
    )


def _marked(section: Section, trail: tuple[str, ...], mark: Memory) -> Note:
    blocks = [b for b in section.every_block() if b.kind is not BlockKind.COMMENT]
    body = f"{heading_line(1, section.heading)}\n\n{_body(section)}".rstrip("\n")
    return Note(
        title=section.title,
        body=body,
        tags=mark.tags,
        scope=mark.scope,
        priority=mark.priority,
        sources=tuple(dict.fromkeys(ref for block in blocks for ref in refs_of(block))),
        trail=trail,
        topic=topic_of(body, section.title),
        stands_alone=True,
        mark=mark,
    )


def _reach(globs: tuple[str, ...]) -> str:
    shown = [f"`{glob}`" for glob in globs if len(glob) <= _LONGEST_GLOB][:_MOST_GLOBS]
    more = len(globs) - len(shown)
    return "Applies to: " + ", ".join(shown) + (f" and {more} more" if more else "")
