"""Text checks that memory and rule files share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.hidden import find_hidden
from dmm.domain.isolation import find_terms
from dmm.domain.markers import WAY_OUT, WHAT, find_marker
from dmm.domain.report import Finding
from dmm.files import markdown

if TYPE_CHECKING:
    from dmm.errors import MemoryFileError


def describe_fault(fault: MemoryFileError, *, fixable: bool = False) -> Finding:
    """Report what keeps a file from being read as a memory."""
    return Finding(
        fault.path, "error", fault.fault, fault.what, fault.line, fault.hint, fixable=fixable
    )


def check_markers(path: str, text: str) -> list[Finding]:
    """Refuse a text with conflict markers."""
    line = find_marker(text)
    return [] if line is None else [Finding(path, "error", "merge_conflict", WHAT, line, WAY_OUT)]


def check_isolation(path: str, text: str, terms: tuple[str, ...]) -> list[Finding]:
    """Refuse terms banned from this repository, in a memory's text and in its name."""
    hint = "rewrite it without the term (validation.isolation_terms)"
    found: list[tuple[str, int | None]] = [(term, None) for term, _ in find_terms(path, terms)]
    found += find_terms(text, terms)
    return [
        Finding(path, "error", "isolation", f"contains the term {term!r}", line, hint)
        for term, line in found
    ]


def check_characters(path: str, text: str, *, fixable: bool = False) -> list[Finding]:
    """Warn of a byte order mark and of characters that a reader can't see."""
    findings = []
    if text.startswith(markdown.BOM):
        message = "begins with a byte order mark"
        hint = "save it as UTF-8 without one"
        findings.append(
            Finding(path, "warning", "byte_order_mark", message, 1, hint, fixable=fixable)
        )
    plain = markdown.plain(text)
    hidden = find_hidden(plain)
    if hidden:
        first = min(hidden)
        message = f"invisible or reordering characters: {', '.join(sorted(set(hidden[first])))}"
        hint = "remove them; packs show their codes instead"
        findings.append(Finding(path, "warning", "hidden_characters", message, first, hint))
    return findings
