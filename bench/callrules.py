"""Judging a tool call under 1,000 rules, many of them on content: `python -m bench.callrules`.

A third of the rules look at commands, a third at paths, and a third at text: half of those by
regular expression, half by structure, and half of them in one folder only. Then come rules and
texts that are made to hold a call up.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from statistics import median, quantiles
from tempfile import TemporaryDirectory
from time import thread_time
from typing import Any

from bench import hostile
from bench.hostile import LIMIT_MS, cases
from dmm.rules.callbook import CallBook, CallEntry
from dmm.rules.callrules import ToolRule
from dmm.rules.commands.calls import ToolCall
from dmm.rules.patterns import AllOf, CommandPattern, ContentPattern, PathPattern, Pattern

RULES = 1_000
_NOTHING = ToolCall("", {})
_FUNCTION = """export function handle{0}(request: Request, limit: number): Response {{
  const wanted = request.items.filter((item) => item.size > limit * {0});
  if (wanted.length === 0) {{
    throw new NotFound("nothing is larger than " + limit);
  }}
  logger.info("handled", {{ count: wanted.length, name: request.name }});
  return reply(wanted.map((item) => ({{ ...item, seen: true }})));
}}
"""


def make_patterns(count: int) -> list[Pattern]:
    """Make so many patterns, none of which the calls below meet, and one that they do."""
    found: list[Pattern] = []
    for at in range(count - 2):
        folder = PathPattern(f"services/part{at}/**", ("write",))
        regex = ContentPattern(regex=rf"\bforbidden_{at}\s*\(")
        code = ContentPattern(pattern=f"legacy{at}.call($$$)")
        text = regex if at % 2 else code
        found.append(
            (CommandPattern((f"tool{at}",), ("run",)), folder, text, AllOf((text, folder)))[
                min(at % 3, 2) + (at % 3 == 2 and at % 4 < 2)
            ]
        )
    return [*found, ContentPattern(regex=r"debugger;"), ContentPattern(pattern="eval($$$)")]


def make_book(patterns: list[Pattern]) -> CallBook:
    """Put every pattern into a rule of its own."""
    rules = [
        ToolRule(f"rule-{at}", (one,), "not here", "", _NOTHING, _NOTHING)
        for at, one in enumerate(patterns, 1)
    ]
    return CallBook(CallEntry(at, one.id, one) for at, one in enumerate(rules, 1))


def make_calls(text: str) -> dict[str, tuple[ToolCall, str]]:
    """Make calls as agents send them, each with the level that is expected."""
    broken = "  eval(wanted);\n  return reply(wanted"
    edit = {"file_path": "src/a.ts", "old_string": "limit * 90)", "new_string": "limit * 91)"}
    bad = {"file_path": "src/a.ts", "old_string": "handle90(", "new_string": "handle90(eval(1), "}
    return {
        "command": (ToolCall("Bash", {"command": "git status && npm test"}, "/p"), "allow"),
        "read": (ToolCall("Read", {"file_path": "src/a.ts"}, "/p"), "allow"),
        "edit of 2,000 lines": (ToolCall("Edit", edit, "/p"), "allow"),
        "edit that is denied": (ToolCall("Edit", bad, "/p"), "deny"),
        "write of 2,000 lines": (
            ToolCall("Write", {"file_path": "src/b.ts", "content": text}, "/p"),
            "allow",
        ),
        "write that is denied": (
            ToolCall(
                "Write",
                {
                    "file_path": "src/b.ts",
                    "content": text.replace("  return reply(wanted", broken, 1),
                },
                "/p",
            ),
            "deny",
        ),
    }


def measure(book: CallBook, call: ToolCall, texts: dict[str, str], rounds: int) -> list[float]:
    """Time rulings on one call in milliseconds of processor time; the first is not counted."""
    book.rule(call, files=texts.get)
    times = []
    for _ in range(rounds):
        start = thread_time()
        book.rule(call, files=texts.get)
        times.append((thread_time() - start) * 1_000)
    return times


def measure_hostile(rounds: int) -> dict[str, dict[str, Any]]:
    """Measure what is made to be slow; every ruling is due within a fifth of a second."""
    figures: dict[str, dict[str, Any]] = {}
    print(f"\n{'made to be slow':32} {'first':>8} {'most':>8}   ms, the most due: {LIMIT_MS}")
    for name, case in cases().items():
        with TemporaryDirectory() as folder:
            found = hostile.measure(case, Path(folder), rounds)
        if found["ruling"] != "deny":
            raise SystemExit(f"{name}: {found['ruling']}; the plain rule beside it was not seen")
        figures[name] = found
        late = "  LATE" if found["most_ms"] > LIMIT_MS else ""
        told = f"{found['first_ms']:8.1f} {found['most_ms']:8.1f}{late}   {found['reason']}"
        print(f"{name:32} {told}".rstrip())
    return figures


def main() -> None:
    """Measure all calls; print a table and, where asked to, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--hostile-rounds", type=int, default=5)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    text = "".join(_FUNCTION.format(at) for at in range(250))
    book = make_book(make_patterns(RULES))
    figures: dict[str, dict[str, Any]] = {}
    print(f"{'call':24} {'ruling':7} {'median':>8} {'p95':>8}   ms, {RULES:,} rules")
    for name, (call, expected) in make_calls(text).items():
        level = book.rule(call, files={"src/a.ts": text}.get).level
        if level != expected:
            raise SystemExit(f"{name}: {level}, not {expected}")
        times = measure(book, call, {"src/a.ts": text}, given.rounds)
        late = quantiles(times, n=20)[-1]
        figures[name] = {"ruling": level, "median_ms": median(times), "p95_ms": late}
        print(f"{name:24} {level:7} {median(times):8.2f} {late:8.2f}")
    figures |= measure_hostile(given.hostile_rounds)
    if given.json:
        given.json.write_text(json.dumps(figures, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()
