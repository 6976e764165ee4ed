"""The shell parser: a command line read into every program it would run, however wrapped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.rules.commands.expansion import Names
from dmm.rules.commands.flow import Flow
from dmm.rules.commands.grammar import Grammar
from dmm.rules.commands.opening import MAX_DEPTH, Opener, Origin, Scene
from dmm.rules.commands.runs import Run
from dmm.rules.commands.settings import learn
from dmm.rules.commands.values import APART, Body, Context, Invocation, Output, Script, Word, inside

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.rules.commands.drafts import Draft
    from dmm.rules.commands.expansion import Expanded

MAX_TEXT = 100_000
_MAX_REPARSED = 300_000
# A script calls its functions often; what they do with other arguments is seldom news.
_MAX_REPARSED_IN_FILE = 10_000


class _Directories:
    """The directory of each subshell, as `cd` leaves it behind."""

    def __init__(self, subshells: list[int], start: str) -> None:
        self._subshells = subshells
        self._known = {0: start}

    def of(self, subshell: int) -> str:
        """Return the directory of a subshell; it begins in that of the one around it."""
        chain = [subshell]
        while chain[-1] not in self._known:
            chain.append(self._subshells[chain[-1]])
        found = self._known[chain[-1]]
        for number in chain:
            self._known[number] = found
        return found

    def change(self, subshell: int, words: tuple[Word, ...]) -> None:
        """Follow a `cd` or `pushd`."""
        targets = [word.text for word in words[1:] if not word.text.startswith("-")]
        target = targets[0] if targets else ("$OLDPWD" if len(words) > 1 else "~")
        self._known[subshell] = inside(self.of(subshell), target)


class _Text:
    """One text while it is read: its drafts, and the invocations they became."""

    def __init__(self, grammar: Grammar, origin: Origin, names: Names, shift: int) -> None:
        self.grammar = grammar
        self.origin = origin
        self.names = names
        self.shift = shift
        self.directories = _Directories(grammar.subshells, origin.context.directory)
        self.ids: dict[int, int] = {}
        self.links: dict[int | None, int | None] = {None: origin.context.after}

    def context_of(self, draft: Draft) -> Context:
        """Return where a draft stands."""
        outer = self.origin.context
        inherited = outer.places if draft.places[0] == (0, 0) else ()
        parent = outer.parent if draft.parent is None else self.ids.get(draft.parent, outer.parent)
        return Context(
            parent=parent,
            via=(*outer.via, "substitution") if draft.substituted else outer.via,
            places=(*((p + self.shift, s) for p, s in draft.places), *inherited),
            directory=self.directories.of(draft.subshell),
            piped_from=any(stage > 0 for _, stage in (*draft.places, *inherited)),
            in_substitution=outer.in_substitution or draft.substituted,
            after=self.links.get(draft.after),
        )


class _Reader(Opener):
    """Collects the invocations of a text and of all texts nested in it."""

    def __init__(self, text: str, *, from_file: bool = False) -> None:
        super().__init__(text)
        self.ends: dict[int | None, tuple[int, ...]] = {}
        self.from_file = from_file
        self._most = 2 * len(text) + _MAX_REPARSED_IN_FILE if from_file else _MAX_REPARSED
        self._reparsed = 0
        self._pipelines = 0

    def read(self, text: str, origin: Origin, names: Names, given: Callable[[], Output]) -> None:
        """Parse one text and everything it runs."""
        self._reparsed += len(text)
        if origin.depth > MAX_DEPTH or self._reparsed > self._most or self.is_full():
            self.truncated = True
            return
        grammar = Grammar(text)
        grammar.read()
        self.malformed = self.malformed or grammar.malformed
        for name, (start, end) in grammar.functions.items():
            place = origin.place(start, end) if origin.exact else (0, 0)
            names.functions[name] = Body(text[start:end], place)
        shift, self._pipelines = self._pipelines, self._pipelines + len(text) + 1
        held = _Text(grammar, origin, names, shift)
        flow = Flow(grammar.drafts, names, self.evaluation, given)
        for draft in grammar.drafts:
            if self.is_full():
                self.truncated = True
                return
            if draft.in_function and self.from_file:
                # Others may define what nobody calls.
                continue
            self._take(draft, held, flow)
            # An assignment runs nothing; what was before it counts behind it.
            held.links[draft.number] = held.ids.get(draft.number, held.links.get(draft.after))
        self._note_end(held)
        self._read_embedded(held, text)

    def _note_end(self, held: _Text) -> None:
        """Note the invocation that has succeeded where the text as a whole has."""
        context = held.origin.context
        if context.via[-1:] not in APART:
            end = held.links.get(held.grammar.outcome)
            known = self.ends.get(context.parent, ())
            self.ends[context.parent] = known if end is None else (*known, end)

    def _read_embedded(self, held: _Text, text: str) -> None:
        origin = held.origin
        for piece in held.grammar.embedded:
            parent = origin.context.parent if piece.parent is None else held.ids.get(piece.parent)
            context = Context(
                parent=parent,
                via=(*origin.context.via, "substitution"),
                directory=origin.context.directory,
                in_substitution=True,
            )
            exact = origin.exact and text[piece.span[0] : piece.span[1]] == piece.text
            nested = Origin(origin.place(*piece.span), exact, context, origin.depth + 1)
            self.read(piece.text, nested, held.names.child(), Output)

    def _take(self, draft: Draft, held: _Text, flow: Flow) -> None:
        for expanded in held.names.expand(draft):
            self._take_one(draft, expanded, held, flow)

    def _take_one(self, draft: Draft, expanded: Expanded, held: _Text, flow: Flow) -> None:
        words, redirections = expanded
        directory = held.directories.of(draft.subshell)
        number = flow.add(draft, words, redirections, directory)
        if not draft.loop and (words or redirections):
            context = held.context_of(draft)
            values = [value for _, value in draft.assignments]
            starts = [word.start for word in (*draft.words, *values)]
            span = held.origin.place(min(starts, default=draft.start), draft.end)
            env = tuple(
                (name.rstrip("+"), held.names.text_of(value)) for name, value in draft.assignments
            )
            found = self.add(words, env, redirections, span, context)
            if found is not None:
                held.ids.setdefault(draft.number, found.id)
                self.open(found, Scene(held.origin, held.names, flow, number))
        learn(held.names, draft, words, lambda: flow.input_of(number))
        if words and words[0].text in ("cd", "pushd"):
            held.directories.change(draft.subshell, words)


def parse_shell(
    text: str, *, directory: str = "", from_file: bool = False, arguments: Sequence[str] = ()
) -> Script:
    """Read a shell text into all its invocations; odd input is flagged and never raises.

    A file is read with the arguments it is given; what its functions do counts where they are
    called.
    """
    reader = _Reader(text[:MAX_TEXT], from_file=from_file)
    reader.truncated = len(text) > MAX_TEXT
    origin = Origin((0, len(reader.text)), True, Context(directory=directory), 0)
    names = Names(reader.evaluation.evaluate)
    if from_file:
        names.set_positional([Word(one, 0, 0, expands="$" in one) for one in arguments])
    reader.read(reader.text, origin, names, Output)
    reader.finish()
    return _script(reader, text)


def parse_code(language: str, code: str) -> Script:
    """Read code of another language into the commands it would run."""
    reader = _Reader(code[:MAX_TEXT])
    names = Names(reader.evaluation.evaluate)
    origin = Origin((0, len(reader.text)), False, Context(), 0)
    flow = Flow([], names, reader.evaluation)
    host = Invocation(0, (Word(language, 0, 0),), (), (), origin.span, origin.context)
    run = Run("code", language, text=reader.text, span=origin.span)
    reader.read_code(run, reader.text, host, Scene(origin, names, flow, 0), origin.context)
    return _script(reader, code)


def _script(reader: _Reader, text: str) -> Script:
    pipelines: dict[int, list[tuple[int, int]]] = {}
    for invocation in reader.invocations:
        for pipeline, stage in invocation.context.places:
            pipelines.setdefault(pipeline, []).append((stage, invocation.id))
    return Script(
        text,
        tuple(reader.invocations),
        {number: tuple(stages) for number, stages in pipelines.items()},
        reader.malformed,
        reader.truncated,
        tuple(reader.files),
        tuple(reader.unresolved),
        reader.from_file,
        reader.ends,
        reader.writes,
        reader.evaluation.written,
        reader.inputs,
    )
