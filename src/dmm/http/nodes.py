"""Markdown as a tree of nodes: a page builds its elements from them, and no HTML ever exists.

Nothing is lost: a text that a tree would not show whole is one block, as it is written.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from markdown_it import MarkdownIt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from markdown_it.token import Token

# A longer text, or one that is nested deeper, is shown as it is written.
LONGEST = 64 << 10
DEEPEST = 30
SCHEMES = ("http://", "https://")
_BLOCKS = {
    "paragraph": "p",
    "heading": "h",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "li",
    "blockquote": "quote",
    "table": "table",
    "tr": "tr",
    "th": "th",
    "td": "td",
    "em": "em",
    "strong": "strong",
    "s": "s",
    "link": "a",
}
# They only group the rows of a table.
_GROUPS = ("thead", "tbody")


FRONT, MARK = "---\n", "\n---\n"


@dataclass(frozen=True, slots=True)
class Node:
    """A piece of a text: its kind `t`, children `c` or a value `v`.

    `level` is that of a heading or the first number of a list; `lang` names the language of code;
    `href` is an address on the web.
    """

    t: str
    c: tuple[Node, ...] = ()
    v: str = ""
    level: int = 0
    lang: str = ""
    href: str = ""


def read_nodes(text: str) -> tuple[Node, ...]:
    """Return a markdown text as nodes."""
    whole = (Node("pre", v=text),) if text else ()
    if len(text) > LONGEST:
        return whole
    try:
        found = _build(_reader().parse(text))
    except RecursionError:
        return whole
    kept = Counter(filter(str.isalnum, "".join(_tell(found))))
    told = Counter(filter(str.isalnum, text))
    return found if told <= kept else whole


def read_body(text: str | None) -> tuple[Node, ...]:
    """Return the text of a memory file below its front matter as nodes; none has no node."""
    plain = (text or "").replace("\r\n", "\n")
    _, mark, body = plain.partition(MARK) if plain.startswith(FRONT) else ("", "", "")
    return read_nodes(body if mark else plain)


class _Reader(MarkdownIt):
    """Leaves addresses as they were written: they are shown and checked like that."""

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - the library's name
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802 - the library's name
        return link


@cache
def _reader() -> MarkdownIt:
    """Make a reader without HTML, entities and references: what stands there is shown."""
    reader = _Reader("commonmark", {"html": False, "maxNesting": DEEPEST})
    reader.enable(["table", "strikethrough"])
    reader.disable(["html_block", "html_inline", "entity", "reference"])
    return reader


def is_safe(address: str) -> bool:
    """Return whether an address leads to the web and hides no character."""
    return address.lower().startswith(SCHEMES) and address.isprintable() and " " not in address


def _build(tokens: Iterable[Token]) -> tuple[Node, ...]:
    """Turn tokens that open and close into nodes that hold one another."""
    opened: list[tuple[Token, list[Node]]] = []
    top: list[Node] = []
    for token in tokens:
        inside = opened[-1][1] if opened else top
        if token.nesting > 0:
            opened.append((token, []))
        elif token.nesting < 0:
            begun, held = opened.pop()
            (opened[-1][1] if opened else top).extend(_close(begun, tuple(held)))
        else:
            inside.extend(_leaf(token))
    return tuple(top)


def _close(token: Token, held: tuple[Node, ...]) -> Iterator[Node]:
    name = token.type.removesuffix("_open")
    if token.hidden or name in _GROUPS:
        yield from held
    elif name == "link":
        yield from _link(token, held)
    elif name == "heading":
        yield Node("h", held, level=int(token.tag[1:]))
    elif name == "ordered_list":
        yield Node("ol", held, level=int(token.attrGet("start") or 1))
    else:
        yield Node(_BLOCKS[name], held)


def _link(token: Token, held: tuple[Node, ...]) -> Iterator[Node]:
    """Make a link of an address on the web; any other address is shown as text beside it."""
    address, title = str(token.attrGet("href") or ""), str(token.attrGet("title") or "")
    if is_safe(address):
        yield Node("a", held, href=address)
    else:
        yield from held
        yield from _text(f" ({address})" if address else "")
    yield from _text(f" ({title})" if title else "")


def _leaf(token: Token) -> Iterator[Node]:
    match token.type:
        case "inline":
            yield from _build(token.children or ())
        case "text":
            yield from _text(token.content)
        case "softbreak":
            yield Node("text", v="\n")
        case "hardbreak":
            yield Node("br")
        case "hr":
            yield Node("hr")
        case "code_inline":
            yield Node("code", v=token.content)
        case "image":
            yield from _image(token)
        case _:
            # Code in a block, and whatever another version of the reader may know.
            yield Node("pre", v=token.content, lang=token.info.strip())


def _text(value: str) -> Iterator[Node]:
    if value:
        yield Node("text", v=value)


def _image(token: Token) -> Iterator[Node]:
    """Return an image as text: nothing is ever fetched."""
    told = (token.content, token.attrGet("src"), token.attrGet("title"))
    yield from _text(f"[image: {', '.join(str(one) for one in told if one)}]")


def _tell(nodes: Sequence[Node]) -> Iterator[str]:
    """Return all that nodes show."""
    for one in nodes:
        yield from (one.v, one.lang, one.href, str(one.level) if one.t == "ol" else "")
        if one.t == "ol":
            yield from (str(one.level + number) for number in range(len(one.c)))
        yield from _tell(one.c)
