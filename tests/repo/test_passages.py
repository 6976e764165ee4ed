"""The lines of a file that answer a question, and the definition they belong to."""

from __future__ import annotations

import pytest

from dmm.files.citations import digest
from dmm.index.records import Terms
from dmm.repo.passages import narrow
from dmm.repo.records import Chunk, Symbol


@pytest.mark.parametrize(
    ("path", "first", "symbol"),
    [
        ("a.py", "# how a parcel is weighed", "weigh"),
        ("a.c", "// how a parcel is weighed", "weigh"),
        ("a.c", "#define PARCEL weighed", None),
    ],
)
def test_a_comment_leads_to_its_definition_and_a_directive_does_not(
    path: str, first: str, symbol: str | None
) -> None:
    lines = [first, "int weigh(void) {", "  return 1;", "}"]
    chunk = Chunk(1, 4, digest(lines), Terms(b"", b"", 0.0))
    found = narrow(lines, [chunk], [Symbol("weigh", "function", 2, 4, path)], {"parcel": 1.0}, path)
    assert found.symbol == symbol


def test_a_definition_with_the_name_of_what_is_asked_comes_before_lines_with_its_words() -> None:
    words = [
        "def check_all(parcel, letter):",
        "    # the parcel, the letter, the weight",
        "    run()",
    ]
    lines = [*words, *["    step()"] * 97, "def weigh_parcel(parcel):", "    return scale(parcel)"]
    chunks = [Chunk(1, 40, digest(lines[:40]), Terms(b"", b"", 0.0))]
    symbols = [
        Symbol("check_all", "function", 1, 100, "a.py"),
        Symbol("weigh_parcel", "function", 101, 102, "a.py"),
    ]
    worth = {"parcel": 2.0, "weigh": 2.0, "letter": 1.0}
    found = narrow(lines, chunks, symbols, worth, "a.py")
    assert (found.start, found.end, found.symbol) == (101, 102, "weigh_parcel")


def test_tests_inside_a_source_file_are_left_out_whatever_their_module_is_called() -> None:
    lines = ["mod parcel_tests {", "fn weigh_parcel() { parcel }", "}", "fn weigh() {}"]
    chunk = Chunk(1, 4, digest(lines), Terms(b"", b"", 0.0))
    symbols = [
        Symbol("parcel_tests", "module", 1, 3, "a.rs"),
        Symbol("weigh_parcel", "function", 2, 2, "a.rs"),
        Symbol("weigh", "function", 4, 4, "a.rs"),
    ]
    assert narrow(lines, [chunk], symbols, {"parcel": 1.0, "weigh": 1.0}, "a.rs").symbol == "weigh"
