"""Rules that hold in other places, of other files or other ends of a wire, and near misses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dmm.conflicts.compare import compare
from dmm.domain.conflict import ConflictType

if TYPE_CHECKING:
    from tests.conflicts.conftest import Judge, NewReading

_ELSEWHERE = [
    (
        "Never call print() in services/payments; use the logger.",
        "print() is fine in scripts/ and in notebooks/. Use it freely there.",
    ),
    (
        "Nobody may merge straight to main in northwind/engine; reviews are mandatory there.",
        "Anyone may merge straight to main in northwind/handbook; reviews are optional there.",
    ),
    (
        "Commits in acme/site need no signature; sign-off is optional there.",
        "Commits in acme/server must be signed; sign-off is mandatory there.",
    ),
    (
        "Floating point is banned in billing/; amounts are integers.",
        "Floating point is fine in charts/ and in demos/. Feel free to use it there.",
    ),
]


@pytest.mark.parametrize(("one", "other"), _ELSEWHERE)
def test_what_is_said_of_two_places_is_no_contradiction(one: str, other: str, judge: Judge) -> None:
    assert judge(one, other) is None


_SAME_PLACE = [
    (
        "Never call print() in services/payments; use the logger.",
        "print() is fine in services/payments. Use it freely there.",
    ),
    (
        "Never write raw SQL anywhere.",
        "Raw SQL is fine in reports/. Write it by hand there.",
    ),
    ("Never sleep in tests/.", "Sleeping is fine in tests/e2e, use it freely there."),
]


@pytest.mark.parametrize(("one", "other"), _SAME_PLACE)
def test_a_place_within_the_other_is_no_other_place(one: str, other: str, judge: Judge) -> None:
    found = judge(one, other)

    assert found is not None
    assert found.type is ConflictType.CONTRADICTION


_WIRES = [
    (
        "Calls from the gateway to the ledger time out after 2 seconds.",
        "Calls from the ledger to the bank time out after 20 seconds.",
    ),
    (
        "Messages from the app to the broker are limited to 64 KB.",
        "Messages from the broker to the archive are limited to 1 MB.",
    ),
    (
        "Traffic from the primary to the replica is compressed.",
        "Traffic from the replica to the bucket is not compressed.",
    ),
]


@pytest.mark.parametrize(("one", "other"), _WIRES)
def test_the_end_of_one_wire_is_the_start_of_another(one: str, other: str, judge: Judge) -> None:
    assert judge(one, other) is None


_ONE_WIRE = [
    (
        "Calls from the gateway to the ledger time out after 2 seconds.",
        "Calls to the ledger from the gateway time out after 20 seconds.",
    ),
    (
        "Messages from the app to the broker are limited to 64 KB.",
        "Messages to the broker are limited to 1 MB.",
    ),
]


@pytest.mark.parametrize(("one", "other"), _ONE_WIRE)
def test_one_wire_has_one_limit(one: str, other: str, judge: Judge) -> None:
    found = judge(one, other)

    assert found is not None
    assert found.type is ConflictType.NUMERIC


_SIBLINGS = [
    (
        "Never edit files under gen/ by hand.",
        "Always edit gen.yaml by hand to add a message, then run `make gen`, "
        "which rewrites the files under gen/.",
    ),
    ("Do not edit poetry.lock by hand.", "Edit pyproject.toml by hand, then run poetry lock."),
    (
        "Do not touch proxy.conf on the hosts.",
        "Touch proxy.conf.j2 when a route changes; Ansible writes proxy.conf from it.",
    ),
    (
        "Never publish acme-core to the public registry.",
        "Publish acme-core-docs to the public registry on every release.",
    ),
    ("Never release lumen-ui on Fridays.", "Release lumen-ui-icons on Fridays."),
]


@pytest.mark.parametrize(("one", "other"), _SIBLINGS)
def test_a_name_is_not_its_longer_sibling(one: str, other: str, judge: Judge) -> None:
    assert judge(one, other) is None


_ONE_NAME = [
    (
        "Never edit files under gen/ by hand.",
        "Edit files under gen/ by hand when the generator is broken.",
    ),
    ("Do not edit poetry.lock by hand.", "Edit poetry.lock by hand when it conflicts."),
    (
        "Never publish acme-core to the public registry.",
        "Publish acme-core to the public registry on every release.",
    ),
    (
        "Never edit files in db/migrate after merging.",
        "Edit db/migrate/0042_add_index.rb after merging if it is wrong.",
    ),
]


@pytest.mark.parametrize(("one", "other"), _ONE_NAME)
def test_one_name_and_what_lies_under_it_are_one_thing(one: str, other: str, judge: Judge) -> None:
    found = judge(one, other)

    assert found is not None
    assert found.type is ConflictType.CONTRADICTION


def test_titles_with_one_heading_tell_two_cases_after_it(reading: NewReading) -> None:
    one = reading(
        "Debug builds have assertions enabled so that mistakes show up early.",
        "Assertions, debug builds",
    )
    other = reading(
        "Shipping builds are lean: assertions are disabled in the executable.",
        "Assertions, shipping builds",
    )

    assert compare(one, other, likeness=0.8, nearest=False) is None


def test_titles_that_end_in_two_words_for_one_case_tell_one(reading: NewReading) -> None:
    one = reading("Kiosk sessions end after 2 minutes.", "Session length, kiosks")
    other = reading("Sessions on kiosks end after 10 minutes.", "Session length, terminals")

    found = compare(one, other, likeness=0.8, nearest=False)

    assert found is not None
    assert found.type is ConflictType.NUMERIC
