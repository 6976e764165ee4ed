"""Units of recall as the index keeps them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from dmm.domain.event import Trust
from dmm.domain.memory import Confidence
from dmm.domain.observation import Kind, Observation
from dmm.index.recall import (
    LONGEST_SEARCHED,
    digest,
    place,
    spoken_day,
    tell,
    to_record,
)
from dmm.index.store import IndexStore
from dmm.index.unit_sync import UnitSyncer
from dmm.index.units import Reading, UnitStore

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import HashEmbedder

UNIT = Observation(
    id="obs_7",
    kind=Kind.BUGFIX,
    title="Keep the cursor open",
    narrative="The export lost rows.",
    session="s1",
    at="2026-01-31T10:00:00.000+00:00",
    evidence=(7, 9),
    trust=Trust.AGENT,
    actor="claude-code",
    facts=("make test passes", "The export lost rows"),
    files=("src/export.py",),
)
MESSAGE = replace(UNIT, id="msg_7", kind=Kind.MESSAGE, facts=(), files=(), evidence=(7,))


def test_an_observation_is_told_with_its_facts_and_files_and_nothing_twice() -> None:
    assert tell(UNIT) == (
        "[31 January 2026] Keep the cursor open\n"
        "The export lost rows.\n"
        "- make test passes\n"
        "Files: src/export.py"
    )
    assert tell(MESSAGE) == "[31 January 2026] claude-code: The export lost rows."


def test_turns_stand_beside_turns_in_the_order_of_their_events() -> None:
    units = [
        replace(MESSAGE, id="msg_12", evidence=(12,)),
        UNIT,
        replace(MESSAGE, id="msg_9", evidence=(9,)),
        replace(MESSAGE, id="msg_3", evidence=(3,), session="s0"),
    ]
    ordered = sorted(units, key=place)
    assert [unit.id for unit in ordered] == ["msg_3", "msg_9", "msg_12", "obs_7"]


@pytest.mark.parametrize(("day", "told"), [("2026-05-08", "8 May 2026"), ("soon", "soon")])
def test_days_are_written_as_questions_write_them(day: str, told: str) -> None:
    assert spoken_day(day) == told


def test_what_is_least_trusted_claims_least() -> None:
    told = {trust: to_record(replace(UNIT, trust=trust), len).confidence for trust in Trust}
    low = {trust for trust, word in told.items() if word is Confidence.EXPERIMENTAL}
    assert low == {Trust.TOOL, Trust.THIRD_PARTY}


def test_of_a_very_long_message_all_is_counted_and_the_beginning_is_searched() -> None:
    record = to_record(replace(MESSAGE, narrative="word " * 10_000), len)
    assert len(record.content) == LONGEST_SEARCHED
    assert record.token_count > 49_000


def test_a_change_of_any_part_is_another_state() -> None:
    others = [
        replace(UNIT, title="Another"),
        replace(UNIT, facts=()),
        replace(UNIT, files=()),
        replace(UNIT, trust=Trust.TOOL),
        replace(UNIT, facts=UNIT.files, files=UNIT.facts),
    ]
    assert len({digest(unit) for unit in (UNIT, *others)}) == 6


def test_only_what_is_new_or_changed_is_written_and_embedded(
    new_embedder: Callable[..., HashEmbedder],
) -> None:
    store, embedder = IndexStore.in_memory(), new_embedder()
    units, syncer = UnitStore(store), UnitSyncer(len, embedder)
    units.put([(UNIT, None), (MESSAGE, None)])
    assert syncer.sync(units) == 0
    done, generation = embedder.windows, store.generation()
    units.put([(UNIT, None), (MESSAGE, None)])
    assert syncer.sync(units) == 0
    assert (embedder.windows, store.generation()) == (done, generation)
    units.put([(replace(UNIT, narrative="The import lost rows."), None)])
    syncer.sync(units)
    assert embedder.windows == done + 1
    units.clear()
    units.put([(MESSAGE, None)])
    syncer.sync(units)
    assert list(store.hashes()) == [place(MESSAGE)]
    assert len(store.vector_keys()) == 1


def test_a_session_that_turns_out_to_be_earlier_moves_in_the_line_in_one_piece() -> None:
    units = UnitStore(IndexStore.in_memory())
    later = replace(MESSAGE, id="msg_5", evidence=(5,), session="b", at="2026-02-02T10:00:00")
    first = replace(MESSAGE, id="msg_6", evidence=(6,), session="a", at="2026-02-03T10:00:00")
    early = replace(MESSAGE, id="msg_9", evidence=(9,), session="a", at="2026-02-01T10:00:00")
    alone = replace(MESSAGE, id="msg_7", evidence=(7,), session="", at="2026-02-02T11:00:00")
    units.put([(later, None), (first, None), (alone, None)])
    assert units.around("msg_7", 5, 5) == ["msg_5", "msg_7", "msg_6"]
    units.put([(early, None)])
    assert units.around("msg_7", 5, 5) == ["msg_6", "msg_9", "msg_5", "msg_7"]
    assert units.around("msg_9", 1, 1) == ["msg_6", "msg_9", "msg_5"]


def test_units_of_an_earlier_version_are_given_up_and_made_again() -> None:
    store = IndexStore.in_memory()
    columns = "id, first, at, kind, session, files, place, digest, data, by_rules"
    store.connection.execute(f"CREATE TABLE units ({columns})")
    store.connection.execute("CREATE VIEW line AS SELECT id FROM units")
    store.connection.execute("INSERT INTO units (id, session) VALUES ('msg_1', 'old')")
    units = UnitStore(store)
    assert (units.count(), units.reading()) == (0, Reading())
    units.put([(MESSAGE, None)])
    assert UnitStore(store).names() == [MESSAGE.id]


def test_a_backlog_is_left_where_somebody_else_embeds_it(
    new_embedder: Callable[..., HashEmbedder],
) -> None:
    store, embedder = IndexStore.in_memory(), new_embedder()
    units, syncer = UnitStore(store), UnitSyncer(len, embedder, backlog=False)
    many = [replace(MESSAGE, id=f"msg_{n}", evidence=(n,)) for n in range(1, 18)]
    units.put((unit, None) for unit in many)
    assert syncer.sync(units) == 17
    assert embedder.windows == 0
    assert UnitSyncer(len, embedder).sync(units) == 0
    units.put([(replace(MESSAGE, id="msg_40", evidence=(40,), narrative="A new one."), None)])
    assert syncer.sync(units) == 0
