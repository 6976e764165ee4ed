"""Texts as lines of at most 80 columns; light to import."""

from __future__ import annotations

import textwrap

from dmm.domain.text import neutralise

WIDTH = 80


def wrapped(text: str, lead: str = "") -> list[str]:
    """Break a text into lines; those after the first stand below its beginning."""
    below = " " * len(lead)
    shown = neutralise(str(text))
    return textwrap.wrap(shown, WIDTH, initial_indent=lead, subsequent_indent=below) or [lead]
