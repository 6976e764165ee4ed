"""Wrappers: programs that run another program, a shell text or code given to them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from dmm.reading import read_table
from dmm.rules.commands.hosts import HOSTS
from dmm.rules.commands.options import SUBCOMMANDED, subcommand_at, subcommand_readings
from dmm.rules.commands.procedures import EVERYDAY
from dmm.rules.commands.runs import (
    CODE_FLAGS,
    SHELL,
    SHELLS,
    STANDARD_INPUT,
    Run,
    Wrapper,
    after_options,
    argv,
    clustered,
    joined,
    language_of,
    option_texts,
    program_of,
    text_of,
)
from dmm.rules.commands.wordlists import names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.rules.commands.runs import Kind
    from dmm.rules.commands.values import Word


def _read_wrappers() -> dict[str, Wrapper]:
    found = {}
    for line in read_table("wrappers.txt"):
        programs, operands, valued, inert, assigns = (part.strip() for part in line.split("|"))
        held = Wrapper(names(valued), int(operands), names(inert), assigns == "yes")
        found.update(dict.fromkeys(programs.split(), held))
    return found


_WRAPPERS = _read_wrappers()
# These run a program only with such a word first.
_WITH_WORD = {
    **dict.fromkeys(("direnv", "asdf", "rbenv", "pyenv", "fnm", "nvm"), "exec"),
    "volta": "run",
    "perf": "stat",
}
_RUNNERS = {
    ("uv", "run"), ("poetry", "run"), ("pipenv", "run"), ("pdm", "run"), ("hatch", "run"),
    ("rye", "run"), ("bundle", "exec"), ("npm", "exec"), ("npm", "x"), ("pnpm", "exec"),
    ("pnpm", "dlx"), ("yarn", "exec"), ("yarn", "dlx"), ("mise", "exec"), ("mise", "x"),
    ("conda", "run"), ("mamba", "run"), ("bunx", ""), ("npx", ""), ("uvx", ""), ("pipx", "run"),
    ("bun", "x"),
}  # fmt: skip
_RUNNER_VALUED = frozenset({
    "--with", "--python", "-p", "--package", "--project", "--directory", "-n", "--name",
    "--from", "--env-file", "--extra", "--group",
})  # fmt: skip
# What these do themselves; any other word is a script of the project or an installed program.
OF_MANAGERS = names(
    """add install i ci remove rm uninstall un update up upgrade link unlink import rebuild prune
    fetch run run-script test t tst start stop restart exec dlx x create init audit outdated
    list ls la ll why licenses publish pack config store root bin deploy patch patch-commit
    setup env server workspace workspaces dedupe global cache info view show login logout
    whoami node help plugin set version versions policies autoclean check team owner dist-tag
    tag unplug self-update search pm repl completion doctor ping pkg prefix access token org
    explain fund shrinkwrap approve-builds recursive multi catalog constraints npm unpublish"""
)
# Options with values of interpreters; of some the value is attached or missing.
_VALUED_BY_CODE = {
    "python": ("-m", "-W", "-X", "-Q"),
    "pypy": ("-m", "-W", "-X"),
    "perl": ("-M", "-m", "-I", "-x", "-C", "-D", "-F", "-i", "-V"),
    "ruby": ("-r", "-I", "-C", "-E", "-F", "-K", "-i", "-x"),
    "node": ("-r", "-C"),
    "nodejs": ("-r", "-C"),
    "lua": ("-l",),
    "php": ("-d", "-c", "-z"),
}
_ATTACHED = frozenset({"-M", "-x", "-D", "-F", "-i", "-V", "-K"})
_PYTHONS = ("python", "pypy")
# An option of this name holds a command, whatever the program.
_COMMAND_OPTION = r"--?(?:[\w-]*-)?(?:command|cmd|exec|run|rsh|shell)"
_COMMAND_VALUE = r"(?:exec|ProxyCommand|LocalCommand)=(.+)|(?:EXEC|SYSTEM):([^,]+)"
# Their options hold statements, patterns and addresses, and `--` only ends their options.
_OTHERWISE = EVERYDAY | SUBCOMMANDED | SHELLS | frozenset(CODE_FLAGS)
_PACKAGE_OPTIONS = Wrapper(frozenset({"--filter", "-F", "--dir", "-C", "--cwd", "--prefix"}))


def _shell(words: Sequence[Word]) -> list[Run]:
    program = program_of(words[0])
    at = 1
    reads_input = False
    while at < len(words) and words[at].text[:1] in ("-", "+") and len(words[at].text) > 1:
        flag = words[at].text
        if flag == "--":
            at += 1
            break
        if flag == "-n":
            return []
        if not flag.startswith("--") and "c" in flag:
            at += 1
            while at < len(words) - 1 and words[at].text.startswith(("-", "+")):
                at += 2 if words[at].text[-1] in "oO" else 1
            held = words[at : at + 1]
            return [
                text_of(one, f"{program} -c")._replace(words=tuple(words[at + 1 :])) for one in held
            ]
        reads_input = reads_input or (not flag.startswith("--") and "s" in flag)
        if flag in ("--rcfile", "--init-file") and at + 1 < len(words):
            return _from_file(program, SHELL, words[at + 1 :])
        at += 2 if flag[-1] in "oO" and not flag.startswith("--") else 1
    if reads_input:
        # The operands are the parameters of the script that comes in.
        return [Run("input", f"{program} input", (words[0], *words[at:]), language=SHELL)]
    return _from_file(program, SHELL, words[at:])


def _from_file(program: str, language: str, words: Sequence[Word]) -> list[Run]:
    """Run the file that the first word names, or what comes in where there is none."""
    if not words or words[0].text in STANDARD_INPUT:
        return [Run("input", f"{program} input", tuple(words), language=language)]
    run = Run("file", program, tuple(words), language=language)
    name = _program_in(words[0].text)
    if not name:
        return [run]
    return [run, Run("argv", program, (words[0]._replace(text=name), *words[1:]), guess=True)]


def _program_in(path: str) -> str:
    """Name the installed program whose own file an interpreter is given: `node …/npm-cli.js`."""
    name = path.rpartition("/")[2]
    if "node_modules/" in path:
        return re.sub(r"(?:-cli)?\.[cm]?js$", "", name)
    return name if re.fullmatch(r"[\w+-]+", name) else ""


def _source(words: Sequence[Word]) -> list[Run]:
    return _from_file(program_of(words[0]), SHELL, words[1:]) if len(words) > 1 else []


def _code(language: str, words: Sequence[Word]) -> list[Run]:
    program = program_of(words[0])
    flags = CODE_FLAGS[language]
    options = (*flags, *_VALUED_BY_CODE.get(language, ()))
    codes: list[Word] = []
    at = 1
    while at < len(words) and (words[at].text in flags or re.match("-.", words[at].text)):
        name, value = _option(words[at].text, flags, options)
        given = [words[at]._replace(text=value)] if value else words[at + 1 : at + 2]
        codes += given if name in flags else []
        if name == "-m" and language in _PYTHONS:
            return argv((*given, *words[at + 1 if value else at + 2 :]), program)
        at += 2 if name in options and not value and name not in _ATTACHED else 1
        if name == "--" or (codes and language in _PYTHONS):
            break
    if codes:
        text = "\n".join(word.text for word in codes)
        return [Run("code", language, text=text, span=(codes[0].start, codes[-1].end))]
    if language == "deno":
        named = at < len(words) and words[at].text == "run"
        return _from_file(program, language, words[at + 1 :]) if named else []
    if language == "bun" and at < len(words):
        return _wrapped(program, words)
    if language == "emacs":
        return []
    return _from_file(program, language, words[at:])


def _option(text: str, flags: Sequence[str], options: Sequence[str]) -> tuple[str, str]:
    """Split an option of an interpreter into its name and the value attached to it."""
    name, value = clustered(text, options) or text.partition("=")[::2]
    # `node -pe CODE` prints what it evaluates: the one option does not hold the other.
    return name, "" if all(f"-{letter}" in flags for letter in value) else value


def _awk(words: Sequence[Word]) -> list[Run]:
    options = _Program(("-e", "--source"), ("-f", "--file", "-E", "--exec"), ("-F", "-v", "-i"))
    return _programs("awk", words, options)


def _sed(words: Sequence[Word]) -> list[Run]:
    """Open the scripts of sed; a bare `e` runs what comes in."""
    options = _Program(("-e", "--expression"), ("-f", "--file"), ("-l", "-i"))
    found = _programs("sed", words, options)
    if any(re.fullmatch(r"\d*e", run.text) for run in found):
        found.append(Run("input", "sed", language=SHELL))
    return found


class _Program(NamedTuple):
    """The options of a tool that hold its program, name a file with it, or have other values."""

    texts: tuple[str, ...]
    files: tuple[str, ...]
    valued: tuple[str, ...]


def _programs(language: str, words: Sequence[Word], held: _Program) -> list[Run]:
    """Find the programs that a tool is given: by options, or else as its first operand."""
    found: list[Run] = []
    operands: list[Word] = []
    options = (*held.texts, *held.files, *held.valued)
    at = 1
    while at < len(words):
        word = words[at]
        name, value = clustered(word.text, options) or word.text.partition("=")[::2]
        given = [word._replace(text=value)] if value else words[at + 1 : at + 2]
        if name in held.texts:
            found += [Run("code", language, text=one.text, span=one[1:3]) for one in given]
        elif name in held.files:
            found += [_program_file(language, one) for one in given]
        elif not word.text.startswith("-"):
            operands.append(word)
        at += 2 if name in options and not value and name not in _ATTACHED else 1
    first = [] if found else operands[:1]
    return found + [Run("code", language, text=one.text, span=one[1:3]) for one in first]


def _program_file(language: str, named: Word) -> Run:
    kind: Kind = "input" if named.text in STANDARD_INPUT else "file"
    return Run(kind, language, (named,), language=language)


def _env(words: Sequence[Word]) -> list[Run]:
    """Open `env -S TEXT REST…`: the text is split into words, the rest follows it."""
    for at, word in enumerate(words[1:], 1):
        name, equals, value = word.text.partition("=")
        if word.text in ("-S", "--split-string"):
            return joined(words[at + 1 :], "env -S")
        if equals and name == "--split-string":
            return [text_of(word, "env -S", value)]
        if word.text.startswith(("-S", "-vS", "-iS")):
            rest = " ".join(one.text for one in words[at + 1 :])
            return [text_of(word, "env -S", f"{word.text.partition('S')[2]} {rest}")]
        if not word.text.startswith("-"):
            break
    return []


_SPECIAL: dict[str, Callable[[Sequence[Word]], list[Run]]] = {
    "source": _source,
    ".": _source,
    **dict.fromkeys(("awk", "gawk", "mawk", "nawk"), _awk),
    **dict.fromkeys(("sed", "gsed"), _sed),
    **HOSTS,
}


def runs_of(words: Sequence[Word]) -> list[Run]:
    """Say what a program runs beyond itself; an empty list for an ordinary program."""
    program = program_of(words[0])
    if program in SHELLS:
        return _shell(words)
    if program in _SPECIAL:
        return _SPECIAL[program](words)
    language = language_of(program)
    if language:
        return _code(language, words)
    return _wrapped(program, words) or _given(program, words)


def _wrapped(program: str, words: Sequence[Word]) -> list[Run]:
    if program.startswith("git-"):
        # Git's own commands by their file names.
        return argv(
            [words[0]._replace(text="git"), words[0]._replace(text=program[4:]), *words[1:]], "git"
        )
    held = _WRAPPERS.get("ld.so" if program.startswith(("ld-linux", "ld-musl")) else program)
    second = words[1].text if len(words) > 1 else ""
    if held and second in (_WITH_WORD.get(program, second), ""):
        at = after_options(words, held)
        split = _env(words) if program == "env" else []
        if split or at is None:
            return split or _login(program, words)
        return argv(_unversioned(words[at:]), program)
    readings = [words, *(other for other, _, _ in subcommand_readings(words))]
    found = [run for reading in readings for run in _runner(program, reading)]
    if not found and program in ("npm", "pnpm", "yarn", "bun"):
        found = [run for reading in readings for run in _package(program, reading)]
    return found


def _runner(program: str, words: Sequence[Word]) -> list[Run]:
    """Open `uv run COMMAND…`, `npx COMMAND…` and their like."""
    skip = 0
    if (program, "") not in _RUNNERS:
        skip = subcommand_at(words)
        if skip >= len(words) or (program, words[skip].text) not in _RUNNERS:
            return []
    at = after_options(words[skip:], Wrapper(valued=_RUNNER_VALUED))
    if at is None or program in ("npx", "npm"):
        texts = option_texts(words[skip : at and skip + at + 1], ("-c", "--call"), program)
        if texts or at is None:
            return texts
    return argv(_unversioned(words[skip + at :]), program)


def _package(program: str, words: Sequence[Word]) -> list[Run]:
    """Open a script of package.json; where there is none of that name, the program so called."""
    if [word.text for word in words[1:3]] == ["pkg", "set"]:
        texts = [word.text.partition("=")[2] for word in words[3:]]
        pairs = zip(words[3:], texts, strict=True)
        return [text_of(word, program, text, guess=True) for word, text in pairs if " " in text]
    script = Run("file", program, tuple(words), language="package")
    at = after_options(words, _PACKAGE_OPTIONS)
    if program == "npm" or at is None or words[at].text in OF_MANAGERS:
        return [script]
    return [script, *argv(words[at:], program)]


def _login(program: str, words: Sequence[Word]) -> list[Run]:
    """Open a wrapper that starts a shell where it is given no command."""
    shell = {"-s", "-i", "--shell", "--login"} & {word.text for word in words}
    starts = shell if program in ("sudo", "doas") else program in ("chroot", "unshare", "nsenter")
    return [Run("input", program, language=SHELL)] if starts else []


def _unversioned(words: Sequence[Word]) -> list[Word]:
    """Take the version off a package that is run by its name: `npx npm@10 install`."""
    name = words[0].text if words else ""
    at = name.find("@", 1)
    return [words[0]._replace(text=name[:at]), *words[1:]] if at > 0 else list(words)


def _given(program: str, words: Sequence[Word]) -> list[Run]:
    """Find a command among the words of a program that nothing is known of."""
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


# Their operands are commands of others.
CARRIERS = frozenset(_WRAPPERS) | frozenset(HOSTS) | {name for name, _ in _RUNNERS}
