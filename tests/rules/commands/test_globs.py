"""Globs of rules against paths, and against the wildcards of a call."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.rules.commands.globs import matches_path, may_match_path
from dmm.rules.commands.ignoring import selects


@pytest.mark.parametrize(
    ("glob", "pattern", "expected"),
    [
        (".en*", ".env", True),
        (".e??", ".env", True),
        (".[e]nv", ".env", True),
        ("app/.env*", ".env", True),
        ("./.e*", ".env", True),
        ("**/.env*", ".env", True),
        ("cred*", "credentials.json", True),
        ("*.pem", "*.pem", True),
        ("config/*.pem", "*.pem", True),
        (".dmm/led*", "**/.dmm/ledger.db*", True),
        ("*", ".env", False),
        ("*", "credentials.json", False),
        ("*env", ".env", False),
        ("*.json", "credentials.json", False),
        (".coverage.*", "*.pem", False),
        (".coverage.*", "**/.dmm", False),
        ("src/*.py", "**/secrets/**", False),
        ("/etc/x.conf*", "**/.dmm", False),
        (".env.ex*", ".env", False),
        ("x*", ".env", False),
    ],
)
def test_wildcards_count_where_they_are_aimed_at_a_file(
    glob: str, pattern: str, *, expected: bool
) -> None:
    assert may_match_path(glob, pattern, written=False) is expected


def test_an_ending_is_enough_where_files_are_written() -> None:
    assert may_match_path("*.json", "package.json", written=True)
    assert not may_match_path("*.json", "package.json", written=False)
    assert not may_match_path("build/*", "package.json", written=True)


PIECES = st.lists(st.sampled_from(["a", "b", ".", "/", "*", "**", "**/", "?", "[a]"]), max_size=12)


@given(PIECES.map("".join), PIECES.map("".join))
def test_no_two_globs_break_the_comparison(glob: str, pattern: str) -> None:
    assert may_match_path(glob, pattern or "a", written=True) in (True, False)


@given(st.text(alphabet="ab./", min_size=1, max_size=10), PIECES.map("".join))
def test_a_plain_path_that_matches_also_may(path: str, pattern: str) -> None:
    if pattern and matches_path(path, pattern):
        assert may_match_path(path, pattern, written=True)


def test_a_glob_of_many_wildcards_is_held_against_a_long_path_at_once() -> None:
    names, deep = "a*a*a*a*a*a*a*a*b", "**/a/**/a/**/a/**/b"
    assert not selects("a" * 2000, names, "")
    assert selects("a" * 2000 + "b", names, "")
    assert not selects("a/" * 600, deep, "")
    assert not matches_path("a/" * 600, deep)
    assert selects("a/" * 600 + "b", deep, "")
