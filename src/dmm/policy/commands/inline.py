"""Inline code: the shell commands, removals and files of a `python -c` and its like.

Python is parsed. Of other languages only calls with literal arguments are read; a known runner
that is called with anything else is noted as one that can't be read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.policy.commands.inlineruns import InlineRun
from dmm.policy.commands.runs import SHELLS

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_CALLS = 50
_MAX_CODE = 40_000
_WINDOW = 2000

_STRING = r"""(?s)(["'`])((?:\\.|(?!\1)[^\\])*)\1"""
_RUNS = (
    r"(?:\b(?:(?:exec|execFile|spawn|fork)(?:Sync)?|system|popen|shell_exec|passthru|proc_open"
    r"|IO\.popen|Open3\.\w+|Kernel\.(?:exec|system|spawn)|os\.execute|io\.popen|Bun\.spawn(?:Sync)?"
    r"|Deno\.Command|pcntl_exec|os\.(?:system|popen)|subprocess\.\w+|(?:async-)?shell-command"
    r"(?:-to-string)?)\s*(\(?)|\bdo shell script\s)\s*"
)
_REMOVES = (
    r"\b(?:shutil\.rmtree|rmtree|remove_tree|FileUtils\.(?:rm_rf|rm_r|remove_dir|rmtree"
    r"|remove_entry_secure)|rimraf(?:\.sync|Sync)?|(?:fs(?:\.promises)?\.)?(?:rmdirSync|rmSync)"
    r"|fs(?:\.promises)?\.(?:rm|rmdir)|del_tree|removeSync|fs\.remove)\b\s*\(?"
)
_READS = (
    r"\b(?:readFileSync|readFile|createReadStream|File\.(?:read|open|readlines|foreach)|IO\.read"
    r"|file_get_contents|readfile|fopen|io\.open|slurp|Deno\.readTextFile(?:Sync)?|Bun\.file)\s*\(?\s*"
)
_WRITES = (
    r"\b(?:writeFileSync|writeFile|appendFileSync|appendFile|createWriteStream|unlinkSync"
    r"|renameSync|copyFileSync|truncateSync|File\.(?:write|delete|rename)|IO\.write"
    r"|file_put_contents|unlink|Deno\.writeTextFile(?:Sync)?)\s*\(?\s*"
)
_QUOTED_COMMAND = (
    r"`([^`]{1,2000})`|(?:%x|\bqx)\s?(?:\(([^)]{0,2000})\)|\{([^}]{0,2000})\}|/([^/]{0,2000})/"
    r"|\[([^\]]{0,2000})\])"
)
_SHELL_WORDS = [[name] for name in SHELLS]
_BACKTICK_LANGUAGES = frozenset({"ruby", "perl", "php", "julia"})
# A name that some object may have too; alone it does not say that a command is run.
_COMMON = ("exec", "spawn", "fork", "system")
_PYTHON = (
    r"system|popen|subprocess|exec|eval|spawn|open|rmtree|unlink|remove|rename|import_module"
    r"|__import__|getattr|Path|builtins|ctypes|shutil|modules|__dict__|runpy|\bsh\b|pexpect|pty"
)


def _leading_strings(code: str, start: int) -> tuple[list[str], int]:
    """Take the string literals at the start of an argument list, lists opened."""
    found: list[str] = []
    at = start
    limit = min(len(code), start + _WINDOW)
    pattern, gaps = re.compile(_STRING), re.compile(r"[\s,\[]*(?:\{\s*args\s*:\s*\[)?")
    while at < limit:
        gap = gaps.match(code, at, limit)
        inner = gap.end() if gap else at
        literal = pattern.match(code, inner, limit)
        if not literal:
            break
        found.append(re.sub(r"\\(['\"`\\])", r"\1", literal[2]))
        at = literal.end()
    return found, at


def _opened(operator: str) -> Callable[[str, re.Match[str], str], InlineRun | None]:
    def read(code: str, match: re.Match[str], _: str) -> InlineRun | None:
        strings, _end = _leading_strings(code, match.end())
        return InlineRun(path=strings[0], operator=operator) if strings else None

    return read


def _call(code: str, match: re.Match[str], language: str) -> InlineRun | None:
    start = match.end()
    strings, end = _leading_strings(code, start)
    following = code[end : end + 20].lstrip()
    joined = following.startswith(("+", ".", "%")) and language != "awk"
    if strings and not joined:
        listed = len(strings) > 1 or code[start : start + 1] == "["
        return InlineRun(argv=tuple(strings)) if listed else InlineRun(text=strings[0])
    word = match.group().strip().rstrip("(").strip()
    before = code[max(0, match.start() - 1) : match.start()]
    if word in _COMMON and before in (".", "_") and "child_process" not in code:
        return None
    # Perl and Ruby call without parentheses: `exec @ARGV`, `system cmd`.
    bare = language in ("perl", "ruby") and re.match(r"[@$*]|[A-Z]+\b|cmd\b", following)
    called = (match[1] == "(" and not following.startswith(")")) or bare
    return InlineRun(made=language) if called else None


def _removal(code: str, match: re.Match[str], _: str) -> InlineRun | None:
    start = match.end()
    end = code.find(")", start, start + _WINDOW)
    window = code[start : end if end >= 0 else start + _WINDOW]
    literals = [found[2] for found in re.finditer(_STRING, window)]
    targets = literals[:1] if "expanduser" in window or "join" in window else literals
    return InlineRun(argv=("rm", "-rf", *targets)) if targets else None


def _quoted(code: str, match: re.Match[str], language: str) -> InlineRun | None:
    """Read what Ruby, Perl and PHP run between backticks or in `%x(…)`."""
    del code
    text = "".join(group or "" for group in match.groups())
    command = language in _BACKTICK_LANGUAGES and re.match(r"\s*(?:[\w/~$]|\.\.?/)", text)
    return InlineRun(text=text) if command else None


def _piped(code: str, match: re.Match[str], language: str) -> InlineRun | None:
    """Read what AWK runs through a pipe: `"date" | getline`, `print | "sh"`."""
    del code
    text = match[1] or match[2]
    if language != "awk":
        return None
    return InlineRun(made=language) if text.split()[:1] in _SHELL_WORDS else InlineRun(text=text)


def _open_pipe(code: str, match: re.Match[str], language: str) -> InlineRun | None:
    """Read a pipe that Perl or Ruby opens: `open(F, "ls |")`."""
    del code
    return InlineRun(text=match[1] or match[2]) if language in ("perl", "ruby") else None


def _evaluated(code: str, match: re.Match[str], language: str) -> InlineRun | None:
    """Look into code that is put together and then run; a plain text is read as code."""
    strings, end = _leading_strings(code, match.end())
    plain = strings and code[end : end + 20].lstrip().startswith(")")
    if plain and "eval" not in strings[0]:
        inner = inline_runs(language, strings[0])
        return inner[0] if inner else None
    return InlineRun(made=language)


def _loaded(code: str, match: re.Match[str], language: str) -> InlineRun | None:
    """Note where Node loads what runs commands in a way that the calls can't be followed."""
    strings, end = _leading_strings(code, match.end())
    module = strings[0].removeprefix("node:") if strings else ""
    whole = code[end : end + 20].lstrip().startswith(")")
    if not whole:
        return InlineRun(made=language)
    called = re.search(r"\b(?:exec|execFile|spawn|fork)(?:Sync)?\s*\(", code)
    return InlineRun(made=language) if module == "child_process" and not called else None


_READERS: tuple[tuple[str, Callable[[str, re.Match[str], str], InlineRun | None]], ...] = (
    (_RUNS, _call),
    (_REMOVES, _removal),
    (_QUOTED_COMMAND, _quoted),
    (r'\|\s*"([^"]{1,2000})"|"([^"]{1,2000})"\s*\|', _piped),
    (r"(?<![\w.$])(?:eval|new Function)\s*\(", _evaluated),
    (r"\brequire\s*\(\s*(?=[^)\s])", _loaded),
    (
        r"""\bopen\s*\(?[^,;"'\n]{0,80},\s*["'](?:([^"'|\n]{1,300})\||\|([^"'\n]{1,300}))["']""",
        _open_pipe,
    ),
    (_READS, _opened("<")),
    (_WRITES, _opened(">")),
)


def _literal_runs(language: str, code: str) -> list[InlineRun]:
    found: list[InlineRun] = []
    for pattern, read in _READERS:
        for match in list(re.finditer(pattern, code))[:MAX_CALLS]:
            run = read(code, match, language)
            if run is not None:
                line = code.count("\n", 0, match.start()) + 1
                found.append(run._replace(line=line))
    return found


def inline_runs(language: str, code: str) -> list[InlineRun]:
    """List what a piece of code runs, removes and opens, as far as it can be told."""
    code = code[:_MAX_CODE]
    if language in ("python", "pypy"):
        if not re.search(_PYTHON, code):
            return []
        from dmm.policy.commands.pycode import python_runs

        try:
            return python_runs(code)
        except (SyntaxError, ValueError):
            pass
    return _literal_runs(language, code)
