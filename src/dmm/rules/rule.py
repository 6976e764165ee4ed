"""A rule as in its file: a sentence, a level, matchers and examples."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, get_args

from dmm.domain.frozen import frozen

if TYPE_CHECKING:
    from dmm.rules.callrules import ToolRule
    from dmm.rules.commands.calls import ToolCall

RuleLevel = Literal["deny", "ask", "warn", "advise"]
RULE_LEVELS: tuple[RuleLevel, ...] = get_args(RuleLevel)


class State(StrEnum):
    """What a rule does, in the words that every surface uses; the most binding first."""

    ENFORCED = "enforced"
    ASKS = "asks"
    DECISIONS = "checked on decisions only"
    ADVICE = "advice"


@frozen
class Earlier:
    """A step that was done before an example call, with its outcome."""

    call: ToolCall
    output: str = ""
    exit: int | None = None


@frozen
class Example:
    """A call that a rule blocks or allows, with what was done before and the files that exist."""

    call: ToolCall
    text: str
    after: tuple[Earlier, ...] = ()
    files: tuple[tuple[str, str], ...] = ()


@frozen
class Rule:
    """One rule; without `call` it has no matcher, and its sentence is all there is."""

    id: str
    title: str
    level: RuleLevel
    why: str = ""
    call: ToolRule | None = None
    block: tuple[Example, ...] = ()
    allow: tuple[Example, ...] = ()
    folder: str = ""
    origin: str = ""
    triggered_by: int | None = None
    disabled: bool = False
    fields: dict[str, object] = field(default_factory=dict, compare=False)

    @property
    def binds(self) -> bool:
        """Whether it can stop a call."""
        return self.level in ("deny", "ask")

    def state(self, *, judges_decisions: bool) -> State:
        """Return what it does; `judges_decisions` says whether its sentence can judge them."""
        if self.disabled:
            return State.ADVICE
        if self.call is not None and self.level == "deny":
            return State.ENFORCED
        if self.call is not None and self.level == "ask":
            return State.ASKS
        if self.binds and judges_decisions:
            return State.DECISIONS
        return State.ADVICE
