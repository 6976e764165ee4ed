"""Words, topics and tags of instruction text."""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from string import ascii_lowercase
from typing import TYPE_CHECKING

from dmm.clients.registry import all_clients
from dmm.text.stem import stem
from dmm.text.words import english, english_rows, group_by_word

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

GENERAL = "general"
MOST_TAGS = 5
_HEADING_WEIGHT = 0.65
_FEW_HITS = 3
_MANY_HITS = 8
_STRAY_HITS = 2
_CLEAR_SHARE = 0.3
_WORD = re.compile(r"[a-z][a-z0-9+#]*")
_CODE_SPAN = re.compile(r"`([^`\n]+)`")
_FENCED = re.compile(r"^[ \t]*(```|~~~)[ \t]*(\w*)[^\n]*\n(.*?)^[ \t]*\1", re.DOTALL | re.MULTILINE)
_COMMAND = re.compile(r"(?:\$ )?([a-z][a-z0-9_-]{1,20})(?: |$)")
_SHELLS = ("", "bash", "sh", "shell", "console", "zsh", "fish")
_TAG = re.compile(r"[a-z0-9][a-z0-9-]{0,29}")
_NAME = re.compile(r"[a-z0-9][a-z0-9-]{3,}")

_LEXICON = english_rows("topics")
_TITLES = {"api": "API", "docs": "documentation", "errors": "error handling"}
# Security is named in passing where it matters most.
_WEIGHTS = {"security": 2}
_STOP = english("no_topics") | {word for client in all_clients() for word in client.headed}
_STOP |= frozenset(ascii_lowercase)
_LANGUAGES = group_by_word("code_endings")
_SHELL_NOISE = english("shell_noise")


@lru_cache(maxsize=1)
def _topics_by_stem() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for topic, said in _LEXICON.items():
        for word in dict.fromkeys(map(stem, said)):
            found[word] = (*found.get(word, ()), topic)
    return found


def words(text: str) -> list[str]:
    """Return the lower-case words of a text."""
    return _WORD.findall(text.casefold())


def content_words(text: str) -> list[str]:
    """Return the words of a text that carry a meaning of their own."""
    return [word for word in words(text) if word not in _STOP]


def meaning(text: str) -> frozenset[str]:
    """Reduce a heading to the stems and numbers by which it is told from another."""
    return frozenset(map(stem, content_words(text))) | frozenset(re.findall(r"\d+", text))


def topic_of(text: str, heading: str = "") -> str:
    """Choose the topic that a text is about; most of the text must speak against its heading."""
    said, named = _hits(text), _hits(heading)
    total = sum(said.values())
    scores = {t: _HEADING_WEIGHT * named[t] + said[t] / max(total, _FEW_HITS) for t in _LEXICON}
    best = max(scores, key=lambda topic: scores[topic])
    if any(named.values()):
        return best
    scattered = total >= _MANY_HITS and scores[best] < _CLEAR_SHARE
    # Below a heading about something else, one word is a stray one.
    stray = said[best] < _STRAY_HITS and bool(content_words(heading))
    return GENERAL if scattered or stray or not scores[best] else best


def _hits(text: str) -> dict[str, int]:
    hits = dict.fromkeys(_LEXICON, 0)
    for word in words(text):
        for topic in _topics(word):
            hits[topic] += _WEIGHTS.get(topic, 1)
    return hits


@lru_cache(maxsize=65_536)
def _topics(word: str) -> tuple[str, ...]:
    return _topics_by_stem().get(stem(word), ())


def topic_title(topic: str) -> str:
    """Write a topic as a part of a title."""
    return _TITLES.get(topic, topic)


def tags_of(
    text: str, headings: Sequence[str], topic: str, globs: Iterable[str]
) -> tuple[str, ...]:
    """Choose two to five tags: topic, languages of the globs, heading words, tools."""
    candidates = [topic] if topic != GENERAL else []
    candidates += _glob_tags(globs)[:2]
    candidates += [word for heading in reversed(headings) for word in content_words(heading)][:3]
    candidates += _tools(text)
    tags: dict[str, str] = {}
    for candidate in candidates:
        if _TAG.fullmatch(candidate):
            tags.setdefault(stem(candidate), candidate)
    for least, find in ((3, _identifiers), (2, _frequent)):
        for filler in find(text):
            if len(tags) < least:
                tags.setdefault(stem(filler), filler)
    return tuple(tags.values())[:MOST_TAGS]


def _commands(text: str) -> list[str]:
    shells = [match.group(3) for match in _FENCED.finditer(text) if match.group(2) in _SHELLS]
    spans = _CODE_SPAN.findall(_FENCED.sub("", text))
    lines = [line for shell in shells for line in shell.splitlines()]
    return lines + [span for span in spans if " " in span]


def _glob_tags(globs: Iterable[str]) -> list[str]:
    found = []
    for glob in map(str.casefold, globs):
        endings = re.findall(r"[a-z]+", glob.rpartition(".")[2])
        found += [_LANGUAGES[ending] for ending in endings if ending in _LANGUAGES]
        found += [part for part in re.findall(r"[a-z][a-z0-9-]{2,}(?=/)", glob) if part != "src"]
    return list(dict.fromkeys(found))


def _tools(text: str) -> list[str]:
    found = (_COMMAND.match(code.strip()) for code in _commands(text))
    names = [match.group(1) for match in found if match]
    return list(dict.fromkeys(name for name in names if name not in _SHELL_NOISE))[:3]


def _identifiers(text: str) -> list[str]:
    spans = _CODE_SPAN.findall(_FENCED.sub("", text))
    return list(filter(_NAME.fullmatch, spans))


def _frequent(text: str) -> list[str]:
    bare = Counter(word for word in content_words(text) if len(word) > 3)
    return [*(word for word, _ in bare.most_common(2)), "notes"]
