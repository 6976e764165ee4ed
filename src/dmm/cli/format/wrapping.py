"""Texts as lines of at most 80 columns; light to import."""

from __future__ import annotations

from dmm.domain.text import neutralise

WIDTH = 80
_DEEPEST = WIDTH // 2


def wrapped(text: str, lead: str = "", *, whole: bool = False) -> list[str]:
    """Break a text into lines; those after the first stand below its beginning, or near it.

    Words stay `whole` where they are to be copied, such as long paths.
    """
    shown = neutralise(str(text))
    if len(lead) + len(shown) <= WIDTH and shown.isprintable() and shown == shown.strip():
        return [lead + shown]
    # Only a long text is worth loading it.
    import textwrap

    # A flag such as --dry-run stays whole; behind a long lead there is no room to stand below it.
    indent = len(lead) if len(lead) <= _DEEPEST else 4
    paragraph = textwrap.TextWrapper(
        WIDTH, lead, " " * indent, break_on_hyphens=False, break_long_words=not whole
    )
    return paragraph.wrap(shown) or [lead]
