"""Ed25519 keys of devices and of a server, as hexadecimal texts."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A private key; only its owner holds it, and no message shows it."""

    _key: Ed25519PrivateKey = field(repr=False)

    @classmethod
    def make(cls) -> SigningKey:
        """Make a new key."""
        return cls(Ed25519PrivateKey.generate())

    @classmethod
    def read(cls, secret: str) -> SigningKey:
        """Read a key that `secret` wrote; ValueError where it is none."""
        return cls(Ed25519PrivateKey.from_private_bytes(bytes.fromhex(secret)))

    @property
    def secret(self) -> str:
        """The key itself, to be kept in a private file."""
        return self._key.private_bytes_raw().hex()

    @property
    def public(self) -> str:
        """What others check signatures with."""
        return self._key.public_key().public_bytes_raw().hex()

    def sign(self, text: str) -> str:
        """Sign a text."""
        return self._key.sign(text.encode()).hex()


@lru_cache(1_000)
def _read_public(public: str) -> Ed25519PublicKey:
    return Ed25519PublicKey.from_public_bytes(bytes.fromhex(public))


def is_signed(public: str, text: str, signature: str) -> bool:
    """Return whether the owner of a key signed a text."""
    try:
        _read_public(public).verify(bytes.fromhex(signature), text.encode())
    except (InvalidSignature, ValueError):
        return False
    return True


def is_key(public: str) -> bool:
    """Return whether a text is a public key."""
    try:
        _read_public(public)
    except ValueError:
        return False
    return True
