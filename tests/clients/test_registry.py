"""Every client is one value of one module, and all of it is understood."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import dmm
from dmm.clients.registry import NAMES, all_clients, find_client, peek_client
from dmm.errors import UsageError
from dmm.sessions.payload import HookKind, parse_payload
from dmm.sessions.reply import Reply, write_reply

SOURCE = Path(dmm.__file__).parents[1]


def test_a_client_is_found_by_its_name_and_has_a_module_of_that_name() -> None:
    assert [client.name for client in all_clients()] == list(NAMES)
    modules = {path.stem.replace("_", "-") for path in (SOURCE / "dmm/clients").glob("*.py")}
    assert set(NAMES) < modules
    assert peek_client("emacs") is find_client("claude-code")
    with pytest.raises(UsageError, match="unknown client 'emacs'"):
        find_client("emacs")


@pytest.mark.parametrize("name", NAMES)
def test_every_event_of_a_client_is_read_and_answered(name: str) -> None:
    client = find_client(name)
    for event, kind in client.known_events.items():
        told = {client.keys.event[0]: event, client.keys.session[0]: "s", "tool_name": "Bash"}
        read = parse_payload(name, json.dumps(told).encode())
        assert (read.kind, read.event, read.session) == (HookKind(kind), event, "s")
        denied = write_reply(read, Reply(decision="deny", reason="a rule says so"))
        assert (b"a rule says so" in denied) == (kind == "tool_request")
        told_more = b"remember" in write_reply(read, Reply(context="remember"))
        assert told_more == (kind in client.takes_context)
