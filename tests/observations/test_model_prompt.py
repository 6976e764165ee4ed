"""The distiller: what a model is shown of an episode, and which of its words the evidence bears."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.domain.event import Trust
from dmm.domain.observation import Kind, Observation
from dmm.errors import UsageError
from dmm.observations.model_prompt import (
    LONGEST_EVENT,
    LONGEST_EVIDENCE,
    Material,
    ask,
    gather,
    read_answer,
)

if TYPE_CHECKING:
    from tests.observations.conftest import Talk

UNIT = Observation(
    "obs_1", Kind.BUGFIX, "Fix the cart", "Asked: fix the cart.", "s", "2026-06-29T12:00:00+00:00",
    (1, 2), Trust.AGENT, "claude-code", files=("src/cart.py",),
)  # fmt: skip
EVIDENCE = (
    (1, "UserMessageReceived", "The cart is empty after 30 minutes"),
    (2, "TurnEnded", "`average()` divided by\n`len(items)`; the TTL was 1800s. Now 64MiB, 2.5x."),
)
MATERIAL = Material(UNIT, EVIDENCE)


def answer(narrative: str = "The cart was mended.", facts: tuple[str, ...] = ()) -> str:
    told = {"title": "Cart mended", "narrative": narrative, "facts": facts}
    return json.dumps({"episodes": {"obs_1": told}})


@pytest.mark.parametrize(
    ("fact", "kept"),
    [
        ("average() divided by len(items)", True),
        ("`average()` divided by `len(items)`.", True),
        ("AVERAGE() divided by", True),
        ("the cart is empty after 30 minutes", True),
        ("the cart is empty after 3", False),
        ("verage() divided", False),
        ("average() multiplied by len(items)", False),
        ("after 30 minutes average() divided", False),
        ("cart", False),
    ],
)
def test_a_fact_counts_where_one_event_has_it_word_for_word(fact: str, kept: bool) -> None:
    told = read_answer(answer(facts=(fact,)), [MATERIAL]).retold["obs_1"]
    assert (told.facts, told.dropped) == (((fact,), 0) if kept else ((), 1))


@pytest.mark.parametrize(
    ("narrative", "missing"),
    [
        ("The cart was lost after 30 min because `average()` failed, e.g. and/or so.", None),
        ("A 30-minute limit of 1800 seconds in src/cart.py, 64 MiB and 2.5 times.", None),
        ("It took 31 minutes.", "31"),
        ("It is in src/cart/other.py now.", "src/cart/other.py"),
        ("It calls loadItems first.", "loadItems"),
        ("It calls `sum` first.", "sum"),
        ("It was 180 seconds.", "180"),
    ],
)
def test_a_narrative_names_only_what_the_evidence_names(
    narrative: str, missing: str | None
) -> None:
    found = read_answer(answer(narrative), [MATERIAL])
    why = f"it names {missing!r}, which is not in the evidence"
    assert dict(found.refused) == ({} if missing is None else {"obs_1": why})
    assert list(found.retold) == (["obs_1"] if missing is None else [])


@given(st.text(max_size=60))
def test_no_fact_is_kept_that_does_not_stand_in_the_evidence(fact: str) -> None:
    try:
        found = read_answer(answer(facts=(fact,)), [MATERIAL])
    except UsageError:
        return
    plain = [" ".join(text.replace("`", "").split()).casefold() for _, _, text in EVIDENCE]
    for one in found.retold["obs_1"].facts:
        bare = " ".join(one.replace("`", "").split()).casefold().strip(" .,;:!?()[]{}\"'`*…")
        assert any(bare in text for text in plain)


def test_the_words_of_people_come_before_those_of_tools_and_all_of_it_has_a_size(
    talk: Talk,
) -> None:
    for number in range(20):
        talk.run(f"make step{number}", "out " * LONGEST_EVENT)
    talk.say("It is done now, and `make all` passed in the end.")
    material = gather(UNIT, talk.events, str)
    assert material.size <= LONGEST_EVIDENCE
    assert material.evidence[-1][2] == "It is done now, and `make all` passed in the end."
    assert all(len(text) <= LONGEST_EVENT for _, _, text in material.evidence)


def test_the_question_names_the_episodes_and_quotes_the_rest() -> None:
    system, user = ask([MATERIAL], clean=str)
    assert system.startswith("# You retell what happened in a coding session")
    assert user == (
        "Retell these episodes.\n"
        "\n## Episode obs_1\n\n"
        'kind: bugfix\nfiles: "src/cart.py"\n'
        "as the rules tell it:\n| Fix the cart\n| Asked: fix the cart.\n"
        "event 1, UserMessageReceived:\n| The cart is empty after 30 minutes\n"
        "event 2, TurnEnded:\n| `average()` divided by\n"
        "| `len(items)`; the TTL was 1800s. Now 64MiB, 2.5x.\n"
        "\n## Your answer\n\nepisodes: obs_1\nOne JSON object, and nothing else.\n"
    )
