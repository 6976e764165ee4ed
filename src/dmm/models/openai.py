"""Models behind Chat Completions endpoints."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from dmm.models.port import Completion, make_completion, malformed, read_count
from dmm.models.transport import Request, post

if TYPE_CHECKING:
    from dmm.models.transport import Address

HOME = "https://api.openai.com/v1"
# There the newer models refuse the old name of the limit; elsewhere the new one is often unknown.
_NEW_LIMIT = (".openai.com", ".openai.azure.com")


def limit_name(host: str) -> str:
    """Return under which name a server takes the limit of an answer's tokens."""
    return "max_completion_tokens" if host.endswith(_NEW_LIMIT) else "max_tokens"


@dataclass(frozen=True, slots=True)
class OpenAIModel:
    """One model of a Chat Completions endpoint; a local server may do without a key."""

    address: Address
    name: str
    key: str = field(default="", repr=False)

    @property
    def identity(self) -> str:
        """The provider and the name of the model."""
        return f"openai/{self.name}"

    def complete(self, system: str, user: str, *, max_tokens: int, deadline: float) -> Completion:
        """Ask once; no tools are offered."""
        headers = {"Authorization": f"Bearer {self.key}"} if self.key else {}
        body = {
            "model": self.name,
            limit_name(self.address.host): max_tokens,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": user},
            ],
            "stream": False,
        }
        request = Request(self.address, "/chat/completions", headers, body, self.key)
        return self._read(post(request, deadline), system + user)

    def _read(self, answer: object, asked: str) -> Completion:
        match answer:
            case {"choices": [{"message": dict(message), **choice}, *_], **rest}:
                usage, cut = rest.get("usage"), choice.get("finish_reason") == "length"
            case _:
                raise malformed("the answer contains no message", str(self.address))
        # A message without text is one that refuses, or that calls a tool nobody offered.
        text = message.get("content")
        tokens = read_count(usage, "prompt_tokens"), read_count(usage, "completion_tokens")
        return make_completion(text if isinstance(text, str) else "", tokens, asked, cut=cut)
