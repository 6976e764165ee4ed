"""Patterns of every kind, alone and together: several on one thing must all match."""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from dmm.domain.value import Value
from dmm.rules.callpatterns import (
    BranchPattern,
    CommandPattern,
    DependencyPattern,
    MessagePattern,
    PathPattern,
    ToolPattern,
)
from dmm.rules.commands.facts import CommandUse, PathUse, ToolCall, Writing
from dmm.rules.content.pattern import ContentPattern
from dmm.rules.evidence import Evidence

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.rules.commands.facts import CallFacts
    from dmm.rules.commands.values import Span

__all__ = [
    "KINDS", "AllOf", "BranchPattern", "CommandPattern", "ContentPattern", "DependencyPattern",
    "Joint", "MessagePattern", "PathPattern", "Pattern", "SinglePattern", "ToolPattern", "belongs",
    "parts_of", "singles",
]  # fmt: skip


# One file that is written again and again goes together with each of its writings.
MOST_JOINTS, MOST_COMPARED = 10_000, 200_000
_TOO_MANY = "too many files and commands of the call go together"


class Joint(NamedTuple):
    """Several things of one call that belong together: what an item with several keys matches."""

    parts: tuple[object, ...]
    span: Span


class AllOf(Value):
    """Patterns that must all match, on the same file or the same command.

    Things that belong to no file and no command, such as the call itself, go with everything.
    """

    kind: ClassVar[str] = "all"
    patterns: tuple[Any, ...]

    def find(self, facts: CallFacts) -> Iterator[tuple[object, Evidence]]:
        """Find what belongs together, each with the evidence of all patterns."""
        found: list[tuple[tuple[object, ...], tuple[Evidence, ...]]] = [((), ())]
        cut = False
        # Searching text is the dearest; it comes last, and only where the others hold.
        for pattern in sorted(self.patterns, key=_cost):
            held = list(pattern.find(facts)) if found else []
            cut = cut or len(found) * len(held) > MOST_COMPARED
            joined = (
                ((*subjects, subject), (*evidence, more))
                for (subjects, evidence), (subject, more) in islice(
                    product(found, held), MOST_COMPARED
                )
                if all(belongs(subject, other) for other in subjects)
            )
            found = list(islice(joined, MOST_JOINTS))
            cut = cut or next(joined, None) is not None
        for subjects, evidence in found:
            why = ", and ".join(one.why for one in evidence)
            stopped = next((one.stopped for one in evidence if one.stopped), "")
            doubt = next((one.doubt for one in evidence if one.doubt), "")
            where = next((one.where for one in evidence if one.where), "")
            span = evidence[0].span
            yield Joint(subjects, span), Evidence(span, why, where, stopped, doubt)
        if cut:
            span = (0, len(facts.text))
            yield Joint((facts.call,), span), Evidence(span, _TOO_MANY, "this call", _TOO_MANY)


def _cost(pattern: Any) -> int:
    """Order patterns by what they search: names, the words of a call, whole files."""
    if isinstance(pattern, ContentPattern):
        return 2
    return int(any(getattr(pattern, name, "") for name in ("matches", "regex", "not_regex")))


def parts_of(subject: object) -> tuple[object, ...]:
    """Return the single things that a subject is made of."""
    if not isinstance(subject, Joint):
        return (subject,)
    return tuple(one for part in subject.parts for one in parts_of(part))


def belongs(subject: object, other: object) -> bool:
    """Whether two things of a call are about the same file, or else the same command."""
    if isinstance(subject, Joint) or isinstance(other, Joint):
        return all(belongs(one, two) for one in parts_of(subject) for two in parts_of(other))
    if isinstance(subject, PathUse | Writing) and isinstance(other, PathUse | Writing):
        return subject.path == other.path
    if isinstance(subject, ToolCall) or isinstance(other, ToolCall):
        return True
    return _place(subject) == _place(other)


def _place(subject: object) -> object:
    if isinstance(subject, CommandUse):
        return subject.invocation.span
    return getattr(subject, "span", None)


SinglePattern = (
    ToolPattern
    | CommandPattern
    | PathPattern
    | DependencyPattern
    | BranchPattern
    | ContentPattern
    | MessagePattern
)
Pattern = SinglePattern | AllOf


def singles(pattern: Pattern) -> tuple[SinglePattern, ...]:
    """Return the patterns that one is made of."""
    return pattern.patterns if isinstance(pattern, AllOf) else (pattern,)


KINDS: dict[str, type[Pattern]] = {
    one.kind: one
    for one in (
        ToolPattern,
        CommandPattern,
        PathPattern,
        DependencyPattern,
        BranchPattern,
        ContentPattern,
        AllOf,
        MessagePattern,
    )
}
