"""Classify text: hard rule, identity, behaviour or plain knowledge."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from dmm.domain.memory import Scope
from dmm.importer.sources import FrontMatter, SourceKind, base_of, is_user_level, reach_of
from dmm.importer.topics import GENERAL, topic_of
from dmm.text.prose import paragraphs_of, split_sentences


def _words(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


IDENTITY = "identity"
PROJECT_SCOPE = "scope"
CONSTRAINTS = "constraints"
BASELINE_TOPICS = (IDENTITY, PROJECT_SCOPE, CONSTRAINTS)
SHORT = 300
_BEHAVIOUR = 0.4
_ABSOLUTE = _words(
    r"\b(never|must|do not|don[\u2019']t|forbidden|prohibited|mandatory|critical|non-negotiable"
    r"|under no circumstances|no exceptions|not allowed)\b",
)
_FIRM = _words(r"\b(always|only|required|without exception)\b")
_FORCES = ((_ABSOLUTE, 1.0), (_FIRM, 0.5))
_HAZARD = _words(
    r"\b(secrets?|credentials?|passwords?|tokens?|api keys?|private keys?|\.env|production|prod"
    r"|force[- ]push|rm -rf|drop table|delete|destructive|irreversible|customer data|pii|payments?"
    r"|main branch|security|vulnerabilit\w+)\b",
)
_HARD_TITLE = _words(
    r"\b(hard (rules|constraints)|non-negotiables?|critical|never|must|forbidden|prohibited"
    r"|golden rules?|safety|constraints?|guard ?rails?|do not|don[\u2019']ts?|absolute)\b",
)
_WHO = _words(r"identity|(your )?role|persona|who you are")
_YOU_ARE = _words(r"\W*you( are|['\u2019]re) an? ")
_WHAT = _words(
    r"about( this)?( project| repo(sitory)?)?|purpose|mission|what (this|it) is|what is this.*"
    r"|(project |repo(sitory)? )?(overview|scope|summary|context|description)",
)
_THIS_IS = _words(r"\W*this (project|repo|repository|codebase|package) (is|contains) ")
_BEHAVES = _words(
    r"\b(you are|respond|reply|answer|tone|concise(ly)?|verbose|ask (me|first|before|the user|for)"
    r"|before (you )?(start|begin|commit|finish|chang|mak|edit|cod)\w*"
    r"|explain (your|why)|when (in doubt|unsure|asked)"
    r"|don[\u2019']t (apologi[sz]e|assume|guess)|summari[sz]e|think (step|hard|before)"
    r"|commit messages?"
    r"|(small|atomic|separate) commits|plan (first|before)|the user|tell me|show me"
    r"|your (answers?|responses?|changes|work))\b",
)
_BEHAVIOUR_TITLE = _words(
    r"\b(communication|tone|workflow|behaviou?r|how (you|to) (work|respond|behave)"
    r"|working (with|style)"
    r"|interaction|responses?|collaboration|preferences|commits?|etiquette"
    r"|agent (rules|instructions|guidelines))\b",
)
_MEMORIES = (SourceKind.MEMORY_TOPIC, SourceKind.MEMORY_INDEX)
_ON_DEMAND = (SourceKind.SKILL, *_MEMORIES)
_OF_MEMORY = {"user": Scope.AGENT, "feedback": Scope.AGENT}
_WORTH = {Scope.AGENT: 0.7, Scope.GLOBAL: 0.6, Scope.PROJECT: 0.5}


@dataclass(frozen=True, slots=True)
class Bearing:
    """The scope, topic and priority of a text."""

    scope: Scope
    topic: str
    priority: float


@dataclass(frozen=True, slots=True)
class Voice:
    """The context of a source: its path, kind and front matter."""

    path: str
    kind: SourceKind
    front: FrontMatter

    @property
    def package(self) -> str:
        """The folder that it is about; empty for the whole project."""
        return base_of(self.path)

    @property
    def reach(self) -> tuple[str, ...]:
        """The globs of the files it applies to; none if it applies to all files."""
        return reach_of(self.path, () if self.front.always else self.front.globs)

    @property
    def is_narrow(self) -> bool:
        """Whether it is for some files or for one job."""
        return bool(self.reach) or self.kind in _ON_DEMAND

    @property
    def is_always(self) -> bool:
        """Whether a client reads it in every session, or it is a document for all tasks."""
        if self.is_narrow:
            return False
        asked_for = self.kind is SourceKind.CURSOR_RULE and self.front.last_line
        return self.front.always or not asked_for

    @property
    def is_users(self) -> bool:
        """Whether it has the user's instructions for all projects."""
        return is_user_level(self.path)


def bearing(title: str, text: str, tokens: int, voice: Voice, *, of_all: bool = True) -> Bearing:
    """Judge a titled text of a source; `of_all`: its heading stands right below the title."""
    topic = topic_of(text, title)
    hardness = strength(title, text)
    if tokens <= SHORT and voice.is_always:
        if names_the_agent(text) or _WHO.fullmatch(_own(title)):
            return Bearing(Scope.BASELINE, IDENTITY, 1.0)
        if _THIS_IS.match(text) or (of_all and _WHAT.fullmatch(_own(title))):
            return Bearing(Scope.BASELINE, PROJECT_SCOPE, 0.97)
        if voice.front.always:
            return Bearing(Scope.BASELINE, topic, 0.85)
    scope = _scope(title, text, voice)
    return Bearing(scope, topic, _weight(scope, hardness))


def fallback(topic: str, title: str, text: str, *, users: bool) -> Bearing:
    """Classify a text that had no room in the baseline; it keeps a high weight."""
    if topic in BASELINE_TOPICS:
        topic = topic_of(text, title)
    return Bearing(Scope.GLOBAL if users else Scope.PROJECT, topic, 0.9)


def strength(title: str, text: str) -> float:
    """Return how binding a text is: from 0 for plain knowledge to 1.5 for prohibitions."""
    found = statements(text)
    mean = sum(map(_force, found)) / max(len(found), 1)
    return mean + 0.3 if _HARD_TITLE.search(title) and mean else mean


def names_the_agent(text: str) -> bool:
    """Return whether a text begins by telling the agent who it is."""
    return bool(_YOU_ARE.match(text))


@lru_cache(maxsize=16)
def statements(text: str) -> tuple[str, ...]:
    """Split a text into sentences and list items, without code and headings."""
    found = (one for _, part in paragraphs_of(text) for one in split_sentences(part))
    return tuple(" ".join(one.split()) for one in found)


def _force(statement: str) -> float:
    force = next((weight for words, weight in _FORCES if words.search(statement)), 0.0)
    return force + 0.5 if force and _HAZARD.search(statement) else force


def _own(title: str) -> str:
    return title.rpartition(": ")[2]


def _scope(title: str, text: str, voice: Voice) -> Scope:
    if voice.kind in _MEMORIES:
        return _OF_MEMORY.get(voice.front.memory_type, Scope.PROJECT)
    if voice.is_narrow and not voice.is_users:
        return Scope.PROJECT
    share = _behaviour(text)
    if share >= _BEHAVIOUR or (_BEHAVIOUR_TITLE.search(title) and share > 0):
        return Scope.AGENT
    if not voice.is_users:
        return Scope.PROJECT
    behaves = topic_of(text, title) in ("communication", "workflow", "git", GENERAL)
    return Scope.AGENT if behaves else Scope.GLOBAL


def _behaviour(text: str) -> float:
    found = statements(text)
    return sum(bool(_BEHAVES.search(part)) for part in found) / max(len(found), 1)


def _weight(scope: Scope, hardness: float) -> float:
    return round(min(_WORTH[scope] + 0.2 * min(hardness, 1.0), 0.9), 2)
