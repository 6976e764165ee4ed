"""Words that every laptop can show."""

from __future__ import annotations

import re

from dmm.domain.hidden import find_hidden
from dmm.redaction.inputs import LONGEST

_SURROGATE = re.compile("[\ud800-\udfff]")


def is_words(text: str) -> bool:
    """Return whether a text can be shown on every laptop: there, not too long, nothing hidden."""
    if not text.strip() or len(text) > LONGEST["constraint"] or find_hidden(text):
        return False
    return _SURROGATE.search(text) is None
