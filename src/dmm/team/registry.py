"""Teams, projects, invitations and writers on a server."""

from __future__ import annotations

import datetime as dt
import hashlib
import hmac
import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.errors import TeamError, UsageError
from dmm.eventlog.chain import GENESIS
from dmm.team.answers import MOST_OTHERS
from dmm.team.audit import Act, read_accesses
from dmm.team.chain import JOINED, SERVER, WriterHead
from dmm.team.keys import is_key
from dmm.team.management import By, Management
from dmm.team.names import NAME, WRITER_BYTES
from dmm.team.port import REVOKED
from dmm.team.roles import OWNER, need_role
from dmm.team.stored import Place, StoredLog, now

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from dmm.team.audit import Access
    from dmm.team.chain import LogName
    from dmm.team.database import Database, Rows
    from dmm.team.keys import SigningKey
    from dmm.team.proofs import Enrolled

    # A passkey's answer, part by part.
    Proof = Mapping[str, str]

LONGEST_NAME = 80
NONE: Proof = {}
INVITED_FOR = dt.timedelta(days=7)
SECRET_BYTES = 32

ADD_PROJECT = "INSERT INTO project VALUES (?, ?, 0, ?) ON CONFLICT DO NOTHING RETURNING seq"
ADD_WRITER = """
INSERT INTO writer
  (team_id, project_id, writer, key, role, name, token, wseq, whash, revoked, person)
VALUES (?, ?, ?, ?, ?, ?, ?, 0, ?, 0, ?)
"""
ADD_INVITATION = """
INSERT INTO invitation (team_id, token, project_id, role, expires, made_by)
VALUES (?, ?, ?, ?, ?, ?)
"""
FIND_INVITATION = """
SELECT project_id FROM invitation
WHERE team_id = ? AND token = ? AND writer IS NULL AND expires > ?
"""
# Only one of two who use an invitation at once gets it.
USE_INVITATION = """
UPDATE invitation SET writer = ? WHERE team_id = ? AND token = ? AND writer IS NULL AND expires > ?
RETURNING project_id, role
"""
KEY_KNOWN = "SELECT 1 FROM writer WHERE team_id = ? AND project_id = ? AND key = ? LIMIT 1"
ANY_PROJECT = "SELECT 1 FROM project WHERE team_id = ? LIMIT 1"
TOKEN = "SELECT project_id, key, token FROM writer WHERE team_id = ? AND writer = ?"  # noqa: S105 - no secret
MEMBERS = """
SELECT writer, name, role, wseq, revoked, person FROM writer
WHERE team_id = ? AND project_id = ? AND writer <> 'server' ORDER BY name, writer
"""


@dataclass(frozen=True, slots=True)
class Joined:
    """What a laptop gets when it joins; the token is told once."""

    team: str
    project: str
    writer: str
    role: str
    token: str
    server_key: str


@dataclass(frozen=True, slots=True)
class Member:
    """A writer of a project."""

    writer: str
    name: str
    role: str
    events: int
    revoked: bool
    # Who signed in with it, as the issuer names them.
    person: str = ""


@dataclass(frozen=True, slots=True)
class Registry:
    """Says who may use which log."""

    database: Database
    key: SigningKey
    clock: Callable[[], dt.datetime] = now

    def knock(self) -> None:
        """Ask the database for nothing; StorageError where it does not answer."""
        with self.database.transaction("") as rows:
            rows("SELECT 1")

    def add(self, team: str, project: str) -> bool:
        """Add a project; False where it is there already."""
        for name in (team, project):
            if not NAME.fullmatch(name):
                hint = "use lower-case letters, digits and dashes: acme/shop"
                raise UsageError(f"'{name}' is not a name for a team or a project", hint=hint)
        with self.database.transaction(team) as rows:
            if not rows(ADD_PROJECT, team, project, GENESIS):
                return False
            place = self._place(team, project)
            _enrol(rows, place, SERVER, WriterHead(self.key.public, OWNER))
            place.note(rows, Act.ADDED)
        return True

    def need(self, team: str, project: str) -> None:
        """Refuse a project that there is not."""
        with self.database.transaction(team) as rows:
            self._place(team, project).head(rows)

    def invite(
        self, team: str, project: str, role: str, *, by: str = "", proof: Proof = NONE
    ) -> str:
        """Make an invitation for one laptop; it can be used once, for seven days.

        `by` is the laptop of the owner who does this; none where it is whoever runs the server.
        """
        role = need_role(role)
        secret = secrets.token_hex(SECRET_BYTES)
        expires = (self.clock() + INVITED_FOR).isoformat()
        place = self._place(team, project)
        act = By(by, f"invite --role {role}", proof)
        with Management(place).managing(place.lock if by else place.head, act) as (rows, _):
            place.note(rows, Act.INVITED, by, role)
            rows(ADD_INVITATION, team, _hash(secret), project, role, expires, by)
        return f"{team}.{secret}.{self.key.public}"

    def join(self, invitation: str, key: str, name: str) -> Joined:
        """Use an invitation: the laptop's key is recorded in the log, for all to see."""
        team, _, rest = invitation.partition(".")
        secret = rest.partition(".")[0]
        if not NAME.fullmatch(team) or not is_key(key):
            raise _unknown_invitation()
        writer = secrets.token_hex(WRITER_BYTES)
        with self.database.transaction(team) as rows:
            at = self.clock().isoformat()
            for (project,) in rows(FIND_INVITATION, team, _hash(secret), at):
                place = self._place(team, str(project))
                # Whoever removes its maker ends it under the same lock.
                place.lock(rows)
                for _, role in rows(USE_INVITATION, writer, team, _hash(secret), at):
                    member = WriterHead(key, role, name[:LONGEST_NAME])
                    return self._admit(rows, place, writer, member)
            self._note_stranger(rows, team, "invitation")
        raise _unknown_invitation()

    def admit(self, team: str, project: str, role: str, key: str, name: str, person: str) -> Joined:
        """Take in the laptop of a person who has signed in."""
        if not is_key(key):
            raise TeamError("malformed", "that is not a key")
        member = WriterHead(key, role, name[:LONGEST_NAME])
        writer = secrets.token_hex(WRITER_BYTES)
        place = self._place(team, project)
        with self.database.transaction(team) as rows:
            place.lock(rows)
            # So a token, which is for one key, is good once.
            if rows(KEY_KNOWN, *place.log, key):
                what = "this key has joined the project already"
                raise TeamError("known", what, hint="join with a new key: dmm team join")
            return self._admit(rows, place, writer, member, person)

    def note_refused(self, place: str, about: str) -> None:
        """Record that somebody was refused who named a project."""
        team, _, project = place.partition("/")
        if NAME.fullmatch(team) and NAME.fullmatch(project):
            with self.database.transaction(team) as rows:
                self._note_stranger(rows, team, about)

    def _admit(
        self, rows: Rows, place: Place, writer: str, member: WriterHead, person: str = ""
    ) -> Joined:
        """Take a laptop in; the token that it gets is kept as a hash."""
        token = secrets.token_hex(SECRET_BYTES)
        head = place.lock(rows)
        _enrol(rows, place, writer, member, _hash(token), person)
        about = {"key": member.key, "role": member.role, "name": member.name}
        place.record(rows, head, JOINED, writer=writer, **about)
        place.note(rows, Act.JOINED, writer, f"{member.role} {person}".strip())
        whole = f"{place.team}.{writer}.{token}"
        return Joined(*place.log, writer, member.role, whole, self.key.public)

    def _note_stranger(self, rows: Rows, team: str, about: str, project: str = "") -> None:
        """Record that somebody was refused; a team that there is not gets no row."""
        if rows(ANY_PROJECT, team):
            self._place(team, project).note(rows, Act.REFUSED, about=about)

    def open(self, token: str) -> StoredLog | None:
        """Find the log that a token is for; None where it is for none."""
        team, _, rest = token.partition(".")
        writer, _, secret = rest.partition(".")
        if not NAME.fullmatch(team):
            return None
        with self.database.transaction(team) as rows:
            found = rows(TOKEN, team, writer)
            project, key, known = map(str, found[0]) if found else ("", "", "")
            if hmac.compare_digest(known, _hash(secret)):
                return StoredLog(self._place(team, project), writer, key)
            self._note_stranger(rows, team, "token", project)
        return None

    def find_readable(self, log: StoredLog, also: Sequence[str]) -> list[LogName]:
        """Return the projects that a laptop may read by its tokens, and record that it does.

        A token that is for nothing, or for a laptop that was removed, adds nothing and is not told.
        """
        if not log.enter():
            raise TeamError("revoked", REVOKED)
        others = map(self.open, dict.fromkeys(also[:MOST_OTHERS]))
        readable = {one.place.log for one in others if one is not None and one.enter()}
        return sorted({log.place.log, *readable})

    def members(self, team: str, project: str, *, by: str = "") -> tuple[Member, ...]:
        """List the writers of a project."""
        place = self._place(team, project)
        with Management(place).managing(place.head, By(by)) as (rows, _):
            if by:
                place.note(rows, Act.LISTED, by)
            found = rows(MEMBERS, team, project)
        return tuple(Member(row[0], row[1], row[2], row[3], bool(row[4]), row[5]) for row in found)

    def accesses(self, team: str, project: str, most: int) -> tuple[Access, ...]:
        """Read who used a project of late, the newest first."""
        with self.database.transaction(team) as rows:
            self._place(team, project).head(rows)
            return read_accesses(rows, (team, project), most)

    def revoke(
        self, team: str, project: str, writer: str, *, by: str = "", proof: Proof = NONE
    ) -> bool:
        """Remove a writer; False where it was removed before."""
        return self._manage(team, project).revoke(writer, By(by, f"revoke {writer}", proof))

    def revoke_person(
        self, team: str, project: str, person: str, *, by: str = "", proof: Proof = NONE
    ) -> int:
        """Remove all laptops that a person signed in with; return how many it was."""
        act = By(by, f"revoke --person {person}", proof)
        return self._manage(team, project).revoke_person(person, act)

    def leave(self, team: str, project: str, writer: str) -> bool:
        """Remove a writer that leaves; False where it was removed before."""
        return self._manage(team, project).leave(writer)

    def change_role(
        self, team: str, project: str, writer: str, role: str, *, by: str = "", proof: Proof = NONE
    ) -> bool:
        """Give a writer another role; False where it has it already."""
        role = need_role(role)
        act = By(by, f"role {writer} {role}", proof)
        return self._manage(team, project).change_role(writer, role, act)

    def enrol(self, team: str, project: str, writer: str, passkeys: Sequence[Enrolled]) -> int:
        """Record the passkeys of an owner's laptop, once; return how many it has."""
        return self._manage(team, project).enrol(writer, passkeys)

    def resume(self, team: str, project: str, laptop: str = "") -> int:
        """Wait no longer for laptops, or for one, after a restore; return how many it was."""
        return self._place(team, project).resume(laptop)

    def lift(self, team: str, project: str, seq: int) -> bool:
        """Lift a rule for all laptops; False where it was lifted before."""
        return self._place(team, project).lift(seq)

    def _manage(self, team: str, project: str) -> Management:
        return Management(self._place(team, project))

    def _place(self, team: str, project: str) -> Place:
        return Place(self.database, self.key, team, project, self.clock)


def _enrol(
    rows: Rows, place: Place, writer: str, one: WriterHead, token: str = "", person: str = ""
) -> None:
    rows(ADD_WRITER, *place.log, writer, one.key, one.role, one.name, token, GENESIS, person)


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _unknown_invitation() -> TeamError:
    hint = "ask for a new one: dmm team invite, or dmm server invite TEAM/PROJECT"
    return TeamError("unknown", "this invitation is wrong, used or expired", hint=hint)
