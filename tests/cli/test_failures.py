"""Every error has an exit status and a message of one form."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from dmm.cli.failures import EXIT_STATUS, report
from dmm.errors import DmmError, MemoryFileError, UsageError

if TYPE_CHECKING:
    import pytest


def family(kind: type[DmmError]) -> set[type[DmmError]]:
    return {kind}.union(*(family(child) for child in kind.__subclasses__()))


def test_every_kind_of_error_has_an_exit_status_and_no_status_is_left_over() -> None:
    assert {kind.code for kind in family(DmmError)} == set(EXIT_STATUS)


def test_no_error_ends_like_success_or_like_a_signal() -> None:
    assert all(0 < status < 126 for status in EXIT_STATUS.values())


def test_an_error_says_what_where_and_the_way_out(capsys: pytest.CaptureFixture[str]) -> None:
    error = MemoryFileError("a.md", "yaml", "not valid", line=3, hint="quote it")
    assert report(error, as_json=False) == 7
    told = capsys.readouterr()
    assert (told.out, told.err) == ("", "dmm: not valid\n  where: a.md:3\n  hint:  quote it\n")


def test_what_is_not_known_is_not_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(UsageError("no"), as_json=False) == 2
    assert capsys.readouterr().err == "dmm: no\n"


def test_an_error_as_data(capsys: pytest.CaptureFixture[str]) -> None:
    assert report(UsageError("no", hint="yes"), as_json=True) == 2
    told = capsys.readouterr()
    assert told.err == ""
    assert json.loads(told.out) == {
        "error": {"code": "usage", "what": "no", "where": None, "hint": "yes"}
    }
