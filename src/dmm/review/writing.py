"""A request to write memory: the operation it means and the edits that follow from it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dmm.domain.proposal import Operation, digest
from dmm.errors import StaleBase, UsageError
from dmm.review.drafting import About, has_front_matter
from dmm.review.patches import is_patch, three_way

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.domain.proposal import Edit
    from dmm.review.drafting import Drafts

OPERATIONS = (
    Operation.CREATE,
    Operation.UPDATE,
    Operation.DEPRECATE,
    Operation.PROMOTE,
    Operation.DEMOTE,
)
# What each operation takes beside path and reason; the others take a text.
_ARGUMENTS: dict[Operation | None, tuple[str, ...]] = {
    Operation.DEPRECATE: (),
    Operation.PROMOTE: ("new_scope", "to"),
    Operation.DEMOTE: ("new_scope", "to"),
}
_ALL_ARGUMENTS = ("content", "patch", "base", "new_scope", "to")
_TEXTS = (Operation.CREATE, Operation.UPDATE, None)
_HASH = re.compile(r"[0-9a-fA-F]{8,64}")


@dataclass(frozen=True, slots=True)
class Writing:
    """What is asked for; without an operation, a file that is there is updated, else created.

    `source` is how far whoever asks trusts what the text was taken from; `origin` names the part
    of DMM that asks by itself.
    """

    path: str
    reason: str
    operation: Operation | None = None
    content: str | None = None
    patch: str | None = None
    base: str | None = None
    new_scope: str | None = None
    to: str | None = None
    about: About = field(default_factory=About)
    evidence: Sequence[int] = ()
    source: str | None = None
    origin: str = ""


def settle(asked: Writing, drafts: Drafts) -> Writing:
    """Settle which operation a request means, and refuse what that operation has no use for."""
    asked = _read_patch(asked)
    _refuse_strays(asked)
    if asked.operation is None:
        asked = replace(asked, operation=_meant(asked, drafts))
    if asked.operation is Operation.UPDATE:
        _refuse_unfit_update(asked)
    return asked


def _meant(asked: Writing, drafts: Drafts) -> Operation:
    if asked.patch is not None or asked.base is not None:
        return Operation.UPDATE
    _needed("content", asked.content)
    there = drafts.tree.text_of(drafts.place(asked.path)) is not None
    return Operation.UPDATE if there else Operation.CREATE


def _read_patch(asked: Writing) -> Writing:
    """Read a patch that is not a diff as the new text."""
    if asked.patch is None or asked.content is not None or is_patch(asked.patch):
        return asked
    meant = asked.operation or Operation.UPDATE
    return replace(asked, operation=meant, content=asked.patch, patch=None)


def _refuse_strays(asked: Writing) -> None:
    """Refuse arguments that the operation ignores."""
    used = _ARGUMENTS.get(asked.operation, ("content", "patch", "base"))
    others = [name for name in _ALL_ARGUMENTS if name not in used]
    if strays := [name for name in others if getattr(asked, name) is not None]:
        what = f"{asked.operation or 'a proposal'} takes no {strays[0]}"
        raise UsageError(what, hint=f"name the operation: {', '.join(OPERATIONS)}")
    named = asked.about != About()
    if named and (asked.operation not in _TEXTS or has_front_matter(asked.content or "")):
        what = "tags, priority, expires, supersedes and related are for a new text without them"
        raise UsageError(what, hint="write them into the front matter of the text")


def _needed(name: str, value: str | None) -> str:
    if value is None:
        raise UsageError(f"{name} is missing")
    return value


def _refuse_unfit_update(asked: Writing) -> None:
    if asked.about != About():
        what = "tags, priority, expires, supersedes and related are for a new memory"
        raise UsageError(what, hint="change them in the front matter, with content or patch")
    if asked.base is not None and not _HASH.fullmatch(asked.base):
        hint = "give 8 to 64 digits of its SHA-256, as sha256sum shows it"
        raise UsageError(f"the base {asked.base!r} is not the hash of a text", hint=hint)


def draft_edits(drafts: Drafts, asked: Writing) -> tuple[Edit, ...]:
    """Make the edits that a settled request means, from the files as they stand."""
    place = drafts.place(asked.path)
    match asked.operation:
        case Operation.CREATE:
            return drafts.create(place, _needed("content", asked.content), asked.about)
        case Operation.DEPRECATE:
            return drafts.deprecate(place)
        case Operation.PROMOTE | Operation.DEMOTE:
            return _move(drafts, place, asked)
    if asked.base is not None:
        _refuse_other_base(drafts, place, asked.base, asked.content)
    return drafts.update(place, asked.content, asked.patch)


def _move(drafts: Drafts, place: str, asked: Writing) -> tuple[Edit, ...]:
    scope = _needed("new_scope", asked.new_scope)
    edits = drafts.move(place, scope, asked.to)
    up = asked.operation is Operation.PROMOTE
    if drafts.is_promotion(place, scope) is not up:
        wider, other = ("wider", "demote") if up else ("narrower", "promote")
        raise UsageError(f"{scope} is not a {wider} scope", hint=f"use {other}", where=place)
    return edits


def _refuse_other_base(drafts: Drafts, path: str, base: str, content: str | None) -> None:
    current = drafts.tree.text_of(path)
    found = digest(current) or ""
    if not found.startswith(base.casefold()):
        view = "" if content is None else "\n".join(three_way("", current or "", content))
        hint = f"read the file again: the hash of its text is {found[:16]}"
        raise StaleBase(
            "the change was made from a different text", where=path, hint=hint, view=view
        )
