"""The steps of an installation: each says what it would change, then changes it."""

from __future__ import annotations

import json
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from dmm.clients.entries import NAME, CommandServer, find_server
from dmm.clients.launch import is_server, join
from dmm.clients.place import Site
from dmm.errors import ConfigError, UsageError
from dmm.install.change import Change, drop_copies, first_copy, read_text

if TYPE_CHECKING:
    from pathlib import Path

    from dmm.clients.base import Client, What
    from dmm.clients.entries import Configured, FileEntry
    from dmm.clients.launch import Launch
    from dmm.clients.place import Place, Scope

State = Literal["none", "older", "same"]
PATIENCE = 60.0


@dataclass(frozen=True, slots=True)
class FileStep:
    """Our entry in one file; within a project no link may lead out of it."""

    what: What
    path: Path
    entry: FileEntry
    within: Path | None = None

    @property
    def where(self) -> str:
        """The file."""
        return str(self.path)

    def state(self) -> State:
        """Return whether our entry is there, and whether it is as it should be."""
        text = read_text(self._target()) or ""
        if self._edit(text, remove=True) == text:
            return "none"
        return "same" if self._edit(text, remove=False) == text else "older"

    def commands(self) -> list[Configured]:
        """List the commands that are configured here as ours."""
        text = read_text(self._target())
        try:
            return self.entry.find(text) if text else []
        except ValueError as error:
            raise self._refusal(error) from error

    def preview(self, *, remove: bool) -> str:
        """Show what would change; nothing where all is as it should be."""
        change = self._change(remove=remove)
        return change.diff() if change.needed else ""

    def carry_out(self, *, remove: bool, stamp: str) -> Path | None:
        """Change the file; tell the copy that is kept of it."""
        change = self._change(remove=remove)
        backup = change.carry_out(stamp)
        if remove and change.after is not None:
            drop_copies(change.path, change.after)
        return backup

    def _change(self, *, remove: bool) -> Change:
        path = self._target()
        before = read_text(path)
        after: str | None = self._edit(before or "", remove=remove)
        if after == (before or ""):
            after = before
        elif remove and _is_empty(after) and self._made_by_us(path):
            after = None
        within = None if self.within is None else self.within.resolve()
        return Change(path, before, after, self._is_all_ours(before or ""), within)

    def _is_all_ours(self, text: str) -> bool:
        """Return whether a file holds our entry and nothing else."""
        left = self._edit(text, remove=True)
        return left != text and _is_empty(left)

    def _made_by_us(self, path: Path) -> bool:
        """Return whether the file held nothing but our entry from its first day."""
        first = first_copy(path)
        return first is None or (_is_empty(self._edit(first, remove=True)) and not _is_empty(first))

    def _edit(self, text: str, *, remove: bool) -> str:
        try:
            return self.entry.remove(text) if remove else self.entry.add(text)
        except ValueError as error:
            raise self._refusal(error) from error

    def _refusal(self, error: ValueError) -> ConfigError:
        return ConfigError(f"left as it is: {error}", where=self.where, hint=self._way_out())

    def _way_out(self) -> str:
        made = self.entry.add("")
        return f"put this in by hand, beside what is there:\n{made}"

    def _target(self) -> Path:
        """Resolve links to settings that are kept elsewhere."""
        target = self.path.resolve()
        if self.within is not None and not target.is_relative_to(self.within.resolve()):
            raise ConfigError("a link leads out of the project", where=self.where)
        return target


@dataclass(frozen=True, slots=True)
class CommandStep:
    """A server kept in a file that only its client may write; the client's command does it."""

    what: What
    path: Path
    server: CommandServer

    @property
    def where(self) -> str:
        """The file that the client writes."""
        return str(self.path)

    def state(self) -> State:
        """Return whether our server is there, and whether it is as it should be."""
        found = self._found()
        if not is_server(found):
            return "none"
        return "same" if found == self.server.entry else "older"

    def commands(self) -> list[Configured]:
        """List the command that is configured as ours."""
        return find_server(self._found())

    def preview(self, *, remove: bool) -> str:
        """Show the commands that would run."""
        return "".join(f"$ {join(line)}\n" for line in self._lines(remove=remove))

    def carry_out(self, *, remove: bool, stamp: str) -> Path | None:  # noqa: ARG002 - as all steps
        """Run the commands; the client keeps copies of its file itself."""
        for line in self._lines(remove=remove):
            self._run(line)
        return None

    def _found(self) -> object:
        text = read_text(self.path)
        try:
            servers = (json.loads(text) if text else {}).get("mcpServers")
        except (ValueError, AttributeError) as error:
            raise ConfigError(f"can't read the settings file: {error}", where=self.where) from error
        return servers.get(NAME) if isinstance(servers, dict) else None

    def _lines(self, *, remove: bool) -> list[list[str]]:
        state, program = self.state(), self.server.program or self.server.name
        taken_out = [program, "mcp", "remove", "--scope", "user", NAME]
        put_in = [
            program,
            "mcp",
            "add-json",
            "--scope",
            "user",
            NAME,
            json.dumps(self.server.entry),
        ]
        if remove:
            return [] if state == "none" else [taken_out]
        if state == "none" and self._found() is not None:
            hint = "rename it, then run dmm install again"
            raise ConfigError(
                f"an MCP server named '{NAME}' already exists", where=self.where, hint=hint
            )
        return {"same": [], "older": [taken_out, put_in], "none": [put_in]}[state]

    def _run(self, line: list[str]) -> None:
        if self.server.program is None:
            what = "the program is not on the PATH, and only it may write this file"
            raise UsageError(what, where=self.where, hint=f"run it yourself: {join(line)}")
        try:
            done = subprocess.run(  # noqa: S603 - the client the user has installed
                line,
                env=dict(self.server.environment),
                stdin=subprocess.DEVNULL,
                capture_output=True,
                encoding="utf-8",
                errors="replace",
                timeout=PATIENCE,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise UsageError(f"{join(line[:3])} did not run: {error}", where=self.where) from error
        if done.returncode:
            told = (done.stderr or done.stdout).strip()
            raise UsageError(f"{join(line[:3])} failed: {told}", where=self.where)


def _is_empty(text: str | None) -> bool:
    return text is None or text.strip() in ("", "{}")


Step = FileStep | CommandStep


def list_steps(client: Client, place: Place, scope: Scope, launch: Launch) -> list[Step]:
    """List what an installation of a client consists of."""
    site = Site(place, scope)
    return [
        CommandStep(one.what, one.path, one.entry)
        if isinstance(one.entry, CommandServer)
        else FileStep(one.what, one.path, one.entry, site.within)
        for one in client.settings(site, launch)
    ]
