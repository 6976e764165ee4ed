"""What is read of one memory, once, for all its comparisons."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.conflicts.clauses import is_verb
from dmm.conflicts.replacements import replaced_in
from dmm.conflicts.sentences import headings_and_sentences
from dmm.conflicts.statements import Statement, read_statements, scopes_of, terms_of
from dmm.conflicts.words import words_of
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dmm.domain.memory import Memory


@dataclass(frozen=True, slots=True)
class Reading:
    """Everything that comparing needs of one memory."""

    memory: Memory
    statements: tuple[Statement, ...]
    title: frozenset[str]
    context: frozenset[str]
    title_scopes: Mapping[str, frozenset[str]]
    tag_scopes: Mapping[str, frozenset[str]]
    replaced: tuple[frozenset[str], bool]
    claimed: frozenset[str]


# A memory is one concept; what is longer than this is not read to its end.
_LONGEST = 20_000
_MOST_SENTENCES = 60


def read_memory(memory: Memory) -> Reading:
    """Read what a memory states."""
    headings, sentences = headings_and_sentences(memory.body[:_LONGEST])
    sentences = sentences[:_MOST_SENTENCES]
    if _is_claim(memory.title):
        sentences = [memory.title, *sentences]
    statements = read_statements(sentences)
    title = terms_of(memory.title)
    tags = frozenset(term for tag in memory.tags for term in terms_of(tag.replace("_", " ")))
    body = frozenset(term for statement in statements for term in statement.terms)
    more = frozenset(term for heading in headings for term in terms_of(heading))
    return Reading(
        memory=memory,
        statements=statements,
        title=title,
        context=title | tags | body | more,
        title_scopes=scopes_of(memory.title),
        tag_scopes=scopes_of(" ".join((*memory.tags, *memory.directory.split("/")))),
        replaced=replaced_in(sentences),
        claimed=frozenset(t for s in statements if not s.old for t in s.terms),
    )


def _is_claim(title: str) -> bool:
    """Whether a title says something by itself: "Use JWT for sessions"."""
    words = words_of(title)
    if len(words) < 3:
        return False
    if words[0].text in ("do", "never", "always", "no"):
        return True
    plain = {word.text for word in words}
    starts = is_verb(words[0]) and words[0].text in _IMPERATIVES
    return starts or bool(plain & {"is", "are", "must", "should", "uses", "use", "not", "never"})


_IMPERATIVES = word_set(
    """use prefer avoid keep store run write add set enable disable require deploy put return raise
    log cache retry name squash rebase merge pin validate encrypt commit delete"""
)
