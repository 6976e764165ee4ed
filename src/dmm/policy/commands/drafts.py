"""Drafts: the commands of a shell text as they are written, and what reading a list remembers."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from dmm.policy.commands.values import Place, Redirection, Span, Word


class Draft:
    """A command as written, before variables are looked up and wrappers are opened.

    `fed_by` is the draft that closes the block around it and gives the block its input.
    `in_function` says that it stands in the body of a function, which somebody has to call.
    """

    __slots__ = (
        "after",
        "assignments",
        "background",
        "end",
        "fed_by",
        "in_function",
        "loop",
        "number",
        "parent",
        "places",
        "redirections",
        "start",
        "subshell",
        "substituted",
        "words",
    )

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
        self.background = False
        self.after: int | None = None
        self.loop: str | None = None
        self.fed_by: int | None = None
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
    """What one list of commands remembers while it is read."""

    __slots__ = (
        "base",
        "blocks",
        "cases",
        "closed",
        "last",
        "pattern",
        "pipeline",
        "stage",
        "subshell",
        "tested",
    )

    def __init__(self, pipeline: int, stage: int, subshell: int, last: int | None = None) -> None:
        self.pipeline = pipeline
        self.stage = stage
        self.subshell = subshell
        self.blocks: list[Block] = []
        self.closed: int | None = None
        self.cases = 0
        self.pattern = False
        self.base = self.last = last
        self.tested: int | None = None
