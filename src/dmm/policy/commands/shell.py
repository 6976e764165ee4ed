"""The shell parser: a command line read into every program it would run, however wrapped."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dmm.policy.commands.grammar import Draft, Grammar
from dmm.policy.commands.inline import inline_runs
from dmm.policy.commands.values import Context, Invocation, Script, Word
from dmm.policy.commands.wrappers import SHELLS, Run, program_of, runs_of

if TYPE_CHECKING:
    from dmm.policy.commands.values import Redirection, Span

MAX_TEXT = 100_000
MAX_INVOCATIONS = 2_000
MAX_DEPTH = 8
_MAX_REPARSED = 300_000
_MAX_VALUES = 32
_MAX_WORD = 4_000
_DECLARERS = frozenset({"export", "local", "readonly", "declare", "typeset"})
_VARIABLE = re.compile(r"\$(?:([A-Za-z_]\w*)|\{([A-Za-z_]\w*)\})", re.ASCII)
UNKNOWN_INPUT = "$STDIN"


@dataclass(frozen=True, slots=True)
class _Origin:
    """Where a nested text comes from: its place in the outermost text, and who runs it."""

    span: Span
    exact: bool
    context: Context
    depth: int

    def place(self, start: int, end: int) -> Span:
        """Translate a place in the nested text; the whole origin when it can't be exact."""
        return (self.span[0] + start, self.span[0] + end) if self.exact else self.span


class _Names:
    """Variables with literal values, and the directory of each subshell, while reading on."""

    def __init__(
        self, subshells: list[int], directory: str, values: dict[str, tuple[Word, ...]]
    ) -> None:
        self.subshells = subshells
        self.directories = {0: directory}
        self.values = dict(values)

    def directory(self, subshell: int) -> str:
        chain = [subshell]
        while chain[-1] not in self.directories:
            chain.append(self.subshells[chain[-1]])
        found = self.directories[chain[-1]]
        for number in chain:
            self.directories[number] = found
        return found

    def resolve(self, word: Word) -> list[Word]:
        """Put known values in the place of variables; a loop variable gives a word each."""
        if not word.expands or not self.values:
            return [word]
        names = {match[1] or match[2] for match in _VARIABLE.finditer(word.text)}
        known = [name for name in names if name in self.values]
        if not known:
            return [word]
        words = [word]
        for name in sorted(known):
            pattern = re.compile(rf"\$(?:{name}(?![A-Za-z_0-9])|\{{{name}\}})")
            words = [
                self._put(one, pattern, value) for one in words for value in self.values[name]
            ][:_MAX_VALUES]
        return [part for one in words for part in self._split(one)]

    @staticmethod
    def _put(word: Word, pattern: re.Pattern[str], value: Word) -> Word:
        held = len(pattern.findall(word.text))
        if len(word.text) + held * len(value.text) > _MAX_WORD:
            return word
        text = pattern.sub(lambda _: value.text, word.text)
        return replace(word, text=text, expands=value.expands or "$" in text or "`" in text)

    @staticmethod
    def _split(word: Word) -> list[Word]:
        if word.quoted or word.expands or " " not in word.text.strip():
            return [word]
        return [replace(word, text=text) for text in word.text.split()]

    def learn(self, draft: Draft, words: tuple[Word, ...]) -> None:
        """Take in what a command does to variables and to the directory."""
        if draft.loop:
            self.values[draft.loop] = words[:_MAX_VALUES] or (Word("", 0, 0),)
            return
        if not words:
            for name, value in draft.assignments:
                self.values[name] = tuple(self.resolve(replace(value, quoted=True)))
            return
        program = program_of(words[0])
        if program in _DECLARERS:
            for word in words[1:]:
                name, equals, text = word.text.partition("=")
                if equals:
                    self.values[name] = (replace(word, text=text),)
        elif program in ("read", "unset", "mapfile"):
            for word in words[1:]:
                self.values.pop(word.text, None)
        elif program in ("cd", "pushd"):
            self._change_directory(draft.subshell, words)

    def _change_directory(self, subshell: int, words: tuple[Word, ...]) -> None:
        targets = [word.text for word in words[1:] if not word.text.startswith("-")]
        target = targets[0] if targets else ("$OLDPWD" if len(words) > 1 else "~")
        before = self.directory(subshell)
        joins = before and not target.startswith(("/", "~", "$", "`"))
        self.directories[subshell] = f"{before.rstrip('/')}/{target}" if joins else target


class _Reader:
    """Collects the invocations of a text and of all texts nested in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.invocations: list[Invocation] = []
        self.malformed = False
        self.truncated = False
        self._reparsed = 0
        self._pipelines = 0
        self._values: dict[str, tuple[Word, ...]] = {}

    def read(self, text: str, origin: _Origin) -> None:
        """Parse one text and everything it runs."""
        self._reparsed += len(text)
        if origin.depth > MAX_DEPTH or self._reparsed > _MAX_REPARSED:
            self.truncated = True
            return
        grammar = Grammar(text)
        grammar.read()
        self.malformed = self.malformed or grammar.malformed
        outer = self._values
        names = _Names(grammar.subshells, origin.context.directory, outer)
        self._values = names.values
        shift, self._pipelines = self._pipelines, self._pipelines + len(text) + 1
        ids: dict[int, int] = {}
        links: dict[int | None, int | None] = {None: origin.context.after}
        stages: dict[int, int] = {}
        for draft in grammar.drafts:
            for pipeline, stage in draft.places:
                stages[pipeline] = max(stages.get(pipeline, 0), stage)
        for draft in grammar.drafts:
            self._take(draft, origin, names, (shift, ids, stages, links))
            # An assignment runs nothing; what was before it counts behind it.
            links[draft.number] = ids.get(draft.number, links.get(draft.after))
        for piece in grammar.embedded:
            parent = origin.context.parent if piece.parent is None else ids.get(piece.parent)
            context = Context(
                parent=parent,
                via=(*origin.context.via, "substitution"),
                directory=origin.context.directory,
                in_substitution=True,
            )
            exact = origin.exact and text[piece.span[0] : piece.span[1]] == piece.text
            span = origin.place(*piece.span)
            self.read(piece.text, _Origin(span, exact, context, origin.depth + 1))
        self._values = outer

    def _take(
        self,
        draft: Draft,
        origin: _Origin,
        names: _Names,
        maps: tuple[int, dict[int, int], dict[int, int], dict[int | None, int | None]],
    ) -> None:
        shift, ids, stages, links = maps
        words = tuple(part for word in draft.words for part in names.resolve(word))
        directory = names.directory(draft.subshell)
        redirections = tuple(
            replace(one, target=names.resolve(one.target)[0]) for one in draft.redirections
        )
        names.learn(draft, words)
        if draft.loop or not (words or redirections):
            return
        outer = origin.context
        inherited = outer.places if draft.places[0] == (0, 0) else ()
        parent = outer.parent if draft.parent is None else ids.get(draft.parent, outer.parent)
        context = Context(
            parent=parent,
            via=(*outer.via, "substitution") if draft.substituted else outer.via,
            places=(*((p + shift, s) for p, s in draft.places), *inherited),
            directory=directory,
            piped_from=any(stage > 0 for _, stage in (*draft.places, *inherited)),
            piped_into=any(stages[p] > s for p, s in draft.places) or outer.piped_into,
            in_subshell=outer.in_subshell or (draft.subshell > 0 and not draft.substituted),
            in_substitution=outer.in_substitution or draft.substituted,
            background=outer.background or draft.background,
            after=links.get(draft.after),
        )
        starts = [word.start for word in (*draft.words, *(v for _, v in draft.assignments))]
        span = origin.place(min(starts, default=draft.start), draft.end)
        env = tuple((name, value.text) for name, value in draft.assignments)
        number = self._add(words, env, redirections, span, context)
        if number is not None:
            ids[draft.number] = number
            self._open(number, origin, context)

    def _add(
        self,
        words: tuple[Word, ...],
        env: tuple[tuple[str, str], ...],
        redirections: tuple[Redirection, ...],
        span: Span,
        context: Context,
    ) -> int | None:
        if len(self.invocations) >= MAX_INVOCATIONS:
            self.truncated = True
            return None
        number = len(self.invocations)
        self.invocations.append(Invocation(number, words, env, redirections, span, context))
        return number

    def _open(self, number: int, origin: _Origin, context: Context) -> None:
        """Follow what an invocation runs: the wrapped program, the nested text, inline code."""
        invocation = self.invocations[number]
        if not invocation.words:
            return
        for run in runs_of(invocation.words, invocation.redirections):
            self._run(run, invocation, origin, context)
        self._piped_text(invocation, origin, context)

    def _run(self, run: Run, invocation: Invocation, origin: _Origin, context: Context) -> None:
        inner = replace(context, parent=invocation.id, via=(*context.via, run.via))
        if origin.depth >= MAX_DEPTH:
            self.truncated = True
        elif run.kind == "argv":
            words = run.words
            if run.via in ("xargs", "find -exec"):
                words = self._fed(words, invocation, run.via)
            self._nested_argv(words, invocation, replace(origin, depth=origin.depth + 1), inner)
        elif run.kind == "shell":
            self.read(run.text, self._nested(run, origin, inner))
        else:
            self._inline(run, invocation, self._nested(run, origin, inner), inner)

    def _nested_argv(
        self, words: tuple[Word, ...], outer: Invocation, origin: _Origin, context: Context
    ) -> None:
        env = outer.env
        number = self._add(words, env, outer.redirections, outer.span, context)
        if number is not None:
            self._open(number, origin, context)

    def _nested(self, run: Run, origin: _Origin, context: Context) -> _Origin:
        """Place a nested text exactly where it stands unescaped in the outermost text."""
        start, end = origin.place(*run.span)
        context = replace(context, places=context.places)
        for skip in (0, 1):
            exact = origin.exact and self.text[start + skip : end - skip] == run.text
            if exact:
                return _Origin((start + skip, end - skip), True, context, origin.depth + 1)
        return _Origin((start, end), False, context, origin.depth + 1)

    def _inline(self, run: Run, outer: Invocation, origin: _Origin, context: Context) -> None:
        for found in inline_runs(run.via, run.text):
            if found.argv:
                words = tuple(Word(text, 0, 0) for text in found.argv)
                self._nested_argv(words, outer, origin, context)
            else:
                self.read(found.text, replace(origin, exact=False))

    def _feeders(self, invocation: Invocation) -> list[Invocation]:
        """Give the invocations of the pipe stage right before this one."""
        before = {(pipeline, stage - 1) for pipeline, stage in invocation.context.places}
        recent = self.invocations[max(0, invocation.id - 8) : invocation.id]
        return [one for one in recent if before.intersection(one.context.places)]

    def _piped_text(self, invocation: Invocation, origin: _Origin, context: Context) -> None:
        """Read the literal text that `echo`, `printf` or a here-document pipes into a shell."""
        if invocation.program not in SHELLS or not context.piped_from:
            return
        if any(not word.text.startswith("-") for word in invocation.words[1:]):
            return
        via = f"{invocation.program} input"
        inner = replace(context, parent=invocation.id, via=(*context.via, via), places=())
        for feeder in self._feeders(invocation):
            text = _printed(feeder)
            if text:
                self.read(text, _Origin(feeder.span, False, inner, origin.depth + 1))

    def _fed(self, words: tuple[Word, ...], invocation: Invocation, via: str) -> tuple[Word, ...]:
        """Put the operands that `find` or a pipe would hand over in their place."""
        sources = [invocation] if via == "find -exec" else self._feeders(invocation)
        fed: list[Word] = []
        for source in sources:
            if source.program in ("find", "fd"):
                fed += _found(source)
            elif source.program in ("echo", "printf"):
                fed += [word for word in source.words[1:] if word.text not in ("-n", "-e")]
        fed = fed or [Word(UNKNOWN_INPUT, 0, 0, expands=True)]
        held = [word for word in words if "{}" not in word.text]
        return (*held, *fed)


def _printed(feeder: Invocation) -> str:
    if feeder.program in ("echo", "printf"):
        flags = ("-n", "-e", "-en", "-ne", "%s", "%s\\n", "%b")
        return " ".join(word.text for word in feeder.words[1:] if word.text not in flags)
    if feeder.program in ("cat", "tee"):
        return "".join(one.body for one in feeder.redirections if one.body)
    return ""


def _found(source: Invocation) -> list[Word]:
    """Say what `find` would hand over: its roots, narrowed by a name where one is asked for."""
    words = source.words[1:]
    roots: list[Word] = []
    for word in words:
        if word.text.startswith(("-", "(", "!")):
            break
        roots.append(word)
    texts = [word.text for word in words]
    tests = ("-name", "-iname", "-path", "-wholename", "-regex")
    names = [
        (texts[at + 1] if texts[at] in tests[:2] else texts[at + 1].strip("*/").rpartition("/")[2])
        for at in range(len(texts) - 1)
        if texts[at] in tests
    ]
    roots = roots or [Word(".", 0, 0)]
    if not names:
        return roots
    return [
        replace(root, text=f"{root.text.rstrip('/')}/{name}") for root in roots for name in names
    ]


def parse_shell(text: str) -> Script:
    """Read a shell text into all its invocations; odd input is flagged and never raises."""
    reader = _Reader(text[:MAX_TEXT])
    reader.truncated = len(text) > MAX_TEXT
    reader.read(reader.text, _Origin((0, len(reader.text)), True, Context(), 0))
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
    )
