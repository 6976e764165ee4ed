"""Two memories side by side: what is exact, what the model adds, and what is quoted."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from dmm.conflicts.compare import WHOLE, compare_all, read_memory
from dmm.conflicts.exact import compare_choices, compare_texts
from dmm.domain.conflict import Clash, ConflictType
from dmm.embed.pairs import PairModel

if TYPE_CHECKING:
    from tests.conflicts.conftest import NewNote

    from dmm.domain.memory import Memory

OTHER = "mem_2026_01_01_002"


@pytest.fixture(scope="module")
def model() -> PairModel:
    return PairModel.load()


def clash(one: Memory, other: Memory, model: PairModel | None = None) -> Clash | None:
    (found,) = compare_all([(read_memory(one), read_memory(other))], model, dt.date(2026, 1, 1))
    return found


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("The API timeout is 30 s.", "The API  timeout is 30 s", ConflictType.DUPLICATE),
        ("The API timeout is 30 s.", "The API timeout is 10 s.", ConflictType.NUMERIC),
        ("The team uses Node 18.2 here.", "The team uses Node 20.1 here.", ConflictType.NUMERIC),
        (
            "Run the linter before the tests.",
            "Run the tests before the linter.",
            ConflictType.CONTRADICTION,
        ),
        ("Use pnpm, not npm, to install.", "Use npm, never pnpm.", ConflictType.CONTRADICTION),
        ("Use spaces instead of tabs.", "Use tabs rather than spaces.", ConflictType.CONTRADICTION),
        ("Use pnpm, not npm, to install.", "Use pnpm, never npm.", None),
        ("Use pnpm, not npm, to install.", "Use npm in examples, not yarn.", None),
        (
            "Imports must be in `app.py`, not `server.py`.",
            "Middleware is in `server.py` and should not be changed.",
            None,
        ),
        ("The API timeout is 30 s.", "The API timeout is long, ask Ana.", None),
        ("Port 80.", "Port 81.", None),
    ],
)
def test_equal_texts_changed_numbers_and_turned_orders_need_no_model(
    one: str, other: str, kind: ConflictType | None
) -> None:
    assert (compare_texts(one, other) or compare_choices([one], [other])) is kind


def test_a_choice_is_refused_by_one_sentence_not_by_the_words_of_several(note: NewNote) -> None:
    one = note("Import `helpers` first. Never use `waitFor`, use `vi.waitFor`.", "Imports")
    other = note("Import `waitFor` first. Never use `helpers` of other packages.", id=OTHER)
    assert clash(one, other) is None
    chosen = note("Ana owns this. Use pnpm, not npm.", "Installing", id=OTHER)
    refused = note("Use npm, never pnpm. See the wiki.", "Packages")
    found = clash(refused, chosen)
    assert found is not None
    assert found.type is ConflictType.CONTRADICTION


def test_memories_that_show_different_code_are_not_the_same_however_alike_their_words_are(
    note: NewNote, model: PairModel
) -> None:
    body = "Applies to: `web/**`\n\nTests of a page look like this.\n\n```ts\n{code}\n```\n"
    one = note(body.format(code="render(<App/>)"), "Rendering a page")
    other = note(body.format(code="await screen.findByRole('main')"), "Finding a role", id=OTHER)
    assert clash(one, other, model) is None
    again = note(one.body, "Rendering a page", id=OTHER)
    same = clash(one, again, model)
    assert same is not None
    assert same.type is ConflictType.DUPLICATE


def test_the_files_that_a_memory_is_about_are_nothing_that_it_says(note: NewNote) -> None:
    one = note("Applies to: `web/**`\n\nUse the store.", "State")
    other = note("Applies to: `web/**`\n\nUse the router.", "Links", id=OTHER)
    assert read_memory(one).sentences == ("Use the store.",)
    assert clash(one, other) is None


def test_a_memory_does_not_clash_with_what_it_replaces_or_what_has_expired(
    note: NewNote, model: PairModel
) -> None:
    slow = note("The API timeout is 30 seconds.", "API timeout")
    fast = note("The API timeout is 10 seconds.", "API timeout", id=OTHER)
    assert clash(slow, fast, model) is not None
    newer = note(fast.body, fast.title, id=OTHER, supersedes=(slow.id,))
    assert clash(slow, newer, model) is None
    gone = note(fast.body, fast.title, id=OTHER, expires=dt.date(2025, 1, 1))
    assert clash(slow, gone, model) is None


def test_two_memories_that_replace_the_same_one_are_rivals(note: NewNote) -> None:
    one, other = (note(f"Say {word}.", id=f"mem_{word}", supersedes=("mem_x",)) for word in "ab")
    found = clash(one, other)
    assert found is not None
    assert found.type is ConflictType.SUPERSESSION


def test_a_clash_quotes_the_sentences_that_it_rests_on(note: NewNote, model: PairModel) -> None:
    one = note("Ana owns this. Always squash when you merge a pull request.", "Merging")
    other = note("Never squash when you merge a pull request. See the wiki.", "Squash", id=OTHER)
    found = clash(one, other, model)
    assert found is not None
    assert found.type is ConflictType.CONTRADICTION
    assert found.quotes == (
        "Always squash when you merge a pull request.",
        "Never squash when you merge a pull request.",
    )


def test_a_number_that_differs_inside_long_memories_needs_no_model(note: NewNote) -> None:
    filling = " ".join(f"The lamp in room {room} hangs by a cord of silk." for room in range(12))
    one = note(f"{filling} Sessions live 14 days and are not prolonged.", "Sessions are rows")
    other = note(
        "Most customers come monthly. Sessions live 30 days and are not prolonged.", id=OTHER
    )
    found = clash(one, other)
    assert found is not None
    assert found.type is ConflictType.NUMERIC
    assert found.quotes == (
        "Sessions live 14 days and are not prolonged.",
        "Sessions live 30 days and are not prolonged.",
    )


def test_a_clash_inside_long_memories_is_found_by_their_sentences(
    note: NewNote, model: PairModel
) -> None:
    filler = "The history of the project is told in the wiki by those who were there. "
    one = note(filler * 9 + "The upload endpoint accepts files up to 25 MB.", "Uploads")
    other = note("The upload endpoint accepts files up to 100 MB.", "Upload limit", id=OTHER)
    assert len(one.body.split()) > WHOLE
    found = clash(one, other, model)
    assert found is not None
    assert found.type is ConflictType.NUMERIC
    assert found.quotes[0] == "The upload endpoint accepts files up to 25 MB."


def test_without_a_model_only_what_is_exact_is_told(note: NewNote) -> None:
    one = note("Use pnpm for all packages.", "Packages")
    other = note("Dependencies are installed with npm; pnpm is not used.", "Packages", id=OTHER)
    assert clash(one, other) is None
