"""Languages: which one a file is written in, by its name."""

from __future__ import annotations

from dmm.reading import part_rows
from dmm.rules.commands.wordlists import LISTS

_ENDINGS = part_rows(LISTS["language_endings"])
LANGUAGES = tuple(_ENDINGS)
# To these nearly any line of words is code.
LENIENT = frozenset({"bash", "elixir", "haskell", "hcl", "html", "nix", "ruby", "scala", "yaml"})
_BY_ENDING = {ending: name for name, endings in _ENDINGS.items() for ending in endings}
# One grammar holds the other, or people name both by one name.
_KIN = part_rows(LISTS["language_kin"])
_NAMES = {name: name for name in LANGUAGES} | {
    alias: name for name, aliases in reversed(_KIN.items()) for alias in aliases
}


def language_of_path(path: str) -> str:
    """Name the language of a file by its ending; empty where none is known."""
    return _BY_ENDING.get(path.rpartition("/")[2].rpartition(".")[2].lower(), "")


def language_named(name: str) -> str:
    """Return the language that a person names; empty where there is none of that name."""
    return _NAMES.get(name.strip().lower(), "")


def is_written_in(language: str, wanted: str) -> bool:
    """Whether a file in one language is meant by a rule that names another."""
    return language_named(wanted) == language or wanted.lower() in _KIN.get(language, ())
