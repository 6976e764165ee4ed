"""Notes that a merge leaves where both versions are kept: comments in markdown and in YAML.

<!-- dmm merge: both branches changed this; keep one version -->
one version
<!-- dmm merge: or -->
the other version
<!-- dmm merge: end -->
"""

from __future__ import annotations

import re
from dataclasses import dataclass

BOTH = "both branches changed this; keep one version"
REMOVED = "one branch removed this, the other changed it; keep it or remove it"
FIELD = "both branches changed this; the other version is"
_OR, _END = "<!-- dmm merge: or -->", "<!-- dmm merge: end -->"
_PASSAGE = re.compile(
    rf"^<!-- dmm merge: (?!or -|end -)(?P<what>.*?) -->$(?P<versions>(?s:.*?))^{_END}$"
    r"|^# dmm merge: (?P<field>.*)\n# (?P<value>.*)$",
    re.MULTILINE,
)


@dataclass(frozen=True, slots=True)
class Note:
    """A place where a person has to decide: its line, what it is about and the versions there."""

    line: int
    what: str
    versions: tuple[str, ...]


def write_note(what: str) -> str:
    """Write a note as a comment that markdown does not show."""
    return f"<!-- dmm merge: {what} -->"


def keep_versions(*versions: tuple[str, ...]) -> list[str]:
    """Return paragraphs that hold all versions of a passage, between notes."""
    kept = [write_note(BOTH if len(versions) > 1 else REMOVED), *versions[0]]
    for version in versions[1:]:
        kept += [_OR, *version]
    return [*kept, _END]


def keep_field(text: str) -> str:
    """Return a field as comment lines below a note."""
    lines = [f"dmm merge: {FIELD}", *text.rstrip("\n").split("\n")]
    return "".join(f"# {line}\n" for line in lines)


def find_notes(text: str) -> list[Note]:
    """Find the places of a text where a person has to decide."""
    return [_read(text, found) for found in _PASSAGE.finditer(text)]


def drop_settled(text: str) -> str:
    """Return a text without the notes around versions that a later merge made the same."""
    return _PASSAGE.sub(lambda found: _settle(found) or found[0], text)


def _settle(found: re.Match[str]) -> str:
    """Return the one version that is left of a passage, "" where there is a choice."""
    versions = (found["versions"] or "").split(_OR)
    same = len(versions) > 1 and len({version.strip("\n") for version in versions}) == 1
    return versions[0].strip("\n") if same else ""


def _read(text: str, found: re.Match[str]) -> Note:
    line = text.count("\n", 0, found.start()) + 1
    versions = (found["versions"] or found["value"]).split(_OR)
    what = found["what"] or found["field"]
    return Note(line, what, tuple(version.strip() for version in versions))
