"""Drafts: the commands of a shell text as they are written, and what reading a list remembers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.rules.commands.values import Place, Redirection, Span, Word


class Draft:
    """A command as written, before variables are looked up and wrappers are opened.

    `fed_by` is the draft that closes the block around it and gives the block its input.
    `block` is the first draft of the block that it closes, whose output its redirections take.
    `in_function` says that it stands in the body of a function, which somebody has to call.
    """

    def __init__(
        self, number: int, start: int, parent: int | None, subshell: int, *, substituted: bool
    ) -> None:
        self.number = number
        self.start = self.end = start
        self.parent = parent
        self.subshell = subshell
        self.substituted = substituted
        self.words: list[Word] = []
        self.assignments: list[tuple[str, Word]] = []
        self.redirections: list[Redirection] = []
        self.places: list[Place] = []
        self.after: int | None = None
        self.loop: str | None = None
        self.fed_by: int | None = None
        self.block: int | None = None
        self.in_function = False


class Embedded(NamedTuple):
    """A text whose commands run inside a word of the draft `parent`: the content of backticks."""

    text: str
    span: Span
    parent: int | None


class Block(NamedTuple):
    """An open block: its first draft, its place in a pipeline, the function whose body it is."""

    first: int
    pipeline: int
    stage: int
    function: str
    start: int


class Level:
    """What one list of commands remembers while it is read.

    `last` is the command that the next one waits for to have succeeded. `begin` is the one that the
    current pipeline waits for, and `start` the one that the whole and-or list waits for. `ended` is
    the command whose status a list that has ended passes on.
    """

    def __init__(self, pipeline: int, stage: int, subshell: int, last: int | None = None) -> None:
        self.pipeline = pipeline
        self.stage = stage
        self.subshell = subshell
        self.blocks: list[Block] = []
        self.closed: int | None = None
        self.cases = 0
        self.pattern = False
        self.start = self.begin = self.last = self.ended = last
        self.tested: int | None = None
        self.either = self.negated = self.joined = False
        self.fresh = True
        self.pipefail = self.strict = False

    def inside(self, pipeline: int, stage: int, subshell: int) -> Level:
        """Make the level of a subshell, which keeps the options of the shell."""
        made = Level(pipeline, stage, subshell, self.last)
        made.pipefail, made.strict = self.pipefail, self.strict
        return made

    def follow(self, number: int) -> int | None:
        """Take a command in; return the one that it waits for."""
        before, self.last, self.fresh = self.last, number, False
        return before

    def pipe(self) -> None:
        """Forget the status of commands that write into a pipe, unless `pipefail` is set."""
        if not self.pipefail:
            self.last = self.begin

    def join(self, operator: str) -> None:
        """Record what has succeeded before the next command of an and-or list."""
        self.tested = self._succeeded()
        self.last = self.begin = self.tested if operator == "&&" else self.start
        self.either, self.negated, self.joined = operator == "||", False, True

    def finish(self, *, background: bool = False) -> None:
        """End an and-or list, on which later commands depend only under `set -e`."""
        found = self.start if background else self._succeeded()
        self.tested = found
        self.ended = self.ended if self.fresh else found
        if self.strict and not (self.joined or self.blocks or self.cases):
            self.start = found
        self.last = self.begin = self.start
        self.either = self.negated = self.joined = False
        self.fresh = True

    def outcome(self) -> int | None:
        """Return the command that has succeeded where the whole list has."""
        return self.ended if self.fresh else self._succeeded()

    def _succeeded(self) -> int | None:
        if self.either:
            # Either side of `||` may have been the one that succeeded.
            return self.start
        return self.begin if self.negated else self.last

    def set_options(self, words: Sequence[str]) -> None:
        """Follow `set -e` and `set -o pipefail`, which change what a list waits for."""
        for before, word in zip(("", *words), words, strict=False):
            short = word[1:] if word[:1] in "-+" and word[:2] != "--" else ""
            if "e" in short or word == "errexit":
                self.strict = (before if word == "errexit" else word).startswith("-")
            elif word == "pipefail":
                self.pipefail = before.startswith("-")
