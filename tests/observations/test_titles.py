"""Titles, kinds and facts: honest, short, and in the words of those who spoke."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dmm.observations.facts import decisions_in
from dmm.observations.titles import is_followup, outcome_of, title_of_decision, title_of_text
from dmm.observations.wording import clip, clip_clause, is_nod, is_telling, sentences

if TYPE_CHECKING:
    from tests.observations.conftest import Talk


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        ("please rename CartModel to Cart everywhere", "Rename CartModel to Cart everywhere"),
        ("Hi! Can you add a health check endpoint?", "Add a health check endpoint"),
        ("I need you to migrate config to YAML.\n- keep JSON", "Migrate config to YAML"),
        ("npm run build fails on Windows", "npm run build fails on Windows"),
        ("[Image #1] the button is misaligned", "The button is misaligned"),
        ("Where is the port set?", "Where is the port set?"),
        (
            'Traceback (most recent call last):\n  File "a.py", line 3, in f\n'
            "ValueError: no stock\n\nwhy do I get this when stock is 3?",
            "Why do I get this when stock is 3?",
        ),
        ("<system-reminder>be nice</system-reminder>\nBump it to 2.1", "Bump it to 2.1"),
        (
            "Use Redis instead of Memcached for the session cache of the shop, because we need it",
            "Use Redis instead of Memcached for the session cache of the shop",
        ),
        ("", ""),
    ],
)  # fmt: skip
def test_a_prompt_is_titled_by_what_it_asks_for(prompt: str, title: str) -> None:
    assert title_of_text(prompt) == title


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ("Done!\n\nI added `cache.py`.", "I added `cache.py`."),
        (
            "Here's a summary:\n\n## Changes\n\n1. **`a.py`** - split in two",
            "`a.py` - split in two",
        ),
        ("All 12 tests pass. `fetch()` takes strings now.", "`fetch()` takes strings now."),
        ("Shall I go on?", ""),
        ("```\ncode\n```", ""),
    ],
)
def test_an_answer_is_told_by_its_outcome(answer: str, outcome: str) -> None:
    assert outcome_of(answer) == outcome


def test_a_vague_request_is_titled_by_its_outcome(talk: Talk) -> None:
    talk.ask("yes, docs too")
    talk.edit("docs/config.md")
    talk.say("Updated `docs/config.md` with the YAML keys.")
    assert talk.one().title == "Updated `docs/config.md` with the YAML keys"


def test_work_that_nobody_named_is_titled_by_its_files(talk: Talk) -> None:
    for name in ("a", "b", "c"):
        talk.edit(f"src/{name}.py")
    assert talk.one().title == "Edited a.py, b.py and 1 more"


def test_a_question_that_led_to_edits_is_titled_by_what_was_done(talk: Talk) -> None:
    talk.ask("Why does the login page need two clicks?")
    talk.edit("web/login.ts")
    talk.say("The first click only focused the form; `onMouseDown` handles it now.")
    unit = talk.one()
    assert unit.title == "The first click only focused the form; `onMouseDown` handles it now"
    assert unit.kind == "change"


@pytest.mark.parametrize(
    ("prompt", "kind"),
    [
        ("Fix the typo in the header", "bugfix"),
        ("Login does not work on Safari, it crashes", "bugfix"),
        ("Add CSV export", "feature"),
        ("Refactor the parser so that errors are values", "change"),
        ("Remove the old flag", "change"),
        ("Header colours, blue", "change"),
    ],
)
def test_edits_are_sorted_by_what_was_asked(talk: Talk, prompt: str, kind: str) -> None:
    talk.ask(prompt)
    talk.edit("src/a.py")
    assert talk.one().kind == kind


def test_a_commit_that_follows_the_convention_settles_the_kind(talk: Talk) -> None:
    talk.ask("Header colours, blue")
    talk.edit("src/a.py")
    talk.run("git commit -am 'fix: keep the header readable'", "")
    assert (talk.one().kind, talk.one().title) == ("bugfix", "Keep the header readable")


def test_a_commit_of_hardly_a_word_keeps_its_type_in_the_title(talk: Talk) -> None:
    talk.ask("Rename add_note to create_note everywhere")
    talk.edit("src/a.py")
    talk.run("git commit -am 'refactor: create_note'", "")
    assert (talk.one().kind, talk.one().title) == ("change", "refactor: create_note")


def test_work_is_titled_by_the_request_and_not_by_a_question_before_it(talk: Talk) -> None:
    talk.ask("What about retries? Replace the fixed sleep with backoff in src/retry.py.")
    talk.write("src/retry.py")
    talk.say("Added `retry()` with a factor of 2.")
    unit = talk.one()
    assert (unit.kind, unit.title) == (
        "change",
        "Replace the fixed sleep with backoff in src/retry.py",
    )


def test_a_check_that_was_mended_without_a_word_is_a_fix(talk: Talk) -> None:
    talk.ask("Run the whole suite and see")
    talk.run("pytest tests/a.py", "1 failed", failed=True)
    talk.edit("src/a.py")
    talk.run("pytest", "9 passed")
    assert talk.one().kind == "bugfix"


@pytest.mark.parametrize(
    "text", ["ok", "Yes, please!", "continue", "looks good, go ahead", "👍", "/clear"]
)
def test_a_nod_is_known(text: str) -> None:
    assert is_nod(text)


@pytest.mark.parametrize("text", ["fix it", "it still fails", "yes drop it", "do the same again"])
def test_words_about_what_was_just_done_are_known(text: str) -> None:
    assert is_followup(text)


@pytest.mark.parametrize(
    "text", ["fix the login page", "make it retry 6 times", "ok", "run `make`"]
)
def test_words_with_a_matter_of_their_own_are_no_follow_up(text: str) -> None:
    assert not is_followup(text)
    assert not is_nod("no, use Postgres")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("We decided: reads go to the primary.", "Reads go to the primary"),
        ("Let's go with uv for the lock file.", "Go with uv for the lock file"),
        ("From now on every handler returns JSON.", "From now on every handler returns JSON"),
        ("Prefer dataclasses rather than dicts here.", "Prefer dataclasses rather than dicts here"),
    ],
)
def test_what_is_settled_is_found_and_titled(text: str, title: str) -> None:
    (found,) = decisions_in(text)
    assert title_of_decision(found) == title


@pytest.mark.parametrize(
    "text",
    [
        "Should we go with uv?",
        "I need to know whether ids are strings from now on.",
        "You can use oil instead of butter.",
        "```\n# we decided to use x\n```",
        "The function decides which branch to take.",
    ],
)
def test_what_only_sounds_like_a_decision_settles_nothing(text: str) -> None:
    assert decisions_in(text) == []


@given(st.text(max_size=300), st.integers(10, 80))
def test_no_title_is_longer_than_its_limit(text: str, length: int) -> None:
    assert len(title_of_text(text)) <= 80
    assert len(clip(text, length)) <= length
    assert len(clip_clause(text, length)) <= length
    is_nod(text)
    is_telling(text)
    assert all(one == " ".join(one.split()) for one in sentences(text))
