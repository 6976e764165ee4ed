"""The words that show a text's subject, and whether others fit."""

from __future__ import annotations

from dataclasses import dataclass

from dmm.index.analysis import analyze
from dmm.text.stem import stem

SHORTEST_ROOT = 4
LONGEST_ROOT = 12

# Words of any text about software: sharing them says nothing about the subject.
_COMMON_TEXT = """
use run make need work want get set add new old one two three time way thing name value see keep
put take give go come look find show tell say know think call change write read file line code
project system software user team people person day week month year part case point kind type
number list order example reason note rule step first last next same other another many much more
most few some any every each all both only also just even still again always never must should
may might could would will shall now then here there up down out over under above below between
after before while during since until without within through about into onto per via not no yes
good bad better best right wrong true false high low long short small large big little full empty
start stop begin end open close create delete remove update check ensure follow avoid prefer
because therefore so thus however instead rather than than if when where who what which why how
done doing being been are was were have has had having it its they them their we our you your he
she his her this that these those against such like very too own able available possible
default usual common general specific single different decision context consequence background
detail problem issue solution option choice approach current currently existing main important
self itself whole entire entirely exactly simply really actually already later once twice soon
mean happen become let lead leave stay seem turn try help bring hold stand allow require provide
include contain belong apply exist matter depend expect handle support result result come
memory memories document documentation page section item entry text word sentence title
"""

_COMMON = frozenset(stem(word) for word in _COMMON_TEXT.split())


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The telling words of a text: their stems, and how those begin."""

    terms: frozenset[str]
    roots: frozenset[str]

    def covers(self, word: str) -> bool:
        """Whether a word, or one close to it, is said here."""
        return any(self._holds(term) for term in analyze(word))

    def shared(self, other: Vocabulary) -> int:
        """How many telling words two texts have in common."""
        return len(self.terms & other.terms)

    def _holds(self, term: str) -> bool:
        near = term[:LONGEST_ROOT] in self.roots or not self.terms.isdisjoint(_starts(term))
        return near or term in self.terms


def read_vocabulary(text: str) -> Vocabulary:
    """Collect the telling words of a text."""
    terms = frozenset(telling_words(text))
    return Vocabulary(terms, frozenset(start for term in terms for start in _starts(term)))


def _starts(term: str) -> list[str]:
    return [term[:size] for size in range(SHORTEST_ROOT, min(len(term), LONGEST_ROOT) + 1)]


def telling_words(text: str) -> list[str]:
    """The stems of a text without those that stand in any text, in order."""
    return [term for term in analyze(text) if term not in _COMMON and not term.isdigit()]
