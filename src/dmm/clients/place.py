"""Where things are on this machine: the user's home, the project, the programs on the PATH."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from dmm.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

Scope = Literal["user", "project"]


@dataclass(frozen=True, slots=True)
class Place:
    """A machine as one user sees it; the project only where one is meant."""

    home: Path
    environment: Mapping[str, str]
    project: Path | None = None
    platform: str = field(default=sys.platform)

    def program(self, name: str) -> str | None:
        """Find a program on the PATH."""
        return shutil.which(name, path=self.environment.get("PATH", ""))

    def folder(self, variable: str, *usual: str) -> Path:
        """Name a folder that a variable may move; usually it is in the home."""
        named = self.environment.get(variable)
        return Path(named) if named else self.home.joinpath(*usual)

    @property
    def settings(self) -> Path:
        """Where programs keep their settings on this system."""
        if self.platform == "darwin":
            return self.home / "Library" / "Application Support"
        if self.platform == "win32":
            return self.folder("APPDATA", "AppData", "Roaming")
        return self.folder("XDG_CONFIG_HOME", ".config")


@dataclass(frozen=True, slots=True)
class Site:
    """Where a client is set up: in the user's own files, or in those of the project."""

    place: Place
    scope: Scope

    @property
    def within(self) -> Path | None:
        """The project that the files must stay in."""
        if self.scope == "user":
            return None
        if self.place.project is None:
            hint = "change to its folder, or: --scope user"
            raise UsageError("there is no project here", hint=hint)
        return self.place.project

    def folder(self, own: Path, shared: str = "") -> Path:
        """Choose the user's own folder of a client, or the one that it has in a project."""
        return own if self.within is None else self.within / shared
