"""Ids of sessions, calls, agents and turns, recorded without secrets.

A name without a secret stays as it is. Any other one is always written in the same way, whatever it
came through, so that what belongs together is still found together.
"""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256

# No secret of a known form is shorter.
_SHORTEST = 8
# Enough to tell a few names apart, and too little to check a guess at a secret by.
_DIGITS = 4


# The same session acts in many events.
@lru_cache(maxsize=256)
def keep_identity(name: str) -> str:
    """Return an id for the record: unchanged, or a marker with digits of its hash."""
    if len(name) < _SHORTEST:
        return name
    from dmm.redaction.redact import redact

    found = redact(name)
    if not found.counts:
        return name
    return f"{found.text}#{sha256(name.encode('utf-8', 'replace')).hexdigest()[:_DIGITS]}"
