"""Find values that are secret because of the name beside them."""

from __future__ import annotations

from dmm.redaction.carriers import is_header_secret
from dmm.redaction.columns import scan_column
from dmm.redaction.judging import is_secret_text, is_secret_word, is_setting
from dmm.redaction.naming import PROPERTIES, STRONG, Name, classify, is_verb, name_at, stems_in
from dmm.redaction.patterns import later
from dmm.redaction.randomness import is_mixed, is_random
from dmm.redaction.values import MARKER, is_code, is_placeholder, is_spoken_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.redaction.layers import Layer
    from dmm.redaction.patterns import Span

_LINKS = (
    # name = value, "name": "value", name => value, name := value, name | value
    (later(
        r"[\"'`\])*]{0,3}[ \t]{0,20}(?:=>|:=|={1,3}|!=|:(?!:[A-Za-z_]+(?!\w))|->|\|)[ \t]{0,40}"
        # A value may stand on the next line, but not another variable.
        r"(?:\\?\r?\n[ \t>+|-]{0,16}+(?![A-Z][A-Z0-9_]{2,}=[^\s=]))?"), "assign"),
    # name: type = value
    (later(r"[\"'`?!]?\s{0,4}:\s{0,4}[\w.&<>\[\]|' ]{1,40}=(?!=)\s{0,8}"), "assign"),
    # "name": "X_PASSWORD", "value": "value"
    (later(
        r"[\"']?\s{0,40},?\s{0,40}[+-]?\s{0,20}[\"']?[Vv]alue[\"']?\s{0,4}[=:]\s{0,4}"), "assign"),
    # variable "name" { default = "value" }
    (later(r"[\"']\s{0,4}\{[^{}]{0,400}?\sdefault\s{0,8}=\s{0,8}"), "assign"),
    # "--name", "value" and define("name", "value")
    (later(r"[\"']\s{0,4},\s{0,4}(?=[\"'])"), "argument"),
    # name = call("value") and name || "value"
    (later(r"\s{0,4}:?=\s{0,4}[\w.:]{1,60}\(\s{0,8}(?=[\"'])"), "passed"),
    (later(r"[\"'\])]{0,3}\s{0,4}(?:\|\||\?\?|\bor\b)\s{0,8}(?=[\"'`])"), "argument"),
    # <name>value</name> and <td>name</td><td>value</td>
    (later(r"(?:\s[^<>\n]{0,80})?>\s{0,8}(?:<!\[CDATA\[)?"), "markup"),
    (later(
        r"[ \t:]{0,4}</\w{1,10}>[\s:]{0,20}<(?!th\b)\w{1,10}(?:\s[^<>\n]{0,80})?>\s{0,8}"), "cell"),
    # CREATE USER … PASSWORD 'value', setPassword("value")
    (later(r"\s{0,4}\(?\s{0,4}(?=[\"'])"), "call"),
    # the password for the database is value
    (later(
        r"(?:\s[\w'./@:-]{1,30}){0,6}?(?:\s{1,4}(?:is|was|=|to|[\u2013\u2014])[:=]?|:)\s{1,4}"
        r"(?:now\s|set to\s)?"), "prose"),
    (later(r"[ \t]{1,24}"), "prose"),
)  # fmt: skip
_DEFAULT = later(r":?[-=+]([^}\n]{1,256})\}")
_ESCAPED_QUOTE = later(r"&quot;|&#0?3[49];|&#x2[27];|%2[27]|\\+[\"']|\\+u002[27]")
_PREFIX = later(r"!!\w{1,10}[ \t]{1,4}|[fFbBrRuULNE@$]{0,2}(?=[\"'`])|[\[(]\s{0,8}(?=[\"'])")
_QUOTED = {
    '"': later(r'[^"\\\n]*(?:\\.[^"\\\n]*)*'),
    "'": later(r"[^'\\\n]*(?:\\.[^'\\\n]*)*"),
    "`": later(r"[^`\n]*"),
}
_BARE = later(r"[^\s\"'`<>]{1,96}")
_REST = later(r"[^\s\"'`<>]*")
_NEXT_PAIR = later(r"[;&,][A-Za-z_][\w. -]{0,40}[=:]|[,;]\Z|\\n")
_SPOKEN_END = later(r"\\[nrt]|[&;][A-Za-z_]\w{0,40}=")
_MORE_ITEMS = later(r"\s{0,8},\s{0,8}([\"'])((?:(?!\1)[^\\\n]){0,512})\1")
_WRAPPED = later(
    r"(?:\\?\r?\n[ \t+>|-]{0,16}[A-Za-z0-9+/_=-]{16,}(?=[\s\"',\\]|\Z))+"
    r"(?:\r?\n[ \t+>|-]{0,16}[A-Za-z0-9+/_-]{1,64}={1,2}(?=\s|\Z))?"
)
_ADDRESS = later(r"\barn:[\w:/.*-]{0,110}\Z")
_STATEMENT = later(r"\b(?:FROM|WHERE|SELECT|from|where|select)\b")
_ENTITY_END = later(r"&\w{2,6};\Z")
# Signs behind which nothing belongs to the name any more.
_ENDS = ("", ".", ";", "!")
_LONG = 40
_BLOCK = later(r"[|>][+-]?\d?[ \t]*\r?\n")
_BLOCK_LINE = later(r"[+-]?[ \t]+\S[^\n]{0,4096}\n?")


def scan_names(layer: Layer) -> Iterator[Span]:
    """Find the values beside or below names that reveal a secret."""
    text = layer.text
    done, rows = 0, (0, 0)
    for place, length in stems_in(layer.lowered):
        if place < done:
            continue
        name = name_at(text, place, length)
        # What follows inside a name or a found value can tell nothing new.
        done = name.end
        if name.level and not is_verb(text, name) and not _is_part(text, name):
            for span in _values_of(text, name):
                done = max(done, span[1])
                yield span
            if not rows[0] <= name.start < rows[1]:
                below, rows = scan_column(text, name)
                yield from below


def _values_of(text: str, name: Name) -> Iterator[Span]:
    if text[name.start - 2 : name.start] == "${":
        yield from _default(text, name)
        return
    if text[name.end : name.end + 1] in _ENDS:
        return
    for link, notation in _LINKS:
        if notation == "markup" and text[name.start - 1 : name.start] != "<":
            continue
        found = link.match(text, name.end)
        if found is None or found.end() == name.end or not _may_tell(name, notation, found[0]):
            continue
        if found[0].strip() == "|" and _is_piped(text, name):
            continue
        spans = list(_value_at(text, found.end(), name, notation, found[0]))
        if spans:
            yield from spans
            return


def _is_part(text: str, name: Name) -> bool:
    """Return whether a name is part of a marker or of a provider's name: arn:…:secret:…"""
    if text[name.start - 1 : name.start] != ":":
        return False
    if text.startswith(MARKER, name.start - len(MARKER)):
        return True
    return _ADDRESS.search(text, max(0, name.start - 120), name.start) is not None


def _is_piped(text: str, name: Name) -> bool:
    """Return whether this is a variable in a pipe rather than a table cell."""
    return "." in name.whole or text[name.start - 1 : name.start] in ("$", ".")


def _default(text: str, name: Name) -> Iterator[Span]:
    """Return whether the default of a shell variable may be a secret: a plain word is not."""
    found = _DEFAULT.match(text, name.end)
    if found is not None and is_spoken_secret(found[1]):
        yield (*found.span(1), name.label)


def _may_tell(name: Name, notation: str, link: str) -> bool:
    """Return whether a name may reveal a secret: not the verb "pass" or a method of a secret."""
    if notation == "passed":
        return name.level == STRONG
    if notation == "call":
        own = name.whole.rpartition(".")[2]
        return name.whole.lower() != "pass" and classify(own) is not None
    if notation == "prose":
        if _STATEMENT.search(link):
            return False
        first = link.split(maxsplit=1)[0].strip(":").lower() if link.strip() else ""
        return first not in PROPERTIES and (name.whole.lower() != "pass" or "is" in link)
    return True


def _value_at(text: str, place: int, name: Name, notation: str, link: str) -> Iterator[Span]:
    block = _BLOCK.match(text, place) if notation == "assign" else None
    if block is not None:
        yield from _block(text, block.end(), name)
        return
    prefix = _PREFIX.match(text, place)
    opening = text[place : place if prefix is None else prefix.end()]
    start = place + len(opening)
    quote = text[start : start + 1]
    if quote == "`" and _is_noted(text, start, name, link):
        return
    if quote in _QUOTED and quote and notation != "cell":
        yield from _quoted(text, start + 1, quote, name, notation, opening)
    elif notation != "call":
        yield from _bare(text, start, name, notation, link)


def _is_noted(text: str, place: int, name: Name, link: str) -> bool:
    """Return whether a backtick opens a code name rather than closes the one around it."""
    if "`" not in link and text[name.start - 1 : name.start] == "`":
        return True
    found = _QUOTED["`"].match(text, place + 1)
    return "=" not in link and found is not None and is_code(found[0])


def _quoted(
    text: str, start: int, quote: str, name: Name, notation: str, opening: str
) -> Iterator[Span]:
    found = _QUOTED[quote].match(text, start)
    if found is None:
        return
    value = found[0]
    if text[found.end() : found.end() + 1] != quote and found.end() < len(text):
        value = value.partition(" ")[0]  # no quote closes it on this line, so it opened nothing
    if is_secret_text(value, name, notation) or (
        notation == "assign" and text[name.end] == "=" and is_setting(value, name)
    ):
        end = start + len(value)
        yield (start, _go_on(text, end, value), name.label)
        if opening.startswith(("[", "(")):
            yield from _items(text, end + 1, name)


def _items(text: str, place: int, name: Name) -> Iterator[Span]:
    while (found := _MORE_ITEMS.match(text, place)) is not None:
        if is_secret_text(found[2], name, "assign"):
            yield (*found.span(2), name.label)
        place = found.end()


def _bare(text: str, start: int, name: Name, notation: str, link: str) -> Iterator[Span]:
    found = _BARE.match(text, start)
    if found is None:
        return
    value = found[0]
    if _ESCAPED_QUOTE.match(value):
        return  # what is quoted is read where the quotes are resolved
    cut = (_SPOKEN_END if notation == "prose" else _NEXT_PAIR).search(value)
    if cut is not None and _ENTITY_END.search(value, 0, cut.end()) is None:
        value = value[: cut.start()]
    value = _without_end(value, notation)
    if notation in ("markup", "cell") and text[found.end() : found.end() + 1] not in ("<", ">"):
        return
    if not value or not is_secret_word(text, start, value, name, notation, link):
        return
    # What follows a comma is another value, unless it looks as made up as a password.
    first, comma, other = value.partition(",")
    alone = comma and not is_mixed(other)
    if alone and not (first and is_secret_word(text, start, first, name, notation, link)):
        return
    end = start + len(value)
    if len(found[0]) == len(value):
        rest = _REST.match(text, end)
        end = end if rest is None else rest.end()
    yield (start, _go_on(text, end, text[start:end]), name.label)


def _without_end(value: str, notation: str) -> str:
    """Strip the characters that end a value."""
    if notation in ("markup", "cell"):
        return value.removesuffix("]]")
    value = value.rstrip("\\")
    if _ENTITY_END.search(value) is None:
        value = value.rstrip(",;)}]" if notation != "prose" else ".,;:)}]?")
    return value


def _block(text: str, place: int, name: Name) -> Iterator[Span]:
    """Return the indented lines below a name that opens a block."""
    start = place
    while (line := _BLOCK_LINE.match(text, place)) is not None:
        place = line.end()
    value = text[start:place].strip()
    if value and not is_placeholder(value) and (name.level == STRONG or is_random(value[:256])):
        yield (start, place, name.label)


def _go_on(text: str, end: int, value: str) -> int:
    """Follow a wrapped value over its lines."""
    if len(value) < _LONG or " " in value:
        return end
    found = _WRAPPED.match(text, end)
    return end if found is None else found.end()


def is_named_secret(name: str, value: str) -> str | None:
    """Return the label of a named value of plain data if it is a secret."""
    header = is_header_secret(name, value)
    kind = None if header else classify(name)
    if kind is None:
        return header
    found = Name(name, 0, len(name), *kind)
    return found.label if is_secret_text(value, found, "assign") else None
