"""Clauses: what a sentence forbids or asks about, its verbs and the words behind them."""

from __future__ import annotations

from typing import NamedTuple

from dmm.rules.content.constructs import CONSTRUCTS
from dmm.rules.language.sentences import words
from dmm.text import polarity
from dmm.text.pieces import LINKS, Piece, Pieces, find, signs, skip, word_at
from dmm.text.words import english, word_set

_MODALS = word_set("do must should may can shall will does need could might")
_SUBJECTS = english("rule_subjects")
_FRONTED = word_set("on in when if while during for before after inside within under at")
_FORCING = word_set("force forced")
_ASKING = english("asking")
# What a developer writes is subject to rules as the developer is.
_WRITTEN = word_set("code file files module modules component components function functions")
_ASK = word_set("ask confirm approval permission confirmation check")
_APPROVED = word_set("approval permission review confirmation sign-off consent")


class Clause(NamedTuple):
    """One thing that is forbidden: verbs (none for a bare thing), the words behind, a preface."""

    verbs: tuple[str, ...]
    rest: Pieces
    preface: Pieces = ()
    level: str = "deny"
    chosen: Pieces = ()
    choice: bool = False
    aside: Pieces = ()
    lead: int = 0
    bare: bool = False


def clauses_of(sentence: Pieces) -> list[Clause]:
    """Find what a sentence forbids; nothing where no form fits."""
    found: list[Clause] = []
    preface, body = _label(sentence)
    if polarity.bans(signs(preface)):
        verb = "run" if any(one.word.startswith("command") for one in preface) else ""
        return [Clause((verb,), body)]
    segments = [*([preface] if word_at(preface, 0) == "no" else []), *_segments(body)]
    for number, segment in enumerate(segments):
        if number and _is_governed(segments[0], segment):
            continue
        for form in (_asked, _choice, _prohibited, _no_thing, _predicate):
            if clauses := form(segment):
                found += clauses
                break
    lead = preface if word_at(preface, 0) in _FRONTED else ()
    chosen = _chosen(segments)
    return [
        _explained(one._replace(preface=one.preface or lead, chosen=one.chosen or chosen), body)
        for one in found
    ]


def _label(pieces: Pieces) -> tuple[Pieces, Pieces]:
    """Part "Label: text"; "X: forbidden" and "X: never" say that X is forbidden."""
    at = next((place for place, one in enumerate(pieces[:7]) if one.mark == ":"), None)
    if at is None:
        return (), pieces
    left, right = pieces[:at], pieces[at + 1 :]
    if word_at(right, 0) in polarity.FORBIDDEN or signs(right) == ["never"]:
        return (), (*left, Piece("is"), Piece("forbidden"))
    said = signs(left)
    denied = [polarity.after_denial(said, place) for place in range(len(left))]
    behind = next((one for one in denied if one is not None), None)
    if behind is not None or "avoid" in said:
        # "Never use: a, b" lists what is meant; else a reason or another sentence follows.
        verb = behind == len(left) - 1 and words.group_of(said[-1])
        opened = verb or behind == len(left) or said[-1].startswith("command")
        part = () if opened and not _forbids(right, 0) else (Piece("-", "mark"),)
        return (), (*left, *part, *right)
    return left, right


def _segments(pieces: Pieces) -> list[Pieces]:
    """Part a sentence at dashes, and before a prohibition of its own; asides stand apart."""
    pieces, asides = _asides(pieces)
    found: list[list[Piece]] = [[]]
    for at, piece in enumerate(pieces):
        new = piece.mark == "," or piece.word in ("and", "but")
        after = at + 2 if word_at(pieces, at + 1) in ("and", "but") else at + 1
        chooses = piece.mark == "," and word_at(pieces, at + 1) in ("use", "run", "always", "but")
        turns = new and (chooses or _forbids(pieces, after))
        turns = turns and not _names_code(tuple(found[-1]), pieces, after)
        # A condition that is put in front belongs to what follows.
        fronted = len(found) == 1 and word_at(tuple(found[0]), 0) in _FRONTED
        if (piece.mark == "-" or turns) and not fronted:
            found.append([])
        else:
            found[-1].append(piece)
    # "(no bare `except:`)" forbids; "(`a`, not `b`)" only shows what is meant.
    asides = [one for one in asides if one and _denies(tuple(one))]
    return [tuple(one) for one in (*found, *asides) if one]


def _asides(pieces: Pieces) -> tuple[Pieces, list[list[Piece]]]:
    """Take out what stands in brackets; a condition there belongs to what it follows."""
    outer: list[Piece] = []
    asides: list[list[Piece]] = []
    inside = False
    for at, piece in enumerate(pieces):
        if piece.mark == "(":
            following = word_at(pieces, at + 1)
            inside = following not in ("unless", "except", "without", "in", "not", "never")
            asides += [[]] if inside else []
            outer += [Piece(",", "mark")] if following in ("not", "never") else []
        elif piece.mark == ")":
            inside = False
        else:
            (asides[-1] if inside else outer).append(piece)
    return tuple(outer), asides


def _denies(pieces: Pieces) -> bool:
    return word_at(pieces, 0) in polarity.BANS or _after_not(pieces, 0) is not None


def _explained(clause: Clause, body: Pieces) -> Clause:
    """Add what stands in brackets right behind words of a clause, and how many of them."""
    opened = next((at for at, one in enumerate(body) if at and one.mark == "("), len(body))
    closed = next((at for at, one in enumerate(body) if one.mark == ")"), len(body))
    before = (at + 1 for at, one in enumerate(clause.rest) if body and one is body[opened - 1])
    lead = next(before, 0)
    return clause._replace(aside=body[opened + 1 : closed], lead=lead) if lead else clause


def _forbids(pieces: Pieces, at: int) -> bool:
    after = _after_not(pieces, at) if at < len(pieces) else None
    return after is not None and bool(words.group_of(word_at(pieces, after)))


def _is_governed(first: Pieces, segment: Pieces) -> bool:
    """Whether "errors must name the file but never include keys" goes on about its subject."""
    modal = find(first[:6], "must", "should", "may", "can") or 0
    subject = [one.word for one in first[:modal] if one.word not in words.DETERMINERS]
    about = bool(subject) and not set(subject) <= _SUBJECTS | _WRITTEN
    # Code, a command or a push is the work of whoever reads this, not of the subject.
    held = any(words.group_of(one.word) in ("add", "read") for one in segment[:4])
    held = held and not any(one.code for one in segment)
    return about and held and not any(one.mark for one in first[:modal]) and _denies(segment)


def _names_code(said: Pieces, pieces: Pieces, at: int) -> bool:
    """Return whether "use logging, never print" forbids the call `print`, not an act."""
    after = at + 1 if word_at(pieces, at) in polarity.NEGATIONS | {"not"} else at
    alone = after + 1 >= len(pieces) or bool(pieces[after + 1].mark)
    return word_at(said, 0) == "use" and alone and word_at(pieces, after) in CONSTRUCTS


def _chosen(segments: list[Pieces]) -> Pieces:
    """Find what a sentence says to use instead."""
    for segment in segments:
        at = skip(segment, 0, words.LEADS)
        if word_at(segment, at) in ("use", "run", "prefer"):
            return segment[at + 1 :]
    return ()


def _asked(pieces: Pieces) -> list[Clause]:
    """Read "ask me before deleting files" and "changes to X need approval"."""
    turn = find(pieces, "before")
    if turn and any(one.word in _ASK for one in pieces[:turn]):
        plain = all(one.word in _ASKING for one in pieces[:turn])
        first = next((one.word for one in pieces[:turn] if one.word in _ASK), "")
        if plain and not (first == "check" and find(pieces[:turn], "with") is None):
            at = skip(pieces, turn + 1, word_set("you we i any"))
            return [_verbs(pieces, at, ())._replace(level="ask")]
    for at in range(1, len(pieces)):
        if pieces[at].word in ("require", "requires", "need", "needs"):
            rest = pieces[skip(pieces, at + 1, word_set("explicit my your user prior human")) :]
            if word_at(rest, 0) in _APPROVED:
                return [one._replace(level="ask") for one in _thing(pieces[:at])]
    return []


def _choice(pieces: Pieces) -> list[Clause]:
    """ "Use A instead of B", "A, not B", "prefer A over B": B is forbidden."""
    at = skip(pieces, 0, words.LEADS)
    first = word_at(pieces, at)
    turn = polarity.find_choice(signs(pieces), at)
    using = first in polarity.CHOOSING or words.group_of(first) in ("use", "run")
    coded = at < len(pieces) and pieces[at].kind == "code"
    if turn is None or not (using or (coded and pieces[-1].kind == "code")):
        return []
    chosen = pieces[skip(pieces, at + using, word_set("to use using")) : turn[0]]
    word = word_at(pieces, turn[0])
    scoped = (coded or word in ("not", "never")) and _scoped(chosen)
    verb = "run" if words.group_of(first) == "run" else "use"
    level = "warn" if scoped or first in polarity.CHOOSING else "deny"
    return [Clause((verb,), pieces[turn[1] :], (), level, chosen, choice=word != "never")]


def _scoped(pieces: Pieces) -> bool:
    """Return whether a choice holds for a part only; "in this repository" narrows nothing."""
    at = find(pieces, "for", "when", "in", "if")
    if at is None:
        return False
    inner = skip(pieces, at + 1, word_set("this the our"))
    return word_at(pieces, inner) not in words.WHOLE or _scoped(pieces[inner + 1 :])


def _prohibited(pieces: Pieces) -> list[Clause]:
    for at in range(min(len(pieces), 12)):
        after = _after_not(pieces, at)
        if after is None:
            continue
        before = pieces[:at]
        while before and before[-1].word in _MODALS | _SUBJECTS:
            before = before[:-1]
        if word_at(pieces, after) == "be":
            return _passive(pieces, after, before)
        if not before and after + 1 == len(pieces) and pieces[after].word == "committed":
            # "Set by hand, never committed": of what, another sentence says.
            return []
        preface = _preface(before)
        return [] if preface is None else [_verbs(pieces, after, preface)]
    return []


def _after_not(pieces: Pieces, at: int) -> int | None:
    """Return the place behind a word that forbids."""
    after = polarity.after_denial([one.word for one in pieces[: at + 4]], at)
    if after is None and pieces[at].word == "avoid" and at < 2:
        after = at + 1
    if after is None or pieces[at].word in polarity.TELLING:
        return None
    ever = word_set("try attempt ever even")
    return skip(pieces, after, words.IDLE - {"any"}, ever) if after < len(pieces) else None


def _passive(pieces: Pieces, at: int, before: Pieces) -> list[Clause]:
    """Read "X must not be edited": what stands before is the object."""
    verb = _verb_at(pieces, skip(pieces, at + 1, words.IDLE))
    if verb is None or not before:
        return []
    return [Clause((verb[0],), (*before, *pieces[verb[1] :]))]


def _preface(before: Pieces) -> Pieces | None:
    """Read what stands before "never": nothing, or a condition put in front."""
    kept = tuple(one for one in before if not one.mark)
    if all(one.word in _SUBJECTS for one in kept):
        return ()
    return kept if kept[0].word in _FRONTED else None


def _verbs(pieces: Pieces, at: int, preface: Pieces) -> Clause:
    """Collect the verbs that share what follows: "edit or delete X"."""
    verbs: list[str] = []
    while (verb := _verb_at(pieces, at)) is not None:
        verbs.append(verb[0])
        at = skip(pieces, verb[1], words.IDLE - {"any"})
        following = at + 1 if at < len(pieces) and pieces[at].mark == "," else at
        following = skip(pieces, following, LINKS)
        if following == at or _verb_at(pieces, following) is None:
            break
        at = following
    return Clause(tuple(verbs) or ("",), pieces[at:], preface)


def _verb_at(pieces: Pieces, at: int) -> tuple[str, int] | None:
    word, following = word_at(pieces, at), word_at(pieces, at + 1)
    if word in _FORCING and words.group_of(following) == "push":
        return "force-push", at + 2
    if word == "hard" and following in ("reset", "resetting"):
        return "hard-reset", at + 2
    if word in ("make", "making"):
        noun = skip(pieces, at + 1, word_set("any direct manual"))
        named = words.NOUNS.get(word_at(pieces, noun))
        return (named, noun + 1) if named else None
    if word in words.PROGRAMS and (following.startswith("-") or word not in words.AMBIGUOUS):
        return None
    verb = words.group_of(word)
    return (verb, at + 1) if verb else None


def _no_thing(pieces: Pieces) -> list[Clause]:
    if word_at(pieces, 0) not in polarity.BANS:
        return []
    again = {
        at for at, one in enumerate(pieces) if one.word == "no" and pieces[at - 1].word in LINKS
    }
    return _thing(tuple(one for at, one in enumerate(pieces) if at and at not in again))


def _thing(pieces: Pieces) -> list[Clause]:
    """Read a bare thing: an act by its noun or gerund, or something that may not be used."""
    at = skip(pieces, 0, words.DETERMINERS, word_set("direct more manual"))
    word, following = word_at(pieces, at), word_at(pieces, at + 1)
    if word in words.NOUNS:
        return [Clause((words.NOUNS[word],), pieces[at + 1 :])]
    if (word.endswith("ing") or word in _FORCING) and _verb_at(pieces, at):
        return [_verbs(pieces, at, ())]
    if word == "new" or following in ("dependencies", "packages"):
        return [Clause(("add",), pieces[at:])]
    return [Clause(("",), pieces, bare=not word.endswith("ing"))]


def _predicate(pieces: Pieces) -> list[Clause]:
    """ "X is forbidden", "X is not allowed", "X is off limits"."""
    at = polarity.find_ban([one.word for one in pieces])
    if at is None:
        return []
    off = polarity.is_off_limits({one.word for one in pieces[at + 1 : at + 4]})
    after = skip(
        pieces, at + 1, polarity.FORBIDDEN, polarity.ALLOWED, words.IDLE, word_set("not off limits")
    )
    rest = pieces[after + 1 if word_at(pieces, after) == "off-limits" else after :]
    found = _thing((*pieces[:at], *rest))
    return [one._replace(verbs=("touch",)) if off and not one.verbs[0] else one for one in found]
