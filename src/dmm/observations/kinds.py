"""Classify an episode by request, actions and outcome."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.domain.observation import Kind
from dmm.observations.commands import Sort, name_check
from dmm.observations.steps import EDITS, Act
from dmm.observations.wording import is_question, prose

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.observations.episodes import Episode

# The word that comes first says what a text is about.
_INTENT = re.compile(
    r"\b(?:(?P<bugfix>fix(?:es|ing)?|(?<!\ba )(?<!\bthe )fixed|bugs?|bugfix|repair|debug|broken"
    r"|breaks|crash(?:es|ed|ing)?|fail(?:s|ed|ing|ure)?|errors?|exception|traceback|regression"
    r"|wrong(?:ly)?|flaky|hangs?|incorrect(?:ly)?|leak(?:s|ing)?|stack trace|deadlock"
    r"|race condition|segfault|times? out|(?:doesn|isn|don|won|can)'?t (?:work|load|start|run|build"
    r"|compile)|not working|stopped working)"
    r"|(?P<feature>add(?:s|ed|ing)?|implement(?:s|ed|ing)?|create[sd]?|introduce[sd]?|feature"
    r"|build (?:an?|the|out)|support(?:s|ed)?|write|make it possible|enable|scaffold"
    r"|set up|generate|extend|provide|we need)"
    r"|(?P<change>refactor(?:s|ed|ing)?|renam(?:e[sd]?|ing)|mov(?:e[sd]?|ing)|remov(?:e[sd]?|ing)"
    r"|delet(?:e[sd]?|ing)|updat(?:e[sd]?|ing)|upgrade[sd]?|bump(?:s|ed)?|clean(?:ed)?(?: up)?"
    r"|tidy|format|document|rewrite|simplif(?:y|ies)|extract|split|migrate[sd]?|replace[sd]?"
    r"|switch|change[sd]?|tune|polish|reword))\b",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"^(fix|bugfix|hotfix|feat|feature|refactor|docs?|chore|perf|test|style)\b[(!:]"
)
_BY_SUBJECT = {"fix": Kind.BUGFIX, "bugfix": Kind.BUGFIX, "hotfix": Kind.BUGFIX,
               "feat": Kind.FEATURE, "feature": Kind.FEATURE}  # fmt: skip
_WEIGHTS = (Kind.FEATURE, Kind.BUGFIX, Kind.CHANGE)


def kind_of(episode: Episode) -> Kind | None:
    """Return the kind of an episode; None where nothing came of it that is worth a word."""
    if episode.edited or episode.changed:
        return next(filter(None, _kinds(episode)), Kind.CHANGE)
    found = episode.found or episode.looked_at or episode.steps
    return Kind.DISCOVERY if found and episode.answers and episode.calls else None


def _kinds(episode: Episode) -> Iterator[Kind | None]:
    """Find what speaks for a kind of work, the surest first."""
    subjects = [one for run in episode.commits for one in _SUBJECT.findall(run.note.casefold())]
    named = {_BY_SUBJECT.get(one, Kind.CHANGE) for one in subjects}
    yield min(named, key=_WEIGHTS.index, default=None)
    if not episode.edited:
        return
    if not is_question(episode.asked):
        yield _intent(episode.asked)
    yield Kind.BUGFIX if is_mended(episode) else _intent(episode.answer)
    yield Kind.FEATURE if episode.steps_of(Act.CREATE) else None


def _intent(text: str) -> Kind | None:
    found = _INTENT.search(prose(text)[:600])
    return Kind(str(found.lastgroup)) if found else None


def is_mended(episode: Episode) -> bool:
    """Return whether a check failed, files were edited, and the check passed at the end."""
    failing: set[str] = set()
    edited: set[str] = set()
    for step in episode.steps:
        if step.act in EDITS:
            edited |= failing
        elif step.sort in (Sort.TEST, Sort.CHECK):
            word = name_check(step.target)
            if step.failed:
                failing.add(word)
            elif word in edited:
                return True
    return False
