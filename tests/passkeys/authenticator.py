"""An authenticator in software: it makes real keys and real signatures."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass, field
from typing import Any, Protocol

from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256

from dmm.passkeys.webauthn import Assertion, encode

FLAGS = 0x05


def write_cbor(value: Any) -> bytes:
    match value:
        case bool():
            return b"\xf5" if value else b"\xf4"
        case int():
            return _head(0, value) if value >= 0 else _head(1, -1 - value)
        case bytes():
            return _head(2, len(value)) + value
        case str():
            return _head(3, len(value.encode())) + value.encode()
        case list():
            return _head(4, len(value)) + b"".join(map(write_cbor, value))
        case dict():
            pairs = (write_cbor(key) + write_cbor(one) for key, one in value.items())
            return _head(5, len(value)) + b"".join(pairs)
    raise TypeError(type(value))


def _head(major: int, number: int) -> bytes:
    if number < 24:
        return bytes([major << 5 | number])
    width, low = next((w, low) for w, low in ((1, 24), (2, 25), (4, 26)) if number < 1 << 8 * w)
    return bytes([major << 5 | low]) + number.to_bytes(width, "big")


class Signer(Protocol):
    cose: dict[int, int | bytes]

    def sign(self, data: bytes) -> bytes: ...


class Es256:
    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        point = self._key.public_key().public_numbers()
        x, y = (number.to_bytes(32, "big") for number in (point.x, point.y))
        self.cose: dict[int, int | bytes] = {1: 2, 3: -7, -1: 1, -2: x, -3: y}

    def sign(self, data: bytes) -> bytes:
        return self._key.sign(data, ec.ECDSA(SHA256()))


class EdDsa:
    def __init__(self) -> None:
        self._key = ed25519.Ed25519PrivateKey.generate()
        public = self._key.public_key().public_bytes_raw()
        self.cose: dict[int, int | bytes] = {1: 1, 3: -8, -1: 6, -2: public}

    def sign(self, data: bytes) -> bytes:
        return self._key.sign(data)


class Rs256:
    def __init__(self, bits: int = 2048) -> None:
        self._key = rsa.generate_private_key(65537, bits)
        numbers = self._key.public_key().public_numbers()
        modulus = numbers.n.to_bytes(bits // 8, "big")
        self.cose: dict[int, int | bytes] = {1: 3, 3: -257, -1: modulus, -2: b"\x01\x00\x01"}

    def sign(self, data: bytes) -> bytes:
        return self._key.sign(data, PKCS1v15(), SHA256())


@dataclass
class Authenticator:
    """One passkey, at one page; what it states can be bent by those who test that."""

    name: str
    origin: str
    signer: Signer = field(default_factory=Es256)
    id: bytes = field(default_factory=lambda: os.urandom(32))
    counter: int = 0
    flags: int = FLAGS

    def create(self, challenge: bytes, /, **stated: Any) -> tuple[bytes, bytes]:
        """Make the passkey: client data and attestation object."""
        key = write_cbor(self.signer.cose)
        attested = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + key
        data = self._head(self.flags | 0x40) + attested
        told = {"fmt": "none", "attStmt": {}, "authData": data}
        return self._client("webauthn.create", challenge, stated), write_cbor(told)

    def sign(self, challenge: bytes, /, **stated: Any) -> Assertion:
        """Confirm a challenge."""
        self.counter += 1
        client = self._client("webauthn.get", challenge, stated)
        head = self._head(self.flags)
        signed = self.signer.sign(head + hashlib.sha256(client).digest())
        return Assertion(encode(self.id), client, head, signed)

    def _head(self, flags: int) -> bytes:
        place = hashlib.sha256(self.name.encode()).digest()
        return place + bytes([flags]) + self.counter.to_bytes(4, "big")

    def _client(self, kind: str, challenge: bytes, stated: dict[str, Any]) -> bytes:
        told = {"type": kind, "challenge": encode(challenge), "origin": self.origin}
        return json.dumps(told | {"crossOrigin": False} | stated).encode()


def to_json(given: Assertion) -> dict[str, str]:
    """Write an answer as the page sends it."""
    return {
        "id": given.id,
        "client_data": encode(given.client_data),
        "authenticator_data": encode(given.authenticator_data),
        "signature": encode(given.signature),
    }
