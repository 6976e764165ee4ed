"""Score the packs of realistic tasks: python -m bench.everyday --repositories FOLDER [--show].

FOLDER holds the repositories that `tasks.jsonl` names, as Git directories `owner+name/repo`, or as
clones `owner+name` or `owner/name`. Those that are not there are named and left out. With --work
the imported projects stay in a folder, and later runs measure them as they are.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from bench.everyday.scoring import Scored, Task, is_useful, lines_of, read_tasks, says
from bench.everyday.snapshots import NotHereError, Project, find_repository, import_project
from dmm.domain.pack import QueryRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.domain.pack import Pack

HERE = Path(__file__).parent


def score(project: Project, tasks: Sequence[Task]) -> list[Scored]:
    """Query every task of one repository."""
    memories = [path.read_text("utf-8") for path in sorted(project.folder.glob(".dmm/**/*.md"))]
    names = [str(path.relative_to(project.folder)) for path in project.dmm.importer.find_files()]
    known = lines_of(project.folder, names)
    found = []
    for task in tasks:
        pack = _query(project, task.task)
        helpful = lines_of(project.folder, (task.right, *task.useful))
        entries = pack.retrieved_entries
        useful = tuple(is_useful(one.content, helpful, known) for one in entries)
        paths = tuple(one.path for one in entries)
        found.append(Scored(task, _first(task, pack, memories), paths, useful))
    return found


def _first(task: Task, pack: Pack, memories: Sequence[str]) -> str:
    always = [one.content for one in pack.baseline_entries]
    always += [line.text for line in pack.constraints]
    if any(says(text, task.says) for text in always):
        return "always"
    if not any(says(text, task.says) for text in memories):
        return "lost"
    if not pack.retrieved_entries:
        return "nothing"
    return "right" if says(pack.retrieved_entries[0].content, task.says) else "wrong"


def _query(project: Project, task: str) -> Pack:
    settings = project.dmm.config.retrieval
    asked = QueryRequest(task, settings.default_budget, settings.baseline_budget)
    return project.dmm.packs.query(asked, refresh=False).pack


def run(
    repositories: Path, work: Path, tasks: Sequence[Task], prompts: Sequence[str]
) -> tuple[list[Scored], set[str]]:
    """Import every repository and score its tasks; also the unrelated prompts that got memories.

    Every prompt is put to every repository.
    """
    scored: list[Scored] = []
    noisy: set[str] = set()
    for name in sorted({task.repo for task in tasks}):
        try:
            repository = find_repository(repositories, name)
        except NotHereError as error:
            print(f"left out: {error}", file=sys.stderr)
            continue
        project = import_project(repository, work / name.replace("/", "+"))
        try:
            scored += score(project, [task for task in tasks if task.repo == name])
            noisy |= {one for one in prompts if _query(project, one).retrieved_entries}
        finally:
            project.dmm.close()
    return scored, noisy


def describe(scored: Sequence[Scored], noisy: set[str], asked: int) -> dict[str, object]:
    """Return the figures as data."""
    searched = [one for one in scored if one.first != "always"]
    right = sum(one.first == "right" for one in searched)
    flags = [flag for one in scored for flag in one.useful]
    return {
        "tasks": len(scored),
        "always_on": len(scored) - len(searched),
        "right_first": f"{right} of {len(searched)}",
        "right_first_or_always_on": f"{right + len(scored) - len(searched)} of {len(scored)}",
        "useful_entries": f"{sum(flags)} of {len(flags)}",
        "useful_share": round(sum(flags) / max(len(flags), 1), 3),
        "abstained": f"{asked - len(noisy)} of {asked}",
    }


def main() -> None:
    """Measure, and print the figures; each task too with --show."""
    parser = argparse.ArgumentParser(prog="bench.everyday", description=__doc__)
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--tasks", type=Path, default=HERE / "tasks.jsonl")
    parser.add_argument("--work", type=Path, help="keep the imported projects here")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    prompts = (HERE / "unrelated.txt").read_text("utf-8").splitlines()
    with tempfile.TemporaryDirectory(prefix="dmm-everyday-") as base:
        work = given.work or Path(base)
        scored, noisy = run(given.repositories, work, read_tasks(given.tasks), prompts)
    if given.show:
        for one in scored:
            marks = " ".join("+" if flag else "-" for flag in one.useful)
            print(f"{one.first:8} {marks:10} {one.task.repo}: {one.task.task}")
            for path, flag in zip(one.paths, one.useful, strict=True):
                print(f"             {'+' if flag else '-'} {path}")
        print(*(f"noise    {line}" for line in sorted(noisy)), sep="\n")
    figures = describe(scored, noisy, len(prompts))
    print(json.dumps(figures, indent=2))
    if given.json is not None:
        rows = [asdict(one) for one in scored]
        given.json.write_text(json.dumps({"figures": figures, "tasks": rows}, indent=2) + "\n")


if __name__ == "__main__":
    main()
