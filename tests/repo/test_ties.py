"""Imports as they are written, and the files they lead to."""

from __future__ import annotations

import pytest

from dmm.repo.graph import changed_together, import_ties
from dmm.repo.imports import find_imports


@pytest.mark.parametrize(
    ("language", "text", "targets"),
    [
        ("python", "import a.b, c as d\n", ("a/b", "c")),
        ("python", "from a.b import (c,\n  d as e)\n", ("a/b", "a/b/c", "a/b/d")),
        ("python", "from . import x\nfrom ..y import z\n", ("./x", "../y", "../y/z")),
        ("javascript", "import x from './a';\nconst y = require(\"b/c\");\n", ("./a", "b/c")),
        ("typescript", "export * from '../a'\n", ("../a",)),
        ("go", 'import (\n\t"fmt"\n\tx "example.org/m/pkg"\n)\n', ("fmt/", "example.org/m/pkg/")),
        ("java", "import static com.a.B;\n", ("com/a/B",)),
        ("c", '#include "a/b.h"\n', ("./a/b.h", "a/b.h")),
        ("ruby", "require_relative 'a'\nrequire 'b/c'\n", ("./a", "b/c")),
        ("rust", "use crate::a::B;\nmod c;\n", ("a/B", "a", "./c")),
        ("php", "use App\\Models\\User;\n", ("App/Models/User",)),
        ("bash", "source lib/x.sh\n", ("./lib/x.sh",)),
        (None, "import a\n", ()),
    ],
)
def test_imports_are_read(language: str | None, text: str, targets: tuple[str, ...]) -> None:
    assert find_imports(language, text) == targets


def test_a_line_made_to_keep_the_search_busy_is_passed_quickly() -> None:
    assert find_imports("python", "from " + "." * 500_000 + "\n" + "import a\n") == ("a",)


def ties(files: dict[str, list[str]]) -> list[tuple[str, str]]:
    paths = list(files)
    return [(paths[a], paths[b]) for a, b in import_ties(paths, list(files.values()))]


def test_a_module_is_found_below_a_source_folder() -> None:
    assert ties({"src/pkg/a.py": [], "src/pkg/b.py": ["pkg/a"]}) == [
        ("src/pkg/b.py", "src/pkg/a.py")
    ]


def test_a_package_is_its_entry_file() -> None:
    assert ties({"pkg/__init__.py": [], "m.py": ["pkg"]}) == [("m.py", "pkg/__init__.py")]
    assert ties({"web/ui/index.ts": [], "web/m.ts": ["./ui"]}) == [("web/m.ts", "web/ui/index.ts")]


def test_a_library_is_not_taken_for_a_file_of_the_same_name() -> None:
    assert ties({"pkg/deep/re.py": [], "pkg/a.py": ["re"]}) == []


def test_a_bare_name_is_a_file_beside() -> None:
    assert ties({"tools/a.py": [], "tools/b.py": ["a"]}) == [("tools/b.py", "tools/a.py")]


def test_a_folder_of_a_module_address_is_all_its_files() -> None:
    found = ties({"pkg/a.go": [], "pkg/b.go": [], "main.go": ["example.org/m/pkg/"]})
    assert found == [("main.go", "pkg/a.go"), ("main.go", "pkg/b.go")]


def test_an_included_file_is_found_by_its_whole_name() -> None:
    assert ties({"a/x.c": ["./x.h"], "a/x.h": []}) == [("a/x.c", "a/x.h")]


def test_a_file_does_not_import_itself() -> None:
    assert ties({"a.py": ["a"]}) == []


def test_files_changed_together_are_counted() -> None:
    assert changed_together([(0, 1), (0, 1, 2), (0,), (1, 2)], 0) == {1: 2, 2: 1}
