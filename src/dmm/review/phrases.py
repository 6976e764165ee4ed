"""Phrases that try to steer, endanger or command, as named patterns.

They take long to compile, and a note of the user's own is searched for none: so each is compiled
when it is first asked for.
"""

from __future__ import annotations

import re
from functools import cache

from dmm.reading import read_sections
from dmm.text.lexicon import VERBS

Named = tuple[tuple[str, re.Pattern[str]], ...]

_VERBS = (
    "always|never|use|run|install|add|set|make sure|ensure|remember to|only|prefer|avoid|execute|"
    "enable|disable|push|send|create|delete|remove|download|open|call|write|store|keep|put|check|"
    "configure|update|follow|accept|allow|grant|copy|start|stop|restart|skip|apply|pin|do not|"
    "don't|please|switch|replace|append|upload|export|commit|merge|deploy|give|take"
)
_PEOPLE = r"(?:you|we|agents?|assistants?|developers?|everyone|everybody|engineers?|users?|all \w+)"

_RULES = (
    rf"^(?:(?:{_VERBS}) \S|(?:rule|policy|constraint|important|note|warning) ?: \w)",
    (
        r"^(?:from|in|for|before|after|when|whenever|if|on|at)\b[^,]{0,80}, (?:always|never|do not"
        rf"|don't|(?:{_VERBS}) \S)"
    ),
    (
        rf"\b(?:{_PEOPLE}) (?:must|should|shall|have to|has to|need to|needs to|ought to|may not"
        r"|are required to|are not allowed to|can not|cannot)\b"
    ),
    r"\b(?:must|shall|ought to|is to|are to|no need to)(?: not| never| always)? \w",
    (
        r"^(?:(?:kindly|now|then|first|next|also|just|finally|simply|dear \w+),? )?"
        rf"(?:{'|'.join(sorted(VERBS))}) (?:the|a|an|this|that|these|those|it|them|all|any|every"
        r"|each|your|our|my|its|no|yes|only|to|into|everything|[^\w ]|\w+(?:[./_:=-]\w|\())"
    ),
    (
        r"\b(?:is|are)(?: strictly| absolutely)? (?:not (?:allowed|permitted|required|needed)|"
        r"forbidden|prohibited|mandatory|obligatory|required)\b"
    ),
    r"\b(?:should|has to|have to|needs? to) \w",
    # A report has no reader to speak to, and nobody's leave to give.
    r"\b(?:you|your|yourself)\b|\b(?:pre-?)?(?:approved|authori[sz]ed) (?:by|for|to)\b",
    r"\b(?:priority|precedence) over\b|\b(?:kindly|please)\b|\bremember\b",
)


def manipulations() -> Named:
    """Return what is aimed at the agent or at the reviewer."""
    return _read("manipulations")


def dangers() -> Named:
    """Return commands that run what nobody has read."""
    return _read("dangers")


def hints() -> Named:
    """Return what is not enough to object to, but somebody should look at it."""
    return _read("hints")


@cache
def rules() -> tuple[re.Pattern[str], ...]:
    """Return how sentences begin, or go on, that tell what everybody has to do."""
    return tuple(map(re.compile, _RULES))


@cache
def _read(section: str) -> Named:
    """Read what the phrases of a section want, each with its forms, which are indented."""
    sections = read_sections("phrases.txt")
    parts = dict(row.split(": ", 1) for row in sections["parts"])
    found: list[tuple[str, list[str]]] = []
    for line in sections[section]:
        if line.startswith("  "):
            form = re.sub(r"%([A-Z]+)%", lambda part: parts[part[1]], line[2:])
            found[-1][1].append(form)
        else:
            found.append((line, []))
    return tuple((what, re.compile("|".join(forms), re.M)) for what, forms in found)
