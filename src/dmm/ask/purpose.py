"""Find the sentence of a README that says what a project is."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, NamedTuple

from markdown_it import MarkdownIt

from dmm.text.prose import split_sentences
from dmm.text.words import word_set

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from markdown_it.token import Token

# A README that has not said it by then does not say it.
LONGEST_READ, MOST_READ = 30_000, 8
# The project is named by the first of these: a logo, a badge, a heading.
MOST_TITLES = 20
# Words outside of links: a row of links says nothing. Where words have no spaces between, letters.
FEWEST_OWN, FEWEST_LETTERS = 2, 6
PROSE_SHARE = 0.85
_BLOCKS = word_set("p div center h1 h2 h3 h4 h5 h6 br hr tr td th li ul table")
_UNREAD = word_set("li td th pre code svg details picture style script title")
_HEADINGS = word_set("h1 h2 h3 h4 h5 h6")
_LISTS = frozenset(("bullet_list_open", "ordered_list_open", "table_open"))
_ALERT = re.compile(r"\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]", re.IGNORECASE)
_WORD = re.compile(r"[^\W_]{2,}")
# Letters of scripts that put no spaces between words.
_DENSE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
# A directive of another markup, and a row of choices.
_NO_PROSE = re.compile(r"\.\. |:[\w ]+:|=+ |\|.*\||.* [|·•] .* [|·•] ")
_SAYS = re.compile(
    r"(?:The )?(?P<name>[^.,;:!?()]{1,40}?)(?: \([^)]*\))?,? (?:is|are)(?: \w+)? (?:an?|the)\b"
)


class Said(NamedTuple):
    """A sentence, and the line of the paragraph that it stands in, from 1."""

    sentence: str
    line: int


def find_purpose(text: str) -> Said | None:
    """Find the first sentence that says "PROJECT is a ...", or the first one at all."""
    blocks = list(_blocks(text[:LONGEST_READ]))
    own = [one for one in blocks if one.is_own()][:MOST_READ]
    titles = [one.said for one in blocks if one.is_title][:MOST_TITLES]
    known = {word.casefold() for one in titles for word in _WORD.findall(one)}
    told = [(one, split_sentences(one.said)) for one in own]
    named = (
        Said(sentence, one.line)
        for one, sentences in told
        for sentence in sentences
        if _is_about(sentence, known)
    )
    # What ends with a colon announces something else, unless it says what the project is before.
    firsts = (Said(sentences[0], one.line) for one, sentences in told)
    return next(named, next((one for one in firsts if not one.sentence.endswith((":", "?"))), None))


def _is_about(sentence: str, known: Collection[str]) -> bool:
    found = _SAYS.match(sentence)
    words = [word.casefold() for word in _WORD.findall(found["name"])] if found else []
    return bool(words) and all(word in known for word in words)


class _Block(NamedTuple):
    said: str
    line: int
    is_title: bool
    linked: int

    def is_own(self) -> bool:
        """Return whether it says something itself: a title and a row of links do not."""
        plain = sum(one.isalpha() or one == " " for one in self.said)
        own = len(_WORD.findall(self.said)) - self.linked
        return (
            not self.is_title
            and (
                own >= FEWEST_OWN or (own > 0 and len(_DENSE.findall(self.said)) >= FEWEST_LETTERS)
            )
            and plain >= PROSE_SHARE * len(self.said)
            and not _NO_PROSE.match(self.said)
        )


def _blocks(text: str) -> Iterator[_Block]:
    """Return the paragraphs, headings and names of pictures, without lists, tables and alerts."""
    tokens = MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)
    until = 0
    for around, one in zip(["", *(two.tag for two in tokens)], tokens, strict=False):
        first, last = one.map or (0, 0)
        if one.type in _LISTS or (one.type == "inline" and _ALERT.match(one.content)):
            until = max(until, last)
        elif first >= until and one.type in ("inline", "html_block"):
            yield from _Text(first + 1, is_title=around in _HEADINGS).read(one)


class _Text(HTMLParser):
    """Reads the text of a block, with or without elements of HTML."""

    def __init__(self, line: int, *, is_title: bool) -> None:
        super().__init__()
        self._is_title = is_title
        self._first = line
        self._line = line
        self._open: list[str] = []
        self._said: list[str] = []
        self._linked = 0
        self._found: list[_Block] = []

    def read(self, token: Token) -> list[_Block]:
        """Return the blocks of one token."""
        if token.type == "html_block":
            self.feed(token.content)
        else:
            self._inline(token.children or [])
        self._end()
        return self._found

    def _inline(self, children: list[Token]) -> None:
        for one in children:
            if one.type in ("text", "code_inline"):
                self.handle_data(one.content)
            elif one.type in ("softbreak", "hardbreak"):
                self.handle_data(" ")
            elif one.type == "html_inline":
                self.feed(one.content)
            elif one.type == "image":
                self._found.append(_Block(one.content, self._first, True, 0))
            elif one.type in ("link_open", "link_close"):
                (self._open.append if one.nesting > 0 else self._close)("a")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a block where one begins; a picture may be called by the project's name."""
        if tag == "img":
            self._found.append(_Block(dict(attrs).get("alt") or "", self._first, True, 0))
            return
        if tag in _BLOCKS:
            self._end()
        if tag not in ("br", "hr", "source", "input"):
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """End a block where one ends."""
        if tag in _BLOCKS:
            self._end(is_title=tag == "h1")
        self._close(tag)

    def handle_data(self, data: str) -> None:
        """Keep what a reader sees."""
        if _UNREAD.isdisjoint(self._open) and data.strip():
            if not self._said:
                before = data[: len(data) - len(data.lstrip())]
                self._line = self._first + self.getpos()[0] - 1 + before.count("\n")
            self._linked += len(_WORD.findall(data)) if "a" in self._open else 0
            self._said.append(data)
        elif self._said:
            self._said.append(" ")

    def _close(self, tag: str) -> None:
        if tag in self._open:
            while self._open.pop() != tag:
                pass

    def _end(self, *, is_title: bool = False) -> None:
        said = " ".join("".join(self._said).split())
        if said:
            title = is_title or self._is_title
            self._found.append(_Block(said, self._line, title, self._linked))
        self._said, self._linked = [], 0
