"""Inline code: the shell commands, removals and files of a `python -c` and its like.

Python is parsed. Of other languages only calls with literal arguments are read; a known runner
that is called with anything else is noted as one that can't be read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.rules.commands.inlineruns import InlineRun
from dmm.rules.commands.literals import delimited, is_computed, quote_like, read_arguments

if TYPE_CHECKING:
    from collections.abc import Callable

MAX_CALLS = 50
_MAX_CODE = 40_000
_WINDOW = 2000

_STRING = r"""(?s)(["'`])((?:\\.|(?!\1)[^\\])*)\1"""
_RUNS = (
    r"(?:\b(?:(?:exec|execFile|spawn|fork)(?:Sync)?|system2?|popen|readpipe|shell_exec|passthru|proc_open"
    r"|IO\.popen|Open3\.\w+|(?:Kernel|Process)\.(?:exec|system|spawn)|os\.execute|io\.popen|Bun\.(?:spawn(?:Sync)?|\$)"
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
_QUOTED_COMMAND = r"`(?=[^`]*`)|(?:%x|(?<![$@%&\w])qx)\s?([^\w\s,;)=])"
# They take a shell text first, and then how to run it.
_TAKE_ONE = frozenset({
    "exec", "execSync", "system", "popen", "shell_exec", "passthru", "proc_open", "os.execute",
    "io.popen", "os.system", "os.popen", "shell-command", "async-shell-command",
    "shell-command-to-string",
})  # fmt: skip
_VALUE = r"[@$*{]|[A-Z]+\b|cmd\b"
_EVALUATED = r"[\"'$@]|q[qw]?\b|%[qQ]|[a-z]\w*\s*[(\"'$@]"
_STATEMENT_START = (
    r"(?:^|[;{}(=&|?:,!\n]"
    r"|\b(?:or|and|not|return|print|puts|p|do|if|unless|while|until|then|else))\s*$"
)
_BACKTICK_LANGUAGES = frozenset({"ruby", "perl", "php", "julia"})
# A name that some object may have too; alone it does not say that a command is run.
_COMMON = ("exec", "spawn", "fork", "system")
_TCL = (
    r"(?:^|[;{\[\n]|\beval)\s*exec\s+(?:--?\w+\s+)*([^\];}\n]+)"
    r"|\bopen\s+[\"{]?\|\s*([^\"\]}\n]+)"
)
_PYTHON = (
    r"system|popen|subprocess|exec|eval|spawn|open|rmtree|unlink|remove|rename|import_module"
    r"|__import__|getattr|Path|mkdir|makedirs|symlink|builtins|ctypes|shutil|modules|__dict__|runpy|\bsh\b|pexpect|pty"
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
    word = match.group().strip().rstrip("(").strip()
    called = match[1] == "("
    if not called and not _is_bare_call(code, match, language):
        return None
    before = code[max(0, match.start() - 1) : match.start()]
    if word in _COMMON and before in (".", "_") and "child_process" not in code:
        return None
    lists = language in ("perl", "ruby") or word not in _TAKE_ONE
    held = read_arguments(language, code, match.end(), called=called, first_only=not lists)
    if not held.texts:
        return None
    if not held.known:
        return InlineRun(made=language)
    return InlineRun(argv=held.texts) if held.listed else InlineRun(text=held.texts[0])


def _is_bare_call(code: str, match: re.Match[str], language: str) -> bool:
    """Whether a name without parentheses is called: `exec @ARGV`, `system "ls"`, not prose."""
    following = code[match.end() : match.end() + 40]
    if language not in ("perl", "ruby"):
        called = "." in match.group() or match.group().startswith("do shell")
        return called and following[:1] in ("'", '"', "`", "[")
    before = code[max(0, match.start() - 20) : match.start()]
    # Ruby also calls by symbols: `send(:system, "ls")`.
    if (before.endswith(":") and following.startswith(",")) or re.match(_VALUE, following):
        return True
    plain = quote_like(language, following, 0) or re.match(r"[\"']|[a-z_]\w*\b(?!\s*=)", following)
    return bool(plain and re.search(_STATEMENT_START, before))


def _removal(code: str, match: re.Match[str], _: str) -> InlineRun | None:
    start = match.end()
    end = code.find(")", start, start + _WINDOW)
    window = code[start : end if end >= 0 else start + _WINDOW]
    literals = [found[2] for found in re.finditer(_STRING, window)]
    targets = literals[:1] if "expanduser" in window or "join" in window else literals
    return InlineRun(argv=("rm", "-rf", *targets)) if targets else None


def _quoted(code: str, match: re.Match[str], language: str) -> InlineRun | None:
    """Read what Ruby, Perl and PHP run between backticks, in `qx(…)` or in `%x(…)`."""
    if language not in _BACKTICK_LANGUAGES:
        return None
    text, _ = delimited(code, match.end(), match[1] or "`")
    if not re.match(r"\s*(?:[\w/~$#]|\.\.?/)", text) or not text.strip():
        return None
    quote = "'" if match[1] == "'" else '"'
    return InlineRun(made=language) if is_computed(language, quote, text) else InlineRun(text=text)


def _open_pipe(code: str, match: re.Match[str], language: str) -> InlineRun | None:
    """Read a pipe that Perl or Ruby opens: `open(F, "ls |")`, `open(F, "-|", "ls")`."""
    if language not in ("perl", "ruby"):
        return None
    if match[1]:
        held = read_arguments(language, code, match.end(), called=True, first_only=False)
        return InlineRun(argv=held.texts) if held.known else InlineRun(made=language)
    return InlineRun(text=match[2] or match[3])


def _evaluated(code: str, match: re.Match[str], language: str) -> InlineRun | None:
    """Look into code that is put together and then run; a plain text is read as code."""
    called = match.group().endswith("(")
    following = code[match.end() : match.end() + 40]
    if not called and (language not in ("perl", "ruby") or not re.match(_EVALUATED, following)):
        return None
    held = read_arguments(language, code, match.end(), called=called, first_only=True)
    if held.known and "eval" not in held.texts[0]:
        inner = inline_runs(language, held.texts[0])
        return inner[0] if inner else None
    return InlineRun(made=language)


def _loaded(code: str, match: re.Match[str], language: str) -> InlineRun | None:
    """Report where Node loads `child_process` in a way that hides its calls."""
    strings, end = _leading_strings(code, match.end())
    module = strings[0].removeprefix("node:") if strings else ""
    whole = match.group().startswith("from") or code[end : end + 20].lstrip().startswith(")")
    if not whole:
        return InlineRun(made=language)
    called = re.search(r"\b(?:exec|execFile|spawn|fork)(?:Sync)?\s*\(", code)
    return InlineRun(made=language) if module == "child_process" and not called else None


_READERS: tuple[tuple[str, Callable[[str, re.Match[str], str], InlineRun | None]], ...] = (
    (_RUNS, _call),
    (_REMOVES, _removal),
    (_QUOTED_COMMAND, _quoted),
    (r"(?<![\w.$@%&{'\"])(?:eval\b\s*\(?|new Function\s*\()", _evaluated),
    (r"\brequire\s*\(\s*(?=[^)\s])|\bfrom\s+(?=[\"'])", _loaded),
    (
        r"""\bopen\s*\(?(?:[^,;"'\n]{0,80},\s*(?:["'](-\||\|-)["']\s*,"""
        r"""|["'](?:([^"'|\n]{1,300})\|["']))|(?:[^,;"'\n]{0,80},)?\s*["']\|([^"'\n-][^"'\n]{0,300})["'])""",
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
    """Return what a piece of code runs, removes and opens, as far as that is visible."""
    code = code[:_MAX_CODE]
    if language in ("python", "pypy"):
        if not re.search(_PYTHON, code):
            return []
        from dmm.rules.commands.pycode import python_runs

        try:
            return python_runs(code)
        except (SyntaxError, ValueError):
            pass
    if language in ("awk", "sed"):
        from dmm.rules.commands import texttools

        return texttools.awk_runs(code) if language == "awk" else texttools.sed_runs(code)
    return _tcl_runs(code) if language == "tclsh" else _literal_runs(language, code)


def _tcl_runs(code: str) -> list[InlineRun]:
    """Read what Tcl runs: `exec git status`, `open "|ls"`."""
    found = []
    for match in list(re.finditer(_TCL, code))[:MAX_CALLS]:
        text = match[1] or match[2]
        computed = "$" in text or "[" in text
        found.append(InlineRun(made="tcl") if computed else InlineRun(text=text))
    return found
