"""Classify and shorten shell commands, and read how they ended."""

from __future__ import annotations

import re
from enum import StrEnum

from dmm.observations.wording import clip, squeeze
from dmm.text.words import english

LONGEST_COMMAND = 120
LONGEST_QUOTE = 160
LONGEST_READ = 4_000
LONGEST_TAIL = 600


class Sort(StrEnum):
    """What a command is for, the weightiest first."""

    COMMIT = "commit"
    TEST = "test"
    CHECK = "check"
    INSTALL = "install"
    CHANGE = "change"
    RUN = "run"
    LOOK = "look"


_SORTS = list(Sort)
# What changes something beyond the files that were edited.
CHANGES = (Sort.COMMIT, Sort.INSTALL, Sort.CHANGE)
_SHELL = re.compile(r"^(?:/\S*/)?(?:ba|z|da)?sh\s+-l?c\s+")
_BEFORE = re.compile(
    r"^(?:(?:cd|pushd)\s+\S+\s*(?:&&|;)\s*|source\s+\S+\s*(?:&&|;)\s*|\.\s+\S+\s*(?:&&|;)\s*"
    r"|set\s+-\w+\s*(?:&&|;)\s*|export\s+\w+=\S*\s*(?:&&|;)\s*|[A-Z_][A-Z0-9_]*=\S*\s+"
    r"|(?:sudo|time|nohup|env|exec)\s+|timeout\s+\S+\s+)+"
)
_AFTER = re.compile(
    r"(?:\s*2>&1)?\s*\|\s*(?:tail|head|grep|cat|less|tee|sort)\b[^'\"|;&]*$|\s*2>&1$"
)
_PARTS = re.compile(r"(?:'[^']*'|\"(?:[^\"\\]|\\.)*\"|\\.|[^'\"\\&;|\n]|(?<!&)&(?!&)|['\"\\])+")
_TEST = re.compile(
    r"(?:^|[\s/])(?:pytest|py\.test|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest|unittest|playwright"
    r"\s+test|(?:go|cargo|deno|dotnet|mvn|gradlew?|bun|npm|pnpm|yarn|make|mix|swift|bazel|just|rake)"
    r"(?:\s+(?:run|-\S+))*\s+(?:test|tests|nextest|check-tests?)(?:[:\w-]*))(?=\s|$)"
)
_CHECK = re.compile(
    r"(?:^|[\s/])(?:mypy|pyright|ruff|flake8|pylint|eslint|prettier|tsc|clippy|lint-imports|golangci-lint"
    r"|shellcheck|black|(?:go|cargo|deno|dotnet|mvn|gradlew?|bun|npm|pnpm|yarn|make|just|cmake)"
    r"(?:\s+(?:run|-\S+))*\s+(?:build|vet|check|lint|typecheck|compile|clippy|verify)[:\w-]*"
    r"|make|docker\s+build)(?=\s|$)"
)
_INSTALL = re.compile(
    r"^(?:(?:uv\s+)?pip3?\s+install|uv\s+(?:add|remove)|poetry\s+(?:add|remove)|conda\s+install"
    r"|(?:npm|pnpm|yarn|bun)\s+(?:install|i|add|remove|uninstall)\s+(?:-\S+\s+)*[@\w]"
    r"|cargo\s+(?:add|remove|install)|go\s+get|gem\s+install|bundle\s+add|apt(?:-get)?\s+install"
    r"|brew\s+install|composer\s+require|python3?\s+-m\s+pip\s+install)\b"
)
_CHANGE = re.compile(
    r"^(?:git\s+(?:push|merge|rebase|revert|cherry-pick|tag|mv|rm|reset|checkout\s+-b|switch\s+-c)"
    r"|rm|mv|cp|chmod|ln|kubectl\s+(?:apply|delete|scale|rollout)|terraform\s+(?:apply|destroy)"
    r"|helm\s+(?:install|upgrade)|docker\s+(?:compose\s+)?(?:up|push|rm)|gh\s+(?:pr|release|issue)"
    r"\s+(?:create|merge|edit|close)|systemctl\s+\w+)\b"
    r"|^(?:\S+\s+){0,3}(?:\S*[:/-])?(?:deploy|migrate|publish|upgrade|downgrade|rollback|seed)\b"
)
_LOOKING = "|".join(map(re.escape, sorted(english("looking_programs"))))
_LOOK = re.compile(
    rf"^(?:(?:{_LOOKING})(?!\S)|git\s+(?:-\S+\s+)*(?:status|diff|log|show|branch|blame|ls-files"
    r"|rev-parse|remote|grep|fetch|stash|config|add|describe|shortlog|checkout|switch|pull"
    r"|clone|worktree|reflog)\b)"
)
# The first that fits a command says what it is for.
_FORMS = {
    Sort.LOOK: _LOOK,
    Sort.COMMIT: re.compile(r"^git\s+(?:-\S+\s+\S+\s+)*commit\b"),
    Sort.TEST: _TEST,
    Sort.INSTALL: _INSTALL,
    Sort.CHANGE: _CHANGE,
    Sort.CHECK: _CHECK,
}
_MESSAGE = re.compile(
    r"(?:(?<![\w-])-[a-z]*m|--message)[=\s]*(?:\"((?:[^\"\\]|\\.)+)\"|'([^']+)'|\$'([^']+)'|([^\s\"'$<&;|]+))"
)
_HEREDOC = re.compile(r"<<-?\s*['\"]?(\w+)['\"]?[^\n]*\n(.*?)(?:\n\s*\1\b|\Z)", re.DOTALL)
_MADE = re.compile(r"^\[([\w./-]+)(?: \([\w-]+\))? ([0-9a-f]{7,40})\] (.+)$", re.MULTILINE)

_EXIT = re.compile(
    r"^\W{0,3}(?:process )?exit(?:ed with)?(?: code|\s+status)[:\s]+(-?\d{1,5})\b",
    re.IGNORECASE | re.MULTILINE,
)
_FAILS = re.compile(
    r"\b[1-9]\d{0,6} (?:failed|failures?|failing|errors?)\b|^(?:FAILED|FAIL|ERROR|--- FAIL)\b"
    r"|Traceback \(most recent call last\)|^error(?:\[E\d+\])?:|npm ERR!|BUILD FAILED"
    r"|test result: FAILED|error TS\d+",
    re.MULTILINE,
)
# Cheap to look for; a line without any of these names no error.
_SIGN = re.compile(r"[fF]ail|FAIL|rror|ERR|Traceback|xception|anic|fatal|assert")
_COUNTS = re.compile(
    r"\b\d{1,7} (?:passed|failed|failures?|errors?|skipped|passing|failing)\b"
    r"(?:,? (?:and )?\d{1,7} \w+){0,4}"
)
_ERROR = re.compile(
    r"^(?:E\s+)?[ \t]*("
    r"(?:[\w.]{1,80}\.)?[A-Z]\w{0,60}(?:Error|Exception|Failure|Panic|Warning)\b: ?\S.*"
    r"|(?:[\w./-]+:\d+(?::\d+)?:? )?(?:fatal |compile )?error(?:\[E\d+\]|:? TS\d+)?: ?\S.*"
    r"|.{0,200}error TS\d+: .*|panic: .*|fatal: .*|assert .*|FAILED \S.*|--- FAIL: .*)$",
    re.ASCII,
)


def simplify(command: str) -> str:
    """Return a command in one short line, without `cd`, settings and long input."""
    line = squeeze(_unwrapped(command))
    return clip(_AFTER.sub("", _BEFORE.sub("", line)).strip(), LONGEST_COMMAND)


def sort_command(command: str) -> Sort:
    """Return what a command is for; of several, the weightiest counts."""
    parts = (part.strip() for part in _PARTS.findall(_unwrapped(command)))
    return min(map(_sort, filter(None, parts)), key=_SORTS.index, default=Sort.LOOK)


def _unwrapped(command: str) -> str:
    """Return what a command runs, without long input and the shell around it."""
    line = _HEREDOC.sub("", command[:LONGEST_READ]).strip()
    return _SHELL.sub("", line).strip("'\"") if _SHELL.match(line) else line


def _sort(part: str) -> Sort:
    bare = _BEFORE.sub("", part)
    return next((sort for sort, form in _FORMS.items() if form.search(bare)), Sort.RUN)


def name_check(command: str) -> str:
    """Return which checker a command runs; the same one may be run on other files."""
    found = _TEST.search(command) or _CHECK.search(command)
    return command if found is None else squeeze(found[0].lstrip("/"))


def read_commit(command: str, output: str) -> tuple[str, str]:
    """Read the subject of a commit and, where Git told it, its hash."""
    made = _MADE.search(output[:LONGEST_READ])
    if made:
        return clip(squeeze(made[3]), LONGEST_QUOTE), made[2]
    heredoc = _HEREDOC.search(command[:LONGEST_READ])
    if heredoc and "commit" in command[: heredoc.start()]:
        return clip(squeeze(heredoc[2].strip().split("\n")[0]), LONGEST_QUOTE), ""
    given = _MESSAGE.search(command[:LONGEST_READ])
    message = "" if given is None else "".join(given.groups(""))
    return clip(squeeze(message.split("\n")[0]), LONGEST_QUOTE), ""


def has_failed(sort: Sort, output: str) -> bool:
    """Read from its output whether a command failed, where no exit status was told."""
    told = _EXIT.search(f"{output[:200]}\n{output[-200:]}")
    if told:
        return int(told[1]) != 0
    read = f"{output[:2_000]}…{output[-2_000:]}"
    return sort in (Sort.TEST, Sort.CHECK) and _FAILS.search(read) is not None


def quote_outcome(output: str, *, failed: bool) -> str:
    """Quote what tells most of an output: the error, or the counts of a test run."""
    counts = ["", *_COUNTS.findall(output[-LONGEST_TAIL:])]
    error = find_error(output) if failed else ""
    return error or clip(counts[-1], LONGEST_QUOTE)


def find_error(output: str) -> str:
    """Find the line that names an error; of several, the last, as a traceback ends with it."""
    lines = [line for line in output[:LONGEST_READ].split("\n") if _SIGN.search(line)]
    found = [one[1] for one in map(_ERROR.match, lines) if one]
    named = [one for one in found if not one.startswith(("FAILED", "--- FAIL", "assert "))]
    return clip(squeeze(["", *found, *named][-1]), LONGEST_QUOTE)
