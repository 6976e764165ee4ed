"""What a person confirms: one act, on one thing, with one text."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

# What these bring into force or take out of it is a text, which has to be the one that was shown.
TEXTED = (
    *("approve", "reject", "edit", "undo", "remember", "forget", "resolve", "constraint"),
    *("accept_rule", "disable_rule", "enable_rule", "edit_rule", "add_rule", "adopt_rules"),
)
DIGEST = 64


@dataclass(frozen=True, slots=True)
class Act:
    """An act on something: `digest` is that of the text that it is about."""

    action: str
    id: str = ""
    digest: str = ""

    def challenge(self, nonce: bytes) -> bytes:
        """Return what a passkey signs; each part is preceded by its length, so that none can shift.

        The nonce makes it good once.
        """
        found = hashlib.sha256()
        # The name of a folder need not be UTF-8; what is not stays itself.
        told = (one.encode("utf-8", "surrogatepass") for one in (self.action, self.id, self.digest))
        for part in (*told, nonce):
            found.update(len(part).to_bytes(8, "big"))
            found.update(part)
        return found.digest()

    def covers(self, other: Act) -> bool:
        """Return whether a confirmation of this act covers another with the same text."""
        same_text = self.digest == other.digest or other.action not in TEXTED
        return (self.action, self.id) == (other.action, other.id) and same_text

    @property
    def is_unread(self) -> bool:
        """Whether it is about a text without saying which."""
        return self.action in TEXTED and len(self.digest) != DIGEST


def digest_text(text: str) -> str:
    """Return the digest of a text that an act is about."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
