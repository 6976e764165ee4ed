"""The clients by name; a module of this package for each."""

from __future__ import annotations

# The module `typing` would cost every hook 4 ms.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from dmm.clients.base import Client

# A new client is one module and one name here; `-` in it is `_` in the name of the module.
NAMES = ("claude-code", "codex", "copilot", "cursor", "gemini", "opencode", "vscode", "windsurf")

_loaded: dict[str, Client] = {}


def find_client(name: str) -> Client:
    """Find a client by its name; nothing is loaded of the others."""
    client = _loaded.get(name)
    if client is None:
        if name not in NAMES:
            raise _refusal(name)
        module = __import__(f"{__package__}.{name.replace('-', '_')}", fromlist=("CLIENT",))
        client = _loaded[name] = module.CLIENT
    return client


def peek_client(name: str) -> Client:
    """Find a client for what has to work under any name; most clients follow the first."""
    return find_client(name if name in NAMES else NAMES[0])


def all_clients() -> tuple[Client, ...]:
    """List all clients."""
    return tuple(map(find_client, NAMES))


def _refusal(name: str) -> Exception:
    from dmm.errors import UsageError

    return UsageError(f"unknown client {name!r}", hint=f"one of: {', '.join(NAMES)}")
