"""The weight of the evidence where the rules find nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.conflicts.compare import compare, evidence_of
from dmm.conflicts.marks import marks_of
from dmm.conflicts.verdict import CONFLICT, DUPLICATE, LEAST_CHANCE, chances, decide, weigh
from dmm.conflicts.weights import WEIGHTS
from dmm.domain.conflict import LEAST_SURE, ConflictType

if TYPE_CHECKING:
    from tests.conflicts.conftest import NewNote, NewReading

STAYS = ("Customer rows are never removed; we set deleted_at instead.", "Deleting customers")
KEPT = (
    "When somebody closes their account the record stays and only gets a deletion date.",
    "Soft delete for clients",
)


def test_chances_add_up_to_one_whatever_is_known() -> None:
    for evidence in ({}, dict.fromkeys(WEIGHTS, 1.0), {"unheard of": 1.0}, {"likeness": 1e6}):
        assert sum(chances(evidence).values()) == pytest.approx(1.0)


def test_a_verdict_needs_its_chance_and_compatible_needs_none() -> None:
    least = LEAST_CHANCE[CONFLICT]
    assert decide({"compatible": 0.3, "conflict": least, "duplicate": 0.2}) == ("conflict", least)
    shy = {"compatible": 0.3, "conflict": least - 0.01, "duplicate": 0.21}
    assert decide(shy) == ("compatible", 0.3)


def test_what_only_the_evidence_speaks_for_is_possible_and_not_sure() -> None:
    surest = max(WEIGHTS, key=lambda name: WEIGHTS[name][1] - max(WEIGHTS[name][0], 0.0))
    found = weigh({surest: 50.0}, [])
    assert found is not None
    assert found.type is ConflictType.DUPLICATE
    assert found.confidence < LEAST_SURE
    assert not found.sure


def test_evidence_is_weighed_only_of_memories_that_are_each_other_s_nearest(
    reading: NewReading,
) -> None:
    one, other = reading(*STAYS), reading(*KEPT)
    assert compare(one, other, likeness=0.6, nearest=False) is None
    found = compare(one, other, likeness=0.6)
    assert found is not None
    assert not found.sure
    assert found.quotes[0] != found.quotes[1]


def test_the_evidence_is_the_same_in_either_order(reading: NewReading) -> None:
    one, other = reading(*STAYS), reading(*KEPT)
    assert evidence_of(one, other, 0.6) == evidence_of(other, one, 0.6)


def test_where_a_rule_speaks_the_evidence_is_not_asked(reading: NewReading) -> None:
    one = reading("The API timeout is 30 seconds.")
    other = reading("The API timeout is 10 seconds.")
    assert evidence_of(one, other, 0.9) is None


def test_marks_tell_stance_reach_time_names_and_numbers(note: NewNote) -> None:
    marks = marks_of(note("Every pod must use `helm` 3, except in March; never Kustomize."))
    assert {"universal", "requires", "excepts", "timed"} <= marks.told
    assert marks.denials == 2
    assert marks.numbers == {"3"}
    assert {"helm", "kustomize"} <= marks.names


def test_a_hostile_text_is_marked_in_little_time(note: NewNote) -> None:
    marks = marks_of(note("`a.b" * 20_000 + "A" * 20_000))
    assert len(marks.concepts) <= 60


@pytest.mark.parametrize("verdict", [CONFLICT, DUPLICATE])
def test_some_evidence_speaks_for_each_verdict_and_some_against_it(verdict: str) -> None:
    place = (CONFLICT, DUPLICATE).index(verdict)
    signs = {both[place] > 0 for both in WEIGHTS.values()}
    assert signs == {True, False}
