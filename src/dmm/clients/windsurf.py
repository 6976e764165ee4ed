"""Windsurf, whose agent is called Cascade; its hooks answer by their exit status alone."""

from __future__ import annotations

from dmm.clients.base import Call, Client, Keys, Setting, server_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dmm.clients.base import Answer, Kind
    from dmm.clients.launch import Launch
    from dmm.clients.place import Place, Site

# It tells neither the beginning nor the end of a session.
EVENTS: Mapping[str, Kind] = {
    "pre_user_prompt": "prompt",
    "pre_run_command": "tool_request",
    "pre_write_code": "tool_request",
    "pre_read_code": "tool_request",
    "pre_mcp_tool_use": "tool_request",
    "post_run_command": "tool_done",
    "post_write_code": "tool_done",
    "post_read_code": "tool_done",
    "post_mcp_tool_use": "tool_done",
    "post_cascade_response": "turn_end",
}
_RUN = Call("Bash", {"command_line": "command"})
_WRITE = Call("Edit", {"file_path": "file_path", "edits": "edits"})
_READ = Call("Read", {"file_path": "file_path"})
_MCP = Call(server="mcp_server_name", name="mcp_tool_name", within="mcp_tool_arguments")


def _folder(place: Place) -> Path:
    return place.home / ".codeium" / "windsurf"


def _settings(site: Site, launch: Launch) -> list[Setting]:
    from dmm.clients.entries import Hooks, JsonServer

    folder = site.folder(_folder(site.place), ".windsurf")
    line = launch.hook_line("windsurf")
    entries = {event: {"command": line, "show_output": False} for event in EVENTS}
    hooks = Setting("hooks", folder / "hooks.json", Hooks(entries, grouped=False))
    if site.within is not None:
        # Servers are the user's alone.
        return [hooks]
    server = JsonServer(("mcpServers",), server_of(launch.server_words("windsurf")))
    return [hooks, Setting("tools", folder / "mcp_config.json", server)]


def _answer(answer: Answer) -> str:
    return answer.refusing().reason if answer.decision else ""


CLIENT = Client(
    name="windsurf",
    title="Windsurf",
    programs=("windsurf",),
    folder=_folder,
    afterwards="restart Windsurf and refresh the MCP servers in the settings of Cascade",
    events=EVENTS,
    keys=Keys(
        event=("agent_action_name",),
        session=("trajectory_id",),
        turn=("execution_id",),
        prompt=("user_prompt",),
        output=("mcp_result",),
        message=("response",),
        inside="tool_info",
    ),
    calls={
        "pre_run_command": _RUN,
        "post_run_command": _RUN,
        "pre_write_code": _WRITE,
        "post_write_code": _WRITE,
        "pre_read_code": _READ,
        "post_read_code": _READ,
        "pre_mcp_tool_use": _MCP,
        "post_mcp_tool_use": _MCP,
    },
    answer=_answer,
    settings=_settings,
    variables=("WINDSURF", "CODEIUM"),
    instructions={
        ".windsurfrules": "cursorrules",
        ".windsurf/rules/*.md": "mdc",
        "windsurf/memories/global_rules.md": "cursorrules",
    },
    personal=(".codeium/windsurf",),
    brought=(".windsurf",),
    headed=("windsurf",),
)
