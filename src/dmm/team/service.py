"""A project in its team: join, send and receive, and how far that is."""

from __future__ import annotations

import contextlib
import json
import socket
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from dmm.errors import IndexBusy, LedgerBroken, StorageError, TeamError, UsageError
from dmm.eventlog.chain import GENESIS
from dmm.files.durable import make_folder, write_derived
from dmm.ledger.results import Withdrawn
from dmm.passkeys.keyring import Keyring, page_folder
from dmm.private import FOLDER
from dmm.reading import read_regular
from dmm.team import client
from dmm.team.checked import Checked
from dmm.team.chosen import choose, need_shared
from dmm.team.client import HttpLog, HttpMembers, HttpSearch
from dmm.team.credentials import Credentials, keep_credentials, need_same_key, read_credentials
from dmm.team.departure import Copy, Left, end_membership, set_aside
from dmm.team.journal import Shared, find_differences, find_waiting, read_shared
from dmm.team.keys import SigningKey
from dmm.team.mark import joined_mark, need_left, note_joined
from dmm.team.persons import count_strange, describe_passkeys, read_own, tell_line
from dmm.team.port import Batch, Gap, Taken, tell_fault
from dmm.team.receiving import receive
from dmm.team.replica import UNREACHABLE, Replica
from dmm.team.rules import read_rules
from dmm.team.sign_in import sign_in
from dmm.team.standing import Exchanged, Standing

if TYPE_CHECKING:
    import datetime as dt
    from collections.abc import Callable
    from pathlib import Path

    from dmm.passkeys.keyring import Signed
    from dmm.rules.project_ledger import ProjectLedger
    from dmm.team.answers import Answer
    from dmm.team.chain import Placed
    from dmm.team.port import TeamLog
    from dmm.team.registry import Joined
    from dmm.team.replica_tables import Membership
    from dmm.team.sign_in import Code

SEEN = "team.seen"
MAX_BYTES = 1_024
# Sent first: the server answers, and has nothing to take.
NOTHING = Batch(GENESIS, ())
# What a server that was restored from a backup answers.
BEHIND, RECOVERING = "behind", "recovering"
REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Team:
    """The team of one project, as this laptop sees it."""

    ledger: ProjectLedger
    path: Path
    home: Path
    clock: Callable[[], dt.datetime]
    # The kinds of events that the project shares besides rules.
    shares: tuple[str, ...] = ()
    checked: Checked = field(default_factory=Checked)

    @property
    def keyring(self) -> Keyring:
        """The user's passkeys."""
        return Keyring(page_folder(self.home))

    @property
    def joined(self) -> bool:
        """Whether this project is in a team; so is one whose copy of the log can't be used."""
        try:
            return self._membership() is not None
        except (TeamError, StorageError):
            return True

    def join(self, url: str, invitation: str) -> Credentials:
        """Join with an invitation; what is recorded from now on may be shared."""
        return self._join(url, lambda key, name: client.join(url, invitation, key, name))

    def sign_in(self, url: str, project: str, show: Callable[[Code], None]) -> Credentials:
        """Join as a person whom the server's issuer knows; `show` tells them what to do."""

        def enter(key: SigningKey, name: str) -> Joined:
            token = sign_in(client.ask_sign_in(url), key.public, show)
            joined = client.join_by_token(url, token, project, key, name)
            need_same_key(self.home, url, joined)
            return joined

        return self._join(url, enter)

    def _join(self, url: str, enter: Callable[[SigningKey, str], Joined]) -> Credentials:
        """Join by an invitation or as a person.

        Nothing changes here before the server has proved its key and its log.
        Who joins the same project again goes on where the earlier membership began.
        """
        before, damaged = self._look()
        old = None if before is None else self._find_credentials(before.writer)
        if before is not None and old is not None and not before.fault:
            what = "this project has joined a team already"
            raise UsageError(what, hint="dmm team status shows it")
        key = SigningKey.make()
        held = Credentials.of(url, enter(key, socket.gethostname()), key)
        since = self.ledger.reading.head().seq
        if before is not None and old is not None and old.place == held.place:
            since = before.since
        with Replica.in_memory() as proved:
            proved.join(held.writer, since)
            # What an earlier membership sent is known from the log, and not sent again.
            _, end = receive(proved, held, HttpLog.of(held), Checked())
            keep_credentials(self.home, held)
            make_folder(self.path.parent, mode=FOLDER)
            if damaged:
                set_aside(self.path)
            with Replica.opened(self.path, create=True) as replica:
                replica.adopt(proved)
        note_joined(self.home, self.path)
        self._note(end)
        with contextlib.suppress(TeamError):
            # It is joined all the same, and the next exchange tells them.
            self.tell_passkeys(held)
        return held

    def _look(self) -> tuple[Membership | None, bool]:
        """Return the membership there is, and whether the file is there and can't be used."""
        try:
            return self._membership(), False
        except LedgerBroken:
            return None, True

    def _membership(self) -> Membership | None:
        known = self._read_membership()
        if known is None or known.writer:
            return known
        # Without a writer, the laptop has left.
        need_left(self.home, self.path)
        return None

    def _read_membership(self) -> Membership | None:
        """Read what the copy of the log says; None where there is none and none is missed."""
        if not self.path.exists() and not joined_mark(self.home, self.path).exists():
            return None
        with Replica.opened(self.path) as replica:
            return replica.membership()

    def leave(self, *, keep: bool = True) -> Left:
        """Leave the team; its rules become rules of this laptop, unless they are not kept.

        A server that can't be reached keeps no laptop, nor does a copy of the log that can't be
        read or a key that is gone: what can be read here is what is kept.
        """
        copy = self._find_copy()
        held = self._find_credentials(copy.writer)
        told = False
        if held is not None:
            with contextlib.suppress(TeamError, StorageError):
                self.sync()
            told = self._say_goodbye(held)
        parted = end_membership(self.ledger, self.path, self.home, copy, keep=keep)
        with contextlib.suppress(OSError):
            self.path.with_name(SEEN).unlink()
        log = ("", "") if held is None else held.log
        return Left(*log, copy.writer, told, parted)

    def _find_copy(self) -> Copy:
        """Return what there is of the log to leave; TeamError where the project is in no team."""
        try:
            known = self._read_membership()
        except LedgerBroken:
            return Copy("", usable=False)
        if known is None or not (known.writer or joined_mark(self.home, self.path).exists()):
            raise _not_joined()
        return Copy(known.writer, usable=True)

    def _say_goodbye(self, held: Credentials) -> bool:
        """Return whether the server knows that this laptop has left."""
        try:
            client.leave(held)
        except TeamError as error:
            # A token that is unknown there is that of no member.
            return error.fault == "token"
        return True

    def _find_credentials(self, writer: str) -> Credentials | None:
        """Return the credentials of a writer; None where they can't be read."""
        try:
            return read_credentials(self.home, writer)
        except TeamError:
            return None

    def credentials(self) -> Credentials:
        """Return this laptop's credentials; TeamError where the project has joined no team."""
        known = self._membership()
        if known is None:
            raise _not_joined()
        return read_credentials(self.home, known.writer)

    def members(self, proof: Signed | None = None) -> HttpMembers:
        """Reach the laptops of the project, which an owner manages.

        With the proof of a person, the server knows the passkeys that the user has first, after
        what was recorded before. One that waits for laptops, or refuses what this laptop shares,
        takes none; it shuts laptops out all the same.
        """
        known = self.credentials()
        if proof is None:
            return HttpMembers.of(known)
        try:
            self.push(known, HttpLog.of(known))
        except TeamError as error:
            if error.fault not in (BEHIND, RECOVERING, REFUSED):
                raise
        return HttpMembers.of(known, proof.describe())

    def tell_passkeys(self, held: Credentials) -> None:
        """Tell the server of the user's passkeys, once; what was recorded before is sent first.

        From then on the server takes no decision of this laptop that none of them confirmed.
        """
        with Replica.opened(self.path) as replica:
            told = replica.passkeys(held)
            if told.binding:
                return
            # `status` says why their record can't be read.
            found = describe_passkeys(held.log, held.writer, held.key, read_own(self.keyring)[0])
            # Where others are known already, the server takes none but these.
            if not found or not told.may_add(found):
                return
            replica.collect(held, self.ledger.reading, self.shares, self.keyring)
            if replica.count_unsent():
                return
        HttpMembers.of(held).enrol(found)

    def tell_act(self, words: str, folder: Path) -> str:
        """Return what a person confirms who manages the team; outside of one, by the folder."""
        known = self._look()[0]
        held = None if known is None else self._find_credentials(known.writer)
        return f"{folder}$ dmm team {words}" if held is None else tell_line(held.log, words)

    def search(self, text: str, most: int, *, everywhere: bool = False) -> Answer:
        """Search what this project has shared, or all that this laptop joined on its server."""
        home = self.home if everywhere else None
        return HttpSearch.of(self.credentials(), home).search(text, most)

    def sync(self) -> Exchanged:
        """Send what waits and receive what is new, once."""
        held = self.credentials()
        log = HttpLog.of(held)
        sent, waits = 0, False
        try:
            sent = self.push(held, log)
        except (TeamError, StorageError) as error:
            fault = error.fault if isinstance(error, TeamError) else ""
            # The server was restored: what it lost goes back first.
            waits = fault in (BEHIND, RECOVERING)
            if not waits:
                self._receive_despite(fault, held, log)
                raise
        done = self.exchange(held, log)
        if waits or done.lost:
            sent += self.push(held, log)
        return replace(done, sent=sent)

    def _receive_despite(self, fault: str, held: Credentials, log: TeamLog) -> None:
        """Receive what is new although nothing could be sent; the first error is the one told."""
        if fault != UNREACHABLE:
            with contextlib.suppress(TeamError, StorageError):
                self.exchange(held, log)

    def push(self, held: Credentials, log: TeamLog) -> int:
        """Send what the ledger has of late; return how many entries the server took."""
        sent = 0
        with Replica.opened(self.path) as replica, replica.noting("unsent"):
            replica.collect(held, self.ledger.reading, self.shares, self.keyring)
            if replica.count_unsent():
                # What was offered can't be withdrawn: nothing is before the server answers.
                ready = log.push(NOTHING)
                if not isinstance(ready, Taken):
                    raise TeamError(REFUSED, tell_fault(ready))
            while (offer := replica.offer())[0].entries:
                batch, before = offer
                outcome = log.push(batch)
                first, last = batch.entries[0].wseq, batch.entries[-1]
                if isinstance(outcome, Taken):
                    replica.acknowledge(last)
                    sent += len(batch.entries)
                elif isinstance(outcome, Gap) and 0 < outcome.next < first:
                    # The server was restored from a backup: it gets again what it lost.
                    replica.send_from(outcome.next)
                else:
                    replica.take_back(batch, before)
                    raise TeamError(REFUSED, tell_fault(outcome))
        self.tell_passkeys(held)
        return sent

    def exchange(self, held: Credentials, log: TeamLog) -> Exchanged:
        """Receive what is new, and give back what the server lost."""
        with Replica.opened(self.path) as replica:
            with replica.noting("unreceived"):
                done, end = receive(replica, held, log, self.checked)
            # Who has left while the answer was on its way is not noted as joined again.
            with replica.being(held.writer) as member:
                if member:
                    self._note(end)
        return done

    def status(self) -> Standing:
        """Return how far this laptop is; nothing is asked of the server."""
        held = self.credentials()
        own, broken = read_own(self.keyring)
        # The whole is checked, and that once.
        checked = Checked()
        with Replica.opened(self.path) as replica:
            if not broken:
                replica.collect(held, self.ledger.reading, self.shares, self.keyring)
            known = replica.membership()
            head, unsent = replica.trail(held, checked).head.seq, replica.count_unsent()
            role, confirmed = replica.role(held), replica.confirmed(held)
        (at, seq), shared = self._seen(), read_shared(self._copy(held, checked))
        return Standing(
            held.url,
            held.team,
            held.project,
            role,
            held.writer,
            unsent,
            head,
            None if seq is None else max(0, seq - head),
            at,
            "; ".join(filter(None, (known.fault, broken))),
            read_rules(self.path, self.home, checked),
            find_differences(shared, self.ledger.state().facts),
            find_waiting(shared, held.writer),
            known.unproven,
            len(confirmed.deciding),
            *((0, 0) if broken else count_strange(self.keyring, own, confirmed.passkeys.values())),
        )

    def log(self) -> tuple[Shared, ...]:
        """Return what the team's log says, as far as a signed end covers it."""
        return read_shared(self._copy(self.credentials(), Checked()))

    def _copy(self, held: Credentials, checked: Checked) -> list[Placed]:
        """Read the copy of the log, proved."""
        with Replica.opened(self.path) as replica:
            replica.trail(held, checked)
            end = replica.membership().head.seq
            return [one for one in replica.events() if one.seq <= end]

    def tell(self, name: str, kind: str, title: str, text: str) -> None:
        """Record that a person shares an observation; one that would not be sent is refused."""
        held = self.credentials()
        with Replica.opened(self.path) as replica:
            need_shared(self.shares, replica.role(held), kind)
        self.ledger.record(self.ledger.draft(choose(name, title, text)))

    def withdraw(self, ids: frozenset[str]) -> Withdrawn:
        """Keep events that were blanked from being sent; say how many have left already."""
        if not self.joined:
            return Withdrawn()
        try:
            held = self.credentials()
            with Replica.opened(self.path) as replica:
                replica.collect(held, self.ledger.reading, self.shares, self.keyring)
                sent = replica.count_sent(held.writer, ids)
                with contextlib.suppress(IndexBusy):
                    replica.erase_freed()
                    return Withdrawn(sent)
        except (TeamError, StorageError):
            return Withdrawn(unread=(str(self.path),))
        return Withdrawn(sent, erased=False)

    def _note(self, seq: int) -> None:
        at = self.clock().isoformat(timespec="seconds")
        try:
            write_derived(self.path.with_name(SEEN), json.dumps([at, seq]).encode())
            note_joined(self.home, self.path)
        except StorageError:
            # The age that is shown depends on it; the next answer is noted again.
            return

    def _seen(self) -> tuple[str | None, int | None]:
        """Return when the server last answered, and where its log ended."""
        try:
            at, seq = json.loads(read_regular(self.path.with_name(SEEN), MAX_BYTES)[0])
            return str(at), int(seq)
        except (OSError, ValueError, TypeError):
            return None, None


def _not_joined() -> TeamError:
    hint = "dmm team join URL INVITATION"
    return TeamError("unknown", "this project has not joined a team", hint=hint)
