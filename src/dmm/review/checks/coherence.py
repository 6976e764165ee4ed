"""Whether title, tags and body are about the same thing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dmm.domain.proposal import CheckName
from dmm.index.analysis import analyze
from dmm.review.checks.concept import LONGEST_BODY
from dmm.review.checks.subject import failed, passed, quote, warned
from dmm.review.checks.vocabulary import read_vocabulary, telling_words

if TYPE_CHECKING:
    from dmm.domain.memory import Memory
    from dmm.domain.proposal import Check
    from dmm.review.checks.subject import Subject

NAME = CheckName.COHERENCE
_FEWEST_WORDS = 25


def check_coherence(subject: Subject, memory: Memory) -> Check:
    """Object to a title that the body does not speak of; point at tags that go with nothing."""
    body = _text_below_title(memory)[:LONGEST_BODY]
    vocabulary = read_vocabulary(body)
    words = telling_words(memory.title)
    if words and len(telling_words(body)) >= _FEWEST_WORDS:
        told = any(map(vocabulary.covers, words)) or set(analyze(memory.title)) & set(analyze(body))
        if not told and len(words) > 2:
            text = f"the text does not mention its title {quote(memory.title)}; make them match"
            return failed(NAME, text)
        if not told:
            return warned(NAME, f"the text uses no word of its title {quote(memory.title)}")
    if not memory.tags:
        return warned(NAME, "no tags; name the area, and words that the text does not use")
    foreign = _foreign_tags(memory, body, subject)
    # A tag may well be a word that the text does not use; that is what tags are for.
    if len(foreign) == len(memory.tags):
        names = ", ".join(quote(tag, 40) for tag in foreign[:4])
        return warned(NAME, f"tags that match nothing in the text: {names}")
    return passed(NAME, "title, tags and text are about the same thing")


def _text_below_title(memory: Memory) -> str:
    lines = memory.body.split("\n")
    at = next((n for n, line in enumerate(lines) if memory.title in line), -1)
    return "\n".join(lines[:at] + lines[at + 1 :]) if at >= 0 else memory.body


def _foreign_tags(memory: Memory, body: str, subject: Subject) -> list[str]:
    near = " ".join(tag for one in subject.around.neighbours[:3] for tag in one.tags)
    names = memory.path.replace("/", " ").removesuffix(".md")
    about = "\n".join((body, memory.title, names, near, " ".join(memory.aliases)))
    vocabulary = read_vocabulary(about)
    return [
        tag
        for tag in memory.tags
        if telling_words(tag) and not any(map(vocabulary.covers, telling_words(tag)))
    ]
