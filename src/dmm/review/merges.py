"""Merge two changes of one file, or two files, into one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from dmm.domain.event import Trust
from dmm.domain.proposal import Edit, Operation, Proposal
from dmm.errors import MemoryFileError
from dmm.files import front_matter, markdown
from dmm.review.lines import split_lines
from dmm.review.patches import compare_three, three_way

if TYPE_CHECKING:
    from dmm.domain.memory import Memory


@dataclass(frozen=True, slots=True)
class Rebased:
    """A change carried over to a file that changed meanwhile; `view` shows both where it can't be.

    `text` is None where the changes touch one another, so that somebody has to choose.
    """

    text: str | None
    view: tuple[str, ...] = ()


def rebase(base: str, current: str, proposed: str) -> Rebased:
    """Carry a change over to the text of now, if no changed stretch touches another one."""
    if proposed in (base, current):
        return Rebased(current)
    if current == base:
        return Rebased(proposed)
    texts = [_whole_lines(text) for text in (base, current, proposed)]
    pieces = compare_three(*texts)
    if any(piece.clashes for piece in pieces):
        return Rebased(None, tuple(three_way(base, current, proposed)))
    return Rebased("".join(line for piece in pieces for line in piece.merged))


def _whole_lines(text: str) -> list[str]:
    """Lines with their newlines, so that the end of a text is merged like any other place."""
    lines = [f"{line}\n" for line in split_lines(text)]
    if lines and not text.endswith("\n"):
        lines[-1] = lines[-1].removesuffix("\n")
    return lines


def rebase_proposal(proposal: Proposal, path: str, current: str | None) -> Proposal | Rebased:
    """Set a proposal upon the text of now; where that can't be, give the view of both.

    A new file whose place is taken is compared as a change of nothing: both texts are shown.
    """
    edit = next(one for one in proposal.edits if one.path == path)
    if edit.before == current:
        return proposal
    if edit.before is None or edit.after is None or current is None:
        texts = [text or "" for text in (edit.before, current, edit.after)]
        return Rebased(None, tuple(three_way(*texts)))
    moved = rebase(edit.before, current, edit.after)
    if moved.text is None:
        return moved
    edits = tuple(Edit(path, current, moved.text) if e is edit else e for e in proposal.edits)
    return replace(proposal, edits=edits)


def choose_winner(one: Proposal, other: Proposal) -> tuple[Proposal, Proposal]:
    """Of two proposals of one concept: the better trusted one leads, else the earlier."""
    order = list(Trust)
    first, second = sorted((one, other), key=lambda p: (order.index(p.trust), p.seq))
    return first, second


def draft_union(winner: Memory, other: Memory) -> str:
    """Write one memory that says what both say: the winner's text, then what only the other has.

    It is a draft for a review: a line that both have is written once, tags and links are joined,
    and nothing else of the winner changes.
    """
    have = {_squash(line) for line in winner.body.split("\n")}
    rest = [line for line in _below_title(other) if _squash(line) not in have or not line.strip()]
    text = _trim(rest)
    body = winner.body if not text else f"{winner.body}\n\n## From {other.title}\n\n{text}"
    known = {tag.casefold() for tag in winner.tags}
    return markdown.render(
        replace(
            winner,
            body=body,
            tags=(*winner.tags, *(tag for tag in other.tags if tag.casefold() not in known)),
            aliases=_joined(winner.aliases, other.aliases),
            supersedes=_joined(winner.supersedes, other.supersedes),
            related=tuple(i for i in _joined(winner.related, other.related) if i != winner.id),
            cites=tuple(dict.fromkeys((*winner.cites, *other.cites))),
        )
    )


def _joined(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one, *other)))


def _squash(line: str) -> str:
    return " ".join(line.casefold().split())


def _below_title(memory: Memory) -> list[str]:
    lines = memory.body.split("\n")
    at = next((n for n, line in enumerate(lines) if memory.title in line), -1)
    return lines[:at] + lines[at + 1 :] if at >= 0 else lines


def _trim(lines: list[str]) -> str:
    """Join lines without runs of empty ones, and without headings that have lost their text."""
    kept: list[str] = []
    for line in lines:
        if line.startswith("#") and kept and kept[-1] == "" and _is_heading(kept[:-1]):
            kept = kept[:-2]
        if line.strip() or (kept and kept[-1]):
            kept.append(line)
    while kept and (not kept[-1].strip() or kept[-1].startswith("#")):
        kept.pop()
    return "\n".join(kept).strip("\n")


def _is_heading(lines: list[str]) -> bool:
    return bool(lines) and lines[-1].startswith("#")


def merge_edits(winner: Edit, other: Edit) -> tuple[Edit, ...]:
    """The edits of a merge of two files: one takes up both, the other is deprecated in place.

    Of two that are only proposed, the loser leaves nothing to deprecate.
    """
    leading = markdown.parse(winner.path, _text(winner)).memory
    losing = markdown.parse(other.path, _text(other)).memory
    kept = Edit(winner.path, winner.before, draft_union(leading, losing))
    if other.before is None:
        return (kept,)
    gone = front_matter.edit(other.before, {"status": "deprecated", "confidence": "deprecated"})
    return kept, Edit(other.path, other.before, gone)


def _text(edit: Edit) -> str:
    if edit.after is None:
        raise MemoryFileError(edit.path, "content", "there is no text to merge")
    return edit.after


def merge_operation(edits: tuple[Edit, ...]) -> Operation:
    """What a merge is called: with one file left it is a plain write."""
    if len(edits) > 1:
        return Operation.MERGE
    return Operation.CREATE if edits[0].before is None else Operation.UPDATE
