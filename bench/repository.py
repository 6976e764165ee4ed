"""A large repository: how long it takes to index, to look for changes, to load and to ask.

Its files are made of a seeded vocabulary: packages of modules that import one another. Run it:
python -m bench.repository
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench import clock, report
from bench.report import Measure, Part
from dmm.repo.index import RepoIndex

if TYPE_CHECKING:
    from numpy.random import Generator

FILES = 10_000
PACKAGES = 200
VOCABULARY = 20_000
FUNCTIONS = range(4, 16)
LINES = range(4, 16)
QUESTIONS = 30
SEED = 20260101
LETTERS = "aeioubcdfghklmnprstvw"


def measure(files: int = FILES) -> Part:
    """Make a repository and take the time of everything that is done with it."""
    rng = np.random.default_rng(SEED)
    words = _vocabulary(rng)
    with tempfile.TemporaryDirectory() as temporary:
        project = Path(temporary) / "project"
        lines = _write(project, files, words, rng)
        store = Path(temporary) / "repo.db"
        with RepoIndex.open(project, store) as index:
            fresh = clock.spend(index.sync)
            index.sync()
            same = clock.spend(index.sync)
            loaded = clock.spend(lambda: index.search("warm"))
            asked = [clock.spend(partial(index.search, q)) for q in _questions(words, rng)]
            (project / "package0" / "module0.py").write_text("changed = 1\n", "utf-8")
            changed = clock.spend(index.sync)
        size = store.stat().st_size / 2**20
    measures = (
        Measure("fresh index, wall s", fresh.wall, 300, at_most=True, note=f"{lines} lines"),
        Measure("fresh index, CPU s", fresh.cpu),
        Measure("nothing changed, wall s", same.wall, digits=2),
        Measure("one file changed, wall s", changed.wall, digits=2),
        Measure("first question, wall s", loaded.wall, digits=2, note="loads the index"),
        Measure("question, wall ms", clock.wall_ms(asked), 100, at_most=True),
        Measure("question, wall ms, p95", clock.wall_ms(asked, 0.95)),
        Measure("question, CPU ms", clock.cpu_ms(asked)),
        Measure("index file, MB", size, digits=0),
    )
    return Part(f"A repository of {files} files", measures)


def _vocabulary(rng: Generator) -> list[str]:
    letters = np.array(list(LETTERS))
    return ["".join(rng.choice(letters, int(rng.integers(3, 9)))) for _ in range(VOCABULARY)]


def _write(project: Path, files: int, words: list[str], rng: Generator) -> int:
    lines = 0
    for number in range(files):
        package, module = number % PACKAGES, number // PACKAGES
        target = project / f"package{package}" / f"module{module}.py"
        target.parent.mkdir(parents=True, exist_ok=True)
        text = _module(package, module, words, rng)
        lines += text.count("\n")
        target.write_text(text, "utf-8")
    for command in (("init", "--quiet"), ("add", "--all")):
        subprocess.run(["git", *command], cwd=project, check=True)
    return lines


def _module(package: int, module: int, words: list[str], rng: Generator) -> str:
    other = f"from package{package}.module{max(0, module - 1)} import thing\n\n"
    return other + "\n".join(_function(words, rng) for _ in range(int(rng.choice(FUNCTIONS))))


def _function(words: list[str], rng: Generator) -> str:
    count = int(rng.choice(LINES))
    chosen = iter(_draw(words, rng, 4 + 6 * count))
    body = (
        f"    {next(chosen)} = {next(chosen)}_{next(chosen)}({next(chosen)}, {next(chosen)})"
        f"  # {next(chosen)}\n"
        for _ in range(count)
    )
    return f"def {next(chosen)}_{next(chosen)}({next(chosen)}):\n" + "".join(body)


def _draw(words: list[str], rng: Generator, count: int) -> list[str]:
    """Draw words by Zipf's law, as programs use them."""
    places = np.minimum(rng.zipf(1.2, count), len(words)) - 1
    return [words[place] for place in places]


def _questions(words: list[str], rng: Generator) -> list[str]:
    """Issue texts of two hundred words, and short questions."""
    sizes = [200 if number % 2 else 8 for number in range(QUESTIONS)]
    return ["\n".join(_draw(words, rng, size)) for size in sizes]


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="python -m bench.repository", description=__doc__)
    parser.add_argument("--files", type=int, default=FILES)
    print(report.render(measure(parser.parse_args().files)))


if __name__ == "__main__":
    main()
