"""Remove secrets from text, loading the patterns on first use."""

from __future__ import annotations


def clean(text: str) -> str:
    """Return a text without secrets and private parts: what `redact` leaves of it."""
    from dmm.redaction.redact import redact

    return redact(text).text
