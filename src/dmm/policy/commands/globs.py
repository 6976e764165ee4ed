"""Globs: patterns for names and for paths, where `**` crosses folders and `*` does not."""

from __future__ import annotations

import re
from fnmatch import translate
from functools import lru_cache

_WILD = frozenset("*?[")


@lru_cache(maxsize=4096)
def _name(pattern: str) -> re.Pattern[str]:
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
