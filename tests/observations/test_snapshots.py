"""What was distilled, kept as bytes: the same when it is read back, and never half of it."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from dmm.observations.distil import distil
from dmm.observations.snapshots import Stretch, pack, unpack

if TYPE_CHECKING:
    from tests.observations.conftest import Talk


def test_a_stretch_is_read_back_as_it_was(talk: Talk) -> None:
    talk.ask("Let's use uv instead of pip. Fix the lock file.")
    talk.run("pytest -q", "1 failed\nValueError: no", failed=True)
    talk.edit("src/a.py")
    talk.write("src/b.py")
    talk.read("src/c.py")
    talk.say("Fixed because `lock()` was wrong.")
    talk.record("FactAdded", key="port", value="8081")
    found = distil(talk.events, root="/srv/shop")
    stretch = Stretch(0, "f" * 64, "/srv/shop", found.units, found.progress)
    assert unpack(pack(stretch)) == stretch


def test_a_stretch_with_nothing_open_is_read_back_too(talk: Talk) -> None:
    talk.ask("Where is the port set?")
    talk.end()
    found = distil(talk.events)
    stretch = Stretch(4, "0" * 64, "", found.units, found.progress)
    assert unpack(pack(stretch)) == stretch


def test_what_is_no_stretch_gives_nothing(talk: Talk) -> None:
    talk.ask("Where is the port set?")
    found = distil(talk.events)
    whole = pack(Stretch(0, "", "", found.units, found.progress))
    for spoilt in (b"", b"no such thing", whole[:-9], pack_other()):
        assert unpack(spoilt) is None


def pack_other() -> bytes:
    return zlib.compress(b'{"start":0,"end":"","root":"","seq":0,"open":[],"units":[["obs_1"]]}')
