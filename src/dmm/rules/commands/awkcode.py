"""AWK code: the commands that `system`, `… | getline` and `print | …` run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.commands.inlineruns import InlineRun
from dmm.rules.commands.runs import SHELLS
from dmm.rules.commands.scanner import unescape

if TYPE_CHECKING:
    from collections.abc import Sequence

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
