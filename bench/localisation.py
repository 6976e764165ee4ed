"""File localisation: issue texts in, the files that were changed to settle them out.

The set names repositories and commits; the repositories are Git folders that the caller has. Files
are read from Git's objects at the commit. Run it: python -m bench.localisation --help
"""

from __future__ import annotations

import argparse
import json
import re
import tempfile
import time
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bench import clock, loaders, metrics, report
from bench.commits import CommitTree
from bench.report import Measure, Part
from dmm.index.lexical import LexicalIndex, pack_terms
from dmm.repo import git
from dmm.repo.index import RepoIndex
from dmm.repo.kinds import kind_of
from dmm.repo.records import Kind

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dmm.index.records import Terms

ISSUES = "code/swebench_lite_loc.dev.json"
BARS = {1: 52.0, 5: 80.0, 10: 86.0}
MISSED = 10_000

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Outcome:
    """Where the last of an issue's files stands in each ranking, from 1; and what it took."""

    issue: str
    repository: str
    found: int
    among_all: int
    baseline: int
    files: int
    sync_s: float
    query_ms: float


def measure(data: Path, repositories: Path) -> Part:
    """Measure on every issue whose repository holds its commit."""
    issues = loaders.read_json(data, ISSUES)
    return summarise(list(_run(issues, repositories)), len(issues))


def _run(issues: Iterable[dict[str, Any]], repositories: Path) -> Iterable[Outcome]:
    by_repository = defaultdict(list)
    for issue in issues:
        by_repository[issue["repo"]].append(issue)
    for name, own in sorted(by_repository.items()):
        folder = locate(repositories, name)
        if folder is None:
            continue
        words: dict[str, Terms] = {}
        with tempfile.TemporaryDirectory() as temporary:
            for issue in own:
                if git.ask(folder, "cat-file", "-e", f"{issue['base_commit']}^{{tree}}") is None:
                    continue
                tree = CommitTree(folder, issue["base_commit"])
                yield _settle(issue, tree, Path(temporary) / "repo.db", words)
                tree.close()


def locate(repositories: Path, name: str) -> Path | None:
    """Find a repository's Git folder: owner/name, owner+name or owner+name/repo."""
    joined = name.replace("/", "+")
    places = (repositories / name, repositories / joined / "repo", repositories / joined)
    return next((place for place in places if place.is_dir()), None)


def _settle(
    issue: dict[str, Any], tree: CommitTree, store: Path, words: dict[str, Terms]
) -> Outcome:
    text, gold = issue["problem_statement"], issue["gold_files"]
    with RepoIndex(tree, store) as index:
        started = time.perf_counter()
        index.sync()
        synced = time.perf_counter()
        index.search("warm")
        asked = clock.spend(lambda: index.search(text))
        ranked = index.rank(text)
    candidates = [entry for entry in tree.entries() if is_candidate(entry.path)]
    plain = _rank_plainly(text, tree, [(e.path, e.blob or "") for e in candidates], words)
    return Outcome(
        issue=issue["instance_id"],
        repository=issue["repo"],
        found=last_place([path for path in ranked if is_candidate(path)], gold),
        among_all=last_place(ranked, gold),
        baseline=last_place(plain, gold),
        files=len(candidates),
        sync_s=synced - started,
        query_ms=1_000 * asked.cpu,
    )


def is_candidate(path: str) -> bool:
    """Say whether a file counts in this set: Python, and no test."""
    return path.endswith(".py") and kind_of(path) is not Kind.TEST


def last_place(ranked: Sequence[str], gold: Sequence[str]) -> int:
    """The place, from 1, by which all of an issue's files are found."""
    places = {path: place for place, path in enumerate(ranked, 1)}
    return max(places.get(path, MISSED) for path in gold)


def _rank_plainly(
    text: str, tree: CommitTree, files: list[tuple[str, str]], words: dict[str, Terms]
) -> list[str]:
    """The baseline: BM25 over the plain words of whole files."""
    for path, blob in files:
        if blob not in words:
            words[blob] = _count(tree.read(path, blob) or b"")
    scores = LexicalIndex(words[blob] for _, blob in files).score(
        dict.fromkeys(_WORD.findall(text.lower()), 1.0)
    )
    order = (-scores.bm25).argsort(kind="stable").tolist()
    return [files[row][0] for row in order]


def _count(data: bytes) -> Terms:
    counted = Counter(_WORD.findall(data.decode("utf-8", "replace").lower()))
    return pack_terms({word: float(count) for word, count in counted.items()})


def summarise(outcomes: Sequence[Outcome], total: int) -> Part:
    """Put outcomes into a table, with the baseline of the same run beside."""
    if not outcomes:
        return Part("File localisation", (Measure("issues", None),), "No repository is at hand.")
    measures = [
        Measure(
            f"Acc@{depth}, non-test .py files",
            accuracy(outcomes, "found", depth),
            bar,
            beside={
                "BM25 over files": accuracy(outcomes, "baseline", depth),
                "among all files": accuracy(outcomes, "among_all", depth),
            },
        )
        for depth, bar in BARS.items()
    ]
    for name, own in sorted(_by_repository(outcomes).items()):
        beside = {f"@{depth}": accuracy(own, "found", depth) for depth in (5, 10)}
        beside["BM25 @1"] = accuracy(own, "baseline", 1)
        note = f"{len(own)} issues"
        measures.append(
            Measure(f"{name} Acc@1", accuracy(own, "found", 1), beside=beside, note=note)
        )
    slowest = metrics.percentile([one.query_ms for one in outcomes], 0.95)
    middle = metrics.percentile([one.query_ms for one in outcomes], 0.5)
    measures.append(
        Measure("query CPU ms, median", middle, 100, at_most=True, beside={"p95": slowest})
    )
    return Part(
        "File localisation", tuple(measures), f"{len(outcomes)} of {total} issues measured."
    )


def accuracy(outcomes: Sequence[Outcome], ranking: str, depth: int) -> float:
    """Share of the issues, in percent, whose files are all among the first `depth`."""
    return 100 * metrics.mean([float(getattr(one, ranking) <= depth) for one in outcomes])


def _by_repository(outcomes: Sequence[Outcome]) -> dict[str, list[Outcome]]:
    grouped = defaultdict(list)
    for one in outcomes:
        grouped[one.repository].append(one)
    return grouped


def main() -> None:
    """Measure, print the table, and write the figures."""
    parser = argparse.ArgumentParser(prog="python -m bench.localisation", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the public sets")
    parser.add_argument("--repositories", type=Path, required=True, help="folder of Git folders")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    arguments = parser.parse_args()
    part = measure(arguments.data, arguments.repositories)
    print(report.render(part))
    if arguments.json:
        told = report.as_dict([part], report.describe_machine())
        arguments.json.write_text(json.dumps(told, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
