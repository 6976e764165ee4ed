"""Outputs: what a command would write, as far as its own text tells, and through which tools.

The output of an ordinary program is as trusted as running it. What matters is text that a tool
makes out of data the agent supplied or fetched: nobody can read that before it runs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.commands.runs import language_of, program_of
from dmm.rules.commands.scanner import unescape
from dmm.rules.commands.searches import found_by
from dmm.rules.commands.values import Output
from dmm.rules.commands.wordlists import listed, names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.rules.commands.values import Redirection, Word

NOTHING = Output("")
ORDINARY = Output()
DECODERS = listed("decoders")
_TEXT_TOOLS = listed("text tools")
_FETCHERS = listed("fetchers")
_FILTERS = names("head tail sort uniq shuf grep egrep fgrep")
_GIT_CONTENT = frozenset({"show", "cat-file", "log", "config", "grep", "archive", "notes", "blame"})
_DECODING_MODULES = frozenset({"base64", "json.tool", "quopri", "uu", "gzip", "binascii", "codecs"})
_SILENT = frozenset({"true", ":", "cd", "pushd", "popd", "set", "export", "test", "[", "mkdir"})
_MAX_PRINTED = 20_000
_MAX_ROUNDS = 100
# A width or precision of two digits at most.
_MAX_FORM = 7


def combined(outputs: Sequence[Output]) -> Output:
    """Put the outputs of several commands together."""
    if len(outputs) == 1:
        return outputs[0]
    texts = [one.text for one in outputs if one.text is not None]
    unknown = any(one.more or one == ORDINARY for one in outputs)
    return Output(
        "".join(texts)[:_MAX_PRINTED] if texts or not outputs else None,
        next((one.made for one in outputs if one.made), ""),
        tuple(path for one in outputs for path in one.paths),
        partial=any(one.partial for one in outputs),
        more=unknown and bool(texts),
    )


def _shown(text: str, words: Sequence[Word]) -> Output:
    made = next((word.made for word in words if word.made), "")
    return Output(text[:_MAX_PRINTED], made, partial=any(word.expands for word in words))


def _echo(words: Sequence[Word]) -> Output:
    at = 1
    escapes = False
    while at < len(words) and re.fullmatch(r"-[neE]+", words[at].text):
        escapes = escapes or "e" in words[at].text
        at += 1
    text = " ".join(word.text for word in words[at:])
    return _shown((unescape(text) if escapes else text) + "\n", words[at:])


def printf_output(words: Sequence[Word]) -> Output:
    """Return what `printf` would write."""
    held = list(words[2:] if len(words) > 1 and words[1].text == "--" else words[1:])
    if not held:
        return NOTHING
    form, texts = held[0].text, [word.text for word in held[1:]]
    pieces = re.split(r"(%[-+ 0#]*\d*(?:\.\d+)?[a-zA-Z%])", form)
    takes = any(piece != "%%" for piece in pieces[1::2])
    found: list[str] = []
    for _ in range(_MAX_ROUNDS):
        for at, piece in enumerate(pieces):
            if at % 2 == 0:
                found.append(unescape(piece))
            elif piece == "%%":
                found.append("%")
            else:
                found.append(_converted(piece, texts.pop(0) if texts else ""))
        if not texts or not takes:
            break
    return _shown("".join(found), held)


def _converted(form: str, value: str) -> str:
    """Write one value as a conversion of `printf` tells: `%5s`, `%o`, `%b`."""
    kind = form[-1]
    form = form.replace("#", "")
    if kind in "diouxX":
        from dmm.rules.commands.arithmetic import integer

        try:
            number = ord(value[1]) if value[:1] in ("'", '"') and value[1:] else integer(value)
        except ValueError:
            return value
        return form % number if len(form) < _MAX_FORM else value
    if kind == "c":
        return value[:1]
    text = unescape(value) if kind == "b" else value
    return f"{form[:-1]}s" % text if kind in "bs" and len(form) < _MAX_FORM else text


def _named(words: Sequence[Word]) -> Output:
    """Return the name that `which` or `command -v` looks up: its directory changes nothing."""
    names = [word for word in words[1:] if not word.text.startswith("-")]
    return _shown("\n".join(word.text for word in names[:1]), names[:1])


def _basename(words: Sequence[Word]) -> Output:
    names = [word for word in words[1:2] if not word.text.startswith("-")]
    return _shown(names[0].text.rstrip("/").rpartition("/")[2], names) if names else ORDINARY


def _git(words: Sequence[Word]) -> Output:
    texts = [word.text for word in words[1:] if not word.text.startswith("-")]
    current = (
        ("branch", "--show-current"), ("rev-parse", "--abbrev-ref"), ("symbolic-ref", "--short")
    )  # fmt: skip
    flags = {word.text for word in words}
    if any(texts[:1] == [name] and flag in flags for name, flag in current):
        return Output("HEAD\n")
    return Output(made="git") if texts[:1] and texts[0] in _GIT_CONTENT else ORDINARY


def _found(words: Sequence[Word]) -> Output:
    """Return the names that `find` narrows its output to; it can also print any text."""
    if any(word.text in ("-printf", "-fprintf") for word in words):
        return Output(made="find")
    return Output("\n".join(word.text for word in found_by(words)), partial=True)


def _listed(words: Sequence[Word]) -> Output:
    names = [word.text for word in words[1:] if not word.text.startswith("-")]
    return Output("\n".join(names), partial=True) if names else ORDINARY


def _expr(words: Sequence[Word]) -> Output:
    from dmm.rules.commands.arithmetic import evaluated

    text = evaluated(" ".join(word.text for word in words[1:]), lambda _: "")
    return ORDINARY if text is None else Output(f"{text}\n")


_WRITERS: dict[str, Callable[[Sequence[Word]], Output]] = {
    "echo": _echo,
    "printf": printf_output,
    "which": _named,
    "basename": _basename,
    "git": _git,
    "expr": _expr,
    "find": _found,
    "gfind": _found,
    "fd": _found,
    "ls": _listed,
    # A process is told by the name that it is looked for by.
    "pgrep": _listed,
    "pidof": _listed,
}


def _passed(program: str, words: Sequence[Word], given: Callable[[], Output]) -> Output:
    """Return what `cat` and `tee` pass on: files, or their input."""
    if program == "tee":
        return given()
    files = [word for word in words[1:] if not word.text.startswith("-") or word.text == "-"]
    if not files:
        return given()
    return combined(
        [
            given() if word.text in ("-", "/dev/stdin") else Output(paths=(word.text,))
            for word in files
        ]
    )


def _made(program: str, words: Sequence[Word], given: Callable[[], Output]) -> Output:
    """Return what a tool outputs; a decoder is followed if its data is in the text."""
    if program not in DECODERS and program != "tr":
        return Output(made=program)
    from dmm.rules.commands.decoding import decoded

    text = decoded(program, words, given())
    return Output(text, made=program, exact=text is not None)


def own_output(
    words: Sequence[Word], redirections: Sequence[Redirection], given: Callable[[], Output]
) -> Output | None:
    """Return what a program itself would write, or None if that depends on what it runs."""
    if not words:
        return given() if any(one.operator[0] == "<" for one in redirections) else NOTHING
    program = program_of(words[0])
    if program in ("command", "type") and words[1:] and words[1].text in ("-v", "-V", "-p", "-P"):
        return _named(words)
    if program in _WRITERS:
        return _WRITERS[program](words)
    if program in ("cat", "tee"):
        return _passed(program, words, given)
    if program in _SILENT:
        return NOTHING
    if program in _FILTERS and not any(word.text == "-v" for word in words):
        # It can only leave lines out.
        return given()._replace(made=program, paths=(), exact=False)
    if program in DECODERS or program in _TEXT_TOOLS or program in _FETCHERS:
        return _made(program, words, given)
    return _of_code(program, words) if language_of(program) else None


def _of_code(program: str, words: Sequence[Word]) -> Output:
    """Return whether a program is stored elsewhere rather than given here."""
    texts = [word.text for word in words[1:]]
    if "-m" in texts[:-1]:
        module = texts[texts.index("-m") + 1]
        return Output(made=program) if module in _DECODING_MODULES else ORDINARY
    named = next((text for text in texts if not text.startswith("-")), "-")
    inline = any(re.fullmatch(r"-\w*[ceEpr]|--eval|--print", text) for text in texts)
    return Output(made=program) if inline or named == "-" else ORDINARY
