"""Remove secrets from text, loading the patterns on first use."""

from __future__ import annotations


def clean(text: str) -> str:
    """Return the text that `redact` leaves, without counts."""
    from dmm.redaction.redact import redact

    return redact(text).text
