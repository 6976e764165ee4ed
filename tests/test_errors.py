"""The error family: what, where and the way out, and one code for each kind."""

from __future__ import annotations

import pytest

from dmm import errors
from dmm.errors import DmmError, MemoryFileError, ModelFailed, StorageError


def family(kind: type[DmmError]) -> list[type[DmmError]]:
    return [kind, *(member for child in kind.__subclasses__() for member in family(child))]


def test_every_error_has_a_code_of_its_own() -> None:
    codes = [kind.code for kind in family(DmmError)]
    assert sorted(codes) == [
        "config",
        "daemon",
        "error",
        "file_exists",
        "index_broken",
        "index_busy",
        "ledger_broken",
        "ledger_refused",
        "memory_file",
        "model_failed",
        "model_unavailable",
        "no_root",
        "not_trusted",
        "path_refused",
        "proof_refused",
        "proof_required",
        "review_refused",
        "rule_form",
        "stale_base",
        "storage",
        "team",
        "usage",
    ]


def test_the_tree_in_the_docstring_names_every_error() -> None:
    names = {kind.__name__ for kind in family(DmmError)}
    drawn = {line.strip("│├└─ ").split()[0] for line in (errors.__doc__ or "").splitlines()[2:]}
    assert drawn == names


def test_an_error_says_where_before_what() -> None:
    error = StorageError("no room left", where="/data/x.db", hint="free some space")
    assert str(error) == "/data/x.db: no room left"
    assert (error.what, error.where, error.hint) == (
        "no room left",
        "/data/x.db",
        "free some space",
    )


def test_an_error_without_a_place_says_only_what() -> None:
    assert str(DmmError("no such thing")) == "no such thing"


@pytest.mark.parametrize(
    ("line", "shown"), [(None, "project/a.md: no title"), (7, "project/a.md:7: no title")]
)
def test_a_fault_of_a_file_names_the_file_and_its_line(line: int | None, shown: str) -> None:
    error = MemoryFileError("project/a.md", "content", "no title", line=line)
    assert str(error) == shown
    assert (error.path, error.fault, error.line) == ("project/a.md", "content", line)


def test_a_failed_call_of_the_model_says_how_far_it_came() -> None:
    error = ModelFailed("late", "no answer within 60 s", where="127.0.0.1")
    assert (error.fault, str(error)) == ("late", "127.0.0.1: no answer within 60 s")
