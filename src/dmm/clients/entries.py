"""DMM's entries in a client's files: added, updated and removed; other entries are not touched."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from dmm.clients import jsontext, tomltext
from dmm.clients.launch import is_hook, is_server, join

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAME = "dmm"


@dataclass(frozen=True, slots=True)
class Configured:
    """One of our commands as a line for the shell, as it stands in a file."""

    kind: Literal["hook", "server"]
    line: str


class Foreign(ValueError):
    """Somebody else's entry stands where ours would go."""


@dataclass(frozen=True, slots=True)
class JsonServer:
    """The tools' server in a JSON file, under a trail of keys."""

    trail: tuple[str, ...]
    entry: Mapping[str, Any]

    def add(self, text: str) -> str:
        """Add the entry."""
        found = jsontext.look(text, (*self.trail, NAME))
        if found == self.entry:
            return text
        if found is not None:
            _refuse_foreign(found)
        return jsontext.put(text, (*self.trail, NAME), dict(self.entry))

    def remove(self, text: str) -> str:
        """Remove the entry, and what becomes empty."""
        if not is_server(jsontext.look(text, (*self.trail, NAME))):
            return text
        return _drop_empty(jsontext.drop(text, (*self.trail, NAME)), self.trail)

    def find(self, text: str) -> list[Configured]:
        """List our commands as they stand in the file."""
        return find_server(jsontext.look(text, (*self.trail, NAME)))


@dataclass(frozen=True, slots=True)
class TomlServer:
    """The tools' server as a table of a TOML file."""

    trail: tuple[str, ...]
    entry: Mapping[str, str | Sequence[str]]

    def add(self, text: str) -> str:
        """Add the table."""
        found = tomltext.look(text, (*self.trail, NAME))
        if found == self.entry:
            return text
        if found is not None:
            _refuse_foreign(found)
        return tomltext.put(text, (*self.trail, NAME), self.entry)

    def remove(self, text: str) -> str:
        """Remove the table."""
        if not is_server(tomltext.look(text, (*self.trail, NAME))):
            return text
        return tomltext.drop(text, (*self.trail, NAME))

    def find(self, text: str) -> list[Configured]:
        """List our commands as they stand in the file."""
        return find_server(tomltext.look(text, (*self.trail, NAME)))


@dataclass(frozen=True, slots=True)
class Hooks:
    """Our hook at events of a client; `grouped` where a client keeps hooks in groups.

    `key` is the one that holds the command.
    """

    entries: Mapping[str, Mapping[str, Any]]
    grouped: bool = True
    preface: Mapping[str, Any] | None = None
    key: str = "command"

    def add(self, text: str) -> str:
        """Add the hook to every event, once."""
        wanted = {event: [self._item(entry)] for event, entry in self.entries.items()}
        if self._ours(text) == wanted:
            return text
        text = self.remove(text)
        for key, value in (self.preface or {}).items():
            if jsontext.look(text, (key,)) is None:
                text = jsontext.put(text, (key,), value)
        for event, (item,) in wanted.items():
            text = jsontext.append(text, ("hooks", event), item)
        return text

    def remove(self, text: str) -> str:
        """Remove the hook from every event, and what becomes empty."""
        for event in self._events(text):
            items = jsontext.look(text, ("hooks", event))
            for number in reversed(range(len(items))):
                text = self._take(text, event, number, items[number])
            text = _drop_empty(text, ("hooks", event))
        if self.preface and text.strip() and jsontext.read(text) == dict(self.preface):
            for key in self.preface:
                text = jsontext.drop(text, (key,))
        return text

    def find(self, text: str) -> list[Configured]:
        """List our commands as they stand in the file, each once."""
        found = [
            Configured("hook", one[self.key])
            for event in self._events(text)
            for item in jsontext.look(text, ("hooks", event))
            for one in self._inner(item)
            if self._is_ours(one)
        ]
        return list(dict.fromkeys(found))

    def _item(self, entry: Mapping[str, Any]) -> object:
        return {"hooks": [dict(entry)]} if self.grouped else dict(entry)

    def _inner(self, item: object) -> list[Any]:
        if not self.grouped:
            return [item]
        inner = item.get("hooks") if isinstance(item, dict) else None
        return inner if isinstance(inner, list) else []

    def _events(self, text: str) -> list[str]:
        """List the events that our hook is at."""
        found = jsontext.look(text, ("hooks",)) if text.strip() else None
        if not isinstance(found, dict):
            return []
        return [
            event
            for event, items in found.items()
            if isinstance(items, list)
            and any(self._is_ours(one) for item in items for one in self._inner(item))
        ]

    def _ours(self, text: str) -> dict[str, list[Any]]:
        return {
            event: [
                item
                for item in jsontext.look(text, ("hooks", event))
                if any(self._is_ours(one) for one in self._inner(item))
            ]
            for event in self._events(text)
        }

    def _is_ours(self, hook: object) -> bool:
        return isinstance(hook, dict) and is_hook(hook.get(self.key))

    def _take(self, text: str, event: str, number: int, item: object) -> str:
        ours = [self._is_ours(one) for one in self._inner(item)]
        if ours and all(ours):
            return jsontext.drop(text, ("hooks", event, number))
        for inner in reversed(range(len(ours))):
            if ours[inner]:
                text = jsontext.drop(text, ("hooks", event, number, "hooks", inner))
        return text


@dataclass(frozen=True, slots=True)
class OwnFile:
    """A file that is ours as a whole, known by its first line."""

    content: str
    command: str

    def add(self, text: str) -> str:
        """Write the content; a file of that name that is not ours stays."""
        if text.strip() and not self._is_ours(text):
            raise Foreign("a file with this name already exists and is not DMM's")
        return self.content

    def remove(self, text: str) -> str:
        """Remove everything."""
        return "" if self._is_ours(text) else text

    def find(self, text: str) -> list[Configured]:
        """List our command, where the file is as it should be."""
        return [Configured("hook", self.command)] if text == self.content else []

    def _is_ours(self, text: str) -> bool:
        return text.partition("\n")[0] == self.content.partition("\n")[0]


@dataclass(frozen=True, slots=True)
class Together:
    """Several entries in one file."""

    entries: tuple[JsonServer | Hooks, ...]

    def add(self, text: str) -> str:
        """Add all of them."""
        for entry in self.entries:
            text = entry.add(text)
        return text

    def remove(self, text: str) -> str:
        """Remove all of them, the last one first."""
        for entry in reversed(self.entries):
            text = entry.remove(text)
        return text

    def find(self, text: str) -> list[Configured]:
        """List our commands as they stand in the file."""
        return [found for entry in self.entries for found in entry.find(text)]


@dataclass(frozen=True, slots=True)
class CommandServer:
    """The tools' server in a file that only the client may write; a command of it does so."""

    name: str
    program: str | None
    entry: Mapping[str, Any]
    environment: Mapping[str, str]


FileEntry = JsonServer | TomlServer | Hooks | OwnFile | Together
Entry = FileEntry | CommandServer


def find_server(entry: object) -> list[Configured]:
    """Return the command of a server, if it is ours."""
    if not is_server(entry) or not isinstance(entry, dict):
        return []
    command = entry.get("command")
    first = command if isinstance(command, list) else [command]
    return [Configured("server", join([*map(str, first), *map(str, entry.get("args") or ())]))]


def _refuse_foreign(found: object) -> None:
    if not is_server(found):
        raise Foreign(f"an MCP server named '{NAME}' already exists")


def _drop_empty(text: str, trail: Sequence[str]) -> str:
    """Remove what has become empty."""
    for length in range(len(trail), 0, -1):
        if jsontext.look(text, trail[:length]) not in ({}, []):
            break
        text = jsontext.drop(text, trail[:length])
    return text
