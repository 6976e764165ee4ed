"""Shell: the text that the commands of a command line put into files."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from dmm.reading import is_device
from dmm.rules.commands.edits import Change, FileChange
from dmm.rules.commands.flow import located
from dmm.rules.commands.patches import patch_changes, patches_of
from dmm.rules.commands.scanner import unescape
from dmm.rules.commands.tools import is_patching
from dmm.rules.commands.written import moves

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.rules.commands.facts import CommandUse
    from dmm.rules.commands.scripts import TextOf
    from dmm.rules.commands.values import Invocation, Write

_BY_CODE = "the code may write other text there"
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


def shell_changes(use: CommandUse, files: TextOf | None) -> Iterator[FileChange]:
    """Read what one command writes to files, as far as the command line tells the text."""
    if is_patching(use.invocation.argv):
        yield from _patched(use, files)
        return
    yield from _replaced(use.invocation)
    yield from _by_code(use)
    for write in use.script.writes.get(use.invocation.id, ()):
        yield from _change(use, write)


def _change(use: CommandUse, write: Write) -> Iterator[FileChange]:
    path, output, append = write
    if output.text is not None and output.more:
        # Other output comes with it, so it is not all that the file holds.
        yield FileChange(path, steps=(Change("", output.text),))
    elif moves(use.invocation):
        yield from (FileChange(path, source=one, access="rename") for one in output.paths)
    elif output.text is not None or output.paths:
        yield FileChange(path, output.text or "", append=append, copied=output.paths)


def _by_code(use: CommandUse) -> Iterator[FileChange]:
    """Take the texts in a piece of code as what it may write to the files that it opens."""
    parent = use.invocation.context.parent
    if use.invocation.words or parent is None:
        return
    runner = use.script.invocations[parent]
    code = [*runner.argv[1:], use.script.input_of(runner).text or ""]
    found = _texts_in_code("\n".join(code))
    for one in use.invocation.redirections:
        path = located(one.target.text, use.invocation.context.directory)
        text = "\n".join(text for text in found if text != one.target.text)
        if one.writes and text and not one.target.expands and not is_device(path):
            yield FileChange(path, steps=(Change("", text),), doubt=_BY_CODE)


def _patched(use: CommandUse, files: TextOf | None) -> Iterator[FileChange]:
    directory = use.invocation.context.directory
    for text in patches_of(use, files):
        for change in patch_changes(text):
            source = located(change.source, directory) if change.source else ""
            yield change._replace(path=located(change.path, directory), source=source)


@lru_cache(maxsize=8)
def _texts_in_code(code: str) -> tuple[str, ...]:
    """List the texts that stand in a piece of code, but not those that it only prints."""
    found = (one for one in _LITERAL.finditer(code) if not one["told"] and one[3])
    return tuple(unescape(one[3]) for one in found)


def _replaced(invocation: Invocation) -> Iterator[FileChange]:
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
    for word in plain:
        if steps and word not in scripts and not word.expands:
            yield FileChange(located(word.text, invocation.context.directory), steps=steps)


def _added(program: str, script: str) -> list[str]:
    found = [one[3] for one in _REPLACEMENT.finditer(script)]
    if not found and program in _SED:
        found = [one[1] for one in _INSERTION.finditer(script)]
    return found
