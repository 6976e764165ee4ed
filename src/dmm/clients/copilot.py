"""GitHub Copilot CLI."""

from __future__ import annotations

from dmm.clients.base import WAIT, WAITS, Client, Keys, Setting, kinds, server_of, without
from dmm.clients.claude_code import EVENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from dmm.clients.base import Answer, Printed
    from dmm.clients.launch import Launch
    from dmm.clients.place import Place, Site

# Under these names, rather than those with a small first letter, the payload tells the event.
OWN_EVENTS = without(EVENTS, "PostCompact")


def _folder(place: Place) -> Path:
    return place.folder("COPILOT_HOME", ".copilot")


def _settings(site: Site, launch: Launch) -> list[Setting]:
    from dmm.clients.entries import Hooks, JsonServer

    line = launch.hook_line("copilot")
    entries = {
        event: {"type": "command", "bash": line, "timeoutSec": WAITS.get(kind, WAIT)}
        for event, kind in OWN_EVENTS.items()
    }
    hooks = Hooks(entries, grouped=False, preface={"version": 1}, key="bash")
    told = server_of(launch.server_words("copilot"), type="local") | {"tools": ["*"]}
    folder = site.folder(_folder(site.place), ".github")
    servers = folder / ("mcp-config.json" if site.within is None else "mcp.json")
    return [
        Setting("hooks", folder / "hooks" / "dmm.json", hooks),
        Setting("tools", servers, JsonServer(("mcpServers",), told)),
    ]


def _answer(answer: Answer) -> Printed:
    said = {"additionalContext": answer.context} if answer.context else {}
    if answer.decision:
        said |= {"permissionDecision": answer.decision, "permissionDecisionReason": answer.reason}
    return said


CLIENT = Client(
    name="copilot",
    title="GitHub Copilot CLI",
    programs=("copilot",),
    folder=_folder,
    afterwards="start a new session of Copilot CLI; /mcp show there lists dmm",
    events=OWN_EVENTS,
    keys=Keys(output=("tool_result.text_result_for_llm", "error")),
    # A tool of a server is called `server-tool`; no tool of its own has such a name.
    mcp_name=r"(.+)-([^-]+)",
    exit_line=r"<shellId: \S+ completed with exit code (\d{1,6})>\s*\Z",
    answer=_answer,
    takes_context=kinds("session_start", "prompt", "tool_request", "tool_done"),
    settings=_settings,
    variables=("COPILOT",),
    shell_variables=("COPILOT_CLI",),
    instructions={"copilot-instructions.md": "copilot", "*.instructions.md": "copilot"},
    personal=(".copilot",),
    brought=(".github/hooks", ".github/mcp.json", ".mcp.json"),
)
