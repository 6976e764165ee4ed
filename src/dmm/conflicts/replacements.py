"""What a text says that it replaces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.conflicts.vocabulary import GENERIC
from dmm.conflicts.words import words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_REPLACES = re.compile(
    r"\b(?:replac(?:es|ed|ing)|supersed(?:es|ed|ing)|overrides|overrid(?:den|ing)"
    r"|takes? the place of"
    r"|obsoletes|succeeds|instead of the (?:old|former|earlier|previous))\b(?P<old>[^.;]*)",
    re.IGNORECASE,
)


_PASSIVE = re.compile(
    r"(?P<old>[^.;]*?)\b(?:is|was|were|are|has been|have been|got)\s+(?:\w+ly\s+)?"
    r"(?:replaced|superseded|retired|dropped|removed|abandoned|phased out)\b",
    re.IGNORECASE,
)


_HINT = re.compile(
    r"replac|supersed|overrid|place of|obsolet|succeed|instead of the|retired|dropped|removed"
    r"|abandoned|phased",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"\b(?:old|former|earlier|previous|prior|last)\s+(?:\w+\s)?"
    r"(?:rule|limit|value|policy|decision|note|convention|guideline|guidance|setting|memory|adr"
    r"|practice|approach|version|setup|instructions?|advice|default|timeout|process|one)\b",
    re.IGNORECASE,
)


def replaced_in(sentences: Sequence[str]) -> tuple[frozenset[str], bool]:
    """What the sentences say is replaced, and whether they mean an earlier rule as such."""
    told: set[str] = set()
    earlier = False
    for sentence in sentences:
        if not _HINT.search(sentence):
            continue
        match = _REPLACES.search(sentence) or _PASSIVE.search(sentence)
        if match is None:
            continue
        old = match.group("old").partition(" by ")[0].partition(" with ")[0]
        earlier = earlier or bool(_EARLIER.search(old))
        told.update(
            word.concept
            for word in words_of(old)
            if word.sort != "mark" and word.concept not in GENERIC
        )
    return frozenset(told), earlier
