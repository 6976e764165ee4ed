"""Footprint: the memory of a loaded process, and the CPU time of the command from cold."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from bench import clock, projects, synthetic
from bench.indexing import choose_texts
from bench.report import Measure, Part
from dmm.embed.model import Embedder

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

LOADED = 10_000
QUESTIONS = 20
ROUNDS = 7
COMMAND = Path(sys.executable).with_name("dmm")
QUESTION = "how does the archive write members and close the file"


def measure() -> Part:
    """Measure in fresh processes."""
    embedder = Embedder.load()
    measures = (*_measure_memory(embedder), *_measure_command(embedder))
    return Part("Footprint", measures, f"Commands: median of {ROUNDS} runs, user and system time.")


def _measure_memory(embedder: Embedder) -> Iterator[Measure]:
    name = f"memory with {LOADED:,} memories, MB"
    world = synthetic.make_world(embedder)
    with projects.open_project(lambda: embedder, baseline=True) as dmm:
        synthetic.fill(dmm, world, LOADED)
        dmm.indexes.close()
        questions = json.dumps(list(synthetic.ask(world, QUESTIONS)))
        command = [sys.executable, "-m", "bench.resident", str(dmm.root.project), questions]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    held = json.loads(done.stdout)
    note = f"of it private {held['RssAnon']:.0f}, mapped files {held['RssFile']:.0f}"
    yield Measure(name, held["VmRSS"], 200, at_most=True, note=note)
    yield Measure("  at its peak, while loading, MB", held["VmHWM"])


def _measure_command(embedder: Embedder) -> Iterator[Measure]:
    if not COMMAND.exists():
        yield Measure("dmm query, dmm --help", None, note=f"not here: {COMMAND.name} beside python")
        return
    texts = choose_texts()
    with projects.open_project(lambda: embedder, baseline=True) as dmm:
        projects.write_texts(dmm.root.project, texts)
        dmm.indexes.sync()
        dmm.indexes.close()
        project = dmm.root.project
        settle = {**os.environ, "HOME": str(project.parent), "DMM_ROOT": str(project)}
        # An installed package has its bytecode; the first run writes it where it is not there yet.
        settle.pop("PYTHONDONTWRITEBYTECODE", None)
        query = _run([str(COMMAND), "query", QUESTION], settle)
        helped = _run([str(COMMAND), "--help"], settle)
    name = f"dmm query, cold, {len(texts)} memories, CPU s"
    wall = f"wall {clock.wall_ms(query):.0f} ms"
    yield Measure(name, clock.cpu_ms(query) / 1_000, 0.8, at_most=True, digits=2, note=wall)
    wall = f"wall {clock.wall_ms(helped):.0f} ms"
    cpu = clock.cpu_ms(helped) / 1_000
    yield Measure("dmm --help, CPU s", cpu, 0.25, at_most=True, digits=2, note=wall)


def _run(command: Sequence[str], environment: Mapping[str, str]) -> list[clock.Spent]:
    """Run a command several times, after one run that warms the disk."""
    spent = []
    for _ in range(ROUNDS + 1):
        before, started = _children(), time.perf_counter()
        subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
        spent.append(clock.Spent(_children() - before, time.perf_counter() - started))
    return spent[1:]


def _children() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
