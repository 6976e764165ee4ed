"""What a text says that it replaces, what it tells is gone, and whether it is itself history."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from dmm.conflicts.families import is_choice
from dmm.conflicts.sentences import headings_and_sentences
from dmm.conflicts.telling import tells
from dmm.conflicts.vocabulary import GENERIC
from dmm.conflicts.words import words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

_REPLACES = re.compile(
    r"\b(?:replac(?:es|ed|ing)|supersed(?:es|ed|ing)|overrides|overrid(?:den|ing)"
    r"|takes? the place of"
    r"|obsoletes|succeeds|instead of the (?:old|former|earlier|previous))\b(?P<old>[^.;]*)",
    re.IGNORECASE,
)


_PASSIVE = re.compile(
    r"(?P<old>[^.;]*?)\b(?:is|was|were|are|has been|have been|got)\s+(?:\w+ly\s+)?"
    r"(?:replaced|superseded|retired|dropped|removed|abandoned|phased out)\b",
    re.IGNORECASE,
)


_HINT = re.compile(
    r"replac|supersed|overrid|place of|obsolet|succeed|instead of the|retired|dropped|removed"
    r"|abandoned|phased",
    re.IGNORECASE,
)
_EARLIER = re.compile(
    r"\b(?:old|former|earlier|previous|prior|last)\s+(?:\w+\s)?"
    r"(?:rule|limit|value|policy|decision|note|convention|guideline|guidance|setting|memory|adr"
    r"|practice|approach|version|setup|instructions?|advice|default|timeout|process|one)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A thing that a text tells of: its telling words, the names among them, and its figures."""

    words: frozenset[str]
    names: frozenset[str]
    figures: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Traces:
    """What a text tells of change.

    `history`: it is itself marked as past; `replaces`: what it says that it takes the place of;
    `earlier`: it sets aside an earlier note or rule as such; `gone`: what it tells is no more.
    """

    history: bool
    earlier: bool
    replaces: tuple[Phrase, ...]
    gone: tuple[Phrase, ...]


NO_TRACES = Traces(history=False, earlier=False, replaces=(), gone=())
_RULE = (
    r"(?:rules?|notes?|polic(?:y|ies)|decisions?|conventions?|guidelines?|guidance|memor(?:y|ies)"
    r"|adrs?|advice|instructions?|procedures?|practices?|recipes?|docs?|entr(?:y|ies)|pages?)"
)
_SETTING = r"(?:limits?|values?|defaults?|settings?|timeouts?|thresholds?|caps?|budgets?|quotas?)"
_OLDER = r"(?:old|older|former|earlier|previous|prior|any|every|all|the|that|other|past|existing)"
_VOID = (
    r"(?:(?:no longer|not|doesn't|don't|never) (?:appl(?:y|ies)|holds?|valid|in force|true|counts?)"
    r"|obsolete|void|outdated|out of date|out-of-date|history|historical|superseded|stale|withdrawn"
    r"|null and void|dead|moot|wrong now|replaced|retired)"
)
_NEAR = r"(?:[^.;]|\.(?=\w))"
_SETS_ASIDE = re.compile(
    rf"\b(?:replac(?:es|ing)|supersed(?:es|ing)|overrid(?:es|ing)|obsoletes|revokes|cancels"
    rf"|withdraws|takes? the place of|disregard|ignore)\b{_NEAR}{{0,60}}?"
    rf"\b(?:{_OLDER}|adr[- ]?\d*)\b{_NEAR}{{0,60}}?\b{_RULE}\b"
    rf"|\b{_OLDER}\b{_NEAR}{{0,40}}?\b{_RULE}\b{_NEAR}{{0,60}}?"
    rf"\b(?:is|are|was|were|now|no longer)\b{_NEAR}{{0,20}}?\b{_VOID}"
    rf"|\b{_OLDER}\b{_NEAR}{{0,40}}?\b{_RULE}\b{_NEAR}{{0,60}}?\bno longer (?:appl|hold|count)"
    rf"|\b(?:old|former|earlier|previous|prior)\b (?:\S+ ){{0,2}}?{_SETTING}\b{_NEAR}{{0,40}}?"
    r"\b(?:is|are|was|were|has been|have been|no longer)\b (?:\w+ )?"
    r"(?:dropped|lifted|gone|withdrawn|void|obsolete|retired|appl)",
    re.IGNORECASE,
)
_TAKES_PLACE = re.compile(
    r"(?:^|[.;:(]\s*|\bthis (?:\w+ )?|\bit |\bwhich |\band )"
    r"(?:replaces|supersedes|overrides|obsoletes|takes the place of):?\s+",
    re.IGNORECASE,
)
_DECISION = re.compile(r"\b(?:adr|rfc|decision|rule|note)[- #]*(\d{1,4})\b", re.IGNORECASE)


_MARKED_TITLE = re.compile(
    r"^\W*(?:old|obsolete|histor(?:y|ic|ical)|outdated|retired|superseded|deprecated|archived?"
    r"|legacy note|former|past)\b(?=\s*[\]):,.-]|\s+(?:note|rule|decision|wiki|build|recipe|setup"
    r"|approach|way|date|user|layout|library|format|policy|process)\b)"
    r"|[(\[]\s*(?:\w+[, ]+)?(?:old|obsolete|histor(?:y|ic|ical)|outdated|retired|superseded"
    r"|deprecated|archived|no longer used|replaced)\b[^)\]]*[)\]]"
    r"|^\W*why we (?:left|dropped|moved (?:off|away)|abandoned|gave up|stopped|no longer)\b"
    r"|\boutdated since\b|^\W*how .{0,60}\b(?:was|were)\b.{0,40}\b(?:before|until|up to)\b",
    re.IGNORECASE,
)
_MARKED_TEXT = re.compile(
    r"^\W*(?:status: ?)?(?:obsolete|histor(?:y|ic|ical)|outdated|superseded|deprecated|retired"
    r"|archived|old (?:rule|note|recipe|decision|policy|convention|setup))\b"
    r"(?=\s*[:.,;(\u2014-]|\s+(?:note|by|since|in|with)\b)"
    r"|^\W*replaced by\b|\(replaced[:;,]? "
    r"|\b(?:kept|noted|left|here|listed|remains|stays)\b[^.;]{0,30}\b"
    r"(?:for|as|on) (?:the )?(?:history|reference|record|background|context"
    r"|reading (?:of )?(?:\w+ )?(?:old|crash|past))"
    r"|\b(?:kept|noted) (?:here )?(?:only )?(?:for reading|so that old)\b"
    r"|\bno longer in (?:force|effect)\b",
    re.IGNORECASE,
)
# A span that ended, told in the past tense: "until v3 the site talked to", "before 2022 we used".
_ENDED = re.compile(
    r"(?:^|[:;,.]\s*|\b)(?:until|till|through|up to|up until|before|prior to)\s+(?:the )?"
    r"(?:v?\d|version|release|(?:\w+ )?(?:rewrite|migration|move|switch|redesign|cutover)"
    r"|we (?:moved|switched|left|went)|early|late|mid|spring|summer|autumn|last|january|february"
    r"|march|april|may|june|july|august|september|october|november|december)",
    re.IGNORECASE,
)
_WAS = re.compile(
    r"\b(?:was|were|had|used|ran|kept|went|lived|did|came|took|made|built|sent|stood|held|wrote"
    r"|spoke|had been)\b"
    r"|(?<!is )(?<!are )(?<!be )(?<!been )(?<!being )(?<!not )(?<!get )(?<!gets )"
    r"\b[a-z]{3,}ed (?=(?:the|an?|its|our|their|to|in|on|with|from|at|through|over|for"
    r"|via|as)\b)"
    r"|\b(?!all |the |every |for |of |an? |any |no |and |or |is |are |be |been |not |gets? )\w+ "
    r"[a-z]{3,}ed (?=(?:\w+ ){1,3}until\b)",
    re.IGNORECASE,
)
_NOWADAYS = re.compile(
    r"\b(?:now|today|nowadays|currently|since then|from then on|must|should|always|never)\b",
    re.IGNORECASE,
)
_USED_TO = re.compile(r"\bused to (?:be|live|run|sit|go|use|have|store|keep|send|write)\b", re.I)


_ENDINGS = (
    r"(?:shut (?:down|off)|switched off|turned off|taken (?:out|down|away|offline)|removed|deleted"
    r"|dropped|retired|decommissioned|replaced|superseded|phased out|abandoned|uninstalled"
    r"|unpublished|revoked|discontinued|swapped(?: out)?|ditched|scrapped|sunset|folded into"
    r"|merged into|renamed|thrown out|torn down|killed|wound down|closed|cancelled|disbanded"
    r"|ripped out|left behind)"
)
_GONE_BEFORE = re.compile(
    rf"\b(?:(?:was|were|has been|have been|had been|got|has|have) (?:\w+ly |now |all |since )?"
    rf"{_ENDINGS}"
    rf"|(?:is|are) (?:now |all |long |finally )?(?:gone|dead|history|retired|decommissioned"
    rf"|shut down|switched off|uninstalled|unpublished|revoked|discontinued|unmaintained|defunct"
    rf"|no more)"
    rf"|(?:is|are) no longer\b|no longer (?:exists?|runs?|resolves?|works?|appl\w+|used|in use)"
    rf"|(?:has|have) (?:now )?(?:ended|lapsed|gone|died|ceased)|went away|is a thing of the past"
    rf"|(?:has |have )?left (?:the|our) (?:company|firm|team|project|organi[sz]ation))"
    rf"(?! (?:to|for) (?:the )?(?:public|users|review))",
    re.IGNORECASE,
)
_GONE_AFTER = re.compile(
    r"\b(?:(?:we|they|team|i|\w+)(?:'ve| have| has)? (?:finally |since |now |fully )?"
    r"(?:left(?=\s+(?-i:[A-Z`]))|abandoned|ditched|scrapped|retired|closed|cancelled"
    r"|decommissioned|gave up on|got rid of|done with|stopped (?:using|running|with)"
    r"|said goodbye to|shut down|switched off|uninstalled|parted with"
    r"|moved (?:off|away from|on from)|let(?= (?:\w+ ){1,5}lapse))"
    r"|(?:moved|migrated|switched|went|came|converted|ported) (?:\w+ |everything |all of it )?"
    r"(?:off|away from|from|over from)|took over from"
    r"|(?:\bwe|they|has|have|'ve|\bit|\d|(?-i:[A-Z]\w+)) (?:now |since )?"
    r"(?:dropped|replaced|removed|deleted|superseded|(?:ripped|took|threw|phased) out"
    r"|(?:tore|took|wound) down|killed|killed off|axed)|no longer)\s+",
    re.IGNORECASE,
)
_TITLE_END = re.compile(rf"\b(?:is |was )?(?:{_ENDINGS}|gone|dead)$", re.IGNORECASE)
_ANYMORE = re.compile(r"\bany ?more\b", re.IGNORECASE)
_TRACE_HINT = re.compile(
    r"left|gone|dead|longer|any ?more|off\b|away|from|let\b|rid of|gave up|done with|goodbye"
    r"|took over|shut|switched|turned|taken|remov|delet|drop|retire|decomm|replac|supersed|phased"
    r"|abandon|uninstall|unpublish|revoke|discontin|swapp|ditch|scrap|sunset|folded|merged into"
    r"|renam|torn|thrown|killed|wound down|closed|cancel|disband|ripped|ended|lapsed|history"
    r"|defunct|ceased|stopped|parted|void|obsolet|outdated|overrid|place of|disregard|ignore"
    r"|moot|stale|apply|applies|revokes|withdraw",
    re.IGNORECASE,
)
_BREAK_BEFORE = re.compile(
    r"\.(?!\w)|[;:,()\u2014\u2013]|\b(?:because|since|but|that|which|when|so)\b", re.I
)
_BREAK_AFTER = re.compile(
    r"\.(?!\w)|[;:,()\u2014\u2013]|\b(?:because|since|but|which|when|so|by|to"
    r"|in (?:the )?(?:january|february|march|april|may|june|july|august|september|october"
    r"|november|december|spring|summer|autumn|winter|q\d|20\d\d|v?\d|release|version)"
    r"|after|last|with the|as)\b",
    re.IGNORECASE,
)
_REACH = 70


@lru_cache(maxsize=2048)
def traces_of(title: str, body: str) -> Traces:
    """What a memory tells of change."""
    _, sentences = headings_and_sentences(body[:_LONGEST])
    sentences = sentences[:_MOST]
    history = _is_history(title, sentences)
    told = [s for s in sentences if _TRACE_HINT.search(s)]
    heading = _headline(title)
    if not history and not told and not heading:
        return NO_TRACES
    held = [_phrase(s) for s in sentences if s not in told]
    kept = {c for phrase in held for c in phrase.words | phrase.names}
    gone = [p for s in told for p in _gone(s) if p.words and not (p.names or p.words) <= kept]
    return Traces(
        history=history,
        earlier=any(_SETS_ASIDE.search(s) for s in told),
        replaces=tuple(p for s in told for p in _replaces(s)),
        gone=(*heading, *gone),
    )


_LONGEST, _MOST = 4_000, 12


def _is_history(title: str, sentences: Sequence[str]) -> bool:
    if _MARKED_TITLE.search(title):
        return True
    if not sentences:
        return False
    if any(_MARKED_TEXT.search(s) for s in sentences[:3]):
        return True
    first = sentences[0]
    if not (_USED_TO.search(first) or (_ENDED.search(first) and _WAS.search(first))):
        return False
    return not any(_NOWADAYS.search(s) for s in sentences)


def _headline(title: str) -> list[Phrase]:
    """ "Rollbar replaced", "Jenkins is dead": what a title tells is gone."""
    match = _TITLE_END.search(title.strip())
    found = _phrase(title[: match.start()]) if match else None
    return [found] if found and found.words else []


def _gone(sentence: str) -> list[Phrase]:
    places = [match.start() for match in _GONE_BEFORE.finditer(sentence)]
    places += [match.start() for match in _ANYMORE.finditer(sentence)]
    told = [_before(sentence, place) for place in places]
    found = [_phrase(part) for text in told for part in {text, text.rpartition(" and ")[2]}]
    found += [_phrase(_after(sentence, m.end())) for m in _GONE_AFTER.finditer(sentence)]
    return found


def _replaces(sentence: str) -> list[Phrase]:
    return [_phrase(_after(sentence, match.end())) for match in _TAKES_PLACE.finditer(sentence)]


def _before(sentence: str, end: int) -> str:
    """The words before a place, as far back as the clause goes."""
    near = sentence[max(0, end - _REACH) : end]
    pieces = [piece for piece in _BREAK_BEFORE.split(near) if piece.strip()]
    return pieces[-1] if pieces else ""


def _after(sentence: str, start: int) -> str:
    """The words after a place, as far as the phrase goes."""
    near = sentence[start : start + _REACH]
    cut = _BREAK_AFTER.search(near)
    return near[: cut.start()] if cut else near


_COMPOUND = re.compile(r"\b[a-z]\w*(?:-\w+)+", re.IGNORECASE)


def _phrase(text: str) -> Phrase:
    spoken = words_of("the " + text)
    words = [w for w in spoken if tells(w) and w.concept not in GENERIC]
    names = {w.concept for w in words if w.named or is_choice(w.text)}
    # A name of several words may be written as code on the other side: `ui-icons`.
    names.update(match.group().lower() for match in _COMPOUND.finditer(text))
    figures = (w.text for w in spoken if w.sort == "number")
    return Phrase(frozenset(w.concept for w in words), frozenset(names), frozenset(figures))


def numbered_in(text: str) -> frozenset[str]:
    """The numbers of the decisions and rules that a text names: "ADR-12", "rule 7"."""
    return frozenset(match.group(1).lstrip("0") for match in _DECISION.finditer(text))
