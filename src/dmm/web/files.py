"""The files of the page, listed once; a request is looked up in the list, never on the disk."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

# What is built from the sources of the page, and the small page that is written by hand.
FOLDERS = ("static", "confirm")
FIRST = "index.html"
KINDS = {
    "html": "text/html; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "svg": "image/svg+xml",
    "png": "image/png",
    "ico": "image/vnd.microsoft.icon",
    "txt": "text/plain; charset=utf-8",
}
OTHER = "application/octet-stream"


@dataclass(frozen=True, slots=True)
class PageFile:
    """One file of the page."""

    body: bytes
    kind: str
    tag: str


def load_files() -> Mapping[str, PageFile]:
    """Return the files by the path of their address; `/` is the first of them."""
    folders = [resources.files(__package__).joinpath(name) for name in FOLDERS]
    found = {f"/{one.name}": _read(one) for folder in folders for one in folder.iterdir()}
    return found | {"/": found[f"/{FIRST}"]}


def _read(file: Traversable) -> PageFile:
    body = file.read_bytes()
    kind = KINDS.get(file.name.rpartition(".")[2], OTHER)
    return PageFile(body, kind, f'"{hashlib.sha256(body).hexdigest()[:32]}"')
