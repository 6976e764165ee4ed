"""Content patterns checked before they are in force: what is wrong, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.rules.budget import Stopped
from dmm.rules.content.expressions import compiled
from dmm.rules.content.languages import LANGUAGES, LENIENT, language_named, language_of_path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dmm.rules.content.pattern import ContentPattern


def check_content(pattern: ContentPattern, paths: Iterable[str] = ()) -> str | None:
    """Return what is wrong with a pattern; nothing where it can be used.

    `paths` are the globs beside it: they tell the language where the pattern does not.
    """
    if not (pattern.regex or pattern.pattern or pattern.rule):
        return "it needs a regex, a pattern or a rule"
    if pattern.language and not language_named(pattern.language):
        return f"unknown language {pattern.language!r}; known: {', '.join(LANGUAGES)}"
    try:
        if pattern.regex:
            compiled(pattern.regex, ignore_case=pattern.ignore_case)
    except Stopped as fault:
        return fault.what
    if not (pattern.pattern or pattern.rule):
        return None
    named = [language_named(pattern.language)] if pattern.language else []
    named = named or sorted({one for path in paths if (one := language_of_path(path))})
    return _check_structure(pattern, named)


def _check_structure(pattern: ContentPattern, named: list[str]) -> str | None:
    """Have a pattern read in its languages, or else in any that is not content with all words."""
    from dmm.rules.content.matchers import build

    faults: list[str] = []
    for language in named or [one for one in LANGUAGES if one not in LENIENT]:
        try:
            build(pattern.pattern, pattern.rule, language)
        except Stopped as fault:
            faults.append(fault.what)
        else:
            return None
    if named or len(set(faults)) == 1:
        return faults[0]
    return "its pattern is not valid in any known language; set the language"
