"""Written files: what the commands of a call write, so that others can run or search it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from dmm.reading import is_device
from dmm.rules.commands.flow import located
from dmm.rules.commands.operands import arriving, parted
from dmm.rules.commands.options import read_options
from dmm.rules.commands.outputs import combined
from dmm.rules.commands.runs import STANDARD_INPUT, program_of
from dmm.rules.commands.values import Output, Write

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dmm.rules.commands.flow import Evaluation, Flow
    from dmm.rules.commands.values import Invocation, Word

_MAX_FILES = 100
_MAX_TARGETS = 10
_COPIERS = frozenset({"cp", "mv", "ln", "install", "ditto", "gcp", "gmv", "gln"})
_MOVERS = frozenset({"mv", "gmv"})
_PASSING = frozenset({"tee", "sponge"})
# Options whose value is a file that is filled with something not in this text.
_FILLED = {
    "curl": ("-o", "--output"),
    "wget": ("-O", "--output-document"),
    "openssl": ("-out",),
    "base64": ("-o", "--output"),
    "gpg": ("-o", "--output"),
}


def _written_by(
    invocation: Invocation, flow: Flow, number: int, *, carried: bool
) -> Iterator[tuple[Word, Output, bool]]:
    """Return the files that an invocation writes, what it writes, and whether to their end."""
    written = [] if carried else [one for one in invocation.redirections if one.writes]
    for one in written[-_MAX_TARGETS:]:
        yield one.target, flow.output_of(number), ">>" in one.operator
    words = invocation.words
    program = program_of(words[0]) if words else ""
    operands = [word for word in words[1:] if not word.text.startswith("-")]
    if program in _PASSING:
        append = any(word.text in ("-a", "--append") for word in words)
        yield from ((word, flow.input_of(number), append) for word in operands)
    elif program in _COPIERS or moves(invocation):
        yield from _copied(invocation, flow, number)
    elif program == "dd":
        named = {word.text.partition("=")[0]: word for word in words[1:]}
        if "of" in named:
            source = named["if"].text[3:] if "if" in named else ""
            output = Output(paths=(source,)) if source else flow.input_of(number)
            yield named["of"]._replace(text=named["of"].text[3:]), output, False
    elif program in ("sed", "gsed", "perl", "ruby") and _in_place(words):
        yield from ((word, Output(made=program), False) for word in operands)
    else:
        flags = _FILLED.get(program, ())
        filled = [word for flag, word in pairwise(words[1:]) if flag.text in flags]
        yield from ((word, Output(made=program), False) for word in filled)


def note_written(
    evaluation: Evaluation, invocation: Invocation, flow: Flow, number: int, *, carried: bool
) -> Iterator[Write]:
    """Remember what an invocation writes to files, and give it.

    A program that is `carried` by another one has the redirections of that one: they count once.
    """
    directory = invocation.context.directory
    for target, output, append in _written_by(invocation, flow, number, carried=carried):
        path = located(target.text, directory)
        if target.expands or is_device(path):
            continue
        paths = tuple(located(one, directory) for one in output.paths)
        known = evaluation.written.get(path) or Output(paths=(path,))
        source = evaluation.written.get(paths[0]) if len(paths) == 1 else None
        held = source if source and output.text is None else output._replace(paths=paths)
        if path in evaluation.written or len(evaluation.written) < _MAX_FILES:
            evaluation.written[path] = combined([known, held]) if append else held
        yield Write(path, output._replace(paths=paths), append)


def moves(invocation: Invocation) -> bool:
    """Whether an invocation moves files rather than copying them."""
    if invocation.program != "git" or "mv" not in invocation.argv:
        return invocation.program in _MOVERS
    return [one.text for one in read_options(invocation.words).operands[:1]] == ["mv"]


def _copied(invocation: Invocation, flow: Flow, number: int) -> Iterator[tuple[Word, Output, bool]]:
    """Return the files that a copy, a move or a link makes."""
    options = read_options(invocation.words)
    operands = options.operands[invocation.program == "git" :]
    sources, target = parted(invocation.program, options, operands)
    if target is None or options.has_exactly("-d|--directory"):
        return
    folder = len(sources) == len(operands) or target.text in (".", "..")
    for source, made in zip(sources, arriving(sources, target, folder=folder), strict=False):
        comes_in = source.text in STANDARD_INPUT
        yield made, flow.input_of(number) if comes_in else Output(paths=(source.text,)), False


def _in_place(words: Sequence[Word]) -> bool:
    return any(word.text.startswith(("-i", "-pi", "--in-place")) for word in words[1:])
