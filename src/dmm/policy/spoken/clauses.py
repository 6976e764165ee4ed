"""What a sentence forbids: its verbs and the words behind them, however it is put."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.policy.lemmas import base_forms
from dmm.policy.spoken.names import PROGRAMS
from dmm.policy.spoken.things import DETERMINERS, IDLE, LINKS, skip, word_at
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from dmm.policy.spoken.pieces import Pieces

_GROUPS = {
    "run": "run execute invoke issue launch exec trigger",
    "use": "use call employ",
    "pass": "pass supply",
    "edit": "edit modify change alter update rewrite write overwrite format reformat rename patch",
    "touch": "touch",
    "access": "access",
    "read": "read open view print show display dump expose",
    "delete": "delete remove erase",
    "create": "create",
    "commit": "commit",
    "push": "push",
    "force-push": "force-push forcepush",
    "merge": "merge",
    "rebase": "rebase",
    "install": "install",
    "add": "add introduce depend",
    "skip": "skip bypass circumvent",
    "amend": "amend",
    "reset": "reset",
}
VERBS = {word: group for group, words in _GROUPS.items() for word in words.split()}
_NOUNS = {
    "push": "push", "pushes": "push", "commit": "commit", "commits": "commit", "edit": "edit",
    "edits": "edit", "change": "edit", "changes": "edit", "modification": "edit",
    "modifications": "edit", "force-push": "force-push", "force-pushes": "force-push",
    "merge": "merge", "merges": "merge",
}  # fmt: skip
_NOT = word_set("don't dont mustn't shouldn't can't cannot won't doesn't needn't couldn't mayn't")
_BEFORE_NOT = word_set("do must should may can shall will does need could might")
_SUBJECTS = word_set(
    """you we agents agent claude codex the an a nobody everyone developers contributors i please
    always it they one also and then that assistants assistant must should may can will shall do
    are is be to"""
)
_FORBIDDEN = word_set("forbidden prohibited banned disallowed forbid verboten")
_ALLOWED = word_set("allowed permitted acceptable ok okay")
_BE = word_set("is are remain remains stay stays")
_SOFT = word_set("prefer ideally try consider preferably")
_FRONTED = word_set("on in when if while during for before after inside within under at")


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing that is forbidden: verbs (none for a bare thing), the words behind, a preface."""

    verbs: tuple[str, ...]
    rest: Pieces
    preface: Pieces = ()
    soft: bool = False
    chosen: Pieces = ()


def clauses_of(sentence: Pieces) -> list[Clause]:
    """Find what a sentence forbids; nothing when no form fits."""
    pieces = _without_label(sentence)
    for form in (_choice, _prohibited, _no_thing, _predicate):
        found = form(pieces)
        if found:
            return found
    return []


def _without_label(pieces: Pieces) -> Pieces:
    while pieces and (pieces[0].mark or pieces[0].word in ("please", "also", "and", "then")):
        pieces = pieces[1:]
    for at, piece in enumerate(pieces[:4]):
        if piece.mark and piece.text == ":":
            return _without_label(pieces[at + 1 :])
    return pieces


def verb_of(word: str) -> str | None:
    """Name the group of a verb in any inflection."""
    if word in VERBS:
        return VERBS[word]
    groups = {VERBS[form] for form in base_forms(word) & VERBS.keys()} if word else set()
    return groups.pop() if len(groups) == 1 else None


def _choice(pieces: Pieces) -> list[Clause]:
    """ "Use A instead of B", "use A, not B", "prefer A over B": B is forbidden."""
    at = skip(pieces, 0, frozenset(("always", "you", "we", "must", "should")))
    first = word_at(pieces, at)
    soft = first in _SOFT
    if first == "prefer":
        turn = _find(pieces, at + 1, "over", "to")
        return (
            [Clause(("use",), pieces[turn + 1 :], (), True, pieces[at + 1 : turn])] if turn else []
        )
    verb = verb_of(first)
    if verb not in ("use", "run", "install"):
        return []
    for place in range(at + 1, len(pieces) - 1):
        word, following = pieces[place].word, pieces[place + 1].word
        if (word, following) in (("instead", "of"), ("rather", "than")):
            return [Clause((verb,), pieces[place + 2 :], (), soft, pieces[at + 1 : place])]
        if word in ("not", "never") and pieces[place - 1].mark:
            return [Clause((verb,), pieces[place + 1 :], (), soft, pieces[at + 1 : place - 1])]
    return []


def _find(pieces: Pieces, start: int, *words: str) -> int | None:
    return next((at for at in range(start, len(pieces)) if pieces[at].word in words), None)


def _prohibited(pieces: Pieces) -> list[Clause]:
    soft = word_at(pieces, 0) in _SOFT
    for at in range(min(len(pieces), 12)):
        after = _after_not(pieces, at)
        if after is None:
            continue
        before = pieces[:at]
        while before and before[-1].word in _BEFORE_NOT | _SUBJECTS:
            before = before[:-1]
        return _clause(pieces, after, before, soft=soft)
    return []


def _after_not(pieces: Pieces, at: int) -> int | None:
    """Give the place behind a word that forbids."""
    word, following = pieces[at].word, word_at(pieces, at + 1)
    if word in ("never", "cannot") or word in _NOT:
        after = at + 1
    elif (word, following, word_at(pieces, at + 2)) == ("under", "no", "circumstances"):
        after = at + 3
    elif word in _BEFORE_NOT and following in ("not", "never"):
        after = at + 2
    elif word in ("avoid", "stop") and at < 2:
        after = at + 1
    elif word == "refrain" and following == "from":
        after = at + 2
    elif (
        word == "not" and following in ("allowed", "permitted") and word_at(pieces, at + 2) == "to"
    ):
        after = at + 3
    else:
        return None
    return skip(pieces, after, IDLE, frozenset(("try", "attempt"))) if after < len(pieces) else None


def _clause(pieces: Pieces, at: int, before: Pieces, *, soft: bool) -> list[Clause]:
    if word_at(pieces, at) == "be":
        # "X must not be edited": what stands before is the object.
        verb = _verb_at(pieces, at + 1)
        if verb is None or not before:
            return []
        return [Clause((verb[0],), (*before, *pieces[verb[1] :]), soft=soft)]
    preface = _preface(before)
    if preface is None:
        return []
    return [_verbs(pieces, at, preface, soft=soft)]


def _preface(before: Pieces) -> Pieces | None:
    """Read what stands before "never": nothing, or a condition put in front."""
    kept = tuple(one for one in before if not one.mark and one.word not in _SUBJECTS)
    if not kept:
        return ()
    first = next((one.word for one in before if not one.mark), "")
    return tuple(one for one in before if not one.mark) if first in _FRONTED else None


def _verbs(pieces: Pieces, at: int, preface: Pieces, *, soft: bool) -> Clause:
    """Collect the verbs that share what follows: "edit or delete X"."""
    verbs: list[str] = []
    while (verb := _verb_at(pieces, at)) is not None:
        verbs.append(verb[0])
        at = skip(pieces, verb[1], IDLE)
        following = at + 1 if at < len(pieces) and pieces[at].mark else at
        following = skip(pieces, following, LINKS)
        if following == at or _verb_at(pieces, following) is None:
            break
        at = following
    return Clause(tuple(verbs), pieces[at:], preface, soft)


def _verb_at(pieces: Pieces, at: int) -> tuple[str, int] | None:
    word, following = word_at(pieces, at), word_at(pieces, at + 1)
    if word in ("force", "forced") and verb_of(following) == "push":
        return "force-push", at + 2
    if word == "hard" and verb_of(following) == "reset":
        return "hard-reset", at + 2
    if word in ("hard-reset", "hard-resetting"):
        return "hard-reset", at + 1
    if word in ("force-pushing", "force-pushed"):
        return "force-push", at + 1
    if word == "make" and following in _NOUNS:
        return _NOUNS[following], at + 2
    if word == "make" and following in ("any", "direct") and word_at(pieces, at + 2) in _NOUNS:
        return _NOUNS[word_at(pieces, at + 2)], at + 3
    if word in PROGRAMS and word_at(pieces, at + 1).startswith("-"):
        return None
    verb = verb_of(word)
    return (verb, at + 1) if verb else None


def _no_thing(pieces: Pieces) -> list[Clause]:
    first = word_at(pieces, 0)
    if first not in ("no", "avoid", "forbid", "ban", "prohibit"):
        return []
    return _thing(pieces[1:])


def _thing(pieces: Pieces) -> list[Clause]:
    """Read a bare thing: an act by its noun or gerund, or something that may not be used."""
    at = skip(pieces, 0, DETERMINERS, frozenset(("direct", "more", "manual", "new")))
    word, following = word_at(pieces, at), word_at(pieces, at + 1)
    if word in ("force", "forced") and (_NOUNS.get(following) or verb_of(following)) == "push":
        return [Clause(("force-push",), pieces[at + 2 :])]
    if word in _NOUNS:
        return [Clause((_NOUNS[word],), pieces[at + 1 :])]
    if word.endswith("ing") and _verb_at(pieces, at):
        return [_verbs(pieces, at, (), soft=False)]
    return [Clause((), pieces)]


def _predicate(pieces: Pieces) -> list[Clause]:
    """ "X is forbidden", "X is not allowed", "X is off limits"."""
    for at in range(1, len(pieces)):
        if pieces[at].word not in _BE:
            continue
        words = [one.word for one in pieces[at + 1 : at + 4]]
        negated = "not" in words and any(one in _ALLOWED for one in words)
        off = "off-limits" in words or ("off" in words and "limits" in words)
        if negated or off or any(one in _FORBIDDEN for one in words):
            after = _after_predicate(pieces, at + 1)
            found = _thing((*pieces[:at], *after))
            touch = [Clause(("touch",), one.rest) for one in found if off and not one.verbs]
            return touch or found
    return []


def _after_predicate(pieces: Pieces, at: int) -> Pieces:
    words = _FORBIDDEN | _ALLOWED | word_set("not strictly off limits off-limits absolutely")
    return pieces[skip(pieces, at, words, IDLE) :]
