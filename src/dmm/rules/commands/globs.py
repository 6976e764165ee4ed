"""Globs: patterns for names and for paths, where `**` crosses folders and `*` does not."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

_WILD = frozenset("*?[")


@lru_cache(maxsize=4096)
def _name(pattern: str) -> re.Pattern[str]:
    from fnmatch import translate

    return re.compile(translate(pattern))


def set_regex(chosen: str) -> str:
    """Write a set of characters, such as `[!a-c]`, as a regular expression; a slash is in none.

    A range that runs backwards holds nothing: `[day-of-week]` is a placeholder, no set.
    """
    from fnmatch import translate

    negated = f"[!{chosen[2:]}" if chosen.startswith("[^") else chosen
    return f"(?!/){translate(negated).removeprefix('(?s:').rpartition(')')[0]}"


def matches_name(name: str, pattern: str) -> bool:
    """Match a name: `*` stands for anything; letters count as written."""
    if name == pattern:
        return True
    return not _WILD.isdisjoint(pattern) and bool(_name(pattern).match(name))


ANY_FOLDERS = "**/"
# A glob that matches a folder covers what lies inside.
INSIDE = r"(?=/|\Z)"


def glob_regex(tokens: Iterable[str], translate: Callable[[str], str], end: str) -> str:
    """Write the tokens of a path glob as a regular expression that never tries twice.

    What follows a wildcard is taken where it is found first, for good. No later place could lead
    on to a match where the first does not: the next wildcard reaches all that lies behind it.
    """
    deep, pieces, found = False, [""], ""
    for one in _whole_segments(tokens):
        if one == ANY_FOLDERS:
            found += _chunk(pieces, deep=deep)
            deep, pieces = True, [""]
        elif one == "*":
            pieces.append("")
        else:
            pieces[-1] += "[^/]" if one == "?" else translate(one)
    pieces[-1] += end
    return found + _chunk(pieces, deep=deep)


def _whole_segments(tokens: Iterable[str]) -> Iterator[str]:
    """Let `**` stand for any folders only as a whole segment; in a name it is a `*`."""
    before = "/"
    for one in tokens:
        if one == ANY_FOLDERS and before[-1] != "/":
            yield from ("*", "/")
        else:
            yield "*" if one == "**" else one
        before = one


def _chunk(pieces: Sequence[str], *, deep: bool) -> str:
    first, *others = pieces
    body = first + "".join(f"(?>[^/]*?{one})" for one in others)
    return f"(?>(?:[^/]*/)*?{body})" if deep else body


@lru_cache(maxsize=4096)
def _path(pattern: str) -> re.Pattern[str]:
    plain = pattern.removeprefix("./").rstrip("/")
    anchored = "/" in plain
    whole = plain.removesuffix("/**")
    parts = [one for one in re.split(r"(\*\*/|\*\*|\*|\?)", whole) if one]
    inside = whole != plain or not anchored
    tokens = parts if anchored else [ANY_FOLDERS, *parts]
    return re.compile(glob_regex(tokens, re.escape, INSIDE if inside else r"\Z"), re.S)


def matches_path(path: str, pattern: str) -> bool:
    """Match a path; a pattern without a slash matches the name in any folder."""
    return bool(_path(pattern).match(path.removeprefix("./")))


def chosen(name: str, globs: Sequence[str]) -> bool:
    """Match a name against globs in order: the last that matches decides, `!glob` takes out.

    A list that only takes out begins with everything.
    """
    found = all(glob.startswith("!") for glob in globs)
    for glob in globs:
        if matches_name(name, glob.removeprefix("!")):
            found = not glob.startswith("!")
    return found


_MAX_GLOB = 200
_LEAST_LITERAL = 2


def plain_example(glob: str) -> str:
    """Return a path that matches a glob, with an unlikely name for each wildcard."""
    return _filled(glob, "x")


def _filled(glob: str, text: str) -> str:
    """Replace each wildcard of a glob; behind the last `]` no bracket begins a set."""
    sets, closed, rest = glob.rpartition("]")
    return re.sub(r"\[[^\]]*\]|[*?]+", text, sets + closed) + re.sub(r"[*?]+", text, rest)


def may_match_path(glob: str, pattern: str, *, written: bool) -> bool:
    """Return whether a path with wildcards is aimed at files that a pattern covers.

    A bare `*` is aimed at nothing: the glob must begin with the name, or be of the same kind as the
    pattern (`*.pem`). Where files are written or removed, an ending of the name is enough.
    """
    if matches_path(plain_example(glob), pattern):
        return True
    name = glob.rpartition("/")[2]
    begins = re.match(r"[^*?[]*", name)
    prefix = begins.group() if begins else ""
    literal = len(_filled(name, ""))
    aimed = prefix[:1] == "." or len(prefix) >= _LEAST_LITERAL
    aimed = aimed or (written and literal >= _LEAST_LITERAL)
    wanted = pattern.removesuffix("/**").rpartition("/")[2]
    kind = wanted[:1] in ("*", "?")
    hidden = not prefix and wanted.startswith(".")
    if not aimed or kind or hidden or len(glob) + len(pattern) > _MAX_GLOB:
        return False
    return _meet(glob.removeprefix("./"), pattern)


def _tokens(glob: str) -> list[str]:
    """Take a glob apart; `**/` becomes a choice: skip the two pieces behind it, or go on."""
    found = re.findall(r"\*\*/|\*\*|\*|\?|\[[^\]]*\]|[^*?]", glob)
    split = ([ANY_FOLDERS, "**", "/"] if one == ANY_FOLDERS else [one] for one in found)
    return [piece for pieces in split for piece in pieces]


@lru_cache(maxsize=1024)
def _meet(glob: str, pattern: str) -> bool:
    """Whether one path matches two globs: walk over both at once, all possibilities together."""
    plain = pattern.removeprefix("./").rstrip("/").removesuffix("/**")
    left = _tokens(glob)
    right = _tokens(plain if "/" in plain else f"**/{plain}")
    waiting, seen = [(0, 0)], {(0, 0)}
    while waiting:
        for place in _steps(left, right, *waiting.pop()):
            if place not in seen:
                seen.add(place)
                waiting.append(place)
    return (len(left), len(right)) in seen


def _steps(left: list[str], right: list[str], at: int, other: int) -> list[tuple[int, int]]:
    a = left[at] if at < len(left) else ""
    b = right[other] if other < len(right) else ""
    if a == ANY_FOLDERS:
        return [(at + 1, other), (at + 3, other)]
    if b == ANY_FOLDERS:
        return [(at, other + 1), (at, other + 3)]
    found = []
    if a.startswith("*"):
        found += [(at + 1, other)]
        found += [(at, other + 1)] if b and (b != "/" or a != "*") else []
    if b.startswith("*"):
        found += [(at, other + 1)]
        found += [(at + 1, other)] if a and (a != "/" or b != "*") else []
    single = a and b and not a.startswith("*") and not b.startswith("*")
    if single and (a == b or ((len(a) > 1 or "?" in (a, b) or len(b) > 1) and "/" not in (a, b))):
        found.append((at + 1, other + 1))
    return found
