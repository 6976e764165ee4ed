"""Detect a session that is going in circles, from its recorded steps."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

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
class Finding:
    """A sign that a session is not getting anywhere: what was repeated, and its events."""

    rule: str
    what: str
    times: int
    events: tuple[int, ...]


# A finding, and whether it shows that the session is stuck.
_Concern = tuple[Finding, bool]


@dataclass(frozen=True, slots=True)
class Critique:
    """Whether a session is stuck, the risk, and what to do."""

    stuck_detected: bool
    risk_level: str
    recommendation: str
    session: str
    moves: int
    findings: tuple[Finding, ...]


def criticise(moves: Sequence[Move], session: str = "") -> Critique:
    """Judge the last stretch of a session: stuck or not, the risk, and what to do."""
    last = [one for one in moves if one.act != OTHER][-WINDOW:]
    concerns = [*_repeated(last), *_alternating(last), *_loops(last), *_failing(last)]
    findings = tuple(one for one, _ in concerns)
    stuck = [one for one, is_stuck in concerns if is_stuck]
    rule = (stuck or findings)[0].rule if concerns else "calm" if last else "silent"
    risk = "high" if stuck else "medium" if concerns else "low"
    return Critique(bool(stuck), risk, ADVICE[rule], safe_line(session), len(last), findings)


def _concern(rule: str, what: str, events: Sequence[int], *, stuck: bool) -> _Concern:
    return Finding(rule, safe_line(what)[:LONGEST_TARGET], len(events), tuple(events)), stuck


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
        _concern("repeated_failure", target, seqs, stuck=len(seqs) >= STUCK_AFTER)
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
    seqs = sorted(one.seq for one in tail)
    return [_concern("alternating_failures", names, seqs, stuck=True)]


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
            seqs = [one.seq for one in stretch if one.act == EDIT and one.target == target]
            stuck = times >= LOOP_AFTER and failures >= LOOP_FAILURES
            found.append(_concern("edit_loop", target, seqs, stuck=stuck))
    return found


def _failing(moves: Sequence[Move]) -> list[_Concern]:
    runs = [one for one in moves if one.act == RUN][-RECENT_RUNS:]
    failed = [one for one in runs if one.failed]
    if len(runs) < RECENT_RUNS // 2 or not runs[-1].failed or 2 * len(failed) < len(runs):
        return []
    what = f"{len(failed)} of the last {len(runs)} runs failed"
    return [_concern("failing_runs", what, [one.seq for one in failed], stuck=False)]
