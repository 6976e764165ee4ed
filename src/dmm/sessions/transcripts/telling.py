"""Join calls with results and turns with their ends.

Hooks report the last words of a turn only, so the words before them are not kept here either.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from dmm.sessions.payload import HookEvent, HookKind
from dmm.sessions.transcripts.entry import Entry, Fault

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from dmm.sessions.transcripts.entry import Head, Read
    from dmm.sessions.transcripts.lines import Line

# Calls that wait for their result; what an interrupted session left open goes first.
MOST_CALLS = 256
SOURCE = "import"


class Mark(NamedTuple):
    """The line and the time of a record, and the name that it has for itself."""

    line: int
    at: str
    own: str = ""


@dataclass(frozen=True, slots=True)
class _Said:
    mark: Mark
    message: str
    text: str
    speaker: str
    turn: str


@dataclass(slots=True)
class Telling:
    """One speaker of a session: the main agent or a subagent."""

    client: str
    session: str
    agent: str = ""
    cwd: str = ""
    turn: str = ""
    _begun: bool = False
    _calls: OrderedDict[str, Mapping[str, object]] = field(default_factory=OrderedDict)
    _said: _Said | None = None
    _busy: bool = False

    def prompt(self, mark: Mark, text: str, speaker: str = "") -> Iterator[Read]:
        """Record what the user said; it ends the previous turn."""
        if text:
            yield from self.end_turn()
            yield from self._tell(mark, HookKind.PROMPT, prompt=text, speaker=speaker)

    def compacted(self, mark: Mark, text: str, trigger: str = "") -> Iterator[Read]:
        """Record the summary that replaces everything before it."""
        yield from self.end_turn()
        yield from self._tell(mark, HookKind.COMPACT_DONE, output=text, source=trigger)

    def call(self, call: str, tool: str, given: Mapping[str, object]) -> None:
        """Record a call; it is reported with its result."""
        self._busy = True
        self._calls[call] = {"tool": tool, "input": given, "call_id": call}
        while len(self._calls) > MOST_CALLS:
            self._calls.popitem(last=False)

    def result(
        self, mark: Mark, call: str, output: str, *, failed: bool, milliseconds: int | None = None
    ) -> Iterator[Read]:
        """Record the result of a call."""
        made = self._calls.pop(call, None)
        if made is None:
            yield Fault(mark.line, "a result without its call", mark.at)
            return
        kind = HookKind.TOOL_FAILED if failed else HookKind.TOOL_DONE
        yield from self._tell(mark, kind, **made, output=output, milliseconds=milliseconds)

    def say(self, mark: Mark, text: str, message: str = "", speaker: str = "") -> None:
        """Record words of the agent; a message may come in parts."""
        if not text.strip():
            return
        last = self._said
        if last is not None and not self._busy and message and last.message == message:
            mark, text = last.mark._replace(at=mark.at), f"{last.text}\n\n{text}"
        self._said = _Said(mark, message, text, speaker, self.turn)
        self._busy = False

    def end_turn(self, *, at_end: bool = False) -> Iterator[Read]:
        """End the turn with its last words; at the end of a file only if no call followed them."""
        said = self._said
        if said is None or (at_end and self._busy):
            return
        self._said, self._busy = None, False
        kind = HookKind.SUBAGENT_END if self.agent else HookKind.TURN_END
        told = {"output": said.text, "speaker": said.speaker, "turn": said.turn}
        yield from self._tell(said.mark, kind, **told)

    def _tell(self, mark: Mark, kind: HookKind, **more: Any) -> Iterator[Read]:
        if not self._begun and not self.agent:
            self._begun = True
            start = HookKind.SESSION_START
            yield Entry(mark.line, mark.at, self._event(start, f"|{self.session}", source=SOURCE))
        own = mark.own or f"|{self.session}|{self.agent}|{mark.line}"
        yield Entry(mark.line, mark.at, self._event(kind, own, **{"turn": self.turn} | more))

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


@dataclass(slots=True)
class Reading(ABC):
    """One transcript of a client, with its speakers."""

    tellings: dict[tuple[str, str], Telling] = field(default_factory=dict)

    @staticmethod
    @abstractmethod
    def head(values: Mapping[str, Any]) -> Head | None:
        """Return what one of the first lines says, or None if it is not this client's."""

    @abstractmethod
    def read(self, line: Line) -> Iterator[Read]:
        """Read one line."""

    def find(self, client: str, session: str, agent: str = "", cwd: str = "") -> Telling:
        """Return a speaker, who may have changed to another folder."""
        telling = self.tellings.setdefault((session, agent), Telling(client, session, agent))
        telling.cwd = cwd or telling.cwd
        return telling

    def close(self) -> Iterator[Read]:
        """End the turns that are still open."""
        for telling in self.tellings.values():
            yield from telling.end_turn(at_end=True)
