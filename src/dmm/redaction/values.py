"""Whether a named value is a secret, a word, a type or a reference."""

from __future__ import annotations

from functools import partial

from dmm.redaction.layers import layers_of
from dmm.redaction.patterns import later, like
from dmm.redaction.randomness import (
    class_changes,
    has_digit,
    is_mixed,
    is_pathlike,
    is_random,
    is_uuid,
)
from dmm.redaction.tables import listed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Trait = Callable[[str], bool]

MARKER = "[redacted:"

# What stands for a value.
_PLACEHOLDER = later(
    # Nothing, our own marker, a variable or a template.
    r"\Z|\[redacted|\$\(|\$\{|\$[A-Za-z_]\w*(?:\Z|[\s/:;,.)\]}\"'<>|&?\\-])|%[A-Za-z_]+%"
    r"|\{\{|\{(?:[A-Za-z_}]|\Z)|<[A-Za-z_ -]+>|\[[A-Za-z_ -]+\]"
    r"|(?:os|process|import\.meta|sys|System|Deno|Bun|ENV|env|secrets|vars|var|local|data|module"
    r"|self|this|cls|config|cfg|settings|args|options|opts|params|props|req|request|ctx|user|input)"
    r"(?:\.|\[|::|->)"
    # A row of one sign, or a key with its middle hidden, as masks leave it.
    r"|(.)\1*\Z|[xX*.#_\u2022\u2026-]+\Z|[\w.-]{0,12}[*\u2022]{4,}[\w.-]{0,8}\Z"
    # Words that ask for one.
    r"|[A-Z_]*(?:TOKEN|KEY|SECRET|PASSWORD|PASS)\Z"
    r"|(?i:(?:change|replace|insert|fill|put|your|todo|fixme|placeholder)"
    r"(?:[_ -]?(?:me|it|this|here|in|with|your|the|own|a|real|actual|api|access|secret|auth|db"
    r"|token|key|password|passwd|pass|value))*\Z)"
    # The start of a key with the rest left out, and tags of YAML that fetch a value.
    r"|[A-Za-z]\w*[_-](?:\.{3}|\u2026)\Z"
    r"|(?i:!(?:vault|secret|env|ref|sub|getatt|reference|include)(?:\s|\Z))"
    # A moment.
    r"|\d{4}-\d\d-\d\d(?:[T ]\d\d:?\d\d[\d:.,Zz+-]*)?\Z"
    # Where a value is kept: a reference that a program resolves.
    r"|(?:vault|op|ssm|env|file|secretsmanager|keyvault|ref\+\w{2,20}|arn:aws[\w-]{0,10}):[\w/{$.]"
)
_CODED = later(r"[\\%&]")
_SHORT = like(r"(?s).{0,2}\Z")
_NUMBER = like(r"[0-9]{4,}\Z")
_NO_DIGIT = like(r"[^0-9]*\Z")
_UNSIGNED = like(r"[^!#$%^&*?]*\Z")
_MADE_KEY = like(r"(?s)(?=.*[^\W\d_])(?=.*[0-9]).{8}")
_CALL = like(r"&?\*?(?:await\s|new\s)?[A-Za-z_][\w.:>-]*[(\[{]")
_OPENED = like(r"[{\[(]|(?s:.*):\Z")
_DOTTED = like(r"[A-Za-z_]\w*(?:(?:\.|::|->|\?\.)[A-Za-z_]\w*)+\Z")
_IDENTIFIER = r"(?:[a-z][A-Za-z_]*\d{0,2}\Z|_+[a-z_]+\d{0,2}\Z)"
_NAMES_ONE = r"(?=(?s:.*)(?i:pass|secret|token|key|cred|auth))"
_NAME = like(_IDENTIFIER)
_OWN_NAME = like(_NAMES_ONE + _IDENTIFIER)
_NAMED = like(_NAMES_ONE + r"(?:[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z|[a-z]+(?:[_-][a-z]+)+\Z)")
# Names of types that code and notes about it put where a value could stand.
_CLASS = like(
    r"(?:[A-Z][a-z]+)+(?:Error|Exception|Failure|Handler|Provider|Service|Field|Hasher|Encoder"
    r"|Policy|Validator|Request|Response|Event)\Z"
)
# Names of functions and types, and calls; in code marks alone: a password could look like that.
_CODE = like(
    r"(?:[A-Z][a-z]+)+(?:Adapter|Builder|Cache|Checker|Client|Component|Config|Context|Controller"
    r"|Decoder|Encoder|Factory|Filter|Flow|Form|Generator|Guard|Hasher|Interceptor|Job|Limiter"
    r"|Manager|Middleware|Model|Options|Parser|Provider|Reader|Repository|Result|Schema|Service"
    r"|Settings|Store|Strategy|Test|Type|Validator|View|Widget|Worker|Writer)\d?\Z"
    r"|[a-z]+(?:[A-Z][a-z]*)+\Z|[A-Za-z_][\w.:]{0,60}\([\w\s,.=]{0,80}\)\Z"
    rf"|{_NAMES_ONE}(?:[A-Z][a-z]+){{2,}}\Z"
)
# An option, a word, an amount or an algorithm.
_SPOKEN = like(
    r"(?i)(?-i:--?[a-z]|[a-z\u00df-\u00ff]+[!?]*\Z)|[a-z_]{2,20}=\d[\d.,]*\Z"
    r"|\d+(?:[.,]\d+)*(?:ms|s|secs?|mins?|minutes?|m|hrs?|hours?|h|days?|d|w|weeks?|kb|mb|gb|kib|mib"
    r"|gib|bits?|bytes?|chars?|characters?)\Z"
    r"|(?:(?:aes|3?des|rsa|ec|ecdsa|eddsa|hmac|sha|pbkdf|argon|scrypt|bcrypt|chacha|poly|x25519|ed25519"
    r"|ed448|p256|p384|oaep|pkcs|cbc|gcm|ctr|cfb|ecb|ocb|siv|wrap|dsa|dh|ecdh)\d{0,5}(?:[-_/+]|\Z)"
    r"|\d{1,4}(?:[-_/+]|\Z))+\Z"
)
_TYPE = like(
    r"(?i)(?:optional|option|maybe|list|dict|set|tuple|union|vec|array|map|sequence|mapping|secret|box)?"
    r"[\[<(]?&?(?:str|string|bytes?|bytearray|text|n?varchar2?|char|int|integer|uint|float|double|number"
    r"|bool|boolean|any|object|unknown|void|never|uuid|secretstr|secretbytes|nil|none|null|undefined"
    r"|true|false|yes|no|on|off)(?:\d{1,3}|\(\d+\))?(?:\[\])?[?!;,)\]>|]*(?:\s|\Z)"
)
_SENTENCE = later(
    r"(?i)\b(?:the|your|a|an|is|are|was|be|must|please|enter|invalid|incorrect|wrong|forgot|reset|new|old"
    r"|confirm|change|for|to|of|and|or|not|no|required|should|will|can|cannot|with|from|in|on|use)\b|\n"
)
_WORDS = frozenset(listed("words"))
_TECHNICAL = frozenset(listed("technical"))


class Judge:
    """Judges a value by its traits: a refused one clears it, and else a wanted one convicts it."""

    __slots__ = ("refused", "wanted")

    def __init__(self, refused: tuple[Trait, ...], *wanted: Trait) -> None:
        self.refused, self.wanted = refused, wanted

    def __call__(self, value: str) -> bool:
        """Return whether a value is a secret."""
        for has in self.refused:
            if has(value):
                return False
        return any(has(value) for has in self.wanted)


def bare_of(value: str) -> str:
    """Return a value as it is meant: without the quotes around it, and with its codes resolved."""
    if _CODED.search(value):
        *_, last = layers_of(value)
        value = last.text
    return value.strip(" \t\"'`,;\\")


def is_placeholder(value: str) -> bool:
    """Recognise what stands for a value: a variable, a template, a row of stars, our own marker."""
    bare = bare_of(value)
    if bare[:1] == "$" and has_digit(bare) and class_changes(bare) >= len(bare) * 0.3:
        return False
    return _PLACEHOLDER.match(bare) is not None


def is_real(value: str) -> bool:
    """Return whether a value stands for itself."""
    return not is_placeholder(value)


def is_code(value: str) -> bool:
    """Recognise a name of code that stands in code marks: of a function, a type or a call."""
    return _CODE(value) and not is_random(value)


def is_known_word(value: str) -> bool:
    """Recognise a word that stands where a value could."""
    return value.lower() in _WORDS


def _is_last_word(value: str) -> bool:
    return value.lower().rstrip(".:;!?") in _WORDS


def _is_technical(value: str) -> bool:
    return value.lower() in _TECHNICAL


def _is_path(value: str) -> bool:
    """Recognise the file that a value is kept in."""
    rooted = value.startswith(("/", "./", "../", "~/"))
    return (rooted or is_pathlike(value)) and not is_random(value.replace("/", ""))


def _is_member(value: str) -> bool:
    """Recognise a part of an object that holds the value."""
    return _DOTTED(value) and not is_random(value)


def _is_name(value: str) -> bool:
    return _NAME(value) and not is_random(value)


def is_spaced(value: str) -> bool:
    """Recognise several words."""
    return " " in value.strip()


def _is_sentence(value: str) -> bool:
    return is_spaced(value) and _SENTENCE.search(value) is not None


_REFERENCE = (_NAMED, _is_path, _CLASS, _is_member)
# What is no secret beside any name: a stand-in, a word, a type or a reference.
_PLAIN = (is_placeholder, is_known_word, _TYPE, *_REFERENCE)
_BARE = (*_PLAIN, _is_last_word, _CALL, _OPENED)
_QUOTED = (*_PLAIN, _is_technical, _SHORT)
_SPEECH = (*_PLAIN, _is_technical, _CALL, is_uuid, _SPOKEN)
_MIXED = (partial(is_mixed, length=5), partial(is_random, length=10))

# A value beside a name that often stands for harmless things too.
_is_made_key = Judge((_NAME, *_REFERENCE), _MADE_KEY)
is_keylike = Judge((is_placeholder, _TYPE), is_uuid, is_random, _is_made_key)
# A value in quotes beside a telling name.
is_quoted_secret = Judge((*_QUOTED, _is_sentence), bool)
is_made_secret = Judge((*_QUOTED, _is_sentence), is_mixed, is_random)
is_quoted_key = Judge((*_QUOTED, is_spaced), is_keylike)
# A value without quotes: where only an assignment looks like this, or not.
is_set_secret = Judge((*_BARE, _SHORT, _OWN_NAME), bool)
is_bare_secret = Judge((*_BARE, _is_name), _NUMBER, partial(is_mixed, length=5), is_random)
is_bare_key = Judge(_BARE, is_keylike)
# A word of a sentence: only what nobody would write as a word.
is_spoken_secret = Judge(_SPEECH, *_MIXED)
is_spoken_key = Judge(_SPEECH, partial(is_random, length=12))
is_passed_secret = Judge((*_SPEECH, _NO_DIGIT), *_MIXED)
# A password as people make them up: a sign, a digit and a letter among others.
is_made_up = Judge((*_SPEECH, _UNSIGNED, _NO_DIGIT), *_MIXED)
