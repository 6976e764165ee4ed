"""Turns of phrase put plainly, so that a sentence can be read word by word."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    Put = str | Callable[[re.Match[str]], str]


class Idiom(NamedTuple):
    """A turn of phrase: words of which one stands in each, how it is told, and what is meant.

    Few sentences hold any one of them, and looking for a word is much quicker than for a pattern.
    """

    hints: frozenset[str]
    pattern: re.Pattern[str]
    put: Put


def _idiom(hints: str, pattern: str, put: Put) -> Idiom:
    return Idiom(frozenset(hints.split()), re.compile(pattern, re.IGNORECASE), put)


def _store(match: re.Match[str]) -> str:
    return "is stored " if match.group(2) else "are stored "


def _stay(match: re.Match[str]) -> str:
    return f"{'must ' if match.group(1) else ''}stay inside "


def _lack(match: re.Match[str]) -> str:
    return f"{'' if match.group(1) else 'does '}not contain "


def _go_on(match: re.Match[str]) -> str:
    single = match.group(1).lower().partition(" ")[0].endswith("s")
    return "does not stop at " if single else "do not stop at "


def _omit(match: re.Match[str]) -> str:
    one, thing, other, being = match.groups(default="")
    return f"{being} omitted" if being else f"omit{one or other} {thing}"


def _in_decimals(match: re.Match[str]) -> str:
    return str(int(match.group(1), 16))


def _on_the_clock(match: re.Match[str]) -> str:
    hour = int(match.group(1)) % 12 + (12 if match.group(2).lower() == "p" else 0)
    return f"{hour}:00"


def _in_percent(match: re.Match[str]) -> str:
    many, part = (word.lower() for word in match.groups())
    return f"{_WORTH[many] / _OF[part]:.4g} %"


_WORTH = {"two": 200, "three": 300, "four": 400, "nine": 900}
_OF = {"thirds": 3, "quarters": 4, "fourths": 4, "fifths": 5, "tenths": 10}

_IDIOMS = (
    _idiom("one", r"\bno[ -]one\b", "nobody"),
    _idiom("longer", r"\bno longer\b(?! than)", "not now"),
    _idiom("which what", r"^(?:which|what) ", "The "),
    _idiom("which", r"(?<![,;]) which ", " that "),
    _idiom(
        "nobody nothing none",
        r"\b(?:nobody|nothing|none) (?:except|but|other than|apart from) ((?:\w+ ){1,4}?)"
        r"(can|may|is|are|has|have|gets?|goes|must|should)\b",
        r"only \1 \2",
    ),
    _idiom("between", r"\bbetween ([^,.;\d]{1,40}?) and ", r"between \1 plus "),
    _idiom(
        "live lives sit sits reside resides",
        r"\b(live|sit|reside)(s?) (?=(?:in|on|under|inside|at)\b)",
        _store,
    ),
    # Whether a rule has exceptions is no matter of its own: "…, with no exceptions".
    _idiom(
        "exception exceptions",
        r",?\s*\b(?:(?:and )?(?:there are|there is|we make|we allow)\s+)?"
        r"(?:without (?:any )?exceptions?|with no exceptions?|no exceptions?)\b"
        r"(?! (?:is|are|may|can|handl|types?|class))(?: for \w+)?,?",
        "",
    ),
    _idiom("included including", r", [^,.;]{2,30} included,|, including [^.;]*", ""),
    # "There is no endpoint that does not check": every one of them does.
    _idiom(
        "no",
        r"\b(?:there (?:is|are) |we have )?no ([^.;,]{2,40}?) (?:that|who) (?:does|do|is|are) not ",
        r"all \1 ",
    ),
    _idiom("un non anti counter", r"\b(un|non|anti|counter)-(?=[a-z]{4})", r"\1"),
    _idiom(
        "support",
        r"\bsupport (?:for|of) ([^;,]{2,40}?) "
        r"(?:has |was |is )?(?:ended|ends|ceased|dropped|over)\b",
        r"\1 is not supported",
    ),
    _idiom(
        "not",
        r"\b(?:that|who) (?:(?:is|are|was|were|has been|have been) not|(?:has|have) not been) "
        r"(?=(?:[a-z]{2,}(?:ed|en|wn)|paid|sent|sold|read|built|met|done|kept)\b)",
        "un",
    ),
    _idiom(
        "fine ok okay acceptable right",
        r"\bit(?:'s| is) (?:fine|ok|okay|all right|acceptable) for ([^,.;]{2,40}?) to\b",
        r"\1 may",
    ),
    _idiom(
        "fine ok okay acceptable right",
        r"\bit(?:'s| is) (?:fine|ok|okay|all right|acceptable) to\b",
        "you may",
    ),
    _idiom("wrong", r"\bthere(?: is|'s) nothing wrong with\b", "you may have"),
    _idiom("excuse reason", r"\bthere(?: is|'s) no (?:excuse|reason) for\b", "never have"),
    _idiom(
        "fine ok okay right",
        r"(\b(?:is|are)|:) (?:fine|ok|okay|all right)\b(?! grained)",
        " is allowed",
    ),
    _idiom(
        "leave",
        r"\bleave ([^,.;:]{2,40}?) (?:alone|untouched|unchanged|as (?:it is|they are|is))\b",
        r"do not change \1",
    ),
    # "It fails unless X is set" asks for X, just as "set X, otherwise it fails" does.
    _idiom(
        "unless",
        r"(?<!not )(?<!never )\b(?:will )?(?:fails?|breaks?|(?<!s )crashes|hangs?|aborts?|stalls?"
        r"|times? out)\b([^,.;]{0,60}?),? unless\b",
        r"needs\1 that",
    ),
    _idiom(
        "leave leaves",
        r"\b(?:((?:must|may|can|should|shall) )(?:not|never) leave"
        r"|(?:never|does not|do not) leaves?) "
        r"(?=(?:the |our )?\w+(?: \w+)?\s*(?:[.,;]|$))",
        _stay,
    ),
    _idiom(
        "free", r"\b(?:keep|leave) ([^,.;:]{2,40}?) free of (?!charge)", r"\1 must not contain "
    ),
    _idiom("free", r"\b(?:(be|stay|remain)|is|are|stays|remains) free of (?!charge)", _lack),
    _idiom(
        "keep leave hold",
        r"\b(?:keep|leave|hold) ([^,.;:]{2,40}?) (?:outside(?: of)?|away from|clear of"
        r"|off(?= (?:the|our|this|that)\b))",
        r"do not keep \1 inside",
    ),
    _idiom(
        "past beyond after",
        r"\b(carry on|carries on|continues?|go on|goes on|keeps? going) "
        r"(?:past\b|beyond\b|after (?=the first|an? ))\s*(?!\d)",
        _go_on,
    ),
    _idiom(
        "out",
        r"\b(?:leave(s?) ([^,.;:]{2,40}?) out|leave(s?) out|(is|are|be) left out)\b(?! of)",
        _omit,
    ),
    _idiom(
        "other others else alone",
        r"(?:, (?:and |but )?| and )(?:no others?|(?:nobody|nowhere|nothing) else)\b"
        r"|(?<=\w) alone(?=\s*(?:[.;,]|$))",
        " only",
    ),
    # Amounts in the form in which they are read: "0x10", "3 pm", "5 items or fewer", "Limit: 20".
    _idiom("0", r"\b0x([0-9a-f]{1,12})\b", _in_decimals),
    _idiom(
        "thirds quarters fourths fifths tenths",
        r"\b(two|three|four|nine) (thirds|quarters|fourths|fifths|tenths)\b",
        _in_percent,
    ),
    _idiom("than", r"\b(?:larger|bigger|longer|older|higher|greater) than (?=\d)", "more than "),
    _idiom("am pm m", r"(?<![:.\d])\b(1[0-2]|[1-9]) ?([ap])\.?m\b\.?", _on_the_clock),
    _idiom("fewer less", r"\b(\d[\d.,]* (?:\w+ ){1,3})or (?:fewer|less)\b", r"at most \1"),
    _idiom(
        "from",
        r"\b((?:is|are) \w+) from (?=\d)(?![^.;]*\b(?:to|until|till)\b)",
        r"\1 from at least ",
    ),
    _idiom(":", r"^([^:.;,]{3,60}): (?=(?:at (?:most|least) |up to )?\d)", r"\1 is "),
    # What switches are set to, and the rest.
    _idiom(":", r":\s*on\b(?=\s*(?:$|[,.;(]))", " is enabled"),
    _idiom(":", r":\s*off\b(?=\s*(?:$|[,.;(]))", " is disabled"),
    _idiom(
        "off",
        r"\b(is|are|stays?|remains?) off "
        r"(?=across|everywhere|throughout|inside|within|if|and|because)",
        r"\1 disabled ",
    ),
    _idiom(
        "turn turns turned switch switchs switched",
        r"\b(turn|switch)(s|ed)? (it|them) (on|off)\b",
        r"\1\2 \4 \3",
    ),
    _idiom("drop drops", r"\bdrop(s?) (?=(?:below|under)\b)", r"fall\1 "),
    _idiom("thousand", " a thousand ", " 1000 "),
    _idiom("hundred", " a hundred ", " 100 "),
    _idiom("dozen", " a dozen ", " 12 "),
    _idiom("quarter", r"\b(?:a )?quarter of an hour\b", "15 minutes"),
    _idiom("half", r"\bhalf an? (\w+)", r"0.5 \1"),
    _idiom(
        "second minute hour day week month year",
        r"\b(for|after|within|than|of|every|least|most|to) an? "
        r"(second|minute|hour|day|week|month|year)\b",
        r"\1 1 \2",
    ),
    _idiom(
        "stay stays remain remains left kept",
        r"\b(?:stays?|remains?|is left|are left|is kept|are kept)\s+"
        r"(?:as (?:it is|they are|is)|alone|unchanged|untouched|the same)\b",
        "are not changed",
    ),
    _idiom(
        "permission permissions right rights privilege privileges",
        r"\b(?:lacks?|(?:has|have) no) (?:the )?(?:permissions?|rights?|privileges?) to\b",
        "may not",
    ),
    _idiom(
        "leave leaves keep keeps",
        r"\b(leave|keep)(s?) ([^,.;:]{2,40}?) (on|off)(?= in\b|\s*(?:[.,;:]|$))",
        r"leave\2 \4 \3",
    ),
    _idiom(
        "why hence therefore consequently thus",
        r",?\s*\b(?:which is why|that is why|that's why|hence|therefore|consequently|thus)\s",
        "; ",
    ),
    _idiom("otherwise else", r"[,;]\s*(?:otherwise|or else)\b[^.;]*", ""),
    # What comes of not doing it is no claim of its own: "…, or CI rejects it".
    _idiom(
        "or",
        r", or (?:the |your |it |you |they |we )?(?:\w+ ){0,3}?(?:will|gets?|fails?|rejects?"
        r"|breaks?|refuses?|blocks?|ends? up|loses?)\b[^.;]*",
        "",
    ),
    _idiom(
        "even too",
        r",? not even [^,.;]*|, (?:in|on|for|at|during) (?:\w+ ){1,3}too\b",
        " at all times",
    ),
)
_HINT = re.compile(r"[a-z]+|\d|[^\w\s]")


def put_plainly(sentence: str) -> str:
    """The sentence with the turns of phrase that are read word by word put plainly."""
    plain = _in_full(sentence)
    said = set(_HINT.findall(plain.lower()))
    for hints, pattern, put in _IDIOMS:
        if said.isdisjoint(hints):
            continue
        turned = pattern.sub(put, plain)
        if turned != plain:
            plain = turned
            said = set(_HINT.findall(plain.lower()))
    return plain


def _in_full(sentence: str) -> str:
    """The sentence without the short forms of "not"."""
    plain = _SHORT_NOT.sub(" not", sentence.replace("an't", "annot").replace("on't", "o not"))
    return plain.replace("wo not", "will not").replace("Wo not", "Will not")


_SHORT_NOT = re.compile(r"n['\u2019]t\b")
