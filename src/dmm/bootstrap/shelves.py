"""Where the indexes of a project are, and whether this process can load them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from dmm.config import Config, StorageConfig
from dmm.errors import StorageError
from dmm.files.roots import NAME, Root

if TYPE_CHECKING:
    from pathlib import Path

    from dmm.index.shelves import Shelf

# With less, the libraries that count tokens and run the model end the process themselves.
LEAST_MEMORY = 256 << 20


def need_memory() -> None:
    """Refuse a limit of this process that is too low to work under."""
    if sys.platform == "win32":
        return
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit != resource.RLIM_INFINITY and limit < LEAST_MEMORY:
        what = (
            f"this process may use {limit >> 20} MB of memory, but {LEAST_MEMORY >> 20} MB "
            "are needed"
        )
        raise StorageError(what, hint="raise the limit: ulimit -v unlimited")


def find_shelves(root: Root, home: Path, config: Config) -> tuple[Shelf, ...]:
    """Return the shelf of the project, and that of the user's own memories beside it."""
    from dmm.domain.memory import OVERLAY_SCOPES, Origin
    from dmm.files.tree import MemoryTree
    from dmm.index.shelves import Shelf

    name = config.storage.embeddings_db
    shelves = [Shelf(Origin.PROJECT, root.tree, root.folder / name)]
    own = Root((home / NAME).resolve())
    if _is_folder(own.tree.root) and own.folder != root.folder:
        tree = MemoryTree(own.tree.root, tuple(scope.value for scope in OVERLAY_SCOPES))
        shelves.append(Shelf(Origin.USER, tree, own.folder / StorageConfig().embeddings_db))
    return tuple(shelves)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        # The home of somebody else: what can't be entered joins nothing.
        return False
