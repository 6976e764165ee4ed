"""Measures as values, and how they are shown: a table for people, JSON for programs."""

from __future__ import annotations

import datetime as dt
import hashlib
import os
import platform
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import dmm

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

MISSING = "not here"
RESULTS = Path(__file__).resolve().parent / "results"
CACHE = RESULTS / "cache"


@dataclass(frozen=True, slots=True)
class Measure:
    """One figure, what it must reach, and other figures to see it by."""

    name: str
    value: float | None
    bar: float | None = None
    at_most: bool = False
    digits: int = 1
    beside: dict[str, float] = field(default_factory=dict)
    note: str = ""

    @property
    def reached(self) -> bool | None:
        """Whether the bar is reached; None without a bar or without a figure."""
        if self.bar is None or self.value is None:
            return None
        return self.value <= self.bar if self.at_most else self.value >= self.bar

    def as_dict(self) -> dict[str, Any]:
        """The measure as plain data."""
        return asdict(self) | {"reached": self.reached}


@dataclass(frozen=True, slots=True)
class Part:
    """A table: the measures of one kind."""

    title: str
    measures: tuple[Measure, ...]
    remark: str = ""


def missing(name: str, what: object) -> Measure:
    """Say that a set is not in the data folder."""
    return Measure(name, None, note=f"{MISSING}: {what}")


def render(part: Part) -> str:
    """Write a part as a plain table."""
    beside = list(dict.fromkeys(key for m in part.measures for key in m.beside))
    head = ["", *beside, "measured", "bar", "reached", ""]
    rows = [[*_cells(measure, beside)] for measure in part.measures]
    widths = [max(len(row[n]) for row in (head, *rows)) for n in range(len(head))]
    lines = [_line(row, widths) for row in (head, *rows)]
    rule = "-" * max(map(len, lines))
    remark = [part.remark] if part.remark else []
    return "\n".join([part.title, rule, lines[0], rule, *lines[1:], *remark, ""])


def _cells(measure: Measure, beside: Sequence[str]) -> Iterator[str]:
    yield measure.name
    for key in beside:
        yield _figure(measure.beside.get(key), measure.digits)
    yield _figure(measure.value, measure.digits)
    sign = "<= " if measure.at_most else ""
    yield "" if measure.bar is None else sign + _figure(measure.bar, measure.digits)
    yield {True: "yes", False: "NO", None: ""}[measure.reached]
    yield measure.note


def _figure(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:,.{digits}f}"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    last = len(cells) - 1
    padded = (
        cell.ljust(width) if n in (0, last) else cell.rjust(width)
        for n, (cell, width) in enumerate(zip(cells, widths, strict=True))
    )
    return "  ".join(padded).rstrip()


def describe_machine() -> dict[str, Any]:
    """Say when and where was measured, and how busy the machine was."""
    load = os.getloadavg() if hasattr(os, "getloadavg") else ()
    return {
        "date": dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        "cpu": _cpu_name(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": platform.system(),
        "source": fingerprint_source(),
        "load_average": [round(value, 2) for value in load],
    }


def fingerprint_source() -> str:
    """Name the measured code by its content."""
    package = Path(dmm.__file__).parent
    digest = hashlib.sha256()
    for file in sorted(package.rglob("*.py")):
        digest.update(file.relative_to(package).as_posix().encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:12]


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        return platform.machine()
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def footer(machine: dict[str, Any]) -> str:
    """Write the line below all tables."""
    load = ", ".join(map(str, machine["load_average"])) or "unknown"
    changed = fingerprint_source() != machine["source"]
    return (
        f"{machine['date']}, {machine['cores']} x {machine['cpu']}, Python {machine['python']}, "
        f"load average at the start {load}, source {machine['source']}.\n"
        "Other work may run on the machine: trust ratios and CPU time more than wall time."
        + ("\nTHE SOURCE CHANGED WHILE IT WAS MEASURED: run again." if changed else "")
    )


def as_dict(parts: Iterable[Part], machine: dict[str, Any]) -> dict[str, Any]:
    """Lay a run out as plain data."""
    return {
        "machine": machine,
        "parts": [
            {"title": part.title, "measures": [measure.as_dict() for measure in part.measures]}
            for part in parts
        ],
    }
