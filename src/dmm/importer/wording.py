"""Whether two rules say the same: numbers, polarity, conditions, code and words."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Self

from dmm.text.prose import strip_bullet, strip_emphasis
from dmm.text.stem import stem
from dmm.text.words import english

if TYPE_CHECKING:
    from collections.abc import Iterable

LEAST_OVERLAP = 0.85
_FILLER = english("rule_filler")
_GUARDED = english("guarding")
_TURNING = english("turning")
_SAME_NEGATION = dict.fromkeys(("never", "no", "cannot"), "not")
_TOKEN = re.compile(
    r"`[^`]+`|\[[ xX]\]|-{1,2}[A-Za-z][\w-]*|[\w@$%€£<>=≤≥+#]+(?:[./:'\u2019_-][\w%]+)*"
)
_CONTRACTION = re.compile(
    r"\b(do|does|did|is|are|was|must|should|would|could|wo|ca|can)n['\u2019]?t\b", re.I
)
_SPAN = re.compile(r"(`[^`]+`)")
_IDENTIFIER = re.compile(r".*(\d|[_/$@<>=%€£+#≤≥]|\w\.\w|[a-z][A-Z]|^-)")


@dataclass(frozen=True, slots=True)
class Wording:
    """A rule reduced to what it demands: guarded tokens, and the stems of its other words."""

    guarded: tuple[str, ...]
    words: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> Self:
        """Reduce a sentence or list item."""
        weighed = [_weigh(token) for token in _tokens(text)]
        guarded = (kept for kept, _ in weighed if kept)
        return cls(tuple(guarded), tuple(stemmed for _, stemmed in weighed if stemmed))

    @property
    def size(self) -> int:
        """How many tokens carry its meaning."""
        return len(self.guarded) + len(self.words)

    def says_the_same_as(self, other: Wording) -> bool:
        """Return whether the two differ at most by a few added words that change nothing else."""
        if self.guarded != other.guarded or not self.size:
            return False
        fewer, more = sorted((self.words, other.words), key=len)
        if set(fewer) == set(more):
            return fewer == more
        overlap = len(set(fewer) & set(more)) / len(set(fewer) | set(more))
        return overlap >= LEAST_OVERLAP and _in_order(fewer, more)


def squeezed(text: str) -> str:
    """Return a text with its list marker and its spacing made uniform, for exact comparison."""
    return " ".join(strip_bullet(text).split())


def guards_of(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the words in the headings and the intro above a rule that turn its meaning."""
    return tuple(sorted(token for text in texts for token in _turning(text)))


@lru_cache(maxsize=4_096)
def _turning(text: str) -> tuple[str, ...]:
    """Asked for every rule below a heading, so the answer is remembered."""
    return tuple(token for token in Wording.of(text).guarded if token in _TURNING)


def _tokens(text: str) -> list[str]:
    text = strip_bullet(text).replace("cannot", "not")
    found: list[str] = []
    for part in _SPAN.split(text):
        code = part.startswith("`")
        found += [" ".join(part.split())] if code else _TOKEN.findall(_spelt_out(part))
    return found


def _spelt_out(text: str) -> str:
    """Strip emphasis and expand contractions."""
    return _CONTRACTION.sub("not", strip_emphasis(text))


@lru_cache(maxsize=65_536)
def _weigh(token: str) -> tuple[str, str]:
    """Return the protected text of a token, or its stem; None for a stop word."""
    if token.startswith("`"):
        return token, ""
    # The case of an identifier matters; that of a word does not.
    folded = token if _IDENTIFIER.match(token) else token.casefold()
    if folded in _GUARDED or _IDENTIFIER.match(folded):
        return _SAME_NEGATION.get(folded, folded), ""
    return "", "" if folded in _FILLER else stem(folded)


def _in_order(fewer: tuple[str, ...], more: tuple[str, ...]) -> bool:
    rest = iter(more)
    return all(word in rest for word in fewer)
