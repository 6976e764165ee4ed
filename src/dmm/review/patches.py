"""Unified diffs: parsed strictly, shown, and applied."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher, unified_diff
from typing import TYPE_CHECKING

from dmm.errors import UsageError
from dmm.merge.hunks import Chunk, align

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

CONTEXT = 3
# A memory is far shorter; longer texts are shown as one replaced by the other, to bound the time.
MOST_LINES = 1_000
NOWHERE = "/dev/null"
NO_NEWLINE = "\\ No newline at end of file"

_HUNK = re.compile(r"@@ -(\d{1,7})(?:,(\d{1,7}))? \+(\d{1,7})(?:,(\d{1,7}))? @@", re.ASCII)
_HEADERS = ("diff ", "index ", "--- ", "+++ ", "new file mode ", "deleted file mode ", "@@")
_WAY_OUT = "read the file again and make the patch from it, or send the whole text"


@dataclass(frozen=True, slots=True)
class Hunk:
    """One place of a patch: the lines it wants to find from `start` on, and those to put there."""

    number: int
    start: int
    old: tuple[str, ...]
    new: tuple[str, ...]
    old_ends: bool = True
    new_ends: bool = True


def split_lines(text: str) -> list[str]:
    """Cut a text at its newlines; the newline at its end is not a line of its own."""
    lines = text.split("\n")
    return lines[:-1] if lines[-1] == "" else lines


def _are_long(*texts: Sequence[str]) -> bool:
    return max(map(len, texts)) > MOST_LINES


def is_patch(text: str) -> bool:
    """Return whether a text is a unified diff rather than a whole file."""
    first = next((line for line in text.split("\n", 50)[:50] if line.strip()), "")
    return first.startswith(_HEADERS)


def apply_patch(text: str, patch: str) -> str:
    """Carry out a unified diff whose every context line must be there."""
    lines, result, at = split_lines(text), [], 0
    ends = text.endswith("\n") or not text
    # A file written with CRLF keeps it, also where the patch came without.
    ending = "\r" if lines and lines[0].endswith("\r") else ""
    for hunk in _hunks(patch):
        if hunk.start < at:
            raise _refuse(hunk.number, "it begins before the end of the one before it")
        _compare(hunk, lines)
        result += lines[at : hunk.start]
        result += _put(hunk, lines[hunk.start : hunk.start + len(hunk.old)], ending)
        at = hunk.start + len(hunk.old)
        if hunk.old_ends != hunk.new_ends or not hunk.new_ends:
            ends = hunk.new_ends
    result += lines[at:]
    return "\n".join(result) + ("\n" if ends and result else "")


def _refuse(number: int, what: str) -> UsageError:
    return UsageError(f"the patch does not apply: hunk {number}: {what}", hint=_WAY_OUT)


def _compare(hunk: Hunk, lines: list[str]) -> None:
    there = lines[hunk.start : hunk.start + len(hunk.old)]
    for offset, (wanted, found) in enumerate(zip(hunk.old, there, strict=False)):
        if _bare(wanted) != _bare(found):
            line = hunk.start + offset + 1
            raise _refuse(
                hunk.number, f"line {line} is {_shorten(found)}, the patch wants {_shorten(wanted)}"
            )
    if hunk.start > len(lines) or len(there) < len(hunk.old):
        raise _refuse(hunk.number, f"the file ends at line {len(lines)}")


def _put(hunk: Hunk, there: list[str], ending: str) -> Iterator[str]:
    """Write the new lines; those that stay are taken from the file, with their own line ends."""
    old, new = [_bare(line) for line in there], [_bare(line) for line in hunk.new]
    matcher = SequenceMatcher(None, old, new)
    blocks = () if _are_long(old, new) else matcher.get_matching_blocks()
    same = {at.b + i: there[at.a + i] for at in blocks for i in range(at.size)}
    for place, line in enumerate(hunk.new):
        yield same.get(place, _bare(line) + ending)


def _bare(line: str) -> str:
    return line.removesuffix("\r")


def _shorten(line: str) -> str:
    return repr(line if len(line) <= 80 else f"{line[:77]}...")


def _hunks(patch: str) -> Iterator[Hunk]:
    lines = split_lines(patch)
    at, number = 0, 0
    while at < len(lines):
        if not lines[at].startswith("@@"):
            if lines[at].strip() and (number or not lines[at].startswith(_HEADERS)):
                raise _refuse(number, f"line {at + 1} of the patch belongs to no hunk")
            at += 1
            continue
        number += 1
        hunk, at = _read_hunk(lines, at, number)
        yield hunk
    if not number:
        raise UsageError("the patch has no hunk", hint=_WAY_OUT)


def _read_hunk(lines: list[str], at: int, number: int) -> tuple[Hunk, int]:
    header = _HUNK.match(lines[at])
    if header is None:
        raise _refuse(number, "its first line is not like '@@ -1,3 +1,4 @@'")
    start, olds, news = int(header[1]), int(header[2] or 1), int(header[4] or 1)
    old: list[str] = []
    new: list[str] = []
    ends = {"-": True, "+": True}
    sides, at = "", at + 1
    while at < len(lines) and (len(old) < olds or len(new) < news or lines[at][:1] == "\\"):
        # Editors take the blank off an empty context line.
        mark, rest = lines[at][:1].strip() or " ", lines[at][1:]
        if mark == "\\":
            ends |= dict.fromkeys(sides, False)
        elif mark in " -+":
            sides = "-+" if mark == " " else mark
            old += [rest] * ("-" in sides)
            new += [rest] * ("+" in sides)
        else:
            raise _refuse(number, f"line {at + 1} of the patch does not start with ' ', '-' or '+'")
        at += 1
    if (len(old), len(new)) != (olds, news):
        what = f"it announces {olds} and {news} lines and has {len(old)} and {len(new)}"
        raise _refuse(number, what)
    # A hunk without old lines names the line after which it goes.
    place = start - 1 if olds else start
    if place < 0:
        raise _refuse(number, "lines are counted from 1")
    return Hunk(number, place, tuple(old), tuple(new), ends["-"], ends["+"]), at


def show_diff(before: str | None, after: str | None, path: str) -> list[str]:
    """Write a unified diff, line by line; nothing where the texts are equal."""
    if before == after:
        return []
    old, new = _marked(before), _marked(after)
    names = NOWHERE if before is None else f"a/{path}", NOWHERE if after is None else f"b/{path}"
    if _are_long(old, new):
        head = f"@@ -{min(1, len(old))},{len(old)} +{min(1, len(new))},{len(new)} @@"
        told = [f"--- {names[0]}", f"+++ {names[1]}", head]
        told += [*(f"-{line}" for line in old), *(f"+{line}" for line in new)]
    else:
        told = list(unified_diff(old, new, *names, n=CONTEXT, lineterm=""))
    return "\n".join(told).split("\n")


def _marked(text: str | None) -> list[str]:
    """The lines of a text; a last one without newline differs from one with it."""
    lines = split_lines(text or "")
    if text and not text.endswith("\n"):
        lines[-1] += f"\n{NO_NEWLINE}"
    return lines


def three_way(base: str, current: str, proposed: str) -> list[str]:
    """Show what became of a text on both sides: `file` as it is now, `new` as it is proposed."""
    told: list[str] = []
    for chunk in _chunks(*map(split_lines, (base, current, proposed))):
        same = chunk.base == chunk.one == chunk.other
        told += _tell_same(chunk.base) if same else _tell_chunk(chunk)
    return told


def _chunks(*texts: list[str]) -> Iterable[Chunk]:
    if _are_long(*texts):
        return [Chunk(*map(tuple, texts))]
    return align(*texts, apart=True)


def _tell_same(lines: tuple[str, ...]) -> list[str]:
    if len(lines) <= 2 * CONTEXT + 1:
        return [f"      {line}" for line in lines]
    left = len(lines) - 2 * CONTEXT
    return [
        *(f"      {line}" for line in lines[:CONTEXT]),
        f"      ({left} unchanged lines)",
        *(f"      {line}" for line in lines[-CONTEXT:]),
    ]


def _tell_chunk(chunk: Chunk) -> list[str]:
    told = [f"was  -{line}" for line in chunk.base]
    if chunk.one == chunk.other:
        return [*told, *(f"both +{line}" for line in chunk.one)]
    if chunk.base not in (chunk.one, chunk.other):
        told.insert(0, "both changed these lines:")
    if chunk.one != chunk.base:
        told += [f"file +{line}" for line in chunk.one] or ["file: removed"]
    if chunk.other != chunk.base:
        told += [f"new  +{line}" for line in chunk.other] or ["new: removed"]
    return told
