from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import pytest

from dmm.importer.memories import ImportPlan
from dmm.importer.remembered import Remembered, Rest

if TYPE_CHECKING:
    from dmm.importer.sources import Source

Planner = Callable[..., ImportPlan]

TESTS = "# Tests\n\nThese hold:\n\n- Run `make test` before each commit.\n- Use factories.\n"


def rest(body: str, *known: str) -> Rest:
    return Remembered.of(known).rest_of(body)


def test_a_text_is_known_whatever_its_markers_spacing_case_and_source() -> None:
    again = (
        "# Tests\n\nThese hold:\n\n* run `make  test` before each commit.\n1. Use factories.\n\n"
        "Source: AGENTS.md:3\n"
    )
    assert rest(again.replace("1.", "*"), TESTS) == Rest("", 2)


def test_a_rule_in_other_words_that_say_the_same_is_known() -> None:
    known = "# Notes\n\n- You should always run the whole `make test` suite before each commit.\n"
    body = "# Tests\n\n- Run the whole `make test` suite before each commit.\n"
    assert rest(body, known).text == ""


def test_known_items_are_left_out_and_new_ones_stay_below_their_intro() -> None:
    body = TESTS + "- Name each test after what it shows.\n\nSource: CLAUDE.md:1-7\n"
    assert rest(body, TESTS) == Rest(
        "# Tests\n\nThese hold:\n\n- Name each test after what it shows.\n\n"
        "Source: CLAUDE.md:1-7\n",
        2,
    )


def test_a_known_section_goes_with_its_heading() -> None:
    new = "## Mail\n\nMail is sent by the job queue, never in a request.\n"
    body = f"# Shop\n\n## Tests\n\n- Run `make test` before each commit.\n\n{new}"
    assert rest(body, TESTS).text == f"# Shop\n\n{new}"


def test_prose_that_is_half_known_stays_whole() -> None:
    known = "# Mail\n\nMail is sent by the job queue, never in a request.\n"
    body = f"{known}\nIt is retried three times within the hour.\n"
    assert rest(body, known) == Rest(body, 0)


@pytest.mark.parametrize(
    ("body", "known"),
    [
        ("# Owner\n\nTeam A\n", "# Reviewer\n\nTeam A\n"),
        ("# Don't\n\n- Build models by hand.\n", "# Do\n\n- Build models by hand.\n"),
        ("# Python\n\n- Lint each small change.\n", "# Go\n\n- Lint each small change.\n"),
        (
            "# A\n\nApplies to: `*.ts`\n\n- Sort imports by name.\n",
            "# A\n\n- Sort imports by name.\n",
        ),
        ("# Wait\n\n- Wait for 30 seconds.\n", "# Wait\n\n- Wait for 60 seconds.\n"),
        ("# Only a title\n", "# Another title\n"),
    ],
    ids=["short", "polarity", "subject", "reach", "number", "title"],
)
def test_what_could_mean_another_thing_is_new(body: str, known: str) -> None:
    assert rest(body, known) == Rest(body, 0)


@pytest.mark.repeats
def test_whatever_was_imported_together_is_known_alone_and_in_any_order(
    plan: Planner, realistic: Sequence[Source]
) -> None:
    files = realistic[:3]
    # With room for every rule: one that is left out is new where it finds room alone.
    with_room = partial(plan, budget=1_000)
    for order in itertools.permutations(files):
        together = with_room(*order)
        assert together.left == ()
        known = Remembered.of(p.memory.body for p in together.memories)
        for again in (*((file,) for file in files), files, files[::-1], files[:2]):
            bodies = [p.memory.body for p in with_room(*again).memories]
            assert [body for body in bodies if known.rest_of(body).text] == []
