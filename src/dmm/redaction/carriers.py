"""Places that hold credentials by form: URLs, headers, cookies, listings."""

from __future__ import annotations

from binascii import Error, a2b_base64

from dmm.redaction.forms import Form, scan_forms
from dmm.redaction.patterns import later, match_at
from dmm.redaction.randomness import has_digit, is_mixed, is_random, is_uuid
from dmm.redaction.values import is_placeholder, is_real

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from dmm.redaction.layers import Layer
    from dmm.redaction.patterns import Span

    Match = re.Match[str]

_USERINFO = r"://([^\s/?#\"'<>:@\\]{0,256}):([^\s\"'<>/\\]{1,256})@(?=[\w.\[$%{-])"
_LOOSE_USERINFO = r"://([^\s/?#\"'<>:@\\]{0,256}):([^\s\"'<>\\]{1,256})@(?=[\w.\[-])"
_DATABASE = (
    r"(?i)(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|mssql|clickhouse|ldaps?)"
    r"(?:\+\w{1,20})?\Z"
)
# How Go's drivers are told where a database is: user:password@tcp(host:port)/name.
_DRIVER_LOGIN = r"(?<![\w.%-])([\w.-]{1,64}):([^\s\"'<>@]{1,128})@tcp\("
_USER_ALONE = r"://([^\s/?#\"'<>:@\\]{16,256})(?::[^\s/?#\"'<>:@\\]{0,64})?@(?=[\w.\[-])"
_LOGIN = r"([A-Za-z][\w.-]{1,32}):([^\s:@/\"'<>]{8,64})\Z"
_PAIR = r"([A-Za-z][\w.@+-]{0,64}):([^\s:/\"'<>]{5,128})\s{0,2}\Z"
_LOGIN_HOST = r"@(?:[\w-]{1,63}\.[\w.-]{1,200}|localhost)"
# A link that lets in whoever has it.
_LINK = (
    r"://[^\s\"'<>?#]{1,200}/(?:reset|invit|verif|confirm|activat|magic|token|unlock|unsubscrib)"
    r"[\w-]{0,20}/([\w.~-]{20,200})"
)
_QUERY = r"[?&;]([\w.%\[\]-]{1,60})=(?=([^&\s\"'<>#\\]{4,128}))"
_QUERY_REST = r"[^&\s\"'<>#\\]*"
_QUERY_NAMES = (
    "token", "key", "secret", "sig", "signature", "password", "passwd", "pwd", "auth", "code",
    "credential", "session", "sid", "ticket", "hmac", "assertion", "jwt", "nonce", "pass",
)  # fmt: skip
_AUTHORIZATION = (
    r"(?i)authorization[\"']?\s{0,4}(?:[:=,]|=>|\|)\s{0,4}(?:[bfr]?[\"'`])?\s{0,4}"
    r"((?:basic|bearer|token|digest|negotiate|ntlm|apikey|api-key|key|ssws|hawk|oauth|aws4-hmac-sha256)"
    r"\b:?\s{1,4})?([^\s\"'`<>][^\n\"'`<>]{0,4096})"
)
_MORE_PAIRS = r"&[A-Za-z_]\w{0,40}="
_DIGEST = r"(?i)authorization:\s{0,4}(?:digest|oauth|hawk|aws4-hmac-sha256)\s{1,4}([^\n]{8,4096})"
_SCHEME = r"(?i)\b(bearer|basic)[ \t]{1,4}([\w.~+/=-]{6,4096})"
# How a server describes itself when it asks for credentials.
_CHALLENGE = r"(?i)(?:realm|scope|error|charset|authorization_uri|resource_metadata)="
_HEADER = (
    r"(?i)(x-[\w-]{1,60})"
    r"[\"']?\s{0,4}[:=,]\s{0,4}[\"']?([^\s\"'`<>,;]{4,4096})"
)
_COOKIE = (
    r"(?i)cookie2?(?:[\"']?\s{0,4}(?:[:=]|=>)|[\"']\s{0,4},)\s{0,4}[\"'`]?"
    r"((?=[^\s\"'`=;]{1,200}=)[^\n\"'`]{3,8192})"
)
_JAR = (
    r"\t(?:TRUE|FALSE)\t[^\t\n]{0,500}\t(?:TRUE|FALSE)\t\d{1,20}\t[^\t\n]{1,200}\t([^\t\n]{1,4096})"
)
_PGPASS = r":(?:\d{4,5}|\*):[^:\s]{1,100}:[^:\s]{1,100}:([^\s:\"']{4,200})(?![:\w])"
_NETRC = (
    r"(?i)\b(?:login|machine)\s{1,8}(?!(?:by|for|via|and|or)\s)\S{1,200}\s{1,8}(?:account\s{1,4}\S{1,100}\s{1,4})?"
    r"password\s{1,8}(\S{1,500})"
)
_CLUSTER_KIND = r"kind[\"']?\s{0,4}:\s{0,4}[\"']?Secret\b"
_CLUSTER_DATA = (
    r"(?m)^[ \t+-]{1,20}[\w.-]{1,100}:\s{1,4}[\"']?([A-Za-z0-9+/]{4,}={0,2})[\"']?[ \t\r]{0,4}$"
)
_NO_LOGIN = frozenset({
    "mailto", "to", "cc", "bcc", "from", "email", "mail", "sip", "xmpp", "acct", "npm", "git",
    "ssh", "sha256", "urn", "data", "node", "python",
})  # fmt: skip
_HEADER_NAMES = ("key", "token", "secret", "auth", "signature", "session", "password", "credential")
_ATTRIBUTES = frozenset({"path", "domain", "expires", "max-age", "samesite", "priority"})
_EXAMPLES = frozenset({"password", "pass", "passwd", "pwd", "pw", "secret", "token", "x", "***"})
_STRONG_QUERY = ("token", "secret", "passw", "pwd", "signature", "assertion", "jwt", "credential")


def scan_carriers(layer: Layer) -> Iterator[Span]:
    """Find credentials in addresses, headers, cookies and the files that programs keep them in."""
    text, lowered = layer.text, layer.lowered
    yield from scan_forms(_ADDRESS_FORMS, layer)
    if "@" in text:
        yield from _logins(text)
    if "=" in text and ("?" in text or "&" in text):
        yield from _queries(text)
    yield from _authorizations(text, lowered)
    yield from _schemes(text, lowered)
    yield from scan_forms(_FORMS, layer)
    if "Secret" in text and later(_CLUSTER_KIND).search(text):
        yield from scan_forms(_CLUSTER_FORMS, layer)


def _is_password(found: Match) -> bool:
    """Return whether a value is a real password, not the word itself or the user name."""
    return found[2].lower() not in (*_EXAMPLES, found[1].lower())


def _is_database(found: Match) -> bool:
    scheme = found.string[max(0, found.start() - 24) : found.start()]
    return _is_password(found) and later(_DATABASE).search(scheme) is not None


def _is_coded(value: str) -> bool:
    return "=" in value or has_digit(value)


def _is_telling(found: Match) -> bool:
    named = any(word in found[1].lower() for word in _HEADER_NAMES)
    return named and (is_mixed(found[2]) or is_random(found[2]))


def _is_cookie(value: str) -> bool:
    return not _is_hidden(value) and "(" not in value.partition("=")[0]


_ADDRESS_FORMS = (
    Form("url-password", ("://",), _USERINFO, is_real, near=_is_password),
    Form("url-password", ("://",), _LOOSE_USERINFO, is_real, near=_is_database),
    Form("url-password", ("://",), _USER_ALONE, is_random),
    Form("url-password", (), _DRIVER_LOGIN, is_real, near=_is_password, needs="@tcp("),
    Form("url-parameter", ("://",), _LINK, is_random),
    Form("authorization", ("authorization:",), _DIGEST, folded=True),
)
_FORMS = (
    Form("header", ("x-",), _HEADER, is_real, near=_is_telling, folded=True),
    Form("cookie", ("cookie",), _COOKIE, _is_cookie, folded=True),
    Form("cookie", ("\tTRUE\t", "\tFALSE\t"), _JAR, needs="\t"),
    Form("password", ("login", "machine"), _NETRC, is_real, folded=True),
    Form("password", (), _PGPASS, is_mixed, needs=":"),
)
# Every value of a Kubernetes secret, whatever its name.
_CLUSTER_FORMS = (Form("secret", (), _CLUSTER_DATA, _is_coded),)


def _logins(text: str) -> Iterator[Span]:
    for host in match_at(_LOGIN_HOST, text, ("@",)):
        near = text[max(0, host.start() - 100) : host.start()]
        words = near.replace('"', " ").replace("'", " ").replace("/", " ").split()
        found = later(_LOGIN).match(words[-1]) if words and near[-1:].strip() else None
        if found is None or found[1].lower() in _NO_LOGIN:
            continue
        if has_digit(found[2]) and is_mixed(found[2]) and not is_placeholder(found[2]):
            yield (host.start() - len(found[2]), host.start(), "password")


def _queries(text: str) -> Iterator[Span]:
    done = 0
    for found in later(_QUERY).finditer(text):
        if found.start() >= done and _is_told(found[1].lower(), found[2]):
            rest = later(_QUERY_REST).match(text, found.end(2))
            done = found.end(2) if rest is None else rest.end()
            yield (found.start(2), done, "url-parameter")


def _is_told(name: str, value: str) -> bool:
    """Return whether the name of a parameter makes its value a secret."""
    if is_placeholder(value) or value.isdigit():
        return False
    if any(word in name for word in _STRONG_QUERY) and (
        has_digit(value) or "pass" in name or "pwd" in name
    ):
        return True
    return any(word in name for word in _QUERY_NAMES) and is_random(value) and not is_uuid(value)


def _authorizations(text: str, lowered: str) -> Iterator[Span]:
    for found in match_at(_AUTHORIZATION, text, ("authorization",), lowered):
        # What follows a value in an address is another pair: &name=value.
        value = later(_MORE_PAIRS).split(found[2], 1)[0].rstrip(" \t,;)}]")
        told = found[1] or (is_mixed(value) and " " not in value) or is_random(value)
        if told and not is_placeholder(found[2]):
            yield (found.start(2), found.start(2) + len(value), "authorization")


def _schemes(text: str, lowered: str) -> Iterator[Span]:
    for found in match_at(_SCHEME, text, ("bearer", "basic"), lowered):
        value, basic = found[2].rstrip("."), found[1].lower() == "basic"
        if is_placeholder(value) or later(_CHALLENGE).match(value):
            continue
        if is_login(value) if basic else is_mixed(value) or is_random(value, 12):
            end = found.start(2) + len(value)
            yield (found.start(2), end, "basic-auth" if basic else "bearer")


def _is_hidden(cookie: str) -> bool:
    """Return whether the values of a cookie are redacted already; attributes do not count."""
    pairs = (part.partition("=")[::2] for part in cookie.split(";") if "=" in part)
    values = [value for name, value in pairs if name.strip().lower() not in _ATTRIBUTES]
    return all(len(value) > 2 and is_placeholder(value) for value in values or [cookie])


def is_login(value: str) -> bool:
    """Return whether base64 contains a user and a password."""
    try:
        plain = a2b_base64(value + "=" * (-len(value) % 4))
    except (Error, ValueError):
        return False
    return b":" in plain and all(31 < code < 127 for code in plain)


def is_pair(text: str) -> bool:
    """Return whether a text is exactly a user and a password."""
    found = later(_PAIR).match(text)
    if found is None or found[1].lower().rpartition("@")[2] in _NO_LOGIN:
        return False
    return is_mixed(found[2]) and not is_placeholder(found[2])


def is_header_secret(name: str, value: str) -> str | None:
    """Return the label of a header's secret value, or None."""
    lowered = name.lower()
    if is_placeholder(value):
        return None
    if lowered in ("cookie", "set-cookie") and "=" in value:
        return None if _is_hidden(value) else "cookie"
    if lowered not in ("authorization", "proxy-authorization"):
        return None
    scheme, _, word = value.partition(" ")
    return None if is_placeholder(word or scheme) else "authorization"
