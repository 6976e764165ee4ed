"""Who is in a project and as what: changes that are recorded in its log, by owners."""

from __future__ import annotations

import contextlib
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

from dmm.errors import TeamError
from dmm.team import statements
from dmm.team.audit import PROVED, Act
from dmm.team.chain import PASSKEY, REVOKED, ROLE_CHANGED
from dmm.team.confirming import read_confirmed
from dmm.team.persons import MARK, check_proof, need_enrolled, tell_line
from dmm.team.port import REVOKED as TOLD_REVOKED
from dmm.team.roles import Right, may

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from dmm.eventlog.chain import Head
    from dmm.team.database import Rows
    from dmm.team.proofs import Enrolled
    from dmm.team.stored import Place


@dataclass(frozen=True, slots=True)
class By:
    """The laptop that does something, the words of its command, and what proves a person.

    Without words it only looks; without a laptop it is whoever runs the server.
    """

    writer: str = ""
    words: str = ""
    proof: Mapping[str, str] = field(default_factory=dict)


NOBODY = By()


@dataclass(frozen=True, slots=True)
class Management:
    """Changes who may use the log of one project."""

    place: Place

    @contextlib.contextmanager
    def managing(
        self, begin: Callable[[Rows], Head], by: By = NOBODY
    ) -> Iterator[tuple[Rows, Head]]:
        """Begin a transaction of a laptop that manages the project; TeamError where it may not.

        The right is read after `begin`: if that locks the project, it holds to the end. Without a
        laptop, it is whoever runs the server.
        """
        with self.place.database.transaction(self.place.team) as rows:
            head = begin(rows)
            refusal = self._find_refusal(rows, by) if by.writer else None
            if refusal is None:
                yield rows, head
                return
            about = "passkey" if refusal.fault == "unproven" else str(Right.MANAGE)
            self.place.note(rows, Act.REFUSED, by.writer, about)
        raise refusal

    def _find_refusal(self, rows: Rows, by: By) -> TeamError | None:
        known = self.place.writer(rows, by.writer)
        if known is None or known.revoked:
            return TeamError("revoked", TOLD_REVOKED)
        if not may(known.role, Right.MANAGE):
            what = f"a {known.role} can't {Right.MANAGE} the team"
            return TeamError("forbidden", what, hint="ask an owner, or whoever runs the server")
        try:
            self._need_proof(rows, by)
        except TeamError as error:
            return error
        return None

    def _need_proof(self, rows: Rows, by: By) -> None:
        """Refuse an act that no person has confirmed, once the laptop has enrolled a passkey."""
        passkeys = read_confirmed(self.place.log, rows, by.writer).passkeys
        if not passkeys or not by.words:
            return
        line = tell_line(self.place.log, by.words)
        mark = check_proof(line, passkeys, by.proof, self.place.clock())
        if rows(PROVED, *self.place.log, f"%{mark}"):
            raise TeamError(
                "unproven", "this confirmation was used before", hint="confirm it again"
            )
        self.place.note(rows, Act.ENROLLED, by.writer, f"{by.words} {mark}")

    def enrol(self, writer: str, passkeys: Sequence[Enrolled]) -> int:
        """Record the passkeys of a laptop's user, once; return how many there are.

        Another one would need the word of the first: whoever lost theirs joins again. Those that
        an earlier version told are told again, for all that a person decides.
        """
        # Those that are known are told while laptops are awaited, too: none is added then.
        with self.managing(self.place.lock_always) as (rows, _):
            held = self.place.writer(rows, writer)
            known = read_confirmed(self.place.log, rows, writer)
            if held is None or held.revoked:
                raise TeamError("revoked", TOLD_REVOKED)
            keys = {(one.id, one.key) for one in known.passkeys.values()}
            new = [one for one in passkeys if not keys or (one.id, one.key) in keys]
            if known.binding or not new:
                return len(keys)
            if len({one.id for one in new}) < len(new):
                raise TeamError("malformed", "a passkey is listed twice")
            head = self.place.lock(rows)
            for one in new:
                need_enrolled(self.place.log, writer, held.key, one)
                head = self.place.record(rows, head, PASSKEY, writer=writer, **asdict(one))
                self.place.note(rows, Act.ENROLLED, writer, f"enrol {one.id[:MARK]}")
        return len(keys) or len(new)

    def revoke(self, writer: str, by: By) -> bool:
        """Remove a writer and record it; False where it was removed before."""
        with self.managing(self.place.lock_always, by) as (rows, head):
            return self._remove(rows, head, writer, by.writer)

    def revoke_person(self, person: str, by: By) -> int:
        """Remove all laptops that a person signed in with; return how many it was."""
        with self.managing(self.place.lock_always, by) as (rows, _):
            found = [str(row[0]) for row in rows(statements.OF_PERSON, *self.place.log, person)]
            if not person or not found:
                what = f"nobody signed in as {person or 'that'}"
                raise TeamError("unknown", what, hint="dmm team members, or dmm server list")
            # Each is recorded behind the one before.
            return sum(self._remove(rows, self.place.head(rows), one, by.writer) for one in found)

    def leave(self, writer: str) -> bool:
        """Remove a writer that leaves, which needs no right; False where it was removed before."""
        with self.managing(self.place.lock_always) as (rows, head):
            return self._remove(rows, head, writer, writer)

    def _remove(self, rows: Rows, head: Head, writer: str, by: str) -> bool:
        """Remove a writer at once; while laptops are awaited, the log tells of it afterwards."""
        known = self.place.need_member(rows, writer)
        if not known.revoked:
            if rows(statements.AWAITED, *self.place.log):
                rows(statements.REVOKE_FIRST, *self.place.log, writer)
            else:
                self.place.record(rows, head, REVOKED, writer=writer)
                rows(statements.REVOKE, *self.place.log, writer)
            self.place.end_invitations(rows, writer)
            self.place.note(rows, Act.REVOKED, by, writer)
        return not known.revoked

    def change_role(self, writer: str, role: str, by: By) -> bool:
        """Give a writer another role and record it; False where it has it already."""
        with self.managing(self.place.lock, by) as (rows, head):
            known = self.place.need_member(rows, writer)
            if known.revoked:
                hint = "invite it again: dmm team invite, or dmm server invite"
                raise TeamError("revoked", f"the writer {writer} was removed", hint=hint)
            if known.role != role:
                self.place.record(rows, head, ROLE_CHANGED, writer=writer, role=role)
                rows(statements.CHANGE_ROLE, role, self.place.team, self.place.project, writer)
                if not may(role, Right.MANAGE):
                    self.place.end_invitations(rows, writer)
                self.place.note(rows, Act.ROLE, by.writer, f"{writer}: {known.role} to {role}")
        return known.role != role
