"""Record a proposal: redacted and labelled with its trust."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dmm.domain.event import Trust, least
from dmm.domain.frozen import frozen
from dmm.domain.memory import Origin
from dmm.domain.proposal import Edit, Operation, Proposal
from dmm.domain.proposal_payload import ProposalMade
from dmm.errors import ReviewRefused, UsageError
from dmm.eventlog.provenance import find_tool_source
from dmm.redaction.inputs import need_one
from dmm.redaction.redact import redact
from dmm.review.drafting import Drafts
from dmm.review.likeness import body_of

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable, Iterable, Sequence

    from dmm.domain.event import Draft as EventDraft
    from dmm.domain.event import Event
    from dmm.files.roots import Root
    from dmm.index.service import Indexes
    from dmm.review.store import ProposalStore
    from dmm.rules.project_ledger import ProjectLedger

    Draft = Callable[[Drafts], tuple[Edit, ...]]

MOST_OPEN = 2_000
# What DMM makes of sessions by itself is nobody's own words, whoever asked for it.
DERIVED = ("digest",)
# Whose words a text can be: that somebody reviewed it, no proposer can say.
SOURCES = tuple(label for label in Trust if label is not Trust.REVIEWED)
_ID = re.compile(r"^id:[ \t]*['\"]?(mem_\w+)", re.MULTILINE | re.ASCII)
_GIVEN = re.compile(r"^(?:id|created):.*\n", re.MULTILINE)


@frozen
class Wish:
    """What somebody wants: the operation, why, and what it rests on.

    `claimed` is how far the proposer itself trusts its source; it can only lower the trust.
    """

    operation: Operation
    reason: str
    evidence: tuple[int, ...] = ()
    claimed: str | None = None
    origin: str = ""
    undoes: tuple[int, ...] = ()


@frozen
class Intake:
    """Records the proposals of one project."""

    root: Root
    project_ledger: ProjectLedger
    proposal_store: ProposalStore
    indexes: Callable[[], Indexes]
    today: Callable[[], dt.date]

    def drafts(self, taken: frozenset[str] = frozenset()) -> Drafts:
        """Return what makes edits of wishes."""
        return Drafts(self.root.tree, self.root.folder, self.today(), taken)

    def record(self, wish: Wish, draft: Draft) -> Proposal:
        """Record a proposal."""
        return self._take(wish, draft, once=False)[0]

    def record_once(self, wish: Wish, draft: Draft) -> tuple[Proposal, bool]:
        """Record a proposal, or give the same one that waits already; says whether one does."""
        return self._take(wish, draft, once=True)

    def imagine(self, wish: Wish, draft: Draft) -> tuple[Proposal, ProposalMade]:
        """Make a proposal that nobody records, with what would be recorded of it."""
        refuse_halves(wish.reason, "the reason")
        create = wish.operation is Operation.CREATE
        edits, secrets = clean_edits(
            draft(self.drafts(self._known_ids() if create else frozenset()))
        )
        told, actor = self._tell(wish, edits, secrets), self.project_ledger.actor
        moment = self.project_ledger.now().isoformat(timespec="milliseconds")
        proposal = Proposal(
            0, told.operation, edits, told.reason, actor.name, actor.source, told.trust, moment
        )
        return proposal, told

    def _take(self, wish: Wish, draft: Draft, *, once: bool) -> tuple[Proposal, bool]:
        """Record in one transaction with all that is looked up, so no id is given twice."""
        refuse_halves(wish.reason, "the reason")
        new_id = once and wish.operation is Operation.CREATE
        known = self._known_ids() if new_id else frozenset[str]()
        with self.project_ledger.log.writing() as writer:
            queue = self.proposal_store.queue()
            # One that another process has just applied is in no index yet, but it is in the queue.
            taken = known | _ids_of(queue.proposals.values()) if new_id else known
            edits, secrets = clean_edits(draft(self.drafts(taken)))
            described = self._describe(wish, edits, secrets)
            same = _find_same(queue.open, wish.operation, edits) if once else None
            if same is not None:
                return same, True
            # A person's own write must not wait behind what agents have piled up.
            if len(queue.open) >= MOST_OPEN and self.project_ledger.actor.trust is not Trust.USER:
                hint = "decide on some of them: dmm review list"
                raise ReviewRefused(f"{MOST_OPEN} proposals are already pending", hint=hint)
            event = writer.append(described)
        return self.proposal_store.queue().proposals[event.seq], False

    def _describe(self, wish: Wish, edits: tuple[Edit, ...], secrets: Sequence[str]) -> EventDraft:
        told = self._tell(wish, edits, secrets)
        return self.project_ledger.draft(told, references=(*wish.evidence, *wish.undoes))

    def _tell(self, wish: Wish, edits: tuple[Edit, ...], secrets: Sequence[str]) -> ProposalMade:
        trust = self._trust(wish)
        source = self._tool_source(edits) if trust is Trust.AGENT else None
        return ProposalMade(
            operation=wish.operation,
            edits=edits,
            reason=redact(wish.reason).text,
            trust=trust if source is None else Trust.TOOL,
            evidence=tuple(wish.evidence),
            undoes=tuple(wish.undoes),
            origin=wish.origin,
            secrets=tuple(secrets),
            tainted=None if source is None else source.seq,
        )

    def _tool_source(self, edits: tuple[Edit, ...]) -> Event | None:
        new = "\n".join(body_of(edit.after or "") for edit in edits)
        old = "\n".join(edit.before or "" for edit in edits)
        return find_tool_source(new, old, self.project_ledger)

    def _trust(self, wish: Wish) -> Trust:
        """Return the lowest trust of the actor, its evidence and its stated source."""
        labels = [self.project_ledger.actor.trust]
        if wish.origin in DERIVED:
            labels.append(Trust.AGENT)
        if wish.claimed is not None:
            need_one("source", wish.claimed, SOURCES)
            labels.append(Trust(wish.claimed))
        for seq in wish.evidence:
            event = self.project_ledger.reading.event(seq)
            if event is None:
                hint = "dmm ledger log shows the events"
                raise UsageError(f"there is no event {seq} to be based on", hint=hint)
            labels.append(_label(event.trust))
        return least(labels)

    def _known_ids(self) -> frozenset[str]:
        """Gather the ids of all files; told by the index, which reads only what changed."""
        indexes = self.indexes()
        report = indexes.refresh()
        places = indexes.snapshot().places
        known = {place.id for place in places if place.origin is Origin.PROJECT}
        if report is None or report.waiting:
            known |= self._written_ids()
        return frozenset(known)

    def _written_ids(self) -> set[str]:
        """Look for the ids in the files themselves, where the index does not know them all."""
        tree = self.root.tree
        texts = (tree.glance(stamp.path).decode("utf-8", "replace") for stamp in tree.scan().stamps)
        return {found[1] for text in texts if (found := _ID.search(text))}


def clean_edits(edits: tuple[Edit, ...]) -> tuple[tuple[Edit, ...], list[str]]:
    """Remove secrets from the new texts, and name their kinds.

    An old text that holds one can't be recorded, so its file has to be fixed first.
    """
    cleaned: list[Edit] = []
    kinds: list[str] = []
    for edit in edits:
        _refuse_unfit(edit)
        if edit.before is not None and redact(edit.before).text != edit.before:
            hint = "remove it from the file by hand, then propose again"
            raise UsageError("the file seems to contain a secret", where=edit.path, hint=hint)
        found = None if edit.after is None else redact(edit.after)
        kinds += [] if found is None else sorted(found.counts)
        cleaned.append(Edit(edit.path, edit.before, None if found is None else found.text))
    return tuple(cleaned), list(dict.fromkeys(kinds))


def _refuse_unfit(edit: Edit) -> None:
    """Refuse a text that can't be stored, and a new name that holds a secret."""
    refuse_halves(edit.after or "", edit.path)
    if edit.before is None and redact(edit.path).text != edit.path:
        hint = "name the file after its topic"
        raise UsageError("the path seems to contain a secret", hint=hint)


def refuse_halves(text: str, where: str) -> None:
    """Refuse lone surrogates: JSON can carry them, no file can."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        hint = "send the text as UTF-8"
        raise UsageError(
            "the text contains an unpaired surrogate", where=where, hint=hint
        ) from None


def _ids_of(proposals: Iterable[Proposal]) -> frozenset[str]:
    texts = (edit.after for one in proposals for edit in one.edits if edit.after is not None)
    return frozenset(found[1] for text in texts if (found := _ID.search(text)))


def _find_same(
    waiting: Iterable[Proposal], operation: Operation, edits: tuple[Edit, ...]
) -> Proposal | None:
    """Find a proposal that wants the very same, whoever made it; its id does not count."""
    paths = [edit.path for edit in edits]
    near = (one for one in waiting if one.operation is operation)
    near = (one for one in near if [edit.path for edit in one.edits] == paths)
    return next((one for one in near if _meaning(one.edits) == _meaning(edits)), None)


def _meaning(edits: tuple[Edit, ...]) -> list[tuple[str | None, str | None]]:
    return [(edit.before, _without_given(edit)) for edit in edits]


def _without_given(edit: Edit) -> str | None:
    """Leave out what a new file is given when it is proposed: its id and its day."""
    if edit.before is not None or edit.after is None:
        return edit.after
    head, fence, body = edit.after.partition("\n---\n")
    return _GIVEN.sub("", f"{head}\n") + fence + body


def _label(name: str) -> Trust:
    return Trust(name) if name in list(Trust) else Trust.THIRD_PARTY
