"""Resolve Git aliases: `git -c alias.x=… x` and `git config alias.x …`."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from dmm.rules.commands.grammar import words_of
from dmm.rules.commands.options import subcommand_at
from dmm.rules.commands.runs import Run, text_of
from dmm.rules.commands.wordlists import listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dmm.rules.commands.values import Word


_COMMANDS = listed("of git")


def stored_alias(words: Sequence[Word]) -> tuple[str, ...]:
    """Return the subcommand and what follows it, where it may be an alias that Git has stored."""
    at = subcommand_at(words)
    known = at >= len(words) or words[at].text in _COMMANDS or words[at].expands
    return () if known else tuple(word.text for word in words[at:])


def alias_runs(
    words: Sequence[Word], env: Sequence[tuple[str, str]], known: dict[str, str]
) -> list[Run]:
    """Return what an alias runs, where it is defined or used; add definitions to `known`."""
    at = subcommand_at(words)
    for word, following in pairwise(words[1 : at + 1]):
        if word.text == "-c":
            known.update(_definition(*following.text.partition("=")[::2]))
    values = dict(env)
    for name, key in env:
        if name.startswith("GIT_CONFIG_KEY_"):
            known.update(_definition(key, values.get(name.replace("KEY", "VALUE"), "")))
    if at >= len(words):
        return []
    if words[at].text == "config":
        return _configured(words[at + 1 :], known)
    return _used(words, at, known)


def aliases_in(settings: str) -> dict[str, tuple[str, int]]:
    """Read the aliases of a file of Git settings, each with its line."""
    found: dict[str, tuple[str, int]] = {}
    inside = False
    for number, line in enumerate(settings.split("\n"), 1):
        bare = line.strip()
        if bare.startswith("["):
            inside = bare.lower().startswith("[alias]")
            bare = bare.partition("]")[2].strip()
        name, equals, text = bare.partition("=")
        if inside and equals:
            plain = text.strip().replace('\\"', '"') if '\\"' in text else text.strip()
            found[name.strip()] = (plain.strip('"') if plain[:1] == '"' else plain, number)
    return found


def alias_text(name: str, aliases: Mapping[str, str], rest: str = "") -> str:
    """Return the shell text of an alias."""
    text = aliases[name]
    return f"{text[1:]} {rest}" if text.startswith("!") else f"git {text} {rest}"


def _definition(key: str, text: str) -> dict[str, str]:
    section, _, name = key.partition(".")
    return {name.removesuffix(".command"): text} if section.lower() == "alias" and name else {}


def _configured(words: Sequence[Word], known: dict[str, str]) -> list[Run]:
    named = [word for word in words if not word.text.startswith("-") and word.text != "set"]
    if len(named) < len(("key", "value")):
        return []
    new = _definition(named[0].text, named[1].text)
    known.update(new)
    return [text_of(named[1], "git config", alias_text(name, new)) for name in new]


def _used(words: Sequence[Word], at: int, aliases: Mapping[str, str]) -> list[Run]:
    name = words[at].text
    text = aliases.get(name)
    if text is None:
        return []
    span = (words[at].start, words[at].end)
    if text.startswith("!"):
        arguments = (words[at], *words[at + 1 :])
        return [Run("shell", "git alias", arguments, f'{text[1:]} "$@"', span)]
    return [Run("argv", "git alias", (*words[:1], *words_of(text), *words[at + 1 :]))]
