"""Files as vectors: found by a question that shares no word with them."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from dmm.repo.index import RepoIndex
from dmm.repo.meanings import describe, split_name
from dmm.repo.ranking import merge
from dmm.repo.records import Kind, Symbol

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.repo.conftest import Repository

    from dmm.embed.model import Embedder

LATER = 4_000_000_000_000_000_000
PAPERS = """\"\"\"Papers.\"\"\"


def move_to_bin(paper):
    paper.hidden = True
    paper.hidden_by = paper.owner
    paper.save()
"""
OTHER_WORDS = "a customer throws a document into the trash"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "index" / "repo.db"


@pytest.fixture
def index(shop: Repository, store: Path) -> Iterator[RepoIndex]:
    shop.write("shop/papers.py", PAPERS)
    shop.commit("Begin papers")
    with RepoIndex.open(shop.folder, store) as opened:
        opened.sync(now_ns=LATER)
        yield opened


def paths(index: RepoIndex, model: Embedder | None = None) -> list[str]:
    vector = None if model is None else model.embed_query(OTHER_WORDS)
    return [one.path for one in index.search(OTHER_WORDS, vector=vector)]


def test_a_file_says_its_place_the_names_it_defines_and_their_comments() -> None:
    lines = ["# Round an amount.", "def roundPrice(amount):", *["    pass"] * 3, "CENTS = 100"]
    symbols = [Symbol("roundPrice", "function", 2, 5), Symbol("CENTS", "constant", 6, 6)]
    said = describe("src/shop/money_rules.py", lines, symbols)
    assert said == "shop money rules. round Price. Round an amount."


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("HTTPServer", "HTTP Server"),
        ("HTTP2Server", "HTTP 2 Server"),
        ("UTF8", "UTF 8"),
        ("ÉtatCivil", "État Civil"),
        ("to_plain2", "to plain2"),
        ("größe", "größe"),
        ("", ""),
    ],
)
def test_a_name_is_cut_into_words(name: str, words: str) -> None:
    assert split_name(name) == words


def test_what_is_far_up_in_two_orders_comes_first() -> None:
    assert merge([1, 2, 3], [3, 2, 4]) == [3, 2, 1, 4]
    assert merge([1, 2]) == [1, 2]


def embed_all(index: RepoIndex, model: Embedder) -> int:
    """Make the vectors that are missing, and tell how many that were."""
    lacking = index.find_lacking(model)
    index.embed(lacking, model)
    return len(lacking)


def test_a_question_finds_code_that_says_it_in_other_words(
    index: RepoIndex, model: Embedder
) -> None:
    assert "shop/papers.py" not in paths(index)
    assert embed_all(index, model) == 4
    assert "shop/papers.py" in paths(index, model)
    asked = model.embed_query(OTHER_WORDS)
    near = index.liken(asked, {"shop/papers.py", "shop/cart.py", "README.md"})
    # Documents and tests are looked for by their words.
    assert max(near, key=near.__getitem__) == "shop/papers.py"
    assert near.keys() == {"shop/papers.py", "shop/cart.py"}


def test_a_file_found_by_its_meaning_shows_what_it_defines(
    index: RepoIndex, model: Embedder
) -> None:
    embed_all(index, model)
    found = index.search(OTHER_WORDS, vector=model.embed_query(OTHER_WORDS))
    told = next(one for one in found if one.path == "shop/papers.py")
    assert (told.symbol, told.start) == ("move_to_bin", 4)


def test_words_that_no_file_has_find_nothing(index: RepoIndex, model: Embedder) -> None:
    embed_all(index, model)
    assert index.search("zzyzx", vector=model.embed_query("zzyzx")) == []


def test_documents_are_found_by_their_words_alone(index: RepoIndex, model: Embedder) -> None:
    words = "invoices of a cart in the shop"
    before = index.search(words, kinds=(Kind.DOCUMENT,))
    assert [one.path for one in before] == ["README.md"]
    embed_all(index, model)
    vector = model.embed_query(words)
    assert index.search(words, kinds=(Kind.DOCUMENT,), vector=vector) == before


def test_without_vectors_a_search_goes_by_words_alone(index: RepoIndex, model: Embedder) -> None:
    assert paths(index, model) == paths(index)
    assert index.liken(model.embed_query(OTHER_WORDS), {"shop/papers.py"}) == {}


def test_vectors_are_made_once_and_again_for_what_changed(
    index: RepoIndex, model: Embedder, shop: Repository
) -> None:
    assert [embed_all(index, model), embed_all(index, model)] == [4, 0]
    shop.write("shop/papers.py", PAPERS.replace("paper", "letter"))
    assert embed_all(index, model) == 0
    index.sync(now_ns=LATER)
    assert embed_all(index, model) == 1


def test_a_file_that_changes_meanwhile_is_read_with_the_next_question(
    index: RepoIndex, model: Embedder, shop: Repository
) -> None:
    shop.write("shop/papers.py", PAPERS.replace("paper", "letter"))
    assert [embed_all(index, model), embed_all(index, model)] == [4, 1]
    assert index.liken(model.embed_query("x"), {"shop/papers.py"}) == {}


def test_what_another_process_has_dropped_meanwhile_gets_no_vector(
    index: RepoIndex, model: Embedder, shop: Repository, store: Path
) -> None:
    lacking = index.find_lacking(model)
    (shop.folder / "shop" / "papers.py").unlink()
    with RepoIndex.open(shop.folder, store) as other:
        other.sync(now_ns=LATER)
    index.embed(lacking, model)
    assert index.liken(model.embed_query("x"), {"shop/papers.py"}) == {}


def test_vectors_of_another_model_do_not_count(
    index: RepoIndex,
    model: Embedder,
    shop: Repository,
    store: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    embed_all(index, model)
    with RepoIndex.open(shop.folder, store) as other:
        assert paths(other, model) == paths(other)
        monkeypatch.setattr(model, "identity", "another")
        assert embed_all(other, model) == 4
    monkeypatch.undo()
    assert index.liken(model.embed_query("x"), {"shop/papers.py"}) == {}


def test_damaged_vectors_are_made_again(index: RepoIndex, model: Embedder, store: Path) -> None:
    embed_all(index, model)
    with closing(sqlite3.connect(store)) as database, database:
        database.execute("UPDATE meanings SET vector = zeroblob(100)")
        database.execute("UPDATE meta SET value = value + 1 WHERE key = 'generation'")
    assert "shop/papers.py" not in paths(index, model)
    assert embed_all(index, model) == 4
    assert "shop/papers.py" in paths(index, model)
