"""Shell: the text that redirections, `tee` and patches of a command line put into files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.commands.flow import located
from dmm.rules.commands.outputs import own_output
from dmm.rules.commands.patches import is_patching
from dmm.rules.commands.values import Output
from dmm.rules.content.changes import Change, FileChange
from dmm.rules.content.patching import patch_changes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.rules.commands.facts import CommandUse
    from dmm.rules.commands.values import Invocation, Script, Word

_MAX_STAGES = 5
_PRINTED = 20_000
_REPLACEMENT = re.compile(
    r"(?:^|[;\n{])\s*[^;\n{]*?s([/|#,@])((?:\\.|(?!\1).)*)\1((?:\\.|(?!\1).)*)\1"
)


def shell_changes(use: CommandUse) -> Iterator[FileChange]:
    """Read what one command writes to files, as far as the command line holds the text."""
    invocation = use.invocation
    program = invocation.program
    directory = invocation.context.directory
    if is_patching(invocation.argv):
        yield from _patched(use)
        return
    if program in ("sed", "gsed"):
        yield from _substituted(invocation)
    targets = [(one.target, ">>" in one.operator) for one in invocation.redirections if one.writes]
    text = _printed(invocation, use.script) if targets else None
    if program == "tee":
        append = any(word.text in ("-a", "--append") for word in invocation.words[1:])
        operands = [word for word in invocation.words[1:] if not word.text.startswith("-")]
        targets += [(word, append) for word in operands]
        text = _given(invocation, use.script, 0).text
    if text is None:
        return
    for target, append in targets:
        path = located(target.text, directory)
        if not target.expands and not path.startswith("/dev/"):
            yield FileChange(path, text, append=append)


def _patched(use: CommandUse) -> Iterator[FileChange]:
    invocation = use.invocation
    texts = [word.text for word in invocation.words[1:]]
    texts.append(_given(invocation, use.script, 0).text or "")
    for text in texts:
        for change in patch_changes(text) if "\n" in text else ():
            directory = invocation.context.directory
            source = located(change.source, directory) if change.source else ""
            yield change._replace(path=located(change.path, directory), source=source)


def _printed(invocation: Invocation, script: Script, stage: int = 0) -> str | None:
    """Give what a command prints, as far as its own words tell."""
    if invocation.program in ("echo", "printf"):
        length = sum(len(word.text) for word in invocation.words)
        if length >= _PRINTED:
            # The reader of commands keeps the beginning alone.
            return " ".join(invocation.argv[1:])
    output = own_output(
        invocation.words, invocation.redirections, lambda: _given(invocation, script, stage)
    )
    return output.text if output is not None and not output.paths else None


def _given(invocation: Invocation, script: Script, stage: int) -> Output:
    for one in reversed(invocation.redirections):
        if one.body is not None:
            return Output(one.body)
    if stage >= _MAX_STAGES or not invocation.context.piped_from:
        return Output()
    before = [
        script.invocations[number]
        for pipeline, place in invocation.context.places
        for other, number in script.pipelines.get(pipeline, ())
        if other == place - 1
    ]
    texts = [_printed(one, script, stage + 1) for one in before]
    known = [text for text in texts if text is not None]
    return Output("".join(known)) if known else Output()


def _substituted(invocation: Invocation) -> Iterator[FileChange]:
    """Take the replacement of `sed -i s/…/…/` as text that is added."""
    words = invocation.words[1:]
    if not any(re.match(r"-[a-zA-Z]*i|--in-place", word.text) for word in words):
        return
    plain = [word for word in words if not word.text.startswith("-") and word.text]
    scripts = [word for word in plain if _REPLACEMENT.search(word.text)]
    new = [found[3] for word in scripts for found in _REPLACEMENT.finditer(word.text)]
    steps = tuple(Change("", re.sub(r"\\(.)", r"\1", text)) for text in new)
    for word in _files(plain, scripts) if steps else ():
        yield FileChange(located(word.text, invocation.context.directory), steps=steps)


def _files(words: list[Word], scripts: list[Word]) -> list[Word]:
    return [word for word in words if word not in scripts and not word.expands]
