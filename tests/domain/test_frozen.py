"""Frozen dataclasses that are quick to define are what `dataclass` would have made."""

from __future__ import annotations

import copy
import inspect
import pickle
from dataclasses import FrozenInstanceError, asdict, dataclass, field, fields, replace
from typing import Any

import pytest

from dmm.domain.frozen import frozen


@frozen
class Point:
    """A place, with the names that it has."""

    x: int
    y: int = 0
    names: list[str] = field(default_factory=list)
    note: str = field(default="", compare=False, repr=False)


@frozen
class Mark(Point):
    """A place that is positive."""

    colour: str = "red"

    def __post_init__(self) -> None:
        if self.x < 0:
            raise ValueError("negative")


@frozen(kw_only=True)
class Named:
    """One field, by its name."""

    name: str


@frozen
class Empty:
    """No field."""


@frozen
class Folded:
    """A text of which the letters count, not their case."""

    text: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Folded) and other.text.lower() == self.text.lower()

    def __hash__(self) -> int:
        return hash(self.text.lower())

    def __repr__(self) -> str:
        return f"<{self.text}>"


@pytest.mark.parametrize("more", [{"init": False}, {"hash": False}])
def test_what_it_would_not_make_as_a_dataclass_is_refused(more: dict[str, Any]) -> None:
    made: Any = type("Odd", (), {"__annotations__": {"x": "int"}, "x": field(default=1, **more)})
    with pytest.raises(TypeError, match="Odd: every field"):
        frozen(made)
    with pytest.raises(TypeError, match="has an __init__ of its own"):
        frozen(type("Own", (), {"__init__": lambda _: None}))


def test_a_field_may_have_any_name() -> None:
    names = ("set", "LATER", "make_x", "default_x", "x")
    body: dict[str, Any] = {"__annotations__": dict.fromkeys(names, "int")}
    kind: Any = frozen(type("Names", (), body | dict.fromkeys(names, 1)))
    made = kind()
    assert (made.set, made.LATER, made.x) == (1, 1, 1)


def as_dataclass(kind: type) -> Any:
    """Make a class with the same fields the usual way."""
    body = {"__annotations__": kind.__annotations__, "__qualname__": kind.__qualname__}
    given = {one.name: one.default for one in fields(kind) if isinstance(one.default, str | int)}
    return dataclass(frozen=True, slots=True)(type(kind.__name__, (), body | given))


def test_fields_are_given_by_place_or_name_and_have_defaults() -> None:
    assert (Point(1).x, Point(1).y, Point(1).names) == (1, 0, [])
    assert Point(1, y=2) == Point(x=1, y=2)
    assert Point(1).names is not Point(1).names
    assert Mark(1, 2, ["a"], "", "blue").colour == "blue"
    assert Named(name="a").name == "a"
    unchecked: dict[str, Any] = {"Named": Named, "Point": Point}
    with pytest.raises(TypeError, match=r"Named.__init__\(\) takes 1 positional argument"):
        unchecked["Named"]("a")
    with pytest.raises(TypeError, match=r"Point.__init__\(\) missing 1 required .* 'x'"):
        unchecked["Point"]()


def test_a_check_after_the_fields_are_set_runs() -> None:
    assert Point(-1).x == -1
    with pytest.raises(ValueError, match="negative"):
        Mark(-1)


def test_values_of_one_kind_that_hold_the_same_are_equal() -> None:
    assert Point(1) == Point(1, note="not compared") != Point(2)
    assert Point(1) != Mark(1)
    assert Empty() == Empty()
    assert len({Named(name="a"), Named(name="a"), Named(name="b"), Empty(), Empty()}) == 3
    with pytest.raises(TypeError, match="unhashable"):
        hash(Point(1))


def test_a_class_keeps_its_own_methods() -> None:
    assert Folded("A") == Folded("a")
    assert len({Folded("A"), Folded("a")}) == 1
    assert repr(Folded("a")) == "<a>"


def test_a_value_is_frozen() -> None:
    point: Any = Point(1)
    with pytest.raises(FrozenInstanceError, match="'x'"):
        point.x = 2
    with pytest.raises(FrozenInstanceError, match="'x'"):
        del point.x
    assert (point.x, hasattr(point, "__dict__")) == (1, False)


def test_a_value_is_shown_hashed_and_described_as_a_dataclass_is() -> None:
    for kind, given in ((Named, {"name": "a"}), (Empty, {})):
        usual = as_dataclass(kind)(**given)
        assert repr(kind(**given)) == repr(usual)
        assert hash(kind(**given)) == hash(usual)
        assert [one.name for one in fields(kind)] == [one.name for one in fields(usual)]
    assert repr(Mark(1)) == "Mark(x=1, y=0, names=[], colour='red')"
    assert list(inspect.signature(Mark).parameters) == ["x", "y", "names", "note", "colour"]
    match Point(1, 2):
        case Point(x, y):
            assert (x, y) == (1, 2)


def test_a_value_that_holds_itself_is_shown() -> None:
    held: list[Any] = []
    point = Point(1, 0, held)
    held.append(point)
    assert repr(point) == "Point(x=1, y=0, names=[...])"


def test_values_are_copied_changed_and_pickled() -> None:
    mark = Mark(1, names=["a"])
    assert replace(mark, y=5) == Mark(1, 5, ["a"])
    assert asdict(mark) == {"x": 1, "y": 0, "names": ["a"], "note": "", "colour": "red"}
    assert pickle.loads(pickle.dumps(mark)) == mark == copy.copy(mark)
    assert copy.deepcopy(mark).names is not mark.names
