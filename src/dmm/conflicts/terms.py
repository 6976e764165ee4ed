"""The words of a clause that tell something, each with the slot it stands in."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from dmm.conflicts.clauses import AUXILIARIES, PRONOUNS, is_verb
from dmm.conflicts.families import places_of
from dmm.conflicts.vocabulary import GENERIC, concept_of
from dmm.conflicts.words import Word
from dmm.rules.language.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, slots=True)
class Term:
    """One telling word: its slot is `subject`, `verb`, `object` or the sort of its preposition."""

    concept: str
    text: str
    slot: str
    early: bool
    named: bool
    phrase: int
    weight: float


_SILENT = word_set(
    """a an the this that these those my our your their his her its any some each every all both
    another such either same which whose i we you he she it they them us me one ones and or but
    then nor plus so yet also too just only simply still again already instead really please
    therefore even further here there now who what how why where if while not no never yes etc very
    more most less least many much few must should may can could might ought let lets always
    usually normally typically generally currently today often sometimes ever nobody noone nothing
    everyone everybody anyone anybody someone somebody everything anything something
    everywhere anywhere nowhere out up down
    off away is are was were be been being am has have had do does did will would shall without
    once than else other others ours way thing far long least neither none hardly exactly of
    together along alongside ourselves itself themselves self yourself januari january february
    march april june july august
    september october november december end beginning longer later earlier soon"""
)
_MODAL = word_set(
    """require allow forbid avoid need prefer ensure optional must fine forget remember acceptable
    exclusively solely mandatory necessary free welcome"""
)
PREPOSITIONS = {
    word: slot
    for slot, text in (
        ("means", "with via through by using over against"),
        ("place", "in on at inside into onto to under within towards across"),
        ("aim", "for"),
        ("source", "from out"),
        ("role", "as"),
        ("time", "after before until till during since when whenever upon once"),
        ("outside", "outside beyond except without unless"),
        ("between", "between among about like near around behind above below"),
    )
    for word in text.split()
}
_DETERMINERS = word_set("a an the this that these those our your their its each every all any no")
_JOINING = word_set("and or nor plus")
_VERB_WEIGHT, _GENERIC_WEIGHT, _NAME_WEIGHT = 0.6, 0.25, 1.2


def tells(word: Word) -> bool:
    """Whether a word says something of its own, apart from stance and grammar."""
    if word.sort not in ("word", "name"):
        return False
    if word.sort == "name":
        return True
    if word.text in _SILENT or word.text in PREPOSITIONS or word.text in PRONOUNS:
        return False
    return word.concept not in _MODAL


def terms_of(words: Sequence[Word]) -> tuple[Term, ...]:
    """The telling words in order, each with its slot."""
    place = _verb_place(words)
    slot, phrase, early = "subject", 0, place is not None
    found: list[Term] = []
    relative = False
    for index, word in enumerate(words):
        if place is not None and index >= place and early:
            early, slot, phrase = False, "object", phrase + 1
        relative = (relative or word.text in _RELATIVES) and word.text not in _COPULAS
        if relative and word.text in _DENIALS:
            slot, phrase = "outside", phrase + 1
        elif word.text in PREPOSITIONS and not (word.text == "to" and _to_verb(words, index)):
            slot, phrase = _slot_from(words, index, slot), phrase + 1
        elif (
            word.text in AUXILIARIES
            or word.text in _DETERMINERS
            or word.text in _JOINING
            or word.text == "of"
            or word.sort == "mark"
        ):
            phrase += 1
        if not tells(word):
            continue
        verbal = _is_predicate(words, index, place)
        if verbal:
            phrase += 1
        role = "verb" if verbal else slot
        if index == 0 and _is_agent(words, place):
            word = Word(word.text, word.concept, word.sort, True, word.span)
        found.extend(_terms(word, role, early, phrase))
        if verbal and slot != "outside":
            slot, phrase = "object", phrase + 1
    return tuple(found)


def _slot_from(words: Sequence[Word], index: int, slot: str) -> str:
    """The slot that a preposition opens; "without going through the proxy" leaves out the proxy."""
    opened = PREPOSITIONS[words[index].text]
    led = opened == "means" and slot == "outside" and words[index - 1].text.endswith("ing")
    return slot if led else opened


def _is_agent(words: Sequence[Word], place: int | None) -> bool:
    """ "Nginx terminates TLS": a lone singular without an article before its verb is a name."""
    if place != 1 or words[0].text.endswith("s"):
        return False
    return words[1].text.endswith("s") or words[1].text in AUXILIARIES


_RELATIVES = frozenset(("who", "whose", "that", "which"))
_COPULAS = frozenset(("is", "are", "was", "were", "must", "should", "may", "can", "will"))
_DENIALS = frozenset(("not", "never", "no"))


def _terms(word: Word, slot: str, early: bool, phrase: int) -> list[Term]:
    """One term, or one for each part of an identifier: statement_timeout."""
    parts = word.text.split("_") if word.sort == "word" else []
    known = bool(places_of(word.text, word.concept))
    if known or len(parts) < 2 or not all(len(part) > 2 and part.isalpha() for part in parts):
        return [_term(word, slot, early, phrase)]
    return [Term(concept_of(p), p, slot, early, False, phrase, 1.0) for p in parts]


def _term(word: Word, slot: str, early: bool, phrase: int) -> Term:
    if word.concept in GENERIC and not word.named:
        weight = _GENERIC_WEIGHT
    elif slot == "verb":
        weight = _VERB_WEIGHT
    else:
        weight = _NAME_WEIGHT if word.named else 1.0
    return Term(word.concept, word.text, slot, early, word.named, phrase, weight)


def _to_verb(words: Sequence[Word], index: int) -> bool:
    return index + 1 < len(words) and is_verb(words[index + 1])


def _verb_place(words: Sequence[Word]) -> int | None:
    """Where the predicate begins: at the first auxiliary, else at the first verb."""
    start = _lead_of(words)
    first = next((i for i in range(start, len(words)) if tells(words[i])), None)
    if first is None:
        return None
    if _commands(words, first) or _is_shunned(words, first):
        return first
    for index in range(start, len(words)):
        if words[index].text in AUXILIARIES and words[index].text not in ("do", "let"):
            return index
    bare = is_verb(words[first]) and _is_bare(words[first]) and not _is_led(words, first)
    if bare and not _copied(words, first):
        return first
    for index in range(first + 1, len(words)):
        if is_verb(words[index]) and (
            not _leads_verb(words, index) or _follows_plural(words, index, first)
        ):
            before = words[index - 1].text
            if before not in PREPOSITIONS and before not in _DETERMINERS:
                return index
    if bare:
        return first
    return first + 1 if _is_unknown_verb(words, first + 1) else None


def _lead_of(words: Sequence[Word]) -> int:
    """Where the clause begins once what leads in is told: "in the billing app, …"."""
    if not words or words[0].text not in PREPOSITIONS:
        return 0
    ends = (i + 1 for i, word in enumerate(words[:_LONGEST_LEAD]) if word.text == ",")
    return next(ends, 0)


_LONGEST_LEAD = 10


def _is_led(words: Sequence[Word], first: int) -> bool:
    """ "The email worker": after an article a word that may be a verb is none."""
    return first > 0 and words[first - 1].text in _DETERMINERS


def _follows_plural(words: Sequence[Word], index: int, first: int) -> bool:
    """ "Customers switch plans": a bare verb right after a plural at the start."""
    plural = words[first].text.endswith("s") and not words[first].text.endswith("ss")
    return index == first + 1 and plural and _is_bare(words[index])


def _is_unknown_verb(words: Sequence[Word], index: int) -> bool:
    """ "Nginx terminates TLS": with no known verb, the word in -s after the subject is one."""
    if index + 1 >= len(words) or words[index].sort != "word":
        return False
    text = words[index].text
    return text.endswith("s") and not text.endswith("ss") and not words[index].named


def _commands(words: Sequence[Word], first: int) -> bool:
    """ "Page the on-call": a bare word at the start with an article behind it is a command."""
    following = words[first + 1] if first + 1 < len(words) else None
    if following is None or first > 2 or words[first].sort != "word":
        return False
    if any(word.text in PREPOSITIONS or word.text in _DETERMINERS for word in words[:first]):
        return False
    named = following.named and is_verb(words[first]) and _is_bare(words[first])
    return following.text in _DETERMINERS or named


def _is_shunned(words: Sequence[Word], first: int) -> bool:
    """ "Avoid renaming columns": what is to be shunned is the deed, in -ing."""
    shunning = first > 0 and words[first - 1].concept == "avoid"
    return shunning and words[first].text.endswith("ing") and words[first].sort == "word"


def _is_bare(word: Word) -> bool:
    return not word.text.endswith(("s", "ed", "ing")) or word.text.endswith("ss")


def _copied(words: Sequence[Word], first: int) -> bool:
    """ "Release notes list …": a bare verb form right before another verb is a noun."""
    following = words[first + 1] if first + 1 < len(words) else None
    if following is None or not following.text.endswith("s"):
        return False
    third = words[first + 2] if first + 2 < len(words) else None
    return is_verb(following) or (third is not None and is_verb(third) and _is_bare(third))


def _leads_verb(words: Sequence[Word], index: int) -> bool:
    following = words[index + 1] if index + 1 < len(words) else None
    return following is not None and is_verb(following) and following.sort == "word"


def _is_kind(words: Sequence[Word], index: int) -> bool:
    """ "In billing tables": a word in -ing that tells which things a place is."""
    placed = PREPOSITIONS.get(words[index - 1].text) == "place"
    return placed and index + 1 < len(words) and tells(words[index + 1])


def _is_predicate(words: Sequence[Word], index: int, place: int | None) -> bool:
    """Whether a word is the verb of its clause, not a noun that looks like one."""
    if place is None or index < place:
        return False
    if index == place:
        return True
    if words[index - 1].text in AUXILIARIES and words[index].text.endswith(("ed", "en")):
        return True
    if not is_verb(words[index]):
        return False
    before = index - 1
    while before >= place and not tells(words[before]) and words[before].text not in _DETERMINERS:
        if words[before].text in AUXILIARIES or words[before].text == "to":
            return True
        if words[before].text in PREPOSITIONS:
            return words[index].text.endswith("ing") and not _is_kind(words, index)
        before -= 1
    return False


def heads_of(terms: Sequence[Term]) -> dict[str, frozenset[str]]:
    """For each noun the words right before it in its phrase: "release firmware"."""
    table: dict[str, set[str]] = {}
    for before, head in pairwise(terms):
        if before.phrase == head.phrase and before.slot == head.slot and before.slot != "verb":
            table.setdefault(head.concept, set()).add(before.concept)
    return {head: frozenset(found) for head, found in table.items()}
