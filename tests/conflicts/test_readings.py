"""What is read of a memory: sentences without markup, claims without asides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from dmm.conflicts.compare import compare
from dmm.conflicts.sentences import headings_and_sentences
from dmm.conflicts.vocabulary import concept_of

if TYPE_CHECKING:
    from tests.conflicts.conftest import NewReading


def test_headings_lists_and_paragraphs_become_plain_sentences() -> None:
    body = (
        "# Cache\n\nUse **Redis** for it, e.g. for pages. See [docs](x.md).\n\n"
        "- one `TTL` of 5 s\n- no eviction\n\n> quoted\n"
    )
    assert headings_and_sentences(body) == (
        ["Cache"],
        ["Use Redis for it, e.g. for pages.", "See docs.", "one `TTL` of 5 s", "no eviction"],
    )


def test_a_command_block_belongs_to_the_sentence_that_announces_it() -> None:
    body = "Run the tests with:\n\n```\nmake test\n```\n"
    assert headings_and_sentences(body)[1] == ["Run the tests with: `make test`"]


def test_questions_and_pointers_claim_nothing(reading: NewReading) -> None:
    assert reading("Should we use Redis? See also the wiki.", "Note").claims == ()


def test_what_a_memory_speaks_of_only_to_deny_it_is_told_apart(reading: NewReading) -> None:
    found = reading("Pages are cached in Redis. Memcached is not used.", "Note")
    assert concept_of("memcached") in found.denied
    assert concept_of("redis") not in found.denied


def test_a_very_long_body_is_not_read_to_its_end(reading: NewReading) -> None:
    assert len(reading("Use Redis. " * 100_000, "Note").claims) <= 60


WORDS = "use never the redis cache 5 60 minutes until unless only, . `x` not: without before\n- "
NOTES = st.lists(st.sampled_from(WORDS.split(" ")), max_size=40).map(" ".join) | st.text(
    max_size=300
)


@given(NOTES, NOTES)
def test_any_two_texts_are_judged_alike_in_either_order(
    reading: NewReading, one: str, other: str
) -> None:
    first, second = reading(one, "Note"), reading(other, "Note")
    found = compare(first, second, likeness=0.7)
    turned = compare(second, first, likeness=0.7)
    if found is None or turned is None:
        assert found is turned
    else:
        assert (found.type, found.confidence) == (turned.type, turned.confidence)
        assert sorted(found.quotes) == sorted(turned.quotes)


@given(NOTES, st.integers(min_value=1, max_value=64_000))
def test_reading_takes_in_no_more_than_a_bounded_number_of_claims(
    reading: NewReading, text: str, times: int
) -> None:
    found = reading((text * times)[:65_536], "Note")
    assert len(found.claims) <= 60


@given(st.text(alphabet="use not the redis 5 60 min, .`\n", min_size=1, max_size=120))
def test_a_note_never_conflicts_with_itself_by_amounts(reading: NewReading, text: str) -> None:
    found = compare(reading(text, "Note"), reading(text, "Note"), likeness=1.0)
    assert found is None or found.type != "numeric_clash"
