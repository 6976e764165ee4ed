"""Turns of phrase put plainly, so that a sentence can be read word by word."""

from __future__ import annotations

import re

_SHORT_NOT = re.compile(r"n['\u2019]t\b")
_NO_ONE = re.compile(r"\bno[ -]one\b", re.IGNORECASE)
_NO_LONGER = re.compile(r"\bno longer\b(?! than)", re.IGNORECASE)
_THUS = re.compile(
    r",?\s*(?:which is why|that is why|that's why|hence|therefore|consequently|thus)\s",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(r"[,;]\s*(?:otherwise|or else)\b[^.;]*", re.IGNORECASE)
_AS_IT_IS = re.compile(
    r"\b(?:stays?|remains?|is left|are left|is kept|are kept)\s+"
    r"(?:as (?:it is|they are|is)|alone|unchanged|untouched|the same)\b",
    re.IGNORECASE,
)
_NOBODY_BUT = re.compile(
    r"\b(?:nobody|nothing|none) (?:except|but|other than|apart from) ((?:\w+ ){1,4}?)"
    r"(can|may|is|are|has|have|gets?|goes|must|should)\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\bbetween ([^,.;\d]{1,40}?) and ", re.IGNORECASE)
_FIRST_WHICH = re.compile(r"^(?:which|what) ", re.IGNORECASE)
_WHICH = re.compile(r"(?<![,;]) which ", re.IGNORECASE)
_ROUND = ((" a thousand ", " 1000 "), (" a hundred ", " 100 "), (" a dozen ", " 12 "))
_HALF = re.compile(r"\bhalf an? (\w+)", re.IGNORECASE)
_QUARTER = re.compile(r"\b(?:a )?quarter of an hour\b", re.IGNORECASE)
_ONE = re.compile(
    r"\b(for|after|within|than|of|every|least|most|to) an? "
    r"(second|minute|hour|day|week|month|year)\b",
    re.IGNORECASE,
)
_SWITCHES = (
    (re.compile(r":\s*on\b(?=\s*(?:$|[,.;(]))", re.IGNORECASE), " is enabled"),
    (re.compile(r":\s*off\b(?=\s*(?:$|[,.;(]))", re.IGNORECASE), " is disabled"),
)
_NOT_EVEN = re.compile(r",? not even [^,.;]*", re.IGNORECASE)


def put_plainly(sentence: str) -> str:
    """The sentence with the turns of phrase that are read word by word put plainly."""
    plain = _SHORT_NOT.sub(" not", sentence.replace("an't", "annot").replace("on't", "o not"))
    plain = plain.replace("wo not", "will not").replace("Wo not", "Will not")
    plain = _NO_LONGER.sub("not now", _NO_ONE.sub("nobody", plain))
    plain = _WHICH.sub(" that ", _FIRST_WHICH.sub("The ", plain))
    plain = _BETWEEN.sub(r"between \1 plus ", _NOBODY_BUT.sub(r"only \1 \2", plain))
    for switch, state in _SWITCHES:
        plain = switch.sub(state, plain)
    for word, figure in _ROUND:
        plain = plain.replace(word, figure)
    plain = _ONE.sub(r"\1 1 \2", _HALF.sub(r"0.5 \1", _QUARTER.sub("15 minutes", plain)))
    plain = _AS_IT_IS.sub("are not changed", plain)
    plain = _OTHERWISE.sub("", _THUS.sub("; ", plain))
    return _NOT_EVEN.sub(" at all times", plain)
