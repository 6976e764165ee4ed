"""Libraries: a name that is surely one, because what replaces it is a package of the repository."""

from __future__ import annotations

import re
import sys

from dmm.rules.commands.dependencies import normal_name
from dmm.rules.content.constructs import DASH, IMPORTS, content_of, files_of, looks_like_code
from dmm.rules.language.sentences import words
from dmm.rules.language.sentences.things import STOPS, Context, Found, Item, Thing, ends
from dmm.text.pieces import Pieces, skip
from dmm.text.words import english

# Without a scope, "native/FFI" names kinds of packages.
_NAME = re.compile(r"@[\w.-]+/[\w.-]+|[A-Za-z][\w.-]*")

# What every program of a language has is no package, and "`zod`, not `interface`" swaps no package.
_NEVER = STOPS | words.KEYWORDS | sys.stdlib_module_names | english("no_libraries")


def read_library(pieces: Pieces, at: int, context: Context) -> Found | None:
    """Read "requests" in "use httpx, not requests": one that is added or imported.

    What is forbidden without being replaced may have its place: in the module that wraps it.
    """
    at = skip(pieces, at, words.DETERMINERS)
    name = pieces[at].text if at < len(pieces) else ""
    if not (context.replaced and _NAME.fullmatch(name) and pieces[at].code):
        return None
    # "`lodash/get`, not `lodash`" is about one package.
    parted = context.instead.startswith(f"{name}/")
    code = looks_like_code(name) and not name.startswith("@")
    other = code or name in words.PROGRAMS - words.AMBIGUOUS or name.lower() in _NEVER
    if parted or other or not ends(pieces, at + 1):
        return None
    # A command does not show which part of a repository it adds a package to; what the repository
    # declares is still to be updated.
    left = context.known.folder or normal_name(name) in context.known.packages
    added: tuple[Item, ...] = () if left else ({"command": {"package": name}},)
    # `Flask` is imported as flask, `PIL` as it is.
    imported = name.lower() if name.istitle() else name
    sample = (f"import {imported}", "import other_name")
    return Thing((_imported(imported), *added), sample=sample), at + 1


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
