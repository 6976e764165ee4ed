"""Constructs: what people call a piece of code in words, and how it looks when it is written."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

from dmm.reading import read_table
from dmm.rules.content.expressions import LINE
from dmm.text.words import english_rows, group_by_word

LANGUAGES = english_rows("language_files")
CALLED = group_by_word("language_names")
# Prose may speak of code without being code; a rule file speaks of what it forbids.
PROSE = ("!*.md", "!*.mdx", "!*.rst", "!*.txt", "!*.adoc", "!**/docs/**", "!.dmm/**")
CODE = ["**", *PROSE]
IMPORTED = r"\b(?:import|from|require|use)\b[^\n]*?"
# An import of a package, not of a module of one's own (`from .requests`, `from './axios'`), and no
# query (`from requests`).
IMPORTS = (
    r"(?:^\s*(?:import\s+(?![^\n]*\bfrom\s*[\"'])|from\s+(?=\S+\s+import\b)"
    r"|(?:use|extern crate)\s+(?=[\w:]+(?:::|\s*;|\s+as\b))|(?:import|require)\s+[\"'])"
    rf"|{LINE}(?:\b(?:import|require)\s*\(|(?:\b(?:import|export)\b[^\n]*?|\}}\s*)\bfrom\b)"
    r"\s*[\"'])"
)
DASH = "[-_]"
ANY = r"(?:[^\n;=]|=>)+?"
EMOJI = r"[\U0001F300-\U0001FAFF\u2600-\u27BF]"


class Construct(NamedTuple):
    """A construct: its language, its look (a regex or rule on syntax), a line with, one without."""

    language: str
    look: str | dict[str, object]
    bad: str
    good: str


def _look(text: str) -> str | dict[str, object]:
    """Read the look of a construct: a rule on syntax, or a regex, on code alone behind `>`."""
    if text.startswith("{"):
        return dict(json.loads(text))
    return LINE + text[1:] if text.startswith(">") else text


# These are named with the verb that makes them what they are: "disable lint rules", "skip tests".
SUPPRESSED = ("lint rule", "type check", "test")
CONSTRUCTS = {
    phrase: (names.partition("|")[0], Construct(language, _look(look), bad, good))
    for names, language, look, bad, good in (
        row.split("\t") for row in read_table("constructs.txt")
    )
    for phrase in names.split("|")
}
_SAMPLES = {str(one.look): one.bad for _, one in CONSTRUCTS.values()}
LONGEST = max(len(phrase.split()) for phrase in CONSTRUCTS)


# What only one language has; `::`, `===`, `None` or `self.` are those of several.
_SIGNS = (
    (re.compile(r"^#!?\[[a-z]|^&mut\b"), "rust"),
    (re.compile(r"\bis (?:not )?None\b|^@pytest"), "python"),
    (re.compile(r"@ts-"), "javascript"),
    (re.compile(r"^fmt\.[A-Z]|^go func"), "go"),
    (re.compile(r"^is (?:not )?null$"), "c#"),
)


def language_of(code: str) -> str:
    """Name the language that a piece of code can only be of, or nothing."""
    return next((name for sign, name in _SIGNS if sign.search(code)), "")


def sample_of(look: object) -> str:
    """Return a line with the construct that has this look, or nothing."""
    return _SAMPLES.get(str(look), "")


def files_of(language: str) -> list[str]:
    """List the files that hold a language; all but prose where none is known."""
    return list(LANGUAGES.get(language, CODE))


_CALL = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*\(\)?(?:\.{3})?\)?")
_NAME = re.compile(r"@?[A-Za-z_$][\w$]*(?:(?:\.|::)[A-Za-z_$*][\w$]*)+!?|@[A-Za-z][\w.-]*")
_CASED = re.compile(
    r"(?:[A-Z][a-z0-9]+){2,}|[a-z]+(?:[A-Z][a-z0-9]*)+|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|\w+(?:_\w+)+|\w+!"
)
_WRITTEN = re.compile(r"[#@<\[({=!]|[\])};:]$|=>|==")
# Endings that no member of an object is called by.
_FILE_OR_HOST = re.compile(
    r"[\w.-]+\.(?:com|org|io|dev|net|mdx?|txt|rst|json|toml|ya?ml|xml|lock|py|[cm]?[jt]sx?|rs|rb|kt"
    r"|cs|cpp|hpp|php|s?css|vue|svelte)"
)
_MACRO_OR_METHOD = re.compile(r"\.[a-z_]\w*\(\)?\)?")


def looks_like_code(text: str) -> bool:
    """Whether a word can only be a name in a program: a call, a dotted or a cased name."""
    if _FILE_OR_HOST.fullmatch(text):
        return False
    return any(form.fullmatch(text) for form in (_CALL, _NAME, _CASED, _MACRO_OR_METHOD))


def regex_of(code: str, instead: str = "") -> str | None:
    """Write the regex that finds a piece of code; none where it could be anything.

    It does not find what is to be used `instead`: `Number.isNaN`, not `isNaN`.
    """
    text = code.strip()
    if looks_like_code(text):
        return _name_regex(text, behind=not instead.endswith(f".{text}"))
    # What stands for any name is a pattern for a reader, not the text that is meant.
    made_up = re.search(
        r"\.{3}|\b(?:foo|bar|baz|x|y|Foo|Bar|name|some|my\w*)\b|[<{]\w\w+[>}]", text
    )
    if len(text) > 3 and _WRITTEN.search(text) and re.search(r"[A-Za-z]{2}", text) and not made_up:
        # `Optional[T]` is that of any type.
        parts = [re.escape(part) for part in re.findall(r"\w+|[^\w\s]", text)]
        parts = [ANY if re.fullmatch(r"[A-Z]", part) else part for part in parts]
        # `== null` is no part of `=== null`.
        lead = r"(?<![\w.])" if text[0].isalnum() else r"(?<![=!<>])" if text[0] in "=!" else ""
        return lead + r"\s*".join(parts)
    return None


def _name_regex(text: str, *, behind: bool) -> str:
    name = text.rstrip(".)(")
    called = r"\s*\(" if text != name else r"(?![\w])"
    if name.startswith("."):
        return re.escape(name) + called
    if name.endswith("!") or name.startswith("@"):
        called = "" if name.endswith("!") else called
    dotted = re.search(r"\.|::|->", name)
    # `check()` is not `other.check()` nor its definition; `self.log.error()` is `log.error()`, and
    # a name that only a program has is the same behind a full stop: `db.findUnique`.
    lead = r"(?<![\w$])" if text == name and behind else r"(?<![\w$.])"
    # `Other::Time.now` is another one, and `::Time.now` is not.
    lead = r"(?<![\w$])(?<!\w::)" if dotted or name.startswith("@") else lead
    defined = "" if dotted or text == name else r"(?<!def )(?<!fn )(?<!func )(?<!function )"
    return lead + defined + r"\w+".join(map(re.escape, parts_of(name))) + called


def parts_of(name: str) -> list[str]:
    """Part a name where any member of an object is meant, `console.*`; not `import java.util.*`."""
    return name.split("*") if re.fullmatch(r"[\w$]+\.\*", name) else [name]


def content_of(regex: str, *, comments: bool = False) -> dict[str, object]:
    """Write a content matcher; what only a comment says is left alone unless it is meant."""
    whole = regex if comments else LINE + regex
    return {"content": {"regex": whole}}
