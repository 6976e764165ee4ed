"""Runs: what a program runs beyond itself, and how its words are taken apart to find that."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from dmm.rules.commands.wordlists import names

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from dmm.rules.commands.values import Span, Word

SHELLS = names("bash sh zsh dash ksh mksh ash fish rbash csh tcsh yash osh sash nu elvish xonsh")
CODE_FLAGS = {
    "python": ("-c",), "pypy": ("-c",), "node": ("-e", "--eval", "-p", "--print"),
    "nodejs": ("-e", "--eval", "-p", "--print"), "bun": ("-e", "--eval"), "ruby": ("-e",),
    "perl": ("-e", "-E"), "php": ("-r",), "lua": ("-e",), "osascript": ("-e",),
    "deno": ("eval",), "Rscript": ("-e",), "pwsh": ("-c", "-Command"), "tsx": ("-e", "--eval"),
    "ts-node": ("-e", "--eval"), "R": ("-e",), "julia": ("-e", "--eval"), "guile": ("-c",),
    "emacs": ("--eval", "--execute"), "tclsh": (),
}  # fmt: skip
STANDARD_INPUT = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
SHELL = "shell"
# Code in a word of a command is read so far.
MAX_CODE = 4_000

Kind = Literal["argv", "shell", "code", "input", "file", "xargs"]


class Run(NamedTuple):
    """What a program runs.

    argv: the words are a command. shell, code: a text, with the words as its arguments. input: what
    comes in on standard input, as a text of `language`. file: the text of the file that the first
    word names. xargs: the words are a template for what comes in. `guess` marks a text that may
    also be something else: it is read, and what can't be read of it says nothing. `placed` says
    that the span counts in the outermost text.
    """

    kind: Kind
    via: str
    words: tuple[Word, ...] = ()
    text: str = ""
    span: Span = (0, 0)
    language: str = ""
    guess: bool = False
    placed: bool = False


class Wrapper(NamedTuple):
    """How to find the wrapped command: options with values, operands to pass, options that stop."""

    valued: frozenset[str] = frozenset()
    operands: int = 0
    inert: frozenset[str] = frozenset()
    assignments: bool = False


def wrapper(
    valued: str = "", operands: int = 0, inert: str = "", *, assignments: bool = False
) -> Wrapper:
    """Write a wrapper down in words."""
    return Wrapper(frozenset(valued.split()), operands, frozenset(inert.split()), assignments)


def program_of(word: Word) -> str:
    """Name a program without its directory."""
    return word.text.rpartition("/")[2]


def language_of(program: str) -> str | None:
    """Name the language whose code a program runs, ignoring a version (`python3.12`)."""
    if program in CODE_FLAGS:
        return program
    plain = program.rstrip("0123456789.")
    return plain if plain in CODE_FLAGS else None


def after_options(words: Sequence[Word], held: Wrapper) -> int | None:
    """Give the index of the wrapped command; none when the wrapper runs nothing."""
    at = 1
    left = held.operands
    while at < len(words):
        text = words[at].text
        if text == "--":
            return at + 1 + left
        if text in held.inert:
            return None
        if text.startswith("-") and (len(text) > 1 or held.assignments):
            at += 2 if takes_next(text, held.valued) else 1
        elif held.assignments and _assigns(words[at : at + 2]):
            at += 1
        elif left:
            left -= 1
            at += 1
        else:
            return at
    return None


def _assigns(words: Sequence[Word]) -> bool:
    """Tell whether a word sets variables: `A=1`, or `$(cat .env)` in front of a program."""
    made = words[0].made in ("", "xargs") and words[0].text.startswith(("$(", "`"))
    named = len(words) > 1 and not words[1].text.startswith("-")
    return (made and named) or re.match(r"(?a)[A-Za-z_]\w*=", words[0].text) is not None


def clustered(text: str, letters: Container[str]) -> tuple[str, str] | None:
    """Find the first of some options in a cluster, and what stands behind it there.

    `-dmS` is `-d -m -S`, and `-n5` is `-n 5`: what follows an option that takes a value is its
    value, and where nothing follows, the next word is.
    """
    if text.startswith("-") and not text.startswith("--"):
        for at, letter in enumerate(text[1:], 2):
            if f"-{letter}" in letters:
                return f"-{letter}", text[at:]
            if not letter.isalnum():
                break
    return None


def takes_next(text: str, valued: frozenset[str]) -> bool:
    """Whether the next word is the value of an option, or of the last one of a cluster."""
    held = clustered(text, valued)
    return text in valued or (held is not None and not held[1])


def joined(words: Sequence[Word], via: str) -> list[Run]:
    """Run some words as the shell text they make when put together."""
    if not words:
        return []
    text = " ".join(word.text for word in words)
    return [Run("shell", via, text=text, span=(words[0].start, words[-1].end))]


def argv(words: Sequence[Word], via: str) -> list[Run]:
    """Run some words as a command."""
    return [Run("argv", via, words=tuple(words))] if words else []


def text_of(word: Word, via: str, text: str | None = None, *, guess: bool = False) -> Run:
    """Run a word, or a part of it, as a shell text."""
    shown = word.text if text is None else text
    return Run("shell", via, text=shown, span=(word.start, word.end), guess=guess)


def option_texts(words: Sequence[Word], flags: Sequence[str], via: str) -> list[Run]:
    """Take the values of options that hold a shell text: `-c TEXT`, `-qc TEXT`, `--exec=TEXT`."""
    found: list[Run] = []
    for at, word in enumerate(words[1:], 1):
        name, equals, value = word.text.partition("=")
        following = words[at + 1 : at + 2]
        if word.text == "--":
            break
        if word.text in flags:
            found += joined(following, via)
        elif equals and name in flags and name.startswith("--"):
            found.append(text_of(word, via, value))
        elif bundle := clustered(word.text, flags):
            found += [text_of(word, via, bundle[1])] if bundle[1] else joined(following, via)
    return found


def language_in(text: str) -> str:
    """Name the language of a script by its first line; a shell where that says nothing."""
    first = re.match(r"#!\s*(\S+)(?:[ \t]+(?:-S[ \t]+)?([^\s-]\S*))?", text)
    if not first:
        return SHELL
    named = first[2] if first[1].endswith("/env") and first[2] else first[1]
    program = named.rpartition("/")[2]
    return SHELL if program in SHELLS else language_of(program) or program
