"""Values of a parsed shell text: words, redirections, invocations and the script they form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

Span = tuple[int, int]
Place = tuple[int, int]

NEAREST_STAGES = 20


@dataclass(frozen=True, slots=True)
class Word:
    """One word after quote removal; expansions stay as written (`$VAR`, `$(…)`)."""

    text: str
    start: int
    end: int
    expands: bool = False
    quoted: bool = False


@dataclass(frozen=True, slots=True)
class Redirection:
    """One redirection; `body` holds the text of a here-document or here-string."""

    operator: str
    target: Word
    body: str | None = None
    body_span: Span = (0, 0)

    @property
    def reads(self) -> bool:
        """Whether the target is a file that is read."""
        return self.operator in ("<", "<>")

    @property
    def writes(self) -> bool:
        """Whether the target is a file that is written."""
        return self.body is None and ">" in self.operator and not self.target.text.isdigit()


@dataclass(frozen=True, slots=True)
class Context:
    """Where an invocation stands: who runs it, in which pipelines, in which directory.

    `parent` is the invocation that runs this one and `via` says how, outermost first.
    `directory` is what `cd` left behind, relative to the start; empty means the start itself.
    `after` is the invocation before it that `&&` wants to have succeeded.
    """

    parent: int | None = None
    via: tuple[str, ...] = ()
    places: tuple[Place, ...] = ()
    directory: str = ""
    piped_from: bool = False
    piped_into: bool = False
    in_subshell: bool = False
    in_substitution: bool = False
    background: bool = False
    after: int | None = None


@dataclass(frozen=True, slots=True)
class Invocation:
    """One program run: its words, its environment prefixes, and its place in the text."""

    id: int
    words: tuple[Word, ...]
    env: tuple[tuple[str, str], ...]
    redirections: tuple[Redirection, ...]
    span: Span
    context: Context

    @property
    def argv(self) -> tuple[str, ...]:
        """The words as plain strings, the program first."""
        return tuple(word.text for word in self.words)

    @property
    def program(self) -> str:
        """The name of the program without its directory; empty when only a redirection stands."""
        return self.words[0].text.rpartition("/")[2] if self.words else ""


@dataclass(frozen=True, slots=True)
class Script:
    """All invocations of a shell text, those of nested shells included, in reading order."""

    text: str
    invocations: tuple[Invocation, ...]
    pipelines: Mapping[int, tuple[tuple[int, int], ...]]
    malformed: bool = False
    truncated: bool = False

    def upstream(self, invocation: Invocation) -> tuple[Invocation, ...]:
        """Give the invocations whose output reaches this one through pipes, nearest stages only."""
        found = [
            self.invocations[number]
            for pipeline, stage in invocation.context.places
            for other, number in self.pipelines.get(pipeline, ())
            if max(0, stage - NEAREST_STAGES) <= other < stage
        ]
        return tuple(found[-NEAREST_STAGES:])

    def children(self, invocation: Invocation) -> tuple[Invocation, ...]:
        """Give the invocations that this one runs or whose output stands in its words."""
        later = self.invocations[invocation.id + 1 :]
        return tuple(other for other in later if other.context.parent == invocation.id)

    def succeeded_before(self, invocation: Invocation) -> tuple[Invocation, ...]:
        """Give what `&&` lets an invocation wait for, with all that was run for it."""
        chain: set[int] = set()
        at = invocation.context.after
        while at is not None and at not in chain:
            chain.add(at)
            at = self.invocations[at].context.after
        found = []
        for one in self.invocations if chain else ():
            if one.id in chain or one.context.parent in chain:
                chain.add(one.id)
                found.append(one)
        return tuple(found)
