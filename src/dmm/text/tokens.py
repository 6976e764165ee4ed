"""Words of a text: folded, with their base forms and their place in the original text."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING

from dmm.text.lemmas import base_forms
from dmm.text.lexicon import GRAMMAR, PHRASES, kinds_of, meanings_of, stem_of
from dmm.text.prose import straighten

if TYPE_CHECKING:
    from collections.abc import Sequence

_CALL_LIMIT = 120


class Sort(StrEnum):
    """What a token is: a plain word, a name from code, a number or a mark."""

    WORD = "word"
    NAME = "name"
    NUMBER = "number"
    MARK = "mark"


@dataclass(frozen=True, slots=True)
class Token:
    """One word of a text with the forms it may stand for and its span in the original."""

    text: str
    start: int
    end: int
    sort: Sort
    forms: frozenset[str]
    kinds: frozenset[str] = frozenset()
    glued: bool = False
    called: bool = False
    quoted: bool = False

    def stands_for(self, words: frozenset[str]) -> bool:
        """Return whether the token is one of these words, an inflection or a kind of one."""
        return not words.isdisjoint(self.forms) or not words.isdisjoint(self.kinds)


Words = tuple[Token, ...]
# A hyphen is part of a path if a file or folder name continues after it.
_NAME = r"[^\W\d]\w*(?:/(?:\w+-)+\w+(?=[./]\w)|(?:\.|/|::|@|\\|->)\w+|-\w*\d\w*|_\w+)*"
_TOKEN = re.compile(
    rf"""(?P<name>https?://\S+|(?<![\w-])--?[a-z][\w-]*|(?<![\w$])\.{{0,2}}/[\w./*-]*\w\*?|~/[\w./*-]+|@[\w/-]+|\.[a-z]\w*|(?<!\w)[a-z]\w{{0,15}}(?:\+\+|\#))(?!\w)
    |(?P<clock>\d{{1,2}}:\d\d(?!\d)(?:\s?[ap]\.?m\b\.?)?|\d{{1,2}}\s?[ap]\.?m\b\.?)
    |(?P<number>(?:[$€£¥]\s?)?\d+(?:[,_]+\d+)*(?:\.\d+)*(?:\.x)?\+?)
    |(?P<word>{_NAME})(?P<short>'(?:t|s|ll|re|ve|d|m)\b)?
    |(?P<mark>\.\.\.|[<>]=?|[^\w\s])""",
    re.VERBOSE,
)
_CODE = re.compile(r"`[^`\n]+`")
# Code with such signs in it is one thing, not a row of words.
_SIGNS = re.compile(r"[:=#\[\]{}<>|;,\"']|\.\.\.")
_CALL = re.compile(r"[\w.]+\(")
_SENTENCE_MARKS = frozenset(".!?;\n")


def folded(text: str) -> tuple[str, list[int]]:
    """Return the text in one Unicode form and case, with the original offset of each character."""
    out: list[str] = []
    offsets: list[int] = []
    position = 0
    while position < len(text):
        end = position + 1
        while end < len(text) and unicodedata.combining(text[end]):
            end += 1
        for character in _folded_cluster(text[position:end]):
            out.append(character)
            offsets.append(position)
        position = end
    offsets.append(len(text))
    return "".join(out), offsets


def _folded_cluster(cluster: str) -> str:
    if cluster.isascii():
        return cluster.lower()
    if unicodedata.category(cluster[0]) == "Cf":
        return ""
    plain = unicodedata.normalize("NFKC", cluster).casefold()
    return straighten(plain).replace("≤", "<=").replace("≥", ">=")


# A decision is looked at several times in a row; what was read of one takes 10 KB.
@lru_cache(maxsize=128)
def tokens_of(text: str) -> tuple[Token, ...]:
    """Return the tokens of a text, without the arguments of calls."""
    plain, offsets = folded(text)
    code = [one.span() for one in _CODE.finditer(plain)]
    found: list[Token] = []
    position = 0
    for match in _TOKEN.finditer(plain):
        if match.start() < position:
            continue
        if "\n" in plain[position : match.start()]:
            found.append(_mark("\n", offsets[position], offsets[match.start()]))
        span = next((one for one in code if one[0] == match.start()), None)
        if span and _SIGNS.search(plain, *span) and not _CALL.match(plain, span[0] + 1):
            name = plain[slice(*span)]
            place = offsets[span[0]], offsets[span[1]]
            found.append(Token(name, *place, Sort.NAME, frozenset((name,))))
            position = span[1]
            continue
        position = _append(found, match, plain, offsets)
        if found and any(a < match.start() < b for a, b in code):
            found[-1] = _as_written(found[-1])
    return _with_phrases(_with_settings(_with_quotes(found)))


def _as_written(token: Token) -> Token:
    """Return a word in code without other meanings: `execute` is not any "run"."""
    if token.text in GRAMMAR:
        name = f"`{token.text}`"
        return replace(token, text=name, sort=Sort.NAME, forms=frozenset((name,)))
    return replace(token, forms=frozenset((token.text,))) if token.sort is Sort.WORD else token


def _append(found: list[Token], match: re.Match[str], plain: str, offsets: list[int]) -> int:
    start, end = match.span()
    previous = found[-1] if found else _NOTHING
    touching = previous.end == offsets[start]
    sort = str(match.lastgroup)
    if sort == "mark":
        if match.group() == "(" and touching and previous.sort in _CALLABLE:
            close = plain.find(")", end, end + _CALL_LIMIT)
            if close > 0:
                found[-1] = replace(previous, end=offsets[close + 1], called=True)
                return close + 1
        if match.group() != "`" and not (touching and plain[end : end + 1] == "`"):
            found.append(_mark(match.group(), offsets[start], offsets[end]))
        return end
    hyphened = touching and previous.text == "-"
    joined = found[-2] if hyphened and len(found) > 1 else _NOTHING
    glued = joined.end == previous.start and joined.sort is not Sort.MARK
    if glued:
        found.pop()
    found.append(_word(match, offsets, glued))
    return end


_CALLABLE = (Sort.WORD, Sort.NAME)
_NOTHING = Token("", -1, -1, Sort.MARK, frozenset())


def _mark(text: str, start: int, end: int) -> Token:
    return Token(text, start, end, Sort.MARK, frozenset((text,)))


def _word(match: re.Match[str], offsets: list[int], glued: bool) -> Token:
    start, end = match.span()
    text = match.group().strip()
    start = end - len(match.group().lstrip())
    span = offsets[start], offsets[end]
    if match.lastgroup in ("clock", "number"):
        kinds = _MONEY if text[0] in "$€£¥" else frozenset[str]()
        return Token(text, *span, Sort.NUMBER, frozenset((text,)), kinds, glued)
    word = match.group("word")
    if word is None:
        return Token(text, *span, Sort.NAME, _option(text), _kinds_of_path(text), glued)
    short = match.group("short") or ""
    if short == "'t":
        return Token(text, *span, Sort.WORD, frozenset((text, "not")), glued=glued)
    if short and short != "'s":
        return Token(text, *span, Sort.WORD, frozenset((word, text)), glued=glued)
    plain = word.isalpha()
    forms = _forms(word)
    kinds = kinds_of(forms) if plain else _kinds_of_path(word)
    return Token(word, *span, Sort.WORD if plain else Sort.NAME, forms, kinds, glued)


_MONEY = frozenset(("money", "fund", "cash"))
_FILE = re.compile(r"[\w./\\@-]*[\w-]\.[a-z]{1,5}\Z")
_DEEPEST = 12


@lru_cache(maxsize=4_096)
def _kinds_of_path(text: str) -> frozenset[str]:
    """Return what a path also stands for: its folders, its file name, "file", a branch."""
    *folders, last = text.strip("/").split("/")[:_DEEPEST]
    if "://" in text or not (folders or _FILE.match(text)):
        return frozenset()
    kinds = {"/".join(folders[: depth + 1]) for depth in range(len(folders))}
    kinds |= {form for folder in folders for form in base_forms(folder)}
    if _FILE.match(text):
        return frozenset(kinds | {"file", last})
    return (
        frozenset(kinds | {"branch"})
        if len(folders) == 1 and text[0].isalpha()
        else frozenset(kinds)
    )


def _option(text: str) -> frozenset[str]:
    """Return the forms of an option: `--force` also means "by force"."""
    if text == "-f" or text.startswith("--force"):
        return frozenset((text, "force"))
    return frozenset((text,))


def _forms(word: str) -> frozenset[str]:
    forms = base_forms(word)
    if word.endswith(".js"):
        forms = forms | {word[:-3]}
    if word.endswith("ly") and len(word) > 5:
        forms = forms | {word[:-2]}
    name, _, version = word.partition("@")
    if version[:1].isdigit():
        forms = forms | base_forms(name)
    stems = {f"~{stem_of(form)}" for form in forms if len(form) > 4 and form.isalpha()}
    return forms | meanings_of(forms) | stems


def _with_quotes(found: list[Token]) -> list[Token]:
    quotes = [index for index, token in enumerate(found) if token.text == '"']
    inside: set[int] = set()
    for opening, closing in zip(quotes[::2], quotes[1::2], strict=False):
        if closing - opening > 2:
            inside.update(range(opening + 1, closing))
    return [
        _as_written(replace(token, quoted=True)) if index in inside else token
        for index, token in enumerate(found)
        if token.text != '"'
    ]


def _with_settings(found: list[Token]) -> list[Token]:
    """Read settings in code: `verify=False` means that something is disabled."""
    out: list[Token] = []
    for token in found:
        if token.text in _OFF and len(out) > 1 and out[-1].text == "=":
            name = out[-2]
            del out[-2:]
            out += _disabling(replace(name, end=token.end))
        else:
            out.append(token)
    return out


_OFF = frozenset(("false", "0", "off", "none", "no"))
# What is verified by a setting of that name.
_CHECKED = frozenset(("tls", "ssl", "certificate"))


def _disabling(token: Token) -> list[Token]:
    verb = Token("disabling", token.start, token.end, Sort.WORD, _forms("disable"))
    kinds = _CHECKED if token.text == "verify" else frozenset[str]()
    return [verb, replace(token, sort=Sort.NAME, forms=_forms(token.text), kinds=kinds)]


def _with_phrases(found: list[Token]) -> tuple[Token, ...]:
    """Join fixed expressions such as "plain text" or "turned off" into one token."""
    out: list[Token] = []
    index = 0
    while index < len(found):
        length, word = _phrase_at(found, index)
        if length:
            first, last = found[index], found[index + length - 1]
            shown = _inflected_like(first.text, word)
            out.append(
                replace(
                    first, text=shown, end=last.end, sort=Sort.WORD,
                    forms=_forms(word), kinds=kinds_of(frozenset((word,))),
                )
            )  # fmt: skip
            index += length
        else:
            out.append(found[index])
            index += 1
    return tuple(out)


def _inflected_like(first: str, word: str) -> str:
    for suffix in ("ing", "ed"):
        if first.endswith(suffix):
            return word.rstrip("e") + suffix
    return word


def _phrase_at(found: list[Token], index: int) -> tuple[int, str]:
    first = found[index]
    if first.sort is Sort.MARK:
        return 0, ""
    for form in sorted(first.forms & PHRASES.keys()):
        for rest, word in PHRASES.get(form, ()):
            following = found[index + 1 : index + 1 + len(rest)]
            if len(following) == len(rest) and all(
                part in token.forms for part, token in zip(rest, following, strict=True)
            ):
                return 1 + len(rest), word
    return 0, ""


_SHORTENED = frozenset(("mr", "mrs", "ms", "dr", "prof", "vs", "approx"))


def text_at(words: Sequence[Token], index: int) -> str:
    """Return the word at a position, or an empty text outside the list."""
    return words[index].text if 0 <= index < len(words) else ""


def forms_at(words: Sequence[Token], index: int) -> frozenset[str]:
    """Return the forms of the word at a position; none outside the list."""
    return words[index].forms if 0 <= index < len(words) else frozenset()


def is_glued(words: Sequence[Token], index: int) -> bool:
    """Return whether a hyphen joins the word at a position to the one before it."""
    return 0 <= index < len(words) and words[index].glued


def sentences_of(tokens: tuple[Token, ...]) -> list[tuple[int, int]]:
    """Return the index ranges of the sentences, including their closing marks."""
    ranges: list[tuple[int, int]] = []
    start = 0
    for index, token in enumerate(tokens):
        if token.text in _SENTENCE_MARKS:
            if token.text == "." and tokens[index - 1].text in _SHORTENED:
                continue
            if index > start:
                ranges.append((start, index + 1))
            start = index + 1
    if start < len(tokens):
        ranges.append((start, len(tokens)))
    return ranges
