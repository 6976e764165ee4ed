"""Detect a session that is going in circles, from its recorded steps."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from dmm.ask.evidence import safe_line

if TYPE_CHECKING:
    from collections.abc import Sequence

RUN, EDIT, OTHER = "run", "edit", "other"
# Only the last stretch of work tells how things are going.
WINDOW = 60
STUCK_AFTER = 3
LOOP_AFTER, LOOP_FAILURES = 6, 2
ALTERNATIONS = 3
RECENT_RUNS = 8
LONGEST_TARGET = 120
ADVICE = {
    "repeated_failure": (
        "Stop running it again. Read the whole error, find the smallest case that shows it, and"
        " look up what fixed it before."
    ),
    "alternating_failures": (
        "Fixing one breaks the other: write down what each needs, and change what both depend on."
    ),
    "edit_loop": (
        "Go back to the last state that worked, say in one sentence what is wrong, and change one"
        " thing at a time."
    ),
    "failing_runs": "Most runs fail: reproduce one failure alone before you change more.",
    "calm": "No sign of a loop; continue.",
    "silent": "No recorded session to review.",
}


@dataclass(frozen=True, slots=True)
class Move:
    """One step of a session: a command that ran, or a file that was edited."""

    seq: int
    act: str
    target: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class _Concern:
    rule: str
    what: str
    times: int
    events: tuple[int, ...]
    stuck: bool

    def describe(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "rule": self.rule,
            "what": safe_line(self.what)[:LONGEST_TARGET],
            "times": self.times,
            "events": list(self.events),
        }


def criticise(moves: Sequence[Move], session: str = "") -> dict[str, Any]:
    """Judge the last stretch of a session: stuck or not, the risk, and what to do."""
    last = [one for one in moves if one.act != OTHER][-WINDOW:]
    concerns = [*_repeated(last), *_alternating(last), *_loops(last), *_failing(last)]
    stuck = [one for one in concerns if one.stuck]
    rule = (stuck or concerns)[0].rule if concerns else "calm" if last else "silent"
    return {
        "stuck_detected": bool(stuck),
        "risk_level": "high" if stuck else "medium" if concerns else "low",
        "recommendation": ADVICE[rule],
        "session": safe_line(session),
        "moves": len(last),
        "findings": [one.describe() for one in concerns],
    }


def _repeated(moves: Sequence[Move]) -> list[_Concern]:
    """Find commands that failed again and again, and have not passed since."""
    failures: dict[str, list[int]] = {}
    for move in moves:
        if move.act != RUN:
            continue
        if move.failed:
            failures.setdefault(move.target, []).append(move.seq)
        else:
            failures.pop(move.target, None)
    return [
        _Concern("repeated_failure", target, len(seqs), tuple(seqs), len(seqs) >= STUCK_AFTER)
        for target, seqs in sorted(failures.items(), key=lambda one: (-len(one[1]), one[1]))
        if len(seqs) >= STUCK_AFTER - 1
    ]


def _alternating(moves: Sequence[Move]) -> list[_Concern]:
    """Find two commands that fail in turn, over and over, up to now."""
    tail: list[Move] = []
    for move in reversed([one for one in moves if one.act == RUN]):
        if not move.failed or len({one.target for one in (*tail, move)}) > 2:
            break
        tail.append(move)
    turns = sum(one.target != other.target for one, other in pairwise(tail))
    if turns < ALTERNATIONS:
        return []
    names = " / ".join(sorted({one.target for one in tail}))
    seqs = tuple(sorted(one.seq for one in tail))
    return [_Concern("alternating_failures", names, len(tail), seqs, stuck=True)]


def _loops(moves: Sequence[Move]) -> list[_Concern]:
    """Find files that are edited over and over while runs keep failing."""
    since = max(
        (at for at, one in enumerate(moves, 1) if one.act == RUN and not one.failed), default=0
    )
    stretch = moves[since:]
    failures = sum(one.act == RUN and one.failed for one in stretch)
    edits = Counter(one.target for one in stretch if one.act == EDIT and one.target)
    found = []
    for target, times in sorted(edits.items(), key=lambda one: (-one[1], one[0])):
        if times >= LOOP_AFTER - 2 and failures:
            seqs = tuple(one.seq for one in stretch if one.act == EDIT and one.target == target)
            stuck = times >= LOOP_AFTER and failures >= LOOP_FAILURES
            found.append(_Concern("edit_loop", target, times, seqs, stuck))
    return found


def _failing(moves: Sequence[Move]) -> list[_Concern]:
    runs = [one for one in moves if one.act == RUN][-RECENT_RUNS:]
    failed = [one for one in runs if one.failed]
    if len(runs) < RECENT_RUNS // 2 or not runs[-1].failed or 2 * len(failed) < len(runs):
        return []
    what = f"{len(failed)} of the last {len(runs)} runs failed"
    return [_Concern("failing_runs", what, len(failed), tuple(o.seq for o in failed), stuck=False)]
