"""Find what an earlier import wrote and its source file, or the memory, no longer says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from dmm.domain.memory import Scope
from dmm.importer.wording import squeezed
from dmm.text.prose import split_sentences

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from dmm.domain.memory import Memory
    from dmm.importer.memories import PlannedMemory
    from dmm.importer.sources import Source
    from dmm.rules.rule import Rule

LONGEST_PLACES = 2_000
# A line that ends in "and 2 more" does not name all files.
_PROVENANCE = re.compile(r"^Source: (\S.*:[\d,-]+)$", re.MULTILINE)
_PLACE = re.compile(r"(?:^|, )(\S[^:]*):\d+(?:[,-]\d+)*")
# A line that says something, other than a heading, a comment and what an import adds.
_SAYS = re.compile(r"(?!\s*(?:#|Source: |Applies to: |<!--)).*\w")
# Leads and marks that an import may write anew.
_MARKUP = re.compile(r"[*_`]")
_MARKS = re.compile(r"^[\s>*+-]*(?:\d+[.)]\s*)?")


@dataclass(frozen=True, slots=True)
class Outdated:
    """A memory or rule with a line that its file no longer has; `new` is where its text goes."""

    source: str
    line: str
    memory: str = ""
    rule: str = ""
    new: str = ""


@dataclass(frozen=True, slots=True)
class Corrected:
    """A memory that was edited after its import, and a source line that it no longer has."""

    source: str
    line: str
    memory: str


@dataclass(frozen=True, slots=True)
class _Came:
    """A memory from a file, and which of its lines the file still has.

    Of those that are `unsaid`, an import wrote the ones that are `gone`; the others are its own.
    """

    memory: Memory
    said: tuple[str, ...]
    unsaid: tuple[str, ...]
    gone: tuple[str, ...]


def find_changed(memories: Iterable[Memory], imported: Iterable[Memory]) -> dict[str, str]:
    """Return the imported text by memory id, for memories that were changed since."""
    wrote: dict[str, list[Memory]] = {}
    for one in imported:
        wrote.setdefault(one.id, []).append(one)
    found: dict[str, str] = {}
    for one in memories:
        # Each checkout counts its ids for itself: elsewhere the same id may be another memory's.
        own = [
            was for was in wrote.get(one.id, ()) if one.path == was.path or one.title == was.title
        ]
        if own and all(was.body.strip() != one.body.strip() for was in own):
            found[one.id] = own[-1].body
    return found


def find_corrected(
    sources: Sequence[Source], memories: Sequence[Memory], changed: Mapping[str, str]
) -> Iterator[Corrected]:
    """Return the lines that are still in these files but were removed from their memory."""
    texts = {one.path: _plain(one.text) for one in sources}
    known = _plain("\n".join(one.body for one in memories))
    for one in memories:
        wrote = changed.get(one.id, "")
        file = next(iter(_files_of(wrote)), "")
        still = filter(partial(_says, texts.get(file, "")), _lines_of(wrote))
        line = next((line for line in still if not _says(known, line)), "")
        if line:
            yield Corrected(file, line, one.path)


def find_outdated(
    sources: Sequence[Source],
    memories: Sequence[Memory],
    fresh: Sequence[PlannedMemory],
    rules: Iterable[Rule],
    changed: Mapping[str, str],
) -> Iterator[Outdated]:
    """Return the memories and rules from these files with a line that the files no longer have.

    A file that says less than half of what came from it was emptied on purpose: it is left out.
    """
    texts = {one.path: _plain(one.text) for one in sources}
    came = _find_came(memories, texts, changed)
    living = [file for file in sorted(came) if _is_said(came[file])]
    beside = {(one.memory.title, one.sources[0].path): one.memory.path for one in fresh}
    for file in living:
        for one in came[file]:
            new = beside.get((one.memory.title, file), "")
            gone = one.unsaid if new else one.gone
            # Where a line was only reworded here, the file's own one is not written again.
            if gone and (new or not one.said or one.memory.scope is Scope.BASELINE):
                yield Outdated(file, gone[0], memory=one.memory.path, new=new)
    for rule in rules:
        file = rule.origin.rpartition(":")[0]
        if file in living and not rule.disabled and _plain(rule.title) not in texts[file]:
            yield Outdated(file, rule.title, rule=rule.id)


def _find_came(
    memories: Iterable[Memory], texts: Mapping[str, str], changed: Mapping[str, str]
) -> dict[str, list[_Came]]:
    """Return the memories that came only from these files, by their first file."""
    found: dict[str, list[_Came]] = {}
    for one in memories:
        files = _files_of(one.body)
        if one.in_force and files and texts.keys() >= {*files}:
            text = " ".join(texts[file] for file in files)
            wrote = _plain(changed.get(one.id, one.body))
            lines = _lines_of(one.body)
            said = tuple(filter(partial(_says, text), lines))
            unsaid = tuple(line for line in lines if line not in said)
            gone = tuple(filter(partial(_says, wrote), unsaid))
            found.setdefault(files[0], []).append(_Came(one, said, unsaid, gone))
    return found


def _lines_of(body: str) -> list[str]:
    return [line for line in body.split("\n") if _SAYS.match(line)]


def _says(text: str, line: str) -> bool:
    """Return whether a text has each sentence of a line."""
    return all(_plain(sentence) in text for sentence in split_sentences(line))


def _is_said(held: Sequence[_Came]) -> bool:
    """Return whether the file still has at least half of the lines."""
    return sum(len(one.said) for one in held) >= sum(len(one.gone) for one in held)


def _files_of(body: str) -> list[str]:
    """Return the files named in the last source line of a memory."""
    told = "".join(_PROVENANCE.findall(body)[-1:])
    # An import names a few files; a longer line is none of its own.
    return _PLACE.findall(told) if len(told) <= LONGEST_PLACES else []


def _plain(text: str) -> str:
    """Return a text without markup and extra spaces, for comparison."""
    lines = (_MARKS.sub("", line) for line in text.split("\n"))
    return _MARKUP.sub("", squeezed(" ".join(lines)).casefold()).rstrip(".: ")
