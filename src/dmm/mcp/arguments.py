"""Validate tool arguments against a small part of JSON Schema."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from dmm.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Schema = dict[str, Any]

_WORDS = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
}
_LISTS = {"integer": "a list of whole numbers", "string": "a list of strings"}


@dataclass(frozen=True, slots=True)
class Arguments:
    """What a tool takes: each argument with its schema, and those it can't do without."""

    properties: Mapping[str, Schema]
    required: tuple[str, ...] = ()

    @property
    def schema(self) -> Schema:
        """The whole as JSON Schema."""
        told: Schema = {"type": "object", "properties": dict(self.properties)}
        return told | ({"required": list(self.required)} if self.required else {})

    def only_required(self) -> Arguments:
        """Return the arguments that can't be left out, without remarks on them."""
        bare = {name: {"type": self.properties[name]["type"]} for name in self.required}
        return Arguments(bare, self.required)

    def check(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments as the service takes them, or refuse them; null counts as absent."""
        known = ", ".join(self.properties) or "none"
        for name in given:
            if name not in self.properties:
                raise UsageError(f"there is no argument {name!r}", hint=f"arguments: {known}")
        found = {name: value for name, value in given.items() if value is not None}
        for name in self.required:
            if name not in found:
                raise UsageError(f"{name} is missing", hint=f"arguments: {known}")
        return {name: _check(name, value, self.properties[name]) for name, value in found.items()}


def _check(name: str, value: object, schema: Schema) -> object:
    taken = _take(value, schema)
    if taken is None:
        raise UsageError(f"{name} must be {_wanted(schema)}", hint=f"not {_given(value, schema)}")
    _check_range(name, taken, schema)
    return taken


def _wanted(schema: Schema) -> str:
    kind = schema["type"]
    return _LISTS[schema["items"]["type"]] if kind == "array" else _WORDS[kind]


def _take(value: object, schema: Schema) -> object:
    """Return the value in the type of the schema, None if it is of another."""
    kind = schema["type"]
    if kind == "array":
        return _take_list(value, schema["items"])
    if kind == "object":
        # A list of objects is taken where the schema allows for one.
        return value if isinstance(value, dict | list) else None
    if isinstance(value, bool):
        return value if kind == "boolean" else None
    if kind == "integer" and isinstance(value, float) and value.is_integer():
        return int(value)
    types = {"string": str, "integer": int, "number": int | float}
    return value if kind in types and isinstance(value, types[kind]) else None


def _take_list(value: object, items: Schema) -> list[object] | None:
    if not isinstance(value, list):
        return None
    taken = [_take(one, items) for one in value]
    return None if None in taken else taken


def _check_range(name: str, value: Any, schema: Schema) -> None:
    options: Sequence[str] = schema.get("enum", ())
    if options and value not in options:
        raise UsageError(f"{name} must be one of {', '.join(options)}")
    least, most = schema.get("minimum"), schema.get("maximum")
    if (least is not None and value < least) or (most is not None and value > most):
        span = f"{least} or more" if most is None else f"from {least} to {most}"
        raise UsageError(f"{name} must be {span}")


def _given(value: object, schema: Schema) -> str:
    """Name what was given in place of what is wanted; of a list, the first item that is wrong."""
    if schema["type"] != "array" or not isinstance(value, list):
        return _kind(value)
    wrong = next(one for one in value if _take(one, schema["items"]) is None)
    return f"a list that holds {_kind(wrong)}"


def _kind(value: object) -> str:
    names = {str: "a string", bool: "true or false", int: "a number", float: "a number"}
    return names.get(type(value), "a list" if isinstance(value, list) else "an object")
