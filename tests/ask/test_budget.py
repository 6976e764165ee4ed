"""Evidence within a budget: shares, what is passed on, and never a token too many."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from dmm.ask.budget import choose, share_out
from dmm.ask.evidence import Evidence, Mark, Origin, dedupe, make_code
from dmm.ask.profiles import BUILT_IN
from dmm.ask.sections import Section
from dmm.config import AskRatios

HALVES = AskRatios(0.5, 0.25, 0.25)


def piece(name: str, tokens: int, origin: Origin = Origin.MEMORY) -> Evidence:
    return Evidence(name, origin, name, "", "x" * tokens, "")


def taken(pieces: list[Evidence], room: int, ratios: AskRatios = HALVES) -> list[str]:
    return choose(pieces, room, ratios, lambda one: one.text, len).ids


def test_each_source_has_its_share() -> None:
    pieces = [
        piece("m1", 40),
        piece("m2", 40),
        piece("s1", 20, Origin.SESSIONS),
        piece("c1", 20, Origin.CODE),
    ]
    assert taken(pieces, 100) == ["m1", "s1", "c1"]


def test_what_a_source_leaves_is_passed_on() -> None:
    assert taken([piece("m1", 40), piece("m2", 40)], 100) == ["m1", "m2"]


def test_what_is_too_long_is_skipped_and_says_why() -> None:
    pieces = [piece("long", 101), piece("half", 60), piece("next", 50), piece("short", 5)]
    choice = choose(pieces, 100, HALVES, lambda one: one.text, len)
    assert choice.ids == ["next", "short"]
    assert [(one.evidence.id, one.tokens, why) for one, why in choice.left] == [
        ("long", 101, "longer than the whole budget"),
        ("half", 60, "no space: 0 tokens of its share were left"),
    ]


PIECES = st.lists(st.tuples(st.integers(0, 300), st.sampled_from(list(Origin))), max_size=30).map(
    lambda all_: [piece(f"p{at}", size, origin) for at, (size, origin) in enumerate(all_)]
)


@given(PIECES, st.integers(-10, 2_000), st.sampled_from([one.ratios for one in BUILT_IN]))
def test_the_room_is_never_exceeded_and_nothing_that_fits_is_left(
    pieces: list[Evidence], room: int, ratios: AskRatios
) -> None:
    choice = choose(pieces, room, ratios, lambda one: one.text, len)
    rest = max(room, 0) - choice.spent()
    assert rest >= 0
    assert all(one.tokens > rest for one, _ in choice.left)
    assert sorted([*choice.ids, *(one.evidence.id for one, _ in choice.left)]) == sorted(
        one.id for one in pieces
    )
    assert sum(share_out(max(room, 0), ratios).values()) <= max(room, 0)


def test_the_same_thing_is_kept_once_with_all_that_it_shows() -> None:
    whole = make_code("a.py", (1, 20), "h1", "x")
    part = make_code("a.py", (3, 5), "h2", "y")
    shown = replace(part, marks=(Mark(Section.TESTS, "file", 4),))
    other = make_code("b.py", (3, 5), "h2", "y")
    said = Evidence("obs_1", Origin.SESSIONS, "obs_1", "", "Retry three times.", "")
    again = Evidence("msg_2", Origin.SESSIONS, "msg_2", "", "retry three  times", "")
    kept, dropped = dedupe([whole, shown, other, said, again, said])
    assert [one.id for one in kept] == ["a.py:1-20", "b.py:3-5", "obs_1"]
    assert kept[0].sections == (Section.TESTS,)
    assert kept[0].place(Section.TESTS) == "a.py:4@h1"
    assert dropped == [("a.py:3-5", "a.py:1-20"), ("msg_2", "obs_1"), ("obs_1", "obs_1")]


def test_a_stub_comes_last_where_its_code_is_at_hand() -> None:
    code = make_code("src/export.py", (1, 2), "a", "def export(): ...", symbol="export")
    stub = make_code("api/export.pyi", (1, 1), "b", "def export(): ...", symbol="export")
    other = make_code("api/close.pyi", (1, 1), "c", "def close(): ...", symbol="close")
    assert dedupe([stub, code, other])[0] == [code, other, stub]
