"""Texts as lines of at most 80 columns; light to import."""

from __future__ import annotations

from dmm.domain.text import neutralise

WIDTH = 80


def wrapped(text: str, lead: str = "") -> list[str]:
    """Break a text into lines; those after the first stand below its beginning."""
    shown = neutralise(str(text))
    if len(lead) + len(shown) <= WIDTH and shown.isprintable() and shown == shown.strip():
        return [lead + shown]
    # Only a long text is worth loading it.
    import textwrap

    # A break at a hyphen would cut flags and names in two.
    fill = textwrap.TextWrapper(WIDTH, lead, " " * len(lead), break_on_hyphens=False)
    return fill.wrap(shown) or [lead]
