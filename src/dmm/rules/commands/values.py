"""Values of a parsed shell text: words, redirections, invocations and the script they form.

The small ones are named tuples: a hook that judges alone pays for every class it defines.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Span = tuple[int, int]
Place = tuple[int, int]
PartKind = Literal["text", "name", "command", "stream", "array"]

NEAREST_STAGES = 20
# How something is run whose status is not that of the command that it is run for.
APART = (("substitution",), ("trap",))


class Part(NamedTuple):
    """A piece of a word: plain text, or the source of an expansion."""

    kind: PartKind
    text: str
    quoted: bool = False


def inside(directory: str, path: str) -> str:
    """Write a path as seen from the start, given the directory that `cd` left behind."""
    joins = path and directory and not path.startswith(("/", "~", "$", "`", "<("))
    return f"{directory.rstrip('/')}/{path}" if joins else path


class Output(NamedTuple):
    """What a command writes, as far as the text of the call tells.

    `text` is what is known of it; `partial` says that it holds expansions as written. `paths` are
    files that are passed on as they are. `made` names the tool that makes it out of data that the
    agent supplied or fetched. None of the three: the output of an ordinary program. `more` says
    that such output comes beside the text. `exact` says that the text is what the tool makes.
    """

    text: str | None = None
    made: str = ""
    paths: tuple[str, ...] = ()
    partial: bool = False
    more: bool = False
    exact: bool = False

    @property
    def whole(self) -> bool:
        """Whether the text is all of it."""
        return self.text is not None and not (self.made or self.paths or self.more)


class Word(NamedTuple):
    """One word after quote removal; unknown expansions stay as written (`$VAR`, `$(…)`).

    `source` says where the unknown part comes from, if that matters.
    """

    text: str
    start: int
    end: int
    expands: bool = False
    quoted: bool = False
    parts: tuple[Part, ...] = ()
    source: Output | None = None

    @property
    def made(self) -> str:
        """The tool that makes a part of this word out of data, if one does."""
        return self.source.made if self.source else ""


class Redirection(NamedTuple):
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


class Context(NamedTuple):
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
    in_substitution: bool = False
    after: int | None = None


class Invocation(NamedTuple):
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


class Body(NamedTuple):
    """The body of a function, and its place in the outermost text where that is known."""

    text: str
    span: Span = (0, 0)


class FileRun(NamedTuple):
    """A file whose text would be run, and how: by a shell, a language, `make` or a package script.

    An empty `language` leaves it to the first line of the file. `words` are those of the program
    that runs it.
    """

    path: str
    language: str
    span: Span
    words: tuple[str, ...] = ()
    directory: str = ""


class Unresolved(NamedTuple):
    """Something that is run and can't be read; `made` names the tool that makes it."""

    what: str
    made: str
    span: Span


class Write(NamedTuple):
    """What an invocation writes to a file, or to the end of it."""

    path: str
    output: Output
    append: bool = False


class Script(NamedTuple):
    """All invocations of a shell text, those of nested shells included, in reading order.

    `ends` gives, for each invocation that runs a text and for the text itself (None), the
    invocations that have succeeded where that text has. `inputs` tell what flows into each,
    `writes` what each writes, and `written` what files hold in the end.
    """

    text: str
    invocations: tuple[Invocation, ...]
    pipelines: Mapping[int, tuple[tuple[int, int], ...]]
    malformed: bool = False
    truncated: bool = False
    files: tuple[FileRun, ...] = ()
    unresolved: tuple[Unresolved, ...] = ()
    from_file: bool = False
    ends: Mapping[int | None, tuple[int, ...]] = MappingProxyType({})
    writes: Mapping[int, tuple[Write, ...]] = MappingProxyType({})
    written: Mapping[str, Output] = MappingProxyType({})
    inputs: Mapping[int, Callable[[], Output]] = MappingProxyType({})

    def input_of(self, invocation: Invocation) -> Output:
        """Return what flows into an invocation."""
        given = self.inputs.get(invocation.id)
        return given() if given else Output()

    def upstream(self, invocation: Invocation) -> tuple[Invocation, ...]:
        """Return the invocations whose output reaches this one through pipes."""
        found = [
            self.invocations[number]
            for pipeline, stage in invocation.context.places
            for other, number in self.pipelines.get(pipeline, ())
            if max(0, stage - NEAREST_STAGES) <= other < stage
        ]
        return tuple(found[-NEAREST_STAGES:])

    def children(self, invocation: Invocation) -> tuple[Invocation, ...]:
        """Return the invocations that this one runs or whose output stands in its words."""
        later = self.invocations[invocation.id + 1 :]
        return tuple(other for other in later if other.context.parent == invocation.id)

    def succeeded_before(self, invocation: Invocation) -> tuple[Invocation, ...]:
        """Return what `&&` lets an invocation wait for, with all that was run for it."""
        return self._succeeded([invocation.context.after])

    def succeeded(self) -> tuple[Invocation, ...]:
        """Return what has succeeded where the text as a whole has: its status is not lost."""
        return self._succeeded([*self.ends.get(None, ())])

    def _succeeded(self, waiting: list[int | None]) -> tuple[Invocation, ...]:
        opened: dict[int | None, list[int | None]] = {}
        for one in self.invocations:
            if one.context.via[-1:] not in APART:
                opened.setdefault(one.context.parent, []).append(one.id)
        found: set[int] = set()
        while waiting:
            at = waiting.pop()
            if at is not None and at not in found:
                found.add(at)
                waiting.append(self.invocations[at].context.after)
                # A wrapper passes on the status of its program, a text that of its end.
                waiting += self.ends[at] if at in self.ends else opened.get(at, ())
        return tuple(self.invocations[number] for number in sorted(found))
