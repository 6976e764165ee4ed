"""All memories at once: the index and the map brought up to the files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from dmm.errors import IndexBusy
from dmm.files.lock import exclusive

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import HashEmbedder, MemoryText, Opener, Project


def test_reindexing_brings_the_index_and_the_manifest_up_to_the_files(
    project: Project,
    memory_text: MemoryText,
    open_project: Opener,
    new_embedder: Callable[[], HashEmbedder],
) -> None:
    project.write("project/a.md", memory_text("First", "Text."))
    steps: list[tuple[int, int]] = []
    memories = open_project(project, new_embedder).memories
    first = memories.reindex(progress=lambda done, of: steps.append((done, of)))
    assert (first.total, first.indexed, steps) == (1, 1, [(1, 1)])
    manifest = project.dmm / "index" / "manifest.json"
    assert "First" in manifest.read_text()
    project.write("project/a.md", memory_text("Second", "Text."))
    memories.reindex()
    assert "Second" in manifest.read_text()
    assert json.loads(manifest.read_text())


def test_a_full_run_reads_and_embeds_everything_again(
    project: Project,
    memory_text: MemoryText,
    open_project: Opener,
    new_embedder: Callable[[], HashEmbedder],
) -> None:
    for number in range(3):
        text = memory_text(f"Note {number}", "Text.", id=f"mem_2026_02_01_00{number}")
        project.write(f"project/{number}.md", text)
    embedder = new_embedder()
    memories = open_project(project, lambda: embedder).memories
    memories.reindex()
    assert memories.reindex(full=True).indexed == 3
    assert embedder.windows == 6


def test_reindexing_while_another_process_does_is_refused(
    project: Project, open_project: Opener, new_embedder: Callable[[], HashEmbedder]
) -> None:
    memories = open_project(project, new_embedder).memories
    memories.reindex()
    with (
        exclusive(project.index.with_name("index.lock"), what="busy"),
        pytest.raises(IndexBusy, match="another process is indexing"),
    ):
        memories.reindex()
