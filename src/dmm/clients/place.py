"""Where things are on this machine: the user's home, the project, the programs on the PATH."""

from __future__ import annotations

import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

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
