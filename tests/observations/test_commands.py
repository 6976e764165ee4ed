"""Shell commands read for what they are and how they ended."""

from __future__ import annotations

import pytest

from dmm.observations.commands import (
    Sort,
    find_error,
    has_failed,
    quote_outcome,
    read_commit,
    simplify,
    sort_command,
)


@pytest.mark.parametrize(
    ("command", "sort"),
    [
        ("ls -la", Sort.LOOK),
        ("cd src && cat a.py | head -3; echo done", Sort.LOOK),
        ("git status", Sort.LOOK),
        ("sed -n 1,20p a.py", Sort.LOOK),
        ("cd /srv/shop && .venv/bin/pytest -q 2>&1 | tail", Sort.TEST),
        ("CI=1 npm run test:unit", Sort.TEST),
        ("go test ./...", Sort.TEST),
        ("cargo clippy", Sort.CHECK),
        ("make build", Sort.CHECK),
        ("make deploy ENV=staging", Sort.CHANGE),
        ("alembic upgrade head", Sort.CHANGE),
        ("uv add httpx", Sort.INSTALL),
        ("npm install", Sort.RUN),
        ("pytest -q && git commit -m 'x; y'", Sort.COMMIT),
        ("git push origin main", Sort.CHANGE),
        ("bash -lc 'pytest -q'", Sort.TEST),
        ("python scripts/build.py", Sort.RUN),
        ("echo 'pytest; git commit'", Sort.LOOK),
        ("", Sort.LOOK),
    ],
)
def test_a_command_is_sorted_by_its_weightiest_part(command: str, sort: Sort) -> None:
    assert sort_command(command) is sort


@pytest.mark.parametrize(
    ("command", "line"),
    [
        ("cd /srv/shop && FOO=1 timeout 60 pytest -q 2>&1 | tail -5", "pytest -q"),
        ("python - <<'EOF'\nprint(1)\nEOF", "python -"),
        ("bash -lc 'make test'", "make test"),
        ("x" * 300, "x" * 119 + "…"),
    ],
)
def test_a_command_is_told_in_one_short_line(command: str, line: str) -> None:
    assert simplify(command) == line


@pytest.mark.parametrize(
    ("command", "output", "found"),
    [
        ('git commit -m "fix: a \\"b\\""', "", ('fix: a \\"b\\"', "")),
        ("git commit -am 'add b'", "[main 3f2a9c1] add b\n 1 file", ("add b", "3f2a9c1")),
        ("git commit -m \"$(cat <<'EOF'\nAdd c\n\nBecause.\nEOF\n)\"", "", ("Add c", "")),
        ("git commit --amend --no-edit", "", ("", "")),
    ],
)
def test_a_commit_is_read_by_its_subject(command: str, output: str, found: tuple[str, str]) -> None:
    assert read_commit(command, output) == found


def test_an_output_tells_whether_a_check_failed() -> None:
    assert has_failed(Sort.TEST, "2 failed, 3 passed in 1s")
    assert has_failed(Sort.RUN, "Exit code: 3\nboom")
    assert has_failed(Sort.CHECK, "a.ts(1,2): error TS2304: no")
    assert not has_failed(Sort.TEST, "0 failed, 3 passed")
    assert not has_failed(Sort.RUN, "ValueError: only printed")
    assert not has_failed(Sort.RUN, "the job completed with exit code 1")
    assert not has_failed(Sort.TEST, "Exit code: 0\n1 failed before, retried")


def test_an_outcome_is_quoted_by_its_error_or_its_counts() -> None:
    trace = (
        "Traceback (most recent call last):\n  File 'a'\nshop.errors.NoStock: none\nKeyError: 'a'"
    )
    assert find_error(trace) == "KeyError: 'a'"
    assert find_error("FAILED tests/a.py::b - AssertionError") == (
        "FAILED tests/a.py::b - AssertionError"
    )
    assert find_error("all is well") == ""
    assert quote_outcome("3 failed\n12 passed, 1 skipped in 2s", failed=False) == (
        "12 passed, 1 skipped"
    )
    assert quote_outcome("nothing", failed=True) == ""
