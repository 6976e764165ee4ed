"""How a conflict is resolved: by proposals, which change nothing before they are applied."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from dmm.domain.conflict import Resolution
from dmm.domain.event import Trust
from dmm.domain.memory import Origin
from dmm.errors import DmmError, LedgerRefused, UsageError
from dmm.passkeys.acts import PersonAct
from dmm.redaction.inputs import accept, need_one
from dmm.tracing import traced

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from dmm.conflicts.members import Member
    from dmm.conflicts.records import Record
    from dmm.conflicts.results import ConflictView
    from dmm.conflicts.service import Conflicts
    from dmm.domain.proposal import ProposalResult


class Proposing(Protocol):
    """The operations on proposals that resolving a conflict needs."""

    def update(
        self, path: str, reason: str, *, content: str | None = None, origin: str = ""
    ) -> ProposalResult:
        """Propose a new text."""
        ...

    def deprecate(self, path: str, reason: str, *, origin: str = "") -> ProposalResult:
        """Propose deprecating a memory."""
        ...

    def merge(
        self, keep: str, drop: str, content: str, reason: str, *, origin: str = ""
    ) -> ProposalResult:
        """Propose one text for two memories."""
        ...


@dataclass(frozen=True, slots=True)
class Resolutions:
    """Resolves the conflicts of one project."""

    conflicts: Conflicts
    proposals: Callable[[], Proposing]

    @traced()
    def resolve(
        self,
        name: str,
        action: str,
        *,
        target: str | None = None,
        reason: str,
        content: str | Mapping[str, str] | None = None,
        seen: str | None = None,
    ) -> ConflictView:
        """Propose how to resolve a conflict; it is resolved once the proposals are applied.

        `target` names the memory to deprecate, to keep in a merge, or to clarify. A conflict that
        is meant to be needs no proposal, but a person who says so. `seen` is the digest of the
        conflict that was looked at.
        """
        need_one("action", action, Resolution)
        self.conflicts.require_voice("resolve a conflict")
        reason = accept("reason", reason)
        record = self._unsettled(name)
        if seen is not None and seen != self.conflicts.digest(record):
            hint = f"look at it again: dmm conflicts show {record.id}"
            raise LedgerRefused("the conflict has changed since it was shown", hint=hint)
        if action == Resolution.INTENTIONAL:
            return self._accept_as_is(record, reason, target, content)
        self.conflicts.refresh()
        one, other = (self.conflicts.member(side.id) for side in record.sides)
        made = propose(
            self.proposals(), record, (one, other), Resolution(action), target, reason, content
        )
        seqs = tuple(one.seq for one in made)
        told = self.conflicts.close(record, action, reason, seqs, target or None)
        return replace(told, proposals=tuple(made))

    def _accept_as_is(
        self, record: Record, reason: str, target: str | None, content: object
    ) -> ConflictView:
        if self.conflicts.project_ledger.actor.trust not in (Trust.USER, Trust.REVIEWED):
            hint = "a person has to say that: dmm conflicts resolve in a terminal of their own"
            raise LedgerRefused(f"an agent can't {PersonAct.RESOLVE.words}", hint=hint)
        if target is not None or content is not None:
            raise UsageError("an intentional conflict changes nothing: give only the reason")
        return self.conflicts.close(record, Resolution.INTENTIONAL, reason)

    def _unsettled(self, name: str) -> Record:
        record = self.conflicts.conflict_register.find(name)
        if not record.is_open:
            raise UsageError(f"{record.id} is already resolved ({record.action}: {record.reason})")
        if record.proposals:
            waiting = ", ".join(f"proposal_{seq}" for seq in record.proposals)
            hint = f"approve or reject first: dmm review show {waiting.partition(',')[0]}"
            raise UsageError(
                f"a resolution of {record.id} is already pending: {waiting}", hint=hint
            )
        return record


def propose(
    proposals: Proposing,
    record: Record,
    sides: tuple[Member, Member],
    action: Resolution,
    target: str | None,
    reason: str,
    content: str | Mapping[str, str] | None,
) -> list[ProposalResult]:
    """Make the proposals that an action needs."""
    if action is Resolution.DEPRECATE:
        chosen = _need_own(_choose(sides, target, "to deprecate"))
        return [proposals.deprecate(chosen.memory.path, reason, origin=record.id)]
    if action is Resolution.MERGE:
        return [_merge(proposals, record, sides, target, reason, content)]
    return _clarify(proposals, record, _texts(sides, target, content), reason)


def _clarify(
    proposals: Proposing, record: Record, texts: list[tuple[Member, str]], reason: str
) -> list[ProposalResult]:
    """Propose a new text for each memory; if the second is refused, the error names the first."""
    made: list[ProposalResult] = []
    for one, text in texts:
        try:
            made.append(proposals.update(one.memory.path, reason, content=text, origin=record.id))
        except DmmError as error:
            if not made:
                raise
            what = f"{error}; {made[0].id} was proposed before that"
            raise UsageError(what, hint=f"reject it, then try again: {made[0].id}") from error
    return made


def _merge(
    proposals: Proposing,
    record: Record,
    sides: tuple[Member, Member],
    target: str | None,
    reason: str,
    content: str | Mapping[str, str] | None,
) -> ProposalResult:
    """Propose a new text for one memory, and deprecating the other."""
    keep = _need_own(sides[0] if target is None else _choose(sides, target, "to keep"))
    drop = _need_own(sides[1] if keep is sides[0] else sides[0])
    if content is not None and not isinstance(content, str):
        raise UsageError("a merge takes one content, for the memory that is kept")
    text = content if content else _union(keep, drop)
    return proposals.merge(keep.memory.path, drop.memory.path, text, reason, origin=record.id)


def _union(keep: Member, drop: Member) -> str:
    """Return both texts one after the other, with a note on what is left to do."""
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
        raise UsageError("clarify needs a new text for one memory or both", hint=hint)
    texts = [
        (_need_own(_choose(sides, name or None, "to clarify")), text)
        for name, text in content.items()
    ]
    if len({one.memory.id for one, _ in texts}) < len(texts):
        raise UsageError("the same memory has two new texts")
    return texts


def _choose(sides: tuple[Member, Member], target: str | None, purpose: str) -> Member:
    for side in sides:
        if target in (side.memory.id, side.shown):
            return side
    names = " or ".join(f"{side.memory.id} ({side.shown})" for side in sides)
    if target is None:
        raise UsageError(f"name the memory {purpose}", hint=f"--target {names}")
    raise UsageError(f"{target!r} is not part of this conflict", hint=f"--target {names}")


def _need_own(member: Member) -> Member:
    """Refuse to change a memory that is not the project's."""
    if member.origin is not Origin.PROJECT:
        hint = "change the file in your own memory folder, or settle it by the project's memory"
        raise UsageError(
            "this memory is your own, not the project's", where=member.shown, hint=hint
        )
    return member
