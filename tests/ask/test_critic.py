"""The critic sees loops in what a session did, and stays calm otherwise."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dmm.ask.critic import ADVICE, EDIT, OTHER, RUN, WINDOW, Move, criticise
from dmm.domain.plain import to_plain


def moves(*told: str) -> list[Move]:
    """Read moves: `+pytest` passes, `-pytest` fails, `a.py` is edited, `?` looks."""
    found = []
    for seq, one in enumerate(told, start=1):
        if one[0] in "+-":
            found.append(Move(seq, RUN, one[1:], one[0] == "-"))
        else:
            found.append(Move(seq, OTHER if one == "?" else EDIT, one))
    return found


def judge(*told: str) -> tuple[bool, str, list[str]]:
    found = criticise(moves(*told), "s1")
    return (
        found.stuck_detected,
        found.risk_level,
        [one.rule for one in found.findings],
    )


def test_work_that_goes_well_is_no_concern() -> None:
    assert judge("a.py", "-pytest", "a.py", "+pytest", "b.py", "+pytest") == (False, "low", [])


def test_a_command_that_fails_again_and_again_is_a_loop() -> None:
    assert judge("-pytest", "a.py", "-pytest") == (False, "medium", ["repeated_failure"])
    found = criticise(moves("-make", "a.py", "-make", "?", "-make"), "s1")
    assert to_plain(found) == {
        "stuck_detected": True,
        "risk_level": "high",
        "recommendation": ADVICE["repeated_failure"],
        "session": "s1",
        "moves": 4,
        "findings": [{"rule": "repeated_failure", "what": "make", "times": 3, "events": [1, 3, 5]}],
    }


def test_a_pass_ends_the_loop() -> None:
    assert judge("-pytest", "-pytest", "-pytest", "+pytest") == (False, "low", [])


def test_another_command_that_passes_does_not_end_it() -> None:
    assert judge("-pytest", "-pytest", "+ruff", "-pytest")[0]


def test_two_commands_that_fail_in_turn_are_a_loop() -> None:
    stuck, risk, rules = judge("-mypy", "a.py", "-pytest", "a.py", "-mypy", "-pytest")
    assert (stuck, risk) == (True, "high")
    assert "alternating_failures" in rules


def test_edits_of_one_file_over_and_over_are_a_loop_while_runs_fail() -> None:
    calm = ["a.py"] * 6
    assert judge(*calm) == (False, "low", [])
    assert judge(*calm, "-a") == (False, "medium", ["edit_loop"])
    assert judge("a.py", "-a", *calm, "-b") == (True, "high", ["edit_loop"])
    assert judge("a.py", "-a", *calm, "+b", "a.py") == (False, "low", [])


def test_most_runs_failing_is_a_risk() -> None:
    assert judge("-a", "-b", "-c", "+d", "-e") == (False, "medium", ["failing_runs"])


def test_without_a_session_nothing_is_said() -> None:
    assert criticise(()).recommendation == ADVICE["silent"]


def test_what_is_long_past_does_not_count() -> None:
    old = ["-pytest"] * 5
    assert judge(*old, *["a.py", "b.py"] * (WINDOW // 2))[0] is False


@given(
    st.lists(st.tuples(st.sampled_from([RUN, EDIT, OTHER]), st.sampled_from("abc"), st.booleans()))
)
def test_a_stuck_session_is_always_a_high_risk(told: list[tuple[str, str, bool]]) -> None:
    found = criticise([Move(at, *one) for at, one in enumerate(told)])
    assert found.stuck_detected == (found.risk_level == "high")
    assert found.recommendation in ADVICE.values()
    assert (found.risk_level == "low") == (not found.findings)
