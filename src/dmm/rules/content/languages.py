"""Languages: which one a file is written in, by its name."""

from __future__ import annotations

_ENDINGS = {
    "bash": "sh bash zsh bats",
    "c": "c h",
    "cpp": "cc cpp cxx hpp hh hxx cu ino",
    "csharp": "cs",
    "css": "css",
    "elixir": "ex exs",
    "go": "go",
    "haskell": "hs",
    "hcl": "tf hcl tfvars",
    "html": "html htm xhtml",
    "java": "java",
    "javascript": "js mjs cjs jsx",
    "json": "json",
    "kotlin": "kt kts",
    "lua": "lua",
    "nix": "nix",
    "php": "php",
    "python": "py pyi bzl",
    "ruby": "rb rake gemspec",
    "rust": "rs",
    "scala": "scala sc sbt",
    "solidity": "sol",
    "swift": "swift",
    "tsx": "tsx",
    "typescript": "ts mts cts",
    "yaml": "yaml yml",
}
LANGUAGES = tuple(_ENDINGS)
# To these nearly any line of words is code.
LENIENT = frozenset({"bash", "elixir", "haskell", "hcl", "html", "nix", "ruby", "scala", "yaml"})
_BY_ENDING = {ending: name for name, endings in _ENDINGS.items() for ending in endings.split()}
# One grammar holds the other, or people name both by one name.
_KIN = {
    "javascript": ("javascript", "jsx", "js"),
    "typescript": ("typescript", "ts"),
    "tsx": ("tsx", "typescript", "ts"),
    "python": ("python", "py"),
    "rust": ("rust", "rs"),
    "cpp": ("cpp", "c++"),
    "csharp": ("csharp", "cs", "c#"),
    "bash": ("bash", "sh", "shell"),
    "yaml": ("yaml", "yml"),
    "go": ("go", "golang"),
}
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
