"""Whether a text tries to steer its readers or sets rules.

Patterns look at folded text with single blanks. Every gap in them is bounded, so that they stay
linear on any text.
"""

from __future__ import annotations

import base64
import binascii
import html
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.text import shield
from dmm.review.phrases import dangers, hints, manipulations, rules
from dmm.text.prose import paragraphs_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

QUOTE = 90
_BLANKS = re.compile(r"\s+")
_EMPHASIS = re.compile(r"[*`]+|~~+|(?<!\w)_+|_+(?!\w)")
_SPELT_OUT = re.compile(r"(?<!\w)\w(?: \w){4,}(?!\w)")
_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{40,}={0,2}")
# A comment that is not closed extends to the end.
_COMMENT = re.compile(r"<!--(.*?)(?:-->|\Z)", re.DOTALL)
_LINK_COMMENT = re.compile(r"^\[//\]: # [(\"'](.{0,500})$", re.MULTILINE)
_READER = re.compile(
    r"\b(?:you|your|agents?|assistants?|ai|llms?|models?|claude|copilot|codex|gpt|reviewers?"
    r"|when (?:summari[sz]|answer|review|read|report|work)ing)\b"
)
_URGES = re.compile(
    r"\b(?:must|should|shall|always|never|ignore|run|execute|send|push|include|answer|approve"
    r"|add|delete|upload|say|do not|don't|disable|follow|use)\b"
)
_MIXED = re.compile(r"[a-z][\u0400-\u04ff]|[\u0400-\u04ff][a-z]")
# Behind a colon the next line begins something new, as does one that begins with a mark.
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=:)\n|\n(?=[>#*+-])")
_MARKS = re.compile(r"[\s>#*+-]*(?:\d{1,3}[.)]\s+)?(?:\[[ x]\]\s+)?")


@dataclass(frozen=True, slots=True)
class Finding:
    """Something a text says that it should not: what it is, and the words it was found in."""

    what: str
    quote: str


def find_manipulation(text: str) -> list[Finding]:
    """Find words that are aimed at the agent or at the reviewer rather than at the matter."""
    found = list(_search(text, manipulations()))
    found += [Finding("words hidden in a comment", _clip(one)) for one in _urging_comments(text)]
    for decoded in _decoded(text):
        found += [
            Finding(f"encoded text: {one.what}", one.quote)
            for one in _search(decoded, (*manipulations(), *dangers()))
        ]
    if any(line.lstrip().startswith("#") for line in _imitations(text)):
        found.append(Finding("a heading that imitates a pack", _imitations(text)[0]))
    folded = _fold(text)
    if mixed := _MIXED.search(folded):
        found.append(Finding("letters of two scripts in one word", _around(folded, mixed)))
    return list(dict.fromkeys(found))


def find_doubtful(text: str) -> list[Finding]:
    """Find commands that run what nobody has read, and words that may be aimed at the reader."""
    return list(dict.fromkeys(_search(text, (*dangers(), *hints()))))


def find_rules(text: str) -> list[Finding]:
    """Find sentences that tell what everybody has to do; code blocks and headings are not read."""
    found = []
    for sentence in (one for _, part in paragraphs_of(text) for one in _SENTENCE_END.split(part)):
        plain = _plain(_MARKS.sub("", sentence, count=1))
        if any(pattern.search(plain) for pattern in rules()):
            found.append(Finding("a standing rule", _clip(plain)))
    return list(dict.fromkeys(found))


def _search(text: str, patterns: Iterable[tuple[str, re.Pattern[str]]]) -> Iterator[Finding]:
    # A phrase may run over the end of a line, and another one begins where a line does.
    versions = (_plain(text), "\n".join(map(_plain, text.split("\n"))))
    for what, pattern in patterns:
        for version in versions:
            if found := pattern.search(version):
                yield Finding(what, _around(version, found))
                break


def _plain(text: str) -> str:
    """Fold letters, join what was spelt out, and take away what only changes the looks."""
    shown = _fold(html.unescape(text))
    shown = _BLANKS.sub(" ", _EMPHASIS.sub("", shown))
    return _SPELT_OUT.sub(lambda found: found[0].replace(" ", ""), shown)


def _fold(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    return folded.replace("\u2019", "'").replace("\u2018", "'")


def _imitations(text: str) -> list[str]:
    shielded = shield(text)
    if shielded == text:
        return []
    lines = zip(text.split("\n"), shielded.split("\n"), strict=False)
    return [_clip(line) for line, safe in lines if line != safe]


def _urging_comments(text: str) -> Iterator[str]:
    for comment in (*_COMMENT.findall(text), *_LINK_COMMENT.findall(text)):
        inner = _plain(comment)
        if _READER.search(inner) and _URGES.search(inner):
            yield inner.strip()


def _decoded(text: str) -> Iterator[str]:
    for found in _BASE64.finditer(text):
        blob = found[0].rstrip("=").replace("-", "+").replace("_", "/")
        try:
            data = base64.b64decode(blob + "=" * (-len(blob) % 4), validate=True)
            decoded = data.decode("utf-8")
        except (binascii.Error, UnicodeDecodeError):
            continue
        if sum(sign.isprintable() or sign.isspace() for sign in decoded) > 0.9 * len(decoded):
            yield decoded


def _around(text: str, found: re.Match[str]) -> str:
    start = max(0, found.start() - 20)
    # A quotation begins with a whole word.
    if start:
        start = text.find(" ", start, found.start()) + 1 or found.start()
    return _clip(text[start : found.end() + 20])


def _clip(text: str) -> str:
    text = _BLANKS.sub(" ", text).strip()
    return text if len(text) <= QUOTE else f"{text[: QUOTE - 3].rstrip()}..."
