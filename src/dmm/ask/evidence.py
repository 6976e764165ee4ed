"""Evidence: one value type for a memory, a session unit and a place in code."""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from dmm.domain.text import neutralise, shield

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from dmm.ask.sections import Section

HASH_LENGTH = 16
_STUB = re.compile(r"\.(?:pyi|d\.[mc]?ts)$")


class Origin(StrEnum):
    """Where evidence comes from, in the order in which it is told."""

    MEMORY = "memory"
    SESSIONS = "sessions"
    CODE = "code"


class Mark(NamedTuple):
    """What a line of evidence shows of a repository; a weak one proves nothing by itself."""

    section: Section
    label: str
    line: int
    is_weak: bool = False


@dataclass(frozen=True, slots=True)
class Evidence:
    """Something that bears on a question; `cite` is how a reader finds it again.

    `doubt` says why it tells and never orders, where that is so; `remark` is the first sentence of
    the comment on code, `near` how near it is to the question in words and in meaning, `alike` the
    meaning alone, `covers` the share of what is asked about that it speaks of.
    """

    id: str
    origin: Origin
    cite: str
    title: str
    text: str
    hash: str
    score: float = 0.0
    doubt: str = ""
    marks: tuple[Mark, ...] = ()
    path: str = ""
    start: int = 0
    end: int = 0
    line: int = 0
    kind: str = ""
    remark: str = ""
    near: float = 0.0
    alike: float = 0.0
    covers: float = 0.0

    @property
    def sections(self) -> tuple[Section, ...]:
        """The sections that it shows."""
        return tuple(dict.fromkeys(mark.section for mark in self.marks))

    def place(self, section: Section) -> str:
        """Cite the very line that shows a section."""
        line = next((mark.line for mark in self.marks if mark.section is section), self.line)
        return f"{safe_line(self.path)}:{line}@{self.hash}"

    def describe(self) -> object:
        """Return it as plain data."""
        code = {"path": self.path, "start": self.start, "end": self.end, "line": self.line}
        shows = [{"section": m.section, "label": m.label, "line": m.line} for m in self.marks]
        return {
            "id": self.id,
            "source": self.origin,
            "cite": self.cite,
            "title": self.title,
            "hash": self.hash,
            "score": round(self.score, 4),
            **({"kind": self.kind} if self.kind else {}),
            **(code if self.origin is Origin.CODE else {}),
            **({"shows": shows} if shows else {}),
            **({"low_trust": self.doubt} if self.doubt else {}),
            "text": self.text,
        }


def make_code(
    path: str,
    span: tuple[int, int],
    digest: str,
    text: str,
    *,
    line: int = 0,
    symbol: str | None = None,
    score: float = 0.0,
    kind: str = "",
    remark: str = "",
) -> Evidence:
    """Make evidence of lines of code; the line is the one that matters most, or the first."""
    start, end = span
    place = safe_line(path)
    return Evidence(
        id=f"{place}:{start}-{end}",
        origin=Origin.CODE,
        cite=f"{place}:{line or start}@{digest}",
        title=safe_line(symbol or ""),
        text=safe(text),
        hash=digest,
        score=score,
        path=path,
        start=start,
        end=end,
        line=line or start,
        kind=kind,
        remark=safe_line(remark),
    )


def hash_text(text: str) -> str:
    """Name a text by its hash, as citations do."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:HASH_LENGTH]


def safe(text: str) -> str:
    """Make a text harmless to show: nothing hidden, and nothing that looks like a frame."""
    return shield(neutralise(text)).encode("utf-8", "replace").decode()


def safe_line(text: str) -> str:
    """Make a text harmless, in one line."""
    return " ".join(safe(text).split())


def dedupe(found: Iterable[Evidence]) -> tuple[list[Evidence], list[tuple[str, str]]]:
    """Keep each thing once; tells what was dropped, and what says it already.

    The same id, the same words, and lines that lie within lines at hand are the same thing. What
    the dropped one showed of the repository is kept with the one that stays.
    """
    kept: dict[str, Evidence] = {}
    words: dict[str, str] = {}
    dropped: list[tuple[str, str]] = []
    for one in _code_before_stubs(found):
        same = _same(one, kept, words)
        if same is None:
            kept[one.id] = one
            words.setdefault(_words(one.text), one.id)
            continue
        held = kept[same]
        marks = tuple(dict.fromkeys((*held.marks, *one.marks)))
        best = max(held, one, key=lambda two: two.near)
        kept[same] = replace(
            held, marks=marks, near=best.near, alike=best.alike, covers=best.covers
        )
        dropped.append((one.id, same))
    return list(kept.values()), dropped


def _code_before_stubs(found: Iterable[Evidence]) -> Iterator[Evidence]:
    """Put the declaration of what is at hand with its code behind all else, wherever that lies."""
    everything = list(found)
    coded = {_definition(one) for one in everything if not _STUB.search(one.path)}
    yield from sorted(
        everything, key=lambda one: bool(_STUB.search(one.path)) and _definition(one) in coded
    )


def _definition(one: Evidence) -> tuple[str, str]:
    return one.path.rpartition("/")[2].partition(".")[0], one.title


def _same(one: Evidence, kept: dict[str, Evidence], words: dict[str, str]) -> str | None:
    if one.id in kept:
        return one.id
    if one.origin is Origin.CODE:
        within = (
            held.id
            for held in kept.values()
            if held.path == one.path and held.start <= one.start and one.end <= held.end
        )
        return next(within, None)
    said = _words(one.text)
    return words.get(said) if said else None


def _words(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
