"""Written files: what the commands of a call write, so that a later command can run it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from dmm.reading import is_device
from dmm.rules.commands.flow import located
from dmm.rules.commands.outputs import combined
from dmm.rules.commands.runs import STANDARD_INPUT, program_of
from dmm.rules.commands.values import Output

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.rules.commands.flow import Evaluation, Flow
    from dmm.rules.commands.values import Redirection, Word

_MAX_FILES = 100
_MAX_TARGETS = 10
_COPIERS = frozenset({"cp", "mv", "ln", "install", "gcp", "gmv", "gln"})
# Options whose value is a file that is filled with something not in this text.
_FILLED = {
    "curl": ("-o", "--output"),
    "wget": ("-O", "--output-document"),
    "openssl": ("-out",),
    "base64": ("-o", "--output"),
    "gpg": ("-o", "--output"),
}


def note_written(
    evaluation: Evaluation,
    flow: Flow,
    number: int,
    words: tuple[Word, ...],
    redirections: tuple[Redirection, ...],
    directory: str,
) -> None:
    """Remember what a command writes to files."""
    written = [one for one in redirections if one.writes][-_MAX_TARGETS:]
    output = flow.output_of(number) if written else Output()
    for one in written:
        if not is_device(one.target.text):
            known = evaluation.written.get(located(one.target.text, directory))
            if ">>" in one.operator:
                before = known or Output(paths=(located(one.target.text, directory),))
                _keep(evaluation, one.target, directory, combined([before, output]))
            else:
                _keep(evaluation, one.target, directory, output)
    if words:
        _by_program(evaluation, flow, number, words, directory)


def _keep(evaluation: Evaluation, target: Word, directory: str, output: Output) -> None:
    if not target.expands and len(evaluation.written) < _MAX_FILES:
        evaluation.written[located(target.text, directory)] = output


def _by_program(
    evaluation: Evaluation, flow: Flow, number: int, words: Sequence[Word], directory: str
) -> None:
    program = program_of(words[0])
    operands = [word for word in words[1:] if not word.text.startswith("-")]
    if program == "tee":
        for word in operands:
            _keep(evaluation, word, directory, flow.input_of(number))
    elif program in _COPIERS and len(operands) > 1:
        source = located(operands[0].text, directory)
        output = evaluation.written.get(source) or Output(paths=(source,))
        output = flow.input_of(number) if source in STANDARD_INPUT else output
        _keep(evaluation, _inside(operands[-1], source), directory, output)
    elif program in ("sed", "gsed", "perl", "ruby") and _in_place(words):
        for word in operands:
            _keep(evaluation, word, directory, Output(made=program))
    else:
        for word in _filled(program, words):
            _keep(evaluation, word, directory, Output(made=program))


def _filled(program: str, words: Sequence[Word]) -> list[Word]:
    """Name the files that a program fills with something not in this text."""
    if program == "dd":
        named = [word for word in words[1:] if word.text.startswith("of=")]
        return [word._replace(text=word.text.removeprefix("of=")) for word in named]
    flags = _FILLED.get(program, ())
    return [word for flag, word in pairwise(words[1:]) if flag.text in flags]


def _inside(target: Word, source: str) -> Word:
    """Name the copy where the target is plainly a folder."""
    if target.text.endswith("/") or target.text in (".", ".."):
        return target._replace(text=f"{target.text.rstrip('/')}/{source.rpartition('/')[2]}")
    return target


def _in_place(words: Sequence[Word]) -> bool:
    return any(word.text.startswith(("-i", "-pi", "--in-place")) for word in words[1:])
