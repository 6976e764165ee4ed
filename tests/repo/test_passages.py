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
