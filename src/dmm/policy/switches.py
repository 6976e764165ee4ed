"""Settings that turn something off: `verify=False`, `--no-verify`."""

from __future__ import annotations

import re
from functools import lru_cache

from dmm.policy.lemmas import base_forms

OFF_VALUES = frozenset(("false", "0", "off", "none", "no"))
_OFF = re.compile(r"(?:.*=(?:false|0|off|none|no)|--(?:no|skip|disable|without)-.+|--insecure)\Z")
_PARTS = re.compile(r"[a-z]+")
# Settings are named by a verb; rules name the thing.
_MEANT = {
    "verify": "verification certificate validation tls ssl check",
    "insecure": "verification certificate validation tls ssl",
    "reject": "verification certificate tls ssl",
    "strict": "strictness",
    "auth": "authentication",
    "authenticate": "authentication",
    "log": "logging",
    "escape": "escaping",
    "encrypt": "encryption",
}
_NOTHING: frozenset[str] = frozenset()


@lru_cache(maxsize=1_024)
def turned_off(text: str) -> frozenset[str]:
    """The words for what a setting turns off; nothing for any other text."""
    if not _OFF.match(text):
        return _NOTHING
    found: set[str] = set()
    for part in _PARTS.findall(text.partition("=")[0]):
        if part not in ("no", "skip", "disable", "without"):
            found |= base_forms(part)
            found.update(_MEANT.get(part, "").split())
    if text == "--no-verify":
        found = {"hook", "check", "verification"}
    return frozenset(found)
