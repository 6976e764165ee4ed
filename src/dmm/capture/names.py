"""Names: values that are secret because of the name beside them, in any notation."""

from __future__ import annotations

import re

from dmm.capture.carriers import is_header_secret, is_login
from dmm.capture.columns import scan_column
from dmm.capture.formats import go_on, match_at
from dmm.capture.naming import (
    PROPERTIES,
    STRONG,
    WEAK,
    Name,
    classify,
    is_verb,
    name_at,
    stems_in,
)
from dmm.capture.randomness import has_digit, is_mixed, is_random, is_uuid
from dmm.capture.values import (
    is_bare_secret,
    is_code,
    is_keylike,
    is_placeholder,
    is_quoted_secret,
    is_spoken_secret,
    is_stand_in,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.capture.formats import Span
    from dmm.capture.layers import Layer

_LINKS = (
    # name = value, "name": "value", name => value, name := value, name | value
    (re.compile(
        r"[\"'`\])*]{0,3}[ \t]{0,20}(?:=>|:=|={1,3}|!=|:(?!:[A-Za-z_]+(?!\w))|->|\|)[ \t]{0,40}"
        r"(?:\\?\r?\n[ \t>+|-]{0,16})?"), "assign"),
    # name: type = value
    (re.compile(r"[\"'`?!]?\s{0,4}:\s{0,4}[\w.&<>\[\]|' ]{1,40}=(?!=)\s{0,8}"), "assign"),
    # "name": "X_PASSWORD", "value": "value"
    (re.compile(
        r"[\"']?\s{0,40},?\s{0,40}[+-]?\s{0,20}[\"']?[Vv]alue[\"']?\s{0,4}[=:]\s{0,4}"), "assign"),
    # variable "name" { default = "value" }
    (re.compile(r"[\"']\s{0,4}\{[^{}]{0,400}?\sdefault\s{0,8}=\s{0,8}"), "assign"),
    # "--name", "value" and define("name", "value")
    (re.compile(r"[\"']\s{0,4},\s{0,4}(?=[\"'])"), "argument"),
    # <name>value</name>
    (re.compile(r"(?:\s[^<>\n]{0,80})?>\s{0,8}"), "markup"),
    # CREATE USER … PASSWORD 'value', setPassword("value")
    (re.compile(r"\s{0,4}\(?\s{0,4}(?=[\"'])"), "call"),
    # the password for the database is value
    (re.compile(
        r"(?:\s[\w'./@:-]{1,30}){0,6}?(?:\s{1,4}(?:is|was|=|to|[\u2013\u2014])[:=]?|:)\s{1,4}"
        r"(?:now\s|set to\s)?"), "prose"),
    (re.compile(r"[ \t]{1,24}"), "prose"),
)  # fmt: skip
_DEFAULT = re.compile(r":?[-=+]([^}\n]{1,256})\}")
_ESCAPED_QUOTE = re.compile(r"&quot;|&#0?3[49];|&#x2[27];|%2[27]|\\+[\"']|\\+u002[27]")
_SETTING = re.compile(r"\b(?:set|config|configure|put|write|add)[ \t]{1,4}(?:-{1,2}[\w-]+[ \t]{1,4})?\S{0,80}\Z")
_PREFIX = re.compile(r"[fFbBrRuU@$]{0,2}(?=[\"'`])|[\[(]\s{0,8}(?=[\"'])")
_QUOTED = {
    '"': re.compile(r'[^"\\\n]*(?:\\.[^"\\\n]*)*'),
    "'": re.compile(r"[^'\\\n]*(?:\\.[^'\\\n]*)*"),
    "`": re.compile(r"[^`\n]*"),
}
_BARE = re.compile(r"[^\s\"'`<>]{1,96}")
_REST = re.compile(r"[^\s\"'`<>]*")
_NEXT_PAIR = re.compile(r"[;&,][A-Za-z_][\w. -]{0,40}[=:]|[,;]\Z|\\n")
_SPOKEN_END = re.compile(r"\\[nrt]|[&;][A-Za-z_]\w{0,40}=")
_MORE_ITEMS = re.compile(r"\s{0,8},\s{0,8}([\"'])((?:(?!\1)[^\\\n]){0,512})\1")
_WRAPPED = re.compile(
    r"(?:\\?\r?\n[ \t+>|-]{0,16}[A-Za-z0-9+/_=-]{16,}(?=[\s\"',\\]|\Z))+"
    r"(?:\r?\n[ \t+>|-]{0,16}[A-Za-z0-9+/_-]{1,64}={1,2}(?=\s|\Z))?"
)
_FIRST_OF = re.compile(r"[,;]")
_LONG = 40
_BLOCK = re.compile(r"[|>][+-]?\d?[ \t]*\r?\n")
_BLOCK_LINE = re.compile(r"[+-]?[ \t]+\S[^\n]{0,4096}\n?")


# What a wallet is made from: words in a row, or one on a line, that make no sentence.
_WALLET = ("phrase", "mnemonic", "seed", "recovery", "backup", "wallet")
_PHRASE = (
    r"(?:phrase|mnemonic|seed|recovery|backup|wallet)s?\W{1,4}(?:[\w-]{1,12}\W{1,3}){0,4}?"
    r"((?:(?:\d{1,2}[.):]? ?)?[a-z]{3,8}(?:[\"', ]{1,5}|\r?\n[ \t>+|-]{0,16})){11,24}(?:\d{1,2}[.):]? ?)?[a-z]{3,8})(?![a-z])"
)
_FEWEST_WORDS = 12
_WALLET_WORD = re.compile(r"[a-z]{3,8}")
_OF_SENTENCES = frozenset({
    "the", "and", "for", "are", "was", "has", "its", "with", "from", "not", "but", "please",
})  # fmt: skip
_CODES = (
    r"[a-z-]{6,9} codes?\s{0,2}(?:is|are|:|=)\s{0,4}"
    r"((?:[A-Za-z0-9-]{5,24}[,\s]{1,3}){0,15}[A-Za-z0-9-]{5,24})"
)
_PAIR = (
    r"(?:cred(?:s|entials?)?(?:\s(?:is|are))?|log ?in (?:with|as))\s{0,2}[:=]?\s{1,4}"
    r"[\"'`]?[\w.@-]{1,64}[\"'`]?\s?[/:,]\s?[\"'`]?([^\s\"'`]{5,128})"
)
_PAIR_CALL = (
    r"(?:uth=?|login|redentials)\(\s{0,8}[\"'][^\"'\n]{1,64}[\"']\s{0,4},"
    r"\s{0,8}[\"']([^\"'\n]{4,256})[\"']"
)


def scan_names(layer: Layer) -> Iterator[Span]:
    """Find the values that stand beside telling names, or below them."""
    text = layer.text
    done = 0
    for place, length in stems_in(layer.lowered):
        if place < done:
            continue
        name = name_at(text, place, length)
        # What follows inside a name or a found value can tell nothing new.
        done = name.end
        if name.level and not is_verb(text, name):
            for span in _values_of(text, name):
                done = max(done, span[1])
                yield span
            yield from scan_column(text, name)


def _values_of(text: str, name: Name) -> Iterator[Span]:
    if text[name.start - 2 : name.start] == "${":
        yield from _default(text, name)
        return
    for link, notation in _LINKS:
        if notation == "markup" and text[name.start - 1 : name.start] != "<":
            continue
        found = link.match(text, name.end)
        if found is None or found.end() == name.end or not _may_tell(name, notation, found[0]):
            continue
        spans = list(_value_at(text, found.end(), name, notation, found[0]))
        if spans:
            yield from spans
            return


def _default(text: str, name: Name) -> Iterator[Span]:
    """Judge what a shell takes where a variable is not set: a plain word is no secret."""
    found = _DEFAULT.match(text, name.end)
    if found is not None and is_spoken_secret(found[1]):
        yield (*found.span(1), name.label)


def _may_tell(name: Name, notation: str, link: str) -> bool:
    """Leave out the verb "pass", methods that are called on a secret, and what it is like."""
    if notation == "call":
        own = name.whole.rpartition(".")[2]
        return name.whole.lower() != "pass" and classify(own) is not None
    if notation == "prose":
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
    if quote in _QUOTED and quote:
        yield from _quoted(text, start + 1, quote, name, notation, opening)
    elif notation != "call":
        yield from _bare(text, start, name, notation, link)


def _is_noted(text: str, place: int, name: Name, link: str) -> bool:
    """Say whether a code mark holds a name of code, or only closes the one that the name is in."""
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
    if _is_secret_text(value, name, notation) or (
        notation == "assign" and text[name.end] == "=" and _is_setting(value, name)
    ):
        end = start + len(value)
        yield (start, _go_on(text, end, value), name.label)
        if opening.startswith(("[", "(")):
            yield from _items(text, end + 1, name)


def _is_setting(value: str, name: Name) -> bool:
    """Say whether this sets a variable of the environment that is to hold a secret."""
    return name.whole.isupper() and name.level > WEAK and is_quoted_secret(value, strong=True)


def _items(text: str, place: int, name: Name) -> Iterator[Span]:
    while (found := _MORE_ITEMS.match(text, place)) is not None:
        if _is_secret_text(found[2], name, "assign"):
            yield (*found.span(2), name.label)
        place = found.end()


def _is_secret_text(value: str, name: Name, notation: str) -> bool:
    if name.level == WEAK:
        return _is_weak_secret(value, name)
    strong = name.level == STRONG and (notation != "call" or name.label == "password")
    if notation in ("call", "prose", "argument") and not is_mixed(value) and not is_random(value):
        return notation == "prose" and strong and is_quoted_secret(value, strong=True)
    return is_quoted_secret(value, strong=strong)


def _is_weak_secret(value: str, name: Name) -> bool:
    if name.label == "pin":
        return value.isdigit() and 3 <= len(value) <= 8
    if is_placeholder(value) or is_uuid(value):
        return False
    return is_random(value) or (name.whole.lower().endswith("auth") and is_login(value))


def _bare(text: str, start: int, name: Name, notation: str, link: str) -> Iterator[Span]:
    found = _BARE.match(text, start)
    if found is None:
        return
    value = found[0]
    if _ESCAPED_QUOTE.match(value):
        return  # what is quoted is read where the quotes are resolved
    cut = (_SPOKEN_END if notation == "prose" else _NEXT_PAIR).search(value)
    if cut is not None:
        value = value[: cut.start()]
    value = value.rstrip(",;)}]") if notation != "markup" else value
    if notation == "markup" and text[found.end() : found.end() + 1] != "<":
        return
    if notation == "prose":
        value = value.rstrip(".,;:)?")
    if not value or is_stand_in(_FIRST_OF.split(value)[0]):
        return
    if not _is_secret_word(text, start, value, name, notation, link):
        return
    end = start + len(value)
    if len(found[0]) == len(value):
        rest = _REST.match(text, end)
        end = end if rest is None else rest.end()
    yield (start, _go_on(text, end, text[start:end]), name.label)


def _is_secret_word(
    text: str, start: int, value: str, name: Name, notation: str, link: str
) -> bool:
    after = text[start + len(value) : start + len(value) + 1]
    if "==" in link or "!=" in link:
        return False
    if link.isspace() and name.level > WEAK and _is_set(text, name) and is_keylike(value):
        return True
    if name.level == WEAK or (name.whole == "PASS" and "=" not in link):
        told = notation != "prose" or (name.label == "pin" and link.strip() != "")
        return told and _is_weak_secret(value, name)
    strong = name.level == STRONG
    if (notation == "prose" and (link.strip() or not _is_flag(text, name))) or "|" in link:
        spoken = link.strip() != "" or name.level == STRONG or is_random(value, 12)
        return spoken and "\n" not in link and is_spoken_secret(value)
    if value.isdigit():
        return strong and len(value) > 3 and name.label == "password" and "\n" not in link
    if notation == "markup":
        return is_quoted_secret(value, strong=strong)
    return is_bare_secret(value, strong=strong, tight=_is_tight(text, name, link, after, value))


def _is_set(text: str, name: Name) -> bool:
    """Say whether a command sets this name to the next word: npm config set name value."""
    return _SETTING.search(text, max(0, name.start - 120), name.start) is not None


def _is_flag(text: str, name: Name) -> bool:
    return name.whole.startswith("-") or text[name.start - 2 : name.start] == "--"


def _is_tight(text: str, name: Name, link: str, after: str, value: str) -> bool:
    """Say whether this can only set a value: of the environment, an option or a setting."""
    if "\n" in link or "|" in link:
        return False
    if name.whole.isupper() and "=" in link and " " not in link:
        return True
    if _is_flag(text, name):
        return value[0] != "-"
    before = text[name.start - 1 : name.start]
    if before in ("?", "&", ";"):
        return True
    written = after in (",", ")") and not has_digit(value)  # as an argument in code
    if written or after in ("(", ".", "[") or name.label != "password":
        return False
    if link == "=":
        return True
    behind = name.end + len(link) + len(value)
    rest = text[behind : behind + 80].split("\n", 1)[0].strip(" \t\r\\}")
    return link.strip() == ":" and rest[:1] in ("", '"', "'", "`")


def _block(text: str, place: int, name: Name) -> Iterator[Span]:
    """Take the indented lines behind a name that opens a block."""
    start = place
    while (line := _BLOCK_LINE.match(text, place)) is not None:
        place = line.end()
    value = text[start:place].strip()
    if value and not is_placeholder(value) and (name.level == STRONG or is_random(value[:256])):
        yield (start, place, name.label)


def _go_on(text: str, end: int, value: str) -> int:
    """Follow a long value over the lines that it was wrapped to."""
    if " " in value:
        return end
    found = _WRAPPED.match(text, end) if len(value) >= _LONG else None
    if found is not None:
        return found.end()
    return go_on(text, end)[0] if is_random(value, 8) else end


def is_named_secret(name: str, value: str) -> str | None:
    """Judge a value of plain data by its name; give the label where it is a secret."""
    header = is_header_secret(name, value)
    kind = None if header else classify(name)
    if kind is None:
        return header
    found = Name(name, 0, len(name), *kind)
    return found.label if _is_secret_text(value, found, "assign") else None


def scan_phrases(layer: Layer) -> Iterator[Span]:
    """Find what stands behind several words: seeds of wallets, codes, users with passwords."""
    text = layer.text
    for found in match_at(_PHRASE, layer.lowered, _WALLET):
        end = _wallet_end(found[1])
        if end:
            yield (found.start(1), found.start(1) + end, "secret")
    for found in match_at(_CODES, text, ("backup code", "recovery code", "one-time code")):
        if has_digit(found[1]):
            yield (*found.span(1), "secret")
    for found in match_at(_PAIR, text, ("cred", "log in with ", "log in as ", "login as ")):
        if is_spoken_secret(found[1]):
            yield (*found.span(1), "password")
    for found in match_at(_PAIR_CALL, text, ("uth(", "uth=(", "login(", "redentials(")):
        if is_quoted_secret(found[1], strong=True):
            yield (*found.span(1), "password")


def _wallet_end(text: str) -> int:
    """Tell where the words of a wallet end and a sentence begins; 0 where there are too few."""
    end = count = 0
    for word in _WALLET_WORD.finditer(text):
        if word[0] in _OF_SENTENCES:
            break
        end, count = word.end(), count + 1
    return end if count >= _FEWEST_WORDS else 0
