"""Wire the parts together; the only place that knows how."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from dmm import endpoint
from dmm.bootstrap.base import Base, now, today
from dmm.bootstrap.writing import Writing
from dmm.config import FILE_NAME, Config, ModelConfig, parse_config, read_config
from dmm.errors import ConfigError, RootNotFound
from dmm.files.consents import find_consents
from dmm.files.roots import NAME, Root, find_root
from dmm.files.trusted import TrustStore

if TYPE_CHECKING:
    from collections.abc import Callable

    from dmm.bootstrap.checkups import Checkup
    from dmm.embed.model import Embedder
    from dmm.eventlog.open_ledger import Actor
    from dmm.project.story import Stage


__all__ = ["Base", "Dmm", "here", "now", "open_dmm", "open_root", "open_stage", "own_home", "today"]


@dataclass(frozen=True)
class Dmm(Writing):
    """Everything DMM can do in one project, for one actor."""

    def as_actor(self, actor: Actor) -> Dmm:
        """Return the same open project for somebody else; what they do is in their name."""
        return replace(self, named=actor)

    def reopened(self) -> Dmm:
        """Open the project once more, with files of its own."""
        return replace(self, base=replace(self.base))

    def checkup(self, progress: Callable[[int, int], None]) -> Checkup:
        """Check the project and what it stands on."""
        from dmm.bootstrap import checkups

        return checkups.check_up(self, progress)


def open_dmm(
    *,
    start: Path | None = None,
    override: Path | None = None,
    home: Path | None = None,
    load_model: Callable[[], Embedder] | None = None,
    by_agent: bool = False,
) -> Dmm:
    """Build DMM for the project around `start`; an agent acts in its own name."""
    home = home or own_home()
    named = os.environ.get("DMM_ROOT")
    override = override or (Path(named) if named else None)
    root = find_root(start or override or here(), override, home)
    return open_root(root, home, load_model, by_agent=by_agent)


def open_root(
    root: Root,
    home: Path,
    load_model: Callable[[], Embedder] | None = None,
    *,
    by_agent: bool = False,
) -> Dmm:
    """Build DMM for a known .dmm folder."""
    config = read_agreed_config(root, home)
    _refuse_model(config, root, home)
    return Dmm(Base(root, config, home, load_model or _load_model), by_agent=by_agent)


def check_config(root: Root, home: Path) -> None:
    """Refuse settings, as they stand, that no project could be opened with."""
    _refuse_model(read_config(root.folder / FILE_NAME), root, home)


def _refuse_model(config: Config, root: Root, home: Path) -> None:
    if config.model != ModelConfig() and root.folder != (home / NAME).resolve():
        where = f"{root.folder / FILE_NAME}: model"
        hint = f"name it in {home / NAME / FILE_NAME}: a project can't send your key anywhere"
        raise ConfigError("only your own settings can name a model", where=where, hint=hint)


def read_agreed_config(root: Root, home: Path) -> Config:
    """Read the settings of a project as the user agreed to them; their own need no consent."""
    path = root.folder / FILE_NAME
    if root.folder == (home / NAME).resolve():
        return read_config(path)
    consents = find_consents(TrustStore.of_user(home), root.folder)
    if not consents.asked or not consents.is_held(FILE_NAME):
        return read_config(path)
    agreed = consents.effective(FILE_NAME)
    if agreed is None:
        return Config()
    return parse_config(agreed.decode("utf-8-sig", "replace"), source=str(path))


def open_stage() -> Stage:
    """Build an in-memory ledger for the demo, without a project."""
    from dmm.ledger import timelines
    from dmm.ledger.service import Ledger
    from dmm.project import story
    from dmm.rules import project_ledger

    kept = project_ledger.ProjectLedger(None, now)
    return story.Stage(Ledger(kept), timelines.Timelines(kept))


def here() -> Path:
    """Return the working directory."""
    try:
        return Path.cwd()
    except OSError as error:
        hint = "change to an existing folder, or name one with --root"
        raise RootNotFound("the working directory no longer exists", hint=hint) from error


def own_home() -> Path:
    """Return the user's home."""
    home = endpoint.home_folder()
    # A user without a home, as in some containers.
    return Path(os.sep if home == "~" else home)


def _load_model() -> Embedder:
    from dmm.embed.model import Embedder

    return Embedder.load()
