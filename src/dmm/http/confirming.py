"""Confirmations and passkeys: how a browser proves that a person decides.

FastAPI reads the annotations when the program runs, so they stand here as they are.
"""

import time
from typing import Annotated

from fastapi import APIRouter, Path, Request

from dmm.errors import ProofRefused, UsageError
from dmm.http import confirming_models as models
from dmm.http.calls import (
    BEHIND_TOKEN,
    Call,
    Called,
    Reply,
    access_of,
    read_credential,
    read_proof,
    session_of,
    told,
)
from dmm.http.models import Told
from dmm.passkeys.acts import Act, digest_text
from dmm.passkeys.keyring import Passkey
from dmm.passkeys.public_keys import ALGORITHMS
from dmm.passkeys.service import Confirmation, Persons
from dmm.passkeys.webauthn import decode, encode
from dmm.team.foretelling import TELLING, foretell_proved

router = APIRouter(prefix="/v1", tags=["person"], dependencies=BEHIND_TOKEN)

Id = Annotated[str, Path(alias="id", min_length=1, max_length=1_500)]


def _browser(request: Request) -> tuple[Persons, str]:
    """Return who confirms; a program with the token is nobody who could."""
    session = session_of(request)
    if session is None:
        raise ProofRefused("only a browser that is signed in can confirm", hint="run: dmm ui")
    return access_of(request).persons, session


@router.post("/confirmations", responses=told(models.ConfirmationTold))
def begin(request: Request, call: Called, body: models.Confirming) -> Reply:
    """Ask how a decision is confirmed; it is good once, for this decision, for five minutes."""
    persons, session = _browser(request)
    digest = body.digest if body.content is None else digest_text(body.content)
    shared: tuple[str, ...] = ()
    by: tuple[str, ...] = ()
    if body.action in TELLING and persons.standing(session).confirm == "passkey":
        shared, by = _foretell(call, body)
    # Without a passkey that counts for the team, the decision is made here alone.
    act = Act(body.action, body.id, digest, shared if by else ())
    return Reply(_describe(persons, persons.begin(act, session, by=by)) | {"shared": act.shared})


def _foretell(call: Call, body: models.Confirming) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return what the project's team would be told of a decision, and the passkeys that count."""
    try:
        project = call.project(body.root)
    except UsageError:
        # Several are open, and the decision alone names one: it is made, and not shared.
        return (), ()
    texts = () if body.content is None else (body.content,)
    with project.reading(call.actor) as dmm:
        return foretell_proved(dmm.team, body.action, body.id, texts)


@router.get("/confirmations/{id}", responses=told(models.ConfirmationTold))
def show(request: Request, name: Id) -> Reply:
    """Show what a command in a terminal asks a person to confirm."""
    persons, _ = _browser(request)
    found = persons.find(name)
    if found is None or found.session is not None:
        raise ProofRefused("the confirmation has expired or was used", hint="run the command again")
    act = found.act
    asked = {"action": act.action, "on": act.id, "digest": act.digest, "shared": act.shared}
    return Reply(_describe(persons, found) | asked)


@router.post("/confirmations/{id}", responses=told(Told))
def answer(request: Request, name: Id, body: models.Answering) -> Reply:
    """Confirm with a passkey what a command in a terminal asks."""
    persons, _ = _browser(request)
    persons.answer(name, read_credential(body.credential))
    return Reply({"confirmed": True})


@router.get("/passkeys", responses=told(models.PasskeysTold))
def list_passkeys(request: Request) -> Reply:
    """List the passkeys that are enrolled."""
    return Reply({"passkeys": [_row(one) for one in access_of(request).persons.keyring.read()]})


@router.post("/passkeys/begin", responses=told(Told))
def begin_enrolment(request: Request, body: models.Enrolling) -> Reply:
    """Begin to enrol a passkey; the first needs the code of the terminal."""
    persons, session = _browser(request)
    found = persons.begin_enrolment(body.name, session, read_proof(body.proof))
    known = [{"type": "public-key", "id": one.id} for one in persons.keyring.read()]
    wanted = {"userVerification": "required", "residentKey": "preferred"}
    options = {
        "challenge": encode(found.challenge),
        "rp": {"id": persons.place.name, "name": "DMM"},
        "user": {
            "id": encode(persons.place.name.encode()),
            "name": body.name,
            "displayName": "DMM",
        },
        "pubKeyCredParams": [{"type": "public-key", "alg": one} for one in ALGORITHMS],
        "authenticatorSelection": wanted,
        "excludeCredentials": known,
        "attestation": "none",
        "timeout": 120_000,
    }
    return Reply(options)


@router.post("/passkeys/finish", responses=told(models.PasskeyTold))
def finish_enrolment(request: Request, body: models.Enrolled) -> Reply:
    """Enrol the passkey that the browser has made; one that is enrolled confirms a further one."""
    persons, session = _browser(request)
    made = decode(body.client_data), decode(body.attestation)
    found = persons.finish_enrolment(body.name, session, *made, read_proof(body.proof))
    return Reply(_row(found))


@router.delete("/passkeys/{id}", responses=told(Told))
def remove_passkey(request: Request, name: Id, body: models.Removing) -> Reply:
    """Remove a passkey, confirmed by one that is enrolled."""
    persons, session = _browser(request)
    persons.remove(name, session, read_proof(body.proof))
    return Reply({"removed": name})


def _row(one: Passkey) -> models.Plain:
    return {"id": one.id, "name": one.name, "added": one.added, "last": one.last}


def _describe(persons: Persons, found: Confirmation) -> models.Plain:
    seconds = max(0, round(found.ends - time.monotonic()))
    about: models.Plain = {"id": found.id, "how": found.how, "expires_in": seconds}
    if found.how != "passkey":
        return about
    every = persons.keyring.read()
    keys = [one.id for one in every if found.takes(one.id)]
    signed = {"challenge": encode(found.challenge), "rp_id": persons.place.name}
    unknown = [one.name for one in every if not found.takes(one.id)]
    return about | signed | {"credentials": keys, "unknown": unknown}
