"""Code of text tools: the commands that scripts of sed and AWK run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.commands.inlineruns import InlineRun
from dmm.rules.commands.runs import SHELLS
from dmm.rules.commands.scanner import unescape

if TYPE_CHECKING:
    from collections.abc import Sequence

_ADDRESS = re.compile(r"\s*(?:[\d$~+,]|!|[IM](?=[,!{}\sa-zA-Z]))\s*")
_FLAGS = re.compile(r"[gpiImMe\d]*")
_TO_END_OF_LINE = frozenset("aicrRwW#")
_TO_SEPARATOR = frozenset(":btTlqQL")


def _section(code: str, start: int, mark: str, *, pattern: bool = True) -> tuple[str, int]:
    """Take the text up to the next mark; in a pattern, brackets guard it as a backslash does."""
    brackets = r"\[\^?\]?[^\]\n]*\]|" if pattern else ""
    form = rf"(?s)(?:\\.|{brackets}(?!{re.escape(mark)})[^\\])*"
    text = re.compile(form).match(code, start)
    held = text.group() if text else ""
    return held, start + len(held) + 1


def _after_addresses(code: str, at: int) -> int:
    """Step over the addresses in front of a command: `1,/x/!`."""
    while at < len(code):
        if code[at] == "/":
            at = _section(code, at + 1, "/")[1]
        elif code[at] == "\\" and at + 1 < len(code):
            at = _section(code, at + 2, code[at + 1])[1]
        elif step := _ADDRESS.match(code, at):
            at = step.end()
        else:
            break
    return at


def _line_end(code: str, at: int) -> int:
    """Find the end of the line; a backslash carries on."""
    end = code.find("\n", at)
    while end > 0 and code[end - 1] == "\\":
        end = code.find("\n", end + 1)
    return len(code) if end < 0 else end


def _substitution(code: str, at: int) -> tuple[list[InlineRun], int]:
    """Read `s/…/…/flags` or `y/…/…/`; with the flag `e` the line that results is run."""
    mark = code[at + 1 : at + 2]
    _, at = _section(code, at + 2, mark)
    new, at = _section(code, at, mark, pattern=False)
    flags = _FLAGS.match(code, at)
    held = flags.group() if flags else ""
    runs = [InlineRun(text=new), InlineRun(made="sed")] if "e" in held else []
    return runs, at + len(held)


def sed_runs(code: str) -> list[InlineRun]:
    """List the commands that a script of sed runs."""
    found: list[InlineRun] = []
    at = 0
    while at < len(code):
        at = _after_addresses(code, at)
        command = code[at : at + 1]
        if command in ("s", "y"):
            runs, at = _substitution(code, at)
            found += runs if command == "s" or not runs else []
        elif command == "e":
            end = _line_end(code, at)
            text = code[at + 1 : end].strip().rstrip("}")
            found.append(InlineRun(text=text) if text.strip(" ;") else InlineRun(made="sed"))
            at = end + 1
        elif command and command in _TO_END_OF_LINE:
            at = _line_end(code, at) + 1
        elif command and command in _TO_SEPARATOR:
            separator = re.compile(r"[;}\n]|$").search(code, at)
            at = separator.end() if separator else len(code)
            at += not separator or not separator.group()
        else:
            at += 1
    return found


_PIECE = r"""(?s)"(?:\\.|[^"\\])*"?|#[^\n]*|\|\||\|&|\w+|\n|[^\S\n]+|\\\n|."""
_REGEX = r"/(?:\\.|\[[^\]\n]*\]|[^/\\\n])*/"
_KEYWORDS = frozenset({"print", "printf", "return", "if", "in", "else", "case", "do", "while"})
_MAX_CALLS = 50
_ENDS = frozenset({";", "}", "\n", ""})
_BEFORE_COMMAND = _ENDS | {"(", "{", "&&", "||", "!", ",", "=", "while", "if", "&", "|"}


def _tokens(code: str) -> list[str]:
    """Take code apart, without blanks, comments and regular expressions."""
    found: list[str] = []
    token, regex = re.compile(_PIECE), re.compile(_REGEX)
    at = 0
    while at < len(code):
        last = found[-1] if found else ""
        is_value = (re.fullmatch(r"\w+", last) and last not in _KEYWORDS) or last[:1] in (
            '"',
            ")",
            "]",
        )
        pattern = regex.match(code, at) if code[at] == "/" and not is_value else None
        match = pattern or token.match(code, at)
        if match is None:
            break
        at = match.end()
        text = "//" if pattern else match.group()
        if text == "\n" or not (text.isspace() or text.startswith(("#", "\\\n"))):
            found.append(text)
    return found


def _command(tokens: Sequence[str]) -> InlineRun:
    """Read strings that stand side by side as one command; anything else is computed."""
    if not tokens or any(token[0] != '"' for token in tokens):
        return InlineRun(made="awk")
    return InlineRun(text=unescape("".join(token.strip('"') for token in tokens)))


def _called(tokens: Sequence[str], at: int) -> InlineRun | None:
    depth = 0
    for end in range(at, len(tokens)):
        depth += (tokens[end] == "(") - (tokens[end] == ")")
        if not depth:
            return _command(tokens[at + 1 : end]) if end > at + 1 else None
    return None


def _piped(tokens: Sequence[str], at: int) -> InlineRun | None:
    """Read the command on the one or the other side of a pipe."""
    if tokens[at + 1 : at + 2] == ["getline"]:
        start = at
        while start and tokens[start - 1][0] == '"':
            start -= 1
        plain = start < at and (tokens[start - 1] if start else "") in _BEFORE_COMMAND
        return _command(tokens[start:at] if plain else ())
    end = at + 1
    while end < len(tokens) and tokens[end] not in _ENDS:
        end += 1
    found = _command(tokens[at + 1 : end])
    stages = [stage.split()[:1] for stage in found.text.split("|")]
    fed = any(name.rpartition("/")[2] in SHELLS for stage in stages for name in stage)
    return InlineRun(made="awk") if fed else found


def awk_runs(code: str) -> list[InlineRun]:
    """List the commands that AWK code runs."""
    tokens = _tokens(code)
    found: list[InlineRun | None] = []
    for at, piece in enumerate(tokens):
        if piece == "system" and tokens[at + 1 : at + 2] == ["("]:
            found.append(_called(tokens, at + 1))
        elif piece in ("|", "|&"):
            found.append(_piped(tokens, at))
        if len(found) >= _MAX_CALLS:
            break
    return [one for one in found if one is not None]
