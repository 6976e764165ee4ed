"""The team log over HTTP."""

from __future__ import annotations

import http.client
import json
import ssl
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlencode

from dmm.domain.plain import Malformed, read_value
from dmm.errors import TeamError, UsageError
from dmm.models.transport import read_address
from dmm.redaction.clean import clean
from dmm.team.answers import DEFAULT_RESULTS, MOST_OTHERS, Answer
from dmm.team.credentials import read_others
from dmm.team.issuer import SignIn, need_elsewhere
from dmm.team.names import are_names
from dmm.team.port import PROTOCOL, Forked, Gap, Page, Refused, Revoked, Taken
from dmm.team.registry import Joined, Member

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from dmm.models.transport import Address
    from dmm.team.credentials import Credentials
    from dmm.team.keys import SigningKey
    from dmm.team.port import Batch, Lost, Outcome
    from dmm.team.proofs import Enrolled

T = TypeVar("T")

PATIENCE = 10.0
LARGEST_ANSWER = 8 * 1024 * 1024
PARTS = 3  # of an invitation: the team, a secret and the key of the server
VERSION_HEADER = "DMM-Protocol"
OUTCOMES = {"taken": Taken, "gap": Gap, "forked": Forked, "revoked": Revoked, "refused": Refused}


@dataclass(frozen=True, slots=True)
class HttpLog:
    """The log of one project on a server, for one laptop; `wait` is how long a pull may wait."""

    address: Address
    token: str
    wait: float = 0.0

    @classmethod
    def of(cls, held: Credentials, *, wait: float = 0.0) -> HttpLog:
        """Reach the log that a laptop joined."""
        return cls(read_address(held.url, where="the team's server"), held.token, wait)

    def push(self, batch: Batch) -> Outcome:
        """Send entries."""
        return self._send("/v1/team/push", asdict(batch))

    def take_back(self, lost: Lost) -> Outcome:
        """Send what the server lost."""
        return self._send("/v1/team/lost", asdict(lost))

    def _send(self, path: str, body: Mapping[str, object]) -> Outcome:
        told = _ask(self.address, "POST", path, self.token, body)
        kind = OUTCOMES.get(str(told.get("outcome")))
        if kind is None:
            raise _malformed(self.address)
        return _read(kind, told, self.address)

    def pull(self, after: int) -> Page | Revoked:
        """Read entries; waits for the first one, where a wait was asked for."""
        query = urlencode({"after": after, "wait": self.wait})
        path = f"/v1/team/pull?{query}"
        told = _ask(self.address, "GET", path, self.token, wait=self.wait)
        if told.get("outcome") == "revoked":
            return Revoked()
        return _read(Page, told, self.address)


@dataclass(frozen=True, slots=True)
class HttpMembers:
    """The laptops of a project, for its owner."""

    address: Address
    token: str
    # What proves that a person does what is asked for next.
    proof: Mapping[str, str] | None = None

    @classmethod
    def of(cls, held: Credentials, proof: Mapping[str, str] | None = None) -> HttpMembers:
        """Reach the project that a laptop joined."""
        return cls(read_address(held.url, where="the team's server"), held.token, proof)

    def enrol(self, passkeys: Sequence[Enrolled]) -> int:
        """Tell the server of the user's passkeys; return how many it knows of this laptop."""
        return self._ask(
            "POST", "passkeys", {"passkeys": [asdict(one) for one in passkeys]}
        ).passkeys

    def list(self) -> tuple[Member, ...]:
        """List the laptops."""
        return self._ask("GET", "members").members

    def invite(self, role: str) -> str:
        """Make an invitation for one laptop."""
        return self._act("invite", {"role": role}).invitation

    def change_role(self, writer: str, role: str) -> bool:
        """Give a laptop another role; False where it has it already."""
        return self._act("role", {"writer": writer, "role": role}).done

    def revoke(self, writer: str) -> bool:
        """Remove a laptop; False where it was removed before."""
        return self._act("revoke", {"writer": writer}).done

    def revoke_person(self, person: str) -> int:
        """Remove all laptops that a person signed in with; return how many it was."""
        return self._act("revoke/person", {"person": person}).removed

    def _act(self, name: str, body: Mapping[str, object]) -> _Managed:
        return self._ask(
            "POST", name, body if self.proof is None else {**body, "proof": self.proof}
        )

    def _ask(self, method: str, name: str, body: Mapping[str, object] | None = None) -> _Managed:
        told = _ask(self.address, method, f"/v1/team/{name}", self.token, body)
        if told.keys().isdisjoint(_MANAGED):
            raise _malformed(self.address)
        return _read(_Managed, told, self.address)


@dataclass(frozen=True, slots=True)
class HttpSearch:
    """The search of a server, for one laptop; `others` are its tokens for other projects there."""

    address: Address
    token: str
    others: tuple[str, ...] = ()

    @classmethod
    def of(cls, held: Credentials, home: Path | None = None) -> HttpSearch:
        """Reach the server that a laptop joined; with its home, for all that it joined there."""
        address = read_address(held.url, where="the team's server")
        others = () if home is None else read_others(home, held)
        return cls(address, held.token, tuple(one.token for one in others)[:MOST_OTHERS])

    def search(self, text: str, most: int = DEFAULT_RESULTS) -> Answer:
        """Search what was shared; secrets in the words stay here."""
        words = clean(text).strip()
        if not words:
            raise UsageError("there are no words to search for", hint="dmm team search WORDS")
        body = {"query": words, "most": most, "also": list(self.others)}
        told = _ask(self.address, "POST", "/v1/team/search", self.token, body)
        return _read(Answer, told, self.address)


@dataclass(frozen=True, slots=True)
class _Managed:
    """What is told of an owner's act: one of these."""

    members: tuple[Member, ...] = ()
    invitation: str = ""
    done: bool = False
    passkeys: int = 0
    removed: int = 0


_MANAGED = frozenset(one.name for one in fields(_Managed))


def join(url: str, invitation: str, key: SigningKey, name: str) -> Joined:
    """Join the project of an invitation; the server must hold the key that invited."""
    address = read_address(url, where="the team's server")
    if invitation.count(".") != PARTS - 1:
        hint = "copy the whole line that `dmm server invite` printed"
        raise UsageError("that is not an invitation", hint=hint)
    body = {"invitation": invitation, "key": key.public, "name": name}
    joined = _read(Joined, _ask(address, "POST", "/v1/team/join", "", body), address)
    if joined.server_key != invitation.rpartition(".")[2]:
        what = "the server does not have the key that the invitation names"
        raise TeamError("unsigned", what, where=str(address), hint="check the address")
    if not are_names(joined.team, joined.project, joined.writer):
        raise _malformed(address)
    return joined


def ask_sign_in(url: str) -> SignIn:
    """Ask a server where people sign in."""
    address = read_address(url, where="the team's server")
    found = _read(SignIn, _ask(address, "GET", "/v1/team/sign-in", ""), address)
    need_elsewhere(url, (found.issuer,))
    return found


def join_by_token(url: str, token: str, project: str, key: SigningKey, name: str) -> Joined:
    """Join with the token of a person; the key of the server is the one that it names now."""
    address = read_address(url, where="the team's server")
    body = {"token": token, "project": project, "key": key.public, "name": name}
    joined = _read(Joined, _ask(address, "POST", "/v1/team/sign-in", "", body), address)
    if not are_names(joined.team, joined.project, joined.writer):
        raise _malformed(address)
    return joined


def leave(held: Credentials) -> None:
    """Tell the server that this laptop leaves."""
    address = read_address(held.url, where="the team's server")
    _ask(address, "POST", "/v1/team/leave", held.token, {})


def _ask(
    address: Address,
    method: str,
    path: str,
    token: str,
    body: Mapping[str, object] | None = None,
    *,
    wait: float = 0.0,
) -> Mapping[str, object]:
    """Send a request and read the JSON object of its answer."""
    headers = {"Accept": "application/json", VERSION_HEADER: str(PROTOCOL)}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    data = None if body is None else json.dumps(body).encode()
    if data is not None:
        headers["Content-Type"] = "application/json"
    kind = http.client.HTTPSConnection if address.secure else http.client.HTTPConnection
    connection = kind(address.host, address.port, timeout=PATIENCE + wait)
    try:
        connection.request(method, address.path + path, body=data, headers=headers)
        answer = connection.getresponse()
        told = answer.read(LARGEST_ANSWER)
        if answer.length and len(told) < LARGEST_ANSWER:
            raise _unreachable(address, "the answer was cut off")
    except ssl.SSLCertVerificationError as error:
        what = f"the certificate of the team's server is not trusted: {error.verify_message}"
        hint = "if it is from your own certificate authority: export SSL_CERT_FILE=ca.pem"
        raise TeamError("unreachable", what, where=str(address), hint=hint) from error
    except (OSError, http.client.HTTPException, ssl.SSLError) as error:
        raise _unreachable(address, str(error) or type(error).__name__) from error
    finally:
        connection.close()
    return _read_answer(address, answer.status, told, joined=bool(token))


def _read_answer(
    address: Address, status: int, data: bytes, *, joined: bool
) -> Mapping[str, object]:
    try:
        told = json.loads(data)
    except ValueError as error:
        if status >= http.HTTPStatus.INTERNAL_SERVER_ERROR:
            # A proxy says so, or a server that has too many requests to read another.
            raise _unreachable(address, f"HTTP {status}") from error
        # Whoever has joined this server has the right address.
        unknown = joined and status == http.HTTPStatus.NOT_FOUND
        raise (_older(address) if unknown else _malformed(address)) from error
    if not isinstance(told, dict):
        raise _malformed(address)
    if status == http.HTTPStatus.OK:
        return told
    fault = told.get("error")
    said = fault if isinstance(fault, dict) else {}
    what, hint = str(said.get("what", f"HTTP {status}")), said.get("hint")
    if said.get("fault") == "protocol":
        what = f"{what}; this dmm speaks version {PROTOCOL}"
    raise TeamError(
        str(said.get("fault", "refused")), what, where=str(address), hint=hint and str(hint)
    )


def _read(kind: type[T], told: Mapping[str, object], address: Address) -> T:
    try:
        return read_value(kind, told, strict=True)
    except Malformed as error:
        raise _malformed(address) from error


def _unreachable(address: Address, why: str) -> TeamError:
    what = f"the team's server can't be reached: {why}"
    hint = "rules that are known here still hold; what is unsent is sent later"
    return TeamError("unreachable", what, where=str(address), hint=hint)


def _older(address: Address) -> TeamError:
    what = "the team's server can't do this; it is probably older than this dmm"
    return TeamError("older", what, where=str(address), hint="upgrade dmm on the server")


def _malformed(address: Address) -> TeamError:
    what = "the answer is not one of a team server"
    return TeamError("malformed", what, where=str(address), hint="check the address")
