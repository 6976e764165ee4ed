"""Code on a command line that changes files: the texts in it, and those it puts in."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.commands.edits import Change, FileChange
from dmm.rules.commands.flow import located
from dmm.rules.commands.scanner import unescape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.rules.commands.values import Invocation, Word

_LITERAL = re.compile(
    r"""(?s)(?P<told>\b(?:print|puts|console\.\w+)\s*\(?\s*[rbfuRBFU]{0,2})?"""
    r'''("""|\'\'\'|["'`])((?:\\.|(?!\2).)*?)\2'''
)
_REPLACEMENT = re.compile(
    r"(?:^|[;\n{])\s*[^;\n{]*?s([/|#,@])((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1"
)
# `a`, `i` and `c` put a line of text at a place.
_INSERTION = re.compile(r"(?:^|[\d$/;{])\s*[aic](?:\\\s*|\s+)([^\n]+)")
_SED = frozenset({"sed", "gsed"})


def texts_in_code(code: str) -> list[str]:
    """List the texts that stand in a piece of code, but not those that it only prints."""
    return [unescape(one[3]) for one in _LITERAL.finditer(code) if not one["told"] and one[3]]


def replaced(invocation: Invocation) -> Iterator[FileChange]:
    """Take the replacement of `sed -i s/…/…/` or `perl -pi -e` as text that is added."""
    if invocation.program not in _SED and invocation.program != "perl":
        return
    words = invocation.words[1:]
    if not any(re.match(r"-[a-zA-Z]*i|--in-place", word.text) for word in words):
        return
    plain = [word for word in words if not word.text.startswith("-") and word.text]
    scripts = [word for word in plain if _added(invocation.program, word.text)]
    new = [text for word in scripts for text in _added(invocation.program, word.text)]
    steps = tuple(Change("", re.sub(r"\\(.)", r"\1", text)) for text in new)
    for word in _files(plain, scripts) if steps else ():
        yield FileChange(located(word.text, invocation.context.directory), steps=steps)


def _added(program: str, script: str) -> list[str]:
    found = [one[3] for one in _REPLACEMENT.finditer(script)]
    if not found and program in _SED:
        found = [one[1] for one in _INSERTION.finditer(script)]
    return found


def _files(words: list[Word], scripts: list[Word]) -> list[Word]:
    return [word for word in words if word not in scripts and not word.expands]
