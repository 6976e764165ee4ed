"""The resources: BOOT, policy, manifest, and each memory by path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from dmm.errors import NotTrusted, PathRefused, UsageError
from dmm.files.durable import translated
from dmm.files.markdown import decode, refuse_markers
from dmm.mcp.tools import safe
from dmm.reading import read_regular

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dmm.bootstrap import Dmm
    from dmm.files.roots import Root

MARKDOWN = "text/markdown"
MANIFEST = "dmm://manifest"
MEMORY = "dmm://memory/"
TEMPLATE = MEMORY + "{path}"
PAGE = 100
MOST_LISTED = 1_000
MOST_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Page:
    """A file of the memory that is always at the same place."""

    uri: str
    name: str
    description: str
    kind: str
    place: Callable[[Root], Path]

    def read(self, root: Root) -> str:
        """Read the file; one that leads elsewhere is refused."""
        path = self.place(root)
        with translated(path, "read the file"):
            if path.resolve() != path:
                raise PathRefused("the path contains a symbolic link", where=str(path))
            data, _ = read_regular(path, MOST_BYTES)
        return _whole(path.name, data)


PAGES = (
    Page(
        "dmm://boot",
        "BOOT.md",
        "How to work with this project's memory",
        MARKDOWN,
        lambda root: root.folder / "BOOT.md",
    ),
    Page(
        "dmm://policy",
        "policy.md",
        "What belongs in the memory and what does not",
        MARKDOWN,
        lambda root: root.folder / "policy.md",
    ),
    Page(
        MANIFEST,
        "manifest.json",
        "The map of the memory: directories, titles, tags, tokens",
        "application/json",
        lambda root: root.manifest,
    ),
)


@dataclass(frozen=True, slots=True)
class Listing:
    """Some of the memories, in the order of their paths, and where the next page starts."""

    paths: tuple[str, ...]
    next: str | None


def list_memories(root: Root, cursor: str | None) -> Listing:
    """List a page of memories; the manifest names those beyond the last page."""
    start = _place(cursor)
    paths = [stamp.path for stamp in root.tree.scan().stamps][:MOST_LISTED]
    end = start + PAGE
    return Listing(tuple(paths[start:end]), str(end) if end < len(paths) else None)


def _place(cursor: str | None) -> int:
    if cursor is None:
        return 0
    if not (cursor.isascii() and cursor.isdigit() and len(cursor) < 7):
        raise UsageError("the cursor does not belong to this list", hint="list from the start")
    return int(cursor)


def memory_uri(path: str) -> str:
    """Name a memory by its path."""
    return MEMORY + quote(path)


def read_resource(dmm: Dmm, uri: str) -> tuple[str, str]:
    """Return the text of a resource and its kind, or refuse.

    What instructs is given in the text that the user agreed to.
    """
    root = dmm.root
    page = next((page for page in PAGES if page.uri == uri), None)
    if page is not None:
        agreed = _agreed(dmm, page.name)
        return page.read(root) if agreed is None else agreed, page.kind
    if not uri.startswith(MEMORY):
        hint = f"{', '.join(page.uri for page in PAGES)} or {TEMPLATE}"
        raise UsageError("there is no such resource", where=repr(uri), hint=hint)
    path = unquote(uri.removeprefix(MEMORY))
    agreed = _agreed(dmm, f"memory/{path}")
    return _whole(path, root.tree.read(path)) if agreed is None else agreed, MARKDOWN


def _whole(path: str, data: bytes) -> str:
    """Read a text that may be served: one with conflict markers is refused."""
    text = decode(path, data)
    refuse_markers(path, text)
    return safe(text)


def _agreed(dmm: Dmm, path: str) -> str | None:
    """Return the text that counts of a file whose change is held back; None where none is."""
    change = next((one for one in dmm.consents.changes() if one.path == path), None)
    if change is None:
        return None
    if change.before is None:
        hint = "the user can review and approve it: dmm trust"
        raise NotTrusted("this file is held back", where=path, hint=hint)
    return _whole(path, change.before)
