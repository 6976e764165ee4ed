"""What only looks like a secret, made at random where it is random in life."""

from __future__ import annotations

import base64
import hashlib
import json
import random
import struct
import zlib


class Maker:
    """Makes digests, keys and images at random, the same each time for the same number."""

    def __init__(self, number: int) -> None:
        self._chance = random.Random(number)

    def drawn(self, size: int) -> bytes:
        return self._chance.randbytes(size)

    def digest(self, kind: str, *, safe: bool = False) -> str:
        """Digest something and write it in base64."""
        encode = base64.urlsafe_b64encode if safe else base64.b64encode
        return encode(hashlib.new(kind, self.drawn(20)).digest()).decode()

    def hex(self, kind: str) -> str:
        return hashlib.new(kind, self.drawn(20)).hexdigest()

    def uuid(self) -> str:
        drawn = self.drawn(16).hex()
        return "-".join((drawn[:8], drawn[8:12], drawn[12:16], drawn[16:20], drawn[20:]))

    def ssh(self, kind: str, *fields: bytes) -> str:
        """Write a public key as OpenSSH does: its kind and its numbers, each behind its length."""
        parts = (kind.encode(), *fields)
        return kind + " " + _coded(b"".join(struct.pack(">I", len(one)) + one for one in parts))

    def png(self, size: int = 160) -> str:
        """Make an image of random points."""
        rows = b"".join(b"\0" + self.drawn(3 * 8) for _ in range(size // 8))
        head = struct.pack(">IIBBBBB", 8, size // 8, 8, 2, 0, 0, 0)
        chunks = ((b"IHDR", head), (b"IDAT", zlib.compress(rows)), (b"IEND", b""))
        return _coded(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*one) for one in chunks))

    def jpeg(self) -> str:
        return _coded(
            b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0" + self.drawn(300) + b"\xff\xd9"
        )

    def certificate(self) -> bytes:
        """Make something of the form of a certificate: a body, an algorithm, a signature."""
        number = _der(0x02, b"\1" + self.drawn(15))
        name = _der(0x30, _der(0x31, _der(0x30, bytes.fromhex("0603550403") + _der(0x0C, b"shop"))))
        key = _der(0x30, _der(0x30, bytes.fromhex("06092a864886f70d0101010500")) + self.bits(270))
        when = _der(0x30, _der(0x17, b"260101000000Z") + _der(0x17, b"270101000000Z"))
        kind = _der(0x30, bytes.fromhex("06092a864886f70d01010b0500"))
        body = _der(0x30, bytes.fromhex("a003020102") + number + kind + name + when + name + key)
        return _der(0x30, body + kind + self.bits(256))

    def public_key(self) -> bytes:
        return _der(0x30, _der(0x30, bytes.fromhex("06092a864886f70d0101010500")) + self.bits(270))

    def bits(self, size: int) -> bytes:
        return _der(0x03, b"\0" + self.drawn(size))


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _der(tag: int, data: bytes) -> bytes:
    size = len(data)
    if size < 128:
        return bytes((tag, size)) + data
    length = size.to_bytes((size.bit_length() + 7) // 8)
    return bytes((tag, 0x80 | len(length))) + length + data


def _coded(data: bytes) -> str:
    return base64.b64encode(data).decode()


def armoured(label: str, data: bytes) -> str:
    """Write data in lines between a first and a last one that tell what it is."""
    text = _coded(data)
    lines = [text[at : at + 64] for at in range(0, len(text), 64)]
    return "\n".join((f"-----BEGIN {label}-----", *lines, f"-----END {label}-----"))


def make_digests(make: Maker) -> dict[str, str]:
    """Make what lock files, registries and commands write of contents."""
    return {
        "npm integrity": f'"integrity": "sha512-{make.digest("sha512")}",',
        "yarn integrity": f"  integrity sha512-{make.digest('sha512')}",
        "old integrity": f"integrity: sha1-{make.digest('sha1')}",
        "script integrity": f'<script integrity="sha384-{make.digest("sha384")}" src="/a.js">',
        "go.sum": f"github.com/pkg/errors v0.9.1 h1:{make.digest('sha256')}",
        "go.sum, mod": f"golang.org/x/text v0.14.0/go.mod h1:{make.digest('sha256')}",
        "terraform lock": f'    "h1:{make.digest("sha256")}",\n    "zh:{make.hex("sha256")}",',
        "cargo lock": f'checksum = "{make.hex("sha256")}"',
        "poetry lock": f'{{file = "a-1.0.whl", hash = "sha256:{make.hex("sha256")}"}}',
        "pip hash": f"idna==3.7 --hash=sha256:{make.hex('sha256')}",
        "wheel record": f"idna/core.py,sha256={make.digest('sha256', safe=True).rstrip('=')},13239",
        "nix hash": f'hash = "sha256-{make.digest("sha256")}";',
        "docker digest": f"python@sha256:{make.hex('sha256')}",
        "content policy": f"script-src 'sha256-{make.digest('sha256')}'",
        "pinned key": f'.add("x.example.com", "sha256/{make.digest("sha256")}")',
        "ssh fingerprint": f"256 SHA256:{make.digest('sha256').rstrip('=')} me@host (ED25519)",
        "git commit": f"commit {make.hex('sha1')}",
        "git range": f"index {make.hex('sha1')[:7]}..{make.hex('sha1')[:7]} 100644",
        "sha256sum": f"{make.hex('sha256')}  dist/app.tar.gz",
        "md5sum": f"{make.hex('md5')}  app.iso",
        "etag": f'ETag: "{make.hex("md5")}"',
        "file version": f"/static/js/main.{make.hex('md5')[:8]}.chunk.js",
        "digest header": f"Content-Digest: sha-256=:{make.digest('sha256')}:",
        "ipfs": "ipfs://QmYwAPJzv5CZsnA625s3Xf2nemtYgPpHdWEz79ojWKpbdG/readme",
        "password in a test": 'password = "password"',
    }


def make_keys(make: Maker) -> dict[str, str]:
    """Make public keys, certificates, images and other contents."""
    ed25519 = make.ssh("ssh-ed25519", make.drawn(32))
    rsa = make.ssh("ssh-rsa", b"\1\0\1", b"\0" + make.drawn(256))
    ecdsa = make.ssh("ecdsa-sha2-nistp256", b"nistp256", b"\4" + make.drawn(64))
    certificate = armoured("CERTIFICATE", make.certificate())
    text = "The quick brown fox jumps over the lazy dog, and nobody minds."
    jwk = {"kty": "RSA", "use": "sig", "kid": "2026-01", "n": "", "e": "AQAB"}
    jwk["n"] = base64.urlsafe_b64encode(make.drawn(256)).decode().rstrip("=")
    svg = _coded(b'<svg xmlns="http://www.w3.org/2000/svg"><path d="M1 2h3v4z"/></svg>')
    return {
        "ssh ed25519": f"{ed25519} me@host",
        "ssh rsa": f"{rsa} dev@laptop.local",
        "ssh ecdsa": ecdsa,
        "known hosts": f"github.com,140.82.121.4 {rsa}",
        "authorized keys": f'no-pty,command="/bin/true" {ed25519} backup@host',
        "deploy key": f'deploy_key = "{ed25519} ci@host"',
        "user data": f"ssh_authorized_keys:\n  - {ed25519} me@host\n  - {rsa} you@host\n",
        "certificate": certificate,
        "public key": armoured("PUBLIC KEY", make.public_key()),
        "certificate data": f"    certificate-authority-data: {_coded(certificate.encode())}",
        "saml certificate": f"<X509Certificate>{_coded(make.certificate())}</X509Certificate>",
        "jwk": json.dumps(jwk),
        "wireguard peer": f"[Peer]\nPublicKey = {_coded(make.drawn(32))}\nAllowedIPs = 10.0.0.2/32",
        "image address": f'<img src="data:image/png;base64,{make.png()}" alt="x">',
        "image in css": f"background: url(data:image/jpeg;base64,{make.jpeg()})",
        "drawing": f"url('data:image/svg+xml;base64,{svg}')",
        "image in a notebook": json.dumps({"image/png": make.png()}),
        "font": "src: url(data:font/woff2;base64," + _coded(b"wOF2" + make.drawn(200)) + ")",
        "encoded text": f"echo {_coded(text.encode())} | base64 -d",
        "encoded page": "next=" + _coded(b'{"page": 2, "sort": "name", "after": 1840}'),
    }


def make_texts(make: Maker) -> dict[str, str]:
    """Make texts over several lines, and ids."""
    identity = make.uuid()
    return {
        "uuid": f"request {identity} took 12 ms",
        "path with an id": f"/home/dev/.claude/projects/-home-dev-shop/{identity}.jsonl",
        "continued command": "docker run \\\n  -p 8080:80 \\\n  --name web \\\n  nginx:1.25",
        "table of users": "name,role,city\nalice,admin,Berlin\nbob,user,Paris\n",
        "insert": "INSERT INTO users (name, role) VALUES ('alice', 'admin');",
        "list of ids": "\n".join(f"toolu_{make.hex('md5')[:20]}" for _ in range(4)),
        "wrapped text": "The token bucket of the gateway is filled\nonce2 a second by Timer3Task\n",
        "call id": f'{{"tool_use_id": "toolu_01{make.hex("sha1")[:22]}", "duration_ms": 42}}',
    }


def make_harmless(number: int = 1) -> dict[str, str]:
    """Make all of them."""
    make = Maker(number)
    return make_digests(make) | make_keys(make) | make_texts(make)
