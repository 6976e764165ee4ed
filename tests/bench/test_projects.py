"""The projects that retrieval is measured on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench import projects
from bench.corpora import Text
from dmm.domain.pack import QueryRequest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import HashEmbedder


def test_what_a_project_is_filled_with_is_served(new_embedder: Callable[[], HashEmbedder]) -> None:
    text = Text(id="a", directory="notes", name="a", body="We wait.", title="Retry policy")
    with projects.open_project(new_embedder) as dmm:
        memory = projects.record(text, count=projects.counter())
        projects.fill(dmm, [memory], new_embedder())
        pack = dmm.packs.query(QueryRequest("our retry policy"), refresh=False).pack
    assert [entry.path for entry in pack.retrieved_entries] == [memory.path]
