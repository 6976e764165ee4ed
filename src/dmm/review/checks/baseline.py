"""Whether a baseline change is justified for every task and fits the budget."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.domain.memory import Scope
from dmm.domain.proposal import CheckName, Operation
from dmm.domain.text import neutralise
from dmm.errors import MemoryFileError
from dmm.files import markdown
from dmm.review.checks.subject import failed, passed

if TYPE_CHECKING:
    from dmm.domain.proposal import Check
    from dmm.review.checks.subject import Subject

NAME = CheckName.BASELINE
_FEWEST_WORDS = 5
_EVERY_TASK = re.compile(
    r"\b(?:every|all|any|each) (?:\w+ )?(?:tasks?|sessions?|changes?|agents?|requests?|work"
    r"|commits?|conversations?|edits?|answers?)\b"
    r"|\b(?:regardless|independent(?:ly)?) of (?:the )?(?:task|area|topic)"
    r"|\b(?:whatever|whichever) the (?:task|topic|area)\b"
    r"|\b(?:applies|holds|needed|relevant|matters|valid|in force) (?:always|everywhere|at all times"
    r"|to everything|in all cases)\b"
    r"|\balways (?:needed|applies|holds|relevant|in force|valid|matters)\b"
    r"|\b(?:no|not a single|never a) task\b|\bwithout exception\b|\bnot found by (?:a )?search",
    re.IGNORECASE,
)


def check_baseline(subject: Subject) -> Check:
    """Ask for a justification of every write into the baseline, and hold it to its budget."""
    touched = [edit for edit in subject.written if _in_baseline(edit.path)]
    if not touched:
        return passed(NAME, "it does not write to the baseline")
    if subject.operation in (Operation.DEPRECATE, Operation.UNDO):
        return passed(NAME, f"an operation '{subject.operation}' needs no justification")
    over = _overflow(subject)
    if over is not None:
        return failed(NAME, over)
    reason = subject.proposal.reason
    if not _EVERY_TASK.search(reason) or len(reason.split()) < _FEWEST_WORDS:
        text = (
            "the reason does not say why this applies to every task; say so, or propose it "
            "for project/ or global/"
        )
        return failed(NAME, text)
    return passed(NAME, "the reason says why it applies to every task, and it fits the budget")


def _in_baseline(path: str) -> bool:
    return path.partition("/")[0] == Scope.BASELINE


def _overflow(subject: Subject) -> str | None:
    around = subject.around
    edits = [edit for edit in subject.proposal.edits if _in_baseline(edit.path)]
    change = sum(
        _tokens(subject, edit.path, edit.after) - _tokens(subject, edit.path, edit.before)
        for edit in edits
    )
    total, budget = around.baseline_tokens + change, around.baseline_budget
    if change <= 0 or total <= budget:
        return None
    return (
        f"the baseline would have {total} tokens, {total - budget} over its budget of {budget}; "
        "shorten it, or demote another file first"
    )


def _tokens(subject: Subject, path: str, text: str | None) -> int:
    if text is None:
        return 0
    try:
        body = markdown.parse(path, text).memory.body
    except MemoryFileError:
        body = text
    return subject.around.count(neutralise(body).strip())
