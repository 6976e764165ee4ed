"""Blank the comments and strings of source text, keeping lines and columns.

What a comment or a documentation string says is no evidence of what code does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from dmm.repo.kinds import language_of

_HASH = r"(?P<comment>\#[^\n]*)"
_SLASHES = r"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z))"
_DOUBLE = r'"(?:\\.|[^"\\\n])*"'
_SINGLE = r"'(?:\\.|[^'\\\n])*'"
_CHARACTER = r"'(?:\\[^\n']{1,8}|[^'\\\n])'"
_TICKS = r"`(?:\\.|[^`\\])*`"
_TRIPLE = r'"""(?:\\.|[^\\])*?(?:"""|\Z)' + r"|'''(?:\\.|[^\\])*?(?:'''|\Z)"

_FAMILIES = {
    "python": rf"{_HASH}|(?P<triple>{_TRIPLE})|(?P<string>{_DOUBLE}|{_SINGLE})",
    "script": rf"{_SLASHES}|(?P<string>{_DOUBLE}|{_SINGLE}|{_TICKS})",
    "braces": rf"{_SLASHES}|(?P<string>{_DOUBLE}|{_CHARACTER}|{_TICKS})",
    "hashes": rf"{_HASH}|(?P<string>{_DOUBLE}|{_SINGLE})",
    "php": (
        r"(?P<comment>//[^\n]*|/\*.*?(?:\*/|\Z)|\#(?!\[)[^\n]*)"
        rf"|(?P<string>{_DOUBLE}|{_SINGLE})"
    ),
    "sql": rf"(?P<comment>--[^\n]*|/\*.*?(?:\*/|\Z))|(?P<string>{_SINGLE})",
}
_FAMILY_OF = {
    "python": "python",
    **dict.fromkeys(("javascript", "typescript", "tsx"), "script"),
    **dict.fromkeys(("go", "java", "c", "cpp", "rust", "c_sharp"), "braces"),
    **dict.fromkeys(("ruby", "bash"), "hashes"),
    "php": "php",
}
_BY_ENDING = {
    "sql": "sql",
    **dict.fromkeys(("kt", "kts", "swift", "scala", "dart", "groovy"), "braces"),
    **dict.fromkeys(("vue", "svelte"), "script"),
    **dict.fromkeys(("toml", "yaml", "yml", "mk", "ex", "exs", "r", "jl"), "hashes"),
}
_SLASH_LEAD = r"///?!?|/\*+|\*+/?"
_HASH_LEAD = r"\#+(?![!\[])"
# How a line of comment begins; in C and its kin a hash begins a directive or an attribute.
_LEADS = {
    **dict.fromkeys(("python", "hashes"), _HASH_LEAD),
    **dict.fromkeys(("script", "braces"), _SLASH_LEAD),
    "php": rf"{_SLASH_LEAD}|{_HASH_LEAD}",
    "sql": rf"--|{_SLASH_LEAD}",
    "": rf"{_SLASH_LEAD}|{_HASH_LEAD}|--",
}
_SOLID = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True)
class Bare:
    """A text, and the same without comments (`told`) and without strings as well (`code`)."""

    text: str
    told: str
    code: str

    def is_code(self, at: int) -> bool:
        """Return whether a character stands in code."""
        return self.code[at] == self.text[at]

    def is_told(self, at: int) -> bool:
        """Return whether a character stands in code or in a string that code uses."""
        return self.told[at] == self.text[at]

    def line(self, at: int) -> int:
        """Return the line of a character, from 1."""
        return self.text.count("\n", 0, at) + 1


def strip(text: str, language: str | None, path: str) -> Bare:
    """Blank comments and strings, as the language writes them; an unknown one stays as it is."""
    family = _family(language, path)
    if not family:
        return Bare(text, text, text)
    told: list[str] = []
    code: list[str] = []
    end = 0
    last = ""
    for found in _pattern(family).finditer(text):
        between = text[end : found.start()]
        last = between.rstrip()[-1:] or last
        blank = _SOLID.sub(" ", found[0])
        in_use = found.lastgroup != "comment" and not _documents(found, between, last)
        told += [between, found[0] if in_use else blank]
        code += [between, blank]
        last = found[0][-1] if in_use else last
        end = found.end()
    rest = text[end:]
    return Bare(text, "".join(told) + rest, "".join(code) + rest)


def comment_lead(path: str) -> re.Pattern[str]:
    """Return the pattern of what a line of comment begins with in the language of a file."""
    return _lead(_family(language_of(path), path))


def _family(language: str | None, path: str) -> str:
    ending = path.rpartition(".")[2].lower()
    return _FAMILY_OF.get(language or "") or _BY_ENDING.get(ending, "")


def _documents(found: re.Match[str], between: str, last: str) -> bool:
    """Return whether a string of three quotes is documentation: it begins a file or a body."""
    if found.lastgroup != "triple":
        return False
    return last in ("", ":") and (not last or "\n" in between[len(between.rstrip()) :])


@lru_cache(maxsize=8)
def _pattern(family: str) -> re.Pattern[str]:
    return re.compile(_FAMILIES[family], re.DOTALL)


@lru_cache(maxsize=8)
def _lead(family: str) -> re.Pattern[str]:
    return re.compile(rf"\s*(?:{_LEADS[family]})\s?")
