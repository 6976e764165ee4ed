"""Inline code: the shell commands and tree removals that a `python -c` and its like would do.

Only calls with literal arguments are read; code is data unless a known call runs it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_CALLS = 50
_WINDOW = 2000

_STRING = re.compile(r"""(["'`])((?:\\.|(?!\1)[^\\])*)\1""", re.S)
_RUNS = re.compile(
    r"""(?:\b(?:os\.(?:system|popen|exec[lv]p?e?)|subprocess\.\w+|commands\.getoutput|pty\.spawn
    |(?:exec|execFile|spawn)(?:Sync)?|system|popen|shell_exec|passthru|proc_open|IO\.popen
    |Open3\.\w+|Kernel\.(?:exec|system)|check_call|check_output|Popen|os\.execute)\s*\(?"""
    r"""|\bdo\ shell\ script\s)\s*(?=["'`\[])""",
    re.X,
)
_REMOVES = re.compile(
    r"\b(?:shutil\.rmtree|rmtree|remove_tree|FileUtils\.(?:rm_rf|rm_r|remove_dir|rmtree"
    r"|remove_entry_secure)|rimraf(?:\.sync|Sync)?|(?:fs(?:\.promises)?\.)?(?:rmdirSync|rmSync)"
    r"|fs(?:\.promises)?\.(?:rm|rmdir)|del_tree|removeSync|fs\.remove)\b\s*\(?"
)
_QUOTED_COMMAND = re.compile(
    r"`([^`]+)`|(?:%x|\bqx)\s*(?:\(([^)]*)\)|\{([^}]*)\}|/([^/]*)/|\[([^\]]*)\])"
)
_BACKTICK_LANGUAGES = frozenset({"ruby", "perl", "php"})
_ARGUMENT_GAP = re.compile(r"[\s,\[]*")


@dataclass(frozen=True, slots=True)
class InlineRun:
    """One thing that inline code runs: a shell text, or an argument list."""

    text: str = ""
    argv: tuple[str, ...] = ()


def _leading_strings(code: str, start: int) -> list[str]:
    """Take the string literals at the start of an argument list, lists opened."""
    found: list[str] = []
    at = start
    limit = min(len(code), start + _WINDOW)
    while at < limit:
        gap = _ARGUMENT_GAP.match(code, at, limit)
        at = gap.end() if gap else at
        literal = _STRING.match(code, at, limit)
        if not literal:
            break
        found.append(literal[2])
        at = literal.end()
    return found


def _call(code: str, start: int) -> InlineRun | None:
    strings = _leading_strings(code, start)
    if not strings:
        return None
    listed = len(strings) > 1 or code[start] == "["
    return InlineRun(argv=tuple(strings)) if listed else InlineRun(text=strings[0])


def _removal(code: str, start: int) -> InlineRun | None:
    end = code.find(")", start, start + _WINDOW)
    window = code[start : end if end >= 0 else start + _WINDOW]
    literals = [match[2] for match in _STRING.finditer(window)]
    targets = literals[:1] if "expanduser" in window or "join" in window else literals
    return InlineRun(argv=("rm", "-rf", *targets)) if targets else None


def inline_runs(language: str, code: str) -> list[InlineRun]:
    """List what a piece of code runs or removes, as far as its literals tell."""
    found: list[InlineRun | None] = []
    for number, match in enumerate(_RUNS.finditer(code)):
        if number >= MAX_CALLS:
            break
        found.append(_call(code, match.end()))
    for number, match in enumerate(_REMOVES.finditer(code)):
        if number >= MAX_CALLS:
            break
        found.append(_removal(code, match.end()))
    if language in _BACKTICK_LANGUAGES:
        quoted = _QUOTED_COMMAND.findall(code)[:MAX_CALLS]
        found += [InlineRun(text="".join(groups)) for groups in quoted]
    return [run for run in found if run is not None]
