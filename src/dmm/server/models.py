"""What laptops send, checked before anything else sees it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from dmm.packs.service import MAX_QUERY_CHARACTERS
from dmm.team.answers import DEFAULT_RESULTS, MOST_OTHERS, MOST_RESULTS
from dmm.team.chain import Checkpoint, Entry, Placed
from dmm.team.persons import MOST_PASSKEYS
from dmm.team.port import MOST_PULLED, MOST_PUSHED, Batch, Lost
from dmm.team.proofs import Enrolled
from dmm.team.sharing import MAX_PAYLOAD

Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Signature = Annotated[str, Field(pattern=r"^[0-9a-f]{128}$")]
Name = Annotated[str, Field(pattern=r"^[0-9A-Za-z.:+-]{1,64}$")]
Token = Annotated[str, Field(max_length=200, pattern=r"^[0-9a-z.-]*$")]
Number = Annotated[int, Field(ge=1, lt=1 << 53)]


class _Strict(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class EntryModel(_Strict):
    """One entry."""

    writer: Name
    wseq: Number
    id: Name
    type: Name
    at: Name
    salt: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    payload: Annotated[str, Field(max_length=MAX_PAYLOAD, pattern=r"^[ -~]*$")]
    whash: Hash
    signature: Signature


class PushModel(_Strict):
    """A batch of entries."""

    previous: Hash
    entries: Annotated[list[EntryModel], Field(max_length=MOST_PUSHED)]
    seen: Annotated[int, Field(ge=0, lt=1 << 53)] = 0

    def to_batch(self) -> Batch:
        """Return the batch as the log takes it."""
        entries = tuple(Entry(**one.model_dump()) for one in self.entries)
        return Batch(self.previous, entries, self.seen)


class PlacedModel(_Strict):
    """An entry in the order of the server."""

    seq: Number
    hash: Hash
    entry: EntryModel


class CheckpointModel(_Strict):
    """An end that the server signed."""

    seq: Number
    hash: Hash
    signature: Signature


class LostModel(_Strict):
    """What the server lost."""

    placed: Annotated[list[PlacedModel], Field(min_length=1, max_length=MOST_PULLED)]
    rest: list[Hash]
    head: CheckpointModel

    def to_lost(self) -> Lost:
        """Return it as the log takes it."""
        placed = (Placed(one.seq, one.hash, Entry(**one.entry.model_dump())) for one in self.placed)
        return Lost(tuple(placed), tuple(self.rest), Checkpoint(**self.head.model_dump()))


Part = Annotated[str, Field(max_length=4_096, pattern=r"^[A-Za-z0-9_-]*$")]


class ProofModel(_Strict):
    """What a passkey answered."""

    id: Part
    nonce: Part
    client_data: Part
    authenticator_data: Part
    signature: Part


class OwnerAct(_Strict):
    """What an owner does, with the proof that a person does it."""

    proof: ProofModel | None = None

    def to_proof(self) -> dict[str, str]:
        """Return the proof as the registry takes it; empty where there is none."""
        return {} if self.proof is None else self.proof.model_dump()


class EnrolledModel(_Strict):
    """One passkey of a laptop's user."""

    id: Annotated[Part, Field(min_length=1)]
    key: Part
    page: Annotated[str, Field(max_length=253, pattern=r"^[a-z0-9.-]*$")]
    signature: Signature
    scope: Literal["approvals"]


class PasskeysModel(_Strict):
    """The passkeys of a laptop's user."""

    passkeys: Annotated[list[EnrolledModel], Field(min_length=1, max_length=MOST_PASSKEYS)]

    def to_enrolled(self) -> list[Enrolled]:
        """Return them as the registry takes them."""
        return [Enrolled(**one.model_dump()) for one in self.passkeys]


class InviteModel(OwnerAct):
    """An invitation that an owner asks for."""

    role: Annotated[str, Field(max_length=20)]


class SearchModel(_Strict):
    """Words to search for; `also` are tokens of the same laptop for other projects."""

    query: Annotated[str, Field(min_length=1, max_length=MAX_QUERY_CHARACTERS)]
    most: Annotated[int, Field(ge=1, le=MOST_RESULTS)] = DEFAULT_RESULTS
    also: Annotated[list[Token], Field(max_length=MOST_OTHERS)] = []


class RevokeModel(OwnerAct):
    """A laptop that an owner removes."""

    writer: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]


class PersonModel(OwnerAct):
    """A person whose laptops an owner removes, as the issuer names them."""

    person: Annotated[str, Field(min_length=1, max_length=200)]


class RoleModel(RevokeModel):
    """A laptop that an owner gives another role."""

    role: Annotated[str, Field(max_length=20)]


class SignInModel(_Strict):
    """A person's token; the project is named where there are several."""

    token: Annotated[str, Field(max_length=24_000, pattern=r"^[0-9A-Za-z_.-]+$")]
    project: Annotated[str, Field(max_length=81, pattern=r"^[0-9a-z/-]*$")]
    key: Hash
    name: Annotated[str, Field(max_length=80, pattern=r"^[^\x00-\x1f\x7f]*$")]


class JoinModel(_Strict):
    """An invitation that is used."""

    invitation: Annotated[str, Field(max_length=400, pattern=r"^[0-9a-z.-]+$")]
    key: Hash
    name: Annotated[str, Field(max_length=80, pattern=r"^[^\x00-\x1f\x7f]*$")]
