"""A repository's own instructions against its own commit subjects: how many would be blocked.

`python -m bench.subjects PATH… [--subjects N] [--json FILE]` takes local Git directories, with or
without a work tree. Every imperative sentence of the instruction files at HEAD is compiled, and
the subjects of the newest commits are judged as decisions under all of them. Nearly all of these
commits were right to make, so a block is nearly always a false one.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from dmm.rules.language.compile import compile_rule
from dmm.rules.language.judge import MAX_DECISION, InForce, Priority, RuleSet, Status, judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

BAR = 0.001
SUBJECTS = 3_000
SHOWN = 3
_FILES = re.compile(
    r"(?:^|/)(?:CLAUDE|AGENTS|GEMINI|CONTRIBUTING)\.md$|(?:^|/)\.cursor/rules/|"
    r"(?:^|/)\.github/copilot-instructions\.md$|(?:^|/)\.cursorrules$"
)
_RULELIKE = re.compile(
    r"\b(?:never|do not|don't|must|always|avoid|only|forbidden|ensure|make sure|no|should|before"
    r"|instead of|prefer|required|use)\b",
    re.IGNORECASE,
)
_LEAD = re.compile(r"^\s*(?:[-*+]|\d+[.)])\s+|^\s*#+\s+|^\s*>\s?")
_MARKUP = re.compile(r"\*\*|__|\[([^\]]*)\]\([^)]*\)")


@dataclass(frozen=True, slots=True)
class Blocking:
    """A rule that blocked, how often, and subjects it blocked."""

    rule: str
    blocked: int
    subjects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one repository showed."""

    repository: str
    sentences: int
    rules: int
    subjects: int
    blocked: int
    warned: int
    rows: tuple[Blocking, ...]

    @property
    def share(self) -> float:
        """The share of subjects that were blocked."""
        return self.blocked / self.subjects if self.subjects else 0.0


def measure(path: Path, most: int = SUBJECTS) -> Outcome:
    """Judge the newest commit subjects of a repository by its own instructions."""
    sentences = sorted(set(_sentences(path)))
    rules = []
    for number, text in enumerate(sentences):
        rule = compile_rule(text).rule
        if rule is not None:
            rules.append(InForce(number, text, Priority.REQUIRED, rule))
    subjects = _git(path, "log", f"-{most}", "--format=%s", "HEAD").splitlines()
    blocking: Counter[str] = Counter()
    shown: dict[str, list[str]] = {}
    counts: Counter[Status] = Counter()
    book = RuleSet(rules)
    for subject in subjects:
        verdict = judge(subject[:MAX_DECISION], book)
        counts[verdict.status] += 1
        for one in verdict.findings:
            if one.blocks:
                blocking[one.text] += 1
                shown.setdefault(one.text, []).append(subject)
    rows = tuple(
        Blocking(text, count, tuple(shown[text][:SHOWN])) for text, count in blocking.most_common()
    )
    return Outcome(
        path.parent.name if path.name == "repo" else path.name,
        len(sentences),
        len(rules),
        len(subjects),
        counts[Status.BLOCKED],
        counts[Status.WARNING],
        rows,
    )


def _git(path: Path, *words: str) -> str:
    command = ["git", "-C", str(path), *words]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode(
        "utf-8", "replace"
    )


def _sentences(path: Path) -> Iterator[str]:
    names = _git(path, "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    for name in names:
        if not _FILES.search(name):
            continue
        for paragraph in _paragraphs(_git(path, "show", f"HEAD:{name}")):
            yield from _sentences_of(paragraph)


def _paragraphs(text: str) -> Iterator[str]:
    """Lines that belong together; a list item, a heading or a fence begins anew."""
    held: list[str] = []
    fenced = False
    for line in (*text.splitlines(), ""):
        fence = line.lstrip().startswith("```")
        begins = fence or fenced or not line.strip() or _LEAD.match(line) or line[:1] == "|"
        if begins and held:
            yield " ".join(held)
            held.clear()
        fenced ^= fence
        if not fence and not fenced and line.strip():
            held.append(_LEAD.sub("", line).strip())


def _sentences_of(paragraph: str) -> Iterator[str]:
    plain = _MARKUP.sub(r"\1", paragraph).strip()
    for sentence in re.split(r"(?<=[.!?])\s+", plain):
        if _RULELIKE.search(sentence) and len(sentence.split()) > 1:
            yield sentence


def show(outcomes: Sequence[Outcome]) -> str:
    """The outcomes as a table, with the rules that blocked."""
    lines = [f"{'repository':34} sentences  rules  subjects  blocked   share"]
    for one in outcomes:
        lines.append(
            f"{one.repository:34} {one.sentences:9} {one.rules:6} {one.subjects:9} "
            f"{one.blocked:8} {one.share:7.2%}"
        )
        for row in one.rows:
            lines.append(f"    {row.blocked:4} x {row.rule[:110]}")
            lines += [f"           {subject[:110]}" for subject in row.subjects]
    total, blocked = sum(one.subjects for one in outcomes), sum(one.blocked for one in outcomes)
    lines.append(f"all: {blocked} of {total} ({blocked / max(1, total):.3%}), bar {BAR:.1%}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the repositories named on the command line; fail above the bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--subjects", type=int, default=SUBJECTS)
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args(arguments)
    outcomes = [measure(path, chosen.subjects) for path in chosen.paths]
    sys.stdout.write(f"{show(outcomes)}\n")
    if chosen.json is not None:
        chosen.json.write_text(json.dumps([asdict(one) for one in outcomes], indent=2), "utf-8")
    total = sum(one.subjects for one in outcomes)
    return int(sum(one.blocked for one in outcomes) > BAR * total)


if __name__ == "__main__":
    raise SystemExit(main())
