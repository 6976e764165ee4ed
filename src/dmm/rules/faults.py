"""Rule files as they stand, checked: each by itself, and all of them side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.report import Finding
from dmm.errors import MemoryFileError
from dmm.files import markdown
from dmm.files.texts import check_characters, check_isolation, describe_fault
from dmm.reading import read_regular
from dmm.rules.clashes import clashes
from dmm.rules.folder import MAX_BYTES, list_rule_files
from dmm.rules.source import find_failures, read_rule

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from dmm.rules.rule import Rule

Files = dict[str, bytes | None]


def find_rule_files(root: Path) -> Files:
    """Read the rule files of a .dmm folder as they stand; None for one that can't be read."""
    files: Files = {}
    for path in sorted(list_rule_files(root)):
        try:
            files[path] = read_regular(root / path, MAX_BYTES)[0]
        except OSError:
            files[path] = None
    return files


def find_broken(files: Mapping[str, bytes | None]) -> Iterator[Finding]:
    """Name the files that can't be read as rules; their examples are not tried."""
    for path, data in files.items():
        try:
            read_rule(path, decode_rule(path, data))
        except MemoryFileError as fault:
            yield describe_fault(fault)


def check_rule_files(
    files: Mapping[str, bytes | None], terms: tuple[str, ...] = ()
) -> Iterator[Finding]:
    """Check everything about rule files, with the line of each fault."""
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
        what = f"it is no regular file of at most {MAX_BYTES >> 10} KiB"
        raise MemoryFileError(path, "io", what)
    return markdown.decode(path, data)


def _check_ids(rules: Mapping[str, Rule]) -> Iterator[Finding]:
    first: dict[str, str] = {}
    for path, rule in rules.items():
        other = first.setdefault(rule.id, path)
        if other != path:
            message = f"the id '{rule.id}' is also used by {other}"
            yield Finding(path, "error", "duplicate_id", message, hint="give it another id")


def _check_twins(rules: Mapping[str, Rule]) -> Iterator[Finding]:
    """Name files that say the same: the same matcher, or the same sentence without one."""
    first: dict[str, str] = {}
    for path, rule in rules.items():
        other = first.setdefault(_meaning(rule), path)
        if other != path:
            message = f"the same rule as {other}"
            yield Finding(path, "warning", "same_rule", message, hint="keep one of them")


def _check_clashes(rules: Mapping[str, Rule]) -> Iterator[Finding]:
    """Name rules that can't both hold."""
    paths = {rule.id: path for path, rule in rules.items()}
    for one in clashes(rules.values()):
        message = f"it can't hold beside {paths[one.other]}: {one.what}"
        hint = "change one of them, or add an exception"
        yield Finding(paths[one.rule], "warning", "clash", message, hint=hint)


def _meaning(rule: Rule) -> str:
    if rule.call is None:
        return " ".join(rule.title.casefold().split())
    typed = rule.call
    return repr((typed.patterns, typed.exceptions, typed.needs, rule.level, rule.folder))
