"""WebAuthn: what an authenticator answers, read and compared with what it was asked."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
from typing import Any, Literal

from dmm.domain.frozen import frozen
from dmm.errors import ProofRefused
from dmm.passkeys.acts import digest_text
from dmm.passkeys.cbor import read_cbor
from dmm.passkeys.public_keys import check_key, verify_signature

PRESENT, VERIFIED, HAS_KEY = 0x01, 0x04, 0x40
HEAD = 37
LONGEST_ID = 1023
_BASE64URL = re.compile(r"[A-Za-z0-9_-]*")
AGAIN = "try again in the web UI"


@frozen
class Place:
    """Where a passkey is good: the name of the page, and the origin that the browser states."""

    name: str
    origin: str


@frozen
class Assertion:
    """What a passkey answers to a challenge."""

    id: str
    client_data: bytes
    authenticator_data: bytes
    signature: bytes


@frozen
class Made:
    """A new passkey: its id, its public key in COSE form, and how often it has signed.

    The attestation holds all of it, as the authenticator stated it.
    """

    id: str
    key: bytes
    counter: int
    attestation: str

    @property
    def digest(self) -> str:
        """By what a person confirms this passkey and no other."""
        return digest_text(self.attestation)


@frozen
class _Head:
    flags: int
    counter: int
    rest: bytes


def encode(data: bytes) -> str:
    """Write bytes as base64url without padding."""
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


def decode(text: str) -> bytes:
    """Read base64url with or without padding."""
    plain = text.rstrip("=")
    # A single letter beyond groups of four holds no whole byte.
    if not _BASE64URL.fullmatch(plain) or len(plain) % 4 == 1:
        raise ProofRefused("a part of the passkey's answer is not base64url", hint=AGAIN)
    return base64.urlsafe_b64decode(plain + "=" * (-len(plain) % 4))


def read_new(place: Place, challenge: bytes, client_data: bytes, attestation: bytes) -> Made:
    """Read a new passkey; who built the authenticator is not asked."""
    _check_client(place, challenge, client_data, "webauthn.create")
    return read_made(place, attestation)


def read_made(place: Place, attestation: bytes) -> Made:
    """Read a new passkey out of its attestation."""
    try:
        return _read_key(_read_head(place, _unpack(attestation)), attestation)
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        what = f"the new passkey can't be read: {error}"
        raise ProofRefused(what, hint="use another authenticator") from None


def _unpack(attestation: bytes) -> bytes:
    stated, rest = read_cbor(attestation)
    data = stated["authData"]
    if rest or not isinstance(data, bytes):
        raise ValueError("it is not an attestation")
    return data


def _read_key(head: _Head, attestation: bytes) -> Made:
    if not head.flags & HAS_KEY or len(head.rest) < 18:
        raise ValueError("it has no key")
    length = int.from_bytes(head.rest[16:18], "big")
    name = head.rest[18 : 18 + length]
    if not 0 < length <= LONGEST_ID or len(name) != length:
        raise ValueError("its id has a wrong length")
    following = head.rest[18 + length :]
    rest = read_cbor(following)[1]
    key = following[: len(following) - len(rest)]
    check_key(key)
    return Made(encode(name), key, head.counter, encode(attestation))


def check_assertion(place: Place, challenge: bytes, key: bytes, given: Assertion) -> int:
    """Check an answer to a challenge, and return how often the passkey has signed."""
    _check_client(place, challenge, given.client_data, "webauthn.get")
    return check_signature(place, key, given)


def check_signature(place: Place, key: bytes, given: Assertion) -> int:
    """Check that a passkey has signed something, and return how often it had signed by then."""
    head = _read_head(place, given.authenticator_data)
    signed = given.authenticator_data + hashlib.sha256(given.client_data).digest()
    if not verify_signature(key, given.signature, signed):
        raise ProofRefused("the passkey's signature is wrong", hint=AGAIN)
    return head.counter


def read_origin(client_data: bytes) -> str:
    """Read for which page a browser states that a passkey was used."""
    try:
        return str(json.loads(client_data)["origin"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ProofRefused("the browser's statement can't be read", hint=AGAIN) from None


def _check_client(
    place: Place,
    challenge: bytes,
    client_data: bytes,
    kind: Literal["webauthn.create", "webauthn.get"],
) -> None:
    """Check what the browser states: for what, for which challenge, and for which page."""
    try:
        told = json.loads(client_data)
    except (ValueError, RecursionError):
        told = None
    if not isinstance(told, dict) or told.get("type") != kind:
        raise ProofRefused("the browser's statement can't be read", hint=AGAIN)
    if not hmac.compare_digest(_text(told.get("challenge")), encode(challenge).encode()):
        raise ProofRefused("the passkey confirmed something else", hint=AGAIN)
    if told.get("origin") != place.origin or told.get("crossOrigin") not in (None, False):
        raise ProofRefused("the passkey was used by another page", hint=f"open {place.origin}")


def _text(value: Any) -> bytes:
    return value.encode("utf-8", "replace") if isinstance(value, str) else b""


def _read_head(place: Place, data: bytes) -> _Head:
    if len(data) < HEAD:
        raise ProofRefused("the authenticator's statement is too short", hint=AGAIN)
    if not hmac.compare_digest(data[:32], hashlib.sha256(place.name.encode()).digest()):
        raise ProofRefused("the passkey belongs to another page", hint=f"open {place.origin}")
    flags = data[32]
    if not flags & PRESENT or not flags & VERIFIED:
        hint = "use one with a PIN, a fingerprint or a face"
        raise ProofRefused("the authenticator did not verify who you are", hint=hint)
    return _Head(flags, int.from_bytes(data[33:HEAD], "big"), data[HEAD:])
