"""Classify an episode by request, actions and outcome."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.domain.observation import Kind
from dmm.observations.commands import Sort, name_check
from dmm.observations.steps import EDITS, Act
from dmm.observations.wording import is_question, prose

if TYPE_CHECKING:
    from dmm.observations.episodes import Episode

_WORDS = {
    Kind.BUGFIX: re.compile(
        r"\b(?:fix(?:es|ing)?|(?<!\ba )(?<!\bthe )fixed|bugs?|bugfix|repair|debug|broken|breaks"
        r"|crash(?:es|ed|ing)?"
        r"|fail(?:s|ed|ing|ure)?|errors?|exception|traceback|regression|wrong(?:ly)?|flaky|hangs?"
        r"|incorrect(?:ly)?|leak(?:s|ing)?|stack trace|deadlock|race condition|segfault|times? out"
        r"|(?:doesn|isn|don|won|can)'?t (?:work|load|start|run|build|compile)|not working"
        r"|stopped working)\b",
        re.IGNORECASE,
    ),
    Kind.FEATURE: re.compile(
        r"\b(?:add(?:s|ed|ing)?|implement(?:s|ed|ing)?|create[sd]?|introduce[sd]?|feature"
        r"|build (?:an?|the|out)|support(?:s|ed)?|write|make it possible|enable|scaffold"
        r"|set up|generate|extend|provide|we need)\b",
        re.IGNORECASE,
    ),
    Kind.CHANGE: re.compile(
        r"\b(?:refactor(?:s|ed|ing)?|renam(?:e[sd]?|ing)|mov(?:e[sd]?|ing)|remov(?:e[sd]?|ing)"
        r"|delet(?:e[sd]?|ing)|updat(?:e[sd]?|ing)|upgrade[sd]?|bump(?:s|ed)?|clean(?:ed)?(?: up)?"
        r"|tidy|format|document|rewrite|simplif(?:y|ies)|extract|split|migrate[sd]?|replace[sd]?"
        r"|switch|change[sd]?|tune|polish|reword)\b",
        re.IGNORECASE,
    ),
}
_SUBJECT = re.compile(
    r"^(fix|bugfix|hotfix|feat|feature|refactor|docs?|chore|perf|test|style)\b[(!:]"
)
_BY_SUBJECT = {"fix": Kind.BUGFIX, "bugfix": Kind.BUGFIX, "hotfix": Kind.BUGFIX,
               "feat": Kind.FEATURE, "feature": Kind.FEATURE}  # fmt: skip


def kind_of(episode: Episode) -> Kind | None:
    """Return the kind of an episode; None where nothing came of it that is worth a word."""
    if episode.edited:
        return _kind_by_subject(episode) or _kind_of_work(episode)
    if episode.changed:
        return _kind_by_subject(episode) or Kind.CHANGE
    found = episode.found or episode.looked_at or episode.steps
    return Kind.DISCOVERY if found and episode.answers and episode.calls else None


def _kind_of_work(episode: Episode) -> Kind:
    created = any(step.act is Act.CREATE for step in episode.steps)
    return (
        (None if is_question(episode.asked) else _intent(episode.asked))
        or (Kind.BUGFIX if is_mended(episode) else _intent(episode.answer))
        or (Kind.FEATURE if created else Kind.CHANGE)
    )


def _kind_by_subject(episode: Episode) -> Kind | None:
    """Read the kind from the subjects of commits, where they follow the convention."""
    found = [_SUBJECT.match(run.note.casefold()) for run in episode.commits]
    kinds = {_BY_SUBJECT.get(one[1], Kind.CHANGE) for one in found if one}
    return next((kind for kind in (Kind.FEATURE, Kind.BUGFIX, Kind.CHANGE) if kind in kinds), None)


def _intent(text: str) -> Kind | None:
    """Return what a text is about by the word that comes first."""
    head = prose(text)[:600]
    found = {kind: words.search(head) for kind, words in _WORDS.items()}
    places = {kind: one.start() for kind, one in found.items() if one}
    return min(places, key=lambda kind: places[kind], default=None)


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
