"""What is read of a memory: sentences without markup, claims without asides."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dmm.conflicts.compare import compare, read_memory
from dmm.conflicts.sentences import headings_and_sentences
from dmm.conflicts.vocabulary import concept_of
from dmm.domain.memory import Confidence, Memory, Scope, Status


def note(body: str, title: str = "Note") -> Memory:
    return Memory(
        id="mem_2026_01_01_001",
        path="project/note.md",
        title=title,
        body=body,
        tags=(),
        scope=Scope.PROJECT,
        priority=0.5,
        confidence=Confidence.ACTIVE,
        status=Status.ACTIVE,
    )


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


def test_questions_and_pointers_claim_nothing() -> None:
    assert read_memory(note("Should we use Redis? See also the wiki.")).claims == ()


def test_what_a_memory_speaks_of_only_to_deny_it_is_told_apart() -> None:
    reading = read_memory(note("Pages are cached in Redis. Memcached is not used."))
    assert concept_of("memcached") in reading.denied
    assert concept_of("redis") not in reading.denied


def test_a_very_long_body_is_not_read_to_its_end() -> None:
    assert len(read_memory(note("Use Redis. " * 100_000)).claims) <= 60


WORDS = "use never the redis cache 5 60 minutes until unless only, . `x` not: without before\n- "
NOTES = st.lists(st.sampled_from(WORDS.split(" ")), max_size=40).map(" ".join) | st.text(
    max_size=300
)


@given(NOTES, NOTES)
def test_any_two_texts_are_judged_alike_in_either_order(one: str, other: str) -> None:
    first, second = read_memory(note(one)), read_memory(note(other))
    found = compare(first, second, likeness=0.7)
    turned = compare(second, first, likeness=0.7)
    if found is None or turned is None:
        assert found is turned
    else:
        assert (found.type, found.confidence) == (turned.type, turned.confidence)
        assert sorted(found.quotes) == sorted(turned.quotes)


@given(NOTES, st.integers(min_value=1, max_value=64_000))
def test_reading_takes_in_no_more_than_a_bounded_number_of_claims(text: str, times: int) -> None:
    reading = read_memory(note((text * times)[:65_536]))
    assert len(reading.claims) <= 60


@given(st.text(alphabet="use not the redis 5 60 min, .`\n", min_size=1, max_size=120))
def test_a_note_never_conflicts_with_itself_by_amounts(text: str) -> None:
    found = compare(read_memory(note(text)), read_memory(note(text)), likeness=1.0)
    assert found is None or found.type != "numeric_clash"
