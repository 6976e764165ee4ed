"""Shell: the text that redirections, copies, `tee` and patches of a command line put into files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.reading import is_device
from dmm.rules.commands.flow import located
from dmm.rules.commands.outputs import NOTHING, combined, own_output
from dmm.rules.commands.patches import is_patching
from dmm.rules.commands.values import Output
from dmm.rules.content.changes import Change, FileChange
from dmm.rules.content.coded import replaced, texts_in_code
from dmm.rules.content.copies import copies
from dmm.rules.content.grouped import grouped
from dmm.rules.content.patching import patch_changes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.rules.commands.facts import CommandUse
    from dmm.rules.commands.values import Invocation, Script, Word

    Target = tuple[Word, bool]

_MAX_STAGES = 5
_PRINTED = 20_000
_BY_CODE = "the code may write other text there"


def shell_changes(use: CommandUse) -> Iterator[FileChange]:
    """Read what one command writes to files, as far as the command line tells the text."""
    invocation = use.invocation
    if is_patching(invocation.argv):
        yield from _patched(use)
        return
    yield from replaced(invocation)
    yield from copies(use)
    targets = _targets(invocation)
    if not targets:
        return
    if not invocation.words and invocation.context.parent is not None:
        yield from _by_code(use, targets)
        return
    output = _written(use)
    for target, append in targets:
        path = located(target.text, invocation.context.directory)
        if not target.expands and not is_device(path):
            yield from _change(invocation, path, output, append=append)


def _targets(invocation: Invocation) -> list[Target]:
    found = [(one.target, ">>" in one.operator) for one in invocation.redirections if one.writes]
    words = invocation.words[1:]
    if invocation.program in ("tee", "sponge"):
        append = any(word.text in ("-a", "--append") for word in words)
        found += [(word, append) for word in words if not word.text.startswith("-")]
    if invocation.program == "dd" and not any(word.text.startswith("if=") for word in words):
        outputs = [word for word in words if word.text.startswith("of=")]
        found += [(word._replace(text=word.text[3:]), False) for word in outputs]
    return found


def _change(
    invocation: Invocation, path: str, output: Output, *, append: bool
) -> Iterator[FileChange]:
    if output.text is not None and output.more:
        # Other output comes with it, so it is not all that the file holds.
        yield FileChange(path, steps=(Change("", output.text),))
    elif output.text is not None or output.paths:
        copied = tuple(located(one, invocation.context.directory) for one in output.paths)
        yield FileChange(path, output.text or "", append=append, copied=copied)


def _written(use: CommandUse) -> Output:
    """Give what goes to the targets of a command: its output, or that of a group before it."""
    invocation, script = use.invocation, use.script
    if invocation.program in ("tee", "sponge", "dd"):
        return _given(invocation, script, 0)
    inner = None if invocation.words else grouped(invocation, script)
    if inner is None:
        return _printed(invocation, script)
    return combined([_printed(one, script) for one in inner]) if inner else NOTHING


def _by_code(use: CommandUse, targets: list[Target]) -> Iterator[FileChange]:
    """Take the texts in a piece of code as what it may write to the files that it opens."""
    runner = use.script.invocations[use.invocation.context.parent or 0]
    code = [word.text for word in runner.words[1:]]
    code.append(_given(runner, use.script, 0).text or "")
    found = texts_in_code("\n".join(code))
    for target, _ in targets:
        steps = tuple(Change("", text) for text in found if text != target.text)
        path = located(target.text, use.invocation.context.directory)
        if steps and not target.expands and not is_device(path):
            yield FileChange(path, steps=steps, doubt=_BY_CODE)


def _patched(use: CommandUse) -> Iterator[FileChange]:
    invocation = use.invocation
    texts = [word.text for word in invocation.words[1:]]
    texts.append(_given(invocation, use.script, 0).text or "")
    for text in texts:
        for change in patch_changes(text) if "\n" in text else ():
            directory = invocation.context.directory
            source = located(change.source, directory) if change.source else ""
            yield change._replace(path=located(change.path, directory), source=source)


def _printed(invocation: Invocation, script: Script, stage: int = 0) -> Output:
    """Give what a command prints, as far as its own words tell."""
    if invocation.program in ("echo", "printf"):
        length = sum(len(word.text) for word in invocation.words)
        if length >= _PRINTED:
            # The reader of commands keeps the beginning alone.
            return Output(" ".join(invocation.argv[1:]))
    output = own_output(
        invocation.words, invocation.redirections, lambda: _given(invocation, script, stage)
    )
    return output or Output()


def _given(invocation: Invocation, script: Script, stage: int) -> Output:
    for one in reversed(invocation.redirections):
        if one.body is not None:
            return Output(one.body)
        if one.reads and not one.target.expands:
            return Output(paths=(one.target.text,))
    if stage >= _MAX_STAGES or not invocation.context.piped_from:
        return Output()
    before = [
        script.invocations[number]
        for pipeline, place in invocation.context.places
        for other, number in script.pipelines.get(pipeline, ())
        if other == place - 1
    ]
    outputs = [_printed(one, script, stage + 1) for one in before]
    known = [one for one in outputs if one.text is not None or one.paths]
    return combined(known) if known else Output()
