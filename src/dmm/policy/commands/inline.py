"""Inline code: the shell commands, removals and files of a `python -c` and its like.

Python is parsed. Of other languages only calls with literal arguments are read; a known runner
that is called with anything else is noted as one that can't be read.
"""

from __future__ import annotations

import re

from dmm.policy.commands.inlineruns import InlineRun

MAX_CALLS = 50
_MAX_CODE = 40_000
_WINDOW = 2000

_STRING = r"""(?s)(["'`])((?:\\.|(?!\1)[^\\])*)\1"""
_RUNS = (
    r"(?:\b(?:(?:exec|execFile|spawn|fork)(?:Sync)?|system|popen|shell_exec|passthru|proc_open"
    r"|IO\.popen|Open3\.\w+|Kernel\.(?:exec|system|spawn)|os\.execute|io\.popen|Bun\.spawn(?:Sync)?"
    r"|Deno\.Command|pcntl_exec|os\.(?:system|popen)|subprocess\.\w+)\s*(\(?)|\bdo shell script\s)"
    r"\s*"
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
_QUOTED_COMMAND = r"`([^`]+)`|(?:%x|\bqx)\s*(?:\(([^)]*)\)|\{([^}]*)\}|/([^/]*)/|\[([^\]]*)\])"
_BACKTICK_LANGUAGES = frozenset({"ruby", "perl", "php"})
# A name that some object may have too; alone it does not say that a command is run.
_COMMON = ("exec", "spawn", "fork", "system")
_PYTHON = re.compile(
    r"system|popen|subprocess|exec|eval|spawn|open|rmtree|unlink|remove|rename|import_module"
    r"|__import__|getattr|Path|builtins|ctypes|shutil|modules|__dict__"
)


def _leading_strings(code: str, start: int) -> tuple[list[str], int]:
    """Take the string literals at the start of an argument list, lists opened."""
    found: list[str] = []
    at = start
    limit = min(len(code), start + _WINDOW)
    pattern, gaps = re.compile(_STRING), re.compile(r"[\s,\[]*")
    while at < limit:
        gap = gaps.match(code, at, limit)
        inner = gap.end() if gap else at
        literal = pattern.match(code, inner, limit)
        if not literal:
            break
        found.append(literal[2])
        at = literal.end()
    return found, at


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
    called = match[1] == "(" and not following.startswith(")")
    return InlineRun(made=language) if called and language != "awk" else None


def _removal(code: str, start: int) -> InlineRun | None:
    end = code.find(")", start, start + _WINDOW)
    window = code[start : end if end >= 0 else start + _WINDOW]
    literals = [match[2] for match in re.finditer(_STRING, window)]
    targets = literals[:1] if "expanduser" in window or "join" in window else literals
    return InlineRun(argv=("rm", "-rf", *targets)) if targets else None


def _opened(code: str, pattern: str, operator: str) -> list[InlineRun]:
    found = []
    for match in list(re.finditer(pattern, code))[:MAX_CALLS]:
        strings, _ = _leading_strings(code, match.end())
        if strings:
            found.append(InlineRun(path=strings[0], operator=operator))
    return found


def _literal_runs(language: str, code: str) -> list[InlineRun]:
    calls = list(re.finditer(_RUNS, code))[:MAX_CALLS]
    found: list[InlineRun | None] = [_call(code, match, language) for match in calls]
    removals = list(re.finditer(_REMOVES, code))[:MAX_CALLS]
    found += [_removal(code, match.end()) for match in removals]
    if language in _BACKTICK_LANGUAGES:
        quoted = re.findall(_QUOTED_COMMAND, code)[:MAX_CALLS]
        found += [InlineRun(text="".join(groups)) for groups in quoted]
    if language == "awk":
        piped = re.findall(r'\|\s*"([^"]+)"|"([^"]+)"\s*\|', code)[:MAX_CALLS]
        found += [InlineRun(text=before or after) for before, after in piped]
    found += _opened(code, _READS, "<") + _opened(code, _WRITES, ">")
    return [run for run in found if run is not None]


def inline_runs(language: str, code: str) -> list[InlineRun]:
    """List what a piece of code runs, removes and opens, as far as it can be told."""
    code = code[:_MAX_CODE]
    if language in ("python", "pypy"):
        if not _PYTHON.search(code):
            return []
        from dmm.policy.commands.pycode import python_runs

        try:
            return python_runs(code)
        except (SyntaxError, ValueError):
            pass
    return _literal_runs(language, code)
