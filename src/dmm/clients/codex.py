"""Codex, the command line of OpenAI."""

from __future__ import annotations

from dmm.clients.base import Client, Remark, Setting, answer_nested, hooks_at, without
from dmm.clients.claude_code import CONTEXT, EVENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from dmm.clients.base import Answer, Printed
    from dmm.clients.launch import Launch
    from dmm.clients.place import Place, Site

# Codex does not tell of failures apart.
OWN_EVENTS = without(EVENTS, "PostToolUseFailure")
# What tells a process where the daemon and the project are.
FOUND_BY = ("XDG_RUNTIME_DIR", "XDG_STATE_HOME", "DMM_RUN_DIR", "DMM_STATE_DIR", "DMM_ROOT")


def _folder(place: Place) -> Path:
    return place.folder("CODEX_HOME", ".codex")


def _settings(site: Site, launch: Launch) -> list[Setting]:
    from dmm.clients.entries import TomlServer

    folder = site.folder(_folder(site.place), ".codex")
    words = launch.server_words("codex")
    # Codex hides its environment from servers, which would then look for another daemon than hooks.
    told = {"command": words[0], "args": words[1:], "env_vars": list(FOUND_BY)}
    hooks = hooks_at(OWN_EVENTS, launch.hook_line("codex"))
    return [
        Setting("hooks", folder / "hooks.json", hooks),
        Setting("tools", folder / "config.toml", TomlServer(("mcp_servers",), told)),
    ]


def _answer(answer: Answer) -> Printed:
    # Codex knows the word `ask` but fails open on it.
    return answer_nested(answer.refusing())


def _remarks(hooks: Path, read: Callable[[Path], str]) -> Iterator[Remark]:
    """See whether the user has told Codex to trust the hooks; without that it skips them."""
    from dmm.clients import tomltext

    states = tomltext.look(read(hooks.with_name("config.toml")), ("hooks", "state")) or {}
    trusted = [
        key
        for key, state in states.items()
        if key.startswith(f"{hooks}:") and isinstance(state, dict) and state.get("trusted_hash")
    ]
    if len(trusted) < len(OWN_EVENTS):
        told = "Codex does not trust the hooks yet, so it skips them"
        way = "start codex and choose to trust them, or open /hooks there"
        yield Remark("Codex trust", "warn", told, way)
    else:
        yield Remark("Codex trust", "ok", "the hooks are trusted in Codex")


def _transcripts(place: Place) -> tuple[Path, ...]:
    return (_folder(place) / "sessions", _folder(place) / "archived_sessions")


CLIENT = Client(
    name="codex",
    title="Codex",
    programs=("codex",),
    folder=_folder,
    afterwards="start Codex and trust the dmm hooks when it asks, or open /hooks there; until"
    " then it skips them",
    events=OWN_EVENTS,
    answer=_answer,
    takes_context=CONTEXT - {"tool_failed"},
    settings=_settings,
    remarks=_remarks,
    variables=("OPENAI", "CODEX"),
    shell_variables=("CODEX_SANDBOX", "CODEX_THREAD_ID"),
    instructions={"AGENTS.md": "agents", "AGENTS.override.md": "agents"},
    personal=(".codex",),
    brought=(".codex",),
    transcripts=_transcripts,
)
