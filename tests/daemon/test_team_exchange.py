"""The threads that exchange rules with a team go on after every failure, and do not spin."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from dmm.daemon.logs import Log
from dmm.daemon.team_exchange import SHORTEST_REST, WAIT, repeat, rest_after
from dmm.errors import StorageError, TeamError

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("error", "named"),
    [
        (TeamError("edited", "event 3 holds secret words"), "edited"),
        (StorageError("secret words"), "storage"),
        (RecursionError("secret words"), "RecursionError"),
    ],
)
def test_a_failure_is_named_once_and_the_exchange_goes_on(
    tmp_path: Path, error: Exception, named: str
) -> None:
    leaving, path = threading.Event(), tmp_path / "logs" / "daemon.log"
    turns: list[int] = []

    def duty() -> float:
        turns.append(1)
        if len(turns) < 3:
            raise error
        leaving.set()
        return 0.0

    repeat(duty, leaving, Log(path), first=0.0)
    assert len(turns) == 3
    lines = path.read_text().splitlines()
    assert len(lines) == 1
    assert f"the exchange with the team failed ({named})" in lines[0]
    assert "secret" not in lines[0]


def test_a_server_that_does_not_wait_is_not_asked_again_at_once() -> None:
    assert rest_after(0, 0.01) == SHORTEST_REST >= 1.0
    assert rest_after(0, WAIT) == 0.0
    assert rest_after(2, 0.01) == 0.0
