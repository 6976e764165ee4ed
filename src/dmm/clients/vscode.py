"""VS Code; only the tools are installed there, but it may run the hooks of Claude Code."""

from __future__ import annotations

from dmm.clients.base import Client, Setting, server_of
from dmm.clients.claude_code import CONTEXT, EVENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from dmm.clients.launch import Launch
    from dmm.clients.place import Place, Site


def _folder(place: Place) -> Path:
    return place.settings / "Code" / "User"


def _settings(site: Site, launch: Launch) -> list[Setting]:
    from dmm.clients.entries import JsonServer

    folder = site.folder(_folder(site.place), ".vscode")
    server = JsonServer(("servers",), server_of(launch.server_words("vscode"), type="stdio"))
    return [Setting("tools", folder / "mcp.json", server)]


CLIENT = Client(
    name="vscode",
    title="VS Code",
    programs=("code",),
    folder=_folder,
    afterwards="start dmm under MCP Servers in VS Code, which gets tools only, no hooks",
    understood=EVENTS,
    takes_context=CONTEXT - {"tool_failed"},
    shows_notice=True,
    settings=_settings,
    instructions={"copilot-instructions.md": "copilot", "*.instructions.md": "copilot"},
    brought=(".vscode/mcp.json",),
    headed=("copilot",),
)
