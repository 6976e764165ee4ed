"""An issuer of OpenID Connect on loopback that really signs: metadata, keys, the device flow."""

from __future__ import annotations

import contextlib
import json
import secrets
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import jwt
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

if TYPE_CHECKING:
    from collections.abc import Iterator

    Private = rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey | ed25519.Ed25519PrivateKey

CLIENT = "dmm-laptops"


@dataclass(slots=True)
class Issuer:
    """Signs tokens for whoever is approved; tests say what it answers."""

    url: str = ""
    claims: dict[str, Any] = field(default_factory=dict)
    # What is answered to the next requests for a token; then the person has signed in.
    answers: list[str] = field(default_factory=list)
    keys: dict[str, tuple[str, Private]] = field(default_factory=dict)
    forms: list[dict[str, str]] = field(default_factory=list)
    asked_for_keys: int = 0
    keeps_nonce: bool = True
    # What tokens are bound to that no laptop has asked for.
    nonce: str = ""
    device_flow: bool = True
    jwks: str = "/jwks"
    # Nothing is answered while it is clear; the other is set once something was asked.
    open: threading.Event = field(default_factory=threading.Event)
    asked: threading.Event = field(default_factory=threading.Event)
    _nonces: dict[str, str] = field(default_factory=dict)

    def add_key(self, algorithm: str = "ES256") -> str:
        """Make a key; the newest signs."""
        kid = secrets.token_hex(4)
        made: Private
        if algorithm.startswith("ES"):
            made = ec.generate_private_key(ec.SECP256R1())
        elif algorithm == "EdDSA":
            made = ed25519.Ed25519PrivateKey.generate()
        else:
            made = rsa.generate_private_key(65537, 2048)
        self.keys[kid] = (algorithm, made)
        return kid

    def sign(self, **claims: Any) -> str:
        """Sign a token with the newest key."""
        kid, (algorithm, key) = list(self.keys.items())[-1]
        at = int(time.time())
        told = {"iss": self.url, "aud": CLIENT, "sub": "u1", "iat": at, "exp": at + 300}
        told["nonce"] = self.nonce
        told |= self.claims | claims
        kept = {name: value for name, value in told.items() if value is not None}
        return jwt.encode(kept, key, algorithm=algorithm, headers={"kid": kid})

    def tell_keys(self) -> dict[str, Any]:
        self.asked_for_keys += 1
        told = []
        for kid, (algorithm, key) in self.keys.items():
            public = jwt.get_algorithm_by_name(algorithm).to_jwk(key.public_key(), as_dict=True)
            told.append({**public, "kid": kid, "use": "sig", "alg": algorithm})
        return {"keys": told}

    def get(self, path: str) -> tuple[int, dict[str, Any]]:
        self.asked.set()
        self.open.wait()
        if path == self.jwks:
            return 200, self.tell_keys()
        if path != "/.well-known/openid-configuration":
            return 404, {}
        told = {"issuer": self.url, "jwks_uri": f"{self.url}{self.jwks}"}
        if self.device_flow:
            told |= {"device_authorization_endpoint": f"{self.url}/device"}
        return 200, told | {"token_endpoint": f"{self.url}/token"}

    def post(self, path: str, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        self.forms.append(form)
        if form.get("client_id") != CLIENT:
            return 400, {"error": "invalid_client"}
        if path == "/device":
            device = secrets.token_hex(8)
            self._nonces[device] = form.get("nonce", "")
            where = {"verification_uri": f"{self.url}/activate", "user_code": "WDJB-MJHT"}
            return 200, {"device_code": device, "expires_in": 60, "interval": 1, **where}
        if self.answers:
            answer = self.answers.pop(0)
            return (503, {}) if answer == "broken" else (400, {"error": answer})
        nonce = self._nonces[form["device_code"]] if self.keeps_nonce else None
        return 200, {"id_token": self.sign(nonce=nonce), "token_type": "Bearer"}


@contextlib.contextmanager
def issuing() -> Iterator[Issuer]:
    """Run an issuer from a thread of this process."""
    issuer = Issuer()
    issuer.add_key()
    issuer.open.set()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(*issuer.get(self.path))

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"])).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            self._answer(*issuer.post(self.path, form))

        def _answer(self, status: int, told: dict[str, Any]) -> None:
            data = json.dumps(told).encode() if told else b""
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, *_: Any) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        issuer.url = f"http://127.0.0.1:{server.server_address[1]}"
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield issuer
        finally:
            issuer.open.set()
            server.shutdown()
            thread.join()
