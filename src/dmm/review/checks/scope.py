"""Whether the content fits its scope."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.domain.memory import Scope, has_expired
from dmm.domain.proposal import CheckName
from dmm.review.checks.subject import failed, passed, quote, warned

if TYPE_CHECKING:
    from dmm.domain.memory import Memory
    from dmm.domain.proposal import Check
    from dmm.review.checks.subject import Subject

NAME = CheckName.SCOPE

_TEMPORARY = re.compile(
    r"\b(?:temporarily|for the time being|until further notice|(?:this|next) (?:sprint|week|month)"
    r"|(?:today|tomorrow|tonight) (?:only|we|i|the)|as of today|by (?:tomorrow|friday|monday)"
    r"|until (?:monday|tuesday|wednesday|thursday|friday|tomorrow|next \w+|the (?:release|migration"
    r"|freeze|fix|upgrade) (?:is|lands|ends|happens))|(?:just|only) for now|for now,"
    r"|currently (?:broken|failing|down|blocked)|work in progress|\bwip\b"
    r"|temporary (?:workaround|fix|hack|solution|measure|change|branch|freeze|patch))",
    re.IGNORECASE,
)
_OF_ONE_PROJECT = re.compile(
    r"(?<![\w/.:-])(?:src|lib|app|apps|packages|internal|cmd|services|backend|frontend|server)"
    r"/[\w./-]+|\b(?:in|of) (?:this|our) (?:repository|repo|project|codebase|service)\b",
    re.IGNORECASE,
)
_OF_AGENTS = re.compile(
    r"\b(?:the (?:agent|assistant) (?:should|must|shall|has to|may|asks?|never|always)"
    r"|(?:ask|tell|inform) the user\b|your (?:reply|answer|response|context window)"
    r"|(?:before|when) you (?:plan|answer|reply)|as an (?:ai |agent|assistant)|in the reply\b)",
    re.IGNORECASE,
)


def check_scope(subject: Subject, memory: Memory) -> Check:
    """Suggest another scope where the content does not fit the one it has."""
    if not memory.in_force:
        return passed(NAME, "the memory is inactive")
    if memory.expires is not None and has_expired(memory.expires, subject.around.today):
        text = f"it expired on {memory.expires.isoformat()[:10]} and would not be served"
        return failed(NAME, f"{text}; give it a later date")
    told = _misfit(memory)
    return warned(NAME, told) if told else passed(NAME, f"the content fits '{memory.scope}'")


def _misfit(memory: Memory) -> str | None:
    if memory.scope is Scope.EPHEMERAL:
        ask = "an ephemeral memory without an end; add its last day: expires: 2026-01-31"
        return None if memory.expires else ask
    found = _TEMPORARY.search(memory.body)
    if found and memory.expires is None:
        return f"{quote(found[0])} sounds temporary; use ephemeral/ with 'expires'"
    if memory.scope is Scope.GLOBAL:
        told = _OF_ONE_PROJECT.findall(memory.body)
        told = [*map(quote, told), *("a citation of code" for _ in memory.cites)]
        return f"{told[0]} belongs to one project; use project/" if told else None
    told = _OF_AGENTS.findall(memory.body) if memory.scope is Scope.PROJECT else []
    return f"{quote(told[0])} is about how agents work; use agent/" if len(told) > 1 else None
