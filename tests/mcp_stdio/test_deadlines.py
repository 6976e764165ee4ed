"""A background process that hangs keeps the MCP entry neither alive nor silent for ever."""

from __future__ import annotations

import json
import socket
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.conftest import Project
    from tests.daemon.conftest import Machine
import pytest

pytestmark = pytest.mark.slow

# The entry as it is, with less patience.
HASTY = """
from dmm.mcp_stdio import stdio
stdio.FINISH_WITHIN = stdio.SEND_WITHIN = 0.3
stdio.main()
"""


def listen(machine: Machine) -> socket.socket:
    """Stand in the process's place, and say nothing."""
    machine.run.mkdir(mode=0o700)
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(machine.run / "dmm.sock"))
    listener.listen()
    return listener


def ping(filler: int = 0) -> bytes:
    asked = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"x": "x" * filler}}
    return json.dumps(asked).encode() + b"\n"


def test_after_the_client_has_left_a_hanging_process_is_given_up(
    machine: Machine, lived_in: Project
) -> None:
    with listen(machine):
        pump = machine.begin([sys.executable, "-c", HASTY], within=lived_in.folder)
        out, err = pump.communicate(ping(), timeout=30)
    assert (pump.returncode, err) == (0, b"")
    assert "retry the call" in json.loads(out)["error"]["message"]


def test_a_process_that_takes_nothing_is_given_up_and_the_client_is_told(
    machine: Machine, lived_in: Project
) -> None:
    with listen(machine):
        pump = machine.begin([sys.executable, "-c", HASTY], within=lived_in.folder)
        assert pump.stdin is not None
        assert pump.stdout is not None
        pump.stdin.write(ping(4 << 20))
        pump.stdin.flush()
        assert "retry the call" in json.loads(pump.stdout.readline())["error"]["message"]
