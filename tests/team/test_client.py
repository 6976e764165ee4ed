"""What a laptop says of a server that it can't talk to."""

from __future__ import annotations

import datetime as dt
import ssl
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from dmm.errors import TeamError
from dmm.team.client import ask_sign_in

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def make_certificate(folder: Path) -> Path:
    """Write a key and a certificate for this machine that nobody has signed but itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = dt.datetime.now(dt.UTC)
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(days=2))
        .not_valid_after(now + dt.timedelta(days=2))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(key, hashes.SHA256())
    )
    form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    file = folder / "server.pem"
    file.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, *form)
        + made.public_bytes(serialization.Encoding.PEM)
    )
    return file


@contextmanager
def serving(certificate: Path) -> Iterator[int]:
    """Have a server with TLS that is no team server."""

    class Answering(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b'{"ok": true}')

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Answering)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server.server_port
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def test_a_certificate_that_is_not_trusted_is_named_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = make_certificate(tmp_path)
    with serving(certificate) as port:
        url = f"https://localhost:{port}"
        with pytest.raises(TeamError, match="is not trusted: self-signed certificate") as told:
            ask_sign_in(url)
        assert told.value.hint == (
            "if it is from your own certificate authority: export SSL_CERT_FILE=ca.pem"
        )
        monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
        with pytest.raises(TeamError, match="the answer is not one of a team server"):
            ask_sign_in(url)
