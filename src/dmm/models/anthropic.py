"""Models behind the Anthropic Messages API."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.models.port import Completion, make_completion, malformed, read_count
from dmm.models.transport import Address, Request, post

if TYPE_CHECKING:
    from collections.abc import Iterator

HOME = "https://api.anthropic.com"
VERSION = "2023-06-01"
_INPUT = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")


@dataclass(frozen=True, slots=True)
class AnthropicModel:
    """One model of an Anthropic Messages endpoint."""

    address: Address
    name: str
    key: str = field(default="", repr=False)

    @property
    def identity(self) -> str:
        """The provider and the name of the model."""
        return f"anthropic/{self.name}"

    def complete(self, system: str, user: str, *, max_tokens: int, deadline: float) -> Completion:
        """Ask once; no tools are offered."""
        headers = {"anthropic-version": VERSION} | ({"x-api-key": self.key} if self.key else {})
        body = {
            "model": self.name,
            "max_tokens": max_tokens,
            "system": system,
            "messages": [{"role": "user", "content": user}],
        }
        request = Request(self.address, "/v1/messages", headers, body, self.key)
        return self._read(post(request, deadline), system + user)

    def _read(self, answer: object, asked: str) -> Completion:
        match answer:
            case {"type": "message", "content": [*blocks], **rest}:
                usage, cut = rest.get("usage"), rest.get("stop_reason") == "max_tokens"
            case _:
                raise malformed("the answer is not a message", str(self.address))
        tokens = read_count(usage, *_INPUT), read_count(usage, "output_tokens")
        return make_completion("".join(_texts(blocks)), tokens, asked, cut=cut)


def _texts(blocks: list[object]) -> Iterator[str]:
    for block in blocks:
        match block:
            case {"type": "text", "text": str(text)}:
                yield text
