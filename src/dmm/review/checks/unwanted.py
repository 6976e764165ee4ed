"""Content that no memory may hold: secrets and banned terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.isolation import find_terms
from dmm.domain.proposal import CheckName
from dmm.review.checks.subject import failed, passed, quote, words_of_head

if TYPE_CHECKING:
    from dmm.domain.proposal import Check
    from dmm.review.checks.subject import Subject

_TOLD = 5


def check_secrets(subject: Subject) -> Check:
    """Refuse a text that held secrets; what is kept of it holds none any more."""
    kinds = sorted(set(subject.around.secrets))
    if not kinds:
        return passed(CheckName.SECRETS, "no secret found")
    text = (
        f"it contained secrets ({', '.join(kinds)}), which were removed before it was recorded; "
        "propose it again without them, and rotate the secrets if they are real"
    )
    return failed(CheckName.SECRETS, text, hard=True)


def check_isolation(subject: Subject) -> Check:
    """Refuse a text with terms that must not appear in this repository's memories."""
    terms = subject.around.validation.isolation_terms
    if not terms:
        return passed(CheckName.ISOLATION, "this repository bans no terms")
    places = [(e.path, line, term) for e in subject.written for term, line in _find(e.after, terms)]
    places += [(e.path, 0, term) for e in subject.written for term, _ in _find(e.path, terms)]
    if not places:
        places = [
            (one.memory.path, 0, term)
            for one in subject.documents
            for term, _ in _find(words_of_head(one), terms)
        ]
    if not places:
        return passed(CheckName.ISOLATION, "no banned term")
    told = [
        f"{quote(term)} in {path}" + (f":{line}" if line else "") for path, line, term in places
    ]
    more = f" and {len(told) - _TOLD} more" if len(told) > _TOLD else ""
    text = f"terms that this repository bans: {', '.join(told[:_TOLD])}{more}; rewrite it"
    return failed(CheckName.ISOLATION, text, hard=True)


def _find(text: str | None, terms: tuple[str, ...]) -> list[tuple[str, int]]:
    return find_terms(text or "", terms)
