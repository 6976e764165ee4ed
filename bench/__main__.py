"""Run the measures, all of them or one: python -m bench [PART]; --help names the parts."""

from __future__ import annotations

import argparse
import json
import os
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from bench import report
from bench.report import CACHE, RESULTS

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).resolve().parent


def main() -> None:
    """Measure what is asked for, print tables, and keep the figures as JSON."""
    arguments = _parse()
    machine = report.describe_machine()
    parts = []
    chosen = _measures(
        arguments.data,
        large=arguments.large,
        quick=arguments.quick,
        repositories=arguments.repositories,
    )
    for name, measure in chosen.items():
        if arguments.part in (name, "all"):
            parts.append(measure())
            print(report.render(parts[-1]), flush=True)
    print(report.footer(machine))
    stamp = machine["date"].replace(":", "").replace("+0000", "Z")
    target = arguments.json or RESULTS / f"{stamp}-{arguments.part}.json"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(report.as_dict(parts, machine), indent=2) + "\n", "utf-8")
    print(f"Written to {target}")


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("part", nargs="?", default="all", choices=[*_measures(Path()), "all"])
    data = Path(os.environ.get("DMM_BENCH_DATA") or HERE / "data")
    parser.add_argument("--data", type=Path, default=data, help="folder of the public sets")
    parser.add_argument("--large", action="store_true", help="also a ledger of 1,000,000 events")
    parser.add_argument("--quick", action="store_true", help="a small run of the daemon's measures")
    parser.add_argument("--repositories", type=Path, help="folder of the Git folders of issues")
    parser.add_argument("--json", type=Path, help="where to write the figures")
    return parser.parse_args()


def _plain(name: str) -> Callable[[], report.Part]:
    """Name a part that needs nothing but its module."""

    def measure() -> report.Part:
        part: report.Part = import_module(f"bench.{name}").measure()
        return part

    return measure


def _sized(name: str, *, quick: bool) -> Callable[[], report.Part]:
    """Name a part that has a small run of its own."""

    def measure() -> report.Part:
        part: report.Part = import_module(f"bench.{name}").measure(quick=quick)
        return part

    return measure


def _with_vectors(name: str, data: Path) -> Callable[[], report.Part]:
    """Name a part that reads the public sets, with the vectors kept between runs."""

    def measure() -> report.Part:
        from bench.cached import CachedEmbedder

        module = import_module(f"bench.{name}")
        part: report.Part = module.measure(data, CachedEmbedder.open(CACHE))
        return part

    return measure


def _measures(
    data: Path, *, large: bool = False, quick: bool = False, repositories: Path | None = None
) -> dict[str, Callable[[], report.Part]]:
    """Name every part; its module is imported only when it runs."""

    def ledger() -> report.Part:
        from bench import ledger

        return ledger.measure(large=large)

    def daemon() -> report.Part:
        from bench import daemon

        return daemon.measure(CACHE, quick=quick)

    def scan() -> report.Part:
        from bench import conflict_scan

        return conflict_scan.measure(CACHE, quick=quick)

    def conflicts() -> report.Part:
        from bench import conflicts

        return conflicts.measure(data)

    def localisation() -> report.Part:
        from bench import localisation

        return localisation.measure(data, repositories or data / "repositories")

    return {
        "quality": _with_vectors("quality", data),
        "latency": _plain("latency"),
        "indexing": _plain("indexing"),
        "footprint": _plain("footprint"),
        "tokens": _with_vectors("tokens", data),
        "recall": _with_vectors("recall", data),
        "ledger": ledger,
        "daemon": daemon,
        "backlog": _sized("backlog", quick=quick),
        "import": _sized("imports", quick=quick),
        "conflicts": conflicts,
        "scan": scan,
        "localisation": localisation,
        "repository": _plain("repository"),
        "redaction": _plain("redaction"),
        "growth": _plain("growth"),
        **{name: _sized(name, quick=quick) for name in ("page", "team", "team_search")},
    }


if __name__ == "__main__":
    main()
