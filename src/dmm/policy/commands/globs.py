"""Globs: patterns for names and for paths, where `**` crosses folders and `*` does not."""

from __future__ import annotations

import re
from functools import lru_cache

_WILD = frozenset("*?[")


@lru_cache(maxsize=4096)
def _name(pattern: str) -> re.Pattern[str]:
    from fnmatch import translate

    return re.compile(translate(pattern))


def matches_name(name: str, pattern: str) -> bool:
    """Match a name: `*` stands for anything; letters count as written."""
    if name == pattern:
        return True
    return not _WILD.isdisjoint(pattern) and bool(_name(pattern).match(name))


@lru_cache(maxsize=4096)
def _path(pattern: str) -> re.Pattern[str]:
    plain = pattern.removeprefix("./").rstrip("/")
    anchored = "/" in plain
    whole = plain.removesuffix("/**")
    parts = re.split(r"(\*\*/|\*\*|\*|\?)", whole)
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    body = "".join(words.get(part, re.escape(part)) for part in parts)
    inside = "(?:/.*)?" if whole != plain or not anchored else ""
    return re.compile(("" if anchored else "(?:.*/)?") + body + inside, re.S)


def matches_path(path: str, pattern: str) -> bool:
    """Match a path; a pattern without a slash matches the name in any folder."""
    return bool(_path(pattern).fullmatch(path.removeprefix("./")))


_MAX_GLOB = 200
_LEAST_LITERAL = 2


def plain_example(glob: str) -> str:
    """Fill the wildcards of a glob in with something that no name holds by chance."""
    return re.sub(r"\[[^\]]*\]|[*?]+", "x", glob)


def may_match_path(glob: str, pattern: str, *, written: bool) -> bool:
    """Tell whether a path with wildcards is aimed at files that a pattern covers.

    A bare `*` is aimed at nothing: the glob must begin with the name, or be of the same kind as the
    pattern (`*.pem`). Where files are written or removed, an ending of the name is enough.
    """
    if matches_path(plain_example(glob), pattern):
        return True
    name = glob.rpartition("/")[2]
    begins = re.match(r"[^*?[]*", name)
    prefix = begins.group() if begins else ""
    literal = len(re.sub(r"\[[^\]]*\]|[*?]+", "", name))
    aimed = prefix[:1] == "." or len(prefix) >= _LEAST_LITERAL
    aimed = aimed or (written and literal >= _LEAST_LITERAL)
    wanted = pattern.removesuffix("/**").rpartition("/")[2]
    kind = wanted[:1] in ("*", "?")
    hidden = not prefix and wanted.startswith(".")
    if not aimed or kind or hidden or len(glob) + len(pattern) > _MAX_GLOB:
        return False
    return _meet(glob.removeprefix("./"), pattern)


_ANY_FOLDERS = "**/"


def _tokens(glob: str) -> list[str]:
    """Take a glob apart; `**/` becomes a choice: skip the two pieces behind it, or go on."""
    found = re.findall(r"\*\*/|\*\*|\*|\?|\[[^\]]*\]|[^*?]", glob)
    split = ([_ANY_FOLDERS, "**", "/"] if one == _ANY_FOLDERS else [one] for one in found)
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
    if a == _ANY_FOLDERS:
        return [(at + 1, other), (at + 3, other)]
    if b == _ANY_FOLDERS:
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
