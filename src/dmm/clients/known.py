"""The clients DMM knows: how each is noticed, what is written where, and what to do afterwards."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING, Any

from dmm.clients.entries import Hooks, JsonServer, OwnFile, Together, TomlServer
from dmm.clients.launch import join
from dmm.clients.steps import CommandStep, FileStep
from dmm.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from dmm.clients.launch import Launch
    from dmm.clients.place import Place, Scope
    from dmm.clients.steps import Step

# Seconds a client waits for the hook; it answers long before, or lets go by itself.
WAIT = 5
WAITS = {
    "SessionStart": 10,
    "SessionEnd": 2,
    "sessionStart": 10,
    "sessionEnd": 2,
    # A hook that is cut off lets the call run: on a busy machine an answer is worth waiting for.
    **dict.fromkeys(("PreToolUse", "preToolUse", "BeforeTool"), 60),
    **dict.fromkeys(("beforeShellExecution", "beforeMCPExecution", "beforeReadFile"), 60),
}

# A command of ours must not make the client call anybody.
QUIET = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}

CLAUDE_EVENTS = (
    *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"),
    *("PreCompact", "PostCompact", "Stop", "SubagentStop", "SessionEnd"),
)
# Codex does not tell of failures apart.
CODEX_EVENTS = tuple(event for event in CLAUDE_EVENTS if event != "PostToolUseFailure")
GEMINI_EVENTS = (
    *("SessionStart", "BeforeAgent", "BeforeTool", "AfterTool"),
    *("PreCompress", "AfterAgent", "SessionEnd"),
)
CURSOR_EVENTS = (
    *("sessionStart", "beforeSubmitPrompt", "preToolUse", "postToolUse", "postToolUseFailure"),
    *("preCompact", "stop", "subagentStop", "sessionEnd"),
)


@dataclass(frozen=True, slots=True)
class Client:
    """One client: its name, its programs and folder, the steps of its installation."""

    name: str
    title: str
    programs: tuple[str, ...]
    folder: Callable[[Place], Path]
    steps: Callable[[Place, Scope, Launch], list[Step]]
    afterwards: str

    def notice(self, place: Place) -> str | None:
        """Tell by what the client is noticed on this machine, or None."""
        for program in self.programs:
            found = place.program(program)
            if found:
                return found
        folder = self.folder(place)
        return str(folder) if folder.is_dir() else None


def find_client(name: str) -> Client:
    """Find a client by its name."""
    for client in CLIENTS:
        if client.name == name:
            return client
    known = ", ".join(client.name for client in CLIENTS)
    raise UsageError(f"there is no client named {name}", hint=f"one of: {known}, all")


def _base(place: Place, scope: Scope, own: Path, shared: str = "") -> tuple[Path, Path | None]:
    """Give the folder of a scope, and the project that its files must stay in."""
    if scope == "user":
        return own, None
    if place.project is None:
        raise UsageError("there is no project here", hint="change to its folder, or: --scope user")
    return place.project / shared, place.project


def _hooks(
    events: Iterable[str], line: str, *, milliseconds: bool = False, grouped: bool = True
) -> Hooks:
    factor = 1000 if milliseconds else 1
    kind = {"type": "command"} if grouped else {}
    entries = {
        event: {**kind, "command": line, "timeout": WAITS.get(event, WAIT) * factor}
        for event in events
    }
    return Hooks(entries, grouped=grouped, preface=None if grouped else {"version": 1})


def _server(words: list[str], **more: Any) -> dict[str, Any]:
    return {**more, "command": words[0], "args": words[1:]}


def _claude_folder(place: Place) -> Path:
    return place.folder("CLAUDE_CONFIG_DIR", ".claude")


def _claude(place: Place, scope: Scope, launch: Launch) -> list[Step]:
    folder, within = _base(place, scope, _claude_folder(place), ".claude")
    hooks = _hooks(CLAUDE_EVENTS, launch.hook_line("claude-code"))
    server = _server(launch.server_words("claude-code"), type="stdio") | {"alwaysLoad": True}
    settings = FileStep("hooks", folder / "settings.json", hooks, within)
    if within is not None:
        path = within / ".mcp.json"
        return [settings, FileStep("tools", path, JsonServer(("mcpServers",), server), within)]
    moved = place.environment.get("CLAUDE_CONFIG_DIR")
    kept = (folder if moved else place.home) / ".claude.json"
    # The client may rewrite this file at any moment, so it alone changes it.
    environment = {**place.environment, "HOME": str(place.home), **QUIET}
    program = place.program("claude")
    return [settings, CommandStep("tools", kept, program, server, environment)]


# What tells a process where the daemon and the project are.
FOUND_BY = ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "DMM_RUN_DIR", "DMM_STATE_DIR", "DMM_ROOT")


def _codex_folder(place: Place) -> Path:
    return place.folder("CODEX_HOME", ".codex")


def _codex(place: Place, scope: Scope, launch: Launch) -> list[Step]:
    folder, within = _base(place, scope, _codex_folder(place), ".codex")
    words = launch.server_words("codex")
    # Codex hides its environment from servers, which would then look for another daemon than hooks.
    told = {"command": words[0], "args": words[1:], "env_vars": list(FOUND_BY)}
    server = TomlServer(("mcp_servers",), told)
    hooks = _hooks(CODEX_EVENTS, launch.hook_line("codex"))
    return [
        FileStep("hooks", folder / "hooks.json", hooks, within),
        FileStep("tools", folder / "config.toml", server, within),
    ]


def _cursor_folder(place: Place) -> Path:
    return place.home / ".cursor"


def _cursor(place: Place, scope: Scope, launch: Launch) -> list[Step]:
    folder, within = _base(place, scope, _cursor_folder(place), ".cursor")
    server = JsonServer(("mcpServers",), _server(launch.server_words("cursor")))
    hooks = _hooks(CURSOR_EVENTS, launch.hook_line("cursor"), grouped=False)
    return [
        FileStep("hooks", folder / "hooks.json", hooks, within),
        FileStep("tools", folder / "mcp.json", server, within),
    ]


def _gemini_folder(place: Place) -> Path:
    return place.home / ".gemini"


def _gemini(place: Place, scope: Scope, launch: Launch) -> list[Step]:
    folder, within = _base(place, scope, _gemini_folder(place), ".gemini")
    server = JsonServer(("mcpServers",), _server(launch.server_words("gemini")))
    hooks = _hooks(GEMINI_EVENTS, launch.hook_line("gemini"), milliseconds=True)
    both = Together((hooks, server))
    return [FileStep("hooks and tools", folder / "settings.json", both, within)]


def _opencode_folder(place: Place) -> Path:
    # It keeps to this folder on every system.
    return place.folder("XDG_CONFIG_HOME", ".config") / "opencode"


def _opencode(place: Place, scope: Scope, launch: Launch) -> list[Step]:
    folder, within = _base(place, scope, _opencode_folder(place))
    words = launch.hook_words("opencode")
    text = (resources.files("dmm.clients") / "opencode.js").read_text("utf-8")
    plugin = OwnFile(text.replace('"@COMMAND@"', json.dumps(words)), join(words))
    server = {"type": "local", "command": launch.server_words("opencode"), "enabled": True}
    settings = folder / "opencode.jsonc"
    if not settings.exists():
        settings = folder / "opencode.json"
    plugins = folder / ".opencode" / "plugin" if within else folder / "plugin"
    return [
        FileStep("hooks", plugins / "dmm.js", plugin, within),
        FileStep("tools", settings, JsonServer(("mcp",), server), within),
    ]


def _vscode_folder(place: Place) -> Path:
    return place.settings / "Code" / "User"


def _vscode(place: Place, scope: Scope, launch: Launch) -> list[Step]:
    folder, within = _base(place, scope, _vscode_folder(place), ".vscode")
    server = JsonServer(("servers",), _server(launch.server_words("vscode"), type="stdio"))
    return [FileStep("tools", folder / "mcp.json", server, within)]


CLIENTS = (
    Client(
        *("claude-code", "Claude Code", ("claude",), _claude_folder, _claude),
        "start a new session of Claude Code; /hooks and /mcp there show what is active",
    ),
    Client(
        *("codex", "Codex", ("codex",), _codex_folder, _codex),
        "start Codex and choose to trust the hooks of dmm when it asks, or open /hooks there:"
        " until then it skips them",
    ),
    Client(
        *("cursor", "Cursor", ("cursor", "cursor-agent"), _cursor_folder, _cursor),
        "restart Cursor and switch the server dmm on in its MCP settings",
    ),
    Client(
        *("gemini", "Gemini CLI", ("gemini",), _gemini_folder, _gemini),
        "start a new session of Gemini CLI; it must trust the folder of the project",
    ),
    Client(
        *("opencode", "opencode", ("opencode",), _opencode_folder, _opencode),
        "restart opencode",
    ),
    Client(
        *("vscode", "VS Code", ("code",), _vscode_folder, _vscode),
        "open the MCP servers of VS Code and start dmm there; hooks are not written for it",
    ),
)
