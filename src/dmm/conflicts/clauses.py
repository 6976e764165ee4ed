"""A sentence cut into clauses; each word gets the part it plays in what is claimed."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from dmm.conflicts.verbs import VERBS
from dmm.conflicts.vocabulary import forms_of
from dmm.rules.language.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dmm.conflicts.words import Word


class Part(StrEnum):
    """What a word does in its clause."""

    MAIN = "main"
    REASON = "reason"
    CONDITION = "condition"
    EXCEPTION = "exception"
    REJECTED = "rejected"
    OLD = "old"


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that follow one another and play one part."""

    part: Part
    words: tuple[Word, ...]


@dataclass(frozen=True, slots=True)
class Clause:
    """One claim of a sentence."""

    pieces: tuple[Piece, ...]

    def words(self, *parts: Part) -> list[Word]:
        """The words that play these parts, in order."""
        return [word for piece in self.pieces if piece.part in parts for word in piece.words]


PRONOUNS = word_set("i we you he she it they one everyone nobody someone there this that")
AUXILIARIES = word_set(
    """will shall should must can may might could would do does did is are was were be been being
    has have had ought let lets gets get need needs"""
)
_BREAKS = frozenset((";", "\u2014", "\u2013", "but", "however", "whereas", "yet", ":", ".", "!"))
_TO_REASON = word_set(
    """avoid prevent keep make ensure reduce improve save minimize minimise simplify guarantee
    protect catch stop help speed limit let allow get"""
)
# How each part may begin; the words of one beginning stand together.
_OPENERS_TEXT = {
    Part.REASON: """because; so that; in order to; due to; owing to; thanks to; given that; seeing
    that; on account of; for the sake of; in view of; which; since; as it; as we; as
    they; as this; as the; as our; as; for example; such as; e.g; like this; even
    though; even when; even if; although; though; where""",
    Part.EXCEPTION: """except; unless; excluding; apart from; aside from; other than; with the
    exception of""",
    Part.REJECTED: "instead of; rather than; in place of; as opposed to; in lieu of",
    Part.OLD: """replaces; supersedes; up from; down from; no longer; not any more; formerly;
    previously; used to be""",
    Part.CONDITION: "if; when; whenever; as long as; in case",
}
_OPENERS = tuple(
    (tuple(opener.split()), part)
    for part, openers in _OPENERS_TEXT.items()
    for opener in openers.split(";")
)
_FIRST_WORDS: dict[str, list[tuple[tuple[str, ...], Part]]] = {}
for _words, _part in _OPENERS:
    _FIRST_WORDS.setdefault(_words[0], []).append((_words, _part))
_MOVES = word_set("move migrate switch change raise lower increase decrease reduce go")


_RESUMING = word_set("it we they you")
_WAS = frozenset(("was", "were", "previously", "formerly", "before", "earlier", "old"))


class _Cutter:
    """Cuts the words of one sentence; holds the clause and the piece that are being read."""

    def __init__(self) -> None:
        self.clauses: list[Clause] = []
        self.pieces: list[Piece] = []
        self.current: list[Word] = []
        self.part = Part.MAIN
        self.shows = False
        self.told = False

    def close(self, following: Part) -> None:
        """End the piece; what follows plays another part."""
        if self.current:
            self.pieces.append(Piece(self.part, tuple(self.current)))
            self.current.clear()
        self.part = following
        self.shows = self.told = False

    def finish(self) -> None:
        """End the clause."""
        self.close(Part.MAIN)
        if self.pieces:
            self.clauses.append(Clause(tuple(self.pieces)))
            self.pieces.clear()

    @property
    def is_condition(self) -> bool:
        """Whether a condition is being read that the clause begins with and that has its verb."""
        return self.part is Part.CONDITION and self.told and not self.pieces

    def take(self, word: Word) -> None:
        """Add a word, or end the piece that it ends."""
        if self._ends_piece(word):
            self.close(Part.MAIN)
        else:
            self._resume(word)
            self.current.append(word)
            self.told = self.told or word.text in AUXILIARIES

    def _ends_piece(self, word: Word) -> bool:
        if word.text == ",":
            return self.part is not Part.MAIN
        return word.text in ("(", ")") or (self.part is Part.OLD and word.text in ("to", "and"))

    def _resume(self, word: Word) -> None:
        """ "If it fails we stop": the pronoun begins what the condition is for."""
        begun = self.part is Part.CONDITION and not self.pieces and word.text in _RESUMING
        if begun or (self.shows and word.text in AUXILIARIES):
            self.close(Part.MAIN)


def clauses_of(words: Sequence[Word]) -> list[Clause]:
    """The clauses of a sentence in order."""
    cutter = _Cutter()
    index = 0
    while index < len(words):
        opened = _opener(words, index)
        if _is_break(words, index):
            cutter.finish()
            index += 1
        elif opened is not None:
            length, following = opened
            cutter.close(following)
            cutter.shows = words[index].text in ("such", "e.g")
            index += length
        elif cutter.is_condition and _resumes(words, index):
            cutter.close(Part.MAIN)
        else:
            cutter.take(words[index])
            index += 1
    cutter.finish()
    return cutter.clauses


def _resumes(words: Sequence[Word], index: int) -> bool:
    """ "When a key is missing the page does not fail": an article begins the main clause."""
    if words[index].text not in _ARTICLES:
        return False
    for word in words[index + 1 : index + 5]:
        if word.text in AUXILIARIES:
            return True
        if word.sort == "mark" or word.text in ("that", "which", "who"):
            return False
    return False


_ARTICLES = frozenset(("the", "a", "an", "our", "every", "all", "no"))


def _is_break(words: Sequence[Word], index: int) -> bool:
    text = words[index].text
    if text in _BREAKS:
        return not (text == "but" and index and words[index - 1].text in ("nothing", "anything"))
    if text == "while":
        return index > 0 and words[index - 1].text == ","
    if text == "and" and _is_between(words, index):
        return False
    if text in ("and", "so", "then", "or", ","):
        if text == "," and _leads_in(words, index):
            return False
        following = words[index + 1].text if index + 1 < len(words) else ""
        return following != "that" and _starts_claim(words, index + 1, text)
    return False


def _leads_in(words: Sequence[Word], index: int) -> bool:
    """ "In the billing app, don't …": what leads in says where the claim that follows holds."""
    if words[0].text not in _LEADING or index > _REACH:
        return False
    return not any(word.text in AUXILIARIES for word in words[:index])


_LEADING = word_set("in on for at under inside within outside during across with from")


def _is_between(words: Sequence[Word], index: int) -> bool:
    """ "Calls between the shop and the bank are signed": this "and" joins two ends."""
    for word in reversed(words[max(0, index - _REACH) : index]):
        if word.text == "between":
            return True
        if word.text == "and" or word.sort == "mark":
            return False
    return False


def _starts_claim(words: Sequence[Word], index: int, opener: str) -> bool:
    """Whether a claim of its own begins here: "and never …", "so do not …", "and it is …"."""
    if index >= len(words):
        return False
    text = words[index].text
    if text in ("never", "do", "always") and opener != "or":
        return True
    if opener == "and" and lacks_subject(words[index : index + 2]):
        return True
    if opener == ",":
        pronoun = text in PRONOUNS and text not in ("that", "this", "one")
        return pronoun or _orders(words, index) or _goes_on(words, index)
    if text in PRONOUNS:
        return True
    near = words[index : index + 5]
    for place, word in enumerate(near):
        if word.sort == "mark":
            return False
        if word.text in ("is", "are", "must", "should", "may", "will", "can", "has", "have"):
            return place > 0 and not (opener == "and" and _joins_nouns(words, index - 1))
    return opener in ("and", "then") and _is_imperative(words, index)


def _joins_nouns(words: Sequence[Word], index: int) -> bool:
    """ "Calls in tests and examples are fine": no verb has been said before this "and"."""
    for place in range(index - 1, -1, -1):
        word, before = words[place], words[place - 1].text if place else ""
        if word.sort == "mark":
            return word.text in (";", ":")
        if word.text in AUXILIARIES or word.text in PRONOUNS:
            return False
        if before not in _LEADING and not word.text.endswith("ing") and is_verb(word):
            return False
    return True


def lacks_subject(words: Sequence[Word]) -> bool:
    """ "… and must not …", "… and clears the …": said of the subject of the clause before it."""
    if len(words) < 2:
        return False
    if words[0].text in AUXILIARIES:
        return words[1].text in ("not", "never")
    return _is_finite(words[0]) and words[1].text in _OBJECTS


def _orders(words: Sequence[Word], index: int) -> bool:
    """ "Views aren't cached, use the index": a command follows what has been told."""
    following = words[index + 1] if index + 1 < len(words) else None
    if words[index].text not in _COMMANDS or following is None:
        return False
    if following.sort == "mark" or following.text in _NOT_OBJECTS:
        return False
    near = words[max(0, index - _SENTENCE) : index]
    return any(word.text in AUXILIARIES for word in near)


def _goes_on(words: Sequence[Word], index: int) -> bool:
    """ "The flag is off, the old page would not load": one comma joins two whole clauses."""
    if not _resumes(words, index) or any(w.text in _ARTICLES for w in words[index + 1 : index + 4]):
        return False
    told = [word for word in words[max(0, index - _SENTENCE) : index] if word.sort != "mark"]
    return any(word.text in AUXILIARIES for word in told[1:]) and told[0].text not in _LINKS


_LINKS = _LEADING | word_set(
    "if when whenever where while because since as unless although once after"
)
_SENTENCE = 16
_COMMANDS = word_set("use run call write put keep set add ask pass read wrap")
_NOT_OBJECTS = word_set("by in on at with and or to for is are")


def _is_imperative(words: Sequence[Word], index: int) -> bool:
    word = words[index]
    following = words[index + 1].text if index + 1 < len(words) else ""
    return word.text in VERBS and following in _OBJECTS


_OBJECTS = word_set("the a an all every it them no")


def _opener(words: Sequence[Word], index: int) -> tuple[int, Part] | None:
    text = words[index].text
    if text == "(" and index + 1 < len(words) and words[index + 1].text in _WAS:
        return 2, Part.OLD
    for sequence, part in _FIRST_WORDS.get(text, ()):
        if all(
            index + place < len(words) and words[index + place].text == piece
            for place, piece in enumerate(sequence)
        ):
            if not _opens(words, index, sequence):
                continue
            return len(sequence), part
    if (
        text == "to"
        and index + 1 < len(words)
        and words[index + 1].text in _TO_REASON
        and (index > 2 or (index == 0 and any(word.text == "," for word in words)))
    ):
        return 1, Part.REASON
    if text == "over" and any(word.concept == "prefer" for word in words[:index]):
        return 1, Part.REJECTED
    if text == "not" and index and words[index - 1].text in (",", "and"):
        following = words[index + 1].text if index + 1 < len(words) else ""
        return (1, Part.REJECTED) if following not in AUXILIARIES | {"only", "just"} else None
    if text == "from" and _is_moved(words, index):
        return 1, Part.OLD
    return None


def _opens(words: Sequence[Word], index: int, sequence: tuple[str, ...]) -> bool:
    """Whether words that may open another part do so here."""
    if sequence == ("no", "longer"):
        return not _is_comparison(words, index + 2)
    if sequence in (("which",), ("where",)):
        return index > 0 and words[index - 1].sort == "mark"
    if sequence == ("as",) and (not index or words[index - 1].text != ","):
        return False
    if sequence in (("since",), ("as",), ("as", "the"), ("as", "our")):
        return _gives_reason(words, index + 1)
    return True


def _gives_reason(words: Sequence[Word], index: int) -> bool:
    """ "Since the API is public": a clause follows; "since the migration" is a time."""
    for place, word in enumerate(words[index : index + _REACH]):
        if word.text in _MOMENTS or word.sort in ("number", "date"):
            return False
        if word.sort == "mark" or word.text in ("and", "or", "but"):
            return False
        if place and (word.text in AUXILIARIES or _is_finite(word)):
            return True
        if place and _acts(words, index + place):
            return True
    return False


def _acts(words: Sequence[Word], index: int) -> bool:
    """ "Since slow ones freeze the loop": a word between a plural and an article is a verb."""
    before = words[index - 1].text
    plural = before.endswith("s") and not before.endswith("ss")
    following = words[index + 1].text if index + 1 < len(words) else ""
    return plural and words[index].sort == "word" and following in _ARTICLES


def _is_finite(word: Word) -> bool:
    return word.text.endswith("s") and is_verb(word)


_REACH = 7
_MOMENTS = word_set(
    """migration launch cutover rollout audit sprint release incident outage rewrite switch upgrade
    january february march april may june july august september october november december"""
)


def _is_moved(words: Sequence[Word], index: int) -> bool:
    """ "Moved from X to Y"."""
    moved = any(forms_of(word.text) & _MOVES for word in words[:index])
    return moved and any(word.text == "to" for word in words[index:])


def _is_comparison(words: Sequence[Word], index: int) -> bool:
    return index < len(words) and words[index].text == "than"


def is_verb(word: Word) -> bool:
    """Whether a word may be a verb in some form."""
    if word.text.endswith(_PARTICLES):
        return bool(forms_of(word.text.partition(" ")[0]) & _ALL_VERBS)
    return word.sort == "word" and bool(forms_of(word.text) & _ALL_VERBS)


_PARTICLES = (" to", " on", " off", " up", " down")


_ALL_VERBS = VERBS | word_set(
    """own live reside belong expire listen poll happen contain consist last follow talk
    communicate speak target support emit respond throw paginate sign lint retry go maintain
    lead run hash time publish back show display look sort get manage render inject look keep
    rotate authenticate mount report own need require turn switch leave"""
)
