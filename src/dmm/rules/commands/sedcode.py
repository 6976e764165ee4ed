"""sed scripts: what the `e` command and the `e` flag of GNU sed run."""

from __future__ import annotations

import re

from dmm.rules.commands.inlineruns import InlineRun

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
