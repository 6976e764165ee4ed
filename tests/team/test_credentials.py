"""Credentials: whatever a server or a copied file calls a writer, no other file is used."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from dataclasses import asdict, replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING

import pytest

from dmm.errors import TeamError
from dmm.team.client import join
from dmm.team.credentials import Credentials, keep_credentials, read_credentials
from dmm.team.keys import SigningKey
from dmm.team.registry import Joined

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

KEY = SigningKey.read("11" * 32)
JOINED = Joined("acme", "shop", "0123456789abcdef", "reader", "token", KEY.public)
NO_NAMES = [
    {"writer": "../../../.claude/settings"},
    {"writer": "/etc/passwd"},
    {"writer": "0123456789ABCDEF"},
    {"writer": "0123456789abcdef\n"},
    {"writer": ""},
    {"team": "../acme"},
    {"project": "a/b"},
]


@contextmanager
def answering(told: Joined) -> Iterator[str]:
    """Answer every request with these words, as a server can that means harm."""
    body = json.dumps(asdict(told)).encode()

    class Harm(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    with HTTPServer(("127.0.0.1", 0), Harm) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def test_a_server_that_names_its_writer_as_a_registry_does_is_joined() -> None:
    with answering(JOINED) as url:
        assert join(url, f"acme.x.{KEY.public}", SigningKey.make(), "laptop") == JOINED


@pytest.mark.parametrize("names", NO_NAMES)
def test_a_server_that_answers_with_no_names_is_refused(names: dict[str, str]) -> None:
    with (
        answering(replace(JOINED, **names)) as url,
        pytest.raises(TeamError, match="not one of a team server"),
    ):
        join(url, f"acme.x.{KEY.public}", SigningKey.make(), "laptop")


@pytest.mark.parametrize("names", NO_NAMES)
def test_credentials_without_proper_names_are_neither_kept_nor_read(
    tmp_path: Path, names: dict[str, str]
) -> None:
    held = Credentials.of("http://127.0.0.1:1", replace(JOINED, **names), KEY)
    with pytest.raises(TeamError, match="can't be read"):
        keep_credentials(tmp_path, held)
    assert list(tmp_path.iterdir()) == []


def test_a_writer_that_is_a_path_reads_no_file(tmp_path: Path) -> None:
    held = Credentials.of("http://127.0.0.1:1", JOINED, KEY)
    (tmp_path / "planted.json").write_text(json.dumps(asdict(held)))
    with pytest.raises(TeamError, match="can't be read"):
        read_credentials(tmp_path, str(tmp_path / "planted"))


def test_a_file_of_another_writer_is_refused(tmp_path: Path) -> None:
    held = Credentials.of("http://127.0.0.1:1", JOINED, KEY)
    keep_credentials(tmp_path, held)
    assert read_credentials(tmp_path, held.writer) == held
    file = next(tmp_path.rglob(f"{held.writer}.json"))
    file.rename(file.with_name("fedcba9876543210.json"))
    with pytest.raises(TeamError, match="can't be read"):
        read_credentials(tmp_path, "fedcba9876543210")


def test_a_second_server_that_names_the_same_writer_takes_the_place_of_no_other(
    tmp_path: Path,
) -> None:
    held = Credentials.of("http://127.0.0.1:1", JOINED, KEY)
    keep_credentials(tmp_path, held)
    # The same membership may have moved to another address.
    moved = replace(held, url="http://127.0.0.1:2")
    keep_credentials(tmp_path, moved)
    other = SigningKey.make()
    for second in (
        replace(held, url="http://127.0.0.1:3", server_key=other.public),
        replace(held, project="till"),
        replace(held, secret=other.secret),
    ):
        with pytest.raises(TeamError, match=r"acme/shop at http://127\.0\.0\.1:2") as refused:
            keep_credentials(tmp_path, second)
        assert "new invitation" in (refused.value.hint or "")
    assert read_credentials(tmp_path, held.writer) == moved
