"""A rule held against its own examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dmm.rules.callbook import LEVELS, CallBook, CallEntry
from dmm.rules.commands.reach import FileTable
from dmm.rules.needs import done_by_call

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.rules.callbook import Ruling
    from dmm.rules.formvalues import Place
    from dmm.rules.needs import Done
    from dmm.rules.rule import Example, Rule


@dataclass(frozen=True, slots=True)
class Failure:
    """An example that does not hold: where it stands, and what the rule did instead."""

    kind: Literal["block", "allow"]
    number: int
    example: str
    what: str

    @property
    def place(self) -> Place:
        """The field of the example."""
        return ("examples", self.kind, self.number)


def prove(rule: Rule) -> tuple[Failure, ...]:
    """Run a rule's own examples; what is returned does not hold."""
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
    """Whether a call is not simply let through; a rule that warns matches its examples too."""
    return LEVELS.index(ruling.level) > 0


def _why(ruling: Ruling) -> str:
    """Return why a call is stopped; the rule itself is known here."""
    return ruling.findings[0].reason if ruling.findings else ruling.reason


def try_example(book: CallBook, example: Example) -> Ruling:
    """Rule on an example with what it says was done before, and the files that exist."""
    files = dict(example.files)
    tree = FileTable(tuple(files))
    return book.rule(example.call, lambda *_: _done(example), files.get, tree=tree)


def _done(example: Example) -> Sequence[Done]:
    return [
        done_by_call(number, one.call, one.output, one.exit)
        for number, one in enumerate(example.after, start=1)
    ]
