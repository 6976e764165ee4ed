"""Check what import made of repositories.

    python -m bench.everyday.checks --repositories FOLDER [--work FOLDER] [OWNER/NAME...]

Counts the memories that Git ignores, titles that are used twice, memories with lines of several
packages, and what `dmm validate` finds. Exit status 1 where any count is not 0.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from bench.everyday.scoring import plain, read_tasks, section_lines
from bench.everyday.snapshots import Project, find_repository, import_project
from dmm.files.markdown import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
# The folders of tools say nothing of the package that an instruction file is about.
TOOLS = (".claude", ".agents", ".cursor", ".github", ".codex", ".opencode", "skills")


def find_ignored(folder: Path) -> list[str]:
    """List the memory and rule files that Git ignores."""
    paths = [str(path.relative_to(folder)) for path in sorted(folder.glob(".dmm/**/*.md"))]
    done = subprocess.run(
        ["git", "check-ignore", "--no-index", "--stdin"],
        input="\n".join(path for path in paths if "/packs/" not in path),
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done.stdout.splitlines()


def package_of(path: str) -> str:
    """Return the folder that an instruction file is about; empty for the whole repository."""
    parts = path.split("/")[:-1]
    ends = [at for at, part in enumerate(parts) if part in TOOLS]
    return "/".join(parts[: ends[0]] if ends else parts)


def find_merged(project: Project, memories: dict[str, str]) -> Iterator[str]:
    """List the memories with lines that only different packages have."""
    owners: dict[str, set[str]] = {}
    for file in project.dmm.importer.find_files():
        name = str(file.relative_to(project.folder))
        for line in section_lines(file.read_text("utf-8"), ""):
            owners.setdefault(line, set()).add(package_of(name))
    for path, body in memories.items():
        lines = {plain(line) for line in body.splitlines()}
        packages = {next(iter(owners[one])) for one in lines if len(owners.get(one, ())) == 1}
        if len(packages) > 1:
            yield f"{path}: {', '.join(sorted(one or 'the repository' for one in packages))}"


def check(project: Project) -> dict[str, list[str]]:
    """Return what is wrong, by kind."""
    tree = project.folder / ".dmm" / "memory"
    read = {
        str(path.relative_to(tree)): parse(str(path.relative_to(tree)), path.read_text("utf-8"))
        for path in sorted(tree.rglob("*.md"))
    }
    titles = Counter(one.memory.title for one in read.values())
    findings = project.dmm.validation.check().findings
    scoped = {
        path: one.memory.body for path, one in read.items() if not path.startswith("baseline")
    }
    return {
        "ignored by Git": find_ignored(project.folder),
        "titles used twice": [title for title, many in titles.items() if many > 1],
        "merged across packages": list(find_merged(project, scoped)),
        "findings of validate": [f"{one.where}: {one.message}" for one in findings],
    }


def main() -> int:
    """Import and check; by default the repositories of the tasks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--repositories", type=Path, required=True)
    parser.add_argument("--work", type=Path, help="keep the imported projects here")
    given = parser.parse_args()
    names = given.names or sorted({one.repo for one in read_tasks(HERE / "tasks.jsonl")})
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="dmm-checks-") as base:
        for name in names:
            repository = find_repository(given.repositories, name)
            work = (given.work or Path(base)) / name.replace("/", "+")
            project = import_project(repository, work)
            try:
                found = check(project)
            finally:
                project.dmm.close()
            counts = ", ".join(f"{len(those)} {kind}" for kind, those in found.items())
            print(f"{name}: {len(list(work.glob('work/.dmm/memory/**/*.md')))} memories; {counts}")
            for kind, those in found.items():
                print(*(f"  {kind}: {one}" for one in those), sep="\n", end="\n" if those else "")
                wrong += len(those)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
