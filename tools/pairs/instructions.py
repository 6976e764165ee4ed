"""Instruction files of public projects under MIT or Apache-2.0, taken out of Git mirrors.

`imported` and `neighbours` read them, one folder for each project.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from pathlib import Path

NAMES = re.compile(
    r"(?:^|/)(?:AGENTS|CLAUDE|GEMINI|CONTRIBUTING|SKILL|development|conventions|architecture"
    r"|style-?guide)\.md$|\.cursor/rules/.*\.mdc?$|(?:copilot-|\.)instructions\.md$",
    re.IGNORECASE,
)
LICENCE = re.compile(
    r"(?:LICENSE|LICENCE|COPYING)(?:\.(?:md|txt|rst))?|LICENSE-(?:MIT|APACHE).*", re.IGNORECASE
)
FREE = re.compile(r"Apache License|Permission is hereby granted, free of charge")
BOUND = re.compile(r"Elastic License|Commons Clause")
MOST_FILES, LONGEST, MOST_BYTES = 60, 80_000, 400_000  # of one project


def read(place: Path, *words: str) -> bytes:
    """Return what Git prints about a mirror; nothing where it fails."""
    return subprocess.run(["git", "--git-dir", str(place), *words], capture_output=True).stdout


def is_free(place: Path, names: list[str]) -> bool:
    """Tell whether the project's own licence is one of the two."""
    licence = next((name for name in names if LICENCE.fullmatch(name)), None)
    text = read(place, "show", f"HEAD:{licence}").decode("utf-8", "replace")[:3_000]
    return licence is not None and bool(FREE.search(text)) and not BOUND.search(text)


def take(place: Path, out: Path) -> int:
    """Write the instruction files of one mirror; gives their number."""
    names = read(place, "ls-tree", "-r", "--name-only", "HEAD").decode("utf-8").splitlines()
    if not is_free(place, names):
        return 0
    count = size = 0
    for name in [one for one in names if NAMES.search(one)][:MOST_FILES]:
        content = read(place, "show", f"HEAD:{name}")
        if len(content) > LONGEST or size + len(content) > MOST_BYTES:
            continue
        path = (out / name.replace("/", "__")).with_suffix(".md")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        count, size = count + 1, size + len(content)
    return count


def main() -> None:
    """Take the files of all mirrors but those that are kept to measure with."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mirrors", type=Path, required=True, help="folder with the mirrors")
    parser.add_argument("--but", nargs="*", default=[], help="projects to leave out, as owner+name")
    parser.add_argument("--out", type=Path, required=True, help="folder to write to")
    options = parser.parse_args()
    for mirror in sorted(options.mirrors.iterdir()):
        if mirror.name not in options.but and (mirror / "repo").is_dir():
            count = take(mirror / "repo", options.out / mirror.name)
            if count:
                print(count, mirror.name)


if __name__ == "__main__":
    main()
