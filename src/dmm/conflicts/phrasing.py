"""Turns of phrase put plainly, so that a sentence can be read word by word."""

from __future__ import annotations

import re

_SHORT_NOT = re.compile(r"n['\u2019]t\b")
_NO_ONE = re.compile(r"\bno[ -]one\b", re.IGNORECASE)
_NO_LONGER = re.compile(r"\bno longer\b(?! than)", re.IGNORECASE)
_THUS = re.compile(
    r",?\s*(?:which is why|that is why|that's why|hence|therefore|consequently|thus)\s",
    re.IGNORECASE,
)
_OTHERWISE = re.compile(r"[,;]\s*(?:otherwise|or else)\b[^.;]*", re.IGNORECASE)
# What comes of not doing it is no claim of its own: "…, or CI rejects it".
_OR_FAILS = re.compile(
    r", or (?:the |your |it |you |they |we )?(?:\w+ ){0,3}?(?:will|gets?|fails?|rejects?|breaks?"
    r"|refuses?|blocks?|ends? up|loses?)\b[^.;]*",
    re.IGNORECASE,
)
# Whether a rule has exceptions is no matter of its own: "…, with no exceptions".
_NO_EXCEPTION = re.compile(
    r",?\s*\b(?:(?:and )?(?:there are|there is|we make|we allow)\s+)?"
    r"(?:without (?:any )?exceptions?|with no exceptions?|no exceptions?)\b"
    r"(?! (?:is|are|may|can|handl|types?|class))(?: for \w+)?,?",
    re.IGNORECASE,
)
_AS_IT_IS = re.compile(
    r"\b(?:stays?|remains?|is left|are left|is kept|are kept)\s+"
    r"(?:as (?:it is|they are|is)|alone|unchanged|untouched|the same)\b",
    re.IGNORECASE,
)
_LEAVE_ALONE = re.compile(
    r"\bleave ([^,.;:]{2,40}?) (?:alone|untouched|unchanged|as (?:it is|they are|is))\b",
    re.IGNORECASE,
)
_LEAVE_OUT = re.compile(
    r"\b(?:leave(s?) ([^,.;:]{2,40}?) out|leave(s?) out|(is|are|be) left out)\b(?! of)",
    re.IGNORECASE,
)
_LACKS_LEAVE = re.compile(
    r"\b(?:lacks?|(?:has|have) no) (?:the )?(?:permissions?|rights?|privileges?) to\b",
    re.IGNORECASE,
)
_LEAVE_ON = re.compile(
    r"\b(leave|keep)(s?) ([^,.;:]{2,40}?) (on|off)(?= in\b|\s*(?:[.,;:]|$))", re.IGNORECASE
)
_NOBODY_BUT = re.compile(
    r"\b(?:nobody|nothing|none) (?:except|but|other than|apart from) ((?:\w+ ){1,4}?)"
    r"(can|may|is|are|has|have|gets?|goes|must|should)\b",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"\bbetween ([^,.;\d]{1,40}?) and ", re.IGNORECASE)
_FIRST_WHICH = re.compile(r"^(?:which|what) ", re.IGNORECASE)
_WHICH = re.compile(r"(?<![,;]) which ", re.IGNORECASE)
_ROUND = ((" a thousand ", " 1000 "), (" a hundred ", " 100 "), (" a dozen ", " 12 "))
_HALF = re.compile(r"\bhalf an? (\w+)", re.IGNORECASE)
_QUARTER = re.compile(r"\b(?:a )?quarter of an hour\b", re.IGNORECASE)
_ONE = re.compile(
    r"\b(for|after|within|than|of|every|least|most|to) an? "
    r"(second|minute|hour|day|week|month|year)\b",
    re.IGNORECASE,
)
_SWITCHES = (
    (re.compile(r":\s*on\b(?=\s*(?:$|[,.;(]))", re.IGNORECASE), " is enabled"),
    (re.compile(r":\s*off\b(?=\s*(?:$|[,.;(]))", re.IGNORECASE), " is disabled"),
)
_OFF = re.compile(
    r"\b(is|are|stays?|remains?) off "
    r"(?=across|everywhere|throughout|inside|within|if|and|because)",
    re.IGNORECASE,
)
_TURN_THEM = re.compile(r"\b(turn|switch)(s|ed)? (it|them) (on|off)\b", re.IGNORECASE)
_DROP_BELOW = re.compile(r"\bdrop(s?) (?=(?:below|under)\b)", re.IGNORECASE)
_HEX = re.compile(r"\b0x([0-9a-f]{1,12})\b", re.IGNORECASE)
_HOUR = re.compile(r"(?<![:.\d])\b(1[0-2]|[1-9]) ?([ap])\.?m\b\.?", re.IGNORECASE)
_OR_FEWER = re.compile(r"\b(\d[\d.,]* (?:\w+ ){1,3})or (?:fewer|less)\b", re.IGNORECASE)
_FREE_FROM = re.compile(
    r"\b((?:is|are) \w+) from (?=\d)(?![^.;]*\b(?:to|until|till)\b)", re.IGNORECASE
)
_MORE_THAN = re.compile(
    r"\b(?:larger|bigger|longer|older|higher|greater) than (?=\d)", re.IGNORECASE
)
_PARTS = re.compile(
    r"\b(two|three|four|nine) (thirds|quarters|fourths|fifths|tenths)\b", re.IGNORECASE
)
_WORTH = {"two": 200, "three": 300, "four": 400, "nine": 900}
_OF = {"thirds": 3, "quarters": 4, "fourths": 4, "fifths": 5, "tenths": 10}
_FIGURE_AFTER = re.compile(r"^([^:.;,]{3,60}): (?=(?:at (?:most|least) |up to )?\d)")
_NO_OTHERS = re.compile(
    r"(?:, (?:and |but )?| and )(?:no others?|(?:nobody|nowhere|nothing) else)\b"
    r"|(?<=\w) alone(?=\s*(?:[.;,]|$))",
    re.IGNORECASE,
)
# "There is no endpoint that does not check": every one of them does.
_NONE_THAT_NOT = re.compile(
    r"\b(?:there (?:is|are) |we have )?no ([^.;,]{2,40}?) (?:that|who) (?:does|do|is|are) not ",
    re.IGNORECASE,
)
_PREFIXED = re.compile(r"\b(un|non|anti|counter)-(?=[a-z]{4})", re.IGNORECASE)
# "It fails unless X is set" asks for X, just as "set X, otherwise it fails" does.
_FAILS_UNLESS = re.compile(
    r"(?<!not )(?<!never )\b(?:will )?(?:fails?|breaks?|(?<!s )crashes|hangs?|aborts?|stalls?"
    r"|times? out)\b([^,.;]{0,60}?),? unless\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\b(carry on|carries on|continues?|go on|goes on|keeps? going) "
    r"(?:past|beyond|after (?=the first|an? ))\s*(?!\d)",
    re.IGNORECASE,
)
_NEVER_LEAVES = re.compile(
    r"\b(?:((?:must|may|can|should|shall) )(?:not|never) leave|(?:never|does not|do not) leaves?) "
    r"(?=(?:the |our )?\w+(?: \w+)?\s*(?:[.,;]|$))",
    re.IGNORECASE,
)
_KEPT_FREE = re.compile(r"\b(?:keep|leave) ([^,.;:]{2,40}?) free of (?!charge)", re.IGNORECASE)
_IS_FREE = re.compile(
    r"\b(?:(be|stay|remain)|is|are|stays|remains) free of (?!charge)", re.IGNORECASE
)
_KEPT_OUTSIDE = re.compile(
    r"\b(?:keep|leave|hold) ([^,.;:]{2,40}?) (?:outside(?: of)?|away from|clear of"
    r"|off(?= (?:the|our|this|that)\b))",
    re.IGNORECASE,
)
_NOT_DONE = re.compile(
    r"\b(?:that|who) (?:(?:is|are|was|were|has been|have been) not|(?:has|have) not been) "
    r"(?=(?:[a-z]{2,}(?:ed|en|wn)|paid|sent|sold|read|built|met|done|kept)\b)",
    re.IGNORECASE,
)
_SUPPORT_ENDED = re.compile(
    r"\bsupport (?:for|of) ([^;,]{2,40}?) (?:has |was |is )?(?:ended|ends|ceased|dropped|over)\b",
    re.IGNORECASE,
)
_VERDICTS = (
    (
        re.compile(
            r"\bit(?:'s| is) (?:fine|ok|okay|all right|acceptable) for ([^,.;]{2,40}?) to\b",
            re.IGNORECASE,
        ),
        r"\1 may",
    ),
    (
        re.compile(r"\bit(?:'s| is) (?:fine|ok|okay|all right|acceptable) to\b", re.IGNORECASE),
        "you may",
    ),
    (re.compile(r"\bthere(?: is|'s) nothing wrong with\b", re.IGNORECASE), "you may have"),
    (re.compile(r"\bthere(?: is|'s) no (?:excuse|reason) for\b", re.IGNORECASE), "never have"),
    (
        re.compile(r"(\b(?:is|are)|:) (?:fine|ok|okay|all right)\b(?! grained)", re.IGNORECASE),
        r" is allowed",
    ),
)
_LIVES = re.compile(r"\b(live|sit|reside)(s?) (?=(?:in|on|under|inside|at)\b)", re.IGNORECASE)
_INCLUDED = re.compile(r", [^,.;]{2,30} included,|, including [^.;]*", re.IGNORECASE)
_NOT_EVEN = re.compile(
    r",? not even [^,.;]*|, (?:in|on|for|at|during) (?:\w+ ){1,3}too\b", re.IGNORECASE
)


def put_plainly(sentence: str) -> str:
    """The sentence with the turns of phrase that are read word by word put plainly."""
    plain = _SHORT_NOT.sub(" not", sentence.replace("an't", "annot").replace("on't", "o not"))
    plain = plain.replace("wo not", "will not").replace("Wo not", "Will not")
    plain = _NO_LONGER.sub("not now", _NO_ONE.sub("nobody", plain))
    plain = _WHICH.sub(" that ", _FIRST_WHICH.sub("The ", plain))
    plain = _BETWEEN.sub(r"between \1 plus ", _NOBODY_BUT.sub(r"only \1 \2", plain))
    plain = _LIVES.sub(lambda m: "is stored " if m.group(2) else "are stored ", plain)
    plain = _INCLUDED.sub("", _NO_EXCEPTION.sub("", plain))
    plain = _PREFIXED.sub(r"\1", _NONE_THAT_NOT.sub(r"all \1 ", plain))
    plain = _NOT_DONE.sub("un", _SUPPORT_ENDED.sub(r"\1 is not supported", plain))
    for verdict, stance in _VERDICTS:
        plain = verdict.sub(stance, plain)
    plain = _LEAVE_ALONE.sub(r"do not change \1", plain)
    plain = _FAILS_UNLESS.sub(r"needs\1 that", plain) if "unless" in plain else plain
    if " leave" in plain:
        plain = _NEVER_LEAVES.sub(lambda m: f"{'must ' if m.group(1) else ''}stay inside ", plain)
    if " free " in plain:
        plain = _KEPT_FREE.sub(r"\1 must not contain ", plain)
        plain = _IS_FREE.sub(lambda m: f"{'' if m.group(1) else 'does '}not contain ", plain)
    plain = _GOES_ON.sub(_go_on, _KEPT_OUTSIDE.sub(r"do not keep \1 inside", plain))
    plain = _LEAVE_OUT.sub(_omit, plain) if " out" in plain else plain
    plain = _put_figures(_NO_OTHERS.sub(" only", plain))
    for switch, state in _SWITCHES:
        plain = switch.sub(state, plain)
    plain = _OFF.sub(r"\1 disabled ", plain) if " off " in plain else plain
    plain = _DROP_BELOW.sub(r"fall\1 ", _TURN_THEM.sub(r"\1\2 \4 \3", plain))
    for word, figure in _ROUND:
        plain = plain.replace(word, figure)
    plain = _ONE.sub(r"\1 1 \2", _HALF.sub(r"0.5 \1", _QUARTER.sub("15 minutes", plain)))
    plain = _AS_IT_IS.sub("are not changed", plain)
    plain = _LEAVE_ON.sub(r"leave\2 \4 \3", _LACKS_LEAVE.sub("may not", plain))
    plain = _OTHERWISE.sub("", _THUS.sub("; ", plain))
    return _NOT_EVEN.sub(" at all times", _OR_FAILS.sub("", plain))


def _go_on(match: re.Match[str]) -> str:
    single = match.group(1).lower().partition(" ")[0].endswith("s")
    return "does not stop at " if single else "do not stop at "


def _omit(match: re.Match[str]) -> str:
    one, thing, other, being = match.groups(default="")
    return f"{being} omitted" if being else f"omit{one or other} {thing}"


def _put_figures(sentence: str) -> str:
    """ "0x10", "3 pm", "5 items or fewer", "Limit: 20 MB" in the form in which amounts are read."""
    plain = _HEX.sub(lambda match: str(int(match.group(1), 16)), sentence)
    plain = _PARTS.sub(_in_percent, plain)
    plain = _HOUR.sub(_on_the_clock, _MORE_THAN.sub("more than ", plain))
    plain = _FREE_FROM.sub(r"\1 from at least ", _OR_FEWER.sub(r"at most \1", plain))
    return _FIGURE_AFTER.sub(r"\1 is ", plain)


def _on_the_clock(match: re.Match[str]) -> str:
    hour = int(match.group(1)) % 12 + (12 if match.group(2).lower() == "p" else 0)
    return f"{hour}:00"


def _in_percent(match: re.Match[str]) -> str:
    many, part = (word.lower() for word in match.groups())
    return f"{_WORTH[many] / _OF[part]:.4g} %"
