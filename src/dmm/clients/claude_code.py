"""Claude Code: its hooks, settings, MCP entry and instruction files."""

from __future__ import annotations

from dmm.clients.base import Client, Remark, Setting, hooks_at, kinds, server_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from dmm.clients.base import Kind
    from dmm.clients.launch import Launch
    from dmm.clients.place import Place, Site

# A command of ours must not make the client call anybody.
QUIET = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
EVENTS: Mapping[str, Kind] = {
    "SessionStart": "session_start",
    "UserPromptSubmit": "prompt",
    "PreToolUse": "tool_request",
    "PostToolUse": "tool_done",
    "PostToolUseFailure": "tool_failed",
    "PreCompact": "compact_start",
    "PostCompact": "compact_done",
    "Stop": "turn_end",
    "SubagentStop": "subagent_end",
    "SessionEnd": "session_end",
}
CONTEXT = kinds("session_start", "prompt", "tool_request", "tool_done", "tool_failed")


def _folder(place: Place) -> Path:
    return place.folder("CLAUDE_CONFIG_DIR", ".claude")


def _settings(site: Site, launch: Launch) -> list[Setting]:
    from dmm.clients.entries import CommandServer, JsonServer

    place = site.place
    server = server_of(launch.server_words("claude-code"), type="stdio") | {"alwaysLoad": True}
    folder = site.folder(_folder(place), ".claude")
    hooks = hooks_at(EVENTS, launch.hook_line("claude-code"))
    settings = Setting("hooks", folder / "settings.json", hooks)
    if site.within is not None:
        shared = JsonServer(("mcpServers",), server)
        return [settings, Setting("tools", site.within / ".mcp.json", shared)]
    moved = place.environment.get("CLAUDE_CONFIG_DIR")
    kept = (folder if moved else place.home) / ".claude.json"
    # The client may rewrite this file at any moment, so it alone changes it.
    environment = {**place.environment, "HOME": str(place.home), **QUIET}
    command = CommandServer("claude", place.program("claude"), server, environment)
    return [settings, Setting("tools", kept, command)]


def _remarks(hooks: Path, read: Callable[[Path], str]) -> Iterator[Remark]:
    """Look for settings that keep the hooks from running, or run them twice."""
    from dmm.clients import jsontext

    settings = jsontext.read(read(hooks))
    if settings.get("disableAllHooks"):
        told = f"all hooks are switched off: disableAllHooks in {hooks}"
        yield Remark("Claude Code hooks", "fail", told, "remove that line")
    if any(name.startswith("dmm@") for name in settings.get("enabledPlugins") or ()):
        told = "the plugin dmm is installed too: each event arrives twice"
        yield Remark("Claude Code plugin", "warn", told, "keep one: claude plugin uninstall dmm")


CLIENT = Client(
    name="claude-code",
    title="Claude Code",
    programs=("claude",),
    folder=_folder,
    afterwards="start a new session of Claude Code; /hooks and /mcp there show what is active",
    events=EVENTS,
    tells_failures=True,
    takes_context=CONTEXT,
    shows_notice=True,
    settings=_settings,
    remarks=_remarks,
    variables=("CLAUDE", "ANTHROPIC"),
    shell_variables=("CLAUDECODE",),
    instructions={"CLAUDE.md": "claude", "CLAUDE.local.md": "claude"},
    personal=(".claude",),
    brought=(".claude", ".mcp.json"),
    headed=("claude",),
    transcripts=lambda place: (_folder(place) / "projects",),
)
