"""Frozen values as plain data and back, driven by the fields of their classes.

A field without a default is always written; one with a default is left out where it has it. A name
that would be a word of Python ends in an underscore, which is not written: `pass_`.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from datetime import date
from enum import StrEnum
from functools import cache, partial
from pathlib import PurePath
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

T = TypeVar("T")

_Reader = Callable[[object], Any]
# The name of a field, the type of which a value needs no reading, how others are read, and what
# stands for one that is missing.
_Entry = tuple[str, type | None, _Reader, Callable[[], object] | None]
_UNIONS = (Union, types.UnionType)
# Stands where a field has no default.
_ALWAYS = object()
_LEAVES = frozenset((str, int, float, bool, type(None)))


class Malformed(ValueError):
    """Data that is not as the fields of its class say."""


def to_plain(value: Any) -> Any:
    """Return a value as dicts, lists, texts and numbers; `describe` tells it in another form."""
    kind: Any = type(value)
    return value if kind in _LEAVES else _writer(kind)(value)


@cache
def _writer(kind: Any) -> Callable[[Any], Any]:
    """Return how values of a class are written; an answer may hold many of one class."""
    if hasattr(kind, "describe"):
        return lambda value: to_plain(value.describe())
    if is_dataclass(kind):
        return partial(_write_fields, _written(cast("Any", kind)))
    if issubclass(kind, Mapping):
        return lambda value: {str(name): to_plain(one) for name, one in value.items()}
    if issubclass(kind, str | PurePath):
        return str
    if issubclass(kind, date):
        return lambda value: value.isoformat()
    return lambda value: [to_plain(one) for one in value]


def _write_fields(entries: tuple[tuple[str, str, object], ...], value: Any) -> dict[str, object]:
    told: dict[str, object] = {}
    for name, key, default in entries:
        one = getattr(value, name)
        if default is _ALWAYS or one != default:
            told[key] = one if type(one) in _LEAVES else to_plain(one)
    return told


def read_value(kind: type[T], values: Mapping[str, object], *, strict: bool = False) -> T:
    """Read a value of a class; keys that it does not know are passed over.

    What is malformed or missing counts as the default, or as nothing where the field may be empty;
    a `strict` reading takes the default only for what is missing.
    """
    told = {}
    for name, exact, reader, default in _readers(cast("Any", kind), strict):
        value = values.get(name, MISSING)
        # Most fields are texts and numbers; a ledger has many of them.
        if type(value) is exact:
            told[name] = value
            continue
        if value is not MISSING:
            try:
                told[name] = reader(value)
                continue
            except Malformed:
                if strict:
                    raise
        if default is None:
            raise Malformed(name)
        told[name] = default()
    return kind(**told)


@cache
def _written(kind: Any) -> tuple[tuple[str, str, object], ...]:
    return tuple(
        (
            one.name,
            one.name.rstrip("_"),
            _ALWAYS if (default := _default(one)) is None else default(),
        )
        for one in fields(kind)
    )


def _default(one: Field[Any]) -> Callable[[], object] | None:
    if one.default_factory is not MISSING:
        return one.default_factory
    return None if one.default is MISSING else lambda: one.default


@cache
def _readers(kind: Any, strict: bool) -> tuple[_Entry, ...]:
    hints = get_type_hints(kind)
    return tuple(
        (one.name, _leaf(hint), _reader(hint, strict), _default(one) or _nothing(hint))
        for one in fields(kind)
        for hint in [hints[one.name]]
    )


def _leaf(hint: Any) -> type | None:
    """Return the plain type of a field that is a text or a number, perhaps none."""
    choices = get_args(hint) if get_origin(hint) in _UNIONS else (hint,)
    return next((one for one in choices if one in _LEAVES and one is not type(None)), None)


def _nothing(hint: Any) -> Callable[[], object] | None:
    """Return what stands for a missing value: none, or an empty collection."""
    if type(None) in get_args(hint):
        return lambda: None
    return {tuple: tuple, Mapping: dict}.get(get_origin(hint))


def _reader(hint: Any, strict: bool) -> _Reader:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in _UNIONS:
        inner = _reader(next(one for one in arguments if one is not type(None)), strict)
        return lambda value: None if value is None else inner(value)
    if origin is tuple:
        return _read_all(_reader(arguments[0], strict), strict)
    if origin is Mapping:
        return _read_map(_reader(arguments[1], strict))
    if hint is Any:
        return lambda value: value
    if is_dataclass(hint):
        kind: type = hint  # type: ignore[assignment]  # is_dataclass takes instances too
        # A part is well-formed as a whole or not at all.
        return lambda value: read_value(kind, _exactly(dict)(value), strict=True)
    if issubclass(hint, StrEnum):
        return _read_word(hint)
    return _read_number if hint is float else _exactly(hint)


def _exactly(kind: type[T]) -> Callable[[object], T]:
    def check(value: object) -> T:
        if type(value) is not kind:
            raise Malformed(f"{value!r:.40} is no {kind.__name__}")
        return value

    return check


def _read_number(value: object) -> float:
    return float(value) if type(value) is int else _exactly(float)(value)


def _read_word(kind: type[StrEnum]) -> _Reader:
    def check(value: object) -> StrEnum:
        try:
            return kind(_exactly(str)(value))
        except ValueError as error:
            raise Malformed(str(error)) from None

    return check


def _read_all(inner: _Reader, strict: bool) -> _Reader:
    def check(value: object) -> tuple[Any, ...]:
        found = []
        for one in _exactly(list)(value):
            try:
                found.append(inner(one))
            except Malformed:
                if strict:
                    raise
        return tuple(found)

    return check


def _read_map(inner: _Reader) -> _Reader:
    return lambda value: {name: inner(one) for name, one in _exactly(dict)(value).items()}
