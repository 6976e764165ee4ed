"""Outcomes: whether a step passed, read from its exit status and from what it printed."""

from __future__ import annotations

import re
from enum import StrEnum
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

# Summaries stand at the end; what is longer than this is not read to its start.
LONGEST_READ = 100_000
LONGEST_LINE = 400
MOST_LINES = 500
# Every shape below holds one of these.
_SIGNS = (
    "fail", "err", "exce", "pass", "ok", "succe", "green", "exit", "found", "no ", "***", "trac",
    "panic", "fatal", "elif", "timed", "✗", "✘", "✖", "\u00d7",
)  # fmt: skip
_BACKGROUND = ("run_in_background", "is_background", "background")
_CODES = r"\x1b\[[0-9;?]*[A-Za-z]"
_NOUN = r"(?:tests?|specs?|suites?|examples?|checks?|assertions?|scenarios?|files?)"
_NUMBERED = rf"(?: (?:{_NOUN}|of \d+|unit|test))*"
# A count ends a phrase: "2 failed, 3 passed" is a summary, "2 failed logins" is not.
_ENDS = r"(?=[ \t]*(?:$|[,.;:)(|\]=!]|in\b|of\b|out\b|and\b))"
# What a runner says at its end, or a wrapper about the command that it ran.
_FAILURES = (
    rf"\b[1-9]\d*{_NUMBERED} (?:failed|failing|failures?|errors?|errored){_ENDS}",
    r"(?<!expected )\b(?:failed|failures|errors)\s*[:=]\s*[1-9]",
    r"^\W*fail:? [1-9]\d*$",
    r"^(?-i:[-=*! \t]*(?:FAILED|FAILURES?|FAIL)\b)",
    r"^\s*not ok\b(?!.*# *(?:todo|skip))",
    r"\b(?:build|result:?) fail(?:ed|ure)\b",
    r"^npm err(?:!|or\b)|\belifecycle\b|^make(?:\[\d+\])?: \*\*\* ",
    r"^error: (?:test failed|could not compile)",
    r"\bexit(?:ed)?(?:[ _](?:with|code|status))*\s*[:=]?\s*[1-9]\d{0,2}[).]*$",
    r"\bcommand not found\b|: not found$|\bno module named\b|\btimed out after\b",
)
_SUCCESSES = (
    rf"\b[1-9]\d*%?{_NUMBERED} (?:passed|passing|succeeded|ok)\b",
    rf"\b0{_NUMBERED} (?:failed|failing|failures?|errors?)\b",
    r"\bpassed\s*[:=]\s*[1-9]",
    r"^\W*pass:? [1-9]\d*$",
    r"^(?-i:\s*(?:PASS|PASSED|OK|ok)\b)",
    r"\bresult: ok\b|\bbuild success(?:ful)?\b|^success\b",
    r"\ball\b[\w ]{0,30} (?:pass(?:ed)?|ok|green|succeeded)\b",
    r"\bno (?:issues|errors|problems|failures|warnings|violations)\b",
)
# What tells of trouble, but also stands in the logs of tests that pass.
_COMPLAINTS = (
    r"^(?:[\w./-]{1,40}: )?(?:fatal|error|panic)\b",
    r"^traceback \(most recent call last\)",
    r"^(?-i:[A-Za-z_.]*(?:Error|Exception)\b)",
    r"^\s*[✗✘✖\u00d7]",
)


class Outcome(StrEnum):
    """How a step went, as far as it shows."""

    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"


def read_outcome(*, shown: bool, exit_status: int | None, printed: Outcome) -> Outcome:
    """Return how a step went; `shown` says that its failure would be the failure of its call.

    A status that is shown decides. One that a pipe or a later command hides proves nothing, so
    what was printed decides.
    """
    if exit_status:
        return Outcome.FAILED
    if shown and exit_status is not None:
        return Outcome.PASSED
    return printed


def read_output(text: str) -> Outcome:
    """Return how a step went by what it printed: a summary, or the verdict of what ran it."""
    held = "\n".join(_telling(re.sub(_CODES, "", text[-LONGEST_READ:])))
    if _matcher(_FAILURES).search(held):
        return Outcome.FAILED
    if _matcher(_SUCCESSES).search(held):
        return Outcome.PASSED
    return Outcome.FAILED if _matcher(_COMPLAINTS).search(held) else Outcome.UNKNOWN


def _telling(text: str) -> list[str]:
    """Keep the lines that could say how a step went; most of a long output can't."""
    lines = dict.fromkeys(line[:LONGEST_LINE] for line in text.splitlines())
    found = [line for line in lines if any(one in line.casefold() for one in _SIGNS)]
    return found[-MOST_LINES:]


def runs_in_background(given: Mapping[str, object]) -> bool:
    """Whether the input of a tool asks not to wait for the end of the command."""
    return any(given.get(name) is True for name in _BACKGROUND)


@cache
def _matcher(shapes: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{one})" for one in shapes), re.IGNORECASE | re.MULTILINE)
