"""What a repository shows of the names in a sentence: the packages that it declares."""

from __future__ import annotations

import json
import re
import tomllib
from itertools import islice
from typing import TYPE_CHECKING, Any

from dmm.rules.commands.dependencies import declared, is_manifest, normal_name
from dmm.rules.language.sentences.things import Surroundings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

# What a sentence names is declared near the root, or in one of the first packages.
MAX_MANIFESTS = 200
_TABLES = re.compile(r"(?:\w+-?)?dependencies|dependency-groups", re.IGNORECASE)
_REQUIREMENT = re.compile(r"([A-Za-z0-9][\w.-]*)\s*(?:[\[<>=!~;@(].*)?", re.DOTALL)


def find_surroundings(paths: Iterable[str], read: Callable[[str], bytes | None]) -> Surroundings:
    """Find what the manifests among some paths declare; those near the root come first."""
    manifests = sorted(filter(is_manifest, paths), key=lambda path: path.count("/"))
    texts = ((path, read(path) or b"") for path in islice(manifests, MAX_MANIFESTS))
    named = (
        name for path, data in texts for name in _declared(path, data.decode(errors="replace"))
    )
    # Poetry lists the language among the packages.
    return Surroundings(packages=frozenset(map(normal_name, named)) - {"python"})


def _declared(path: str, text: str) -> Iterable[str]:
    """Return the packages that one manifest declares; none where it can't be read."""
    try:
        if path.endswith(".json"):
            return list(_in_tables(json.loads(text)))
        if path.endswith(".toml"):
            return list(_in_tables(tomllib.loads(text)))
    except (ValueError, RecursionError):
        return ()
    plain = path.endswith((".txt", ".in", "go.mod", "Gemfile"))
    return [one.name for one in declared(path, text)] if plain else ()


def _in_tables(told: Any) -> Iterator[str]:
    for key, value in told.items() if isinstance(told, dict) else ():
        yield from _names(value) if _TABLES.fullmatch(key) else _in_tables(value)


def _names(value: Any) -> Iterator[str]:
    """Read `name = version`, a list of requirements, or groups of such lists."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _names(inner) if isinstance(inner, list) else (key,)
    elif isinstance(value, list):
        found = (_REQUIREMENT.fullmatch(one) for one in value if isinstance(one, str))
        yield from (one[1] for one in found if one)
