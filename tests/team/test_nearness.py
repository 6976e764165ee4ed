"""Vectors as bytes, compared one by one, on every database."""

from __future__ import annotations

import itertools
import random
import secrets
import struct
from typing import TYPE_CHECKING

import pytest
from tests.team.conftest import open_engine

from dmm.team import nearness
from dmm.team.nearness import StoredVectors

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from dmm.team.database import Database, Row


@pytest.fixture(params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    with open_engine(request.param, request, tmp_path) as database:
        yield database


def test_vectors_are_compared_a_page_at_a_time_with_the_same_result(
    engine: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    team, dice, vectors = f"acme-{secrets.token_hex(4)}", random.Random(7), StoredVectors()

    def draw() -> bytes:
        return struct.pack("<8e", *(dice.uniform(-1, 1) for _ in range(8)))

    largest = 0
    with engine.transaction(team) as rows:
        for project, seq in itertools.product(("api", "shop"), range(1, 31)):
            vectors.add(rows, (team, project), seq, [draw() for _ in range(dice.randint(1, 4))])

        def watch(statement: str, *values: str | int | bytes | None) -> list[Row]:
            nonlocal largest
            found = rows(statement, *values)
            largest = max(largest, len(found))
            return found

        for query in (draw(), draw(), draw()):
            projects = {"api": 0, "shop": 0}
            whole = vectors.nearest(rows, team, projects, query, 10)
            everything = vectors.nearest(rows, team, projects, query, 60)
            with monkeypatch.context() as patch:
                patch.setattr(nearness, "AT_ONCE", 3)
                assert vectors.nearest(watch, team, projects, query, 10) == whole
            assert len(everything) == 60
            assert list(everything.items())[:10] == list(whole.items())
            assert vectors.similarities(rows, team, list(everything), query) == everything
    assert largest == 3
