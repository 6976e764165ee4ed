"""Commands, options, scripts, tools and packages that a rule names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.policy.commands.rules import (
    CommandPattern,
    DependencyPattern,
    Pattern,
    ScriptPattern,
    ToolPattern,
)
from dmm.policy.commands.syntax import command_pattern
from dmm.policy.spoken import names
from dmm.policy.spoken.things import DETERMINERS, STOPS, Found, Thing, skip, word_at
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from dmm.policy.spoken.pieces import Piece, Pieces

_PROGRAM = re.compile(r"(?:[\w.~-]*/)*[a-z][a-z0-9._+-]*")
_ARGUMENT = re.compile(r"[a-z0-9@][\w:./@=+*-]*|[./~$][\w./*~${}-]*|\+\S+")
_PLACEHOLDER = re.compile(r"<.*>|\[.*\]|\{.*\}|\.\.\.|…|[A-Z][A-Z_]{2,}|\*+")
_PACKAGE = re.compile(r"@?[A-Za-z][\w.@/-]*")
_TOOL_NAME = re.compile(r"[A-Za-z][\w.-]*")
_SCRIPT = re.compile(r"[\w./~-]+")
_CARRIERS = word_set("package library dependency module crate gem packages libraries dependencies")
_KNOWN_TOOLS = frozenset({
    "WebFetch", "WebSearch", "NotebookEdit", "MultiEdit", "TodoWrite", "BashOutput", "KillShell",
    "apply_patch", "exec_command", "run_shell_command", "write_file", "read_file",
})  # fmt: skip
# In prose these are commands only with a word behind them.
_RUNNABLE = word_set(
    """make go cargo poetry bundle rake rails python node just mix brew gem composer conda heroku
    dotnet deno java perl ruby"""
)
_ALONE = word_set("make reboot shutdown halt")
_COMMAND_WORDS = word_set("command commands")
_OPTION_WORDS = word_set("flag flags option options switch")
_MOST_WORDS = 5
_NO_ADVERBS = word_set("apply reply supply assembly fly multiply")


def read_program(pieces: Pieces, at: int, *, running: bool) -> Found | None:
    """Read what may be run or used: a tool, an option, a package, a script or a command."""
    at = skip(pieces, at, DETERMINERS)
    at = skip(pieces, at, _COMMAND_WORDS)
    if at >= len(pieces) or pieces[at].mark:
        return None
    for read in (_tool, _option, _package):
        found = read(pieces, at)
        if found:
            return found
    if running:
        found = _script(pieces[at], at)
        if found:
            return found
    return _code(pieces, at, running=running) or _prose(pieces, at, running=running)


def _tool(pieces: Pieces, at: int) -> Found | None:
    text, following = pieces[at].text, word_at(pieces, at + 1)
    if text.startswith("mcp__"):
        return Thing((ToolPattern(text),)), at + 1
    if not _TOOL_NAME.fullmatch(text):
        return None
    if following == "mcp" and word_at(pieces, at + 2) in ("server", "servers", "tools"):
        return Thing(
            (ToolPattern(f"mcp__{text}__*"), ToolPattern(f"mcp__{text.lower()}__*"))
        ), at + 3
    if following in ("tool", "tools"):
        return _named_tool(text), at + 2
    return (_named_tool(text), at + 1) if text in _KNOWN_TOOLS else None


def _named_tool(name: str) -> Thing:
    patterns: list[Pattern] = []
    for one in dict.fromkeys((name, name.lower(), name.capitalize())):
        patterns += [ToolPattern(one), ToolPattern(f"mcp__*__{one}")]
    if name.lower() in names.PROGRAMS:
        patterns += command_patterns([name.lower()])
    return Thing(tuple(patterns))


def _option(pieces: Pieces, at: int) -> Found | None:
    text = pieces[at].text
    if not re.fullmatch(r"--?[a-z][\w-]*", text):
        return None
    at = skip(pieces, at + 1, _OPTION_WORDS)
    if word_at(pieces, at) in ("with", "on", "for", "to", "in"):
        inner = read_program(pieces, at + 1, running=True)
        if inner and all(isinstance(one, CommandPattern) for one in inner[0].patterns):
            given = [one for one in inner[0].patterns if isinstance(one, CommandPattern)]
            patterns = [_with_flag(one, text) for one in given]
            return Thing(tuple(one for one in patterns if one)), inner[1]
    if not text.startswith("--"):
        return None
    lifted = tuple(one for one in ("--help", "--dry-run") if one != text)
    short = CommandPattern(("git",), ("commit",), ("-n",), lifted)
    extra = (short,) if text == "--no-verify" else ()
    return Thing((CommandPattern(("*",), (), (text,), lifted), *extra)), at


def _with_flag(pattern: CommandPattern, flag: str) -> CommandPattern | None:
    line = " ".join((pattern.programs[0], *pattern.operands[:1], flag))
    read = command_pattern(line)
    return pattern.changed(flags=(*pattern.flags, *read.flags)) if read else None


def _package(pieces: Pieces, at: int) -> Found | None:
    name = pieces[at].text
    if not _PACKAGE.fullmatch(name) or pieces[at].word in _NO_PACKAGE:
        return None
    if word_at(pieces, at + 1) in _CARRIERS:
        return Thing((DependencyPattern(name),)), at + 2
    role = skip(pieces, at + 2, DETERMINERS)
    as_one = word_at(pieces, at + 1) in ("as", "to") and word_at(pieces, role) in _CARRIERS
    return (Thing((DependencyPattern(name),)), role + 1) if as_one else None


def _script(piece: Piece, at: int) -> Found | None:
    text = piece.text
    named = "/" in text.strip("/") or text.endswith(names.EXECUTABLE_ENDINGS)
    if not named or not _SCRIPT.fullmatch(text) or text.startswith("-"):
        return None
    if not piece.code and not text.startswith(("./", "~/", "/")) and "." not in text:
        return None
    return Thing((ScriptPattern(text.removeprefix("./")),)), at + 1


def _code(pieces: Pieces, at: int, *, running: bool) -> Found | None:
    if not pieces[at].code:
        return None
    written = pieces[at].text.removeprefix("$ ").split()
    words = [one for one in written if not _PLACEHOLDER.fullmatch(one)]
    if not words or not _PROGRAM.fullmatch(words[0]):
        return None
    known = words[0] in names.PROGRAMS and (len(words) > 1 or words[0] not in names.AMBIGUOUS)
    flagged = any(one.startswith("-") for one in words[1:])
    if not (running or known or flagged):
        return None
    patterns = command_patterns(words)
    end = skip(pieces, at + 1, _COMMAND_WORDS)
    return (Thing(patterns, broad=len(words) == 1), end) if patterns else None


def _prose(pieces: Pieces, at: int, *, running: bool) -> Found | None:
    program = _program_name(pieces[at])
    if program is None:
        return _several(pieces[at], at)
    words = [program]
    place = at + 1
    while place < len(pieces) and len(words) < _MOST_WORDS and _is_argument(pieces[place]):
        words.append(pieces[place].text)
        place += 1
    end = skip(pieces, place, _COMMAND_WORDS)
    if not _is_sure(words, running=running, named=end > place):
        return None
    patterns = command_patterns(words)
    return (Thing(patterns, broad=len(words) == 1), end) if patterns else None


def _program_name(piece: Piece) -> str | None:
    written = piece.text == piece.text.lower() or piece.text == piece.text.capitalize()
    known = written and not piece.code and piece.word in names.PROGRAMS
    return piece.word if known else None


def _several(piece: Piece, at: int) -> Found | None:
    parts = piece.word.split("/")
    sure = names.PROGRAMS - names.AMBIGUOUS
    if len(parts) < 2 or not all(part in sure for part in parts):
        return None
    patterns = [pattern for part in parts for pattern in command_patterns([part])]
    return Thing(tuple(patterns), broad=True), at + 1


def _is_argument(piece: Piece) -> bool:
    if piece.code or piece.mark or piece.word in STOPS | _COMMAND_WORDS:
        return False
    text = piece.text
    if text.startswith("-"):
        return len(text) > 1
    return bool(_ARGUMENT.fullmatch(text)) and not (
        text.isalpha() and text.endswith("ly") and text not in _NO_ADVERBS
    )


def _is_sure(words: list[str], *, running: bool, named: bool) -> bool:
    """Whether words of prose are a command, and not words that happen to be a program's name."""
    program = words[0]
    flagged = any(one.startswith("-") for one in words[1:])
    if flagged or named:
        return True
    if program not in names.AMBIGUOUS or any(program in one for one in names.MANAGERS.values()):
        return True
    return running and (program in _ALONE or (program in _RUNNABLE and len(words) > 1))


def command_patterns(words: list[str]) -> tuple[CommandPattern, ...]:
    """Read the words of a command as patterns, with the other names of the same thing."""
    pattern = command_pattern(" ".join(words))
    if pattern is None:
        return ()
    program, operands = pattern.programs[0], pattern.operands
    if operands:
        same = names.SAME_OPERAND.get((program, operands[0]))
        operands = (same or operands[0], *operands[1:])
    lifted = ["--help"] if operands or pattern.flags else ["--help", "--version"]
    if operands and "--dry-run" not in pattern.flags:
        lifted.append("--dry-run")
    main = CommandPattern(
        names.BOTH_NAMES.get(program, (program,)), operands, pattern.flags, tuple(lifted)
    )
    return (main, *_others(main, program))


def _others(main: CommandPattern, program: str) -> list[CommandPattern]:
    """Give other commands that do the very same."""
    operands, flags = main.operands, main.flags
    if program == "docker" and operands[:1] == ("compose",):
        return [main.changed(programs=("docker-compose",), operands=operands[1:])]
    if program == "docker-compose":
        return [main.changed(programs=("docker",), operands=("compose", *operands))]
    if program == "pip":
        return [
            main.changed(programs=("python*",), operands=("pip", *operands), flags=("-m", *flags))
        ]
    if program == "git" and operands == ("push",) and flags == ("-f|--force",):
        return [main.changed(operands=("push", "+*"), flags=())]
    if program in ("terraform", "tofu") and operands == ("destroy",):
        return [main.changed(operands=("apply",), flags=(*flags, "-destroy|--destroy"))]
    return []


def read_package(pieces: Pieces, at: int) -> Found | None:
    """Read a package behind install or depend on."""
    at = skip(pieces, at, DETERMINERS)
    if at >= len(pieces) or pieces[at].mark:
        return None
    found = _package(pieces, at)
    text = pieces[at].text
    if found or not _PACKAGE.fullmatch(text) or pieces[at].word in STOPS | _NO_PACKAGE:
        return found
    return Thing((DependencyPattern(text),)), at + 1


_NO_PACKAGE = _CARRIERS | word_set(
    """anything something software new hooks tools extensions plugins updates untrusted additional
    other more extra third-party external global globally things stuff binaries system os deps"""
)
