"""Find tokens by their own format."""

from __future__ import annotations

from functools import cache

from dmm.redaction.forms import Form, scan_forms
from dmm.redaction.layers import TOKEN
from dmm.redaction.patterns import later, match_at, words_of
from dmm.redaction.randomness import class_changes, is_opaque, is_random, is_varied
from dmm.redaction.tables import prefixes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.redaction.layers import Layer
    from dmm.redaction.patterns import Span

_CERTAIN = prefixes_of("certain")
_LIKELY = prefixes_of("likely")
_BEFORE = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
_ALONE = later(r"[A-Za-z0-9]+")
_TAIL = later(r"[A-Za-z0-9_-]+(?:[.=/+][A-Za-z0-9_-]+)*={0,2}")
# Forms that begin with something fixed, and those that hold something fixed.
_FORMS = (
    Form("aws-key", ("AKIA", "ASIA", "ABIA", "ACCA", "AROA", "AIDA", "A3T"),
         r"(?<![A-Za-z0-9])((?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16,})"),
    Form("jwt", ("eyJ",),
         r"(eyJ[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_=-]{2,}){1,4}\.?|eyJ[A-Za-z0-9_+/-]{28,}={0,2})"),
    Form("slack-token", ("hooks.slack.com/",), r"hooks\.slack\.com/([a-z]{4,12}/[\w/-]{12,})"),
    Form("webhook", ("/webhooks/", "/webhookb2/"), r"/webhook(?:s/\d{6,20}|b2)/([\w@./-]{16,})"),
    Form("token", ("access_token$",), r"(access_token\$[\w$-]{20,})"),
    Form("password-hash", ("$",),
         r"(\$(?:1|2[abxy]?|5|6|7|y|gy|apr1|sha1|argon2(?:id|i|d)|scrypt|pbkdf2[\w-]{0,16}"
         r"|bcrypt-sha256)\$[./A-Za-z0-9$=,+-]{16,})", needs="$"),
    Form("secret", ("otpauth://",), r"otpauth://[^\s\"'<>]{0,200}[?&]secret=([A-Za-z2-7=%]{8,})"),
    Form("telegram-token", (), r"(?<!\d)(\d{6,12}:AA[\w-]{30,})", needs=":AA"),
    Form("api-key", (), r"(?<![0-9a-f])([0-9a-f]{32}-us\d{1,2})(?!\w)", needs="-us"),
    Form("azure-key", (), r"(?<![\w~.-])([\w~.-]{3}[78]Q~[\w~.-]{30,36})", needs="Q~"),
    Form("token", (), r"(?<![A-Za-z0-9])([A-Za-z0-9]{10,20}\.atlasv1\.[\w=-]{20,})",
         needs=".atlasv1."),
    Form("token", (), r"(?<!\d)(\d/1\d{14,17}:[0-9a-f]{32})", needs="/1"),
)  # fmt: skip
# The numbers of a key in JSON that are private.
_KEY_FORMS = (
    Form("private-key", (),
         r"""["'](?:d|dp|dq|qi|p|q|k)["']\s{0,4}:\s{0,4}["']([\w-]{16,}=?)["']""", needs="kty"),
)  # fmt: skip
_DIGITS = r"\d\d\d(?:[ -]?\d){10}"
_CARD_NAMED = r"(?:card|visa|amex|mastercard)\D{1,30}(\d(?:[ -]?\d){12,18})(?![\d-])"
_CARD = r"[3-6]\d{3}([ -])\d{4}\1\d{4}\1\d{4}(?![\d-])"
_LONG = r"(?<![A-Za-z0-9+/_.-])[A-Za-z0-9+/_.-]{40,}={0,2}"
_LONG_WORD = 40


def scan_formats(layer: Layer) -> Iterator[Span]:
    """Find tokens by their prefix or shape, and long random strings."""
    text = layer.text
    words = layer.long_words
    likely = "\n".join(words)
    if likely:
        yield from _prefixed(text, likely)
        yield from scan_forms(tuple(one for one in _FORMS if one.needs in likely), layer)
        yield from scan_forms(_KEY_FORMS, layer)
    if later(_DIGITS).search(text):
        yield from _cards(layer)
    place = 0
    for word in words:
        if len(word) >= _LONG_WORD:
            place = text.find(word, place)
            yield from _random(text, place, place + len(word))
            place += len(word)


def _cards(layer: Layer) -> Iterator[Span]:
    for found in later(_CARD).finditer(layer.text):
        if _is_card(found[0]):
            yield (*found.span(), "card-number")
    for found in match_at(_CARD_NAMED, layer.lowered, ("card", "visa", "amex")):
        if _is_card(found[1], varied=False):
            yield (*found.span(1), "card-number")


def _random(text: str, first: int, last: int) -> Iterator[Span]:
    for found in later(_LONG).finditer(text, first, last):
        start, end = found.span()
        # A code such as %2F ends where the run begins.
        start += 2 if text[start - 1 : start] == "%" else 0
        start += len(found[0]) - len(found[0].lstrip("+-")) if text[start] in "+-" else 0
        if is_opaque(text[start:end]):
            yield (start, end, "opaque")


def _prefixed(text: str, likely: str) -> Iterator[Span]:
    parts = words_of(likely)
    known = _prefixes()
    for first in parts & known.keys():
        for prefix in known[first]:
            yield from _tokens(text, *prefix)
    # Prefixes that nothing parts from what follows them are rare, and so are such long parts.
    if any(len(part) >= TOKEN for part in parts):
        for prefix in known[b""]:
            if prefix[0] in likely:
                yield from _tokens(text, *prefix)


Prefix = tuple[str, str, int, bool]


@cache
def _prefixes() -> dict[bytes, list[Prefix]]:
    """Return the prefixes, grouped by their first part."""
    known: dict[bytes, list[Prefix]] = {b"": []}
    for table, sure in ((_CERTAIN, True), (_LIKELY, False)):
        for prefix, label, least in table:
            first = _ALONE.match(prefix)
            own = "" if first is None or first[0] == prefix else first[0]
            known.setdefault(own.encode(), []).append((prefix, label, least, sure))
    return known


def _tokens(text: str, prefix: str, label: str, least: int, sure: bool) -> Iterator[Span]:
    place = text.find(prefix)
    while place >= 0:
        start, place = place, place + len(prefix)
        if start == 0 or text[start - 1] not in _BEFORE:
            tail = _TAIL.match(text, place)
            if tail is not None:
                # Going on behind the tail keeps a row of prefixes from being read again.
                place = tail.end()
                if _is_token(tail[0], least, sure=sure):
                    yield (start, place, label)
        place = text.find(prefix, place)


def _is_token(tail: str, least: int, *, sure: bool) -> bool:
    if len(tail) < least or not is_varied(tail):
        return False
    return sure or is_random(tail) or class_changes(tail) >= len(tail) * 0.3


def _is_card(number: str, *, varied: bool = True) -> bool:
    """Check the last digit of a card number, so that other groups of digits are left alone."""
    digits = [int(char) for char in number if char.isdigit()]
    total = sum(digits[-1::-2])
    total += sum(twice - 9 if (twice := 2 * digit) > 9 else twice for digit in digits[-2::-2])
    return total % 10 == 0 and (not varied or is_varied(number))
