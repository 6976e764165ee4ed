"""Join calls with results and turns with their ends.

Hooks report the last words of a turn only, so the words before them are not kept here either.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dmm.sessions.payload import HookEvent, HookKind
from dmm.sessions.transcripts.entry import Entry, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dmm.sessions.transcripts.entry import Read

# Calls that wait for their result; what an interrupted session left open goes first.
MOST_CALLS = 256
SOURCE = "import"


@dataclass(frozen=True, slots=True)
class _Call:
    tool: str
    input: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class _Said:
    line: int
    at: str
    own: str
    message: str
    text: str
    speaker: str
    turn: str | None


@dataclass(slots=True)
class Telling:
    """One speaker of one session: the agent itself, or a helper that it sent."""

    client: str
    session: str
    agent: str | None = None
    cwd: str = ""
    turn: str | None = None
    _begun: bool = False
    _calls: OrderedDict[str, _Call] = field(default_factory=OrderedDict)
    _said: _Said | None = None
    _busy: bool = False

    def prompt(self, line: int, at: str, own: str, text: str, speaker: str = "") -> Iterator[Read]:
        """Record what the user said; it ends the previous turn."""
        yield from self.end_turn()
        yield from self._tell(line, at, HookKind.PROMPT, own, prompt=text, speaker=speaker)

    def compacted(self, line: int, at: str, own: str, text: str, trigger: str) -> Iterator[Read]:
        """Take the summary that stands for all that was said before."""
        yield from self.end_turn()
        yield from self._tell(line, at, HookKind.COMPACT_DONE, own, output=text, source=trigger)

    def call(self, call: str, tool: str, given: Mapping[str, object]) -> None:
        """Record a call; it is reported with its result."""
        self._busy = True
        self._calls[call] = _Call(tool, given)
        while len(self._calls) > MOST_CALLS:
            self._calls.popitem(last=False)

    def result(
        self, line: int, at: str, own: str, call: str, output: str, **more: Any
    ) -> Iterator[Read]:
        """Take the result of a call; `failed` and `milliseconds` may be known."""
        made = self._calls.pop(call, None)
        if made is None:
            yield Fault(line, "a result without its call", at)
            return
        kind = HookKind.TOOL_FAILED if more.pop("failed", False) else HookKind.TOOL_DONE
        told = {"tool": made.tool, "input": made.input, "output": output, "call_id": call}
        yield from self._tell(line, at, kind, own, **told, **more)

    def say(self, line: int, at: str, own: str, text: str, message: str, speaker: str = "") -> None:
        """Record words of the agent; a message may come in parts."""
        last = self._said
        if last is not None and not self._busy and message and last.message == message:
            line, own, text = last.line, last.own, f"{last.text}\n\n{text}"
        self._said = _Said(line, at, own, message, text, speaker, self.turn)
        self._busy = False

    def end_turn(self, *, at_end: bool = False) -> Iterator[Read]:
        """End the turn with its last words; at the end of a file only if no call followed them."""
        said, busy = self._said, self._busy
        if said is None or (at_end and busy):
            return
        self._said, self._busy = None, False
        kind = HookKind.TURN_END if self.agent is None else HookKind.SUBAGENT_END
        told = {"output": said.text, "speaker": said.speaker, "turn": said.turn}
        yield from self._tell(said.line, said.at, kind, said.own, **told)

    def _tell(self, line: int, at: str, kind: HookKind, own: str, **more: Any) -> Iterator[Read]:
        if not self._begun and self.agent is None:
            self._begun = True
            start = HookKind.SESSION_START
            yield Entry(line, at, self._event(start, f"|{self.session}", source=SOURCE))
        own = own or f"|{self.session}|{self.agent or ''}|{line}"
        yield Entry(line, at, self._event(kind, own, **{"turn": self.turn} | more))

    def _event(self, kind: HookKind, own: str, **more: Any) -> HookEvent:
        return HookEvent(
            client=self.client,
            kind=kind,
            event=SOURCE,
            session=self.session,
            cwd=self.cwd,
            key=f"{kind}|{own}",
            unique=True,
            agent=self.agent,
            **more,
        )
