"""The repository that questions look into: kept current, and never in the way."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, cast

import pytest

from dmm.ask import code
from dmm.ask.code import BATCH, LOCK, Repository
from dmm.bootstrap import open_dmm
from dmm.domain.plain import to_plain
from dmm.errors import ModelUnavailable
from dmm.files.lock import exclusive

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from tests.conftest import Project

    from dmm.embed.model import Embedder, Vectors

CODE = """class Cart:
    def total(self):
        return 1


def total():
    return Cart().total()
"""


@pytest.fixture
def shop(project: Project) -> Iterator[Repository]:
    (project.folder / "shop").mkdir()
    (project.folder / "shop" / "cart.py").write_text(CODE)
    (project.folder / "pay.py").write_text("from shop.cart import Cart\n")
    opened = Repository(project.folder, project.dmm / "index" / "repo.db")
    yield opened
    opened.close()


def test_it_follows_the_files(shop: Repository, project: Project) -> None:
    assert shop.files() == []
    shop.refresh()
    assert [one.path for one in shop.files()] == ["pay.py", "shop/cart.py"]
    (project.folder / "pay.py").unlink()
    shop.refresh()
    assert [one.path for one in shop.files()] == ["shop/cart.py"]
    assert shop.notices == {}


def test_names_lead_to_their_definitions(shop: Repository) -> None:
    shop.refresh()

    def places(name: str) -> list[str]:
        return [one.id for one in shop.locate(name)]

    assert places("total") == ["shop/cart.py:2-3", "shop/cart.py:6-7"]
    assert places("Cart.total") == ["shop/cart.py:2-3"]
    assert places("shop.cart.total") == ["shop/cart.py:2-3", "shop/cart.py:6-7"]
    assert places("Basket.total") == []
    assert shop.count_users("shop/cart.py") == 1
    assert shop.read("nowhere.py") == []
    assert shop.search(" ", 5) == []


def test_while_another_process_indexes_what_is_known_is_served(
    shop: Repository, project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.refresh()
    monkeypatch.setattr(code, "PATIENCE", 0.05)
    (project.folder / "new.py").write_text("x = 1\n")
    with exclusive(project.dmm / "index" / LOCK, what="busy", patience=1):
        shop.refresh()
    assert shop.notices == {"repository": "another process is indexing the repository"}
    assert [one.path for one in shop.files()] == ["pay.py", "shop/cart.py"]


def test_an_index_that_leads_elsewhere_is_not_written(
    shop: Repository, project: Project, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (project.dmm / "index").symlink_to(elsewhere)
    shop.refresh()
    assert "held in memory only" in shop.notices["store"]
    assert [one.path for one in shop.files()] == ["pay.py", "shop/cart.py"]
    assert list(elsewhere.iterdir()) == []


def test_a_damaged_index_is_built_anew(shop: Repository, project: Project) -> None:
    shop.refresh()
    shop.close()
    (project.dmm / "index" / "repo.db").write_bytes(b"no database" * 1_000)
    shop.refresh()
    assert [one.path for one in shop.files()] == ["pay.py", "shop/cart.py"]


def test_the_home_of_a_user_is_no_repository(home: Path, model: Embedder) -> None:
    (home / ".dmm" / "memory").mkdir(parents=True)
    (home / "private.py").write_text("x = 1\n")
    dmm = open_dmm(override=home, home=home, load_model=lambda: model)
    told = to_plain(dmm.asking.ask("where do I start?"))
    dmm.close()
    assert told["repo_context"] == []
    notice = "there is no repository around this memory"
    assert notice in told["layer1_search"]["notices"]
    assert "private.py" not in json.dumps(told)


def test_a_passage_is_read_by_the_model_once_until_memory_is_released(
    shop: Repository, model: Embedder
) -> None:
    assert shop.embed(CODE) is None
    shop.find_embedder = lambda: model
    first = shop.embed(CODE)
    assert first is not None
    assert first.tolist() == model.embed_query(CODE).tolist()
    assert shop.embed(CODE) is first
    shop.release()
    assert shop.embed(CODE) is not first


def test_files_are_as_near_as_what_they_are_about(shop: Repository, model: Embedder) -> None:
    shop.refresh()
    paths = {"shop/cart.py", "pay.py"}
    assert shop.liken("what does it cost", paths) == {}
    shop.find_embedder = lambda: model
    assert shop.liken("what does it cost", paths) == {}
    shop.refresh()
    # The other file defines nothing.
    assert shop.liken("what does it cost", paths).keys() == {"shop/cart.py"}
    shop.close()
    assert shop.liken("what does it cost", paths) == {}


class Broken:
    """A model that can't be run."""

    identity = "broken"

    def embed_query(self, _: str) -> Vectors:
        raise ModelUnavailable("the model failed to run")

    def embed_texts(self, _: Sequence[str]) -> Vectors:
        raise ModelUnavailable("the model failed to run")


def test_a_model_that_fails_leaves_the_words(shop: Repository) -> None:
    shop.find_embedder = cast("Callable[[], Embedder]", Broken)
    shop.refresh()
    assert list(shop.notices) == ["model"]
    assert [one.path for one in shop.search("total of the cart", 1)] == ["shop/cart.py"]


def test_what_is_held_in_memory_only_gets_no_vectors(project: Project, model: Embedder) -> None:
    (project.folder / "pay.py").write_text(CODE)
    (project.dmm / "index").write_text("no folder")
    shop = Repository(project.folder, project.dmm / "index" / "repo.db", lambda: model)
    steps: list[int] = []
    shop.refresh(lambda done, _: steps.append(done))
    assert list(shop.notices) == ["store"]
    assert shop.liken("what does it cost", {"pay.py"}) == {}
    assert steps == [1]
    shop.close()


def test_a_question_makes_some_of_many_vectors_and_the_next_one_goes_on(
    project: Project, model: Embedder
) -> None:
    for at in range(BATCH + 1):
        (project.folder / f"berth{at:03}.py").write_text(f"def tide_{at}():\n    return {at}\n")
    port = Repository(
        project.folder, project.dmm / "index" / "repo.db", lambda: model, most_seconds=0
    )
    port.refresh()
    said = "1 of 201 files are found by their words only; the next question reads more of them"
    assert port.notices == {"vectors": said}
    last = f"berth{BATCH:03}.py"
    assert port.liken("tide", {last, "berth000.py"}).keys() == {"berth000.py"}
    port.refresh()
    assert port.notices == {}
    assert port.liken("tide", {last}).keys() == {last}
    port.close()


def test_the_making_of_vectors_shows_its_progress(shop: Repository, model: Embedder) -> None:
    shop.find_embedder = lambda: model
    steps: list[tuple[int, int]] = []
    for _ in range(2):
        shop.refresh(lambda done, total: steps.append((done, total)))
    assert (1, 1) in steps
