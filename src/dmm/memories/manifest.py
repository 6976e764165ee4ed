"""The manifest: a map of the memory, written beside the index."""

from __future__ import annotations

import json
from itertools import groupby
from typing import TYPE_CHECKING

from dmm.domain.memory import Scope
from dmm.files.durable import translated, write_atomic
from dmm.private import make_private_folder
from dmm.reading import read_regular
from dmm.storage import sqlite

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from dmm.files.roots import Root
    from dmm.index.records import IndexedMemory
    from dmm.index.store import IndexStore

VERSION = 1


def write_manifest(root: Root, store: IndexStore) -> None:
    """Write the map of what the index holds, if it differs from the one on disk.

    An index that lives in memory or can't be written has no map beside it.
    """
    if not store.writable or store.where == sqlite.MEMORY:
        return
    text = json.dumps(describe(store), ensure_ascii=False, indent=2) + "\n"
    data = text.encode("utf-8", "replace")
    path = root.manifest
    with translated(path.parent, "make the index folder"):
        make_private_folder(path.parent)
    if not _is_written(path, data):
        write_atomic(path, data, durable=False, private=True)


def _is_written(path: Path, data: bytes) -> bool:
    """Return whether a file holds that very content; only a regular file can."""
    try:
        return read_regular(path, len(data))[0] == data
    except OSError:
        return False


def describe(store: IndexStore) -> object:
    """Describe the memory as plain data; the same files always give the same description."""
    memories = sorted(store.outlines(), key=lambda memory: (memory.directory, memory.path))
    described = {directory.path: directory.description for directory in store.directories()}
    members = {path: list(own) for path, own in groupby(memories, lambda memory: memory.directory)}
    in_force = [memory for memory in memories if memory.in_force]
    by_scope = {scope: [m for m in in_force if m.scope is scope] for scope in Scope}
    return {
        "version": VERSION,
        "totals": {
            **_sum(memories),
            "scopes": {scope.value: _sum(own) for scope, own in by_scope.items()},
            "deprecated": _sum([m for m in memories if not m.in_force]),
        },
        "baseline_tokens": _sum(by_scope[Scope.BASELINE])["tokens"],
        "directories": [
            _directory(path, described.get(path, ""), members.get(path, []))
            for path in sorted(described.keys() | members.keys())
        ],
    }


def _sum(memories: Sequence[IndexedMemory]) -> dict[str, int]:
    return {"count": len(memories), "tokens": sum(memory.token_count for memory in memories)}


def _directory(path: str, description: str, memories: Sequence[IndexedMemory]) -> object:
    return {
        "path": path,
        "description": description,
        **_sum(memories),
        "memories": [
            {
                "path": memory.path,
                "id": memory.id,
                "title": memory.title,
                "tags": list(memory.tags),
                "scope": memory.scope.value,
                "tokens": memory.token_count,
                "in_force": memory.in_force,
            }
            | ({"paths": list(memory.paths)} if memory.paths else {})
            for memory in memories
        ],
    }
