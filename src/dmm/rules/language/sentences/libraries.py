"""Libraries: a name that is surely one, because the repository declares it or what replaces it."""

from __future__ import annotations

import re
import sys

from dmm.rules.commands.dependencies import normal_name
from dmm.rules.content.constructs import DASH, IMPORTS, content_of, files_of
from dmm.rules.language.sentences import words
from dmm.rules.language.sentences.things import STOPS, Context, Found, Item, Thing, ends
from dmm.text.pieces import Pieces, skip

# Without a scope or a host, "native/FFI" names kinds of packages.
_NAME = re.compile(r"@[\w.-]+/[\w.-]+|[\w-]+\.[a-z]+/[\w./-]+|[A-Za-z][\w.-]*")

# What every program of a language has is no package, and "`zod`, not `interface`" swaps no package.
_NEVER = STOPS | words.KEYWORDS | sys.stdlib_module_names


def read_library(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read "requests" in "use httpx, not requests": one that is added or imported."""
    at = skip(pieces, at, words.DETERMINERS)
    name = pieces[at].text if at < len(pieces) else ""
    if not _NAME.fullmatch(name) or name.lower() in _NEVER:
        return None
    known = context.replaced or normal_name(name) in context.known.packages
    if not (known and pieces[at].code and ends(pieces, at + 1)):
        return None
    imported = _imported(name.lower())
    # A command does not show which part of a repository it adds a package to.
    added: tuple[Item, ...] = () if context.known.folder else ({"command": {"package": name}},)
    sample = (f"import {name.lower()}", "import other_name")
    return Thing((imported, *added), sample=sample), at + 1


def is_replacement(pieces: Pieces, context: Context) -> bool:
    """Whether what is to be used instead is one package that the repository declares."""
    return (
        bool(pieces) and normal_name(pieces[0].text) in context.known.packages and ends(pieces, 1)
    )


def _imported(name: str) -> Item:
    """Write the matcher of an import; a dash is written as an underscore in some languages."""
    spelled = re.escape(name).replace(r"\-", DASH)
    regex = rf"{IMPORTS}{spelled}(?![\w-])"
    return content_of(regex, comments=True) | {"path": files_of("")}
