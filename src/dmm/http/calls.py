"""A request as routes see it: its project and its actor.

FastAPI reads the annotations when the program runs, so they stand here as they are.
"""

from collections import Counter
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from types import UnionType
from typing import Annotated, Any, get_origin

from fastapi import Depends, Header, Query, Request, Security
from fastapi.dependencies.models import Dependant
from fastapi.security import HTTPBearer
from starlette.responses import Response

from dmm.bootstrap import Dmm
from dmm.domain.event import Trust
from dmm.errors import ProofRefused, ReviewRefused, UsageError
from dmm.eventlog.open_ledger import Actor
from dmm.http.access import BROWSER, Access, actor_for, decode_header
from dmm.http.errors import to_json
from dmm.http.models import Credential, Decided, Failure, ProofGiven
from dmm.http.sign_ins import read_cookie
from dmm.ledger.known_passkeys import KnownPasskeys
from dmm.passkeys.acts import Act
from dmm.passkeys.service import Proof
from dmm.passkeys.webauthn import Assertion, decode
from dmm.projects import Project

LONGEST_NAME = 60
Responses = dict[int | str, dict[str, Any]]


class Reply(Response):
    """An answer as the services gave it: the same data as every other surface, nothing dropped."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:
        """Write it as JSON."""
        return to_json(content)


@dataclass(frozen=True, slots=True)
class Call:
    """One request."""

    access: Access
    actor: Actor
    named: tuple[str | None, ...]
    session: str | None = None

    @property
    def names_project(self) -> bool:
        """Whether a project is named."""
        return any(one is not None for one in self.named)

    def project(self, root: str | None = None) -> Project:
        """Return the project that the header, the address or the body names."""
        return self.access.project((*self.named, root))

    def recording(self, root: str | None = None) -> AbstractContextManager[Dmm]:
        """Use the ledger of the project in the caller's name."""
        return self.project(root).recording(self.actor)

    def write(self, root: str | None = None) -> AbstractContextManager[Dmm]:
        """Propose changes of the project's memory in the caller's name."""
        return self.project(root).write(self.actor)

    def recall(self) -> AbstractContextManager[Dmm]:
        """Search the sessions of the project."""
        return self.project().recall(self.actor)

    @property
    def unproven(self) -> "Call":
        """The call in the name that its words have without a proof of their own.

        Any program of the user's can sign a browser in, so what a browser says is an agent's word
        until the person has typed the code of the terminal there.
        """
        if self.session is None:
            return self
        proven = self.access.persons.standing(self.session).confirm == "none"
        return self if proven else replace(self, actor=BROWSER)

    def prove(self, act: Act, proof: ProofGiven | None, root: str | None) -> None:
        """Refuse what no person has confirmed; an agent's word counts as an agent's anyway."""
        if self.session is None:
            return
        persons = self.access.persons
        with self.recording(root) as dmm:
            known = KnownPasskeys(dmm.project_ledger, persons.keyring)
            known.refuse_missing()
            persons.require(act, self.session, read_proof(proof))
            known.note()

    def decide(self, act: Act, body: Decided) -> AbstractContextManager[Dmm]:
        """Decide about the project's memory: a person does, and only a browser's session is one."""
        hint = "decide in a terminal with dmm review, or in a browser that is signed in"
        self._require_person(act, body, "decide on memory", hint)
        return self.project(body.root).applying(self.actor)

    def govern(self, act: Act, body: Decided) -> AbstractContextManager[Dmm]:
        """Change which rules are in force: a person does, as with decisions about memory."""
        hint = "use a browser that is signed in, or in a terminal: dmm rules"
        self._require_person(act, body, "change rules", hint)
        return self.recording(body.root)

    def _require_person(self, act: Act, body: Decided, what: str, hint: str) -> None:
        if self.actor.trust is not Trust.USER:
            raise ReviewRefused(f"a token can't {what}; only a person can", hint=hint)
        self.prove(act, body.proof, body.root)

    def reading(self, root: str | None = None) -> AbstractContextManager[Dmm]:
        """Read the ledger of the project; nothing is recorded or blocked."""
        return self.project(root).reading(self.actor)


def access_of(request: Request) -> Access:
    """Return what the application was made with."""
    access: Access = request.app.state.access
    return access


async def take_call(
    request: Request,
    header: Annotated[str | None, Header(alias="X-DMM-Root")] = None,
    root: Annotated[str | None, Query()] = None,
) -> Call:
    """Read what is the same in every request."""
    named = (decode_header(header), root)
    return Call(access_of(request), actor_for(request), named, session_of(request))


def session_of(request: Request) -> str | None:
    """Return the session of a browser that is signed in: the hash of its secret."""
    if request.scope.get("dmm.caller") != "session":
        return None
    access = access_of(request)
    secret = read_cookie(request.headers.get("cookie", ""), access.port())
    found = None if secret is None else access.sessions.find(secret)
    if found is None:
        raise ProofRefused("the session has just ended", hint="sign in again with: dmm ui")
    return found.id


def read_proof(given: ProofGiven | None) -> Proof | None:
    """Read what a decision carries as proof."""
    if given is None:
        return None
    answer = None if given.credential is None else read_credential(given.credential)
    return Proof(given.confirmation, given.code, answer)


def read_credential(given: Credential) -> Assertion:
    """Read a passkey's answer."""
    parts = (given.client_data, given.authenticator_data, given.signature)
    return Assertion(given.id, *map(decode, parts))


Called = Annotated[Call, Depends(take_call)]


async def refuse_idle(request: Request) -> None:
    """Refuse an unknown or repeated parameter."""
    known = _parameters(request.scope["route"].dependant)
    given = Counter(name for name, _ in request.query_params.multi_items())
    for name, times in given.items():
        if name not in known:
            told = name if len(name) <= LONGEST_NAME else f"{name[:LONGEST_NAME]}..."
            hint = (
                f"known parameters: {', '.join(sorted(known))}"
                if known
                else "it takes no parameters"
            )
            raise UsageError(f"unknown parameter {told!r}", hint=hint)
        if times > 1 and not known[name]:
            raise UsageError(f"the parameter {name!r} is given {times} times", hint="give it once")


def _parameters(dependant: Dependant) -> dict[str, bool]:
    """Name the parameters that a route reads, itself or through what it calls; True takes many."""
    fields = {field.alias: field for field in dependant.query_params}
    found = {name: get_origin(one.field_info.annotation) is list for name, one in fields.items()}
    for inner in dependant.dependencies:
        found |= _parameters(inner)
    return found


def told(model: type[Any] | UnionType) -> Responses:
    """Describe the answers of a route for its document."""
    return {200: {"model": model}, "4XX": {"model": Failure}, "5XX": {"model": Failure}}


# For the document alone: the gate has looked at the token before.
_BEARER = HTTPBearer(auto_error=False, description="The daemon's token.")
# What the routes of a router depend on, besides what each one names.
WITHOUT_TOKEN = (Depends(refuse_idle),)
BEHIND_TOKEN = (Security(_BEARER), *WITHOUT_TOKEN)
