"""Constraints stand in every pack, and every pack served is on record."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import pytest

from dmm.domain.event import EventType
from dmm.domain.pack import QueryRequest
from dmm.packs.active_constraints import BUDGET

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.conftest import HashEmbedder, MemoryText, Opener, Project

    from dmm.bootstrap import Dmm


@pytest.fixture
def opened(
    project: Project,
    memory_text: MemoryText,
    open_project: Opener,
    new_embedder: Callable[[], HashEmbedder],
) -> Callable[[], Dmm]:
    project.write("project/sessions.md", memory_text("Sessions", "Sessions are rows."))
    return lambda: open_project(project, new_embedder)


def test_a_project_without_a_ledger_gets_none_by_being_queried(opened: Callable[[], Dmm]) -> None:
    dmm = opened()
    pack = dmm.packs.query(QueryRequest("sessions")).pack
    assert pack.constraints == ()
    assert not dmm.project_ledger.exists


def test_binding_constraints_stand_in_the_pack_with_their_numbers(
    opened: Callable[[], Dmm],
) -> None:
    dmm = opened()
    dmm.ledger.add_constraint("never use eval()")
    dmm.ledger.add_constraint("prefer short names", "preferred")
    dmm.ledger.add_constraint("verify the schema before migrating", "learned", 1)
    answer = opened().packs.query(QueryRequest("what is the capital of France"))
    assert (
        "## Constraints in Force\n\n"
        "- [3] checked on decisions only: verify the schema before migrating\n"
        "- [1] checked on decisions only: never use eval()\n"
        "- [2] advice: prefer short names\n\n---\n"
    ) in answer.markdown
    assert f"- Constraints: 3, {answer.pack.constraint_tokens} tokens\n" in answer.markdown


def test_the_lines_are_counted_exactly(
    opened: Callable[[], Dmm], count: Callable[[str], int]
) -> None:
    dmm = opened()
    dmm.ledger.add_constraint("never use eval()")
    pack = opened().packs.query(QueryRequest("sessions")).pack
    assert pack.constraint_tokens == count("- [1] checked on decisions only: never use eval()\n")


def test_constraints_keep_to_their_budget_and_the_rest_is_told(
    opened: Callable[[], Dmm],
) -> None:
    dmm = opened()
    for number in range(40):
        dmm.ledger.add_constraint(f"never call the old service number {number} from a handler")
    pack = opened().packs.query(QueryRequest("sessions")).pack
    left_out = 40 - len(pack.constraints)
    assert 0 < pack.constraint_tokens <= BUDGET
    assert f"{left_out} more rules are active: dmm rules" in pack.notices


def test_a_served_pack_is_an_event_with_the_hashes_of_what_it_held(
    opened: Callable[[], Dmm],
) -> None:
    opened().ledger.add_fact("framework", "none")
    dmm = opened()
    pack = dmm.packs.query(QueryRequest("sessions")).pack
    (entry,) = pack.retrieved_entries
    event = dmm.project_ledger.log.event(2)
    assert event is not None
    assert event.type == EventType.PACK_SERVED
    assert event.get("task") == "sessions"
    digest = hashlib.sha256(entry.content.encode()).hexdigest()
    assert event.get("retrieved") == [{"path": entry.path, "id": entry.id, "hash": digest}]


def test_being_recorded_changes_no_byte_of_the_next_pack(opened: Callable[[], Dmm]) -> None:
    opened().ledger.add_constraint("never use eval()")
    first = opened().packs.query(QueryRequest("sessions")).markdown
    assert opened().packs.query(QueryRequest("sessions")).markdown == first


def test_a_damaged_ledger_spoils_no_pack(opened: Callable[[], Dmm], project: Project) -> None:
    dmm = opened()
    dmm.ledger.add_constraint("never use eval()")
    dmm.project_ledger.close()
    for name in ("ledger.db", "ledger.db-wal"):
        (project.dmm / name).write_bytes(b"garbage" * 1000)
    pack = opened().packs.query(QueryRequest("sessions")).pack
    assert len(pack.retrieved_entries) == 1
    assert any(notice.startswith("the constraints could not be read") for notice in pack.notices)
