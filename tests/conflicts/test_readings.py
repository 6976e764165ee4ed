"""What is read of a memory: sentences without markup, claims without asides."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from dmm.conflicts.compare import compare, read_memory
from dmm.conflicts.sentences import headings_and_sentences
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
    assert read_memory(note("Should we use Redis? See also the wiki.")).statements == ()


def test_a_title_that_says_something_is_a_statement() -> None:
    reading = read_memory(note("It scales.", "Use JWT for sessions"))
    assert [statement.text for statement in reading.statements] == [
        "Use JWT for sessions",
        "It scales.",
    ]


def test_a_very_long_body_is_not_read_to_its_end() -> None:
    assert len(read_memory(note("Use Redis. " * 100_000)).statements) <= 60


@given(st.text(max_size=300), st.text(max_size=300))
def test_any_text_can_be_read_and_compared(one: str, other: str) -> None:
    compare(read_memory(note(one)), read_memory(note(other)), likeness=0.5)


@given(st.text(alphabet="use not the redis 5 60 min, .`\n", min_size=1, max_size=120))
def test_a_note_never_conflicts_with_itself_by_amounts(text: str) -> None:
    found = compare(read_memory(note(text)), read_memory(note(text)), likeness=1.0)
    assert found is None or found.type != "numeric_clash"
