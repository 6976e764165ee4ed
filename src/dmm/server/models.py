"""What laptops send, checked before anything else sees it."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from dmm.team.chain import Entry
from dmm.team.port import MOST_PUSHED, Batch
from dmm.team.sharing import MAX_PAYLOAD

Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
Signature = Annotated[str, Field(pattern=r"^[0-9a-f]{128}$")]
Name = Annotated[str, Field(pattern=r"^[0-9A-Za-z.:+-]{1,64}$")]
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

    def to_batch(self) -> Batch:
        """Return the batch as the log takes it."""
        return Batch(self.previous, tuple(Entry(**one.model_dump()) for one in self.entries))


class InviteModel(_Strict):
    """An invitation that an owner asks for."""

    role: Annotated[str, Field(max_length=20)]


class RevokeModel(_Strict):
    """A laptop that an owner removes."""

    writer: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]


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
