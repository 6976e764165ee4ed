"""Memories that contradict the proposed one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.conflict import ConflictType
from dmm.domain.memory import Scope
from dmm.domain.proposal import CheckName
from dmm.review.checks.subject import failed, passed, quote, warned

if TYPE_CHECKING:
    from dmm.domain.conflict import Clash
    from dmm.domain.memory import Memory
    from dmm.domain.proposal import Check
    from dmm.review.checks.subject import Subject

NAME = CheckName.CONFLICTS
_TOLD = 3


def check_conflicts(subject: Subject, memory: Memory) -> Check:
    """Name each memory in conflict; that is for somebody to weigh, but not in the baseline."""
    found = [one for one in subject.around.clashes if one[0].type is not ConflictType.DUPLICATE]
    # What the proposal says itself that it replaces is no surprise.
    found = [one for one in found if one[2] not in memory.supersedes]
    found.sort(key=lambda one: -one[0].confidence)
    if not found:
        return passed(NAME, "no memory contradicts it")
    tops = {path.partition("/")[0] for _, path, _ in found} | {subject.path.partition("/")[0]}
    told = "; ".join(_tell(clash, path) for clash, path, _ in found[:_TOLD])
    more = f"; and {len(found) - _TOLD} more" if len(found) > _TOLD else ""
    if Scope.BASELINE in tops and any(clash.sure for clash, _, _ in found):
        text = f"{told}{more}. The baseline applies to every task and must not contradict anything"
        return failed(NAME, text, other=found[0][1])
    older = found[0][1]
    text = f"{told}{more}. If the older one no longer holds, edit it, or: dmm forget {older}"
    return warned(NAME, text, other=older)


def _tell(clash: Clash, path: str) -> str:
    mine, theirs = (quote(words) for words in clash.quotes)
    kind = clash.type.replace("_", " ")
    kind = kind if clash.sure else f"possible {kind}"
    return f"{kind} with {path} (confidence {clash.confidence:.2f}): {mine} vs. {theirs}"
