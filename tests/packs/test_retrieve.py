"""Retrieval as one step: order, limits, and what is said of each candidate."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest
from tests.packs.conftest import towards

from dmm.config import RetrievalConfig
from dmm.domain.pack import QueryRequest
from dmm.domain.receipt_payload import MOST_EXCLUDED
from dmm.packs.retrieve import retrieve, weigh_words

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from tests.packs.conftest import ComparisonSet

    from dmm.packs.retrieve import Retrieval

DAY = dt.date(2026, 1, 31)


def retrieved(
    corpus: ComparisonSet,
    request: QueryRequest,
    vector: NDArray[np.float32] | None = None,
    settings: RetrievalConfig | None = None,
) -> Retrieval:
    snapshot = corpus.snapshot(vectors=vector is not None)
    known = {"sessions", "where", "rows"}
    return retrieve(
        snapshot, request, vector, DAY, settings or RetrievalConfig(), known.__contains__
    )


def test_equals_stand_in_the_order_of_their_paths(corpus: ComparisonSet) -> None:
    for name in ("c", "a", "d", "b"):
        corpus.add(f"project/{name}.md", "sessions")
    found = retrieved(corpus, QueryRequest("sessions"))
    assert [one.path for one in found.ranked] == [f"project/{name}.md" for name in "abcd"]


def test_the_best_candidates_are_taken_and_the_best_others_named(corpus: ComparisonSet) -> None:
    for number in range(2 + MOST_EXCLUDED + 3):
        corpus.add(f"project/{number:02}.md", "sessions", priority=number / 25)
    settings = RetrievalConfig(max_candidates=2)
    found = retrieved(corpus, QueryRequest("sessions"), settings=settings)
    names = [f"project/{number:02}.md" for number in reversed(range(2 + MOST_EXCLUDED + 3))]
    assert [one.path for one in found.ranked] == names[:2]
    assert [one.path for one in found.others] == names[2:-3]
    assert found.considered == len(names)
    told = retrieved(corpus, QueryRequest("sessions", explain=True), settings=settings)
    assert [one.path for one in told.ranked] == [one.path for one in found.ranked]
    assert (found.ranked[0].parts, set(told.ranked[0].parts) > {"evidence", "claims"}) == ({}, True)
    assert [one.path for one in told.others] == names[2:]


def test_each_candidate_says_how_it_was_found(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    corpus.add("project/talk/1.md", "other", length=10)
    corpus.add("project/talk/2.md", "sessions", near=0.9, length=10)
    corpus.add("project/near.md", "other", near=0.8)
    corpus.add("project/word.md", "sessions")
    corpus.add("project/name.md", "other", title="Ledger of lamps")
    request = QueryRequest("sessions in the ledger of lamps", explain=True)
    found = retrieved(corpus, request, query_vector)
    lanes = {one.path: one.lanes for one in (*found.ranked, *found.others)}
    assert lanes == {
        "project/talk/1.md": ("neighbours",),
        "project/talk/2.md": ("similarity", "keywords"),
        "project/near.md": ("similarity",),
        "project/word.md": ("keywords",),
        "project/name.md": ("name",),
    }


def test_one_slip_in_a_name_is_forgiven_but_not_in_a_common_word(corpus: ComparisonSet) -> None:
    corpus.add("project/a.md", "other", title="Ledger")
    corpus.add("project/b.md", "sessions", title="Rowst")
    named = {one.path for one in retrieved(corpus, QueryRequest("where is the legder")).ranked}
    assert named == {"project/a.md"}
    assert retrieved(corpus, QueryRequest("where are rows")).ranked == []


def test_an_empty_index_gives_nothing(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    found = retrieved(corpus, QueryRequest("sessions", explain=True), query_vector)
    assert (found.ranked, found.others, found.directories, found.considered) == ([], [], (), 0)


def test_flags_narrow_what_may_be_found(
    corpus: ComparisonSet, query_vector: NDArray[np.float32]
) -> None:
    for name in "abc":
        corpus.add(f"project/{name}.md", "sessions", near=0.9)
    request, settings = QueryRequest("sessions"), RetrievalConfig()
    snapshot = corpus.snapshot(vectors=True)
    only = [False, True, False]
    narrowed = retrieve(snapshot, request, query_vector, DAY, settings, str.isalpha, only)
    assert [one.path for one in narrowed.ranked] == ["project/b.md"]
    whole = retrieve(snapshot, request, query_vector, DAY, settings, str.isalpha)
    assert (
        retrieve(snapshot, request, query_vector, DAY, settings, str.isalpha, [True] * 3) == whole
    )


def test_few_common_words_prove_little_and_a_rare_one_or_an_identifier_much() -> None:
    common = {"fix", "commit", "changes", "deploy", "staging", "server"}.__contains__
    said = {
        "x": 2 / 3,
        "fix it": 1 / 3,
        "commit my changes": 2 / 3,
        "deploy the staging server": 1.0,
        "fix zod": 1.0,
        "fix src/a.py": 1.0,
        "": 0.0,
    }
    assert {query: weigh_words(query, common) for query in said} == pytest.approx(said)


def test_a_word_that_no_memory_has_adds_nothing_to_what_the_others_prove() -> None:
    common = {"deploy", "staging", "server"}.__contains__
    assert weigh_words("deploy zod", common) == 1.0
    assert weigh_words("deploy zod", common, {"zod"}) == pytest.approx(1 / 3)
    assert weigh_words("deploy zod to the staging server", common, {"zod"}) == 1.0
    assert weigh_words("deploy src/a.py", common, {"deploy"}) == 1.0


def test_what_is_no_nearer_to_a_task_than_the_ground_rules_is_not_served(
    corpus: ComparisonSet,
) -> None:
    corpus.add("project/near.md", "kilns", near=0.8)
    corpus.add("project/close.md", "clay", near=0.55)
    corpus.add("project/ovens.md", "bread", near=0.5, title="Ovens of the bakery")
    corpus.add("project/loose.md", "lamps", near=0.5)
    request = QueryRequest("where do kilns stand")
    assert len(retrieved(corpus, request, towards(1.0)).ranked) == 4
    corpus.add("baseline/rules.md", "ground rules", near=0.6)
    found = retrieved(corpus, request, towards(1.0))
    # The best two stay: a rule about the very subject must not push them out.
    assert [one.path for one in found.ranked] == ["project/near.md", "project/close.md"]
    # What a task calls by its name is wanted, whatever else is near.
    found = retrieved(corpus, QueryRequest("show me Ovens of the bakery"), towards(1.0))
    assert "project/ovens.md" in [one.path for one in found.ranked]


def test_what_a_vague_request_finds_by_a_word_alone_is_not_served(corpus: ComparisonSet) -> None:
    corpus.add("project/a.md", "fix the lamp", near=0.1)
    corpus.add("project/b.md", "something else", near=0.05)
    snapshot = corpus.snapshot(vectors=True)
    settings = RetrievalConfig()

    def paths(*, common: bool, precise: bool = False) -> list[str]:
        request = QueryRequest("fix it", precise=precise)
        given = (snapshot, request, towards(1.0), DAY, settings, str.isalpha)
        found = retrieve(*given, is_common=str.isalpha if common else None)
        return [one.path for one in found.ranked]

    assert "project/a.md" in paths(common=False)
    assert paths(common=True) == []
    assert paths(common=True, precise=True) == []
