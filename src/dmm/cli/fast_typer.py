"""Commands whose plain values skip typer's slow converter.

Its converter loads a validation library, at 80 ms more than the rest of reading a command line; an
option that was not given and a text stay what they are, and a path needs no look at the disk.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import copy
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption
from typer.main import get_command_name
from typer.models import CommandInfo

F = TypeVar("F", bound=Callable[..., Any])


class _Command(TyperCommand):
    def get_params(self, ctx: Any) -> list[Any]:
        return [_spare(param) for param in super().get_params(ctx)]


class FastGroup(TyperGroup):
    """A group that reads plain values by itself."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the parameters, each as one of ours."""
        return [_spare(param) for param in super().get_params(ctx)]


class FastTyper(typer.Typer):
    """A command line whose commands read plain values by themselves."""

    def __init__(self, **settings: Any) -> None:
        settings.setdefault("no_args_is_help", True)
        settings.setdefault("cls", FastGroup)
        super().__init__(rich_markup_mode=None, **settings)

    def command(self, *name: Any, **settings: Any) -> Callable[[F], F]:
        """Register a function as a command."""
        return super().command(*name, cls=_Command, **settings)

    def narrowed(self, name: str) -> FastTyper:
        """Return the group with one command alone; whole where it has none of that name."""
        named = [one for one in self.registered_commands if _name(one) == name]
        if not named:
            return self
        narrow = copy(self)
        narrow.registered_commands = named
        return narrow


def _name(command: CommandInfo) -> str:
    return command.name or get_command_name(getattr(command.callback, "__name__", ""))


# What a value is, in the words of a reader; typer names Python's types.
_PYTHON = re.compile(r"list\[(.*)\]|\b(int|float)(?: range)?|\bstr\b")


def _say_type(label: str) -> str:
    def word(found: re.Match[str]) -> str:
        return _PYTHON.sub(word, found[1]) if found[1] else "number" if found[2] else "text"

    return _PYTHON.sub(word, label).replace("<Path>", "<path>")


class _Option(TyperOption):
    def display_type(self, ctx: Any) -> str:
        return _say_type(super().display_type(ctx))

    def process_value(self, ctx: Any, value: Any) -> Any:
        return _process(self, super().process_value, ctx, value)


class _Argument(TyperArgument):
    def display_type(self, ctx: Any) -> str:
        """Show what may be chosen; all else is in the name and the text beside it."""
        label = super().display_type(ctx)
        return label if "|" in label else ""

    def process_value(self, ctx: Any, value: Any) -> Any:
        return _process(self, super().process_value, ctx, value)


_KINDS: dict[type, Any] = {TyperOption: _Option, TyperArgument: _Argument}


@cache
def _spare(param: Any) -> Any:
    """Return a parameter as one of ours; typer lets us choose the class of commands alone."""
    kind = _KINDS.get(type(param))
    if kind is None:
        return param
    made = kind.__new__(kind)
    vars(made).update(vars(param))
    return made


def _process(param: Any, convert: Any, ctx: Any, value: Any) -> Any:
    if _is_path(param, value):
        value = Path(value)
    elif value is None and param.multiple and not param.required:
        value = ()
    elif not _is_plain(param, value):
        return convert(ctx, value)
    return value if param.callback is None else param.callback(ctx, param, value)


def _is_plain(param: Any, value: Any) -> bool:
    if param.multiple or param.nargs != 1:
        return False
    if value is None:
        return not param.required
    # A given value is a text at first: one that is of its type already is a text or a default.
    return type(value) is _wanted(param)


def _is_path(param: Any, value: Any) -> bool:
    """Return whether a text is wanted as a path, with no demand on what is there."""
    if param.multiple or param.nargs != 1 or type(value) is not str or _wanted(param) is not Path:
        return False
    asked = getattr(param.type_descriptor, "parameter_info", None)
    return asked is not None and not (asked.exists or asked.resolve_path)


def _wanted(param: Any) -> Any:
    """Return the type of a parameter; one that typer keeps elsewhere is left to its converter."""
    return getattr(getattr(param, "type_descriptor", None), "annotation", None)
