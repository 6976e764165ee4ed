"""Follow data through the pipes, substitutions and files of one call."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, NamedTuple

from dmm.rules.commands.carriers import runs_of
from dmm.rules.commands.expansion import inner_text
from dmm.rules.commands.grammar import Grammar
from dmm.rules.commands.outputs import ORDINARY, combined, own_output
from dmm.rules.commands.runs import STANDARD_INPUT, program_of
from dmm.rules.commands.settings import learn
from dmm.rules.commands.values import NEAREST_STAGES, Body, Output, Redirection, inside

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.rules.commands.drafts import Draft
    from dmm.rules.commands.expansion import Names
    from dmm.rules.commands.values import Place, Word

_MAX_EVALUATIONS = 300
_MAX_EVALUATED = 60_000
_MAX_DEPTH = 10
_MAX_FEEDERS = 8
TOO_DEEP = Output(made="deep nesting")


def located(path: str, directory: str) -> str:
    """Write a path as seen from the start, in its normal form."""
    seen = inside(directory, path)
    return posixpath.normpath(seen) if seen and not seen.startswith("<(") else seen


class Stage(NamedTuple):
    """A command with its place in pipelines."""

    words: tuple[Word, ...]
    redirections: tuple[Redirection, ...]
    draft: Draft
    directory: str


class Evaluation:
    """Works out what nested commands would write, within bounds; knows the files written so far."""

    def __init__(self) -> None:
        self.written: dict[str, Output] = {}
        self._count = self._length = self._depth = 0

    def evaluate(self, text: str, names: Names) -> Output:
        """Return what the commands of a text would write."""
        self._count += 1
        self._length += len(text)
        spent = self._count > _MAX_EVALUATIONS or self._length > _MAX_EVALUATED
        if spent or self._depth >= _MAX_DEPTH:
            return TOO_DEEP
        self._depth += 1
        try:
            return self._evaluated(text, names.child())
        finally:
            self._depth -= 1

    def _evaluated(self, text: str, names: Names) -> Output:
        grammar = Grammar(text)
        grammar.read()
        bodies = grammar.functions.items()
        names.functions.update({name: Body(text[start:end]) for name, (start, end) in bodies})
        flow = Flow(grammar.drafts, names, self)
        for draft in grammar.drafts:
            if draft.substituted:
                continue
            for words, redirections in names.expand(draft):
                number = flow.add(draft, words, redirections)
                learn(names, draft, words, lambda number=number: flow.input_of(number))  # type: ignore[misc]
        return combined([flow.output_of(number) for number in flow.last()])

    def file(self, path: str, directory: str, names: Names) -> Output:
        """Return the content of a file: as the call wrote it before, or from the disk."""
        if path.startswith("<("):
            return self.evaluate(inner_text(path), names)
        if path.startswith(("/dev/fd/", "/proc/self/fd/")):
            return Output(made="a file descriptor")
        where = located(path, directory)
        return self.written.get(where) or Output(paths=(where,))


class Flow:
    """The commands of one text with what flows into and out of each."""

    def __init__(
        self,
        drafts: Sequence[Draft],
        names: Names,
        evaluation: Evaluation,
        given: Callable[[], Output] = lambda: ORDINARY,
    ) -> None:
        self._drafts = drafts
        self._names = names
        self._evaluation = evaluation
        self._given = given
        self._stages: list[Stage] = []
        self._by_place: dict[Place, list[int]] = {}

    def add(
        self,
        draft: Draft,
        words: tuple[Word, ...],
        redirections: tuple[Redirection, ...],
        directory: str = "",
    ) -> int:
        """Add a command and return its number."""
        number = len(self._stages)
        self._stages.append(Stage(words, redirections, draft, directory))
        if not draft.loop:
            for place in draft.places:
                self._by_place.setdefault(place, []).append(number)
        return number

    def last(self) -> list[int]:
        """Return the numbers of the commands whose output goes to no other command."""
        return [
            number
            for number, stage in enumerate(self._stages)
            if not stage.draft.loop
            and not any((p, s + 1) in self._by_place for p, s in stage.draft.places)
        ]

    def _printing(self, first: int, end: int) -> list[int]:
        """Number the commands of a block, from a draft on, that print where the block prints."""
        silent: set[int] = set()
        for stage in self._stages[:end]:
            if stage.draft.substituted or any(one.writes for one in stage.redirections):
                # With the end of an inner block, all that is in it goes elsewhere.
                number, block = stage.draft.number, stage.draft.block
                silent.update(range(number if block is None else block, number + 1))
        return [
            number
            for number in self.last()
            if number < end and first <= self._stages[number].draft.number not in silent
        ]

    def _feeding(self, number: int) -> list[int]:
        places = self._stages[number].draft.places
        found = [one for p, s in places if s for one in self._by_place.get((p, s - 1), ())]
        return found[-_MAX_FEEDERS:]

    def input_of(self, number: int, depth: int = 0) -> Output:
        """Return the input of a command: its redirection, the pipe, or a block."""
        stage = self._stages[number]
        own = self._redirected(stage.redirections, stage.directory)
        if own is not None:
            return own
        feeding = self._feeding(number)
        if feeding:
            if depth >= NEAREST_STAGES:
                return TOO_DEEP
            return combined([self.output_of(one, depth + 1) for one in feeding])
        if stage.draft.fed_by is not None:
            closing = self._drafts[stage.draft.fed_by]
            fed = self._redirected(
                tuple(map(self._names.redirected, closing.redirections)), stage.directory
            )
            if fed is not None:
                return fed
        return self._given()

    def _redirected(self, redirections: Sequence[Redirection], directory: str) -> Output | None:
        for one in reversed(redirections):
            if one.body is not None:
                partial = one.target.expands or (not one.target.quoted and "$" in one.body)
                return Output(one.body, one.target.made, partial=partial)
            if one.operator == "<&" and one.target.text not in ("0", "-"):
                return Output(made="a file descriptor")
            if one.reads and one.target.text not in STANDARD_INPUT:
                return self._evaluation.file(one.target.text, directory, self._names)
        return None

    def output_of(self, number: int, depth: int = 0) -> Output:
        """Return what a command would write; for the end of a block, what all in it would."""
        stage = self._stages[number]
        if stage.draft.block is not None and not stage.words and depth < NEAREST_STAGES:
            inner = self._printing(stage.draft.block, number)
            return combined([self.output_of(one, depth + 1) for one in inner])

        def given() -> Output:
            return self.input_of(number, depth)

        return self._output(stage.words, stage, given, depth)

    def _output(
        self, words: tuple[Word, ...], stage: Stage, given: Callable[[], Output], depth: int
    ) -> Output:
        own = own_output(words, stage.redirections, given)
        if own is not None:
            return self._known(own, stage.directory)
        if depth >= NEAREST_STAGES:
            return TOO_DEEP
        body = self._names.functions.get(program_of(words[0]))
        if body is not None:
            return self._run(body.text, words[1:])
        outputs = []
        for run in runs_of(words):
            if run.kind == "argv" and run.words:
                outputs.append(self._output(run.words, stage, given, depth + 1))
            elif run.kind == "shell":
                outputs.append(self._run(run.text, run.words[1:]))
        return combined(outputs) if outputs else ORDINARY

    def _run(self, text: str, arguments: Sequence[Word]) -> Output:
        inner = self._names.child()
        inner.set_positional(arguments)
        return self._evaluation.evaluate(text, inner)

    def _known(self, output: Output, directory: str) -> Output:
        """Replace files by the text that the call has written to them."""
        if not output.paths:
            return output
        found = [self._evaluation.file(path, directory, self._names) for path in output.paths]
        held = [output._replace(paths=())] if output.text or output.made else []
        return combined([*held, *found])
