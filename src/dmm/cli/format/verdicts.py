"""Proposals as lines: checks, age, reviews and next steps."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

from dmm.cli.format.paint import COLOURS, Line, diff_lines, diff_summary, signs
from dmm.cli.format.wrapping import wrapped
from dmm.cli.options import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dmm.domain.proposal import Check, ProposalResult
    from dmm.review.preview import NearMemory, Preview
    from dmm.review.results import (
        Processed,
        ProposalHead,
        ProposalList,
        ProposalView,
        ReviewView,
        Undone,
    )

WIDEST_CHECK = 15
LONGEST_NUMBER = 15
NEAREST = 5
SHORT = 12
NEAR = 0.3
MOVES = ("promote", "demote")
# How the text of a check begins that needs what another one did not find.
NOT_MADE = "not checked"
_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def age(seconds: int) -> str:
    """Return how long something has waited."""
    for size, name in _UNITS:
        if seconds >= size:
            return counted(seconds // size, name)
    return "just now"


def change(told: ProposalHead | ProposalResult | Preview) -> str:
    """Return what a proposal does; the path of a move is the one that it leads to."""
    lead = " to" if told.operation in MOVES else ""
    return f"{told.operation}{lead} {told.path}"


def checks(found: Sequence[Check], *, passed: bool) -> Iterator[Line]:
    """List checks with their signs; those that passed only where they are wanted.

    Neighbours that were not looked at, all for the same reason, are told as one.
    """
    for _, neighbours in groupby(found, key=_reason):
        same = list(neighbours)
        check, name, text = same[0], str(same[0].name), same[0].text
        if check.outcome == "pass" and not passed:
            continue
        if len(same) > 1:
            name, text = f"{len(same)} others", f"{text} ({', '.join(one.name for one in same)})"
        text += f" ({check.other})" if check.other and check.other not in text else ""
        text += " (applies to everyone)" if check.hard and check.failed else ""
        for line in wrapped(text, f"  {signs()[check.outcome]} {name:{WIDEST_CHECK}} "):
            yield Line(line, COLOURS[check.outcome])


def _reason(check: Check) -> str:
    return check.text if check.text.startswith(NOT_MADE) else check.name


def made(told: ProposalResult) -> Iterator[Line | str]:
    """Return what became of a proposal that was just made."""
    yield from _headed(told)
    yield from _tally(told.checks)
    yield from checks(told.checks, passed=False)
    yield from _notices(told)
    if told.status == "pending":
        yield from wrapped(told.why or "it needs review", "  why:   ")
        yield f"  see:   dmm review show {told.id}"


def imagined(told: Preview) -> Iterator[Line | str]:
    """Return what would be said to a proposal that nobody has made."""
    yield from wrapped(change(told), "preview, nothing is recorded: ")
    yield from _tally(told.checks)
    yield from checks(told.checks, passed=False)
    yield from wrapped(told.why, "  why:   ")


def decided(told: ProposalResult) -> Iterator[Line | str]:
    """Return what became of a proposal that somebody, or the reviewer agent, looked at."""
    yield from _headed(told)
    if told.status == "pending":
        yield from checks(told.checks, passed=False)
        if told.why:
            yield from wrapped(told.why, "  why:   ")
        yield f"  see:   dmm review show {told.id}"
    yield from _notices(told)


def _headed(told: ProposalHead | ProposalResult) -> list[str]:
    return wrapped(f"{told.status}: {change(told)}", f"{told.id} ")


def _tally(found: Sequence[Check]) -> Iterator[Line]:
    passed = sum(check.outcome == "pass" for check in found)
    if passed:
        yield Line(f"  {signs()['pass']} {counted(passed, 'check')} passed", COLOURS["pass"])


def _notices(told: ProposalResult) -> Iterator[str]:
    for notice in told.notices:
        yield from wrapped(notice, "  notice: ")


def listed(told: ProposalList) -> Iterator[Line | str]:
    """List proposals, two lines each."""
    marks = signs()
    for one in told.proposals:
        state = "" if one.status == "pending" else f"{one.status}, "
        found = " ".join(f"{marks[name].strip()}{n}" for name, n in one.checks.items() if n)
        since = age(one.age_seconds)
        tail = f"({state}{since if since == 'just now' else f'{since} old'})"
        style = COLOURS["fail"] if one.checks["fail"] else ""
        for line in wrapped(f"{change(one)} {tail}", f"{one.id}  "):
            yield Line(line, style)
        by = f"by {one.proposer}, trust {one.trust}" + (f", {found}" if found else "")
        yield from wrapped(f"{by}: {one.reason}", "    ")
    waiting = told.pending
    verb = "awaits" if waiting == 1 else "await"
    yield f"{counted(waiting, 'proposal')} {verb} review"
    if waiting:
        yield "Show one with: dmm review show ID; all with: dmm review batch"


def shown(told: ProposalView, *, full: bool = True) -> Iterator[Line | str]:
    """Return everything about one proposal; a pending one with every line that is decided on."""
    yield from _headed(told)
    yield from wrapped(_whence(told), "  by:     ")
    yield from wrapped(told.reason, "  reason: ")
    if told.evidence:
        yield from wrapped(", ".join(map(str, told.evidence)), "  based on events: ")
    if told.failure:
        yield from wrapped(told.failure, "  the last attempt failed: ")
    if told.commit:
        yield f"  commit: {told.commit}"
    if told.uncommitted:
        yield "  commit: not made yet; the next write retries"
    yield from _section("Checks", checks(told.checks, passed=True))
    yield from _section("Reviews", _reviews(told.reviews))
    yield from _section("Nearest memories", _neighbours(told.neighbours))
    whole = full or told.status == "pending"
    yield from _section("Changes", diff_summary(told.diff, full=whole))
    if told.stale:
        yield from _section("The file has changed since", diff_lines(told.stale))
    yield from _ways(told)


def _whence(told: ProposalView) -> str:
    session = f", session {told.session}" if told.session else ""
    origin = f", suggested by {told.origin}" if told.origin else ""
    when = age(told.age_seconds)
    past = when if when == "just now" else f"{when} ago"
    return f"{told.proposer} ({told.source}), trust {told.trust}{session}{origin}, {past}"


def _section(title: str, lines: Iterable[Line | str]) -> Iterator[Line | str]:
    found = list(lines)
    if found:
        yield ""
        yield Line(title, "bold")
        yield from found


def _reviews(reviews: Sequence[ReviewView]) -> Iterator[str]:
    for one in reviews:
        sure = "" if one.confidence is None else f" ({one.confidence:.2f})"
        why = f": {one.reason}" if one.reason else ""
        yield from wrapped(f"{one.verdict}{sure}{why}", f"  {one.judge} {one.by} ")
        for name, text in one.remarks.items():
            yield from wrapped(text, f"    {name}: ")


def _neighbours(neighbours: Sequence[NearMemory]) -> Iterator[str]:
    near = [one for one in neighbours if one.similarity is None or one.similarity >= NEAR]
    for one in near[:NEAREST]:
        like = "" if one.similarity is None else f"{one.similarity:.2f}  "
        yield from wrapped(f"{one.path}  {one.title}", f"  {like}")


def _ways(told: ProposalView) -> Iterator[str]:
    if told.status != "pending":
        return
    yield ""
    why = "its file has changed since it was proposed" if told.stale else told.why
    yield from wrapped(why, "Pending: ")
    number = told.id.rpartition("_")[2]
    failed = [check for check in told.checks if check.outcome == "fail"]
    ways = [f"edit {number}", f'reject {number} --reason "..."']
    if not told.stale and not any(check.hard for check in failed):
        seen = f"--seen {told.digest[:SHORT]}"
        ways.insert(0, f"approve {number} {seen}" + (" --bypass-reviewer" if failed else ""))
    for lead, way in zip(("Decide: ", *[" " * 8] * len(ways)), ways, strict=False):
        yield f"{lead}dmm review {way}"


def processed(told: Processed) -> Iterator[Line | str]:
    """Return what the reviewer agent decided on each pending proposal."""
    for one in told.processed:
        yield from decided(one)
    yield f"{counted(told.pending, 'proposal')} left to a person"


def undone(told: Undone) -> Iterator[Line | str]:
    """Return what was taken back."""
    yield from wrapped(", ".join(told.undone), f"{told.id} {told.status}: undo ")
    for path in told.paths:
        yield f"  {path}"
    yield from _notices(told)
