"""Request and response models for confirmations and passkeys.

Pydantic reads the annotations when the program runs, so they stand here as they are.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from dmm.http.models import Credential, InProject, Part, ProofGiven, Request, Told
from dmm.passkeys.acts import PersonAct

Plain: TypeAlias = dict[str, object]
Name = Annotated[str, Field(min_length=1, max_length=60, description="Such as laptop.")]


class Confirming(InProject):
    """A decision to confirm: `digest` is that of the text, or `content` the text itself."""

    action: Annotated[PersonAct, Field(strict=False)]
    id: Annotated[str, Field(max_length=10_000)] = ""
    digest: Annotated[str, Field(max_length=64, pattern=r"^[0-9a-f]*$")] = ""
    content: Annotated[str, Field(max_length=1 << 20)] | None = None


class Answering(Request):
    """A passkey's answer to what a terminal asks."""

    credential: Credential


class Enrolling(Request):
    """A passkey to enrol, under a name of the user's choice."""

    name: Name
    proof: ProofGiven | None = None


class Enrolled(Request):
    """The passkey that a browser has made."""

    name: Name
    id: Part
    client_data: Part
    attestation: Annotated[str, Field(min_length=1, max_length=1 << 16)]
    proof: ProofGiven | None = None


class Removing(Request):
    """That a person removes a passkey."""

    proof: ProofGiven | None = None


class ConfirmationTold(Told):
    """How a decision is confirmed; with `passkey`, also the challenge."""

    id: str
    how: Literal["passkey", "code", "none"]
    expires_in: int


class PasskeyTold(Told):
    """One passkey."""

    id: str
    name: str
    added: str
    last: str | None


class PasskeysTold(Told):
    """All passkeys that are enrolled."""

    passkeys: list[PasskeyTold]
