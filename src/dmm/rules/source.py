"""Read the text of a rule file and run its examples.

Every fault has its file and line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal

from dmm.errors import MemoryFileError, RuleFormError, name_place
from dmm.files.rules import parse_rule
from dmm.rules.callbook import LEVELS, CallBook, CallEntry
from dmm.rules.commands.reach import FileTable
from dmm.rules.form import compile_fields
from dmm.rules.needs import done_by_call
from dmm.rules.patterns import PathPattern

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.rules.callbook import Ruling
    from dmm.rules.formvalues import Place
    from dmm.rules.language.rules import Rule as WordRule
    from dmm.rules.needs import Done
    from dmm.rules.rule import Example, Rule, State

# A large project's rules, in the texts that a few branches have.
TEXTS_KEPT = 4_096
# All files, and then only names of single ones that are taken out again.
_ALL_BUT = re.compile(r"\*\*(?:\n![^*\n]+)+\Z")


@lru_cache(maxsize=TEXTS_KEPT)
def read_rule(path: str, source: str) -> Rule:
    """Return the rule of a file's text, without running its examples."""
    text = parse_rule(path, source)
    stem = PurePosixPath(path).stem
    try:
        return compile_fields(text.fields, text.title, text.body, stem)
    except RuleFormError as error:
        named = name_place(error.place)
        what = f"{named}: {error.what}" if named and named not in error.what else error.what
        line = text.line_of(error.place)
        raise MemoryFileError(path, "schema", what, line=line, hint=error.hint) from error


@lru_cache(maxsize=TEXTS_KEPT)
def find_failures(path: str, source: str) -> tuple[MemoryFileError, ...]:
    """Run a rule's examples and return those that fail."""
    rule = read_rule(path, source)
    found = prove(rule)
    lines = parse_rule(path, source) if found else None
    hint = "correct the example or what the rule matches"
    return tuple(
        MemoryFileError(
            path,
            "content",
            f"examples.{one.kind}: {one.example!r}: {one.what}",
            line=None if lines is None else lines.line_of(one.place),
            hint=hint,
        )
        for one in found
    )


def check_rule(path: str, source: str) -> Rule:
    """Return the rule of a file's text, or raise an error if its examples fail."""
    rule = read_rule(path, source)
    for fault in find_failures(path, source):
        raise fault
    return rule


@lru_cache(maxsize=TEXTS_KEPT)
def read_sentence(title: str) -> WordRule | None:
    """Return a rule's sentence compiled for decisions, or None."""
    # English takes long to load, and calls are judged without it.
    from dmm.rules.language.compile import compile_rule

    return compile_rule(title).rule


def judge_words(rule: Rule) -> WordRule | None:
    """Return how a rule's sentence judges decisions; one that only advises judges none."""
    return read_sentence(rule.title) if rule.binds and not rule.disabled else None


def spares_only_files(rule: Rule) -> bool:
    """Return whether a rule stops every change except to some files.

    "Only update `en.yml`" stands under "Translations"; taken by itself it would stop all work.
    """
    patterns = rule.call.patterns if rule.call is not None else ()
    return any(isinstance(one, PathPattern) and _ALL_BUT.match(one.glob) for one in patterns)


def state_of_rule(rule: Rule) -> State:
    """Return what a rule does."""
    if rule.call is not None:
        return rule.state(judges_decisions=False)
    return rule.state(judges_decisions=judge_words(rule) is not None)


@dataclass(frozen=True, slots=True)
class Failure:
    """A failed example: its place, and what the rule did instead."""

    kind: Literal["block", "allow"]
    number: int
    example: str
    what: str

    @property
    def place(self) -> Place:
        """The field of the example."""
        return ("examples", self.kind, self.number)


def prove(rule: Rule) -> tuple[Failure, ...]:
    """Run a rule's examples and return the failures."""
    if rule.call is None:
        return ()
    book = CallBook([CallEntry(1, rule.title, rule.call, typed=True)])
    failures = [
        Failure("block", number, one.text, "it is let through")
        for number, one in enumerate(rule.block)
        if not _stops(try_example(book, one))
    ]
    failures += [
        Failure("allow", number, one.text, f"it is stopped: {_why(found)}")
        for number, one in enumerate(rule.allow)
        if _stops(found := try_example(book, one))
    ]
    return tuple(failures)


def _stops(ruling: Ruling) -> bool:
    """Return whether a call is denied, asked about or warned about."""
    return LEVELS.index(ruling.level) > 0


def _why(ruling: Ruling) -> str:
    """Return why a call is stopped; the rule itself is known here."""
    return ruling.findings[0].reason if ruling.findings else ruling.reason


def try_example(book: CallBook, example: Example) -> Ruling:
    """Return the ruling on an example, with its earlier steps and files."""
    files = dict(example.files)
    tree = FileTable(tuple(files))
    return book.rule(example.call, lambda *_: _done(example), files.get, tree=tree)


def _done(example: Example) -> Sequence[Done]:
    return [
        done_by_call(number, one.call, one.output, one.exit)
        for number, one in enumerate(example.after, start=1)
    ]
