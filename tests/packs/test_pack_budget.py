"""The promises of a pack for any corpus and any budget: room, monotony, exact counts."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.examples import many

from dmm.bootstrap import open_dmm
from dmm.domain.pack import QueryRequest
from dmm.packs.render import render_entry, render_pack

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.conftest import HashEmbedder, MemoryText

    from dmm.domain.pack import Pack

WORDS = ["session", "retry", "`call()`", "änderung", "日本語", "(see", "naïve)", "-", "*", "x = 1;"]
WORDS += ["'s", "\u200b", "1234567", "🙂", "\u202e", "...", "\t", "\n", "\n\n", "# head", "> quote"]
LINES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=60).map(" ".join)
SCOPES = ["global", "agent", "project", "ephemeral"]
NOTES = st.lists(
    st.tuples(st.sampled_from(SCOPES), LINES, st.booleans(), st.booleans()), max_size=9
)
BUDGETS = st.lists(st.integers(0, 900), min_size=2, max_size=5).map(sorted)


def write_notes(
    folder: Path, notes: Sequence[tuple[str, str, bool, bool]], memory_text: MemoryText
) -> None:
    memory = folder / ".dmm" / "memory"
    (memory / "baseline").mkdir(parents=True)
    (memory / "baseline" / "identity.md").write_text(memory_text("We", "Us.", scope="baseline"))
    for number, (scope, body, cited, deprecated) in enumerate(notes):
        fields = {"scope": scope, "id": f"mem_2026_03_03_{number:03d}"}
        fields |= {"cites": "[{path: gone/away.py, symbol: f}]"} if cited else {}
        fields |= {"status": "deprecated"} if deprecated else {}
        file = memory / scope / f"note_{number}.md"
        file.parent.mkdir(exist_ok=True)
        file.write_text(memory_text(f"Session {number}", body, **fields))


def check_counts(pack: Pack, count: Callable[[str], int]) -> None:
    for entry in (*pack.baseline_entries, *pack.retrieved_entries):
        assert entry.token_count == count(entry.content)
        assert entry.token_count + entry.heading_tokens == count(render_entry(entry))
    section = "".join(map(render_entry, pack.retrieved_entries))
    used = sum(entry.token_count + entry.heading_tokens for entry in pack.retrieved_entries)
    assert count(section) == used
    assert used <= max(0, pack.budget - pack.baseline_tokens)
    assert used <= pack.retrieved_tokens + pack.heading_tokens


@settings(max_examples=many(40))
@given(notes=NOTES, budgets=BUDGETS)
def test_no_corpus_and_no_budget_breaks_a_promise(
    notes: list[tuple[str, str, bool, bool]],
    budgets: list[int],
    memory_text: MemoryText,
    count: Callable[[str], int],
    new_embedder: Callable[[], HashEmbedder],
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name) / "project"
        write_notes(folder, notes, memory_text)
        dmm = open_dmm(override=folder, home=Path(name), load_model=new_embedder)
        smaller: set[str] = set()
        for budget in (*budgets, 100_000):
            request = QueryRequest("session retry call", budget, include_deprecated=True)
            pack = dmm.packs.query(request).pack
            check_counts(pack, count)
            included = {entry.path for entry in pack.retrieved_entries}
            assert smaller <= included
            smaller = included
            assert render_pack(pack) == render_pack(dmm.packs.query(request).pack)
        dmm.indexes.close()
