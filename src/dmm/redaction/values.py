"""Tell secrets from words, types and references among named values."""

from __future__ import annotations

from dmm.redaction.layers import layers_of
from dmm.redaction.patterns import later
from dmm.redaction.randomness import (
    class_changes,
    has_digit,
    has_letter,
    is_mixed,
    is_pathlike,
    is_random,
    is_uuid,
)
from dmm.redaction.tables import listed

MARKER = "[redacted:"

# What represents a value.
_PLACEHOLDER = later(
    # A variable or a template.
    r"\$\(|\$\{|\$[A-Za-z_]\w*(?:\Z|[\s/:;,.)\]}\"'<>|&?\\-])|%[A-Za-z_]+%"
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
_CALL = later(r"&?\*?(?:await\s|new\s)?[A-Za-z_][\w.:>-]*[(\[{]")
_DOTTED = later(r"[A-Za-z_]\w*(?:(?:\.|::|->|\?\.)[A-Za-z_]\w*)+\Z")
_IDENTIFIER = later(r"[a-z][A-Za-z_]*\d{0,2}\Z|_+[a-z_]+\d{0,2}\Z")
_NAMED = later(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z|[a-z]+(?:[_-][a-z]+)+\Z")
# Names of types that code and notes about it put where a value could stand.
_CLASS = later(
    r"(?:[A-Z][a-z]+)+(?:Error|Exception|Failure|Handler|Provider|Service|Field|Hasher|Encoder"
    r"|Policy|Validator|Request|Response|Event)\Z"
)
# More of them, which only count in code marks: a password could end like that.
_MARKED_CLASS = later(
    r"(?:[A-Z][a-z]+)+(?:Adapter|Builder|Cache|Checker|Client|Component|Config|Context|Controller"
    r"|Decoder|Encoder|Factory|Filter|Flow|Form|Generator|Guard|Hasher|Interceptor|Job|Limiter"
    r"|Manager|Middleware|Model|Options|Parser|Provider|Reader|Repository|Result|Schema|Service"
    r"|Settings|Store|Strategy|Test|Type|Validator|View|Widget|Worker|Writer)\d?\Z"
)
_HUMPED = later(r"[a-z]+(?:[A-Z][a-z]*)+\Z")
_TWO_HUMPS = later(r"(?:[A-Z][a-z]+){2,}\Z")
_WHOLE_CALL = later(r"[A-Za-z_][\w.:]{0,60}\([\w\s,.=]{0,80}\)\Z")
_LONGEST_CODE = 80
# An option, an amount or an algorithm.
_SPOKEN = later(
    r"(?i)(?-i:--?[a-z])|[a-z_]{2,20}=\d[\d.,]*\Z"
    r"|\d+(?:[.,]\d+)*(?:ms|s|secs?|mins?|minutes?|m|hrs?|hours?|h|days?|d|w|weeks?|kb|mb|gb|kib|mib"
    r"|gib|bits?|bytes?|chars?|characters?)\Z"
    r"|(?:(?:aes|3?des|rsa|ec|ecdsa|eddsa|hmac|sha|pbkdf|argon|scrypt|bcrypt|chacha|poly|x25519|ed25519"
    r"|ed448|p256|p384|oaep|pkcs|cbc|gcm|ctr|cfb|ecb|ocb|siv|wrap|dsa|dh|ecdh)\d{0,5}(?:[-_/+]|\Z)"
    r"|\d{1,4}(?:[-_/+]|\Z))+\Z"
)
_TYPE = later(
    r"(?i)(?:optional|option|maybe|list|dict|set|tuple|union|vec|array|map|sequence|mapping|secret|box)?"
    r"[\[<(]?&?(?:str|string|bytes?|bytearray|text|n?varchar2?|char|int|integer|uint|float|double|number"
    r"|bool|boolean|any|object|unknown|void|never|uuid|secretstr|secretbytes|nil|none|null|undefined"
    r"|true|false|yes|no|on|off)(?:\d{1,3}|\(\d+\))?(?:\[\])?[?!;,)\]>|]*(?:\s|\Z)"
)
_SENTENCE = later(
    r"(?i)\b(?:the|your|a|an|is|are|was|be|must|please|enter|invalid|incorrect|wrong|forgot|reset|new|old"
    r"|confirm|change|for|to|of|and|or|not|no|required|should|will|can|cannot|with|from|in|on|use)\b"
)
_NAMES_ONE = later(r"(?i)pass|secret|token|key|cred|auth")
WORDS = frozenset(listed("words"))
_TECHNICAL = frozenset(listed("technical"))


def bare_of(value: str) -> str:
    """Return a value without its quotes and with its escapes resolved."""
    if "\\" in value or "%" in value or "&" in value:
        for layer in layers_of(value):
            value = layer.text
    return value.strip(" \t\"'`,;\\")


def is_placeholder(value: str) -> bool:
    """Return whether a value is a placeholder: a variable, a template, stars or our marker."""
    bare = bare_of(value)
    if not bare or bare.startswith((MARKER, "[redacted")):
        return True
    if bare[0] == "$" and has_digit(bare) and class_changes(bare) >= len(bare) * 0.3:
        return False
    return _PLACEHOLDER.match(bare) is not None


def is_real(value: str) -> bool:
    """Return whether a value is neither a placeholder nor a reference."""
    return not is_placeholder(value)


def _is_reference(value: str) -> bool:
    """Return whether a value is a reference to where the secret is kept."""
    if _NAMED.match(value):
        return _NAMES_ONE.search(value) is not None
    if value.startswith(("/", "./", "../", "~/")) or is_pathlike(value):
        return not is_random(value.replace("/", ""))
    if _CLASS.match(value):
        return True
    return _DOTTED.match(value) is not None and not is_random(value)


def is_code(value: str) -> bool:
    """Return whether a value in backticks is code: a function, a type or a call."""
    if len(value) > _LONGEST_CODE:
        return False
    if _HUMPED.match(value) or _MARKED_CLASS.match(value) or _WHOLE_CALL.match(value):
        return not is_random(value)
    return _TWO_HUMPS.match(value) is not None and _NAMES_ONE.search(value) is not None


def _is_plain(value: str) -> bool:
    """Return whether a value is never a secret: a placeholder, a word, a type or a reference."""
    known = is_placeholder(value) or value.lower() in WORDS
    return known or _TYPE.match(value) is not None or _is_reference(value)


def is_quoted_secret(value: str, *, strong: bool) -> bool:
    """Return whether a quoted value beside a revealing name is a secret."""
    if _is_plain(value) or len(value) < 3 or value.lower() in _TECHNICAL:
        return False
    if " " in value.strip():
        return strong and _SENTENCE.search(value) is None and "\n" not in value
    if strong:
        return has_letter(value) or len(value) > 3
    return is_keylike(value)


def is_keylike(value: str) -> bool:
    """Return whether a value beside an ambiguous name is a secret."""
    if is_placeholder(value) or _TYPE.match(value):
        return False
    if is_uuid(value) or is_random(value):
        return True
    if _IDENTIFIER.match(value):
        return False
    return is_mixed(value, 8) and has_digit(value) and not _is_reference(value)


def is_bare_secret(value: str, *, strong: bool, tight: bool) -> bool:
    """Judge a value without quotes; `tight` where only an assignment looks like this."""
    if _is_plain(value) or value.lower().rstrip(".:;!?") in WORDS or _CALL.match(value):
        return False
    if value[0] in "{[(" or value[-1] == ":":
        return False
    if not strong:
        return is_keylike(value)
    if tight:
        return len(value) > 2 and not (_IDENTIFIER.match(value) and _NAMES_ONE.search(value))
    if _IDENTIFIER.match(value) and not is_random(value):
        return False
    return is_mixed(value, 5) or is_random(value)


def is_spoken_secret(value: str) -> bool:
    """Return whether a word of a sentence is a secret: only if it is no ordinary word."""
    if _is_plain(value) or _CALL.match(value) or is_uuid(value) or not has_letter(value):
        return False
    if value.rstrip("!?").islower() and value.rstrip("!?").isalpha():
        return False
    if value.lower() in _TECHNICAL or _SPOKEN.match(value):
        return False
    return is_mixed(value, 5) or is_random(value, 10)
