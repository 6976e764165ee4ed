"""What is no claim of today: questions, pointers, what was, and what makes no difference."""

from __future__ import annotations

import re

_ASIDE = re.compile(
    r"^\s*(?:e\.g\.|example|for example|for instance|note to self|see also|see\b|q:|question)"
    r"|\?\s*$",
    re.IGNORECASE,
)
_PAST = re.compile(
    r"\b(?:used to|in the past|historically|originally|back then|once upon|early versions?"
    r"|at first(?=,| (?:we|it|they|the|this)\b|\s*$|[.;])"
    r"|was tried|were tried|we tried|had been|was considered|were considered|we considered"
    r"|was evaluated|we evaluated|were evaluated|was rejected|were rejected|was discussed"
    r"|we looked at|we rejected|was dropped|was abandoned|has been dropped|decided against"
    r"|until \d{4} we|previously|formerly|before 20\d\d|we discussed|considered and)\b",
    re.IGNORECASE,
)


def is_aside(sentence: str) -> bool:
    """Whether a sentence asks, shows or points elsewhere, and claims nothing."""
    return bool(_ASIDE.search(sentence))


def tells_past(sentence: str) -> bool:
    """Whether a sentence speaks of what was, or of what was weighed and turned down."""
    return bool(_PAST_HINT.search(sentence)) and bool(_PAST.search(sentence))


def concession_in(sentence: str) -> str:
    """What makes no difference to a sentence: "even if it fails", "not even for admins"."""
    if not any(hint in sentence for hint in _CONCEDING):
        return ""
    found = _CONCESSION.search(sentence)
    return found.group(1) if found else ""


_CONCEDING = ("ven ", "egardless", "hether", "spite", "matter")
_CONCESSION = re.compile(
    r"\b(?:even(?! though| more| less| so| better| with)|regardless of|whether or not|despite"
    r"|in spite of|no matter)\s([^,.;]*)",
    re.IGNORECASE,
)
_PAST_HINT = re.compile(
    r"used to|past|histor|origin|then|first|upon|early|tried|had been|consider|evaluat|reject"
    r"|discuss|looked|dropped|abandon|against|until|previous|former|before",
    re.IGNORECASE,
)
