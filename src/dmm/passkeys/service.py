"""Persons: who confirms a decision, and by what."""

from __future__ import annotations

import datetime as dt
import secrets
import threading
import time
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from dmm.domain.frozen import frozen
from dmm.errors import ProofRefused, ProofRequired
from dmm.passkeys.acts import Act, PersonAct, make_nonce
from dmm.passkeys.codes import TerminalCodes
from dmm.passkeys.keyring import BY_PASSKEY, Keyring, Signed
from dmm.passkeys.webauthn import Assertion, check_assertion, read_new

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from dmm.passkeys.keyring import Passkey
    from dmm.passkeys.webauthn import Place

    How = Literal["passkey", "code", "none"]

SECONDS = 5 * 60.0
# Questions that may be open: of one browser, of all terminals together, and of all at once.
MOST_OF_BROWSER = 8
MOST_OF_TERMINALS = 32
MOST = 160
CODE_BY = "code of the terminal"
_AGAIN = "confirm it again in the web UI"


@frozen
class Asker:
    """Where a command runs that asks; at a terminal, a person may sit there."""

    name: str = ""
    at_terminal: bool = False


NOBODY = Asker()


@frozen
class Confirmation:
    """A question to a person: what is decided, how it is proven, and until when.

    Where others are told, `by` are the passkeys that count for them.
    """

    id: str
    act: Act
    how: How
    nonce: bytes
    ends: float
    session: str | None
    asker: Asker = NOBODY
    answer: Assertion | None = None
    by: tuple[str, ...] = ()

    @property
    def challenge(self) -> bytes:
        """What a passkey signs."""
        return self.act.challenge(self.nonce)

    def takes(self, passkey: str) -> bool:
        """Return whether a passkey may answer."""
        return not self.by or passkey in self.by

    def need_taken(self, passkey: str) -> None:
        """Refuse the answer of a passkey that others do not know."""
        if not self.takes(passkey):
            what = "your team does not know this passkey, so this would not be shared with it"
            hint = "confirm with one that it knows; see Passkeys in docs/team.md"
            raise ProofRefused(what, hint=hint)


@frozen
class Proof:
    """What a decision carries: its confirmation, with a code or a passkey's answer."""

    confirmation: str
    code: str | None = None
    credential: Assertion | None = None


@frozen
class Standing:
    """How a browser proves that a person decides."""

    enrolled: int
    confirm: How


class Persons:
    """Asks for confirmations and takes them; each is good once, for one act."""

    def __init__(
        self,
        folder: Path,
        place: Callable[[], Place],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.keyring = Keyring(folder)
        self.codes = TerminalCodes(clock)
        self._place = place
        self._clock = clock
        self._open: dict[str, Confirmation] = {}
        self._enrolling: dict[str, str] = {}
        self._lock = threading.Lock()

    @property
    def place(self) -> Place:
        """Where passkeys are good."""
        return self._place()

    def standing(self, session: str | None) -> Standing:
        """Return what the next decision of a browser needs."""
        keys = self.keyring.read()
        if keys:
            return Standing(len(keys), "passkey")
        counts = session is not None and self.codes.counts(session)
        return Standing(0, "none" if counts else "code")

    def begin(
        self,
        act: Act,
        session: str | None,
        nonce: bytes = b"",
        asker: Asker = NOBODY,
        by: tuple[str, ...] = (),
    ) -> Confirmation:
        """Ask for a confirmation of an act; a terminal brings a nonce of its own, no session.

        A browser that asks too much loses its own oldest question, never that of another.
        """
        how = self.standing(session).confirm
        found = Confirmation(
            secrets.token_urlsafe(24),
            act,
            how,
            nonce or make_nonce(),
            self._clock() + SECONDS,
            session,
            asker,
            by=by,
        )
        with self._lock:
            self._sweep()
            self._make_room(session, asker)
            self._open[found.id] = found
        return found

    def _make_room(self, session: str | None, asker: Asker) -> None:
        own = [one for one in self._open.values() if one.session == session]
        if session is None and len(own) >= MOST_OF_TERMINALS:
            del self._open[_find_least(own, asker).id]
        if session is not None and len(own) >= MOST_OF_BROWSER:
            del self._open[own[0].id]
        if len(self._open) >= MOST:
            hint = "wait five minutes, or sign all browsers out: dmm ui --sign-out"
            raise ProofRefused("too many decisions wait to be confirmed", hint=hint)

    def require(self, act: Act, session: str, proof: Proof | None) -> Signed | None:
        """Refuse an act that no person has confirmed; return what a passkey has signed."""
        match self.standing(session).confirm:
            case "code":
                self._require_code(act, session, proof)
            case "passkey":
                return self._require_passkey(act, session, proof)
        return None

    def _require_code(self, act: Act, session: str, proof: Proof | None) -> None:
        if proof is None or proof.code is None:
            hint = "type the code that dmm ui shows in its terminal"
            raise ProofRequired("a person has to confirm this", hint=hint)
        self._take(proof.confirmation, act, session)
        self.codes.take(proof.code, session)

    def _require_passkey(self, act: Act, session: str, proof: Proof | None) -> Signed:
        if proof is None or proof.credential is None:
            hint = "confirm it in the web UI"
            raise ProofRequired("a person has to confirm this with a passkey", hint=hint)
        asked = self._take(proof.confirmation, act, session)
        if act.is_unread:
            hint = "name the whole digest of the text"
            raise ProofRefused("the confirmation does not say for which text", hint=hint)
        asked.need_taken(proof.credential.id)
        self.check(asked.act, asked.nonce, proof.credential)
        return Signed(asked.nonce, proof.credential)

    def check(self, act: Act, nonce: bytes, given: Assertion) -> None:
        """Check a passkey's answer, and note that it was used."""
        known = self.keyring.find(given.id)
        counter = check_assertion(self._place(), act.challenge(nonce), known.key, given)
        self.keyring.use(given, counter, act, _now(), nonce)

    def _take(self, name: str, act: Act, session: str) -> Confirmation:
        """Use a confirmation up; whatever comes of it, it is good for nothing else."""
        with self._lock:
            self._sweep()
            found = self._open.pop(name, None)
        if found is None or found.session != session:
            raise ProofRefused("the confirmation has expired or was used", hint=_AGAIN)
        if not found.act.covers(act):
            raise ProofRefused("the confirmation is for something else", hint=_AGAIN)
        return found

    def begin_enrolment(self, name: str, session: str, proof: Proof | None) -> Confirmation:
        """Begin to enrol a passkey; the first needs the code of the terminal."""
        act = Act(PersonAct.ENROLL, name)
        if not self.keyring.read():
            self.require(act, session, proof)
        found = self.begin(act, session)
        with self._lock:
            self._enrolling[session] = found.id
        return found

    def finish_enrolment(
        self,
        name: str,
        session: str,
        client_data: bytes,
        attestation: bytes,
        proof: Proof | None = None,
    ) -> Passkey:
        """Enrol the passkey that a browser has made; a known one confirms a further one."""
        with self._lock:
            confirmation = self._enrolling.pop(session, "")
        asked = self._take(confirmation, Act(PersonAct.ENROLL, name), session)
        place = self._place()
        made = read_new(place, asked.challenge, client_data, attestation)
        if asked.how != "passkey":
            return self.keyring.add(made, name, CODE_BY, place.name, _now())
        signed = self.require(Act(PersonAct.ENROLL, name, made.digest), session, proof)
        return self.keyring.add(made, name, BY_PASSKEY, place.name, _now(), signed)

    def remove(self, name: str, session: str, proof: Proof | None) -> None:
        """Remove a passkey, confirmed by one that is enrolled."""
        self.keyring.find(name)
        signed = self.require(Act(PersonAct.REMOVE_PASSKEY, name), session, proof)
        if signed is None:
            raise ProofRefused("only a passkey can remove one", hint=_AGAIN)
        self.keyring.remove(name, _now(), signed)

    def find(self, name: str) -> Confirmation | None:
        """Return a confirmation that is open."""
        with self._lock:
            self._sweep()
            return self._open.get(name)

    def answer(self, name: str, given: Assertion) -> None:
        """Keep what a passkey answered for the terminal that asked; the terminal checks it."""
        with self._lock:
            self._sweep()
            asked = self._open.get(name)
            if asked is None or asked.session is not None or asked.answer is not None:
                raise ProofRefused("the confirmation has expired or was used", hint=_AGAIN)
            known = self.keyring.find(given.id)
            asked.need_taken(given.id)
            check_assertion(self._place(), asked.challenge, known.key, given)
            self._open[name] = replace(asked, answer=given)

    def sign_out(self, *, commands: bool = False) -> None:
        """End the code of the terminal and what browsers asked; commands only where that is said.

        A browser that signs out is no reason to end what a person has begun in a terminal.
        """
        self.codes.end_all()
        with self._lock:
            waiting = {name: one for name, one in self._open.items() if one.session is None}
            self._open = {} if commands else waiting
            self._enrolling.clear()

    def drop(self, name: str) -> None:
        """Forget a confirmation that nobody waits for."""
        with self._lock:
            self._open.pop(name, None)

    def _sweep(self) -> None:
        now = self._clock()
        self._open = {name: one for name, one in self._open.items() if one.ends > now}
        begun = self._enrolling.items()
        self._enrolling = {browser: asked for browser, asked in begun if asked in self._open}


def _find_least(waiting: Sequence[Confirmation], asker: Asker) -> Confirmation:
    """Return the question that makes room: the oldest of whoever asks most.

    Those without a terminal go first, so that no script that was left behind keeps a person from
    deciding. Commands at as many terminals are told to wait.
    """
    counts = Counter(one.asker for one in waiting)
    going = [one for one in waiting if not one.asker.at_terminal]
    if not going and asker.at_terminal:
        going = [one for one in waiting if counts[one.asker] > 1]
    if not going:
        what = (
            f"{len(waiting)} commands already wait to be confirmed, the last: {waiting[-1].act.id}"
        )
        hint = "confirm them or cancel them with Ctrl-C; to cancel all: dmm ui --sign-out"
        raise ProofRefused(what, hint=hint)
    return max(going, key=lambda one: counts[one.asker])


def _now() -> str:
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")
