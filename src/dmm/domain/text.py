"""Make text safe to show: hidden or reordering characters become visible."""

from __future__ import annotations

import re
from functools import lru_cache

from dmm.domain.hidden import replace_hidden, show_code

# These end a line, or did so once: without them two words would become one.
_BREAKS = frozenset("\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")

_IMITATION = (
    r"^(?= {0,3}(?:"
    r"#{1,6}[ \t]+(?:DMM Memory Pack|Baseline \(Always|Constraints in Force|Retrieved Context"
    r"|Pack Statistics|\[[^\]\n]{0,300}\][ \t]+\(relevance:)"
    r"|>[ \t]*(?:Notice:|cites |deprecated$|this file has a fault)))"
)


def shield(text: str) -> str:
    """Escape lines that look like the frame of a pack."""
    return _imitation().sub(r"\\", text)


@lru_cache(maxsize=1)
def _imitation() -> re.Pattern[str]:
    """Compile the pattern when it is needed: a short command only shows a line."""
    return re.compile(_IMITATION, re.MULTILINE | re.IGNORECASE)


def neutralise(text: str) -> str:
    """Show control, zero-width, bidirectional and tag characters as their code: <U+202E>.

    Joiners and variation selectors are shown too where no script and no emoji needs them.
    """
    return replace_hidden(text, show_code)


def strip_hidden(text: str) -> str:
    """Drop the characters that `neutralise` would show; visible text stays."""
    return replace_hidden(text, lambda sign: " " if sign in _BREAKS else "")


def drop_markers(text: str) -> str:
    """Remove the markers that stand in the place of secrets: they are no words of the text."""
    return re.sub(r"\[redacted:[^\]]*\]", " ", text)


def repeats(title: str, text: str) -> bool:
    """Return whether the first sentence of a text is its title, as in a note of one line."""
    return text.startswith(title) and text[len(title) : len(title) + 1] in {"", ".", "!", "?", "\n"}


def tell_once(title: str, body: str) -> str:
    """Return a body without its heading where its first sentence says the same."""
    below = body.removeprefix(f"# {title}\n").lstrip()
    return below if repeats(title, below) else body
