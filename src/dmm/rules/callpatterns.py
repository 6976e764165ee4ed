"""Patterns: frozen values that say which commands, files, messages and tools a rule is about."""

from __future__ import annotations

from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, ClassVar

from dmm.domain.value import Value
from dmm.rules.budget import Budget, Stopped
from dmm.rules.commands.branches import branches_touched, chooses_branch, is_every, same_branch
from dmm.rules.commands.checks import CHECKS
from dmm.rules.commands.contacts import hosts_of, remotes_of
from dmm.rules.commands.dependencies import ANY_PACKAGE, installed, normal_name
from dmm.rules.commands.facts import MESSAGES, located
from dmm.rules.commands.globs import chosen, matches_name, matches_path, plain_example
from dmm.rules.commands.ignoring import selects
from dmm.rules.commands.options import SUBCOMMANDED, asks_for_help
from dmm.rules.commands.paths import covers, script_of
from dmm.rules.commands.projectfiles import can_drop_run
from dmm.rules.commands.reach import state_limited
from dmm.rules.commands.runs import assigned_by
from dmm.rules.commands.tools import names_of, values_of
from dmm.rules.content.limits import MAX_TEXT
from dmm.rules.evidence import Evidence, unknown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dmm.rules.commands.facts import CallFacts, CommandUse, MessageKind, PathUse, Verb
    from dmm.rules.commands.options import Options
    from dmm.rules.commands.values import Invocation, Span, Word


class ToolPattern(Value):
    """A call of a tool whose name matches a glob; `Bash` is the shell of every client.

    `args` are `key=glob`, all of which must hold; `matches` is found in one of the values.
    """

    kind: ClassVar[str] = "tool"
    name: str
    args: tuple[str, ...] = ()
    matches: str = ""

    def find(self, facts: CallFacts) -> Iterator[tuple[object, Evidence]]:
        """Find the call itself."""
        call, span = facts.call, (0, len(facts.text))
        if any(matches_name(one, self.name) for one in names_of(call.tool)):
            where = f"the input of {call.tool}"
            yield from _checked(call, span, where, partial(self._why, facts))

    def _why(self, facts: CallFacts) -> str:
        return f"the tool is {facts.call.tool}" if self._fits(facts) else ""

    def _fits(self, facts: CallFacts) -> bool:
        if not self.args and not self.matches:
            return True
        values = list(values_of(facts.call.input))
        for wanted in self.args:
            key, _, glob = wanted.partition("=")
            if not any(name == key and matches_name(text, glob) for name, text in values):
                return False
        return not self.matches or any(
            search_within(self.matches, text, facts.budget) for _, text in values
        )


class CommandPattern(Value):
    """One invocation that meets all of these conditions.

    `programs` are names or globs, or paths of scripts. `operands` stand in this order; the first
    one of a program with subcommands is its subcommand, and `leading` is how many of them stand in
    front of all others. `flags` must be there, in any spelling, and `without` must not; a flag may
    be given with a glob of its value (`--filter=test_*`). What only asks for help never matches.
    Each of `args` matches an operand or the value of a flag, or none where it begins with `!`.
    `a|b` in any of these means either. `no_args` wants no operand beyond those named, `bare` a
    program called by its name alone. `matches` is found in the words, joined by blanks. `env` are
    `NAME=glob`. Of `via`, `remotes`, `hosts`, `branches` and `packages` one must fit; `!glob` takes
    out again.
    """

    kind: ClassVar[str] = "command"
    programs: tuple[str, ...]
    operands: tuple[str, ...] = ()
    flags: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    check: str = ""
    args: tuple[str, ...] = ()
    no_args: bool = False
    bare: bool = False
    matches: str = ""
    env: tuple[str, ...] = ()
    via: tuple[str, ...] = ()
    remotes: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    branches: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    leading: int = 0

    def find(self, facts: CallFacts) -> Iterator[tuple[object, Evidence]]:
        """Find the invocations that match, each with its evidence."""
        for use in facts.commands:
            where, why = f"`{use.invocation.program}`", partial(self._why, use, facts)
            yield from _checked(use, use.invocation.span, where, why)

    def _why(self, use: CommandUse, facts: CallFacts) -> str | None:
        if not any(_is_program(use, wanted) for wanted in self.programs):
            return None
        program, options = use.invocation.program, use.options
        if not all(options.may_have(flag) for flag in self.flags):
            return None
        if any(options.surely_has(flag) for flag in self.without) or self._only_helps(use):
            return None
        if not self._operands_match(program, options) or not self._rest_matches(use):
            return None
        words = use.invocation.argv
        if self.matches and not search_within(self.matches, " ".join(words), facts.budget):
            return None
        found = f"{program} {' '.join((*self.operands, *self.flags))}".strip()
        if not self.check:
            return f"`{found}` is run"
        evidence = CHECKS[self.check](use)
        return f"`{found}`: {evidence}" if evidence else None

    def _only_helps(self, use: CommandUse) -> bool:
        """Return whether an invocation only shows its help."""
        asked = asks_for_help(use.invocation, use.options)
        return asked and not any("-h" in flag for flag in self.flags)

    def _operands_match(self, program: str, options: Options) -> bool:
        given, wanted = options.operands, self.operands
        if self._words_match(program, options, given, wanted):
            return True
        # `pnpm run lint` is `pnpm lint`.
        if can_drop_run(program, [word.text for word in given]):
            given = given[1:]
        if can_drop_run(program, wanted):
            wanted = wanted[1:]
        shorter = (given, wanted) != (options.operands, self.operands)
        return shorter and self._words_match(program, options, given, wanted)

    def _words_match(
        self, program: str, options: Options, words: Sequence[Word], operands: Sequence[str]
    ) -> bool:
        # Of a flag that nobody knows, the next word may be the value.
        maybe_values = {word for _, word in options.values}
        at = 0
        for number, wanted in enumerate(operands):
            first = number == 0 and program in SUBCOMMANDED
            same = partial(options.is_subcommand, program) if first else options.either
            while at < len(words) and not same(words[at].text, wanted):
                if first or (number < self.leading and words[at] not in maybe_values):
                    return False
                at += 1
            if at >= len(words):
                return False
            at += 1
        return not self.no_args or len(words) == len(operands)

    def _rest_matches(self, use: CommandUse) -> bool:
        """Check the less common conditions of a pattern on an invocation."""
        invocation = use.invocation
        if self.bare and (not invocation.words or "/" in invocation.words[0].text):
            return False
        if self.via and not any(chosen(name, self.via) for name in invocation.context.via):
            return False
        if not all(use.options.has_argument(one) for one in self.args):
            return False
        if not all(_is_set(use, one) for one in self.env):
            return False
        named = (
            (self.remotes, remotes_of),
            (self.hosts, hosts_of),
            (tuple(map(normal_name, self.packages)), _packages_of),
        )
        for wanted, found_in in named:
            if wanted and not any(chosen(name, wanted) for name in found_in(use)):
                return False
        return not self.branches or any(
            chooses_branch(name, self.branches) for name in branches_touched(use)
        )


def _is_program(use: CommandUse, wanted: str) -> bool:
    if "/" not in wanted:
        return matches_name(use.invocation.program, wanted)
    path = script_of(use)
    return bool(path) and matches_path(located(use.call, path or ""), wanted)


def _is_set(use: CommandUse, wanted: str) -> bool:
    name, _, glob = wanted.partition("=")
    exported = [
        pair for one in use.script.invocations[: use.invocation.id] for pair in _exports(one)
    ]
    pairs = (*use.invocation.env, *exported)
    return any(one == name and matches_name(value, glob) for one, value in pairs)


def _exports(invocation: Invocation) -> list[tuple[str, str]]:
    return assigned_by(invocation.words) if invocation.program in ("export", "declare") else []


def _packages_of(use: CommandUse) -> list[str]:
    return [normal_name(one.name) for one in installed(use.invocation)]


# What an access of a pattern covers: `write` is every change, `edit` one of the text. A shell
# that loads a file (`source .env`) reads it and shows nothing.
_COVERED: dict[str, tuple[str, ...]] = {
    "read": ("read", "load"),
    "show": ("read",),
    "write": ("write", "create", "delete", "rename"),
    "edit": ("write", "create"),
}
# So many files of a folder are held against the exceptions of a rule.
_MOST_FILES = 200
_DONE = {
    "read": "read",
    "load": "read",
    "write": "written",
    "create": "created",
    "delete": "deleted",
    "rename": "renamed",
}


class PathPattern(Value):
    """A file that is read or changed, by a file tool, a patch or a command.

    `glob` holds one glob a line as a .gitignore would: the last one that matches decides, and
    `!glob` takes out again. `access` says what is done: `read`, `show` (not only loaded by a
    shell), `write` (every change), `edit` (of the text, creating it included), `create`, `delete`,
    `rename`. With a `folder` the globs are
    relative to it and reach only what lies in the repository; an empty one is the repository.
    """

    kind: ClassVar[str] = "path"
    glob: str
    access: tuple[str, ...] = ("read", "write")
    folder: str | None = None

    def find(self, facts: CallFacts) -> Iterator[tuple[object, Evidence]]:
        """Find the files that match, each with its evidence."""
        for use in facts.paths:
            if self._concerns(use):
                for one in self._covered(use, facts):
                    yield one, Evidence(one.span, f"{one.path} is {_DONE[one.access]}")

    @property
    def accesses(self) -> Iterator[str]:
        """Return the kinds of access that this pattern is about."""
        return (access for one in self.access for access in _COVERED.get(one, (one,)))

    def _covered(self, use: PathUse, facts: CallFacts) -> Iterator[PathUse]:
        """Return the file of a use, or the existing files in its folder."""
        exact = facts.reach is not None and use.path == "." and state_limited(use)
        if not exact and covers(use, self.glob, self.folder):
            yield use
        elif facts.reach is not None and facts.reach.may_hold(use, self.glob):
            reached = (
                path for path in facts.reach.of(use) if selects(path, self.glob, self.folder)
            )
            yield from (use._replace(path=one, glob=False) for one in islice(reached, _MOST_FILES))

    def _concerns(self, use: PathUse) -> bool:
        # A pull or a change of branch brings what others did.
        return use.reach != "any" and any(use.access == one for one in self.accesses)

    def spares(self, use: PathUse) -> bool:
        """Return whether a path with wildcards can only mean covered files."""
        return self._concerns(use) and selects(plain_example(use.path), self.glob, self.folder)


class DependencyPattern(Value):
    """A package that is added by a command or in a manifest, `but` not one of those."""

    kind: ClassVar[str] = "dependency"
    name: str
    but: tuple[str, ...] = ()

    def find(self, facts: CallFacts) -> Iterator[tuple[object, Evidence]]:
        """Find the packages that match, each with its evidence."""
        wanted = normal_name(self.name)
        for use in facts.dependencies:
            name = normal_name(use.name)
            anything = facts.doubts and use.name == ANY_PACKAGE
            spared = any(matches_name(name, normal_name(one)) for one in self.but)
            if anything or (matches_name(name, wanted) and not spared):
                yield use, Evidence(use.span, f"{use.name} is added by {use.source}")


class BranchPattern(Value):
    """Something done to a branch: pushed, force-pushed, deleted, committed to, rewritten.

    A push that leaves the branch to Git matches only where the current branch is known. Branches
    that one of `but` names are left alone.
    """

    kind: ClassVar[str] = "branch"
    name: str
    verbs: tuple[Verb, ...] = ("push", "force-push", "delete", "commit", "rewrite")
    but: tuple[str, ...] = ()

    def find(self, facts: CallFacts) -> Iterator[tuple[object, Evidence]]:
        """Find what is done to the branches that match, each with its evidence."""
        for use in facts.branches:
            name = use.name
            if not name or use.verb not in self.verbs or not same_branch(name, self.name):
                continue
            if not any(matches_name(name, one) for one in self.but):
                named = "every branch" if is_every(name) else f"the branch {name}"
                yield use, Evidence(use.span, f"{use.verb} of {named}")


class MessagePattern(Value):
    """A commit message, a title or text of a pull request, or the name of a new branch or tag.

    It matches where `regex` is found, or where `not_regex` is not.
    """

    kind: ClassVar[str] = "message"
    of: tuple[MessageKind, ...] = MESSAGES
    regex: str = ""
    not_regex: str = ""

    def find(self, facts: CallFacts) -> Iterator[tuple[object, Evidence]]:
        """Find the messages that match, each with its evidence."""
        for use in facts.messages:
            if use.kind in self.of:
                where = f"the {use.kind.replace('_', ' ')}"
                why = partial(self._why, use.text, where, facts.budget)
                yield from _checked(use, use.span, where, why)

    def _why(self, text: str, where: str, budget: Budget | None) -> str:
        if self.regex and not search_within(self.regex, text, budget):
            return ""
        out = self.not_regex and search_within(self.not_regex, text, budget)
        return "" if out else f"{where} is {text!r}"


def _checked(
    subject: object, span: Span, where: str, why: Callable[[], str | None]
) -> Iterator[tuple[object, Evidence]]:
    """Return a subject with why it matches, or that this is unknown, if it may match."""
    try:
        told = why()
    except Stopped as fault:
        yield subject, unknown(span, where, fault)
    else:
        if told:
            yield subject, Evidence(span, told)


def search_within(pattern: str, text: str, budget: Budget | None = None) -> bool:
    """Return whether a regex matches in a text; raise `Stopped` if that takes too long."""
    from dmm.rules.content.expressions import literal, search

    if literal(pattern) not in text:
        return False
    if len(text) > MAX_TEXT:
        raise Stopped(f"the text is larger than {MAX_TEXT >> 20} MB")
    return any(True for _ in search(pattern, text, budget or Budget(), by_line=False))
