"""Gemini CLI."""

from __future__ import annotations

from dmm.clients.base import Client, Setting, answer_nested, hooks_at, kinds, server_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from dmm.clients.base import Answer, Kind, Printed
    from dmm.clients.launch import Launch
    from dmm.clients.place import Place, Site

EVENTS: Mapping[str, Kind] = {
    "SessionStart": "session_start",
    "BeforeAgent": "prompt",
    "BeforeTool": "tool_request",
    "AfterTool": "tool_done",
    "PreCompress": "compact_start",
    "AfterAgent": "turn_end",
    "SessionEnd": "session_end",
}


def _folder(place: Place) -> Path:
    return place.home / ".gemini"


def _settings(site: Site, launch: Launch) -> list[Setting]:
    from dmm.clients.entries import JsonServer, Together

    folder = site.folder(_folder(site.place), ".gemini")
    server = JsonServer(("mcpServers",), server_of(launch.server_words("gemini")))
    hooks = hooks_at(EVENTS, launch.hook_line("gemini"), milliseconds=True)
    return [Setting("hooks and tools", folder / "settings.json", Together((hooks, server)))]


def _answer(answer: Answer) -> Printed:
    if answer.decision:
        return {"decision": "deny", "reason": answer.refusing().reason}
    if answer.warning and not answer.context and answer.kind == "tool_request":
        return {"systemMessage": answer.warning}
    return answer_nested(answer)


CLIENT = Client(
    name="gemini",
    title="Gemini CLI",
    programs=("gemini",),
    folder=_folder,
    afterwards="start a new session of Gemini CLI, which must trust the project folder",
    events=EVENTS,
    # It puts the context of an earlier hook, which may be ours, before the user's words.
    context_marks=("<hook_context>", "</hook_context>"),
    answer=_answer,
    takes_context=kinds("session_start", "prompt", "tool_done"),
    shows_notice=True,
    settings=_settings,
    shell_tool="run_shell_command",
    variables=("GEMINI",),
    shell_variables=("GEMINI_CLI",),
    instructions={"GEMINI.md": "gemini"},
    personal=(".gemini",),
    brought=(".gemini",),
    headed=("gemini",),
)
