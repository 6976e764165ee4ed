"""Cursor: its hooks, MCP entry and rule files."""

from __future__ import annotations

from dmm.clients.base import Call, Client, Setting, hooks_at, kinds, server_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dmm.clients.base import Answer, Kind, Printed
    from dmm.clients.launch import Launch
    from dmm.clients.place import Place, Site

EVENTS: Mapping[str, Kind] = {
    "sessionStart": "session_start",
    "beforeSubmitPrompt": "prompt",
    "preToolUse": "tool_request",
    "postToolUse": "tool_done",
    "postToolUseFailure": "tool_failed",
    "preCompact": "compact_start",
    "stop": "turn_end",
    "subagentStop": "subagent_end",
    "sessionEnd": "session_end",
}
# Cursor asks only here; a question elsewhere would let the call pass.
_ASKS = ("beforeshellexecution", "beforemcpexecution")


def _folder(place: Place) -> Path:
    return place.home / ".cursor"


def _settings(site: Site, launch: Launch) -> list[Setting]:
    from dmm.clients.entries import JsonServer

    folder = site.folder(_folder(site.place), ".cursor")
    server = JsonServer(("mcpServers",), server_of(launch.server_words("cursor")))
    hooks = hooks_at(EVENTS, launch.hook_line("cursor"), grouped=False)
    return [
        Setting("hooks", folder / "hooks.json", hooks),
        Setting("tools", folder / "mcp.json", server),
    ]


def _answer(answer: Answer) -> Printed:
    if answer.decision:
        told = answer if answer.event.lower() in _ASKS else answer.refusing()
        words = {"user_message": told.reason, "agent_message": told.reason}
        return {"permission": told.decision or "", **words}
    return {"additional_context": answer.context} if answer.context else {}


CLIENT = Client(
    name="cursor",
    title="Cursor",
    programs=("cursor", "cursor-agent"),
    folder=_folder,
    afterwards="restart Cursor, then enable dmm in its MCP settings",
    events=EVENTS,
    understood={
        "beforeShellExecution": "tool_request",
        "beforeMCPExecution": "tool_request",
        "beforeReadFile": "tool_request",
        "afterShellExecution": "tool_done",
        "afterMCPExecution": "tool_done",
        "afterFileEdit": "tool_done",
    },
    # These leave out the tool, or have its input beside the other values.
    calls={
        "beforeShellExecution": Call("Bash", {"command": "command"}),
        "afterShellExecution": Call("Bash", {"command": "command"}),
        "beforeReadFile": Call("Read", {"file_path": "file_path"}),
        "afterFileEdit": Call("Edit", {"file_path": "file_path", "edits": "edits"}),
    },
    answer=_answer,
    takes_context=kinds("session_start", "tool_done"),
    settings=_settings,
    shell_tool="Shell",
    variables=("CURSOR",),
    shell_variables=("CURSOR_AGENT",),
    instructions={".cursorrules": "cursorrules", "*.mdc": "mdc"},
    brought=(".cursor",),
    headed=("cursor",),
)
