"""Follow what invocations run for others until nothing is left unread."""

from __future__ import annotations

from abc import ABC, abstractmethod
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from dmm.rules.commands.carriers import runs_of
from dmm.rules.commands.expansion import UNKNOWN, inner_text
from dmm.rules.commands.feeds import parallel_texts, placed, xargs_commands
from dmm.rules.commands.flow import Evaluation, located
from dmm.rules.commands.gitaliases import alias_runs, stored_alias
from dmm.rules.commands.inlineruns import COMPUTED, PLACEHOLDER, UNKNOWN_VALUE
from dmm.rules.commands.options import SUBCOMMANDED, read_options
from dmm.rules.commands.projectfiles import PROJECT_FILES, cron_commands, project_commands
from dmm.rules.commands.runs import SHELL, Run, assigned_by, language_in, runs_of_variables
from dmm.rules.commands.searches import FINDERS, found_by
from dmm.rules.commands.values import FileRun, Invocation, Output, Redirection, Unresolved, Word
from dmm.rules.commands.written import note_written

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.rules.commands.expansion import Names
    from dmm.rules.commands.flow import Flow
    from dmm.rules.commands.values import Context, Span, Write

MAX_DEPTH = 8
MAX_INVOCATIONS = 2_000
_SYSTEM = ("/bin/", "/sbin/", "/usr/", "/opt/", "/lib", "/nix/", "/snap/", "/System/")
_MAX_NOTED = 50
_SETTING = (("env",), ("sudo",))
# What these run may change the names of the shell that they run in.
_SAME_SHELL = frozenset({"eval", "source", "."})


class Origin(NamedTuple):
    """Where a nested text comes from: its place in the outermost text, and who runs it."""

    span: Span
    exact: bool
    context: Context
    depth: int

    def place(self, start: int, end: int) -> Span:
        """Translate a place in the nested text; the whole origin when it can't be exact."""
        return (self.span[0] + start, self.span[0] + end) if self.exact else self.span


class Scene(NamedTuple):
    """The context of an invocation: its names and its input."""

    origin: Origin
    names: Names
    flow: Flow
    number: int

    def below(self, invocation: Invocation, context: Context) -> Origin:
        """Return the origin of a text that stands nowhere, by the place of who runs it."""
        return Origin(invocation.span, False, context, self.origin.depth + 1)


class Opener(ABC):
    """Follows invocations into what they run; a reader parses each text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.malformed = False
        self.truncated = False
        self.invocations: list[Invocation] = []
        self.files: list[FileRun] = []
        self.unresolved: list[Unresolved] = []
        self.evaluation = Evaluation()
        self.writes: dict[int, tuple[Write, ...]] = {}
        self.inputs: dict[int, Callable[[], Output]] = {}
        self._later: list[tuple[Run, Invocation, Scene]] = []

    @abstractmethod
    def read(self, text: str, origin: Origin, names: Names, given: Callable[[], Output]) -> None:
        """Parse one text and everything it runs."""

    def is_full(self) -> bool:
        """Whether no more invocations are taken in."""
        return len(self.invocations) >= MAX_INVOCATIONS

    def add(
        self,
        words: tuple[Word, ...],
        env: tuple[tuple[str, str], ...],
        redirections: tuple[Redirection, ...],
        span: Span,
        context: Context,
    ) -> Invocation | None:
        """Take an invocation in; none when there are too many."""
        if self.is_full():
            self.truncated = True
            return None
        made = Invocation(len(self.invocations), words, env, redirections, span, context)
        self.invocations.append(made)
        return made

    def note(self, what: str, made: str, span: Span) -> None:
        """Record something that is run but can't be read."""
        if len(self.unresolved) < _MAX_NOTED:
            self.unresolved.append(Unresolved(what, made, span))

    def open(self, invocation: Invocation, scene: Scene, *, carried: bool = False) -> None:
        """Follow what an invocation runs: the wrapped program, a nested text, code, a file."""
        self.inputs[invocation.id] = partial(scene.flow.input_of, scene.number)
        if invocation.words:
            self._open(invocation, scene)
        held = scene.flow, scene.number
        written = note_written(self.evaluation, invocation, *held, carried=carried)
        self.writes[invocation.id] = tuple(written)

    def _open(self, invocation: Invocation, scene: Scene) -> None:
        self._look_at_names(invocation, scene)
        runs = self._named(invocation, scene.names)
        runs += runs_of(invocation.words)
        runs += runs_of_variables(invocation)
        if invocation.program == "git":
            runs += alias_runs(invocation.words, invocation.env, scene.names.git_aliases)
            self._look_up_alias(invocation)
        for run in runs:
            if run.via == "trap":
                self._later.append((run, invocation, scene))
            else:
                self._run(run, invocation, scene)
        self._outflow(invocation, scene)

    def finish(self) -> None:
        """Follow what runs at exit, with the variables as they are then."""
        for run, invocation, scene in self._later[:_MAX_NOTED]:
            self._run(run, invocation, scene)

    def _look_up_alias(self, invocation: Invocation) -> None:
        """Let a subcommand be looked up among the aliases that Git has stored."""
        argv = stored_alias(invocation.words)
        if argv:
            directory = invocation.context.directory
            self._queue(FileRun(".git/config", "git", invocation.span, argv, directory))

    def _outflow(self, invocation: Invocation, scene: Scene) -> None:
        """Let `>(…)` run with what the command writes into it."""
        targets = [one.target for one in invocation.redirections]
        fed = [word for word in (*invocation.words, *targets) if word.text.startswith(">(")]
        if not fed or scene.origin.depth >= MAX_DEPTH:
            return
        output = scene.flow.output_of(scene.number)
        for word in fed if output != Output() else ():
            origin = scene.below(invocation, _run_by(invocation))
            self.read(inner_text(word.text), origin, scene.names.child(), lambda: output)

    def _look_at_names(self, invocation: Invocation, scene: Scene) -> None:
        """Check whether the command's name and subcommand can be read."""
        first = invocation.words[0]
        if first.made:
            self.note("the name of a command", first.made, invocation.span)
        elif first.source is not None:
            self._run_output(first.source, Run("file", SHELL, language=SHELL), invocation, scene)
        elif not first.quoted and _is_open(first.text):
            self.note("the name of a command", "a wildcard", invocation.span)
        if invocation.program in SUBCOMMANDED and any(word.made for word in invocation.words[1:]):
            operands = read_options(invocation.words).operands
            if operands and operands[0].made:
                what = f"the subcommand of `{invocation.program}`"
                self.note(what, operands[0].made, invocation.span)

    def _named(self, invocation: Invocation, names: Names) -> list[Run]:
        """Open what the text itself has given a name to: functions, aliases, files."""
        first = invocation.words[0]
        via = invocation.context.via
        body = names.functions.get(first.text)
        if body is not None and first.text not in via:
            words = (first, *invocation.words[1:])
            return [Run("shell", first.text, words, body.text, body.span, placed=True)]
        alias = names.aliases.get(first.text)
        if alias is not None and first.text not in via:
            rest = " ".join(_quoted(word) for word in invocation.words[1:])
            return [Run("shell", first.text, text=f"{alias} {rest}")]
        if "/" in first.text and not first.text.startswith(_SYSTEM):
            return [Run("file", first.text, invocation.words)]
        if "PATH" in names.values:
            ending = f"/{first.text}"
            copies = [path for path in self.evaluation.written if path.endswith(ending)]
            return [Run("file", path, invocation.words, path) for path in copies[:1]]
        return []

    def _run(self, run: Run, invocation: Invocation, scene: Scene) -> None:
        if scene.origin.depth >= MAX_DEPTH:
            self.truncated = self.truncated or not run.guess
            return
        before = self.malformed, self.truncated, len(self.unresolved)
        self._run_kind(run, invocation, scene, _run_by(invocation, run.via))
        if run.guess:
            self.malformed, self.truncated = before[:2]
            del self.unresolved[before[2] :]

    def _run_kind(self, run: Run, invocation: Invocation, scene: Scene, inner: Context) -> None:
        if run.kind == "argv":
            words = run.words
            if run.via in FINDERS:
                words = placed(words, found_by(invocation.words))
            self._nested_argv(words, invocation, scene, inner)
        elif run.kind == "shell":
            self._nested_text(run, invocation, scene, inner)
        elif run.kind == "code":
            self._code(run, invocation, scene, inner)
        elif run.kind == "xargs":
            self._fed(run, invocation, scene, inner)
        elif run.kind == "input":
            self._input(run, invocation, scene, inner)
        else:
            self._file(run, invocation, scene)

    def _code(self, run: Run, invocation: Invocation, scene: Scene, context: Context) -> None:
        """Read code in a word; where it is all made by a substitution, what that writes."""
        file = Run("file", run.via, language=run.language or run.via)
        for word in invocation.words[1:]:
            all_of_it = word.text == run.text and word.text.startswith(("$", "`"))
            if word.source is not None and all_of_it:
                self._run_output(word.source, file, invocation, scene)
        self.read_code(run, run.text, invocation, scene, context)

    def _nested_argv(
        self, words: tuple[Word, ...], outer: Invocation, scene: Scene, context: Context
    ) -> None:
        env = (*outer.env, *assigned_by(outer.words)) if context.via[-1:] in _SETTING else outer.env
        made = self.add(words, env, outer.redirections, outer.span, context)
        if made is not None:
            origin = scene.origin._replace(depth=scene.origin.depth + 1)
            self.open(made, scene._replace(origin=origin), carried=True)

    def _nested_text(
        self, run: Run, invocation: Invocation, scene: Scene, context: Context
    ) -> None:
        names = scene.names
        before = names.values.get("@")
        if run.placed:
            # A function runs in the shell that calls it, with parameters of its own.
            names.set_positional(run.words[1:])
        elif run.via not in _SAME_SHELL:
            names = names.child()
            for name, value in invocation.env:
                names.values[name] = (Word(value, 0, 0, expands="$" in value),)
            names.values.update({"0": run.words[:1]} if run.words else {})
            names.set_positional(run.words[1:])
        origin = self._nested(run, invocation, scene.origin, context)
        self.read(run.text, origin, names, lambda: scene.flow.input_of(scene.number))
        if run.placed and before is not None:
            names.values["@"] = before
        elif run.placed:
            names.values.pop("@", None)

    def _nested(self, run: Run, invocation: Invocation, origin: Origin, context: Context) -> Origin:
        """Give a nested text its exact position if it is unescaped in the outermost text."""
        start, end = run.span if run.placed else origin.place(*run.span)
        for skip in (0, 1):
            same = self.text[start + skip : end - skip] == run.text
            if same and (origin.exact or run.placed):
                return Origin((start + skip, end - skip), True, context, origin.depth + 1)
        # A word that a variable gave has its place elsewhere.
        first, last = invocation.span
        inside = run.span != (0, 0) and first <= start <= end <= last
        return Origin((start, end) if inside else invocation.span, False, context, origin.depth + 1)

    def read_code(
        self, run: Run, code: str, invocation: Invocation, scene: Scene, context: Context
    ) -> None:
        """Follow code of another language into what it runs."""
        from dmm.rules.commands.inline import inline_runs

        origin = self._nested(run, invocation, scene.origin, context)._replace(exact=False)
        if run.language == "make" or run.via == "make":
            recipes = project_commands("make", code, [word.text for word in run.words])
            self.read("\n".join(text for text, _ in recipes), origin, scene.names.child(), Output)
            return
        for found in inline_runs(run.language or run.via, code):
            if found.script:
                directory = invocation.context.directory
                where = located(found.script, directory)
                self._queue(FileRun(where, run.language or run.via, invocation.span, (), directory))
            elif found.made:
                language = (run.language or run.via).capitalize()
                self.note(f"a command that {language} code runs", COMPUTED, invocation.span)
            elif found.path:
                redirection = Redirection(found.operator, Word(found.path, 0, 0))
                if found.operator == ">":
                    where = located(found.path, invocation.context.directory)
                    self.evaluation.written[where] = Output(made=run.language or run.via)
                self.add((), (), (redirection,), invocation.span, context)
            elif found.argv:
                words = tuple(_computed(text) for text in found.argv)
                self._nested_argv(words, invocation, scene._replace(origin=origin), context)
            else:
                self.read(found.text, origin, scene.names.child(), Output)

    def _fed(self, run: Run, invocation: Invocation, scene: Scene, context: Context) -> None:
        output = scene.flow.input_of(scene.number)
        if run.via == "parallel":
            for text in parallel_texts(invocation.words, run.words, output):
                self.read(text, scene.below(invocation, context), scene.names.child(), Output)
            return
        for words in xargs_commands(invocation.words, run.words, output):
            self._nested_argv(words, invocation, scene, context)

    def _input(self, run: Run, invocation: Invocation, scene: Scene, context: Context) -> None:
        bodies = [one for one in invocation.redirections if one.body is not None]
        if bodies and run.language == SHELL:
            held = bodies[-1]
            text = Run("shell", run.via, run.words, held.body or "", held.body_span)
            self._nested_text(text, invocation, scene, context)
            if not held.target.made:
                return
        output = scene.flow.input_of(scene.number)
        self._run_output(output, run, invocation, scene)

    def _file(self, run: Run, invocation: Invocation, scene: Scene) -> None:
        """Run the text of a file: as this call has written it, or as it stands on the disk."""
        directory = invocation.context.directory
        named = run.text or run.words[0].text
        if run.language in PROJECT_FILES and not run.text:
            self._project_file(run, invocation, scene)
            return
        where = located(named, directory)
        written = self.evaluation.written.get(where)
        direct = not run.language
        if direct and written and written.paths and not written.text:
            # A copy or a link of a program does what the program does.
            for path in written.paths:
                words = (run.words[0]._replace(text=path), *run.words[1:])
                self._nested_argv(words, invocation, scene, _run_by(invocation, "copy"))
        output = written or self.evaluation.file(named, directory, scene.names)
        self._run_output(output, run, invocation, scene)

    def _project_file(self, run: Run, invocation: Invocation, scene: Scene) -> None:
        """Follow the commands of a makefile or package.json, which the call may have written."""
        directory = invocation.context.directory
        argv = tuple(word.text for word in run.words)
        for name in PROJECT_FILES[run.language]:
            written = self.evaluation.written.get(located(name, directory))
            if written is not None and written.text:
                told = project_commands(run.language, written.text, argv)
                origin = scene.below(invocation, invocation.context)
                self.read("\n".join(text for text, _ in told), origin, scene.names.child(), Output)
                return
        self._queue(FileRun("", run.language, invocation.span, argv, directory))

    def _run_output(self, output: Output, run: Run, invocation: Invocation, scene: Scene) -> None:
        """Follow the output of a command or the content of a file as a script."""
        argv = tuple(word.text for word in run.words)
        directory = invocation.context.directory
        for path in output.paths:
            self._queue(FileRun(path, run.language, invocation.span, argv, directory))
        if output.made:
            self.note(f"what `{invocation.program}` runs", output.made, invocation.span)
        if not output.text:
            return
        context = _run_by(invocation, f"{invocation.program} input")._replace(places=())
        language = run.language or language_in(output.text)
        if language in (SHELL, "crontab"):
            text = cron_commands(output.text) if language == "crontab" else output.text
            names = scene.names if run.via in _SAME_SHELL else scene.names.child()
            if run.via not in _SAME_SHELL:
                names.set_positional(run.words[1:])
            self.read(text, scene.below(invocation, context), names, Output)
        else:
            code = Run("code", language, run.words, language=language)
            self.read_code(code, output.text, invocation, scene, context)

    def _queue(self, run: FileRun) -> None:
        system = run.path.startswith(_SYSTEM) and run.language == ""
        if len(self.files) < _MAX_NOTED and not system and run not in self.files:
            self.files.append(run)


def _is_open(name: str) -> bool:
    """Whether wildcards or braces are left in the name of a command."""
    pairs = ("[" in name and "]" in name) or ("{" in name and "," in name)
    return pairs or "*" in name or "?" in name


def _run_by(invocation: Invocation, *via: str) -> Context:
    """Return where something stands that an invocation runs."""
    context = invocation.context
    return context._replace(parent=invocation.id, via=(*context.via, *via))


def _computed(text: str) -> Word:
    """Read a word that code puts together: what it computes stands there as a variable."""
    if PLACEHOLDER not in text:
        return Word(text, 0, 0)
    return Word(text, 0, 0, expands=True, source=Output(made=UNKNOWN[UNKNOWN_VALUE]))


def _quoted(word: Word) -> str:
    import shlex

    return word.text if word.expands else shlex.quote(word.text)
