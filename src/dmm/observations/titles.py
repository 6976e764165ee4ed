"""Short, faithful titles for messages and episodes."""

from __future__ import annotations

import posixpath
import re
from itertools import filterfalse
from typing import TYPE_CHECKING

from dmm.observations.facts import decisions_in
from dmm.observations.steps import Act
from dmm.observations.wording import (
    clip_clause,
    count_words,
    exactness,
    is_nod,
    is_question,
    list_names,
    sentences,
    squeeze,
)
from dmm.text.words import english

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from dmm.observations.episodes import Episode

LONGEST_TITLE = 80
_COURTESY = re.compile(
    r"^(?:(?:please|pls|hey|hi|hello|ok|okay|so|now|also|great|thanks|thank you|well|yes|no|then"
    r"|and|next|sure|alright|cool|actually)\b[\s,.!:;-]*"
    r"|(?:can|could|would|will) you\b(?: please)?(?: also)?\s*|i(?:'d| would) like (?:you )?to\s+"
    r"|i (?:want|need) (?:you )?to\s+|let'?s\s+|(?:we|you) (?:should|need to|have to|must)\s+"
    r"|(?:your|the) task is to\s+|help me(?: to)?\s+|go ahead and\s+|try to\s+"
    r"|make sure (?:to|that)\s+)+",
    re.IGNORECASE,
)
# What an agent says before it comes to the matter, or asks back.
_PREAMBLE = re.compile(
    r"^(?:(?:all )?done|perfect|great|ok(?:ay)?|sure|yes|absolutely|certainly|(?:in )?summary"
    r"|finished|here(?:'s| is| are)\b.{0,60}|what i (?:did|changed|found)|changes(?: made)?"
    r"|i(?:'ve| have) (?:now )?(?:completed|finished|made|done)\b.{0,60}|results?|overview"
    r"|everything .{0,40})\s*[.!:-]*$|.*\?$",
    re.IGNORECASE | re.DOTALL,
)
_FIRST_PERSON = re.compile(
    r"^(?:i|we)(?:'ve| have)?(?: now| also)? (?=[a-z]+ed |wrote |made |put )", re.I
)
_OPENING = re.compile(
    r"^(?:(?:all )?done|perfect|great|yes|no|sure|ok(?:ay)?)\s*[.!,:;-]+\s*", re.I
)
# A question that is a request: "could you add …" has lost its courtesy by then.
_WANTS = re.compile(
    r"(?!(?:what|where|which|who|when|why|how|is|are|does|do|did|has|have)\b)", re.I
)
_CONVENTION = re.compile(r"^[a-z]{2,9}(?:\(([\w ./-]{1,40})\))?!?: ")
_SETTLING = re.compile(
    r"^(?:(?:we|i)(?:'ve| have)? (?:decided|agreed)(?: (?:to|that|on))?|decision)\b[\s,:-]*", re.I
)
_POLITE = re.compile(r"^.{0,20}\b(?:can|could|would|will) you\b", re.I)
_POINTING = re.compile(r"\b(?:it|this|that|these|those|them|both|still|again|same)\b", re.I)
# A report that checks pass stands over any work.
_GREEN = re.compile(
    r"^(?:all |the |every |both )*(?:\d+ )?(?:tests?|build|suite|checks?|ci|linters?|types?)\b"
    r".{0,30}\b(?:pass(?:es|ed|ing)?|green|clean|succeed(?:s|ed)?)\b.{0,20}$",
    re.I,
)
# Lines of code or of a log among the words of a prompt.
_PASTED = re.compile(
    r"^\w*(?:Error|Exception)\b: |[;{}]$|^(?:raise|return|import|from|def) |^\W|^\d{4}-"
)
_EMPTY_WORDS = english("empty_title_words")
_PROGRAMS = english("title_programs")
_WORD = re.compile(r"[\w'-]+")
FEWEST_WORDS = 2
FEWEST_OF_SUBJECT = 3
MOST_FOLLOWUP_WORDS = 6


def title_of(episode: Episode) -> str:
    """Return the title of an episode: a commit, else the request, else the outcome or the work."""
    return _finished(next(filter(None, _titles(episode)), ""))


def _titles(episode: Episode) -> Iterator[str]:
    """Find what may stand as the title, the best first."""
    subjects = {run.note for run in episode.commits}
    if len(subjects) == 1:
        yield _subject(subjects.pop())
    asked = _wanted(episode)
    worked = episode.edited and is_question(episode.asked)
    if not worked or _WANTS.match(asked):
        yield _clear(asked)
    outcome = _FIRST_PERSON.sub("", outcome_of(episode.answer))
    yield from (_clear(outcome), _work(episode), asked, outcome)


def _clear(sentence: str) -> str:
    return "" if is_vague(sentence) else sentence


def _unsettled(text: str) -> str:
    """Return a request without what it settles, which is an observation of its own."""
    settled = decisions_in(text)
    rest = (one for one in sentences(text) if one not in settled)
    return "\n".join(rest) if settled else text


def _wanted(episode: Episode) -> str:
    """Find the request; of work that was asked for, a question before it says less."""
    asked = _unsettled(episode.asked)
    told = [one for one in sentences(asked) if not one.endswith("?") or _POLITE.match(one)]
    clear = request_of("\n".join(told)) if episode.edited else ""
    return request_of(asked) if is_vague(clear) else clear


def _subject(note: str) -> str:
    """Return the subject of a commit without its type, unless little would remain."""
    bare = _CONVENTION.sub(_name_scope, note)
    return note if count_words(bare) < FEWEST_OF_SUBJECT else bare


def title_of_text(text: str) -> str:
    """Return the title of a message: its request or first sentence."""
    return _finished(request_of(text) or squeeze(text))


def title_of_decision(sentence: str) -> str:
    """Return the title of what was settled: what holds from now on."""
    return _finished(_SETTLING.sub("", _COURTESY.sub("", sentence)) or sentence)


def request_of(text: str) -> str:
    """Find the sentence of a prompt that says what is wanted, without courtesies."""
    found = filterfalse(is_nod, map(_bare, sentences(text)[:12]))
    return [*leave_out(found, is_vague, _PASTED.search), ""][0]


def leave_out(found: Iterable[str], *doubts: Callable[[str], object]) -> list[str]:
    """Leave out what one doubt after the other speaks against, as long as something remains."""
    left = list(found)
    for doubt in doubts:
        left = list(filterfalse(doubt, left)) or left
    return left


def _bare(sentence: str) -> str:
    """Strip the courtesies of a request; a polite question becomes an order."""
    bare = _COURTESY.sub("", sentence).strip(" .:")
    return bare.rstrip("?") if _POLITE.match(sentence) else bare


def is_followup(text: str) -> bool:
    """Return whether a prompt has no matter of its own and points at what was just done."""
    if count_words(text) > MOST_FOLLOWUP_WORDS or not _POINTING.search(text):
        return False
    return is_vague(request_of(text) or text)


def outcome_of(text: str) -> str:
    """Find the sentence of an answer that tells the outcome, without a preamble."""
    told = filterfalse(is_nod, filterfalse(_PREAMBLE.match, sentences(text)[:8]))
    bare = [_OPENING.sub("", one) for one in leave_out(told, _GREEN.match)]
    return [*leave_out(bare, is_vague), ""][0]


def is_vague(sentence: str) -> bool:
    """Return whether a sentence could stand over anything: "fix it", "it still fails"."""
    words = {word.casefold() for word in _WORD.findall(sentence)}
    return len(words - _EMPTY_WORDS) < FEWEST_WORDS and not exactness(sentence)


def _work(episode: Episode) -> str:
    """Return the work itself, where nobody said what it was about."""
    if episode.edited:
        names = [posixpath.basename(path) for path in episode.edited]
        made = {step.target for step in episode.steps_of(Act.CREATE)}
        verb = "Wrote" if made.issuperset(episode.edited) else "Edited"
        return f"{verb} {list_names(names, 2)}"
    runs = episode.runs
    return f"Ran {runs[-1].target}" if runs else ""


def _finished(line: str) -> str:
    line = squeeze(line).rstrip(" .:;,")
    bare = line[:1].upper() + line[1:] if _is_word(line) else line
    return clip_clause(bare, LONGEST_TITLE)


def _name_scope(found: re.Match[str]) -> str:
    return f"{found[1]}: " if found[1] else ""


def _is_word(line: str) -> bool:
    """Return whether a line begins with a plain word rather than a program's name."""
    word = line.partition(" ")[0].rstrip(",")
    return word.isalpha() and word not in _PROGRAMS
