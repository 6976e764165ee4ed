"""Remember a note in one line, and forget it: both through proposals, so events and undo hold.

A person's note is applied at once unless another memory says the same; an agent's is decided by
the rules for its tier (review/tiers.py).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from unicodedata import category

from dmm.domain.event import Trust
from dmm.domain.frozen import frozen
from dmm.domain.proposal import CheckName, Judge, Operation, Outcome, ProposalStatus, Verdict
from dmm.domain.proposal_payload import ProposalReviewed
from dmm.errors import DmmError, FileExists, ReviewRefused, StaleBase, UsageError
from dmm.files.worktree import is_ignored, list_changed
from dmm.notes.finding import Match
from dmm.notes.placing import Around, place_note
from dmm.notes.ruled import find_rule
from dmm.redaction.inputs import need
from dmm.redaction.redact import redact
from dmm.review.application import Approval
from dmm.review.checks.subject import quote
from dmm.review.drafting import About
from dmm.review.intake import Wish
from dmm.review.writing import Writing, draft_edits
from dmm.rules.source import read_sentence
from dmm.tracing import traced

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from dmm.domain.proposal import Check, Edit, Proposal
    from dmm.files.roots import Root
    from dmm.notes.finding import Search
    from dmm.notes.placing import Placed
    from dmm.review.application import Applied
    from dmm.review.service import Proposals
    from dmm.rules.folder import Found
    from dmm.rules.results import CallChecked
    from dmm.rules.rule import Rule

ORIGIN = "remember"
REASON = "a note to remember"
# The name of the remark that shows an enforced rule beside a note.
RULE = "rule"
# What a person should decide about before a note is written beside another memory.
_WEIGHED = (CheckName.DUPLICATES, CheckName.CONFLICTS)


@frozen
class Remark:
    """What a check says about a note, and the memory or proposal it names."""

    check: str
    text: str
    other: str | None = None


@frozen
class Remembered:
    """What became of a note: applied, pending, or refused because of what is known already."""

    status: str
    path: str
    title: str
    tags: tuple[str, ...]
    paths: tuple[str, ...]
    proposal: str
    seq: int
    why: str = ""
    failed: tuple[Remark, ...] = ()
    remarks: tuple[Remark, ...] = ()
    notices: tuple[str, ...] = ()


@frozen
class Forgotten:
    """What became of a memory that should be forgotten; without a path, several match."""

    status: str
    path: str = ""
    title: str = ""
    proposal: str = ""
    seq: int = 0
    why: str = ""
    matches: tuple[Match, ...] = ()
    notices: tuple[str, ...] = ()


@frozen
class Meant:
    """The memories that a name may mean; `digest` is that of the text where it means one."""

    matches: tuple[Match, ...]
    edits: tuple[Edit, ...] = ()

    @property
    def digest(self) -> str:
        """The digest of the text that would be forgotten."""
        return self.edits[0].base or "" if self.edits else ""


@frozen
class Notes:
    """Remembers and forgets the notes of one project."""

    root: Root
    proposals: Proposals
    search: Search
    read_rules: Callable[[], Found]
    check_decision: Callable[[str], CallChecked]

    @traced()
    def remember(
        self,
        text: str,
        *,
        replaces: str | None = None,
        anyway: bool = False,
        source: str | None = None,
    ) -> Remembered:
        """Keep a note; `replaces` names the memory whose text it takes, by path or id.

        `anyway` keeps it beside a memory that says the same or the opposite.
        """
        need("text", text)
        # Scripts without capitals, such as Chinese, may write a whole sentence without a blank.
        if len(text.split()) == 1 and not any(category(one) == "Lo" for one in text):
            raise UsageError("a note needs at least two words", hint="write it as a sentence")
        self.proposals.trust.require(self.root.folder)
        remember = partial(self._remember, text, replaces, source, anyway=anyway)
        try:
            return remember()
        except (FileExists, ReviewRefused, StaleBase):
            if replaces:
                raise
            # Another process wrote a note there meanwhile, perhaps the same, or decided on it.
            return remember()

    def _remember(
        self, text: str, replaces: str | None, source: str | None, *, anyway: bool
    ) -> Remembered:
        with self.search.indexes.looked_at_once():
            placed = self._place(text)
            held = None if replaces or anyway else find_rule(text, self.read_rules().rules)
            if held is not None and held.repeated:
                return _repeated(placed, held.rule.id)
            told = self._keep(placed, replaces, source, anyway=anyway)
            against = None if told.status == "refused" else self._check(text)
        if against is not None:
            return _against(told, against)
        return told if held is None else _beside(told, held.rule)

    def _check(self, text: str) -> CallChecked | None:
        """Return the rule that a note surely goes against; one that forbids something does not."""
        said = read_sentence(text)
        if said is not None and said.forbids:
            return None
        found = self.check_decision(text)
        return None if found.outcome in ("allowed", "warned") else found

    def _keep(
        self, placed: Placed, replaces: str | None, source: str | None, *, anyway: bool
    ) -> Remembered:
        asked = self._replacing(placed, replaces) if replaces else self._creating(placed)
        if self._by_person and source is None:
            return self._write(asked, placed, anyway=anyway)
        told = self.proposals.write(replace(asked, source=source))
        proposal = self.proposals.proposal_store.find(told.id)
        return _remembered(proposal, placed, told.why, told.notices)

    @property
    def _by_person(self) -> bool:
        return self.proposals.project_ledger.actor.trust is Trust.USER

    def _place(self, text: str) -> Placed:
        near = self.search.similar(text)
        around = Around(near, self._list_changed, self._exists, partial(self._is_free, text))
        return place_note(text, around)

    def _list_changed(self) -> tuple[str, ...]:
        """List the files being worked on; memories that are not committed yet are none of them."""
        changed = list_changed(self.root.folder)
        return tuple(name for name in changed if "/.dmm/" not in f"/{name}")

    def _exists(self, name: str) -> bool:
        """Return whether the project has such a file or folder; nothing outside of it counts."""
        if ".." in name.split("/") or name.startswith(("/", ".dmm/")):
            return False
        return (self.root.project / name).exists()

    def _is_free(self, text: str, path: str) -> bool:
        """Return whether a note can be written to a path; where it was forgotten, it comes back."""
        tree = self.root.tree
        if tree.text_of(path) is None:
            return not is_ignored(self.root.folder, tree.root / path)
        known = self.search.exact(path) and tree.load(path).memory
        if not known or known.in_force:
            return False
        # The heading that was put above a note is no part of it.
        said = known.body if text.startswith("# ") else known.body.partition("\n\n")[2]
        return said.strip() == text.strip()

    def _replacing(self, placed: Placed, name: str) -> Writing:
        match = self.search.exact(name)
        if match is None:
            hint = "name it by its path or id; dmm query finds memories by content"
            raise UsageError("there is no such memory", where=name, hint=hint)
        return Writing(match.path, REASON, Operation.UPDATE, content=placed.body, origin=ORIGIN)

    def _creating(self, placed: Placed) -> Writing:
        asked = Writing(placed.path, REASON, Operation.CREATE, content=placed.body, origin=ORIGIN)
        if self.root.tree.text_of(placed.path) is None:
            return replace(asked, about=About(tags=placed.tags, paths=placed.paths))
        text = self.proposals.intake.drafts().activated(placed.path)
        return replace(asked, operation=Operation.UPDATE, content=text)

    def _write(self, asked: Writing, placed: Placed, *, anyway: bool) -> Remembered:
        """Write a person's note at once, unless something has to be decided first."""
        _refuse_secrets(placed.body)
        proposals = self.proposals
        proposals.application.recover()
        wish = Wish(asked.operation or Operation.CREATE, REASON, origin=ORIGIN)
        proposal, _ = proposals.intake.record_once(wish, lambda drafts: draft_edits(drafts, asked))
        try:
            proposals.examine(proposal)
            proposal = proposals.proposal_store.find(proposal.id)
            against = [one for one in proposal.failures if _decides(one, anyway=anyway)]
            if against:
                why = "; ".join(one.text.partition(";")[0] for one in against)
                return _remembered(self._reject(proposal, why), placed, why)
            applied = self._apply(proposal)
        except DmmError as error:
            # Nobody asked for something that waits.
            proposal = self._reject(proposal, f"not applied: {error}")
            if proposal.standing is ProposalStatus.APPLIED:
                # Another process was given the same note, and was first.
                return _remembered(proposal, placed, "")
            raise
        return _remembered(applied.proposal, placed, "", applied.notices)

    def _apply(self, proposal: Proposal) -> Applied:
        """Apply a note; one that is new and clashes with nothing is indexed at the next refresh."""
        overridden = tuple(str(check.name) for check in proposal.failures)
        approval = Approval(Judge.PERSON, proposal.edits, REASON, overridden=overridden)
        weighed = (one for one in proposal.checks if one.name in _WEIGHED)
        clear = all(one.outcome is Outcome.PASS for one in weighed)
        waits = clear and proposal.operation is Operation.CREATE
        return self.proposals.application.apply(proposal.seq, approval, one_of_many=waits)

    def _reject(self, proposal: Proposal, why: str) -> Proposal:
        said = ProposalReviewed(
            proposal=proposal.seq,
            judge=Judge.PERSON,
            verdict=Verdict.REJECTED,
            reason=redact(why).text,
            remarks={},
        )
        if self.proposals.proposal_store.find(proposal.id).is_open:
            self.proposals.judge(proposal, said)
        return self.proposals.proposal_store.find(proposal.id)

    def look(self, name: str) -> Meant:
        """Return which memory would be forgotten by a path, an id or some of its words."""
        need("text", name)
        self.proposals.trust.require(self.root.folder)
        found = self.search.find(name)
        if not found.matches:
            hint = "name it by its path, its id or words of its text"
            raise UsageError("no memory matches", where=name, hint=hint)
        if not found.sure:
            return Meant(found.matches)
        drafts = self.proposals.intake.drafts()
        return Meant(found.matches[:1], tuple(drafts.deprecate(found.matches[0].path)))

    @traced()
    def forget(self, name: str, *, reason: str = "", seen: str | None = None) -> Forgotten:
        """Deprecate the memory that a path, an id or some of its words name.

        Where several match, or one only resembles the words, nothing is done and all are listed.
        `seen` is the digest of the text that was looked at.
        """
        meant = self.look(name)
        if not meant.edits:
            return Forgotten("several", matches=meant.matches)
        if seen is not None and seen != meant.digest:
            hint = "look at it again, then decide"
            raise ReviewRefused("the memory has changed since it was shown", where=name, hint=hint)
        return self._retire(meant, reason or "forgotten")

    def _retire(self, meant: Meant, reason: str) -> Forgotten:
        match = meant.matches[0]
        if not self._by_person:
            told = self.proposals.deprecate(match.path, reason, origin=ORIGIN)
            about = match.path, match.title, told.id, told.seq
            return Forgotten(str(told.status), *about, told.why)
        applied = self.proposals.apply_as_person(
            meant.edits, reason, operation=Operation.DEPRECATE, origin=ORIGIN
        )
        done = applied.proposal
        return Forgotten(
            str(done.standing),
            match.path,
            match.title,
            done.id,
            done.seq,
            notices=applied.notices,
        )


def _repeated(placed: Placed, rule: str) -> Remembered:
    why = f"the rule {rule} already says this and is enforced (dmm rules show {rule})"
    return Remembered("refused", "", placed.title, (), (), "", 0, why)


def _beside(told: Remembered, rule: Rule) -> Remembered:
    text = f'the rule {rule.id} is about the same and stays enforced: "{rule.title}"'
    return replace(told, remarks=(*told.remarks, Remark(RULE, text, rule.id)))


def _against(told: Remembered, rule: CallChecked) -> Remembered:
    name = rule.rule or str(rule.seq)
    ways = f"if the rule no longer holds: dmm rules disable {name}"
    if told.status == "applied":
        ways = f"if the note is wrong: dmm forget {told.path}; {ways}"
    title = rule.title or ""
    text = f'it contradicts the rule {name}: "{title.rstrip(".")}". {ways[:1].upper()}{ways[1:]}'
    # The memory that a rule was imported from says the same.
    others = (one for one in told.remarks if f"against {quote(title)}" not in one.text)
    return replace(told, remarks=(*others, Remark(RULE, text, name)))


def _decides(check: Check, *, anyway: bool) -> bool:
    return check.hard or (check.name in _WEIGHED and not anyway)


def _refuse_secrets(text: str) -> None:
    found = redact(text)
    if found.counts:
        what = f"the text seems to contain a secret: {', '.join(sorted(found.counts))}"
        raise UsageError(what, hint="take it out of the text first")


def _remembered(
    proposal: Proposal, placed: Placed, why: str, notices: Iterable[str] = ()
) -> Remembered:
    rejected = proposal.standing is ProposalStatus.REJECTED
    failed = tuple(_remark(one) for one in proposal.failures)
    warned = [one for one in proposal.checks if one.outcome is Outcome.WARN]
    return Remembered(
        "refused" if rejected else str(proposal.standing),
        proposal.path,
        placed.title,
        placed.tags,
        placed.paths,
        proposal.id,
        proposal.seq,
        why,
        failed,
        tuple(_remark(one) for one in warned),
        tuple(notices),
    )


def _remark(check: Check) -> Remark:
    return Remark(str(check.name), check.text, check.other)
