"""The description of a client that hook, daemon, installer and importer take their tables from.

A hook loads this and one client at every event, so neither may load anything that takes time.
"""

from __future__ import annotations

from dmm.domain.value import Value

# The module `typing` would cost every hook 4 ms.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path
    from typing import Literal

    from dmm.clients.entries import Entry, Hooks
    from dmm.clients.launch import Launch
    from dmm.clients.place import Place, Site

    Kind = Literal[
        "session_start", "prompt", "tool_request", "tool_done", "tool_failed", "compact_start",
        "compact_done", "turn_end", "subagent_end", "session_end",
    ]  # fmt: skip
    Shape = Literal["claude", "agents", "gemini", "copilot", "cursorrules", "mdc"]
    What = Literal["hooks", "tools", "hooks and tools"]
    Level = Literal["ok", "warn", "fail"]
    # What a hook prints as JSON.
    Printed = Mapping[str, str | Mapping[str, str]]

# How an answer begins that is no JSON: the hook says the rest on standard error, and blocks.
BLOCKING = b"\x02"
# A yes in the chat can't let the call pass, so nobody should try it again after one alone.
ASK_FIRST = (
    "Ask the user for permission in your next message. Even if they agree, this client can't let "
    "the call through: they have to run it themselves, or change the rules in a terminal."
)
ASK_WITH = (
    "Ask the user for permission in your next message. A yes in the chat is not enough: to let "
    "this exact call through once, they run `{way}` in their own terminal. Then try it again."
)

# Seconds a client waits for the hook; it answers long before, or lets go by itself.
WAIT = 5
# A hook that is cut off lets the call run: on a busy machine an answer is worth waiting for.
WAITS: Mapping[str, int] = {"session_start": 10, "session_end": 2, "tool_request": 60}

NO_ARGUMENTS: Mapping[str, str] = {}
NO_CALLS: Mapping[str, Call] = {}
NO_EVENTS: Mapping[str, Kind] = {}
NO_INSTRUCTIONS: Mapping[str, Shape] = {}


class Keys(Value):
    """The names in a hook's payload; of several, the first that is there counts.

    `inside` is the object that holds what belongs to one kind of event.
    """

    event: tuple[str, ...] = ("hook_event_name", "hookEventName")
    session: tuple[str, ...] = ("session_id", "sessionId", "sessionID", "conversation_id")
    call: tuple[str, ...] = ("tool_use_id", "toolUseId", "call_id", "callID")
    agent: tuple[str, ...] = ("agent_id", "subagent_id")
    turn: tuple[str, ...] = ("prompt_id", "turn_id", "generation_id")
    prompt: tuple[str, ...] = ("prompt", "user_prompt")
    output: tuple[str, ...] = (
        "tool_response", "tool_output", "result_json", "output", "result", "error",
    )  # fmt: skip
    message: tuple[str, ...] = (
        "compact_summary", "last_assistant_message", "prompt_response", "text", "summary",
    )  # fmt: skip
    inside: str = ""

    @property
    def identities(self) -> tuple[str, ...]:
        """The names of what others give names to: sessions, calls, agents, turns."""
        return (*self.session, *self.call, *self.agent, *self.turn)


class Call(Value):
    """The tool that an event stands for; its input by the payload's names.

    `server` and `name` are keys of an MCP tool, whose input is the object under `within`.
    """

    tool: str = ""
    arguments: Mapping[str, str] = NO_ARGUMENTS
    server: str = ""
    name: str = ""
    within: str = ""


class Answer(Value):
    """What a client is told after an event: a decision about a call, context for the model."""

    event: str
    kind: str
    decision: str | None = None
    reason: str = ""
    context: str = ""
    warning: str = ""
    way: str = ""

    def refusing(self) -> Answer:
        """Return the answer for a client that can't ask: it refuses, and the agent has to ask."""
        if self.decision != "ask":
            return self
        first = ASK_WITH.format(way=self.way) if self.way else ASK_FIRST
        return self.changed(decision="deny", reason=f"{self.reason} {first}")


class Setting(Value):
    """One entry of ours in one file of a client; within a project no link may lead out of it."""

    what: What
    path: Path
    entry: Entry


class Remark(Value):
    """What `dmm doctor` says about a client's own settings."""

    name: str
    level: Level
    told: str
    way: str | None = None


def answer_nested(answer: Answer) -> Printed:
    """Write an answer as Claude Code takes it; others have taken that form over."""
    said = {"hookEventName": answer.event}
    if answer.decision:
        said["permissionDecision"] = answer.decision
        said["permissionDecisionReason"] = answer.reason
    if answer.context:
        said["additionalContext"] = answer.context
    return {"hookSpecificOutput": said} if len(said) > 1 else {}


def no_settings(_site: Site, _launch: Launch) -> list[Setting]:
    """Return nothing to install."""
    return []


def no_remarks(_hooks: Path, _read: Callable[[Path], str]) -> Iterator[Remark]:
    """Return nothing to say."""
    return iter(())


class Client(Value):
    """One client.

    `events` are those our hook is installed at, `understood` those that may come besides. `answer`
    gives what the hook prints as JSON; a text blocks the call by exit status 2 and is its reason.
    `exit_line` finds the exit status in what a command printed, `mcp_name` server and tool in the
    name of an MCP tool that is written in another way than `mcp__server__tool`.
    `takes_context` lists the events after which a client gives context to the model.
    `instructions` are patterns of the files that it reads at every session, `brought` what of it a
    repository may bring along, `headed` the words by which people name it in headings.
    """

    name: str
    title: str
    folder: Callable[[Place], Path]
    afterwards: str
    programs: tuple[str, ...] = ()
    # Events
    events: Mapping[str, Kind] = NO_EVENTS
    understood: Mapping[str, Kind] = NO_EVENTS
    keys: Keys = Keys()
    calls: Mapping[str, Call] = NO_CALLS
    tells_failures: bool = False
    context_marks: tuple[str, str] | None = None
    exit_line: str = ""
    mcp_name: str = ""
    # Answers
    answer: Callable[[Answer], Printed | str] = answer_nested
    takes_context: frozenset[str] = frozenset()
    shows_notice: bool = False
    # Installation
    settings: Callable[[Site, Launch], list[Setting]] = no_settings
    shell_tool: str = "Bash"
    remarks: Callable[[Path, Callable[[Path], str]], Iterator[Remark]] = no_remarks
    # Its surroundings
    variables: tuple[str, ...] = ()
    shell_variables: tuple[str, ...] = ()
    instructions: Mapping[str, Shape] = NO_INSTRUCTIONS
    personal: tuple[str, ...] = ()
    brought: tuple[str, ...] = ()
    headed: tuple[str, ...] = ()
    transcripts: Callable[[Place], tuple[Path, ...]] | None = None

    def notice(self, place: Place) -> str | None:
        """Return the evidence that the client is installed here, or None."""
        for program in self.programs:
            found = place.program(program)
            if found:
                return found
        folder = self.folder(place)
        return str(folder) if folder.is_dir() else None

    @property
    def known_events(self) -> dict[str, Kind]:
        """All events that may come, those that our hook is installed at first."""
        return {**self.events, **self.understood}

    def names_of(self, kind: Kind) -> list[str]:
        """List the events of a kind."""
        return [event for event, one in self.known_events.items() if one == kind]


def hooks_at(
    events: Mapping[str, Kind], line: str, *, milliseconds: bool = False, grouped: bool = True
) -> Hooks:
    """Build the entries of our hook at events, as Claude Code keeps them or in a flat list."""
    from dmm.clients.entries import Hooks

    factor = 1000 if milliseconds else 1
    kind = {"type": "command"} if grouped else {}
    entries = {
        event: {**kind, "command": line, "timeout": WAITS.get(one, WAIT) * factor}
        for event, one in events.items()
    }
    return Hooks(entries, grouped=grouped, preface=None if grouped else {"version": 1})


def server_of(words: list[str], **more: str) -> dict[str, str | list[str]]:
    """Build the entry of a server that most clients take."""
    return {**more, "command": words[0], "args": words[1:]}


def without(events: Mapping[str, Kind], *names: str) -> dict[str, Kind]:
    """Return events without some of them."""
    return {event: kind for event, kind in events.items() if event not in names}


def kinds(*names: Kind) -> frozenset[str]:
    """Return kinds of events as a set."""
    return frozenset(names)
