"""Citations: is the cited code as it was, elsewhere, different or gone?"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from dmm.domain.memory import Citation
from dmm.domain.pack import CitationCheck, Freshness
from dmm.files.citations import MAX_CITED_BYTES, check, describe, digest

if TYPE_CHECKING:
    from pathlib import Path

CODE = ["import os", "", "def retry(call):", "    return call()", "", "LIMIT = 3"]
BLOCK = digest(CODE[2:4])
FRESH, MOVED, CHANGED, GONE = Freshness


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    (folder / "src").mkdir(parents=True)
    return folder


def put(root: Path, lines: list[str], newline: str = "\n") -> None:
    (root / "src" / "a.py").write_bytes(newline.join([*lines, ""]).encode())


def state(root: Path, **parts: object) -> tuple[Freshness, str | None]:
    result = check(root, Citation("src/a.py", **parts))  # type: ignore[arg-type]  # by test table
    return result.state, result.now


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_cited_lines_that_are_as_they_were_are_fresh(root: Path, newline: str) -> None:
    put(root, [line + "  " for line in CODE], newline)
    assert state(root, lines=(3, 4), hash=BLOCK) == (FRESH, None)
    assert state(root, lines=(3, 4), hash=BLOCK.upper() + "0123") == (FRESH, None)


def test_cited_lines_found_elsewhere_have_moved(root: Path) -> None:
    put(root, ["# one", "# two", *CODE])
    assert state(root, lines=(3, 4), hash=BLOCK) == (MOVED, "src/a.py:5-6")


def test_of_two_places_the_nearer_one_is_named(root: Path) -> None:
    put(root, [*CODE[2:4], *["#"] * 20, *CODE[2:4]])
    assert state(root, lines=(18, 19), hash=BLOCK) == (MOVED, "src/a.py:23-24")


def test_cited_lines_found_nowhere_have_changed(root: Path) -> None:
    put(root, [*CODE[:3], "    return None", *CODE[4:]])
    assert state(root, lines=(3, 4), hash=BLOCK) == (CHANGED, None)
    assert state(root, lines=(3, 4), hash=BLOCK, symbol="retry") == (CHANGED, None)


def test_cited_lines_whose_symbol_left_the_file_are_gone(root: Path) -> None:
    put(root, ["import os", "", "def call_again(call):", "    return None"])
    assert state(root, lines=(3, 4), hash=BLOCK, symbol="retry") == (GONE, None)


def test_lines_beyond_the_end_are_not_fresh(root: Path) -> None:
    put(root, CODE)
    tail = digest(CODE[5:])
    assert state(root, lines=(6, 8), hash=tail) == (CHANGED, None)
    assert state(root, lines=(6, 8)) == (CHANGED, None)
    assert state(root, lines=(5, 6)) == (FRESH, None)


def test_a_whole_file_is_compared_by_its_hash(root: Path) -> None:
    put(root, CODE)
    assert state(root, hash=digest(CODE)) == (FRESH, None)
    put(root, [*CODE, "more"])
    assert state(root, hash=digest(CODE)) == (CHANGED, None)
    assert state(root, hash=digest(CODE), symbol="retry") == (CHANGED, None)
    assert state(root, hash=digest(CODE), symbol="missing") == (GONE, None)


@pytest.mark.parametrize(
    ("symbol", "lines", "result"),
    [
        ("retry", None, (FRESH, None)),
        ("Client.retry", None, (FRESH, None)),
        ("http::retry", (3, 4), (FRESH, None)),
        ("retry", (5, 6), (MOVED, "src/a.py:3")),
        ("ret", None, (GONE, None)),
        ("LIMIT", (6, 6), (FRESH, None)),
        ("::", None, (GONE, None)),
    ],
)
def test_a_symbol_is_looked_up_as_a_word(
    root: Path, symbol: str, lines: tuple[int, int] | None, result: tuple[Freshness, str | None]
) -> None:
    put(root, CODE)
    assert state(root, symbol=symbol, lines=lines) == result


def test_lines_are_counted_as_editors_count_them(root: Path) -> None:
    put(root, ["a\x0cb\x1cc\u2028d\x85e", *CODE])
    assert state(root, lines=(4, 5), hash=BLOCK) == (FRESH, None)


def test_a_path_alone_asks_only_whether_it_is_there(root: Path) -> None:
    assert state(root) == (GONE, None)
    put(root, [])
    assert state(root) == (FRESH, None)
    assert check(root, Citation("src")).state is FRESH
    assert check(root, Citation("src", lines=(1, 2))).state is GONE


def test_an_empty_file_has_no_lines(root: Path) -> None:
    (root / "src" / "a.py").write_bytes(b"")
    assert state(root, lines=(1, 1)) == (CHANGED, None)
    assert state(root, hash=digest([])) == (FRESH, None)


def test_what_lies_outside_the_project_is_gone(root: Path) -> None:
    (root.parent / "secret.py").write_text("x")
    (root / "link.py").symlink_to("../secret.py")
    (root / "loop.py").symlink_to("loop.py")
    os.mkfifo(root / "pipe")
    outside = ("../secret.py", str(root.parent / "secret.py"), "/etc/passwd", "link.py", "loop.py")
    for path in (*outside, "pipe", "nul\0byte", "x" * 5000, "src/../../secret.py", "src/none.py"):
        assert check(root, Citation(path)).state is GONE, path


def test_a_link_inside_the_project_is_followed(root: Path) -> None:
    put(root, CODE)
    (root / "link.py").symlink_to("src/a.py")
    assert check(root, Citation("link.py", "retry")).state is FRESH


def test_a_binary_file_is_compared_like_any_other(root: Path) -> None:
    (root / "src" / "a.py").write_bytes(b"\x89PNG\xff\x00\n\xfe\n")
    assert state(root, symbol="retry") == (GONE, None)
    assert state(root, hash=BLOCK) == (CHANGED, None)
    assert state(root) == (FRESH, None)


def test_a_file_too_large_to_compare_counts_as_changed(root: Path) -> None:
    with (root / "src" / "a.py").open("wb") as file:
        file.truncate(MAX_CITED_BYTES + 1)
    assert state(root, lines=(1, 2), hash=BLOCK) == (CHANGED, None)
    assert state(root) == (FRESH, None)


def test_an_unreadable_file_counts_as_changed(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(root, CODE)
    monkeypatch.setattr("pathlib.Path.read_bytes", lambda _: (_ for _ in ()).throw(OSError(13, "")))
    assert state(root, symbol="retry") == (CHANGED, None)


def test_the_search_for_moved_lines_comes_to_an_end(root: Path) -> None:
    put(root, [str(number) for number in range(100_000)])
    assert state(root, lines=(1, 50_000), hash=BLOCK) == (CHANGED, None)


@pytest.mark.parametrize(
    ("cite", "shown"),
    [
        (Citation("a.py"), "a.py"),
        (Citation("a.py", "f", (1, 2), "0" * 16), "a.py:1-2 f"),
        (Citation("a.py\n\n# Now do this", "f\u202e"), "a.py  # Now do this f<U+202E>"),
    ],
)
def test_a_citation_is_named_on_one_line(cite: Citation, shown: str) -> None:
    assert describe(cite) == shown


def test_a_check_names_the_citation(root: Path) -> None:
    assert check(root, Citation("none.py", "f")) == CitationCheck("none.py f", GONE)
