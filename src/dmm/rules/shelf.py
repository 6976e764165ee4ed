"""List, write and remove rule files, and record them in the ledger."""

from __future__ import annotations

import contextlib
import difflib
import os
import re
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from dmm.domain.event import PERSONS, Trust
from dmm.domain.payload import ConstraintAdded, ConstraintDeactivated
from dmm.errors import DmmError, PathRefused, UsageError
from dmm.files.durable import make_folder, sync_directory, translated, write_atomic
from dmm.reading import read_regular
from dmm.rules.folder import (
    ENDING,
    FOLDER,
    MAX_BYTES,
    FileRule,
    describe_file,
    digest_source,
    priority_of,
)
from dmm.rules.source import check_rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dmm.domain.event import Draft
    from dmm.domain.recorded import Payload
    from dmm.errors import MemoryFileError
    from dmm.eventlog.state import Constraint
    from dmm.eventlog.state import State as LedgerState
    from dmm.files.roots import Root
    from dmm.rules.folder import RuleFolder
    from dmm.rules.project_ledger import ProjectLedger

NEAR = 3
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,79}")


@dataclass(frozen=True, slots=True)
class RuleShelf:
    """The rule files of one project, as the user agreed to them."""

    root: Root
    project_ledger: ProjectLedger
    folder: RuleFolder
    publish: Callable[[], object]

    def rules(self) -> list[FileRule]:
        """Return the rules by id, in their approved texts, including disabled ones."""
        recorded = self._recorded()
        found = self.folder.read(recorded)
        return [replace(one, seq=_seq_of(one, recorded.get(one.path))) for one in found.rules]

    def faults(self) -> list[MemoryFileError]:
        """Return the broken files, with file and line."""
        return list(self.folder.read(self._recorded()).faults)

    def find(self, name: str) -> FileRule:
        """Return a rule by its id; for a broken file, raise its fault."""
        rules = self.rules()
        for one in rules:
            if one.rule.id == name:
                return one
        for fault in self.faults():
            if PurePosixPath(fault.path).stem == name:
                raise fault
        ids = [one.rule.id for one in rules]
        within = [one for one in ids if name and name in one]
        near = within[:NEAR] or difflib.get_close_matches(name, ids, NEAR)
        hint = f"did you mean {', '.join(near)}?" if near else "list them: dmm rules"
        raise UsageError(f"no rule is called {name!r}", hint=hint)

    def standing(self, state: LedgerState) -> Sequence[Constraint]:
        """Return everything active here: the ledger's constraints and the rules in files."""
        return self.folder.standing(state)

    def record(self) -> None:
        """Record changed rule files in the ledger; if that fails, the next call tries again."""
        try:
            if self._is_recorded() or not self.project_ledger.is_own:
                return
            with self.project_ledger.log.writing() as writer:
                for draft in self._changes(self.project_ledger.state()):
                    writer.append(draft)
        except DmmError:
            # The files are in force with or without a record of that.
            return

    def _is_recorded(self) -> bool:
        """Return whether the ledger has the files as they are."""
        state = self.project_ledger.state()
        recorded = self.folder.recorded(state)
        found = self.folder.read(recorded)
        known = self.folder.in_ledger
        if known is not None and known[0] is found and known[1] is recorded:
            return True
        if self._changes(state):
            return False
        self.folder.in_ledger = (found, recorded)
        return True

    def write(self, name: str, text: str) -> FileRule:
        """Write one rule file; refuse a text whose examples fail.

        What a person writes counts at once; an agent's file waits for one.
        """
        path = self._path(name)
        rule = check_rule(path, text)
        for one in self.rules():
            if one.rule.id == rule.id and one.path != path:
                hint = f"edit {one.path}, or give the new one another id"
                raise UsageError(f"the id {rule.id!r} is taken by {one.path}", hint=hint)
        target = self.root.folder / path
        self.refuse_unapproved(path, text)
        before = self.folder.consents.effective(path)
        make_folder(target.parent)
        write_atomic(target, text.encode())
        self._settle(path, before)
        shelved = next((one for one in self.rules() if one.path == path), None)
        if shelved is not None:
            return shelved
        return FileRule(rule, path, text, digest_source(text), held=True)

    def refuse_unapproved(self, name: str, text: str | None = None) -> None:
        """Refuse to overwrite another text that nobody has approved."""
        path = self._path(name)
        target = self.root.folder / path
        if not os.path.lexists(target) or not self.folder.consents.is_held(path):
            return
        same = False
        with contextlib.suppress(OSError):
            same = text is not None and read_regular(target, MAX_BYTES)[0] == text.encode()
        if not same:
            what = "the file has a change that is not approved yet, which would be lost"
            raise UsageError(what, where=path, hint="review the change first: dmm trust")

    def remove(self, id: str) -> None:  # noqa: A002 - what a rule is known by
        """Remove a rule's file; if an agent does it, the rule stays active."""
        path = self.find(id).path
        target = self.root.folder / path
        with translated(target, "remove the file"):
            target.unlink(missing_ok=True)
            sync_directory(target.parent)
        self._settle(path)

    def _settle(self, path: str, before: bytes | None = None) -> None:
        """Approve a file that a person just wrote, and update the ledger and the hooks' rules.

        `before` is the text that it replaces; that one counts no more.
        """
        if self.project_ledger.actor.trust in PERSONS:
            self.folder.consents.replace(path, before)
        self.record()
        self.publish()

    def _path(self, name: str) -> str:
        stem = name.removeprefix(f"{FOLDER}/").removesuffix(ENDING)
        if not all(_NAME.fullmatch(part) for part in stem.split("/")):
            hint = "use small letters, digits and hyphens, such as no-console-log"
            raise PathRefused(f"{name!r} can't name a rule file", hint=hint)
        return f"{FOLDER}/{stem}{ENDING}"

    def _recorded(self) -> Mapping[str, Constraint]:
        """Return the recorded rule files; none if the ledger can't be read."""
        try:
            return self.folder.recorded(self.project_ledger.state())
        except DmmError:
            return {}

    def _changes(self, state: LedgerState) -> list[Draft]:
        recorded = self.folder.recorded(state)
        found = self.folder.read(recorded)
        held = {one.path: one for one in found.rules}
        enabled = [one for one in found.rules if not one.rule.disabled]
        changed = [
            one
            for one in enabled
            if one.path not in recorded or recorded[one.path].digest != one.digest
        ]
        gone = {
            path: one
            for path, one in recorded.items()
            if path not in held or held[path].rule.disabled
        }
        drafts = list(self._drafts(changed, recorded, gone, state))
        for path, one in gone.items():
            drafts.append(self._lift(one, "disabled" if path in held else "removed"))
        return drafts

    def _drafts(
        self,
        changed: Sequence[FileRule],
        recorded: Mapping[str, Constraint],
        gone: dict[str, Constraint],
        state: LedgerState,
    ) -> Iterator[Draft]:
        """Return the events for new and changed rules, after those that lift replaced ones."""
        moved = {one.id: path for path, one in gone.items()}
        for one in changed:
            before = recorded.get(one.path)
            if before is None and one.rule.id in moved:
                before = gone.pop(moved[one.rule.id])
            if before is not None:
                yield self._lift(before, "changed")
            cause = one.rule.triggered_by
            if cause is not None and not 0 < cause <= state.seq:
                # A clone brings rules that were learned from somebody else's events.
                cause = None
            yield self._draft(
                ConstraintAdded(
                    text=one.rule.title,
                    priority=priority_of(one.rule),
                    rule=describe_file(one, self.folder.place),
                    replaces=None if before is None else before.seq,
                    triggered_by=cause,
                ),
                () if before is None else (before.seq,),
                cause,
            )

    def _lift(self, one: Constraint, reason: str) -> Draft:
        told = ConstraintDeactivated(seq=one.seq, reason=reason, id=one.id, path=one.path)
        return self._draft(told, (one.seq,))

    def _draft(self, told: Payload, references: tuple[int, ...], cause: int | None = None) -> Draft:
        """Prepare an event; the files hold because a person agreed to them, whoever notices."""
        draft = self.project_ledger.draft(told, caused_by=cause, references=references)
        return replace(draft, actor="user", trust=Trust.REVIEWED)


def _seq_of(one: FileRule, recorded: Constraint | None) -> int:
    return recorded.seq if recorded is not None and recorded.digest == one.digest else 0
