"""An open episode, kept as text: the same when it is read back, and never half of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.observations.distil import distil
from dmm.observations.unfinished import read_episode, write_episode

if TYPE_CHECKING:
    from tests.observations.conftest import Talk


def test_an_episode_is_read_back_as_it_was(talk: Talk) -> None:
    talk.ask("Let's use uv instead of pip. Fix the lock file.")
    talk.run("pytest -q", "1 failed\nValueError: no", failed=True)
    talk.edit("src/a.py")
    talk.write("src/b.py")
    talk.read("src/c.py")
    talk.say("Fixed because `lock()` was wrong.")
    talk.record("FactAdded", key="port", value="8081")
    found = distil(talk.events, root="/srv/shop")
    (episode,) = found.progress.open.values()
    assert len(episode.steps) == 3
    assert read_episode(write_episode(episode)) == episode


def test_what_is_no_episode_gives_nothing(talk: Talk) -> None:
    talk.ask("Where is the port set?")
    (episode,) = distil(talk.events).progress.open.values()
    whole = write_episode(episode)
    for spoilt in ("", "no such thing", whole[:-9], "[]", '["s",1]', "{}", "7"):
        assert read_episode(spoilt) is None
