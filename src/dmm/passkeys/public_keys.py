"""Public keys of passkeys, as COSE writes them: ES256, EdDSA and RS256."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dmm.passkeys.cbor import read_cbor

if TYPE_CHECKING:
    from collections.abc import Mapping

ES256, EDDSA, RS256 = -7, -8, -257
ALGORITHMS = (ES256, EDDSA, RS256)
SHORTEST_RSA = 2048
_KIND, _ALGORITHM, _CURVE, _X, _Y = 1, 3, -1, -2, -3
# For RSA the same numbers stand for the modulus and the exponent.
_MODULUS, _EXPONENT = -1, -2


def check_key(key: bytes) -> int:
    """Return the algorithm of a key that can be used."""
    found, rest = read_cbor(key)
    if rest or not isinstance(found, dict):
        raise ValueError("it is not a public key")
    _verifier(found)
    return int(found[_ALGORITHM])


def verify_signature(key: bytes, signature: bytes, data: bytes) -> bool:
    """Return whether the owner of a key signed some bytes."""
    from cryptography.exceptions import InvalidSignature

    verify = _verifier(read_cbor(key)[0])
    try:
        verify(signature, data)
    except InvalidSignature:
        return False
    return True


def _verifier(key: Mapping[int | str, Any]) -> Any:
    form = key.get(_KIND), key.get(_ALGORITHM)
    if form == (2, ES256) and key.get(_CURVE) == 1:
        return _elliptic(key)
    if form == (1, EDDSA) and key.get(_CURVE) == 6:
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        return Ed25519PublicKey.from_public_bytes(key[_X]).verify
    if form == (3, RS256):
        return _rsa(key)
    raise ValueError("its algorithm is none of ES256, EdDSA and RS256")


def _elliptic(key: Mapping[int | str, Any]) -> Any:
    from cryptography.hazmat.primitives.asymmetric import ec
    from cryptography.hazmat.primitives.hashes import SHA256

    point = b"\x04" + bytes(key[_X]) + bytes(key[_Y])
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), point)
    return lambda signature, data: public.verify(signature, data, ec.ECDSA(SHA256()))


def _rsa(key: Mapping[int | str, Any]) -> Any:
    from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicNumbers
    from cryptography.hazmat.primitives.hashes import SHA256

    numbers = (int.from_bytes(bytes(key[name]), "big") for name in (_EXPONENT, _MODULUS))
    public = RSAPublicNumbers(*numbers).public_key()
    if public.key_size < SHORTEST_RSA:
        raise ValueError("its RSA key is too short")
    return lambda signature, data: public.verify(signature, data, PKCS1v15(), SHA256())
