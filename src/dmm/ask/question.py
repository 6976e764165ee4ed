"""Parse a question: its days, kind, files and names."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.ask.days import Span, find_span
from dmm.domain.observation import Kind
from dmm.text.words import english

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Iterable

MOST_HINTS = 8
LONGEST_NAME = 120
# A word of so few letters names nothing.
SHORT = 2

_KINDS = {
    Kind.DECISION: r"decisions?|decid(?:e|ed)|agreed?|chose|choices?",
    Kind.BUGFIX: r"bugs?|bugfix(?:es)?|fix(?:ed|es)?|defects?|regressions?",
    Kind.FEATURE: r"features?|implemented|added|built|shipped",
    Kind.DISCOVERY: r"discover(?:ed|y|ies)|found\s+out|learn(?:ed|t)|findings?|insights?",
    Kind.CHANGE: r"changes|changed|refactor(?:ed|ings?)|renamed|moved",
}
_KIND_WORDS = {kind: re.compile(rf"\b(?:{words})\b", re.I) for kind, words in _KINDS.items()}
_LOOKS_BACK = re.compile(
    r"\b(?:did|have|had|was|were)\s+(?:we|i|you|they|it|the|any|there)\b"
    r"|\b(?:so\s+far|recently|lately|history|earlier|previous(?:ly)?)\b",
    re.I,
)
# These ask for what sessions did only beside a kind of it, such as bugs or decisions.
_LISTS = re.compile(r"\b(?:which|list)\b", re.I)
_QUOTED = re.compile(r"\"([^\"\n]{2,120})\"|“([^”\n]{2,120})”|(?<!\w)'([^'\n]{2,120})'(?!\w)")
_TICKED = re.compile(r"`([^`\n]{1,120})`")
_ENDINGS = (
    "py pyi js jsx mjs cjs ts tsx go rs java kt c h cc cpp hpp rb php cs swift scala sh bash sql"
    " md rst txt toml yaml yml json cfg ini html css vue svelte lock gradle proto tf"
)
_FILE = re.compile(
    r"(?<![\w./:@-])((?:[\w.*@-]+/)+[\w.*@-]*|[\w*-][\w.*-]*\.(?:"
    + "|".join(_ENDINGS.split())
    + r"))(?![\w/])"
)
_KNOWN_FILE = re.compile(r"(?<![\w/.])(Makefile|Dockerfile|README|CHANGELOG|Procfile)(?![\w./])")
_SYMBOL = re.compile(
    r"(?<![\w./-])([A-Za-z_]\w*(?:(?:\.|::)[A-Za-z_]\w*)+(?:\(\))?|[A-Za-z_]\w*\(\)"
    r"|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+|[a-z0-9]+(?:_[a-z0-9]+)+|_\w+|[a-z]+[A-Z]\w*)(?![\w/-])"
)
_ADDRESS = re.compile(r"https?://\S+")
_WORD = re.compile(r"[\w'-]+")
_IDLE = english("idle_question")


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked; `words` is the text without what only says when."""

    text: str
    words: str
    span: Span | None = None
    kinds: tuple[Kind, ...] = ()
    files: tuple[str, ...] = ()
    symbols: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    looks_back: bool = False

    @property
    def topic(self) -> str:
        """What to look for; empty where a question asks for anything at all, as a brief does."""
        said = {word.casefold() for word in _WORD.findall(self.words)}
        return self.words if said - _IDLE else ""

    @property
    def subjects(self) -> tuple[str, ...]:
        """The words that say what it is about."""
        said = dict.fromkeys(_WORD.findall(_FILE.sub(" ", self.words)))
        return tuple(one for one in said if len(one) > SHORT and one.casefold() not in _IDLE)


def read_question(text: str, day: dt.date) -> Question:
    """Parse a question, relative to the day it is asked."""
    plain = " ".join(text.split())
    span = find_span(_QUOTED.sub(" ", plain), day)
    rest = plain if span is None else " ".join(_without(plain, span.words).split())
    ticked = [found.strip() for found in _TICKED.findall(plain)]
    bare = _ADDRESS.sub(" ", _TICKED.sub(" ", plain))
    files = [*filter(_FILE.fullmatch, ticked), *_FILE.findall(bare), *_KNOWN_FILE.findall(bare)]
    unfiled = _FILE.sub(" ", bare)
    inside = [one for one in ticked if not _FILE.fullmatch(one) and " " not in one]
    symbols = [*inside, *_SYMBOL.findall(unfiled)]
    names = ["".join(found) for found in _QUOTED.findall(plain)]
    names += [one for one in ticked if " " in one]
    kinds = tuple(kind for kind, words in _KIND_WORDS.items() if words.search(rest))
    looks_back = span is not None or _LOOKS_BACK.search(plain) is not None
    looks_back = looks_back or (bool(kinds) and _LISTS.search(plain) is not None)
    return Question(
        text=plain,
        words=rest or plain,
        span=span,
        kinds=kinds,
        files=_first(one.rstrip("./,:;") for one in files),
        symbols=_first(one.removesuffix("()") for one in symbols),
        names=_first(names),
        looks_back=looks_back,
    )


def _without(text: str, words: str) -> str:
    spaced = r"\s+".join(map(re.escape, words.split()))
    return re.sub(spaced, " ", text, count=1)


def _first(found: Iterable[str]) -> tuple[str, ...]:
    told = (one.strip()[:LONGEST_NAME] for one in found)
    return tuple(dict.fromkeys(filter(None, told)))[:MOST_HINTS]
