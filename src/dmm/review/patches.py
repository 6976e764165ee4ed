"""Unified diffs: parsed strictly, shown, and applied."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.errors import UsageError
from dmm.review.lines import match_lines, split_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

CONTEXT = 3
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


def is_patch(text: str) -> bool:
    """Return whether a text is a unified diff rather than a whole file."""
    first = next((line for line in text.split("\n", 50)[:50] if line.strip()), "")
    return first.startswith(_HEADERS)


def apply_patch(text: str, patch: str) -> str:
    """Carry out a unified diff whose every context line must be there; else take the whole text."""
    if not is_patch(patch):
        return patch
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
    same = {
        run.other + i: there[run.one + i]
        for run in match_lines([_bare(line) for line in there], [_bare(line) for line in hunk.new])
        for i in range(run.length)
    }
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
        raise UsageError("the patch holds no hunk", hint=_WAY_OUT)


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
    told = [
        f"--- {NOWHERE if before is None else f'a/{path}'}",
        f"+++ {NOWHERE if after is None else f'b/{path}'}",
    ]
    for group in _groups(old, new):
        told += _tell_hunk(group, old, new)
    return told


def _marked(text: str | None) -> list[str]:
    """The lines of a text; a last one without newline differs from one with it."""
    lines = split_lines(text or "")
    if text and not text.endswith("\n"):
        lines[-1] += f"\n{NO_NEWLINE}"
    return lines


Change = tuple[int, int, int, int]


def _changes(old: list[str], new: list[str]) -> Iterator[Change]:
    """What is replaced: lines `a` to `b` of the old text by lines `c` to `d` of the new one."""
    a = c = 0
    for run in match_lines(old, new):
        if a < run.one or c < run.other:
            yield a, run.one, c, run.other
        a, c = run.one + run.length, run.other + run.length
    if a < len(old) or c < len(new):
        yield a, len(old), c, len(new)


def _groups(old: list[str], new: list[str]) -> Iterator[list[Change]]:
    """Changes that stand so near to each other that one hunk tells them."""
    group: list[Change] = []
    for change in _changes(old, new):
        if group and change[0] - group[-1][1] > 2 * CONTEXT:
            yield group
            group = []
        group.append(change)
    if group:
        yield group


def _tell_hunk(group: list[Change], old: list[str], new: list[str]) -> list[str]:
    first, last = group[0], group[-1]
    before = min(CONTEXT, first[0])
    behind = min(CONTEXT, len(old) - last[1])
    a, b = first[0] - before, last[1] + behind
    c, d = first[2] - before, last[3] + behind
    body: list[str] = []
    at = a
    for start, end, new_start, new_end in group:
        body += [f" {line}" for line in old[at:start]]
        body += [f"-{line}" for line in old[start:end]]
        body += [f"+{line}" for line in new[new_start:new_end]]
        at = end
    body += [f" {line}" for line in old[at:b]]
    head = f"@@ -{_range(a, b)} +{_range(c, d)} @@"
    return [head, *(line for text in body for line in text.split("\n"))]


def _range(start: int, end: int) -> str:
    return f"{start + (end > start)},{end - start}"


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of three texts: the same in all, or with what became of it on either side."""

    base: tuple[str, ...]
    current: tuple[str, ...]
    proposed: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Nobody changed it."""
        return self.base == self.current == self.proposed

    @property
    def clashes(self) -> bool:
        """Both changed it, and not alike."""
        sides = (self.base, self.current, self.proposed)
        return len(set(sides)) == len(sides)


def compare_three(base: list[str], current: list[str], proposed: list[str]) -> list[Piece]:
    """Cut three texts into stretches at the lines that all of them share."""
    mine = _places(base, current)
    theirs = _places(base, proposed)
    pieces: list[Piece] = []
    shared: list[str] = []
    b = c = p = 0
    for at, line in enumerate(base):
        if at not in mine or at not in theirs:
            continue
        if (at, mine[at], theirs[at]) != (b, c, p):
            pieces += _stretch(shared)
            shared = []
            pieces.append(
                Piece(
                    tuple(base[b:at]), tuple(current[c : mine[at]]), tuple(proposed[p : theirs[at]])
                )
            )
        shared.append(line)
        b, c, p = at + 1, mine[at] + 1, theirs[at] + 1
    rest = Piece(tuple(base[b:]), tuple(current[c:]), tuple(proposed[p:]))
    return [*pieces, *_stretch(shared), *([] if rest == _NOTHING else [rest])]


_NOTHING = Piece((), (), ())


def _stretch(lines: list[str]) -> list[Piece]:
    return [Piece(tuple(lines), tuple(lines), tuple(lines))] if lines else []


def _places(base: list[str], other: list[str]) -> dict[int, int]:
    return {
        run.one + i: run.other + i for run in match_lines(base, other) for i in range(run.length)
    }


def three_way(base: str, current: str, proposed: str) -> list[str]:
    """Show what became of a text on both sides: `file` as it is now, `new` as it is proposed."""
    told: list[str] = []
    for piece in compare_three(split_lines(base), split_lines(current), split_lines(proposed)):
        told += _tell_same(piece.base) if piece.same else _tell_piece(piece)
    return told


def _tell_same(lines: tuple[str, ...]) -> list[str]:
    if len(lines) <= 2 * CONTEXT + 1:
        return [f"      {line}" for line in lines]
    left = len(lines) - 2 * CONTEXT
    return [
        *(f"      {line}" for line in lines[:CONTEXT]),
        f"      ({left} unchanged lines)",
        *(f"      {line}" for line in lines[-CONTEXT:]),
    ]


def _tell_piece(piece: Piece) -> list[str]:
    told = [f"was  -{line}" for line in piece.base]
    if piece.current == piece.proposed:
        return [*told, *(f"both +{line}" for line in piece.current)]
    told = ["both changed these lines:", *told] if piece.clashes else told
    if piece.current != piece.base:
        told += [f"file +{line}" for line in piece.current] or ["file: removed"]
    if piece.proposed != piece.base:
        told += [f"new  +{line}" for line in piece.proposed] or ["new: removed"]
    return told
