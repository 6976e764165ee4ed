"""Text that tries to steer agents or reviewers, and invisible characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.event import Trust
from dmm.domain.hidden import find_hidden
from dmm.domain.proposal import CheckName, Operation
from dmm.files.markdown import plain
from dmm.review.checks.subject import failed, passed, quote, skipped, warned, words_of_head
from dmm.review.wording import find_doubtful, find_manipulation, find_rules

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.domain.proposal import Check, Edit
    from dmm.review.checks.subject import Subject
    from dmm.review.wording import Finding

NAME = CheckName.INJECTION
_TOLD = 3
_LOW = frozenset((Trust.TOOL, Trust.THIRD_PARTY))


def check_injection(subject: Subject) -> Check:
    """Refuse hidden characters; object to manipulation, and to rules from sources of low trust."""
    if subject.operation is Operation.UNDO:
        return skipped(NAME, subject)
    hidden = _hidden(subject)
    if hidden is not None:
        return failed(NAME, hidden, hard=True)
    if subject.proposal.trust in (Trust.USER, Trust.REVIEWED) and not subject.around.tainted:
        return passed(NAME, "no invisible characters; the words are the user's own")
    found = _new(subject, find_manipulation) + find_manipulation(subject.proposal.reason)
    found += _escaped(subject)
    doubtful = _new(subject, find_doubtful)
    low = subject.proposal.trust in _LOW or subject.around.tainted is not None
    if low:
        found += doubtful + _new(subject, find_rules)
    if found:
        return failed(NAME, _tell(found, subject, low=low))
    if doubtful:
        return warned(NAME, f"{_list(doubtful)}; make sure it is meant literally")
    return passed(NAME, "no invisible characters, and no instructions to agents or reviewers")


def _hidden(subject: Subject) -> str | None:
    texts = [(edit.path, plain(edit.after or "")) for edit in subject.written]
    values = [
        (f"the front matter of {one.memory.path}", words_of_head(one)) for one in subject.documents
    ]
    for place, text in (*texts, *values, ("the reason", plain(subject.proposal.reason))):
        for number, codes in find_hidden(text).items():
            told = ", ".join(sorted(set(codes))[:_TOLD])
            where = f"{place}, line {number}"
            return f"invisible or reordering characters in {where}: {told}; remove them"
    return None


def _new(subject: Subject, find: Callable[[str], list[Finding]]) -> list[Finding]:
    """What the texts afterwards hold that they do not hold now."""

    def added(edit: Edit) -> list[Finding]:
        known = {(one.what, one.quote) for one in find(plain(edit.before or ""))}
        found = find(plain(edit.after or ""))
        return [one for one in found if (one.what, one.quote) not in known]

    return [one for edit in subject.written for one in added(edit)]


def _escaped(subject: Subject) -> list[Finding]:
    """What only the read front matter says, since it was written with escapes."""
    written = [one for one in subject.documents if "\\" in one.source]
    return [one for document in written for one in find_manipulation(words_of_head(document))]


def _tell(found: list[Finding], subject: Subject, *, low: bool) -> str:
    if not low:
        return (
            f"{_list(found)}; state the facts, and leave out what readers should do with the text"
        )
    source = f"trust '{subject.proposal.trust}'"
    if subject.around.tainted is not None:
        source = f"it repeats the output of a tool, {subject.around.tainted}"
    return f"{_list(found)}; such a source can't set rules ({source}): a person decides"


def _list(found: list[Finding]) -> str:
    told = "; ".join(f"{one.what}: {quote(one.quote)}" for one in found[:_TOLD])
    return told + (f"; and {len(found) - _TOLD} more" if len(found) > _TOLD else "")
