"""Call a chat model within the daily token limit, recording every call."""

from __future__ import annotations

import datetime as dt
import time
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from dmm.domain.event import EventType
from dmm.domain.frozen import frozen
from dmm.domain.payload import ModelCalled
from dmm.errors import ConfigError, ModelFailed, UsageError
from dmm.models.answers import malformed
from dmm.models.port import Completion, estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.config import ModelConfig
    from dmm.domain.event import Event
    from dmm.errors import DmmError
    from dmm.models.port import ChatModel
    from dmm.rules.project_ledger import ProjectLedger

# Of a call that came this far nobody knows what it cost; it counts as all that was set aside.
_UNKNOWN_COST = ("late", "malformed")
_NOTHING = Completion("", 0, 0)

T = TypeVar("T")


@frozen
class Silence:
    """No answer came, and why; everything stays as it is without one."""

    reason: str


@frozen
class Spent:
    """The tokens of one purpose within a day."""

    purpose: str
    calls: int
    input_tokens: int
    output_tokens: int

    @property
    def tokens(self) -> int:
        """All tokens, in and out."""
        return self.input_tokens + self.output_tokens


@frozen
class Question(Generic[T]):
    """What a model is asked: how the prompts are written, and how the answer is read.

    Both may refuse with UsageError. `proposal` or `observations` say in the record what the call
    was about. `share` is the part
    of the day's tokens that this purpose may use up.
    """

    purpose: str
    write: Callable[[], tuple[str, str]]
    read: Callable[[str], T]
    proposal: int | None = None
    observations: tuple[str, ...] | None = None
    references: tuple[int, ...] = ()
    otherwise: str = "there is no answer without one"
    share: float = 1.0


@frozen
class Meter:
    """Asks one model; whatever goes wrong with it, the answer is silence."""

    chat: Callable[[], ChatModel | None]
    project_ledger: ProjectLedger
    model: ModelConfig
    now: Callable[[], dt.datetime]
    clock: Callable[[], float] = time.monotonic

    def ask(self, question: Question[T]) -> T | Silence:
        """Ask once; every call is recorded, also one that brought nothing."""
        try:
            chat = self.chat()
            if chat is None:
                return Silence(f"no model is configured; {question.otherwise}")
            system, user = question.write()
        except (ConfigError, UsageError) as error:
            return silence(error)
        call = _Call(self, chat, question)
        cost = estimate_tokens(system + user)
        most, spent = cost + self.model.max_output_tokens, self.spent_today()
        limit = int(self.model.max_tokens_per_day * question.share)
        if spent + most > limit:
            call.record("capped", _NOTHING)
            told = f"{limit} {'in' if question.share == 1.0 else 'for this of'}"
            used = f"{spent} of the {told} model.max_tokens_per_day used today"
            return Silence(f"asking could take {most} tokens, and {used}")
        return self._ask(call, (system, user), cost, question)

    def _ask(
        self, call: _Call, prompt: tuple[str, str], cost: int, question: Question[T]
    ) -> T | Silence:
        most = self.model.max_output_tokens
        try:
            found = call.chat.complete(
                *prompt, max_tokens=most, deadline=self.model.timeout_ms / 1000
            )
        except ModelFailed as error:
            guess = Completion("", cost, most, estimated=True)
            outcome = error.fault if error.fault in _UNKNOWN_COST else "failed"
            call.record(outcome, guess if error.fault in _UNKNOWN_COST else _NOTHING)
            return silence(error)
        try:
            answer = _read(found, question)
        except UsageError as error:
            call.record("malformed", found)
            return silence(error)
        call.record("answered", found)
        return answer

    def spend(self, day: dt.date) -> list[Spent]:
        """Return what models cost on a day (UTC), by purpose."""
        found: dict[str, Spent] = {}
        for event in self.calls():
            told = ModelCalled.read(event)
            if told is not None and _day_of(event) == day:
                purpose = told.purpose
                found[purpose] = _add(found.get(purpose, Spent(purpose, 0, 0, 0)), told)
        return [found[purpose] for purpose in sorted(found)]

    def spent_today(self) -> int:
        """Return how many tokens models took today (UTC), for whatever purpose."""
        return sum(one.tokens for one in self.spend(self.now().astimezone(dt.UTC).date()))

    def calls(self) -> list[Event]:
        """Return the records of all calls."""
        log = self.project_ledger.reading
        return list(log.events_of([EventType.MODEL_CALLED], 0, log.head().seq))


class _Call:
    """One call of the model, from its beginning to its record."""

    def __init__(self, meter: Meter, chat: ChatModel, question: Question[Any]) -> None:
        self.chat = chat
        self._meter = meter
        self._question = question
        self._began = meter.clock()

    def record(self, outcome: str, cost: Completion) -> None:
        """Record what became of it; nothing that was said is part of the record."""
        provider, _, name = self.chat.identity.partition("/")
        told = ModelCalled(
            purpose=self._question.purpose,
            provider=provider,
            model=name,
            input_tokens=cost.input_tokens,
            output_tokens=cost.output_tokens,
            outcome=outcome,
            milliseconds=max(0, round((self._meter.clock() - self._began) * 1000)),
            proposal=self._question.proposal,
            observations=self._question.observations,
            estimated=cost.estimated,
        )
        project_ledger = self._meter.project_ledger
        references = self._question.references
        project_ledger.record(project_ledger.draft(told, references=references))


def _read(found: Completion, question: Question[T]) -> T:
    if found.cut:
        raise malformed("it was cut off at model.max_output_tokens")
    return question.read(found.text)


def silence(error: DmmError) -> Silence:
    """Return one line on why there is no answer."""
    return Silence(f"{error}; {error.hint}" if error.hint else str(error))


def _day_of(event: Event) -> dt.date | None:
    try:
        moment = dt.datetime.fromisoformat(event.at)
    except ValueError:
        return None
    return moment.astimezone(dt.UTC).date() if moment.tzinfo else moment.date()


def _add(spent: Spent, told: ModelCalled) -> Spent:
    return Spent(
        spent.purpose,
        spent.calls + (told.outcome != "capped"),
        spent.input_tokens + max(0, told.input_tokens or 0),
        spent.output_tokens + max(0, told.output_tokens or 0),
    )
