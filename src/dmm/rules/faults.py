"""Check rule files, each by itself and all together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.domain.report import Finding
from dmm.errors import MemoryFileError
from dmm.files import markdown
from dmm.files.texts import check_characters, check_isolation, describe_fault
from dmm.reading import read_regular
from dmm.rules.authorship import Likeness, name_way_out
from dmm.rules.callbook import CallBook, CallEntry
from dmm.rules.commands.procedures import PROCEDURE_CHECKS
from dmm.rules.explain import describe_call
from dmm.rules.folder import MAX_BYTES, find_doubles, list_rule_files
from dmm.rules.patterns import CommandPattern
from dmm.rules.rule import Example
from dmm.rules.source import find_failures, read_rule, try_example
from dmm.rules.syntax import blocked_example

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from dmm.rules.commands.facts import ToolCall
    from dmm.rules.needs import Need
    from dmm.rules.rule import Rule

Files = dict[str, bytes | None]


def find_rule_files(root: Path) -> Files:
    """Return the rule files of a .dmm folder; None for one that can't be read."""
    files: Files = {}
    for path in sorted(list_rule_files(root)):
        try:
            files[path] = read_regular(root / path, MAX_BYTES)[0]
        except OSError:
            files[path] = None
    return files


def find_broken(files: Mapping[str, bytes | None]) -> Iterator[Finding]:
    """Return the files that can't be read as rules; examples are not run."""
    for path, data in files.items():
        try:
            read_rule(path, decode_rule(path, data))
        except MemoryFileError as fault:
            yield describe_fault(fault)


def check_rule_files(
    files: Mapping[str, bytes | None], terms: tuple[str, ...] = ()
) -> Iterator[Finding]:
    """Check rule files completely; return each fault with its line."""
    rules: dict[str, Rule] = {}
    for path, data in files.items():
        try:
            text = decode_rule(path, data)
            yield from check_characters(path, text)
            yield from check_isolation(path, text, terms)
            rules[path] = read_rule(path, text)
            yield from map(describe_fault, find_failures(path, text))
        except MemoryFileError as fault:
            yield describe_fault(fault)
    yield from _check_ids(rules)
    yield from _check_twins(rules)
    yield from _check_clashes(rules)


def decode_rule(path: str, data: bytes | None) -> str:
    """Return the text of a rule file that could be read."""
    if data is None:
        what = f"it is not a regular file of at most {MAX_BYTES >> 10} KiB"
        raise MemoryFileError(path, "io", what)
    return markdown.decode(path, data)


def _check_ids(rules: Mapping[str, Rule]) -> Iterator[Finding]:
    for fault in find_doubles((path, rule.id) for path, rule in rules.items()):
        yield Finding(fault.path, "error", "duplicate_id", fault.what, hint=fault.hint)


def _check_twins(rules: Mapping[str, Rule]) -> Iterator[Finding]:
    """Report files with the same matcher, or with the same sentence and no matcher."""
    first: dict[str, str] = {}
    for path, rule in rules.items():
        other = first.setdefault(_meaning(rule), path)
        if other != path:
            message = f"the same rule as {other}"
            yield Finding(path, "warning", "same_rule", message, hint="keep one of them")


def _check_clashes(rules: Mapping[str, Rule]) -> Iterator[Finding]:
    """Report rules that contradict each other."""
    paths = {rule.id: path for path, rule in rules.items()}
    for one in clashes(rules.values()):
        message = f"it contradicts {paths[one.other]}: {one.what}"
        hint = "change one of them, or add an exception"
        yield Finding(paths[one.rule], "warning", "clash", message, hint=hint)


def _meaning(rule: Rule) -> str:
    if rule.call is None:
        return " ".join(rule.title.casefold().split())
    typed = rule.call
    return repr((typed.patterns, typed.exceptions, typed.needs, rule.level, rule.folder))


@dataclass(frozen=True, slots=True)
class Clash:
    """Two contradictory rules: one requires or shows as allowed what the other forbids."""

    rule: str
    other: str
    what: str


def clashes(rules: Iterable[Rule], about: Rule | None = None) -> list[Clash]:
    """Return the pairs of rules that nobody can follow; `about` limits them to one rule."""
    held = [one for one in rules if not one.disabled]
    # All that forbid in one book, each by its place: a call is then read once, not once a rule.
    entries = [
        CallEntry(number, one.title, one.call, typed=True)
        for number, one in enumerate(held)
        if one.call is not None and _forbids(one)
    ]
    book = CallBook(entries)
    own = CallBook(one for one in entries if held[one.seq] is about)
    found = list(_other_ways(held))
    for number, rule in enumerate(held):
        against = _find_against(rule, book if about in (None, rule) else own)
        others = sorted(against.keys() - {number})
        found += [Clash(rule.id, held[one].id, against[one]) for one in others]
    return found


def _other_ways(rules: Iterable[Rule]) -> Iterator[Clash]:
    """Yield rules that stop the same calls but name different replacements."""
    first: dict[str, Rule] = {}
    for rule in (one for one in rules if name_way_out(one.title)):
        own = Likeness.of(rule.title, rule.call, rule.folder)
        for pattern in rule.call.patterns if rule.call and not rule.call.needs else ():
            other = first.setdefault(repr((pattern, rule.folder)), rule)
            way = own.find_other_way(Likeness.of(other.title, other.call, other.folder))
            if way:
                yield Clash(rule.id, other.id, f"{other.id} stops the same and says to use {way}")
                break


def _forbids(rule: Rule) -> bool:
    """Return whether a rule denies regardless of earlier steps."""
    return rule.level == "deny" and rule.call is not None and not rule.call.needs


def _find_against(rule: Rule, book: CallBook) -> dict[int, str]:
    """Return what other rules deny of the calls that a rule requires or shows as allowed."""
    found: dict[int, str] = {}
    for need in rule.call.needs if rule.call else ():
        ways = list(_ways(need))
        for other in _denied_by(book, ways):
            found.setdefault(other, f"it requires `{describe_call(ways[0])}`, which is denied")
    steps = [one.call for example in rule.allow for one in example.after]
    for other in _denied_by(book, steps):
        found.setdefault(other, f"it shows `{describe_call(steps[0])}` as the way, which is denied")
    calls = [example.call for example in rule.allow]
    for other in _denied_by(book, calls):
        found.setdefault(other, f"it shows `{describe_call(calls[0])}` as allowed, which is denied")
    return found


def _ways(need: Need) -> Iterator[ToolCall]:
    """Return a call for each way to do a required step."""
    for pattern in need.patterns:
        if isinstance(pattern, CommandPattern) and pattern.check in PROCEDURE_CHECKS:
            continue
        yield blocked_example(pattern, ())


def _denied_by(book: CallBook, calls: Sequence[ToolCall]) -> set[int]:
    """Return the rules that deny every one of some calls."""
    denying: set[int] | None = None
    for call in calls:
        findings = try_example(book, Example(call, "")).findings
        these = {one.seq for one in findings if one.level == "deny"}
        denying = these if denying is None else denying & these
        if not denying:
            break
    return denying or set()
