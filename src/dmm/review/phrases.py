"""Phrases that try to steer, endanger or command, as named patterns."""

from __future__ import annotations

import re

from dmm.reading import read_sections
from dmm.text.lexicon import VERBS

_SECTIONS = read_sections("phrases.txt")
_PARTS = dict(row.split(": ", 1) for row in _SECTIONS["parts"])


def _patterns(section: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Read what the phrases of a section want, each with its forms, which are indented."""
    found: list[tuple[str, list[str]]] = []
    for line in _SECTIONS[section]:
        if line.startswith("  "):
            form = re.sub(r"%([A-Z]+)%", lambda part: _PARTS[part[1]], line[2:])
            found[-1][1].append(form)
        else:
            found.append((line, []))
    return tuple((what, re.compile("|".join(forms), re.M)) for what, forms in found)


MANIPULATIONS = _patterns("manipulations")
DANGERS = _patterns("dangers")
# Not enough to object to, but somebody should look at it.
HINTS = _patterns("hints")

_VERBS = (
    "always|never|use|run|install|add|set|make sure|ensure|remember to|only|prefer|avoid|execute|"
    "enable|disable|push|send|create|delete|remove|download|open|call|write|store|keep|put|check|"
    "configure|update|follow|accept|allow|grant|copy|start|stop|restart|skip|apply|pin|do not|"
    "don't|please|switch|replace|append|upload|export|commit|merge|deploy|give|take"
)
_PEOPLE = r"(?:you|we|agents?|assistants?|developers?|everyone|everybody|engineers?|users?|all \w+)"

RULES = (
    re.compile(rf"^(?:(?:{_VERBS}) \S|(?:rule|policy|constraint|important|note|warning) ?: \w)"),
    re.compile(
        r"^(?:from|in|for|before|after|when|whenever|if|on|at)\b[^,]{0,80}, (?:always|never|do not"
        rf"|don't|(?:{_VERBS}) \S)"
    ),
    re.compile(
        rf"\b(?:{_PEOPLE}) (?:must|should|shall|have to|has to|need to|needs to|ought to|may not"
        r"|are required to|are not allowed to|can not|cannot)\b"
    ),
    re.compile(r"\b(?:must|shall|ought to|is to|are to|no need to)(?: not| never| always)? \w"),
    re.compile(
        r"^(?:(?:kindly|now|then|first|next|also|just|finally|simply|dear \w+),? )?"
        rf"(?:{'|'.join(sorted(VERBS))}) (?:the|a|an|this|that|these|those|it|them|all|any|every"
        r"|each|your|our|my|its|no|yes|only|to|into|everything|[^\w ]|\w+(?:[./_:=-]\w|\())"
    ),
    re.compile(
        r"\b(?:is|are)(?: strictly| absolutely)? (?:not (?:allowed|permitted|required|needed)|"
        r"forbidden|prohibited|mandatory|obligatory|required)\b"
    ),
    re.compile(r"\b(?:should|has to|have to|needs? to) \w"),
    # A report has no reader to speak to, and nobody's leave to give.
    re.compile(r"\b(?:you|your|yourself)\b|\b(?:pre-?)?(?:approved|authori[sz]ed) (?:by|for|to)\b"),
    re.compile(r"\b(?:priority|precedence) over\b|\b(?:kindly|please)\b|\bremember\b"),
)
