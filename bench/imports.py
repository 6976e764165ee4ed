"""Import: instruction files of many lines into planned memories, and how that grows.

The files are like a CLAUDE.md that nobody ever cleared out: headings, rules in lists, some prose,
some commands, and every fiftieth rule said before.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench import clock, projects, synthetic
from bench.report import Measure, Part
from dmm.embed.model import Embedder
from dmm.importer.outline import outline

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from bench.synthetic import World

SIZES = (10_000, 100_000, 1_000_000)
FEW_LINES = (1_000, 5_000)
# A source may have so many bytes; a larger text is a folder of several.
LINES_A_FILE = 40_000
WANTED = 20_000
TOPICS = (
    *("Testing", "Git workflow", "Code style", "Architecture", "Deployment", "Security"),
    *("Database", "API design", "Logging", "Error handling", "Frontend", "Performance"),
)
VERBS = ("Never", "Always", "Use", "Prefer", "Do not", "Run")


def measure(*, quick: bool = False) -> Part:
    """Plan the import of more and more lines, and read the same lines as markdown alone."""
    embedder = Embedder.load()
    world = synthetic.make_world(embedder)
    measures: list[Measure] = []
    before: tuple[int, float] | None = None
    for lines in FEW_LINES if quick else SIZES:
        with tempfile.TemporaryDirectory(prefix="dmm-bench-") as name:
            folder = Path(name)
            texts = list(_write(folder, world, lines))
            spent, peak = _plan(folder)
            bare = clock.spend(_reader(texts))
        measures += _tell(lines, spent, bare, peak)
        if before is not None:
            growth = (spent / before[1]) / (lines / before[0])
            note = "1 is linear"
            measures.append(Measure("  growth", growth, 1.3, at_most=True, digits=2, note=note))
        before = lines, spent
    return Part("Import", tuple(measures), "Preview of an import into an empty project, CPU time.")


def _tell(lines: int, spent: float, bare: clock.Spent, peak: float) -> Iterator[Measure]:
    name = f"{lines:,} lines, lines per second"
    yield Measure(name, lines / spent, WANTED, digits=0, note=f"{spent:.1f} s, {peak:.0f} MB")
    yield Measure("  CPU over reading the markdown alone", spent / bare.cpu, digits=1)


def _reader(texts: list[str]) -> Callable[[], None]:
    def read() -> None:
        for text in texts:
            outline("a.md", text)

    return read


def _write(folder: Path, world: World, lines: int) -> Iterator[str]:
    for number, at in enumerate(range(0, lines, LINES_A_FILE)):
        drawn = list(draw_lines(world, min(LINES_A_FILE, lines - at), number))
        name = "CLAUDE.md" if number == 0 else f"notes_{number}.md"
        text = "\n".join(drawn) + "\n"
        (folder / name).write_text(text, "utf-8")
        yield text


def draw_lines(world: World, lines: int, number: int) -> Iterator[str]:
    """Draw the lines of one file."""
    rng = np.random.default_rng(synthetic.SEED + number)

    def say(words: int) -> str:
        return " ".join(synthetic.draw_words(world, rng, words))

    drawn: list[str] = [f"# Project {number}", ""]
    said: list[str] = []
    while len(drawn) < lines:
        drawn += [f"## {TOPICS[int(rng.integers(len(TOPICS)))]}: {say(2)}", ""]
        for _ in range(int(rng.integers(1, 4))):
            drawn += [f"### {say(3).capitalize()}", "", f"{say(20).capitalize()}.", ""]
            for _ in range(int(rng.integers(3, 12))):
                if said and rng.random() < 0.02:
                    drawn.append(said[int(rng.integers(len(said)))])
                else:
                    verb = VERBS[int(rng.integers(len(VERBS)))]
                    said.append(f"- {verb} {say(int(rng.integers(6, 16)))}.")
                    drawn.append(said[-1])
            drawn.append("")
            if rng.random() < 0.2:
                drawn += ["```bash", f"make {say(2)}", "```", ""]
    return iter(drawn[:lines])


def _plan(folder: Path) -> tuple[float, float]:
    """Plan an import in a process of its own; give its CPU seconds and its memory at the peak."""
    line = [sys.executable, "-m", "bench.imports", str(folder)]
    done = subprocess.run(line, check=True, capture_output=True, text=True)
    spent, peak = done.stdout.split()
    return float(spent), float(peak)


def _plan_here(folder: Path) -> None:
    with projects.open_project(Embedder.load, baseline=True) as dmm:
        dmm.count("load the ranks")
        spent = clock.spend(lambda: dmm.importer.plan([folder]))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    sys.stdout.write(f"{spent.cpu} {peak}\n")


if __name__ == "__main__":
    _plan_here(Path(sys.argv[1]))
