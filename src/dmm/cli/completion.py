"""`dmm completion`: scripts that complete dmm in a shell."""

from __future__ import annotations

import sys
from enum import EnumMeta, StrEnum
from typing import TYPE_CHECKING, Annotated, Any, get_args

import typer
import typer.main

from dmm.cli.format.completions import SHELLS, Offer, Place

if TYPE_CHECKING:
    from collections.abc import Iterator

if TYPE_CHECKING:
    Shell = StrEnum
else:
    Shell = StrEnum("Shell", {name: name for name in SHELLS})


def completion(
    shell: Annotated[Shell, typer.Argument(help="The shell to complete in.")],
) -> None:
    """Print a completion script for bash, zsh or fish.

    Load it in your shell's start file: source <(dmm completion bash)
    """
    from dmm.cli.commands import make_app

    places = tuple(_walk(typer.main.get_group(make_app())))
    sys.stdout.write(SHELLS[str(shell.value)](places))


def _walk(command: Any, path: str = "") -> Iterator[Place]:
    """List a command and those below it; what is run by programs alone is left out."""
    below = {name: one for name, one in getattr(command, "commands", {}).items() if not one.hidden}
    words = tuple(Offer(name, one.get_short_help_str(60)) for name, one in below.items())
    yield Place(path, words, tuple(_options(command)))
    for name, one in below.items():
        yield from _walk(one, f"{path} {name}".strip())


def _options(command: Any) -> Iterator[Offer]:
    for param in command.params:
        for name in param.opts:
            if name.startswith("-"):
                yield Offer(name, (param.help or "").partition(". ")[0], _values(param))
    yield Offer("--help", "Show this message and exit.")


def _values(param: Any) -> tuple[str, ...]:
    """List the values of a parameter that takes one of a few."""
    kind = getattr(param.type_descriptor, "annotation", None)
    kinds: list[Any] = [one for one in (kind, *get_args(kind)) if isinstance(one, EnumMeta)]
    return tuple(str(member.value) for one in kinds for member in one)
