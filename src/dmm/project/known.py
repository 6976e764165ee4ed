"""The projects that a person can choose from."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.files.trusted import TrustStore


@dataclass(frozen=True, slots=True)
class Known:
    """A project that this user trusts, or that is open."""

    root: str
    name: str
    trusted: bool
    open: bool


def list_known(store: TrustStore, held: Mapping[str, bool]) -> tuple[Known, ...]:
    """List the projects that are trusted and still there, and those held open, by path.

    `held` says of each open .dmm folder whether it is trusted.
    """
    trusted = {one.folder.path for one in store.list() if store.is_there(one)}
    folders = {Path(one).parent: one for one in trusted | held.keys()}
    return tuple(
        Known(str(root), root.name, folder in trusted or held[folder], folder in held)
        for root, folder in sorted(folders.items())
    )
