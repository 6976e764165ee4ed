"""Find secrets that programs take on the command line without a revealing name."""

from __future__ import annotations

import re
from functools import cache

from dmm.redaction.forms import Form, scan_forms
from dmm.redaction.patterns import later, match_at, words_of
from dmm.redaction.randomness import has_digit, has_letter, is_mixed, is_uuid
from dmm.redaction.tables import READERS, USAGES
from dmm.redaction.values import WORDS, is_placeholder, is_real, is_spoken_secret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.redaction.layers import Layer
    from dmm.redaction.patterns import Span

# A word of a shell or of a list of arguments, with or without quotes; between two words stands
# white space, or in a list the end of one string and the start of the next.
_LISTED = r"[\"']\s{0,4},\s{0,4}(?=[\"'])"
_BLANK = r"[\"']?(?:[ \t]{1,8}|=)"
_GAP = rf"(?:{_LISTED}|{_BLANK})"
_WORD = r"(?:\"([^\"\n]{1,256})\"|'([^'\n]{1,256})'|([^\s\"'|;&<>`,)]{1,256}+))"
_OPERAND = r"(?:\"[^\"\n]{1,256}\"|'[^'\n]{1,256}'|(?![-=:{(!])[^\s\"'|;&<>`,)]{1,256}+)"
_ANY = r"[^\n|;`]{0,300}?[\s\"']"
_PLAIN = later(r"[\w|-]+\Z")
_PLACE = later(r"SECRET|TOKEN")
_SPOKEN = ("login", "AUTH", "connect", "IDENTIFIED")
_READING = tuple(sorted({one.split()[0] for one in READERS}))
_READER = "|".join(re.escape(one).replace(r"\ ", r"\s[^\n|<>]{0,60}?") for one in READERS)

_SENT = r"(?:send(?:line)?|Send|write)[ (]{1,3}(?:--\s)?[\"']([^\"'\n]{1,200}?)(?:\\[rn])*[\"']"
_ASKED = r"(?i)(?:assword|assphrase|passcode)[^\n]{0,60}(?:\n[^\n]{0,60}){0,2}\Z"
_GIVEN = rf"(?:{_READER})[^\n<>|;]{{0,80}}<<<\s{{0,4}}{_WORD}"
_GIVEN_LINES = (
    rf"(?:{_READER})[^\n<>|;]{{0,80}}<<-?\s?[\"']?(\w{{1,20}})[\"']?[^\n]{{0,80}}\n"
    r"(?:[^\n:]{0,256}:)?+([^\n]{1,256})"
)
_LOGIN = (
    r"(?:auth|creds?|credentials?|login|user(?:name|pass)?)[\"']?"
    rf"{_GAP}[\"']?([^\s\"':,/]{{1,100}}):([^\s\"']{{5,256}})"
)
_OPTION = r"(?:^|[\s\"'])-{1,2}[\w-]{0,20}\Z"
_SHORT = r"-p[\"']?" + _GAP + _WORD
_USER = r"(?<=[\s\"'])(?:-u|-U|--user(?:name)?|-l|--login)(?=[\s\"'=])"
# For these programs -p alone asks for the password, or names a port.
_ASKS = r"\b(?:mysql|mariadb|psql|pg_\w{4,10}|ssh|scp|mkdir|docker run|podman run)"
_COOKIE = (
    rf"\bcurl\b{_ANY}(?:-b|--cookie)[\"']?{_GAP}"
    r"[\"']?([^\s\"'=]{1,100}=[^\n\"']{1,4096})"
)
_NO_PASSWORD = frozenset("/:=")
_CAMEL = later(r"(?:[A-Z]+[a-z]*|[a-z]+)+\d{0,4}\Z")
_VERSION = later(r"[vV]?\d+(?:[.-]\w+)*\Z")
_LAST = later(r"[\s\"'`)\]};,]*(?:\n|\Z|[|&<>\"'])")
_HOST = later(r"[\w.-]+\.[a-z]{2,8}(?::\d{1,5})?(?:/|\Z)|[\w.+-]+@[\w.-]+\Z|\w+://")


class Usage:
    """One usage of some programs as patterns: each group holds a word that may be a secret."""

    __slots__ = ("_needed", "_sources", "spoken", "token")

    def __init__(self, usage: str) -> None:
        first, _, rest = usage.partition(" ")
        self._needed = [
            frozenset(one.encode() for one in word.split("|"))
            for word in rest.split()
            if _PLAIN.match(word) and not word.isupper() and not _PLACE.search(word)
        ]
        self.token = "TOKEN" in usage
        self.spoken = first.split("|")[0] in _SPOKEN
        program = rf"(?:{_alternatives(first)})(?![\w-])"
        if rest:
            self._sources = [program + _patterns(rest.split(), gap) for gap in (_BLANK, _LISTED)]
        else:
            self._sources = [_attached(first, _BLANK)] * 2

    def find(self, text: str, program: str, words: set[bytes]) -> Iterator[re.Match[str]]:
        """Find this usage of a program, on a command line or in a list of arguments."""
        if any(words.isdisjoint(needed) for needed in self._needed):
            return
        for source in self._sources:
            yield from match_at(source, text, (program,))


def _patterns(words: list[str], gap: str) -> str:
    written, near = "", gap
    for number, word in enumerate(words):
        if word == "...":
            written, near = written + _ANY, ""
        elif word[0] == "[":
            # It is left out only where no word follows the secret.
            rest = words[number + 1 :]
            less, more = _patterns(rest, gap), _patterns(["NAME", *rest], gap)
            return rf"{written}(?:{more}|{less}(?![ \t]{{1,8}}(?:&\w|[^\s|;&<>])))"
        else:
            written, near = written + near + _pattern(word, gap), gap
    return written


def _pattern(word: str, gap: str) -> str:
    if word in ("SECRET", "TOKEN"):
        return _WORD
    if word.isupper() and word.isalpha():
        return _OPERAND
    if _PLACE.search(word) is None:
        return rf"[\"']?(?:{_alternatives(word)})"
    return _attached(word, gap)


def _alternatives(word: str) -> str:
    return "|".join(re.escape(one).replace(r"\*", r"[^\s\"',]*") for one in word.split("|"))


def _attached(word: str, gap: str) -> str:
    """Return the pattern of a word that contains a secret: -pSECRET, NAME:SECRET."""
    before, _, after = _PLACE.sub("\0", word).partition("\0")
    option, near, name = before.rpartition("~")
    written = rf"[\"']?(?:{_alternatives(option)})(?:{gap})?" if near else ""
    if not name:
        return written + _WORD
    if "NAME" not in name:
        return written + rf"[\"']?{re.escape(name)}" + _WORD
    own = re.escape(name).replace("NAME", r"[^\s\"':,/%=]{0,100}")
    if after:
        return written + rf"[\"']?{own}([^\s\"'|;&<>`]{{1,256}}?){re.escape(after)}"
    return (
        written + rf"[\"']?{own}(?:\"([^\"\n]{{1,256}})\"|'([^'\n]{{1,256}})'|([^\s\"']{{1,256}}))"
    )


@cache
def _programs() -> dict[bytes, list[str]]:
    """Return the usages of each program from the table."""
    known: dict[bytes, list[str]] = {}
    for usage in USAGES:
        for program in usage.partition(" ")[0].split("|"):
            known.setdefault(program.partition(":")[0].encode(), []).append(usage)
    return known


# A usage is read when it is first needed.
_usage = cache(Usage)


def scan_flags(layer: Layer) -> Iterator[Span]:
    """Find passwords in the arguments of programs."""
    text = layer.text
    words = words_of(text, "-_")
    for program in words & _programs().keys():
        for usage in _programs()[program]:
            yield from _used(text, program.decode(), _usage(usage), words)
    yield from scan_forms(_FORMS, layer)


def _used(text: str, program: str, usage: Usage, words: set[bytes]) -> Iterator[Span]:
    for found in usage.find(text, program, words):
        before = text[found.start() - 1 : found.start()]
        if before and (before.isalnum() or before in "_-"):
            continue
        for group in range(1, 1 + (found.lastindex or 0)):
            value = found[group]
            if not value or not _is_given(value, usage):
                continue
            if not usage.spoken or _is_command(text, found, group):
                yield (*found.span(group), "password")


def _is_given(value: str, usage: Usage) -> bool:
    """Return whether the word in the place of a secret is one."""
    if is_placeholder(value) or value.lstrip("\\[(")[:1] == "-" or value.lower() in WORDS:
        return False
    if not usage.token:
        return True
    if is_uuid(value):
        return True
    if _HOST.match(value) or _VERSION.match(value) or value[0] in "\\[({":
        return False
    return is_spoken_secret(value)


def _is_command(text: str, found: re.Match[str], group: int) -> bool:
    """Return whether words are a command and not a sentence."""
    before = text[max(0, found.start() - 40) : found.start()].rpartition("\n")[2].rstrip()
    alone = not before[-1:].isalnum() and _LAST.match(text, found.end(group)) is not None
    return alone or _CAMEL.match(found[group].rstrip("\\")) is None


def _is_word(value: str) -> bool:
    return value[0] != "-" and is_real(value)


def _is_answer(found: re.Match[str]) -> bool:
    """Return whether a script sends this where a program has asked for a password."""
    near = found.string[max(0, found.start() - 200) : found.start()]
    return later(_ASKED).search(near) is not None


def _is_login(found: re.Match[str]) -> bool:
    """Return whether `--user name:value` of an unknown program has a secret value."""
    option = later(_OPTION).search(found.string, max(0, found.start() - 24), found.start())
    return option is not None and has_digit(found[2])


def _is_short(found: re.Match[str]) -> bool:
    """Return whether `-p value` of an unknown program is a secret."""
    text, value = found.string, found[found.lastindex or 0]
    before = text[found.start() - 1 : found.start()]
    if before not in (" ", "\t", "\n", '"', "'"):
        return False
    line = text.rfind("\n", 0, found.start()) + 1
    near = text[max(line, found.start() - 200) : found.end() + 100]
    if later(_ASKS).search(near):
        return False
    login = later(_USER).search(near) is not None and not value.isdigit()
    return (login and not set(value) & _NO_PASSWORD) or _is_password(value)


def _is_password(value: str) -> bool:
    signs = any(char in "!#$%^&*?" for char in value)
    return signs and is_mixed(value) and has_digit(value) and has_letter(value)


_FORMS = (
    Form("password", ("identified",),
         r"(?i)identified\s{1,4}(?:with\s{1,4}\S{1,60}\s{1,4})?(?:by|as)\s{1,4}"
         r"(?:password\s{1,4})?(?:\"([^\"\n]{1,256})\"|'([^'\n]{1,256})')", _is_word, folded=True),
    Form("password", ("echo", "printf"),
         rf"(?:echo|printf)[ \t]{{1,4}}(?:-\w{{1,3}}[ \t]{{1,4}})?"
         r"(?:\"([^\"]{1,256})\"|'([^']{1,256})'|([^\s\"'|;&<>`,)]{1,256}+))"
         rf"[ \t]{{0,4}}\|[^\n|]{{0,200}}(?:{_READER})", _is_word),
    Form("password", ("echo", "printf"),
         r"(?:echo|printf)\s{1,4}[\"']?[\w.-]{1,64}:([^\s\"'|]{3,200})[\"']?\s{0,4}\|\s{0,4}"
         r"(?:sudo\s)?chpasswd", _is_word),
    Form("password", ("send", "Send", "write"), _SENT, _is_word, near=_is_answer, needs="ass"),
    # What a program that reads a password is given on the same line, or on the next.
    Form("password", _READING, _GIVEN, is_real, needs="<<<"),
    Form("password", _READING, _GIVEN_LINES, is_real, needs="<<"),
    Form("cookie", ("curl",), _COOKIE),
    Form("password", ("auth", "cred", "login", "user"), _LOGIN, is_spoken_secret,
         near=_is_login, needs=":"),
    Form("password", ("-p",), _SHORT, _is_word, near=_is_short),
)  # fmt: skip
