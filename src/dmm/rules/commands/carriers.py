"""Carriers: programs that run another program, a shell text or code given to them.

Most of them are described in `data/carriers.txt`, which also says how it is written.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dmm.rules.commands.interpreters import code_runs, shell_runs, source_runs
from dmm.rules.commands.options import SUBCOMMANDED, subcommand_readings
from dmm.rules.commands.procedures import EVERYDAY
from dmm.rules.commands.runs import (
    LANGUAGES,
    SHELL,
    SHELLS,
    STANDARD_INPUT,
    TABLES,
    Run,
    after_options,
    argv,
    joined,
    language_row,
    option_values,
    program_of,
    text_of,
)
from dmm.rules.commands.wordlists import listed, names

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dmm.rules.commands.values import Word

OF_MANAGERS = listed("of package managers")
MANAGERS = frozenset({"npm", "pnpm", "yarn", "bun"})
_OF_PACKAGES = names("--filter -F --dir -C --cwd --prefix")
# An option of this name holds a command, whatever the program.
_COMMAND_OPTION = r"--?(?:[\w-]*-)?(?:command|cmd|exec|run|rsh|shell)"
_COMMAND_VALUE = r"(?:exec|ProxyCommand|LocalCommand)=(.+)|(?:EXEC|SYSTEM):([^,]+)"
# Their options hold statements, patterns and addresses, and `--` only ends their options.
_OTHERWISE = EVERYDAY | SUBCOMMANDED | SHELLS | frozenset(LANGUAGES)
_GIT_COMMAND = (
    r"(?i)(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass|gitproxy)|sequence\.editor"
    r"|diff\.external|pager\.\w+|credential\.(?:.+\.)?helper|(?:gpg|gpg\.\w+)\.program"
    r"|.+\.(?:textconv|clean|smudge|process|driver|cmd|command))"
)
_KEYS = r"(?i)Enter|C-\w|M-\w|Escape|Space|Tab|BSpace|Up|Down|KPEnter|-l"
# Code in a word of a command is read so far.
_MAX_CODE = 4_000
_ENDS = frozenset({";", "\\;", "+"})


class _Row(NamedTuple):
    """What a program runs behind some words of its own."""

    behind: tuple[str, ...]
    what: tuple[str, ...]
    valued: frozenset[str]
    inert: frozenset[str]


def _read_rows() -> dict[str, list[_Row]]:
    found: dict[str, list[_Row]] = {}
    for line in TABLES["commands"]:
        programs, what, valued, inert = (part.strip() for part in line.split("|"))
        held = _Row((), tuple(what.split(", ")), names(valued), names(inert))
        for one in programs.split():
            program, *behind = one.split(":")
            found.setdefault(program, []).append(held._replace(behind=tuple(behind)))
    return found


def _read_pieces() -> dict[str, str]:
    rows = (line.split(" | ", 1) for line in TABLES["pieces"])
    return {program: form for programs, form in rows for program in programs.split()}


_ROWS = _read_rows()
_PIECES = _read_pieces()


def runs_of(words: Sequence[Word]) -> list[Run]:
    """Return what a program runs besides itself: an empty list for an ordinary program."""
    program = program_of(words[0])
    if program in SHELLS:
        return shell_runs(words)
    if program in _SPECIAL:
        return _SPECIAL[program](words)
    language = language_row(program)
    found = code_runs(language, words) if language else []
    found = found or _carried(words)
    if not found and program in MANAGERS:
        readings = [words, *(other for other, _, _ in subcommand_readings(words))]
        found = [run for reading in readings for run in _package(program, reading)]
    known = found or language or program in _PIECES
    return found if known else _given(program, words)


def _carried(words: Sequence[Word]) -> list[Run]:
    """Open what the tables say of a program: behind its own words first, then at once."""
    program = program_of(words[0])
    rows = _ROWS.get("ld.so" if program.startswith(("ld-linux", "ld-musl")) else program, ())
    found = [
        text_of(word, program, text, guess=True)
        for word in (words[1:] if program in _PIECES else ())
        for text in re.findall(_PIECES[program], word.text[:_MAX_CODE])
    ]
    for row in sorted(rows, key=lambda one: not one.behind):
        if row.behind or not found:
            parts = _parts(words, row.behind)
            found += [run for part in parts for run in _opened(program, part, row)]
    return found


def _parts(words: Sequence[Word], behind: Sequence[str]) -> Iterator[Sequence[Word]]:
    """Return the words from the last of some names on, up to a mark that ends them."""
    if not behind:
        yield words
        return
    at, wanted = 1, list(behind)
    while at < len(words):
        if words[at].text == wanted[0]:
            wanted.pop(0)
        if not wanted:
            stop = next((end for end in range(at, len(words)) if words[end].text in _ENDS), None)
            yield words[at:stop]
            at, wanted = len(words) if stop is None else stop, list(behind)
        at += 1


def _opened(program: str, words: Sequence[Word], row: _Row) -> list[Run]:
    for what in row.what:
        found = _one(program, words, row, what)
        if found or not row.inert.isdisjoint(word.text for word in words):
            return found
    return []


def _one(program: str, words: Sequence[Word], row: _Row, what: str) -> list[Run]:
    """Open one thing that a row says of a program."""
    form = what.partition("+")[0]
    skipped = next((int(one[-1]) for one in row.what if "+" in one), 0)
    at = after_options(words, row.valued, skipped, row.inert, assignments=form == "=argv")
    if form == "--":
        texts = [word.text for word in words]
        return argv(words[texts.index("--") + 1 :], program) if "--" in texts else []
    if form[0] in "-<":
        # Behind the command that is wrapped, options are its own.
        looked_at = words if at is None or row.what[-1] == "stdin" else words[: at + 1]
        values = option_values(looked_at, form.lstrip("<").split("/"))
        if form[0] == "<":
            return [Run("file", program, (one,), language=SHELL) for one in values]
        return [text_of(one, program) for one in values]
    return _FORMS[form](program, () if at is None else words[at:])


def _typed(program: str, words: Sequence[Word]) -> list[Run]:
    """Return the text typed into a shell, without the names of keys."""
    found = joined([one for one in words if not re.fullmatch(_KEYS, one.text)], program)
    return [one._replace(text=re.sub(r"\\n|\^M", "\n", one.text)) for one in found]


def _each(program: str, words: Sequence[Word]) -> list[Run]:
    return [text_of(one, program, guess=True) for one in words if one.text[:1] != "-"]


def _command(program: str, words: Sequence[Word]) -> list[Run]:
    return argv(_unversioned(words), program)


_FORMS: dict[str, Callable[[str, Sequence[Word]], list[Run]]] = {
    "argv": _command,
    "=argv": _command,
    "shell": lambda program, words: joined(words, program),
    "text": lambda program, words: joined(words[:1], program),
    "each": _each,
    "keys": _typed,
    "fed": lambda program, words: [Run("xargs", program, tuple(words))],
    "stdin": lambda program, _: [Run("input", program, language=SHELL)],
}


def _env(words: Sequence[Word]) -> list[Run]:
    """Open `env -S TEXT REST…`: the text is split into words, the rest follows it."""
    for at, word in enumerate(words[1:], 1):
        if not word.text.startswith("-"):
            break
        split = re.fullmatch(r"(?s)(?:-[vi]*S|--split-string)=?(.*)", word.text)
        if split:
            first = [word._replace(text=split[1])] if split[1] else []
            return joined([*first, *words[at + 1 :]], "env -S")
    return _carried(words)


def _git(words: Sequence[Word]) -> list[Run]:
    """Return what Git runs, also from settings: `-c core.pager=…`.

    An alias is read where it is known what follows it.
    """
    found = _carried(words)
    if words[1:2] and words[1].text == "send-pack":
        found += argv([words[0], words[1]._replace(text="push"), *words[2:]], "git")
    for at, word in enumerate(words[1:-1], 1):
        following = words[at + 1]
        name, equals, value = following.text.partition("=")
        if word.text == "-c" and equals and re.fullmatch(_GIT_COMMAND, name):
            found.append(text_of(following, "git -c", value.removeprefix("!"), guess=True))
        elif re.fullmatch(_GIT_COMMAND, word.text) and words[1].text == "config":
            text = following.text.removeprefix("!")
            found.append(text_of(following, "git config", text, guess=True))
    return found


def _crontab(words: Sequence[Word]) -> list[Run]:
    named = [word for word in words[1:] if not word.text.startswith("-") or word.text == "-"]
    looks = {"-l", "-r", "-e"} & {word.text for word in words}
    if looks or not named:
        return []
    if named[-1].text in STANDARD_INPUT:
        return [Run("input", "crontab", language="crontab")]
    return [Run("file", "crontab", (named[-1],), language="crontab")]


def _make(words: Sequence[Word]) -> list[Run]:
    """Open the text of `--eval` and a makefile; its recipes are read where its text is known."""
    held = tuple(words)
    codes = option_values(words, ("--eval",))
    found = [Run("code", "make", held, one.text, one[1:3]) for one in codes]
    for one in option_values(words, ("-f", "--file", "--makefile")):
        comes_in = one.text in STANDARD_INPUT
        text = "" if comes_in else one.text
        found.append(Run("input" if comes_in else "file", "make", held, text, language="make"))
    return found or [Run("file", "make", held, language="make")]


def _just(words: Sequence[Word]) -> list[Run]:
    """Open the recipes of a justfile, or the command of `just -c COMMAND…`."""
    texts = [word.text for word in words]
    for flag in ("-c", "--command"):
        if flag in texts:
            return argv(words[texts.index(flag) + 1 :], "just")
    named = "".join(one.text for one in option_values(words, ("-f", "--justfile"))[:1])
    return [Run("file", "just", tuple(words), named, language="just")]


def _package(program: str, words: Sequence[Word]) -> list[Run]:
    """Return a script of package.json or, without one, the program of that name."""
    if [word.text for word in words[1:3]] == ["pkg", "set"]:
        texts = [word.text.partition("=")[2] for word in words[3:]]
        pairs = zip(words[3:], texts, strict=True)
        return [text_of(word, program, text, guess=True) for word, text in pairs if " " in text]
    script = Run("file", program, tuple(words), language="package")
    at = after_options(words, _OF_PACKAGES)
    if program == "npm" or at is None or words[at].text in OF_MANAGERS:
        return [script]
    return [script, *argv(words[at:], program)]


def _unversioned(words: Sequence[Word]) -> list[Word]:
    """Take the version off a package that is run by its name: `npx npm@10 install`."""
    name = words[0].text if words else ""
    at = name.find("@", 1)
    return [words[0]._replace(text=name[:at]), *words[1:]] if at > 0 else list(words)


def _given(program: str, words: Sequence[Word]) -> list[Run]:
    """Find a command among the words of a program that nothing is known of."""
    if program.startswith("git-"):
        # Git's own commands by their file names.
        named = (words[0]._replace(text=text) for text in ("git", program[4:]))
        return argv([*named, *words[1:]], "git")
    found: list[Run] = []
    for at, word in enumerate(words[1:], 1):
        text = word.text
        if text == "--" and program not in _OTHERWISE:
            return found + [one._replace(guess=True) for one in argv(words[at + 1 :], program)]
        name, equals, value = text.partition("=")
        if text.startswith("-") and re.fullmatch(_COMMAND_OPTION, name):
            held = value if equals else "".join(one.text for one in words[at + 1 : at + 2])
            if " " in held:
                found.append(text_of(word, f"{program} {name}", held, guess=True))
        elif ("=" in text or ":" in text) and (inner := re.search(_COMMAND_VALUE, text)):
            found.append(text_of(word, program, inner[1] or inner[2], guess=True))
    return found


_SPECIAL: dict[str, Callable[[Sequence[Word]], list[Run]]] = {
    "source": source_runs,
    ".": source_runs,
    "env": _env,
    "git": _git,
    "crontab": _crontab,
    "make": _make,
    "gmake": _make,
    "just": _just,
}
# Their operands are commands of others.
CARRIERS = frozenset(_ROWS) | frozenset(_PIECES) | frozenset(_SPECIAL)
