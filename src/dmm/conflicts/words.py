"""Sentences as words: what each is, which concept it stands for, how much it tells."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from dmm.conflicts.vocabulary import concept_of, forms_of, phrases_from
from dmm.rules.language.wordsets import word_set

_TOKEN = re.compile(
    r"""(?P<code>`[^`\n]+`)
    |(?P<flag>(?<![\w-])--?[a-zA-Z][\w-]*)
    |(?P<url>https?://[^\s)>\]]+)
    |(?P<path>(?<![\w.])(?:\.{0,2}/|~/)?[\w.@*+-]{1,100}+(?:/[\w.@*+-]++)++/?|(?<![\w/])\.[a-z][\w.]+|/[.{:-]*\w[\w.{}:-]*(?:/[\w.{}:-]+)*)
    |(?P<date>20\d\d-\d\d(?:-\d\d)?(?![\w-]))
    |(?P<number>\d{1,2}:\d\d(?!\d)|10\^\d{1,2}(?!\w)|\d++(?:\.\d++)?[eE][+-]?\d{1,2}(?!\w)
      |(?:[$\u20ac\u00a3]\s?)?\d{1,3}(?:[_,]\d{3})++(?:\.\d++)?(?!\w)
      |(?:[$\u20ac\u00a3]\s?)?\d++(?:\.\d++)*+(?:\.x)?(?!\w))
    |(?P<word>[^\W\d_](?:\w|(?<=\w)[.+\#](?=\w)|-(?=[\w-]{0,40}\d)|(?<=[a-zA-Z])\+\+|(?<=\b[cCfF])\#|\u2019(?=\w)|'(?=\w))*+|_\w++|\d++(?:\.\d++)*+\w++)
    |(?P<mark>[<>]=?|\u2264|\u2265|[^\w\s])""",
    re.VERBOSE,
)


class Word(NamedTuple):
    """One word of a sentence; `named` marks words that name something of their own."""

    text: str
    concept: str
    sort: str
    named: bool = False
    span: tuple[int, int] = (0, 0)


_SHORT_NOT = re.compile(r"^(\w+?)n['\u2019]t$")
_SHORT = re.compile(r"['\u2019](?:s|ll|re|ve|d|m)$")
_CAMEL = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|\d[A-Z]")
_AUXILIARY = {"ca": "can", "wo": "will", "sha": "shall"}


def words_of(sentence: str) -> list[Word]:
    """The words of a sentence in order, phrases of one meaning joined."""
    return list(_read(sentence))


# A memory is read for its claims, its amounts and what it replaces: mostly the same sentences.
@lru_cache(maxsize=512)
def _read(sentence: str) -> tuple[Word, ...]:
    raw: list[Word] = []
    for match in _TOKEN.finditer(sentence):
        sort = str(match.lastgroup)
        text = match.group()
        if sort == "code":
            raw.extend(_code_words(text.strip("`"), match.start()))
        elif sort == "word":
            raw.extend(_plain_words(text, match.start(), first=not raw))
        else:
            raw.append(_other(text, sort, match.span()))
    return tuple(_joined(raw))


def _other(text: str, sort: str, span: tuple[int, int]) -> Word:
    if sort == "flag":
        return Word(text.lower(), text.lower(), "name", True, span)
    if sort in ("url", "path"):
        name = text.rstrip(".,;").lower().removeprefix("application/")
        if name.count("/") == 1 and "." not in name and not name.startswith(("/", "~", ".")):
            return Word(name, concept_of(name), "word", False, span)
        return Word(name, name.strip("/"), "name", True, span)
    return Word(text, text, sort, False, span)


def _code_words(text: str, start: int) -> list[Word]:
    inner = text.strip()
    if not inner or " " not in inner:
        lowered = inner.lower().rstrip("()")
        if lowered in _GRAMMAR:
            return [Word(lowered, f"`{lowered}`", "name", True, (start, start + len(text)))]
        if lowered.isalpha():
            return [Word(lowered, concept_of(lowered), "word", True, (start, start + len(text)))]
        if re.fullmatch(r"\d+(\.\d+)*", lowered):
            return [Word(lowered, lowered, "number", False, (start, start + len(text)))]
        concept = concept_of(lowered) if lowered else ""
        return [Word(lowered, concept, "name", True, (start, start + len(text)))]
    found: list[Word] = []
    for piece in inner.split():
        found.extend(_code_words(piece, start))
    return found


def _plain_words(text: str, start: int, *, first: bool) -> list[Word]:
    span = (start, start + len(text))
    if text.isalpha() and text not in ("cannot", "Cannot"):
        return [_word(text, span, first)]
    negated = _SHORT_NOT.match(text)
    if negated:
        stem = negated.group(1).lower()
        word = _AUXILIARY.get(stem, stem)
        return [Word(word, word, "word", False, span), Word("not", "not", "word", False, span)]
    text = _SHORT.sub("", text)
    if text.lower() == "cannot":
        return [
            Word("can", "can", "word", False, span),
            Word("not", "not", "word", False, span),
        ]
    return [_word(text, span, first)]


@lru_cache(maxsize=65_536)
def _facts(text: str, first: bool) -> tuple[str, str, bool]:
    lowered = text.lower()
    inner = any(map(str.isdigit, text)) or "_" in text or bool(_CAMEL.search(text))
    inner = inner or any(mark in text for mark in ".#+")
    capital = text[0].isupper() and not first and lowered not in _MONTHS_DAYS
    return (
        lowered,
        concept_of(lowered),
        lowered not in _ACRONYMS and (inner or capital or (len(text) > 1 and text.isupper())),
    )


def _word(text: str, span: tuple[int, int], first: bool) -> Word:
    lowered, concept, named = _facts(text, first)
    return Word(lowered, concept, "word", named, span)


_ACRONYMS = word_set(
    """api apis ui http cli sql ci cd id ids url urls html css db os pr prs mr mrs qa ttl orm sdk
    crud cpu ram io i/o adr we the a it sla pii ip dns tls"""
)
_MONTHS_DAYS = word_set(
    """january february march april may june july august september october november december monday
    tuesday wednesday thursday friday saturday sunday i"""
)


def _joined(raw: list[Word]) -> list[Word]:
    """Join phrases that have one meaning; a hyphen between their words does not part them."""
    out: list[Word] = []
    index = 0
    while index < len(raw):
        word = raw[index]
        if word.text == "-" and _between(raw, index):
            index += 1
            continue
        if word.text in _SPECIAL:
            special = _special(raw, index, out)
            if special is not None:
                out.append(special)
                index += 1
                continue
        joined = _phrase_at(raw, index) if word.sort == "word" else None
        if joined is None:
            out.append(word)
            index += 1
            continue
        concept, end = joined
        last = raw[end - 1]
        text = " ".join(part.text for part in raw[index:end] if part.text != "-")
        out.append(Word(text, concept, "word", word.named, (word.span[0], last.span[1])))
        index = end
    return out


def _special(raw: list[Word], index: int, out: list[Word]) -> Word | None:
    """What a word means in this place alone."""
    if raw[index].text == "own":
        return _owned(raw, index)
    return _switched(raw, index) or _percentile(out, raw[index]) or _golang(raw, index)


def _owned(raw: list[Word], index: int) -> Word | None:
    """ "Its own": whose it is is said already, so that the word tells next to nothing."""
    if not index or raw[index - 1].text not in _WHOSE:
        return None
    return Word("own", "own", "word", False, raw[index].span)


_WHOSE = word_set("its their our your my his her")


def _switched(raw: list[Word], index: int) -> Word | None:
    """ "Is on" and "is off" say that something is enabled or disabled."""
    word = raw[index]
    before = raw[index - 1].text if index else ""
    if before in ("always", "never", "not", "still", "now") and index > 1:
        before = raw[index - 2].text
    if before == "to" and index > 1 and raw[index - 2].text in _DEFAULTS:
        before = "is"
    if before not in _COPULAS or word.text not in _SWITCHING:
        return None
    following = raw[index + 1].text if index + 1 < len(raw) else "."
    if word.text in _PERMITTED:
        return None if following == "-" else Word(word.text, "allow", "word", False, word.span)
    if following not in _AFTER_SWITCH:
        return None
    concept = "enable" if word.text == "on" else "disable"
    return Word(f"switched {word.text}", concept, "word", False, word.span)


# Words of grammar that are names where they are written as code.
_GRAMMAR = word_set(
    "any not is in as let do this that all none never with for if while else or and"
)
_DEFAULTS = word_set("default defaults set sets defaulted")
_PERMITTED = frozenset(("fine", "ok", "okay", "permissible"))
_SWITCHING = _PERMITTED | {"on", "off"}
_COPULAS = word_set("is are be stay stays remain remains was were stays keep")
_AFTER_SWITCH = word_set(". , ; : ) for by in during until unless when while")


def _golang(raw: list[Word], index: int) -> Word | None:
    """ "Go files", "Go services": before what is written in a language the word is its name."""
    following = raw[index + 1].text if index + 1 < len(raw) else ""
    if raw[index].text != "go" or following not in _WRITTEN:
        return None
    return Word("go", "golang", "word", True, raw[index].span)


_WRITTEN = word_set(
    """file files code service services module modules template templates test tests
    package packages binary binaries version compiler toolchain source sources project projects"""
)


def _percentile(out: list[Word], word: Word) -> Word | None:
    """ "The 95th percentile" is p95."""
    ordinal = _ORDINAL.match(out[-1].text) if out else None
    if ordinal is None or word.text not in _PERCENTILES:
        return None
    name = f"p{ordinal.group(1)}"
    return Word(name, name, "word", True, (out.pop().span[0], word.span[1]))


_PERCENTILES = frozenset(("percentile", "percentiles"))
_SPECIAL = _SWITCHING | _PERCENTILES | {"go", "own"}
_ORDINAL = re.compile(r"(\d{1,2}(?:\.\d{1,3})?)(?:st|nd|rd|th)?$")


def _between(raw: list[Word], index: int) -> bool:
    return (
        0 < index < len(raw) - 1
        and not (raw[index - 1].text[:1].isdigit() and raw[index + 1].text[:1].isdigit())
        and raw[index - 1].span[1] == raw[index].span[0]
        and raw[index].span[1] == raw[index + 1].span[0]
        and raw[index + 1].sort in ("word", "number")
    )


def _phrase_at(raw: list[Word], index: int) -> tuple[str, int] | None:
    for rest, concept in phrases_from(raw[index].text):
        end = _match_rest(raw, index + 1, rest)
        if end:
            return concept, end
    return None


def _match_rest(raw: list[Word], index: int, rest: tuple[str, ...]) -> int:
    for part in rest:
        if index < len(raw) and raw[index].text == "-":
            index += 1
        if index >= len(raw) or part not in _forms(raw[index]):
            return 0
        index += 1
    return index


def _forms(word: Word) -> frozenset[str]:
    return forms_of(word.text) if word.sort == "word" else frozenset((word.text,))
