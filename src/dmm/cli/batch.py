"""Decide on many proposals in one document, one line each."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.cli.format.verdicts import age, change
from dmm.domain.text import neutralise
from dmm.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dmm.review.results import ProposalView

PENDING = "pending"
APPROVE = "approve"
INSIST = "approve!"
REJECT = "reject"
VERBS = (PENDING, APPROVE, INSIST, REJECT)
NAME = "proposals.dmm"
_SIGNS = {"pass": "ok", "warn": "! ", "fail": "x "}
_LINE = re.compile(r"(\S+)\s+(\S+)\s*(.*)")
_GUIDE = """\
Change the first word of a line to decide on its proposal:
  approve   apply it; text after its name is the reason
  approve!  apply it despite failed checks
  reject    reject it; the reason must follow its name
  pending   leave it pending
Lines that begin with # are ignored. Save and close the editor to apply;
an empty document decides nothing."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What is to become of one proposal, and why."""

    id: str
    verb: str
    reason: str


def write_document(proposals: Sequence[ProposalView]) -> str:
    """Write the document for some proposals, each with its changes as comments."""
    lines = [*_comments(_GUIDE.split("\n")), ""]
    for one in proposals:
        lines += [f"{PENDING} {one.id}", *_comments(_about(one)), ""]
    return "\n".join(lines)


def _comments(lines: Iterable[str]) -> Iterator[str]:
    """Make comments of lines; nothing in them can begin another line."""
    for line in lines:
        for part in neutralise(line).split("\n"):
            yield f"# {part}".rstrip()


def _about(one: ProposalView) -> Iterator[str]:
    waited = age(one.age_seconds)
    yield f"{change(one)} ({waited})"
    yield f"by {one.proposer} ({one.source}), trust {one.trust}"
    yield f"reason: {one.reason}"
    for check in one.checks:
        if check.outcome != "pass":
            yield f"{_SIGNS[check.outcome]} {check.name}: {check.text}"
    if one.stale:
        yield "x  the file has changed since; it can't be applied as it is"
    yield ""
    yield from one.diff


def read_document(text: str, known: Iterable[str]) -> list[Decision]:
    """Read the decisions; whatever is not understood is refused before any is carried out."""
    names = set(known)
    found: dict[str, Decision] = {}
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        decision = _read_line(line.strip(), number, names)
        if decision.id in found:
            raise _refuse(number, f"{decision.id} is listed twice")
        found[decision.id] = decision
    return [one for one in found.values() if one.verb != PENDING]


def _read_line(line: str, number: int, names: set[str]) -> Decision:
    begins = line.split(maxsplit=1)[0]
    if begins not in VERBS:
        raise _refuse(number, f"it starts with {begins!r}; expected one of {', '.join(VERBS)}")
    parts = _LINE.fullmatch(line)
    if parts is None:
        raise _refuse(number, f"the proposal is missing: {begins} proposal_17")
    verb, name, reason = parts[1], parts[2], parts[3].strip()
    if name not in names:
        raise _refuse(number, f"{name!r} is not one of the proposals shown")
    if verb == REJECT and not reason:
        raise _refuse(number, f"the reason is missing: reject {name} because ...")
    return Decision(name, verb, reason)


def _refuse(number: int, what: str) -> UsageError:
    hint = "nothing was decided; fix the line"
    return UsageError(f"line {number} of the document: {what}", hint=hint)
