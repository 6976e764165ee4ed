"""Kept events: a bad one is put aside and told, and stands in the way of no other."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from dmm.daemon.spooled import Kept, Spool

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.conftest import Project
    from tests.daemon.conftest import Machine, Session

    from dmm.domain.event import Event


def keep(folder: Path, name: str, root: bytes, payload: str = "{}") -> None:
    folder.mkdir(parents=True, mode=0o700, exist_ok=True)
    data = b"DMM1 claude-code 5\n" + root + b"\n" + payload.encode()
    (folder / f"{name}.event").write_bytes(data)


def test_events_of_impossible_places_harm_neither_the_process_nor_the_others(
    machine: Machine,
    lived_in: Project,
    session: Session,
    ledger: Callable[..., list[Event]],
    wait: Callable[..., Any],
) -> None:
    spool = machine.state / "spool"
    stop = json.dumps(session.payload("Stop"))
    keep(spool, "0-1", b"/x\0y", stop)
    keep(spool, "0-2", b"/" + b"n" * 300, stop)
    keep(spool, "0-3", b"/\xff\xfe" + b"/n" * 3000, stop)
    keep(spool, "0-4", b"", stop)
    keep(spool, "0-5", os.fsencode(lived_in.dmm), json.dumps(session.bash("make", 1)))
    pid = machine.start()
    wait(lambda: machine.ask("status")["spooled"] == 0, "all are fetched")
    assert machine.pids() == [pid]
    assert [one.type for one in ledger(lived_in)][-1] in ("ToolRequested", "TurnEnded")
    assert machine.hook(session.start()) is not None


def test_whatever_goes_wrong_with_one_is_told_and_it_is_put_aside(tmp_path: Path) -> None:
    for number in range(3):
        keep(tmp_path, f"{number}", b"/p")
    told: list[str] = []

    def take(_: Kept) -> bool:
        if not told:
            raise MemoryError
        return True

    found = Spool(tmp_path)
    assert (
        found.drain(take, lambda what, error: told.append(f"{what}: {type(error).__name__}")) == 2
    )
    assert told == ["a kept event can't be used: MemoryError"]
    assert (found.waiting(), found.damaged) == ([], 1)
    assert [path.name for path in (tmp_path / "aside").iterdir()] == ["0.damaged"]


def test_where_one_has_to_wait_only_its_project_waits(tmp_path: Path) -> None:
    for number, root in enumerate([b"/a", b"/b", b"/a", b"/b"]):
        keep(tmp_path, f"{number}", b"delivery-%d\n" % number + root)
    taken: list[bytes] = []

    def take(kept: Kept) -> bool:
        taken.append(kept.body.splitlines()[1])
        return taken[-1] != b"/a"

    assert Spool(tmp_path).drain(take, lambda *_: None) == 2
    assert taken == [b"/a", b"/b", b"/b"]
    assert [path.stem for path in Spool(tmp_path).waiting()] == ["0", "2"]


def test_what_a_dead_hook_began_to_write_is_put_aside_after_a_minute(tmp_path: Path) -> None:
    (tmp_path / "1-1.part").write_bytes(b"DMM1")
    (tmp_path / "2-1.part").write_bytes(b"DMM1")
    os.utime(tmp_path / "1-1.part", (1, 1))
    found = Spool(tmp_path)
    assert found.drain(lambda *_: True, lambda *_: None) == 0
    assert found.damaged == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["2-1.part", "aside"]
