"""Packs that were served, over HTTP and at the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from dmm.domain.plain import to_plain

if TYPE_CHECKING:
    from tests.http.conftest import Server

TASK = "what are the hard constraints"


def test_a_served_pack_is_explained_as_the_command_explains_it(server: Server, state: Path) -> None:
    assert server.ask("POST", "/v1/ledger/facts", {"key": "a", "value": "b"}).status == 200
    server.ask("POST", "/v1/query", {"query": TASK, "budget": 900})
    rows = server.ask("GET", "/v1/packs?limit=1").json()["packs"]
    assert [(one["task"], one["why"]) for one in rows] == [(TASK, "asked")]
    shown = server.ask("GET", f"/v1/packs/{rows[0]['seq']}")
    with server.projects.find(server.root).reading(server.actor) as dmm:
        assert shown.json() == to_plain(dmm.served_packs.show(rows[0]["seq"]))
    line = [str(Path(sys.executable).with_name("dmm")), "ledger", "pack", str(rows[0]["seq"])]
    told = subprocess.run(
        [*line, "--json"],
        cwd=server.root,
        env={"HOME": str(state), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        check=True,
    )
    assert json.loads(told.stdout) == shown.json()
    assert shown.json()["receipt"] is True
    assert len(shown.json()["entries"]) == rows[0]["entries"]


def test_an_event_that_is_no_pack_is_refused(server: Server) -> None:
    fact = server.ask("POST", "/v1/ledger/facts", {"key": "a", "value": "b"}).json()
    refused = server.ask("GET", f"/v1/packs/{fact['seq']}")
    assert (refused.status, refused.code) == (422, "usage")


def test_older_packs_are_reached_by_their_number(server: Server) -> None:
    # Without a ledger a query records nothing.
    assert server.ask("POST", "/v1/ledger/facts", {"key": "a", "value": "b"}).status == 200
    for task in ("one", "two"):
        server.ask("POST", "/v1/query", {"query": task})
    newest, *_ = server.ask("GET", "/v1/packs").json()["packs"]
    older = server.ask("GET", f"/v1/packs?limit=1&before={newest['seq']}").json()["packs"]
    assert [one["task"] for one in (newest, *older)] == ["two", "one"]
