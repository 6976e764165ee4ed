"""The chat model interface: one question, one answer, its cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from dmm.domain.text import neutralise
from dmm.errors import ModelFailed

LONGEST_REMARK = 200
ELSEWHERE = "check that model.base_url belongs to the provider in model.provider"
# English has more than four bytes to a token; what is reckoned may be too much, never too little.
BYTES_PER_TOKEN = 3


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered, and the tokens that went in and came out.

    `estimated` where the model did not tell them, `cut` where the answer ended at its limit.
    """

    text: str
    input_tokens: int
    output_tokens: int
    estimated: bool = False
    cut: bool = False


class ChatModel(Protocol):
    """A model that answers one question; it has no tools and remembers nothing."""

    @property
    def identity(self) -> str:
        """The provider and the name of the model: provider/name."""

    def complete(self, system: str, user: str, *, max_tokens: int, deadline: float) -> Completion:
        """Ask once; ModelFailed where no answer came within `deadline` seconds."""


def estimate_tokens(text: str) -> int:
    """Reckon the tokens of a text without the model's own tokeniser."""
    return -(-len(text.encode("utf-8", "replace")) // BYTES_PER_TOKEN)


def make_completion(
    text: str, tokens: tuple[int | None, int | None], asked: str, *, cut: bool
) -> Completion:
    """Build an answer; tokens that the model did not report are estimated."""
    came, went = tokens
    return Completion(
        text=text,
        input_tokens=estimate_tokens(asked) if came is None else came,
        output_tokens=estimate_tokens(text) if went is None else went,
        estimated=came is None or went is None,
        cut=cut,
    )


def read_count(usage: object, *names: str) -> int | None:
    """Add up some counts of a usage record; None where the first is not told."""
    told = [_count_of(usage, name) for name in names]
    return None if told[0] is None else sum(one or 0 for one in told)


def _count_of(usage: object, name: str) -> int | None:
    value = usage.get(name) if isinstance(usage, dict) else None
    if not isinstance(value, int) or isinstance(value, bool):
        return None
    return value if value >= 0 else None


def quote_remark(text: object, *secrets: str) -> str:
    """Shorten what a model's side said of a failure to one harmless line, without any key."""
    if not isinstance(text, str) or not text.strip():
        return ""
    told = text
    for secret in filter(None, secrets):
        told = told.replace(secret, "[key]")
    line = neutralise(" ".join(told[: 8 * LONGEST_REMARK].split()))
    return line if len(line) <= LONGEST_REMARK else f"{line[: LONGEST_REMARK - 3]}..."


def malformed(what: str, where: str, hint: str = ELSEWHERE) -> ModelFailed:
    """An answer that is not in the form its provider documents."""
    return ModelFailed("malformed", what, where=where, hint=hint)
