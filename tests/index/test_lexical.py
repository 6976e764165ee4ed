"""Keyword search: the arrays give the same scores as BM25 written out."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.index import lexical
from dmm.index.lexical import LexicalIndex, hash_term, pack_terms
from dmm.index.records import Terms

WORDS = ["retry", "http", "index", "lock", "token", "budget", "größe", "parse_config"]
documents = st.dictionaries(st.sampled_from(WORDS), st.integers(1, 9).map(float), max_size=6)
queries = st.dictionaries(
    st.sampled_from([*WORDS, "unknown"]), st.sampled_from([0.5, 1.0, 2.0]), max_size=5
)


def written_out(
    corpus: list[dict[str, float]], query: dict[str, float]
) -> tuple[list[float], list[float], set[str]]:
    """BM25 as in the textbook, divided by the sum of the query's rarities."""
    size = len(corpus)
    mean = sum(sum(document.values()) for document in corpus) / size if size else 1.0
    rarity = {}
    for term, weight in query.items():
        containing = sum(term in document for document in corpus)
        rarity[term] = weight * math.log(1 + (size - containing + 0.5) / (containing + 0.5))
    total = sum(rarity.values())
    scores, covered = [], []
    for document in corpus:
        length = sum(document.values())
        norm = lexical.K1 * (1 - lexical.B + lexical.B * length / (mean or 1.0))
        parts = [
            rarity[term] * (lexical.K1 + 1) * document[term] / (document[term] + norm)
            for term in query
            if term in document
        ]
        scores.append(sum(parts) / total if total else 0.0)
        held = sum(rarity[term] for term in query if term in document)
        covered.append(held / total if total else 0.0)
    unknown = {term for term in query if not any(term in d for d in corpus)}
    return scores, covered, unknown


@given(st.lists(documents, max_size=8), queries)
def test_scores_are_those_of_bm25_written_out(
    corpus: list[dict[str, float]], query: dict[str, float]
) -> None:
    found = LexicalIndex([pack_terms(document) for document in corpus]).score(query)
    scores, covered, unknown = written_out(corpus, query)
    assert found.bm25.tolist() == pytest.approx(scores, abs=1e-4)
    assert found.coverage.tolist() == pytest.approx(covered, abs=1e-5)
    assert found.unknown == unknown


def test_a_hash_is_the_same_on_every_machine() -> None:
    assert (hash_term("retry"), hash_term("größe")) == (786452963, 1540598153)


def test_stored_terms_are_hashed_in_ascending_order_with_their_weights() -> None:
    terms = pack_terms({"retry": 3.0, "http": 1.0, "index": 2.0})
    hashes = np.frombuffer(terms.hashes, np.uint32)
    weights = np.frombuffer(terms.weights, np.float16)
    by_hash = {hash_term("retry"): 3.0, hash_term("http"): 1.0, hash_term("index"): 2.0}
    assert hashes.tolist() == sorted(by_hash)
    assert weights.tolist() == [by_hash[value] for value in sorted(by_hash)]
    assert terms.length == 6.0


def test_a_memory_without_terms_and_an_index_without_memories_score_nothing() -> None:
    assert pack_terms({}) == Terms(b"", b"", 0.0)
    assert LexicalIndex([pack_terms({})]).score({"retry": 1.0}).bm25.tolist() == [0.0]
    empty = LexicalIndex([]).score({"retry": 1.0})
    assert (len(empty.bm25), empty.unknown) == (0, frozenset({"retry"}))
    assert LexicalIndex([]).score({}).unknown == set()
