"""Both chains: whatever is done to a log, it is found and named."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from dmm.domain.event import canonical
from dmm.errors import TeamError
from dmm.eventlog.chain import Head
from dmm.team.chain import (
    JOINED,
    REVOKED,
    ROLE_CHANGED,
    SERVER,
    Placed,
    Trail,
    WriterHead,
    is_checkpoint,
    link_placed,
    seal,
    sign_head,
)
from dmm.team.folding import Fold
from dmm.team.keys import SigningKey, is_key, is_signed
from dmm.team.roles import REVIEWER
from dmm.team.told import Told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dmm.team.chain import Entry, LogName
    from dmm.team.folding import TeamRule

AT = "2026-01-31T12:00:00.000+00:00"
LOG = ("acme", "shop")
SERVER_KEY = SigningKey.read("11" * 32)
ADA, BEN = SigningKey.read("22" * 32), SigningKey.read("33" * 32)


def say(key: SigningKey, writer: str, after: Sequence[Entry], text: str) -> Entry:
    last = after[-1] if after else None
    head = Head() if last is None else Head(last.wseq, last.whash)
    payload = canonical({"text": text, "priority": "required"})
    told = Told(f"{writer}-{text}", "ConstraintAdded", AT, payload)
    return seal(key, LOG, writer, head, told)


def tell_joined(writer: str, head: WriterHead) -> str:
    """Write what the server says of a new writer."""
    told = {"writer": writer, "key": head.key, "role": head.role, "name": head.name}
    return canonical(told)


def place(entries: Sequence[Entry]) -> list[Placed]:
    """Chain entries as an honest server does."""
    head, placed = Head(), []
    for one in entries:
        head = Head(head.seq + 1, link_placed(head.hash, head.seq + 1, one.whash))
        placed.append(Placed(head.seq, head.hash, one))
    return placed


def fold_rules(events: Iterable[Placed]) -> tuple[TeamRule, ...]:
    """Return the rules in force after some events."""
    fold = Fold()
    for one in events:
        fold.add(one)
    return tuple(fold.rules.values())


def server_says(after: Sequence[Entry], kind: str, payload: str) -> Entry:
    last = after[-1] if after else None
    head = Head() if last is None else Head(last.wseq, last.whash)
    return seal(SERVER_KEY, LOG, SERVER, head, Told(f"{kind}-{head.seq}", kind, AT, payload))


@pytest.fixture
def entries() -> list[Entry]:
    """Two who join, and three rules."""
    first = server_says((), JOINED, tell_joined("ada", WriterHead(ADA.public, REVIEWER)))
    second = server_says((first,), JOINED, tell_joined("ben", WriterHead(BEN.public, REVIEWER)))
    one = say(ADA, "ada", (), "one")
    two = say(BEN, "ben", (), "two")
    return [first, second, one, two, say(ADA, "ada", (one,), "three")]


def follow(placed: Sequence[Placed], log: LogName = LOG) -> Trail:
    trail = Trail(SERVER_KEY.public, log)
    trail.follow(placed)
    return trail


def test_an_honest_log_is_followed_to_its_end(entries: list[Entry]) -> None:
    placed = place(entries)
    trail = follow(placed)
    assert trail.head == Head(5, placed[-1].hash)
    assert {name: one.wseq for name, one in trail.writers.items()} == {
        "server": 2,
        "ada": 2,
        "ben": 1,
    }


def edit(placed: list[Placed]) -> list[Placed]:
    entry = placed[2].entry
    forged = replace(entry, payload=entry.payload.replace("one", "own"))
    return [*placed[:2], replace(placed[2], entry=forged), *placed[3:]]


def rewrite(placed: list[Placed]) -> list[Placed]:
    """Change a rule and chain all anew, as a server can that has none of the laptops' keys."""
    entry = placed[2].entry
    forged = say(SERVER_KEY, "ada", (), "own")
    assert forged.writer == entry.writer
    return place([placed[0].entry, placed[1].entry, forged])


def swap_writers_order(placed: list[Placed]) -> list[Placed]:
    held = [one.entry for one in placed]
    return place([held[0], held[1], held[4], held[3], held[2]])


def replay(placed: list[Placed]) -> list[Placed]:
    return place([*(one.entry for one in placed), placed[3].entry])


def go_on_after_removal(placed: list[Placed]) -> list[Placed]:
    held = [one.entry for one in placed]
    removal = server_says(held[:2], REVOKED, canonical({"writer": "ada"}))
    return place([*held[:3], removal, *held[3:]])


def go_on_after_demotion(placed: list[Placed]) -> list[Placed]:
    held = [one.entry for one in placed]
    demotion = server_says(
        held[:2], ROLE_CHANGED, canonical({"writer": "ada", "role": "contributor"})
    )
    return place([*held[:3], demotion, *held[3:]])


def fork(placed: list[Placed]) -> list[Placed]:
    other = link_placed("f" * 64, 4, placed[3].entry.whash)
    return [*placed[:3], replace(placed[3], hash=other)]


def tell(kind: str, payload: str) -> Callable[[list[Placed]], list[Placed]]:
    """Let the server say one thing more."""

    def after(placed: list[Placed]) -> list[Placed]:
        held = [one.entry for one in placed]
        return place([*held, server_says(held[:2], kind, payload)])

    return after


OTHER = WriterHead(SigningKey.read("44" * 32).public, REVIEWER)
TAMPERING: list[tuple[str, Callable[[list[Placed]], list[Placed]], str, int]] = [
    ("an edited rule", edit, "edited", 3),
    ("a rule rewritten by the server", rewrite, "unsigned", 3),
    ("a dropped event", lambda placed: [*placed[:2], *placed[3:]], "missing", 4),
    ("two events in each other's place", swap_writers_order, "swapped", 3),
    ("numbers exchanged", lambda placed: [*placed[:3], placed[4], placed[3]], "missing", 5),
    ("an event told twice", replay, "replayed", 6),
    ("another history", fork, "forked", 4),
    ("a writer who was removed", go_on_after_removal, "revoked", 6),
    ("a writer who has another role now", go_on_after_demotion, "forbidden", 6),
    ("another key for a writer", tell(JOINED, tell_joined("ada", OTHER)), "twice", 6),
    ("another key for the server", tell(JOINED, tell_joined(SERVER, OTHER)), "twice", 6),
    ("no key", tell(JOINED, tell_joined("eve", replace(OTHER, key="00"))), "malformed", 6),
    ("no role", tell(JOINED, tell_joined("eve", replace(OTHER, role="king"))), "malformed", 6),
    ("no name", tell(JOINED, tell_joined("", OTHER)), "malformed", 6),
    ("an unknown writer removed", tell(REVOKED, canonical({"writer": "eve"})), "malformed", 6),
    ("an unknown writer's role", tell(ROLE_CHANGED, canonical({"writer": "eve"})), "malformed", 6),
    ("the server's role", tell(ROLE_CHANGED, canonical({"writer": SERVER})), "malformed", 6),
    ("no such role", tell(ROLE_CHANGED, canonical({"writer": "ada"})), "malformed", 6),
    ("the server removed", tell(REVOKED, canonical({"writer": SERVER})), "malformed", 6),
    ("a stranger", lambda placed: place([placed[2].entry]), "unknown", 1),
]


@pytest.mark.parametrize(("what", "tamper", "fault", "seq"), TAMPERING)
def test_tampering_is_found_and_named(
    entries: list[Entry],
    what: str,
    tamper: Callable[[list[Placed]], list[Placed]],
    fault: str,
    seq: int,
) -> None:
    with pytest.raises(TeamError) as told:
        follow(tamper(place(entries)))
    assert told.value.fault == fault, what
    assert f"event {seq} of the team log" in str(told.value)


@pytest.mark.parametrize("log", [("acme", "api"), ("zeta", "shop"), ("acmes", "hop")])
def test_what_was_said_in_one_log_is_no_part_of_another(entries: list[Entry], log: LogName) -> None:
    """One laptop key may be known in both: the server is the same."""
    with pytest.raises(TeamError) as told:
        follow(place(entries), log)
    assert told.value.fault == "edited"


def test_a_checkpoint_holds_for_its_project_and_its_end_alone(entries: list[Entry]) -> None:
    point = sign_head(SERVER_KEY, "acme", "shop", follow(place(entries)).head)
    assert is_checkpoint(SERVER_KEY.public, "acme", "shop", point)
    assert not is_checkpoint(SERVER_KEY.public, "acme", "api", point)
    assert not is_checkpoint(ADA.public, "acme", "shop", point)
    assert not is_checkpoint(SERVER_KEY.public, "acme", "shop", replace(point, seq=4))


def test_a_key_is_read_back_and_what_is_none_is_no_key() -> None:
    assert SigningKey.read(ADA.secret).public == ADA.public
    assert is_signed(ADA.public, "text", ADA.sign("text"))
    assert not is_signed(ADA.public, "other", ADA.sign("text"))
    assert not is_signed("no key", "text", ADA.sign("text"))
    assert is_key(ADA.public)
    assert not is_key("00")
    assert ADA.secret not in repr(ADA)
