"""One entry for all write requests, dispatched by operation."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dmm.domain.proposal import Operation
from dmm.errors import UsageError
from dmm.review.drafting import About, has_front_matter
from dmm.review.patches import is_patch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dmm.review.service import Proposals

OPERATIONS = (
    Operation.CREATE,
    Operation.UPDATE,
    Operation.DEPRECATE,
    Operation.PROMOTE,
    Operation.DEMOTE,
)
_MOVES = (Operation.PROMOTE, Operation.DEMOTE)
_TEXTS = (Operation.CREATE, Operation.UPDATE, None)
_HASH = re.compile(r"[0-9a-fA-F]{8,64}")


@dataclass(frozen=True, slots=True)
class Writing:
    """What is asked for; without an operation, a file that is there is updated, else created.

    `source` is how far whoever asks trusts what the text was taken from.
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


def write(proposals: Proposals, asked: Writing) -> dict[str, Any]:
    """Make the proposal that a request means."""
    asked = _read_patch(asked)
    _refuse_strays(asked)
    return _WRITERS[asked.operation](proposals, asked)


def _read_patch(asked: Writing) -> Writing:
    """Take a patch that is no diff for the new text, as it may be either."""
    if asked.patch is None or asked.content is not None or is_patch(asked.patch):
        return asked
    return Writing(
        asked.path,
        asked.reason,
        asked.operation or Operation.UPDATE,
        content=asked.patch,
        base=asked.base,
        about=asked.about,
        evidence=asked.evidence,
        source=asked.source,
    )


def _refuse_strays(asked: Writing) -> None:
    """Refuse what the operation has no use for: it would be lost without a word."""
    of_text = {"content": asked.content, "patch": asked.patch, "base": asked.base}
    of_moves = {"new_scope": asked.new_scope, "to": asked.to}
    strays = [
        *([] if asked.operation in _TEXTS else _given(of_text)),
        *([] if asked.operation in _MOVES else _given(of_moves)),
    ]
    if strays:
        what = f"{asked.operation or 'a proposal'} takes no {strays[0]}"
        raise UsageError(what, hint=f"name the operation: {', '.join(OPERATIONS)}")
    named = asked.about != About()
    if named and (asked.operation not in _TEXTS or has_front_matter(asked.content or "")):
        what = "tags, priority, expires, supersedes and related are for a new text without them"
        raise UsageError(what, hint="write them into the front matter of the text")


def _given(fields: dict[str, str | None]) -> list[str]:
    return [name for name, value in fields.items() if value is not None]


def _needed(name: str, value: str | None) -> str:
    if value is None:
        raise UsageError(f"{name} is missing")
    return value


def _propose(proposals: Proposals, asked: Writing) -> dict[str, Any]:
    named = asked.about != About()
    if asked.patch is not None or asked.base is not None or (named and _is_there(proposals, asked)):
        return _update(proposals, asked)
    return proposals.propose(
        asked.path,
        _needed("content", asked.content),
        asked.reason,
        about=asked.about,
        evidence=asked.evidence,
        claimed=asked.source,
    )


def _is_there(proposals: Proposals, asked: Writing) -> bool:
    place = proposals.intake.drafts().place(asked.path)
    return proposals.intake.root.tree.text_of(place) is not None


def _create(proposals: Proposals, asked: Writing) -> dict[str, Any]:
    return proposals.create(
        asked.path,
        _needed("content", asked.content),
        asked.reason,
        about=asked.about,
        evidence=asked.evidence,
        claimed=asked.source,
    )


def _update(proposals: Proposals, asked: Writing) -> dict[str, Any]:
    if asked.about != About():
        what = "tags, priority, expires, supersedes and related are for a new memory"
        raise UsageError(what, hint="change them in the front matter, with content or patch")
    if asked.base is not None and not _HASH.fullmatch(asked.base):
        hint = "give 8 to 64 digits of its SHA-256, as sha256sum shows it"
        raise UsageError(f"the base {asked.base!r} is no hash of a text", hint=hint)
    return proposals.update(
        asked.path,
        asked.reason,
        content=asked.content,
        patch=asked.patch,
        base=asked.base,
        evidence=asked.evidence,
        claimed=asked.source,
    )


def _deprecate(proposals: Proposals, asked: Writing) -> dict[str, Any]:
    return proposals.deprecate(
        asked.path, asked.reason, evidence=asked.evidence, claimed=asked.source
    )


def _promote(proposals: Proposals, asked: Writing) -> dict[str, Any]:
    return proposals.promote(
        asked.path,
        _needed("new_scope", asked.new_scope),
        asked.reason,
        to=asked.to,
        evidence=asked.evidence,
        claimed=asked.source,
    )


def _demote(proposals: Proposals, asked: Writing) -> dict[str, Any]:
    return proposals.demote(
        asked.path,
        _needed("new_scope", asked.new_scope),
        asked.reason,
        to=asked.to,
        evidence=asked.evidence,
        claimed=asked.source,
    )


_WRITERS: dict[Operation | None, Callable[[Proposals, Writing], dict[str, Any]]] = {
    None: _propose,
    Operation.CREATE: _create,
    Operation.UPDATE: _update,
    Operation.DEPRECATE: _deprecate,
    Operation.PROMOTE: _promote,
    Operation.DEMOTE: _demote,
}
