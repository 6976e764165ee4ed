"""Check citations against the working tree."""

from __future__ import annotations

import hashlib
import re
import stat
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING

from dmm.domain.memory import Citation
from dmm.domain.pack import CitationCheck, Freshness
from dmm.domain.text import neutralise

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

MAX_CITED_BYTES = 2 * 1024 * 1024
MAX_SEARCHED = 8 * 1024 * 1024
HASH_LENGTH = 16
_WILD = re.compile(r"[*?\[{]")


def digest(lines: Sequence[str]) -> str:
    """Hash cited lines; white space at line ends does not count."""
    return _hash("\n".join(line.rstrip() for line in lines).encode())


def _hash(text: bytes | memoryview) -> str:
    return hashlib.sha256(text).hexdigest()[:HASH_LENGTH]


def check(root: Path, cite: Citation) -> CitationCheck:
    """Compare one citation with the working tree as it is now."""
    state, now = _look_up(root, cite)
    return CitationCheck(describe(cite), state, now)


def find_missing(root: Path, globs: Iterable[str]) -> list[str]:
    """List the globs of a memory whose file, or folder above the first wildcard, is not there.

    A name without a folder fits at any depth, so it is not looked for.
    """
    named = [glob for glob in globs if "/" in glob.removeprefix("./").rstrip("/")]
    return [one for one in named if one[:1] != "!" and _locate(root, _fixed_part(one)) is None]


def _fixed_part(glob: str) -> str:
    parts = glob.lstrip("/").split("/")
    return "/".join(takewhile(lambda part: not _WILD.search(part), parts))


def describe(cite: Citation) -> str:
    """Name a cited place as a reader would, on one line: path, lines, symbol."""
    span = f":{cite.lines[0]}-{cite.lines[1]}" if cite.lines else ""
    text = f"{cite.path}{span}" + (f" {cite.symbol}" if cite.symbol else "")
    return _on_one_line(text)


def _on_one_line(text: str) -> str:
    return neutralise(text).replace("\n", " ")


def _look_up(root: Path, cite: Citation) -> tuple[Freshness, str | None]:
    target = _locate(root, cite.path)
    if target is None:
        return Freshness.GONE, None
    if cite == Citation(cite.path):
        return Freshness.FRESH, None
    if target.is_dir():
        return Freshness.GONE, None
    lines = _read_lines(target)
    return (Freshness.CHANGED, None) if lines is None else _compare(lines, cite)


def _locate(root: Path, path: str) -> Path | None:
    """Find a file or folder inside the root; devices, pipes and what lies outside do not count."""
    try:
        top = root.resolve()
        target = (top / path).resolve()
        mode = target.stat().st_mode
    except (OSError, ValueError, RuntimeError):  # RuntimeError: links in a circle, until 3.12
        return None
    usable = stat.S_ISREG(mode) or stat.S_ISDIR(mode)
    return target if usable and target.is_relative_to(top) else None


def _read_lines(target: Path) -> list[str] | None:
    """Read a file's lines as editors count them; None if it is no readable small file."""
    try:
        if target.stat().st_size > MAX_CITED_BYTES:
            return None
        text = target.read_bytes().decode("utf-8", "replace")
    except OSError:
        return None
    lines = text.replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def _compare(lines: list[str], cite: Citation) -> tuple[Freshness, str | None]:
    if cite.hash is None:
        return _compare_symbol(lines, cite)
    wanted = cite.hash[:HASH_LENGTH].casefold()
    if cite.lines is None:
        return _fate(lines, cite) if digest(lines) != wanted else (Freshness.FRESH, None)
    first, last = cite.lines
    if digest(lines[first - 1 : last]) == wanted and last <= len(lines):
        return Freshness.FRESH, None
    length = last - first + 1
    start = _find(lines, length, wanted, near=first - 1)
    if start is not None:
        return Freshness.MOVED, _on_one_line(f"{cite.path}:{start + 1}-{start + length}")
    return _fate(lines, cite)


def _find(lines: list[str], length: int, wanted: str, *, near: int) -> int | None:
    """Find moved lines, the nearest first; what would take too long to find is not found."""
    bare = [line.rstrip().encode() for line in lines]
    starts = [0, *accumulate(len(line) + 1 for line in bare)]
    text = memoryview(b"\n".join(bare))
    left = MAX_SEARCHED
    for start in sorted(range(len(bare) - length + 1), key=lambda start: abs(start - near)):
        cut = text[starts[start] : starts[start + length] - 1]
        if _hash(cut) == wanted:
            return start
        left -= len(cut) + 1
        if left < 0:
            return None
    return None


def _fate(lines: list[str], cite: Citation) -> tuple[Freshness, str | None]:
    """The text is no longer as cited: changed, unless the cited symbol has left the file."""
    if cite.symbol is not None and not _lines_with(lines, cite.symbol):
        return Freshness.GONE, None
    return Freshness.CHANGED, None


def _compare_symbol(lines: list[str], cite: Citation) -> tuple[Freshness, str | None]:
    if cite.symbol is None:
        inside = cite.lines is None or cite.lines[1] <= len(lines)
        return (Freshness.FRESH if inside else Freshness.CHANGED), None
    found = _lines_with(lines, cite.symbol)
    if not found:
        return Freshness.GONE, None
    if cite.lines is None or any(cite.lines[0] <= n <= cite.lines[1] for n in found):
        return Freshness.FRESH, None
    return Freshness.MOVED, _on_one_line(f"{cite.path}:{found[0]}")


def _lines_with(lines: list[str], symbol: str) -> list[int]:
    name = re.split(r"[.:#]+", symbol)[-1] or symbol
    word = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    return [number for number, line in enumerate(lines, start=1) if word.search(line)]


def excerpt(root: Path, cite: Citation, now: str | None, most: int) -> list[tuple[int, str]]:
    """Return the cited lines with their numbers, where they are now; none where they are gone."""
    target = _locate(root, cite.path)
    lines = None if target is None else _read_lines(target)
    if lines is None:
        return []
    first, last = _span(lines, cite, now)
    return list(enumerate(lines[first - 1 : last], start=first))[:most]


def _span(lines: list[str], cite: Citation, now: str | None) -> tuple[int, int]:
    """Return the lines to show: moved, as cited, around the symbol, or the first."""
    moved = re.search(r":(\d+)(?:-(\d+))?$", now or "")
    if moved is not None:
        first = int(moved[1])
        return first, int(moved[2] or first)
    if cite.lines is not None:
        return cite.lines
    found = _lines_with(lines, cite.symbol) if cite.symbol is not None else []
    return (found[0], len(lines)) if found else (1, len(lines))
