"""Work trees of public repositories from local Git directories, with instructions imported."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dmm.bootstrap import Dmm, open_root
from dmm.files.roots import NAME, Root
from dmm.files.trusted import TrustStore

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


class NotHereError(Exception):
    """A repository is not in the given folder."""


@dataclass(frozen=True, slots=True)
class Project:
    """An imported repository."""

    folder: Path
    dmm: Dmm


def find_repository(repositories: Path, name: str) -> Path:
    """Return the Git directory of `owner/name` in a folder of snapshots or clones."""
    flat = name.replace("/", "+")
    for path in (repositories / flat / "repo", repositories / flat, repositories / name):
        if path.is_dir():
            return path
    raise NotHereError(f"{name} is not in {repositories} (as {flat}, {flat}/repo or {name})")


def check_out(repository: Path, folder: Path, commit: str = "HEAD") -> None:
    """Write the files of a commit; what a snapshot lists without its content is left out."""
    git("clone", "-q", "--shared", "--no-checkout", str(repository), str(folder))
    rows = git("-C", str(folder), "ls-tree", "-r", commit).splitlines()
    named = [(row.split()[2], row.split("\t", 1)[1]) for row in rows]
    listed = "".join(f"{one}\n" for one, _ in named)
    known = git("-C", str(folder), "cat-file", "--batch-check", given=listed)
    absent = {line.split()[0] for line in known.splitlines() if line.endswith("missing")}
    git("-C", str(folder), "read-tree", commit)
    if absent:
        gone = "".join(f"{path}\n" for one, path in named if one in absent)
        git("-C", str(folder), "update-index", "--force-remove", "--stdin", given=gone)
    git("-C", str(folder), "checkout-index", "-a", "-q")


def import_project(repository: Path, base: Path) -> Project:
    """Check a repository out, import its instruction files, and open it with its index.

    What an earlier run left in `base` is kept, but what its index lacks is added: another model
    drops all vectors, and a query would answer by words alone.
    """
    project = import_files(repository, base)
    project.dmm.memories.reindex()
    return project


def open_projects(
    repositories: Path, rows: Iterable[dict[str, Any]], work: Path | None
) -> Iterator[tuple[Project, list[dict[str, Any]]]]:
    """Import the repository of each row of a table, and yield it with its rows."""
    with tempfile.TemporaryDirectory() as temporary:
        for name, asked in groupby(rows, key=lambda one: str(one["repo"])):
            try:
                repository = find_repository(repositories, name)
            except NotHereError as error:
                print(f"left out: {error}", file=sys.stderr)
                continue
            project = import_project(repository, (work or Path(temporary)) / name.replace("/", "+"))
            try:
                yield project, list(asked)
            finally:
                project.dmm.close()


def import_files(repository: Path, base: Path, commit: str = "HEAD") -> Project:
    """Check a commit out and import its instruction files; nothing is indexed."""
    folder, home = base / "work", base / "home"
    root = Root(folder / NAME)
    if not root.folder.is_dir():
        home.mkdir(parents=True)
        check_out(repository, folder, commit)
        root.tree.root.mkdir(parents=True)
        TrustStore.of_user(home).trust(root.folder)
        dmm = open_root(root, home)
        dmm.importer.apply(dmm.importer.plan(dmm.importer.find_files()))
    # An import may have changed the settings.
    return Project(folder, open_root(root, home))


def git(*words: str, given: str | None = None) -> str:
    """Run Git and return what it prints."""
    plain = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    done = subprocess.run(
        ["git", *words],
        input=None if given is None else given.encode(),
        capture_output=True,
        check=True,
        env=os.environ | plain,
    )
    return done.stdout.decode("utf-8", "replace")
