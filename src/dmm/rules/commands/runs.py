"""Describe what a program runs besides itself, and find that in its words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from dmm.reading import read_sections
from dmm.rules.commands.values import Word
from dmm.rules.commands.wordlists import listed, names

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from dmm.rules.commands.values import Invocation, Span

SHELLS = listed("shells")
_COMMAND_VARIABLE = r"(?:\w*_)?(?:EDITOR|VISUAL|PAGER|COMMAND|ASKPASS|BROWSER|SSH)"
STANDARD_INPUT = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
SHELL = "shell"

Kind = Literal["argv", "shell", "code", "input", "file", "xargs"]
TABLES = read_sections("carriers.txt")


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


class Language(NamedTuple):
    """How a program is given code: by options, in files, or as its first operand."""

    name: str
    texts: frozenset[str]
    files: frozenset[str]
    valued: frozenset[str]
    attached: frozenset[str]
    operand: str

    @property
    def options(self) -> frozenset[str]:
        """All options that have a value."""
        return self.texts | self.files | self.valued | self.attached


def _read_languages() -> dict[str, Language]:
    found: dict[str, Language] = {}
    for line in TABLES["code"]:
        programs, texts, files, valued, operand = (part.strip() for part in line.split("|"))
        attached = frozenset(one[:-1] for one in valued.split() if one[-1] == "=")
        plain = frozenset(one for one in valued.split() if one[-1] != "=")
        for program in programs.split():
            # A tool that reads code as its first operand goes by many names.
            name = program if operand != "code" else programs.split()[0]
            found[program] = Language(name, names(texts), names(files), plain, attached, operand)
    return found


LANGUAGES = _read_languages()


def program_of(word: Word) -> str:
    """Name a program without its directory."""
    return word.text.rpartition("/")[2]


def language_row(program: str) -> Language | None:
    """Find the language whose code a program runs, ignoring a version (`python3.12`)."""
    return LANGUAGES.get(program) or LANGUAGES.get(program.rstrip("0123456789."))


def language_of(program: str) -> str | None:
    """Name the language that a program is the interpreter of; text tools are none."""
    row = language_row(program)
    return row.name if row and row.operand != "code" else None


def after_options(
    words: Sequence[Word],
    valued: frozenset[str] = frozenset(),
    operands: int = 0,
    inert: frozenset[str] = frozenset(),
    *,
    assignments: bool = False,
) -> int | None:
    """Return the index of a wrapped command; none where an inert option or nothing stands there."""
    at = 1
    while at < len(words):
        text = words[at].text
        if text == "--":
            return at + 1 + operands
        if text in inert:
            return None
        if text.startswith("-") and (len(text) > 1 or assignments):
            at += 2 if takes_next(text, valued) else 1
        elif assignments and _assigns(words[at : at + 2]):
            at += 1
        elif operands:
            operands -= 1
            at += 1
        else:
            return at
    return None


def _assigns(words: Sequence[Word]) -> bool:
    """Return whether a word sets variables: `A=1`, or `$(cat .env)` in front of a program."""
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


def option_values(words: Sequence[Word], flags: Container[str]) -> list[Word]:
    """Return the values of options: `-c TEXT`, `-qc TEXT`, `--exec=TEXT`."""
    found: list[Word] = []
    for at, word in enumerate(words[1:], 1):
        if word.text == "--":
            break
        name, equals, value = word.text.partition("=")
        bundle = clustered(word.text, flags)
        if word.text in flags or (bundle and not bundle[1]):
            found += words[at + 1 : at + 2]
        elif bundle or (equals and name in flags):
            found.append(word._replace(text=bundle[1] if bundle else value))
    return found


def language_in(text: str) -> str:
    """Return the language of a script by its first line; a shell by default."""
    first = re.match(r"#!\s*(\S+)(?:[ \t]+(?:-S[ \t]+)?([^\s-]\S*))?", text)
    if not first:
        return SHELL
    named = first[2] if first[1].endswith("/env") and first[2] else first[1]
    program = named.rpartition("/")[2]
    return SHELL if program in SHELLS else language_of(program) or program


def assigned_by(words: tuple[Word, ...]) -> list[tuple[str, str]]:
    """Return the variables that `env A=1 command` sets."""
    pairs = [word.text.partition("=") for word in words[1:]]
    return [(name, value) for name, equals, value in pairs if equals and name.isidentifier()]


def runs_of_variables(invocation: Invocation) -> list[Run]:
    """Return what variables before a command make it run: `GIT_EDITOR=… git commit`."""
    found: list[Run] = []
    pairs = list(invocation.env)
    if invocation.program in ("env", "sudo", "export"):
        pairs += assigned_by(invocation.words)
    for name, value in pairs:
        if " " in value and re.fullmatch(_COMMAND_VARIABLE, name):
            found.append(Run("shell", name, text=value, guess=True))
        elif name in ("BASH_ENV", "ENV") and value:
            word = Word(value, 0, 0)
            found.append(Run("file", name, (word,), language=SHELL))
    return found
