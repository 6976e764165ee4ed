"""opencode; `opencode.js` is the plugin that runs our hook there."""

from __future__ import annotations

from dmm.clients.base import Client, Setting
from dmm.clients.claude_code import CONTEXT, EVENTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from dmm.clients.base import Answer, Printed
    from dmm.clients.launch import Launch
    from dmm.clients.place import Place, Site


def _folder(place: Place) -> Path:
    # It keeps to this folder on every system.
    return place.folder("XDG_CONFIG_HOME", ".config") / "opencode"


def _settings(site: Site, launch: Launch) -> list[Setting]:
    import json
    from importlib import resources

    from dmm.clients.entries import JsonServer, OwnFile
    from dmm.clients.launch import join

    folder = site.folder(_folder(site.place))
    words = launch.hook_words("opencode")
    text = (resources.files("dmm.clients") / "opencode.js").read_text("utf-8")
    plugin = OwnFile(text.replace('"@COMMAND@"', json.dumps(words)), join(words))
    server = {"type": "local", "command": launch.server_words("opencode"), "enabled": True}
    settings = folder / "opencode.jsonc"
    if not settings.exists():
        settings = folder / "opencode.json"
    plugins = folder / ".opencode" / "plugin" if site.within else folder / "plugin"
    return [
        Setting("hooks", plugins / "dmm.js", plugin),
        Setting("tools", settings, JsonServer(("mcp",), server)),
    ]


def _answer(answer: Answer) -> Printed:
    if answer.decision:
        return {"deny": answer.refusing().reason}
    return {"context": answer.context} if answer.context else {}


CLIENT = Client(
    name="opencode",
    title="opencode",
    programs=("opencode",),
    folder=_folder,
    afterwards="restart opencode",
    events=EVENTS,
    answer=_answer,
    takes_context=CONTEXT,
    settings=_settings,
    shell_tool="bash",
    variables=("OPENCODE",),
    shell_variables=("OPENCODE",),
)
