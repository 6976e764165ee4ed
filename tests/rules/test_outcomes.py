"""Whether a step passed, read from its exit status and from what it printed."""

from __future__ import annotations

import pytest

from dmm.rules.outcomes import Outcome, read_outcome, read_output, runs_in_background

PASSED, FAILED, UNKNOWN = Outcome.PASSED, Outcome.FAILED, Outcome.UNKNOWN

FAILURES = {
    "pytest": "FAILED tests/test_cart.py::test_total - assert 3 == 4\n1 failed, 7 passed in 0.31s",
    "pytest, end only": "========= 2 failed in 1.02s =========",
    "pytest, collection": "ERROR tests/test_a.py\n!!! Interrupted: 1 error during collection\n"
    "1 error in 0.05s",
    "pytest, colours": "\x1b[31m\x1b[1m1 failed\x1b[0m, \x1b[32m7 passed\x1b[0m in 0.31s",
    "unittest": "Ran 5 tests in 0.002s\n\nFAILED (failures=1, errors=2)",
    "jest": "Tests:       2 failed, 3 passed, 5 total",
    "jest, a suite": "FAIL src/cart.test.ts\n  ● Test suite failed to run",
    "vitest": " Tests  1 failed | 12 passed (13)",
    "mocha": "  9 passing (31ms)\n  2 failing\n",
    "node": "# tests 4\n# pass 3\n# fail 1",
    "tap": "ok 1 - adds\nnot ok 2 - divides\n1..2",
    "go": "--- FAIL: TestTotal (0.00s)\nFAIL\nFAIL\texample.org/cart\t0.003s",
    "cargo": "test result: FAILED. 4 passed; 1 failed; 0 ignored",
    "cargo, summary cut": "error: test failed, to rerun pass `--lib`",
    "cargo, build": "error: could not compile `cart` (lib) due to 2 previous errors",
    "rspec": "5 examples, 1 failure",
    "minitest": "5 runs, 9 assertions, 1 failures, 0 errors, 0 skips",
    "phpunit": "FAILURES!\nTests: 5, Assertions: 9, Failures: 1.",
    "maven": "Tests run: 5, Failures: 1, Errors: 0, Skipped: 0\n[INFO] BUILD FAILURE",
    "gradle": "5 tests completed, 1 failed\n\nBUILD FAILED in 3s",
    "ctest": "67% tests passed, 1 tests failed out of 3",
    "dotnet": "Failed!  - Failed:     1, Passed:     4, Skipped:     0",
    "coverage": "FAIL Required test coverage of 90% not reached.\n7 passed in 0.31s",
    "npm": "7 passed\nnpm ERR! Test failed.  See above for more details.",
    "npm, newer": "npm error code ELIFECYCLE",
    "pnpm": " ELIFECYCLE  Command failed with exit code 1.",
    "make": "7 passed\nmake: *** [Makefile:4: test] Error 1",
    "a printed status": "exit code: 1",
    "another one": "EXIT=2",
    "no such program": "bash: line 1: pytest: command not found",
    "no such program, dash": "sh: 1: jest: not found",
    "no such module": "/usr/bin/python: No module named pytest",
    "too slow": "command timed out after 120000 milliseconds",
    "mypy": "Found 2 errors in 1 file (checked 40 source files)",
    "eslint": "✖ 3 problems (2 errors, 1 warning)",
    "ruff": "Found 1 error.",
    "an error and no summary": "ERROR: file or directory not found: tests/none",
    "a crash": 'Traceback (most recent call last):\n  File "run.py", line 1\nKeyError: 3',
}
SUCCESSES = {
    "pytest": "........  [100%]\n8 passed in 0.31s",
    "pytest, expected failures": "8 passed, 1 xfailed, 2 warnings in 0.31s",
    "unittest": "Ran 5 tests in 0.002s\n\nOK",
    "unittest, expected failures": "Ran 5 tests in 0.002s\n\nOK (expected failures=1)",
    "jest": "Tests:       5 passed, 5 total\nTime:        1.2 s",
    "vitest": " Tests  13 passed (13)",
    "mocha": "  9 passing (31ms)",
    "node": "# tests 4\n# pass 4\n# fail 0",
    "tap": "ok 1 - adds\nnot ok 2 - divides # TODO later\n1..2",
    "go": "ok  \texample.org/cart\t0.003s",
    "cargo": "test result: ok. 5 passed; 0 failed; 0 ignored",
    "rspec": "5 examples, 0 failures",
    "phpunit": "OK (5 tests, 9 assertions)",
    "maven": "Tests run: 5, Failures: 0, Errors: 0, Skipped: 0\n[INFO] BUILD SUCCESS",
    "ctest": "100% tests passed, 0 tests failed out of 3",
    "ruff": "All checks passed!",
    "mypy": "Success: no issues found in 40 source files",
    "a log in between": "error: connection refused\n2 failed logins noted\n8 passed in 1s",
}


@pytest.mark.parametrize("name", FAILURES)
def test_a_printed_failure_is_read(name: str) -> None:
    assert read_output(FAILURES[name]) is FAILED


@pytest.mark.parametrize("name", SUCCESSES)
def test_a_printed_success_is_read(name: str) -> None:
    assert read_output(SUCCESSES[name]) is PASSED


@pytest.mark.parametrize("text", ["", "done", "compiling…\n[100%]", "10 files, 3 folders"])
def test_an_output_that_says_nothing_stays_unknown(text: str) -> None:
    assert read_output(text) is UNKNOWN


def test_the_end_of_a_long_output_is_read() -> None:
    assert read_output("x\n" * 200_000 + "1 failed in 2s") is FAILED


@pytest.mark.parametrize(
    ("shown", "exit_status", "printed", "outcome"),
    [
        (True, 0, UNKNOWN, PASSED),
        (True, 0, FAILED, PASSED),
        (True, 1, PASSED, FAILED),
        (True, None, PASSED, PASSED),
        (True, None, FAILED, FAILED),
        (True, None, UNKNOWN, UNKNOWN),
        (False, 0, PASSED, PASSED),
        (False, 0, FAILED, FAILED),
        (False, 0, UNKNOWN, UNKNOWN),
        (False, 2, PASSED, FAILED),
        (False, None, PASSED, PASSED),
    ],
)
def test_a_status_decides_unless_it_is_hidden(
    shown: bool, exit_status: int | None, printed: Outcome, outcome: Outcome
) -> None:
    assert read_outcome(shown=shown, exit_status=exit_status, printed=printed) is outcome


def test_a_command_in_the_background_is_known_by_its_input() -> None:
    assert runs_in_background({"command": "pytest", "run_in_background": True})
    assert not runs_in_background({"command": "pytest", "run_in_background": False})
