"""What a user of repository knowledge sees: finding places, keeping up, fixing itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench.commits import CommitTree
from dmm.errors import StorageError
from dmm.repo import study
from dmm.repo.index import RepoIndex
from dmm.repo.parsing import Parsing
from dmm.repo.records import Entry, Kind, Neighbour, RepoFile, RepoReport, Symbol

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.repo.conftest import Repository

LATER = 4_000_000_000_000_000_000


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "index" / "repo.db"


@pytest.fixture
def index(shop: Repository, store: Path) -> Iterator[RepoIndex]:
    with RepoIndex.open(shop.folder, store) as opened:
        opened.sync(now_ns=LATER)
        yield opened


def test_a_run_tells_what_it_did(shop: Repository, store: Path) -> None:
    shop.write("logo.png", "\0\0\0")
    with RepoIndex.open(shop.folder, store) as index:
        assert index.sync(now_ns=LATER) == RepoReport(files=7, indexed=6, skipped=1, commits=1)
        assert index.sync(now_ns=LATER) == RepoReport(files=7)


def test_the_place_that_a_question_is_about_comes_first(index: RepoIndex) -> None:
    first = index.search("Where are prices rounded to cents?")[0]
    assert (first.path, first.start, first.end) == ("shop/money.py", 6, 8)
    assert first.symbol == "round_price"
    assert first.kind is Kind.SOURCE
    assert set(first.parts) == {"chunks", "names", "mention", "imported", "history"}


def test_a_method_is_named_with_its_class(index: RepoIndex) -> None:
    found = index.search("total sum of line prices")
    assert next(one.symbol for one in found if one.path == "shop/cart.py") == "Cart.total"


def test_the_same_question_gets_the_same_answer(shop: Repository, index: RepoIndex) -> None:
    with RepoIndex.open(shop.folder, None) as other:
        other.sync(now_ns=LATER)
        assert other.search("cart invoices") == index.search("cart invoices")


def test_a_file_named_in_a_stack_trace_is_found(index: RepoIndex) -> None:
    trace = 'It fails\n  File "/usr/lib/site-packages/shop/mail.py", line 5, in f\nKeyError'
    found = index.search(trace)[0]
    assert (found.path, found.parts["mention"]) == ("shop/mail.py", 1.0)


def test_a_search_can_be_kept_to_a_folder_and_to_kinds(index: RepoIndex) -> None:
    under = index.search("cart", under="tests/")
    assert [one.path for one in under] == ["tests/test_cart.py"]
    documents = index.search("cart", kinds={Kind.DOCUMENT})
    assert [one.path for one in documents] == ["README.md"]


def test_tests_come_after_what_they_test_unless_they_are_asked_for(index: RepoIndex) -> None:
    paths = [one.path for one in index.search("total of the cart")]
    assert paths.index("shop/cart.py") < paths.index("tests/test_cart.py")
    assert index.search("test for the empty cart total")[0].path == "tests/test_cart.py"


def test_a_question_without_any_known_word_finds_nothing(index: RepoIndex) -> None:
    assert index.search("zzz qqq") == []
    assert index.search("") == []


def test_an_empty_folder_has_no_answers(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with RepoIndex.open(tmp_path / "empty", None) as index:
        assert index.sync() == RepoReport()
        assert index.search("anything") == []


def test_a_name_in_one_word_is_found_by_two(repository: Repository, store: Path) -> None:
    repository.write("web/halt.py", "def on_shutdown() -> None:\n    flush()\n")
    repository.write("web/step.py", "def go_down(step: int) -> int:\n    return step\n")
    repository.commit("web")
    with RepoIndex.open(repository.folder, store) as index:
        index.sync(now_ns=LATER)
        assert index.search("what happens on shut down")[0].path == "web/halt.py"


def test_symbols_are_found_by_their_names(index: RepoIndex) -> None:
    assert index.symbols("round_price") == [
        Symbol("round_price", "function", 6, 8, "shop/money.py")
    ]
    assert [one.name for one in index.symbols_in("shop/cart.py")] == ["Cart", "__init__", "total"]


def test_files_are_listed_with_what_they_are_for(index: RepoIndex) -> None:
    found = index.files()
    assert found[0] == RepoFile("README.md", Kind.DOCUMENT, None, 3)
    assert found[-1] == RepoFile("tests/test_cart.py", Kind.TEST, "python", 5)


def test_evidence_can_be_read_as_long_as_it_stands(shop: Repository, index: RepoIndex) -> None:
    first = index.search("send an invoice")[0]
    assert index.excerpt(first) == 'def send_invoice(customer):\n    return f"Dear {customer}"'
    shop.write("shop/mail.py", "other\n")
    assert index.excerpt(first) is None


def test_only_paths_are_ranked_where_lines_are_not_wanted(index: RepoIndex) -> None:
    ranked = index.rank("round to cents")
    assert ranked == [one.path for one in index.search("round to cents", limit=100)]


def test_a_long_definition_is_shown_where_it_bears_on_the_question(shop: Repository) -> None:
    body = "".join(f"    step_{number} = {number}\n" for number in range(100))
    shop.write("shop/long.py", f"def long():\n{body}    walrus = 1\n{body}")
    with RepoIndex.open(shop.folder, None) as index:
        index.sync(now_ns=LATER)
        (found,) = index.search("walrus")
        assert (found.symbol, found.start <= 102 <= found.end) == ("long", True)
        assert found.end - found.start + 1 == 24


def test_neighbours_are_imports_both_ways_and_files_changed_together(
    shop: Repository, store: Path
) -> None:
    for number in range(2):
        shop.write("shop/money.py", f"from .cart import Cart\nCENTS = {number}\n")
        shop.write("shop/mail.py", f"LETTERS = {number}\n")
        shop.commit(f"Change {number}")
    with RepoIndex.open(shop.folder, store) as index:
        index.sync(now_ns=LATER)
        assert index.neighbours("shop/cart.py") == [
            Neighbour("shop/money.py", "imported by", 1.0),
            Neighbour("tests/test_cart.py", "imported by", 1.0),
            Neighbour("shop/money.py", "imports", 1.0),
        ]
        assert index.neighbours("shop/mail.py") == [Neighbour("shop/money.py", "changed with", 1.0)]
        assert index.neighbours("no/such.py") == []


def test_what_changed_is_seen_and_what_is_gone_is_forgotten(
    shop: Repository, index: RepoIndex
) -> None:
    shop.write("shop/stamps.py", "def lick_stamp():\n    pass\n")
    (shop.folder / "shop/mail.py").unlink()
    assert index.sync(now_ns=LATER) == RepoReport(files=6, indexed=1, removed=1)
    assert index.search("lick a stamp")[0].path == "shop/stamps.py"
    assert index.symbols("send_invoice") == []


def test_a_branch_switched_there_and_back_is_not_read_twice(
    shop: Repository, index: RepoIndex
) -> None:
    shop.git("checkout", "--quiet", "-b", "other")
    shop.write("shop/mail.py", "def send_nothing():\n    pass\n")
    shop.commit("Send nothing")
    assert index.sync(now_ns=LATER).indexed == 1
    shop.git("checkout", "--quiet", "-")
    assert index.sync(now_ns=LATER).indexed == 0
    assert len(index.symbols("send_invoice")) == 1


def test_a_file_written_twice_in_a_moment_is_read_twice(shop: Repository, store: Path) -> None:
    path = shop.write("a.py", "one = 1\n")
    with RepoIndex.open(shop.folder, store) as index:
        index.sync(now_ns=path.stat().st_mtime_ns)
        assert [link.entry.mtime_ns for link in index._store.links().values()] == [-1] * 7


def test_evidence_from_a_file_that_changed_since_is_the_part_that_was_indexed(
    shop: Repository, index: RepoIndex
) -> None:
    shop.write("shop/money.py", "gone = True\n")
    first = index.search("round prices to cents")[0]
    assert (first.path, first.start, first.end, first.symbol) == ("shop/money.py", 1, 8, None)


def test_a_commit_is_searched_without_being_checked_out(shop: Repository) -> None:
    before = shop.git("rev-parse", "HEAD")
    shop.git("rm", "--quiet", "shop/money.py")
    shop.commit("Do without money")
    tree = CommitTree(shop.folder, before)
    with RepoIndex(tree, None) as index:
        assert index.sync() == RepoReport(files=6, indexed=6, commits=1)
        assert index.search("round to cents")[0].path == "shop/money.py"
    tree.close()


def test_going_from_commit_to_commit_reads_only_what_differs(shop: Repository, store: Path) -> None:
    first = shop.git("rev-parse", "HEAD")
    shop.write("shop/mail.py", "def send_nothing():\n    pass\n")
    second = shop.commit("Send nothing")
    for commit, indexed in ((first, 6), (second, 1), (first, 0)):
        tree = CommitTree(shop.folder, commit)
        with RepoIndex(tree, store) as index:
            assert index.sync().indexed == indexed
        tree.close()


def test_a_commit_message_leads_to_the_files_it_changed(shop: Repository) -> None:
    shop.write("shop/mail.py", "def send_invoice(customer):\n    return customer\n")
    shop.commit("Stop greeting robots")
    with RepoIndex.open(shop.folder, None) as index:
        index.sync(now_ns=LATER)
        found = index.search("greeting robots")
        assert [(one.path, one.parts["history"]) for one in found] == [("shop/mail.py", 1.0)]


def test_commits_tell_of_files_in_the_words_of_a_question(shop: Repository) -> None:
    for number in range(4):
        shop.write("shop/mail.py", f"def send_invoice(customer):\n    return {number}\n")
        shop.commit(f"Stop greeting robots, part {number}")
    with RepoIndex.open(shop.folder, None) as index:
        index.sync(now_ns=LATER)
        told = index.changes("greeting robots", {"shop/mail.py", "shop/cart.py"}, 3)
        assert list(told) == ["shop/mail.py"]
        assert len(told["shop/mail.py"]) == 3
        assert told["shop/mail.py"][0].startswith("Stop greeting robots")
        assert index.changes("greeting robots", (), 3) == {}
        assert index.source.subjects(["0" * 40]) == {}


def test_a_damaged_file_is_built_anew_when_it_is_opened(shop: Repository, store: Path) -> None:
    with RepoIndex.open(shop.folder, store) as index:
        index.sync(now_ns=LATER)
    store.write_bytes(b"no database at all" * 100)
    with RepoIndex.open(shop.folder, store) as index:
        assert index.sync(now_ns=LATER).indexed == 6


def test_damage_that_shows_only_in_use_is_mended_there(shop: Repository, store: Path) -> None:
    with RepoIndex.open(shop.folder, store) as index:
        index.sync(now_ns=LATER)
        expected = index.search("round to cents")
        index._store._connection.execute("UPDATE contents SET imports = '{'")
        index._snapshot = None
        assert index.search("round to cents") == expected


def test_an_index_that_was_copied_here_is_not_believed(shop: Repository, store: Path) -> None:
    with RepoIndex.open(shop.folder, store) as index:
        index.sync(now_ns=LATER)
    copy = store.with_name("copy.db")
    copy.write_bytes(store.read_bytes())
    with RepoIndex.open(shop.folder, copy) as index:
        assert index.search("cart") == []


def test_two_processes_may_index_the_same_files(shop: Repository, store: Path) -> None:
    with RepoIndex.open(shop.folder, store) as one, RepoIndex.open(shop.folder, store) as other:
        with Parsing() as parsing:
            content = study.study("a.py", "0" * 40, b"x = 1\n", parsing)
        entry = Entry("a.py", 6, blob="0" * 40)
        for store_ in (one._store, other._store):
            store_.apply(links=(), contents=[(entry, content)], gone=())
        assert [row.path for row in one._store.rows()] == ["a.py"]


def test_a_hostile_file_costs_its_symbols_and_nothing_else(shop: Repository, store: Path) -> None:
    shop.write("shop/hostile.py", "a?b:" * 50_000)
    with RepoIndex.open(shop.folder, store) as index:
        report = index.sync(now_ns=LATER)
        assert (report.indexed, report.unparsed) == (7, ("shop/hostile.py",))
        assert len(index.symbols("round_price")) == 1


def test_rules_that_changed_make_everything_be_read_again(index: RepoIndex) -> None:
    index._store.clear("older")
    assert index.sync(now_ns=LATER).indexed == 6


def test_an_index_behind_a_link_is_refused(shop: Repository, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    with pytest.raises(StorageError, match="symbolic link"):
        RepoIndex.open(shop.folder, tmp_path / "link" / "repo.db")
