"""Who is in a project and as what: changes that are recorded in its log, by owners."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.errors import TeamError
from dmm.team import statements
from dmm.team.audit import Act
from dmm.team.roles import Right, may

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from dmm.eventlog.chain import Head
    from dmm.team.database import Rows
    from dmm.team.stored import Place
    from dmm.team.told import Told


@dataclass(frozen=True, slots=True)
class Management:
    """Changes who may use the log of one project."""

    place: Place

    @contextlib.contextmanager
    def managing(self, by: str, begin: Callable[[Rows], Head]) -> Iterator[tuple[Rows, Head]]:
        """Begin a transaction of a laptop that manages the project; TeamError where it may not.

        The right is read after `begin`: if that locks the project, it holds to the end. Without a
        laptop, it is whoever runs the server.
        """
        with self.place.database.transaction(self.place.team) as rows:
            head = begin(rows)
            refusal = self._find_refusal(rows, by) if by else None
            if refusal is None:
                yield rows, head
                return
            self.place.note(rows, Act.REFUSED, by, str(Right.MANAGE))
        raise refusal

    def _find_refusal(self, rows: Rows, by: str) -> TeamError | None:
        known = self.place.writer(rows, by)
        if known is None or known.revoked:
            return TeamError("revoked", "this laptop was removed from the team")
        if may(known.role, Right.MANAGE):
            return None
        what = f"a {known.role} can't {Right.MANAGE} the team"
        return TeamError("forbidden", what, hint="ask an owner, or whoever runs the server")

    def revoke(self, writer: str, told: Told, by: str) -> bool:
        """Remove a writer and record it; False where it was removed before."""
        with self.managing(by, self.place.lock_always) as (rows, head):
            return self._remove(rows, head, writer, told, by)

    def revoke_person(self, person: str, tell: Callable[[str], Told], by: str) -> int:
        """Remove all laptops that a person signed in with; return how many it was."""
        with self.managing(by, self.place.lock_always) as (rows, _):
            found = [str(row[0]) for row in rows(statements.OF_PERSON, *self.place.log, person)]
            if not person or not found:
                what = f"nobody signed in as {person or 'that'}"
                raise TeamError("unknown", what, hint="dmm team members, or dmm server list")
            # Each is recorded behind the one before.
            done = [self._remove(rows, self.place.head(rows), one, tell(one), by) for one in found]
        return sum(done)

    def leave(self, writer: str, told: Told) -> bool:
        """Remove a writer that leaves, which needs no right; False where it was removed before."""
        with self.managing("", self.place.lock_always) as (rows, head):
            return self._remove(rows, head, writer, told, writer)

    def _remove(self, rows: Rows, head: Head, writer: str, told: Told, by: str) -> bool:
        """Remove a writer at once; while laptops are awaited, the log tells of it afterwards."""
        known = self.place.need_member(rows, writer)
        if not known.revoked:
            if rows(statements.AWAITED, *self.place.log):
                rows(statements.REVOKE_FIRST, *self.place.log, writer)
            else:
                self.place.record(rows, head, told)
                rows(statements.REVOKE, *self.place.log, writer)
            self.place.end_invitations(rows, writer)
            self.place.note(rows, Act.REVOKED, by, writer)
        return not known.revoked

    def change_role(self, writer: str, role: str, told: Told, by: str) -> bool:
        """Give a writer another role and record it; False where it has it already."""
        with self.managing(by, self.place.lock) as (rows, head):
            known = self.place.need_member(rows, writer)
            if known.revoked:
                hint = "invite it again: dmm team invite, or dmm server invite"
                raise TeamError("revoked", f"the writer {writer} was removed", hint=hint)
            if known.role != role:
                self.place.record(rows, head, told)
                rows(statements.CHANGE_ROLE, role, self.place.team, self.place.project, writer)
                if not may(role, Right.MANAGE):
                    self.place.end_invitations(rows, writer)
                self.place.note(rows, Act.ROLE, by, f"{writer}: {known.role} to {role}")
        return known.role != role
