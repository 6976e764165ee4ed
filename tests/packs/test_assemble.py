"""Packing: in order, no thought twice, within the room, and a larger room only adds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from dmm.domain.memory import Scope
from dmm.domain.pack import PackEntry, Reason
from dmm.packs.assemble import Ranked, account, choose, order_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Twin = Callable[[Ranked, Sequence[Ranked]], Ranked | None]

CANDIDATES = st.lists(st.tuples(st.integers(0, 400), st.integers(0, 5)), max_size=30)


def ranked(row: int, tokens: int, *, score: float | None = None, relevant: bool = True) -> Ranked:
    return Ranked(
        row=row,
        path=f"project/{row:02d}.md",
        title=f"Memory {row}",
        lanes=("keywords",),
        parts={"bm25": 0.5},
        score=1 - row / 100 if score is None else score,
        tokens=tokens,
        relevant=relevant,
    )


def alone(_candidate: Ranked, _included: Sequence[Ranked]) -> None:
    return None


def same_thought(thoughts: Sequence[int]) -> Twin:
    def twin(candidate: Ranked, included: Sequence[Ranked]) -> Ranked | None:
        mine = thoughts[candidate.row]
        return next((one for one in included if thoughts[one.row] == mine), None)

    return twin


def test_packing_stops_at_the_first_that_does_not_fit() -> None:
    choice = choose([ranked(0, 50), ranked(1, 60), ranked(2, 10)], room=100, twin=alone)
    assert [one.row for one in choice.included] == [0]
    assert [(line.reason, line.detail) for line in choice.receipt] == [
        (Reason.INCLUDED, ""),
        (Reason.BUDGET, "60 tokens, 50 left"),
        (Reason.BUDGET, "a better match did not fit"),
    ]


def test_no_room_at_all_is_told_as_none_left() -> None:
    choice = choose([ranked(0, 5)], room=-300, twin=alone)
    assert choice.included == ()
    assert choice.receipt[0].detail == "5 tokens, 0 left"


def test_a_double_is_named_and_takes_no_room() -> None:
    candidates = [ranked(0, 50), ranked(1, 500), ranked(2, 50)]
    choice = choose(candidates, room=100, twin=same_thought([7, 7, 8]))
    assert [one.row for one in choice.included] == [0, 2]
    assert choice.receipt[1].reason is Reason.DUPLICATE
    assert choice.receipt[1].detail == "says nearly the same as project/00.md"


def test_the_receipt_adds_those_that_could_not_be_served_in_the_order_of_scores() -> None:
    choice = choose([ranked(0, 5, score=0.9), ranked(1, 5, score=0.5)], room=100, twin=alone)
    weak = ranked(2, 5, score=0.7, relevant=False)
    lines = account(choice, [weak, ranked(3, 5, score=0.1)])
    assert [(line.path, line.reason) for line in lines] == [
        ("project/00.md", Reason.INCLUDED),
        ("project/02.md", Reason.FLOOR),
        ("project/01.md", Reason.INCLUDED),
        ("project/03.md", Reason.LIMIT),
    ]


@given(candidates=CANDIDATES, rooms=st.lists(st.integers(-50, 3000), min_size=1, max_size=6))
def test_any_choice_fits_and_grows_with_the_room(
    candidates: list[tuple[int, int]], rooms: list[int]
) -> None:
    order = [ranked(row, tokens) for row, (tokens, _) in enumerate(candidates)]
    twin = same_thought([thought for _, thought in candidates])
    smaller: set[int] = set()
    for room in sorted(rooms):
        choice = choose(order, room=room, twin=twin)
        assert sum(one.tokens for one in choice.included) <= max(0, room)
        assert [line.path for line in choice.receipt] == [one.path for one in order]
        included = {one.row for one in choice.included}
        assert included == {int(x.path[8:10]) for x in choice.receipt if x.included}
        assert smaller <= included
        smaller = included
        thoughts = [candidates[row][1] for row in included]
        assert len(thoughts) == len(set(thoughts))


def test_parts_of_a_note_stand_together_and_in_order() -> None:
    names = ["b_part_2", "x", "b_part_10", "b", "a_part_3", "a_part_2", "part_1"]
    entries = [
        PackEntry("", f"project/{name}.md", "", "", 0, 0, "retrieved", Scope.PROJECT)
        for name in names
    ]
    ordered = [entry.path[8:-3] for entry in order_parts(entries)]
    assert ordered == ["b", "b_part_2", "b_part_10", "x", "a_part_2", "a_part_3", "part_1"]
