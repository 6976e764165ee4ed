"""Frozen values without dataclasses."""

from __future__ import annotations

from typing import ClassVar

import pytest

from dmm.domain.value import Value


class Point(Value):
    """Two numbers."""

    kind: ClassVar[str] = "point"
    x: int
    y: int = 0


class Other(Value):
    """Two numbers of another kind."""

    x: int
    y: int = 0


def test_fields_are_given_by_place_or_name_and_have_defaults() -> None:
    assert (Point(1).x, Point(1).y) == (1, 0)
    assert Point(1, y=2) == Point(x=1, y=2) == Point(1, 2)
    assert repr(Point(1)) == "Point(x=1, y=0)"
    assert vars(Point(1)) == {"x": 1, "y": 0}


def test_values_of_one_kind_that_hold_the_same_are_equal() -> None:
    assert len({Point(1), Point(1, 0), Point(2)}) == 2
    assert Point(1) != Other(1)
    assert hash(Point(1)) != hash(Other(1))


def test_a_change_gives_another_value() -> None:
    first = Point(1)
    assert first.changed(y=5) == Point(1, 5)
    assert first == Point(1)


def test_a_value_is_frozen() -> None:
    point = Point(1)
    with pytest.raises(AttributeError, match="frozen"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match="frozen"):
        del point.x
    assert point.x == 1


@pytest.mark.parametrize(
    ("places", "names", "told"),
    [
        ((), {}, "lacks x"),
        ((1, 2, 3), {}, "too many"),
        ((1,), {"x": 1}, "too many"),
        ((1,), {"z": 1}, r"has no \['z'\]"),
    ],
)
def test_what_does_not_fit_the_fields_is_refused(
    places: tuple[int, ...], names: dict[str, int], told: str
) -> None:
    with pytest.raises(TypeError, match=told):
        Point(*places, **names)
