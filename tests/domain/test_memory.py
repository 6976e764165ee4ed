"""What a memory is: its place, whether it is in force, and how ids are chosen."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.domain.memory import (
    ID_PATTERN,
    Confidence,
    Memory,
    Scope,
    Status,
    has_expired,
    next_id,
    suffixed_id,
)

MEMORY = Memory(
    id="mem_2026_01_31_001",
    path="project/http/retry.md",
    title="Retry policy",
    body="# Retry policy",
    tags=("http",),
    scope=Scope.PROJECT,
    priority=0.5,
    confidence=Confidence.ACTIVE,
    status=Status.ACTIVE,
)
DAY = dt.date(2026, 1, 31)


def test_a_memory_knows_its_folder_and_its_name() -> None:
    assert MEMORY.directory == "project/http"


def test_a_memory_is_in_force_until_something_deprecates_it() -> None:
    assert MEMORY.in_force
    assert not replace(MEMORY, status=Status.DEPRECATED).in_force
    assert not replace(MEMORY, confidence=Confidence.DEPRECATED).in_force
    assert not replace(MEMORY, path="deprecated/http/retry.md").in_force
    assert replace(MEMORY, path="project/deprecated/retry.md").in_force


@pytest.mark.parametrize(
    ("expires", "expired"),
    [
        (None, False),
        (dt.date(2026, 1, 30), True),
        (dt.date(2026, 1, 31), False),
        (dt.datetime(2026, 1, 31, 0, 0, tzinfo=dt.UTC), False),
        (dt.datetime(2026, 1, 30, 23, 59, tzinfo=dt.UTC), True),
    ],
)
def test_a_memory_lasts_through_its_last_day(expires: dt.date | None, expired: bool) -> None:
    assert has_expired(expires, DAY) is expired


def test_an_id_is_the_first_free_number_of_the_day() -> None:
    assert next_id(DAY, set()) == "mem_2026_01_31_001"
    assert next_id(DAY, {"mem_2026_01_31_001", "mem_2026_01_31_003"}) == "mem_2026_01_31_002"
    thousand = {f"mem_2026_01_31_{n:03d}" for n in range(1, 1000)}
    assert next_id(DAY, thousand) == "mem_2026_01_31_1000"


def test_an_id_that_clashes_gets_letters() -> None:
    clash = "mem_2026_01_31_001"
    letters = {f"{clash}{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"}
    assert suffixed_id(clash, {clash}) == f"{clash}a"
    assert suffixed_id(clash, {clash, f"{clash}a"}) == f"{clash}b"
    assert suffixed_id(clash, letters) == f"{clash}aa"
    assert suffixed_id(clash, letters | {f"{clash}aa"}) == f"{clash}ab"


@given(st.integers(0, 800))
def test_every_new_id_is_free_and_well_formed(already: int) -> None:
    taken: set[str] = set()
    for _ in range(min(already, 60)):
        taken.add(suffixed_id("mem_2026_01_31_001", taken))
    chosen = suffixed_id("mem_2026_01_31_001", taken)
    assert chosen not in taken
    assert ID_PATTERN.fullmatch(chosen)


@pytest.mark.parametrize(
    "text",
    ["mem_2026_1_31_001", "mem_2026_01_31_01", "mem_2026_01_31_001A", "x", "mem_٢٠٢٦_01_31_001"],
)
def test_other_texts_are_no_ids(text: str) -> None:
    assert not ID_PATTERN.fullmatch(text)
