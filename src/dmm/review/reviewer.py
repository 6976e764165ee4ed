"""The reviewer agent's prompt and the form of its answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dmm.domain.proposal import CheckName, Verdict
from dmm.errors import UsageError
from dmm.models.answers import malformed, read_line, read_object, read_text
from dmm.models.prompts import Quote, read_instructions
from dmm.review.patches import show_diff

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from dmm.domain.proposal import Check, Proposal
    from dmm.review.surroundings import Neighbour

FILE_NAME = "reviewer.md"
# A model must have seen all of what it approves: what is longer waits for a person.
LONGEST_PROPOSAL = 48_000
LONGEST_NEIGHBOUR = 4_000
MOST_NEIGHBOURS = 5
LONGEST_ANSWER = 96_000
LONGEST_REASON = 2_000
LONGEST_REMARK = 1_000
LONGEST_CONTENT = 32_000

_REQUIRED = frozenset({"verdict", "confidence", "reason", "checks"})
_VERDICTS = {str(one): one for one in Verdict if one is not Verdict.UNDECIDED}


@dataclass(frozen=True, slots=True)
class Answer:
    """What the reviewer agent says: a verdict, how sure it is, and a word on every check.

    `content` is the text it would keep instead, where the verdict is modified.
    """

    verdict: Verdict
    confidence: float
    reason: str
    remarks: tuple[tuple[str, str], ...]
    content: str | None = None


def is_modifiable(proposal: Proposal) -> bool:
    """Whether another text can stand in for the proposed one: it writes one file, and no more."""
    return len(proposal.edits) == 1 and proposal.edits[0].after is not None


def ask(
    proposal: Proposal,
    checks: Sequence[Check],
    neighbours: Sequence[Neighbour],
    *,
    clean: Callable[[str], str],
) -> tuple[str, str]:
    """Write the question: the standing instructions, and this proposal with all that is known.

    `clean` takes secrets out of a text. A proposal too long to be shown whole is refused.
    """
    size = sum(len(edit.before or "") + len(edit.after or "") for edit in proposal.edits)
    if size + len(proposal.reason) > LONGEST_PROPOSAL:
        raise UsageError(
            "the proposal is too long for the reviewer agent; a person has to review it"
        )
    quote = Quote(clean)
    lines = [
        "Review this proposal.",
        *_tell_proposal(proposal, quote),
        *_tell_changes(proposal, quote),
        *_tell_checks(checks, quote),
        *_tell_neighbours(neighbours, quote),
        *_tell_wanted(proposal, checks),
    ]
    return instructions(), "\n".join(lines) + "\n"


def instructions() -> str:
    """Read the standing instructions."""
    return read_instructions(FILE_NAME)


def _tell_proposal(proposal: Proposal, quote: Quote) -> Iterator[str]:
    yield "\n## Proposal\n"
    yield f"operation: {proposal.operation}"
    yield f"file: {quote.name(proposal.path)}"
    yield f"proposer: {quote.name(proposal.proposer)}"
    yield f"trust: {proposal.trust}"
    if proposal.origin:
        yield f"suggested by: {quote.name(proposal.origin)}"
    yield "reason given by the proposer:"
    yield from quote.lines(proposal.reason)


def _tell_changes(proposal: Proposal, quote: Quote) -> Iterator[str]:
    for edit in proposal.edits:
        yield f"\n## Change of {quote.name(edit.path)}\n"
        if edit.before is not None and edit.after is not None:
            yield "difference:"
            diff = show_diff(quote.clean(edit.before), quote.clean(edit.after), edit.path)
            yield from quote.lines("\n".join(diff))
        yield "text before:" if edit.after is None else "whole text afterwards:"
        yield from quote.lines(edit.after if edit.after is not None else edit.before or "")
        if edit.after is None:
            yield "The file is removed from this place."


def _tell_checks(checks: Sequence[Check], quote: Quote) -> Iterator[str]:
    yield "\n## What the checks found\n"
    for check in checks:
        outcome = f"{check.outcome}, can't be overruled" if check.hard else str(check.outcome)
        about = f", about {quote.name(check.other)}" if check.other else ""
        yield f"{check.name}: {outcome}{about}"
        yield from quote.lines(check.text)


def _tell_neighbours(neighbours: Sequence[Neighbour], quote: Quote) -> Iterator[str]:
    yield "\n## The nearest memories in force\n"
    if not neighbours:
        yield "There are none."
    for one in neighbours[:MOST_NEIGHBOURS]:
        near = "" if one.similarity is None else f", similarity {one.similarity:.2f}"
        tags = ", ".join(quote.name(tag) for tag in one.tags)
        yield f"memory {quote.name(one.path)}, {quote.name(one.title)}, scope {one.scope}{near}"
        yield f"tags: {tags or 'none'}"
        # Secrets are looked for in the whole text: a part of one is not recognised.
        body = quote.clean(one.body)
        yield from quote.lines(body[:LONGEST_NEIGHBOUR])
        if len(body) > LONGEST_NEIGHBOUR:
            yield f"({len(body) - LONGEST_NEIGHBOUR} more characters are not shown)"


def _tell_wanted(proposal: Proposal, checks: Sequence[Check]) -> Iterator[str]:
    yield "\n## Your answer\n"
    verdicts = "approved, rejected or modified" if is_modifiable(proposal) else "approved, rejected"
    yield f"verdict: {verdicts}"
    yield f"checks: {', '.join(str(check.name) for check in checks)}"
    yield "One JSON object, and nothing else."


def read_answer(
    text: str, asked: Sequence[str] = tuple(CheckName), *, modifiable: bool = True
) -> Answer:
    """Read an answer; anything but the one form that was asked for is refused as malformed."""
    found = read_object(text, LONGEST_ANSWER)
    if not set(found) >= _REQUIRED or set(found) - _REQUIRED - {"content"}:
        raise malformed("it does not have the fields verdict, confidence, reason and checks")
    verdict = _read_verdict(found["verdict"], modifiable)
    return Answer(
        verdict=verdict,
        confidence=_read_confidence(found["confidence"]),
        reason=read_line(found["reason"], "reason", LONGEST_REASON),
        remarks=_read_remarks(found["checks"], asked),
        content=_read_content(found, verdict),
    )


def _read_verdict(value: object, modifiable: bool) -> Verdict:
    verdict = _VERDICTS.get(value) if isinstance(value, str) else None
    if verdict is None:
        raise malformed("the verdict is none of approved, rejected, modified")
    if verdict is Verdict.MODIFIED and not modifiable:
        raise malformed("this proposal can't be modified")
    return verdict


def _read_confidence(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise malformed("the confidence is not a number")
    if not 0 <= value <= 1:
        raise malformed("the confidence is not from 0 to 1")
    return float(value)


def _read_remarks(value: object, asked: Sequence[str]) -> tuple[tuple[str, str], ...]:
    names = [str(name) for name in asked]
    if not isinstance(value, dict) or set(value) != set(names):
        raise malformed("checks does not have exactly the names that were asked about")
    return tuple((one, read_line(value[one], f"text on {one}", LONGEST_REMARK)) for one in names)


def _read_content(found: dict[str, Any], verdict: Verdict) -> str | None:
    if verdict is not Verdict.MODIFIED:
        if "content" in found:
            raise malformed("content is allowed only with the verdict modified")
        return None
    return read_text(found.get("content"), "content", LONGEST_CONTENT)
