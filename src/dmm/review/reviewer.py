"""The reviewer agent: what a model is asked about a proposal, and the one form of its answer."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dmm.domain.proposal import CheckName, Verdict
from dmm.domain.text import neutralise
from dmm.errors import UsageError
from dmm.review.patches import show_diff

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from importlib.resources.abc import Traversable

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

_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*)\n```", re.DOTALL)
# Half a character, which JSON can name and no file can hold.
_HALF = re.compile("[\ud800-\udfff]")
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
        raise UsageError("the proposal is too long for the reviewer agent, a person has to look")
    quote = _Quote(clean)
    lines = [
        "Review this proposal.",
        *_tell_proposal(proposal, quote),
        *_tell_changes(proposal, quote),
        *_tell_checks(checks, quote),
        *_tell_neighbours(neighbours, quote),
        *_tell_wanted(proposal, checks),
    ]
    return instructions(), "\n".join(lines) + "\n"


@cache
def instructions() -> str:
    """Read the standing instructions: in the installed package, or beside the sources."""
    packed: Traversable = resources.files("dmm") / "data" / "prompts"
    folder = packed if packed.is_dir() else Path(__file__).parents[3] / "prompts"
    return (folder / FILE_NAME).read_text("utf-8")


@dataclass(frozen=True, slots=True)
class _Quote:
    """Quotes texts of others, so that none of their lines can pass for one of ours.

    Every line gets a mark at its start. There is no end mark that a text could imitate.
    """

    clean: Callable[[str], str]

    def lines(self, text: str) -> Iterator[str]:
        safe = neutralise(self.clean(text).replace("\r\n", "\n"))
        return (f"| {line}" for line in safe.removesuffix("\n").split("\n"))

    def name(self, text: str) -> str:
        return json.dumps(neutralise(self.clean(text)), ensure_ascii=False)


def _tell_proposal(proposal: Proposal, quote: _Quote) -> Iterator[str]:
    yield "\n## Proposal\n"
    yield f"operation: {proposal.operation}"
    yield f"file: {quote.name(proposal.path)}"
    yield f"proposer: {quote.name(proposal.proposer)}"
    yield f"trust: {proposal.trust}"
    if proposal.origin:
        yield f"suggested by: {quote.name(proposal.origin)}"
    yield "reason given by the proposer:"
    yield from quote.lines(proposal.reason)


def _tell_changes(proposal: Proposal, quote: _Quote) -> Iterator[str]:
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


def _tell_checks(checks: Sequence[Check], quote: _Quote) -> Iterator[str]:
    yield "\n## What the checks found\n"
    for check in checks:
        outcome = f"{check.outcome}, can't be overruled" if check.hard else str(check.outcome)
        about = f", about {quote.name(check.other)}" if check.other else ""
        yield f"{check.name}: {outcome}{about}"
        yield from quote.lines(check.text)


def _tell_neighbours(neighbours: Sequence[Neighbour], quote: _Quote) -> Iterator[str]:
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
    found = _read_object(text)
    if not set(found) >= _REQUIRED or set(found) - _REQUIRED - {"content"}:
        raise _malformed("it has not the fields verdict, confidence, reason and checks")
    verdict = _read_verdict(found["verdict"], modifiable)
    return Answer(
        verdict=verdict,
        confidence=_read_confidence(found["confidence"]),
        reason=_read_line(found["reason"], "reason", LONGEST_REASON),
        remarks=_read_remarks(found["checks"], asked),
        content=_read_content(found, verdict),
    )


def _malformed(what: str) -> UsageError:
    return UsageError(f"malformed answer: {what}")


def _read_object(text: str) -> dict[str, Any]:
    if len(text) > LONGEST_ANSWER:
        raise _malformed(f"it is longer than {LONGEST_ANSWER} characters")
    bare = text.strip()
    fenced = _FENCED.fullmatch(bare)
    try:
        found = json.loads(
            fenced[1] if fenced else bare, object_pairs_hook=_pairs, parse_constant=_no_constant
        )
    except (ValueError, RecursionError) as error:
        raise _malformed("it is not one JSON object") from error
    if not isinstance(found, dict):
        raise _malformed("it is not one JSON object")
    return found


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse a name that stands twice: which of the two was meant, nobody can say."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name stands twice")
    return found


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not JSON")


def _read_verdict(value: object, modifiable: bool) -> Verdict:
    verdict = _VERDICTS.get(value) if isinstance(value, str) else None
    if verdict is None:
        raise _malformed("the verdict is none of approved, rejected, modified")
    if verdict is Verdict.MODIFIED and not modifiable:
        raise _malformed("this proposal can't be modified")
    return verdict


def _read_confidence(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _malformed("the confidence is not a number")
    if not 0 <= value <= 1:
        raise _malformed("the confidence is not from 0 to 1")
    return float(value)


def _read_text(value: object, name: str, longest: int) -> str:
    if not isinstance(value, str) or not value.strip() or _HALF.search(value):
        raise _malformed(f"the {name} is no text")
    if len(value) > longest:
        raise _malformed(f"the {name} is longer than {longest} characters")
    return value


def _read_line(value: object, name: str, longest: int) -> str:
    return neutralise(" ".join(_read_text(value, name, longest).split()))


def _read_remarks(value: object, asked: Sequence[str]) -> tuple[tuple[str, str], ...]:
    names = [str(name) for name in asked]
    if not isinstance(value, dict) or set(value) != set(names):
        raise _malformed("checks has not exactly the names that were asked about")
    return tuple((one, _read_line(value[one], f"text on {one}", LONGEST_REMARK)) for one in names)


def _read_content(found: dict[str, Any], verdict: Verdict) -> str | None:
    if verdict is not Verdict.MODIFIED:
        if "content" in found:
            raise _malformed("content stands beside a verdict other than modified")
        return None
    return _read_text(found.get("content"), "content", LONGEST_CONTENT)
