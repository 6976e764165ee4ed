"""What every model keeps to, whatever its provider."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.errors import ModelFailed
from dmm.models.port import Completion, estimate_tokens

if TYPE_CHECKING:
    from tests.models.conftest import Rig

KEY = "sk-not-a-key-0123456789"
SYSTEM = "You review.\nBe strict, naïve „quotes“ and all."
USER = "Is this fit?\n| a line\n| \U0001f600 — end\n"


def ask(rig: Rig, deadline: float = 30.0) -> Completion:
    return rig.model.complete(SYSTEM, USER, max_tokens=321, deadline=deadline)


def refusal(rig: Rig, deadline: float = 30.0) -> ModelFailed:
    with pytest.raises(ModelFailed) as caught:
        ask(rig, deadline)
    return caught.value


def test_the_answer_comes_with_the_tokens_that_the_model_told(rig: Rig) -> None:
    rig.say('{"verdict": "approved"}\n')
    assert ask(rig) == Completion('{"verdict": "approved"}\n', 11, 7)


def test_the_whole_question_and_the_limit_reach_the_model(rig: Rig) -> None:
    rig.say("yes")
    ask(rig)
    assert rig.heard() == (SYSTEM, USER, 321)


def test_tokens_that_are_not_told_are_estimated_and_said_to_be(rig: Rig) -> None:
    rig.say("four", usage=False)
    found = ask(rig)
    assert found == Completion("four", estimate_tokens(SYSTEM + USER), 2, estimated=True)


def test_an_answer_that_ended_at_its_limit_is_marked(rig: Rig) -> None:
    rig.say('{"verdict": "app', cut=True)
    assert ask(rig).cut


def test_a_model_that_never_comes_to_an_end_is_late(rig: Rig) -> None:
    rig.stall()
    error = refusal(rig, deadline=0.5)
    assert (error.fault, error.what) == ("late", "no answer within 0.5 s")
    assert error.hint == "try again, or raise model.timeout_ms"


@pytest.mark.parametrize(
    "data",
    [b"", b"<html><body>502</body></html>", b'{"type": "mess', b"[1, 2]", b"{}", b"null"],
    ids=["nothing", "html", "truncated", "list", "empty", "null"],
)
def test_an_answer_in_another_form_is_malformed(rig: Rig, data: bytes) -> None:
    rig.send(data)
    assert refusal(rig).fault == "malformed"


@pytest.mark.parametrize("data", [b"[" * 100_000, b'{"a":' * 100_000])
def test_an_answer_nested_beyond_reason_is_malformed(rig: Rig, data: bytes) -> None:
    rig.send(data)
    assert refusal(rig).fault == "malformed"


def test_an_answer_without_end_is_given_up(rig: Rig) -> None:
    rig.send(b" " * (3 * 1024 * 1024))
    error = refusal(rig)
    assert error.fault == "malformed"
    assert error.what.endswith("is larger than 2097152 bytes")


def test_a_refusal_is_told_in_one_line_without_the_key_and_without_hidden_characters(
    rig: Rig,
) -> None:
    rig.refuse(f"no such model:\nsome-model ({KEY})\u202e" + "x" * 500)
    error = refusal(rig)
    assert error.fault == "refused"
    assert "no such model: some-model ([key])<U+202E>xxx" in error.what
    assert error.what.endswith("x...")
    assert len(error.what) < 260
    assert KEY not in f"{error!r}{error}{error.hint}{error.__cause__!r}"


def test_a_model_that_is_gone_is_unreachable(rig: Rig) -> None:
    rig.vanish()
    assert refusal(rig).fault == "unreachable"


def test_no_model_shows_its_key(rig: Rig) -> None:
    assert KEY not in repr(rig.model)
    assert rig.model.identity.endswith("/some-model")
