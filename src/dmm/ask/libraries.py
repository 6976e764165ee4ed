"""Known libraries, by what using them says about a program."""

from __future__ import annotations

import re

from dmm.reading import read_sections

_TABLE = {
    name: dict(row.split(": ", 1) for row in rows)
    for name, rows in read_sections("libraries.txt").items()
}
DATABASES = _TABLE["databases"]
CACHES = _TABLE["caches"]
OBJECT_STORES = _TABLE["object_stores"]
SERVERS = _TABLE["servers"]
MODEL_LIBRARIES = _TABLE["model_libraries"]
MODEL_RUNTIMES = _TABLE["model_runtimes"]
COMMAND_LINES = _TABLE["command_lines"]
PROTOCOLS = _TABLE["protocols"]
REMOTE_CALLS = _TABLE["remote_calls"]
_LANGUAGES = ("python", "script", "go", "java", "rust", "ruby", "c")
_NOTHING = "(?!)"
# The first word of each way is in its own group: it has to be code, not a comment.
_WAYS = (
    r"^[ \t]*(?P<at1>from)[ \t]+(?:{python})\b[\w.]*[ \t]+import\b",
    r"^[ \t]*(?P<at2>import)[ \t]+(?:{python})\b(?![.\w]*[ \t]*[;\"'])",
    r"(?P<script>\bfrom|\bimport|\brequire)[ \t]*\(?[ \t]*[\"'](?:{script})(?:/[^\"'\n]*)?[\"']",
    r"^[ \t]*(?:import[ \t]+)?(?:\w+[ \t]+)?(?P<go>\")(?:{go})(?:/[\w./-]*)?\"[ \t]*$",
    r"^[ \t]*(?P<at3>import|using)[ \t]+(?:static[ \t]+)?(?:{java})\b[\w.*]*[ \t]*;?[ \t]*$",
    r"^[ \t]*(?P<at4>(?:pub[ \t]+)?use|extern[ \t]+crate)[ \t]+(?:{rust})(?=::|;|[ \t])",
    r"^[ \t]*(?P<at5>require|gem)[ \t(]*[\"'](?:{ruby})[\"']",
    r"^[ \t]*(?P<at6>\#[ \t]*include)[ \t]*[<\"](?:{c})[>\"]",
)


def write_pattern(names: dict[str, str]) -> str:
    """Write the pattern of an import of any of some libraries."""
    filled = {
        language: "|".join(map(_escape, names.get(language, "").split())) or _NOTHING
        for language in _LANGUAGES
    }
    return "|".join(way.format(**filled) for way in _WAYS)


def _escape(name: str) -> str:
    return re.escape(name).replace(r"\*", r"[\w-]*")


def list_names(names: dict[str, str]) -> tuple[str, ...]:
    """List what a text has to hold, one of it at least, to import any of some libraries."""
    listed = (name.rstrip("*") for line in names.values() for name in line.split())
    return tuple(dict.fromkeys(listed))


def list_words(*libraries: dict[str, str]) -> str:
    """List the names of libraries as the words of a search."""
    names = [name for one in libraries for line in one.values() for name in line.split()]
    return " ".join(dict.fromkeys(re.sub(r"[*@]", "", name) for name in names))
