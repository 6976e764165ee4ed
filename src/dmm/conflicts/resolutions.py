"""How a conflict is settled: as proposals, which change nothing before they are applied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from dmm.domain.conflict import Resolution
from dmm.domain.memory import Origin
from dmm.errors import DmmError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.conflicts.comparison_set import Member
    from dmm.conflicts.records import Record


class Proposing(Protocol):
    """The part of the proposals that settling a conflict needs."""

    def update(
        self, path: str, reason: str, *, content: str | None = None, origin: str = ""
    ) -> dict[str, Any]:
        """Propose a new text."""
        ...

    def deprecate(self, path: str, reason: str, *, origin: str = "") -> dict[str, Any]:
        """Propose to take a memory out of force."""
        ...

    def merge(
        self, keep: str, drop: str, content: str, reason: str, *, origin: str = ""
    ) -> dict[str, Any]:
        """Propose one text for two memories."""
        ...


def propose(
    proposals: Proposing,
    record: Record,
    sides: tuple[Member, Member],
    action: Resolution,
    target: str | None,
    reason: str,
    content: str | Mapping[str, str] | None,
) -> list[dict[str, Any]]:
    """Make the proposals that an action needs."""
    if action is Resolution.DEPRECATE:
        chosen = _need_own(_choose(sides, target, "to deprecate"))
        return [proposals.deprecate(chosen.memory.path, reason, origin=record.id)]
    if action is Resolution.MERGE:
        return [_merge(proposals, record, sides, target, reason, content)]
    return _clarify(proposals, record, _texts(sides, target, content), reason)


def _clarify(
    proposals: Proposing, record: Record, texts: list[tuple[Member, str]], reason: str
) -> list[dict[str, Any]]:
    """Propose a new text for each; where the second is refused, the first is not left unsaid."""
    made: list[dict[str, Any]] = []
    for one, text in texts:
        try:
            made.append(proposals.update(one.memory.path, reason, content=text, origin=record.id))
        except DmmError as error:
            if not made:
                raise
            what = f"{error}; {made[0]['id']} was proposed before that"
            raise UsageError(what, hint=f"reject it, then try again: {made[0]['id']}") from error
    return made


def _merge(
    proposals: Proposing,
    record: Record,
    sides: tuple[Member, Member],
    target: str | None,
    reason: str,
    content: str | Mapping[str, str] | None,
) -> dict[str, Any]:
    """Keep one memory with a new text; the other goes out of force."""
    keep = _need_own(sides[0] if target is None else _choose(sides, target, "to keep"))
    drop = _need_own(sides[1] if keep is sides[0] else sides[0])
    if content is not None and not isinstance(content, str):
        raise UsageError("a merge has one content, for the memory that is kept")
    text = content if content else _union(keep, drop)
    return proposals.merge(keep.memory.path, drop.memory.path, text, reason, origin=record.id)


def _union(keep: Member, drop: Member) -> str:
    """Put both texts below one another, with a mark that says what is left to do."""
    added = drop.memory.body.removeprefix(f"# {drop.memory.title}").strip()
    return (
        f"{keep.memory.body.strip()}\n\n"
        f"## Merged from {drop.memory.path}: {drop.memory.title}\n\n"
        f"{added}\n"
    )


def _texts(
    sides: tuple[Member, Member], target: str | None, content: str | Mapping[str, str] | None
) -> list[tuple[Member, str]]:
    """Match new texts with memories: one text for the target, or one for each that is named."""
    if isinstance(content, str):
        content = {target or "": content}
    if not content or not all(text.strip() for text in content.values()):
        hint = "say in which case each one holds: --target ID --content TEXT"
        raise UsageError("to clarify needs a new text for one memory or both", hint=hint)
    texts = [
        (_need_own(_choose(sides, name or None, "to clarify")), text)
        for name, text in content.items()
    ]
    if len({one.memory.id for one, _ in texts}) < len(texts):
        raise UsageError("one memory has two new texts")
    return texts


def _choose(sides: tuple[Member, Member], target: str | None, purpose: str) -> Member:
    for side in sides:
        if target in (side.memory.id, side.shown):
            return side
    names = " or ".join(f"{side.memory.id} ({side.shown})" for side in sides)
    if target is None:
        raise UsageError(f"name the memory {purpose}", hint=f"--target {names}")
    raise UsageError(f"{target!r} is no part of this conflict", hint=f"--target {names}")


def _need_own(member: Member) -> Member:
    """Refuse to change what is not the project's."""
    if member.origin is not Origin.PROJECT:
        hint = "change the file in your own memory folder, or settle it by the project's memory"
        raise UsageError(
            "this memory is your own, not the project's", where=member.shown, hint=hint
        )
    return member
