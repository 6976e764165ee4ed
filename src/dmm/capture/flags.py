"""Flags: secrets that programs take on their command line without a telling name."""

from __future__ import annotations

from dmm.capture.formats import match_at, pattern
from dmm.capture.randomness import has_digit, has_letter, is_mixed
from dmm.capture.values import is_placeholder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.capture.formats import Span

# A word of a shell or of a list of arguments, with or without quotes; between two words stands
# white space, or in a list the end of one string and the start of the next.
_GAP = r"(?:[\"']?\s{0,4},\s{0,4}(?=[\"'])|[ \t=]{1,8})"
_GAP_OR_NONE = r"(?:[\"']?\s{0,4},\s{0,4}(?=[\"'])|[ \t=]{0,8})"
_WORD = r"(?:\"([^\"\n]{1,256})\"|'([^'\n]{1,256})'|([^\s\"'|;&<>`,)]{1,256}))"
_ANY = r"[^\n|;`]{0,300}?[\s\"']"

Rule = tuple[tuple[str, ...], str]


def _option(programs: str, option: str, gap: str = _GAP) -> str:
    return rf"\b(?:{programs})\b{_ANY}{option}[\"']?{gap}{_WORD}"


# What a match begins with, and a pattern whose last group is the secret.
_RULES: tuple[Rule, ...] = (
    (("mysql", "mariadb"), rf"\b(?:mysql\w{{0,12}}|mariadb[\w-]{{0,12}})\b{_ANY}-p{_WORD}"),
    (("sshpass",), _option("sshpass", "-p", _GAP_OR_NONE)),
    (("login",), _option("login", "-p")),
    (("redis-cli",), _option("redis-cli", "(?:-a|--pass)")),
    (("ldap",), _option(r"ldap\w{3,10}", "-w")),
    (("mongo", "cqlsh", "influx", "snmp"),
     _option(r"mongo\w{0,10}|cqlsh|influx|snmp\w{0,8}", "-{1,2}(?:p|A|X)")),
    (("sqlcmd", "bcp", "isql", "unzip", "zip", "tsql"),
     _option("sqlcmd|bcp|isql|tsql|unzip|zip", "-P", _GAP_OR_NONE)),
    (("openssl",), _option("openssl", "-k")),
    (("ssh-keygen",), _option("ssh-keygen", "-[NP]")),
    (("7z",), rf"\b7z[ar]?\b{_ANY}-p{_WORD}"),
    (("pass:",), rf"\bpass:{_WORD}"),
    (("/p:", "/pass:"), rf"(?<=[\s\"'])/p(?:ass)?:{_WORD}"),
    (("htpasswd",),
     r"\bhtpasswd\b[^\n|;]{0,40}\s-\w{0,6}b\w{0,6}\s{1,4}(?:\S{1,200}\s{1,4})?\S{1,100}\s{1,4}"
     + _WORD),
    (("add_user", "change_password"),
     r"\b(?:add_user|change_password)\s{1,4}\S{1,100}\s{1,4}" + _WORD),
    (("net use",), r"\bnet use\b[^\n|;]{0,120}?/user:\S{1,100}\s{1,4}" + _WORD),
    (("IDENTIFIED", "identified"),
     r"(?i)\bidentified\s{1,4}(?:with\s{1,4}\S{1,60}\s{1,4})?(?:by|as)\s{1,4}"
     r"(?:password\s{1,4})?(?:\"([^\"\n]{1,256})\"|'([^'\n]{1,256})')"),
    (("echo", "printf"),
     rf"\b(?:echo|printf)[ \t]{{1,4}}(?:-\w{{1,3}}[ \t]{{1,4}})?{_WORD}"
     r"[ \t]{0,4}\|[^\n|]{0,200}"
     r"(?:sudo -S|--password-stdin|--stdin|chpasswd|--with-token|--passphrase-fd)"),
)  # fmt: skip
# The same for a user and a password in one word; the second group is the secret.
_LOGIN_RULES: tuple[Rule, ...] = (
    (("curl", "http ", "https ", "wget", "xh "),
     rf"\b(?:curl|https?|xh|wget)\b{_ANY}(?:-u|--user|-U|--proxy-user|-a|--auth)[\"']?"
     rf"{_GAP_OR_NONE}"
     r"[\"']?([^\s\"':,/]{0,100}):([^\s\"']{1,256})"),
    (("smb", "rpcclient", "winexe"),
     rf"\b(?:smb\w{{3,10}}|rpcclient|winexe)\b{_ANY}-U"
     r"\s{0,4}[\"']?([^\s\"'%]{1,100})%([^\s\"']{1,256})"),
    (("lftp",), rf"\blftp\b{_ANY}-u" r"\s{0,4}[\"']?([^\s\"',]{1,100}),([^\s\"']{1,256})"),
    (("echo", "printf"),
     r"\b(?:echo|printf)\s{1,4}[\"']?([\w.-]{1,64}):([^\s\"'|]{3,200})[\"']?\s{0,4}"
     r"\|\s{0,4}(?:sudo\s)?chpasswd"),
)  # fmt: skip
_SHORT = r"(?<=[\s\"'])-p[\"']?" + _GAP + _WORD
_USER = r"(?<=[\s\"'])(?:-u|-U|--user(?:name)?|-l|--login)(?=[\s\"'=])"
# For these programs -p alone asks for the password, or names a port.
_ASKS = r"\b(?:mysql|mariadb|psql|pg_\w{4,10}|ssh|scp|mkdir|docker run|podman run)"
_COOKIE = (
    rf"\bcurl\b{_ANY}(?:-b|--cookie)[\"']?{_GAP}"
    r"[\"']?([^\s\"'=]{1,100}=[^\n\"']{1,4096})"
)
_NO_PASSWORD = frozenset("/:=")


def scan_flags(text: str) -> Iterator[Span]:
    """Find passwords that are given to programs."""
    for programs, source in _RULES:
        for found in match_at(source, text, programs):
            group = found.lastindex or 0
            if found[group] and not is_placeholder(found[group]) and found[group][0] != "-":
                yield (*found.span(group), "password")
    for programs, source in _LOGIN_RULES:
        for found in match_at(source, text, programs):
            if not is_placeholder(found[2]):
                yield (*found.span(2), "password")
    for found in match_at(_COOKIE, text, ("curl",)):
        yield (*found.span(1), "cookie")
    yield from _short(text)


def _short(text: str) -> Iterator[Span]:
    """Judge `-p value` of an unknown program: by a user beside it, or by how the value looks."""
    for found in match_at(_SHORT, text, ("-p",)):
        group = found.lastindex or 0
        value = found[group]
        if is_placeholder(value) or value[0] == "-":
            continue
        line = text.rfind("\n", 0, found.start()) + 1
        near = text[max(line, found.start() - 200) : found.end() + 100]
        if pattern(_ASKS).search(near):
            continue
        login = pattern(_USER).search(near) is not None and not value.isdigit()
        if (login and not set(value) & _NO_PASSWORD) or _is_password(value):
            yield (*found.span(group), "password")


def _is_password(value: str) -> bool:
    signs = any(char in "!#$%^&*?" for char in value)
    return signs and is_mixed(value) and has_digit(value) and has_letter(value)
