"""Find secrets announced by several words: seed phrases, codes, logins."""

from __future__ import annotations

from dmm.redaction.forms import Form, scan_forms
from dmm.redaction.patterns import later, match_at
from dmm.redaction.randomness import has_digit
from dmm.redaction.values import is_quoted_secret, is_spoken_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.redaction.layers import Layer
    from dmm.redaction.patterns import Span

# What a wallet is made from: words in a row, or one on a line, that make no sentence.
_WALLET = ("phrase", "mnemonic", "seed", "recovery", "backup", "wallet")
_PHRASE = (
    r"(?:phrase|mnemonic|seed|recovery|backup|wallet)s?\W{1,4}(?:[\w-]{1,12}\W{1,3}){0,4}?"
    r"((?:(?:\d{1,2}[.):]? ?)?[a-z]{3,8}(?:[\"', ]{1,5}|\r?\n[ \t>+|-]{0,16})){11,24}"
    r"(?:\d{1,2}[.):]? ?)?[a-z]{3,8})(?![a-z])"
)
_FEWEST_WORDS = 12
_WALLET_WORD = later(r"[a-z]{3,8}")
_OF_SENTENCES = frozenset({
    "the", "and", "for", "are", "was", "has", "its", "with", "from", "not", "but", "please",
})  # fmt: skip
_CODES = (
    r"[a-z-]{6,12} codes?\s{0,2}(?:is|are|:|=)\s{0,4}"
    r"((?:[A-Za-z0-9-]{4,24}[,\s]{1,3}){0,15}[A-Za-z0-9-]{4,24})"
)
_CODE_NAMES = ("backup code", "recovery code", "one-time code", "verification code")
# A secret for codes that change with time, in groups as people copy it.
_GROUPS = (
    r"(?i)(?:2fa|mfa|otp|authenticator|setup key)[^\n]{0,40}?[:= ]"
    r"((?:[a-z2-7]{4}[ -]){3,15}[a-z2-7]{4})(?![a-z0-9])"
)
_CODE_WORDS = ("2fa", "mfa", "otp", "authenticator", "setup key")
_PAIR = (
    r"(?:cred(?:s|entials?)?(?:\s(?:is|are))?|log ?in (?:with|as))[ \t]{0,2}[:=]?[ \t]{1,4}"
    r"[\"'`]?[\w.@-]{1,64}[\"'`]?\s?[/:,]\s?[\"'`]?([^\s\"'`]{5,128})"
)
_PAIR_WORDS = ("cred", "log in with ", "log in as ", "login as ")
_PAIR_CALL = (
    r"(?:uth=?|login|redentials)[( ]\s{0,8}[\"'][^\"'\n]{1,64}[\"']\s{0,4},"
    r"\s{0,8}[\"']([^\"'\n]{4,256})[\"']"
)
_PAIR_CALLS = ("uth(", "uth=(", "login(", "login '", "redentials(")


def scan_phrases(layer: Layer) -> Iterator[Span]:
    """Find values after several words that announce them."""
    yield from _wallets(layer.lowered)
    yield from scan_forms(_FORMS, layer)


def _is_quoted(value: str) -> bool:
    return is_quoted_secret(value, strong=True)


_FORMS = (
    Form("secret", _CODE_NAMES, _CODES, has_digit, needs=" code"),
    Form("secret", _CODE_WORDS, _GROUPS, has_digit, folded=True),
    Form("password", _PAIR_WORDS, _PAIR, is_spoken_secret),
    Form("password", _PAIR_CALLS, _PAIR_CALL, _is_quoted),
)


def _wallets(lowered: str) -> Iterator[Span]:
    for found in match_at(_PHRASE, lowered, _WALLET):
        first = count = last = 0
        for word in _WALLET_WORD.finditer(found[1]):
            if word[0] not in _OF_SENTENCES:
                first, last = first if count else word.start(), word.end()
                count += 1
            elif count >= _FEWEST_WORDS:
                break
            else:
                count = 0
        if count >= _FEWEST_WORDS:
            yield (found.start(1) + first, found.start(1) + last, "secret")
