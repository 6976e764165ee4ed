"""Choose the profile of a question by scored words, or by a model if they tie."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING

from dmm.ask.profiles import GENERAL
from dmm.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dmm.ask.profiles import Profile
    from dmm.ask.question import Question

    # Told a question and the profiles to choose from, names one of them or none.
    Choose = Callable[[str, tuple[str, ...]], str | None]

BRIEF, DEBUGGING = "daily_brief", "debugging"
_TRACE = re.compile(
    r"\bTraceback\b|\b[A-Z]\w+(?:Error|Exception)\b|\bexit (?:code|status) [1-9]|\bpanic:"
)


@dataclass(frozen=True, slots=True)
class Decision:
    """Which profile answers, and why."""

    profile: Profile
    source: str
    scores: dict[str, int] = field(default_factory=dict)
    matched: dict[str, tuple[str, ...]] = field(default_factory=dict)
    reason: str = ""

    def describe(self) -> object:
        """Return the decision as plain data."""
        return {
            "profile": self.profile.name,
            "source": self.source,
            "reason": self.reason,
            "scores": self.scores,
            "matched": self.matched,
        }


def map_question(
    question: Question,
    profiles: Mapping[str, Profile],
    *,
    override: str | None = None,
    default: str = "",
    choose: Choose | None = None,
) -> Decision:
    """Choose the profile of a question and keep the grounds of the choice."""
    if override is not None:
        return Decision(find_profile(profiles, override), "override", reason="it was named")
    matched = {name: _match(question, profile) for name, profile in profiles.items()}
    scores = {name: sum(map(_worth, words)) for name, words in matched.items()}
    best = max(scores.values())
    leading = [name for name, score in scores.items() if score == best]
    told = {name: words for name, words in matched.items() if words}
    ranked = {name: scores[name] for name in sorted(told, key=lambda one: (-scores[one], one))}
    if best and len(leading) == 1:
        words = ", ".join(told[leading[0]])
        return Decision(profiles[leading[0]], "rules", ranked, told, f"most words: {words}")
    offered = tuple(profiles) if not best else tuple(leading)
    chosen = None if choose is None else choose(question.text, offered)
    if chosen in offered:
        return Decision(profiles[chosen], "model", ranked, told, "the rules could not decide")
    if best:
        reason = f"{', '.join(leading)} score the same; the first is used"
        return Decision(profiles[leading[0]], "rules", ranked, told, reason)
    usual = find_profile(profiles, default or GENERAL)
    return Decision(usual, "rules", ranked, told, "no words of any profile")


def find_profile(profiles: Mapping[str, Profile], name: str) -> Profile:
    """Return a profile by its name, or tell the names there are."""
    if name not in profiles:
        raise UsageError(f"there is no profile {name!r}", hint=f"profiles: {', '.join(profiles)}")
    return profiles[name]


def _match(question: Question, profile: Profile) -> tuple[str, ...]:
    """Find the words of a profile; a word inside a phrase that was found does not count again."""
    text = f" {question.text.casefold()} "
    found: list[str] = []
    for word, pattern in _patterns(profile.keywords):
        if pattern.search(text):
            found.append(word)
            text = pattern.sub(" \0 ", text)
    if profile.name == BRIEF and question.span is not None and not found:
        found.append(question.span.words)
    if profile.name == DEBUGGING and (trace := _TRACE.search(question.text)):
        found.append(trace[0])
    return tuple(found)


def _worth(words: str) -> int:
    """A phrase says more than a word."""
    return 1 if len(words.split()) == 1 else 2 * len(words.split()) - 1


@lru_cache(maxsize=64)
def _patterns(keywords: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    longest = sorted(dict.fromkeys(keywords), key=lambda word: (-len(word), word))
    return tuple(
        (word, re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])", re.IGNORECASE))
        for word in longest
    )
