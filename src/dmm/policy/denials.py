"""Where a decision turns a thing down, sets it off, or takes a rival of it."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from dmm.policy import lexicon as lex
from dmm.policy.acts import Act, Polarity, Reading, Role
from dmm.policy.language import Sort, tokens_of
from dmm.policy.lemmas import base_forms
from dmm.policy.rivals import rival_names
from dmm.policy.switches import turned_off
from dmm.policy.wordsets import word_set

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from dmm.policy.language import Token
    from dmm.policy.phrases import Phrase
    from dmm.policy.rules import Term

# What is put off or guarded is not turned down.
_NOT_AGAINST = word_set("cancel postpone delay defer protect guard resist")
AGAINST = (
    (lex.NEGATIVE - _NOT_AGAINST)
    | lex.REMOVE
    | word_set(
        """ignore suppress waive forgo silence suspend pause relax loosen weaken dispense terminate
        dismiss"""
    )
)
STATES = frozenset(("be", "have"))
_OFF = word_set("false off none disabled no never null")
_SETTING_OFF = word_set("turn switch leave keep set take put shut")


def denials(reading: Reading, core: Sequence[Term]) -> Iterator[tuple[Act, list[int]]]:
    """Acts that turn down what all the terms name together, with the words that do so."""
    for act in settled_acts(reading, core):
        if act.verb is not None and _is_not_done_itself(reading, act, core):
            yield act, [act.verb]
        for phrase in act.phrases:
            if _sets_off(reading, act, phrase) or _is_superfluous(reading, act, phrase, core):
                continue
            denied = _is_denied(act, phrase) or _is_passed_over(reading, act, phrase)
            if denied or _is_set_off(reading, act, phrase):
                found = _all_terms(reading, act, phrase, core)
                if found:
                    yield act, found
        yield from _switched_off(reading, act, core)


def settled_acts(reading: Reading, core: Sequence[Term]) -> list[Act]:
    """The acts of what is decided: no reasons, conditions or things turned down or spoken of."""
    about = {act.sentence for act in reading.acts if _is_about(reading, act, core)}
    mended = {act.sentence for act in reading.acts if _mends(act)}
    declined = {act.sentence for act in reading.acts if act.role is Role.MAIN and _turns_down(act)}
    doing = any(
        act.polarity is Polarity.DONE and not act.forms & (AGAINST | lex.MENTION | STATES)
        for act in reading.acts
        if act.verb is not None
    )
    return [
        act
        for act in reading.acts
        if act.verb is not None
        and act.sentence not in about
        and _is_decided(act)
        and not (act.role is Role.RELATIVE and act.sentence in mended)
        and (not act.forms & STATES or (doing and act.sentence not in declined))
    ]


def _is_decided(act: Act) -> bool:
    if act.role in (Role.REASON, Role.CONDITION) or act.polarity is Polarity.ASIDE:
        return False
    return act.polarity is not Polarity.UNSURE or act.role is Role.CONCESSION


def _mends(act: Act) -> bool:
    """ "Encrypt the passwords that are stored in plain text": the main act mends it."""
    return act.role is Role.MAIN and bool(act.forms & (lex.NEUTRAL - {"leave", "move"}))


def _is_about(reading: Reading, act: Act, core: Sequence[Term]) -> bool:
    """ "Add a test for X", "write a note on X": X is spoken of, not decided on."""
    if not act.forms & _AUTHORING:
        return False
    for phrase in act.objects():
        last = phrase.indices[-1]
        behind = reading.tokens[last + 1].text if last + 1 < len(reading.tokens) else ""
        asked = any(reading.tokens[last].stands_for(item.forms) for item in core)
        if reading.tokens[last].forms & _SPEAKING and behind in _OF_WHAT and not asked:
            return True
    return False


_OF_WHAT = word_set("for about on against of that which to when why if")
_AUTHORING = word_set("write add create file open draft make build introduce publish post")
_SPEAKING = word_set(
    """test bug rule check lint warning error issue ticket note memo alert faq guide reminder
    regression guard"""
)


def _turns_down(act: Act) -> bool:
    if act.forms & STATES:
        return False
    return act.polarity is Polarity.NOT_DONE or bool(act.forms & AGAINST)


def _is_not_done_itself(reading: Reading, act: Act, core: Sequence[Term]) -> bool:
    """ "It cannot be reversed": the verb is what was asked for."""
    if len(core) != 1 or act.polarity is not Polarity.NOT_DONE or act.verb is None:
        return False
    return reading.tokens[act.verb].stands_for(core[0].forms) and not act.derived


def _sets_off(reading: Reading, act: Act, phrase: Phrase) -> bool:
    """ "Never set verify=False" keeps the verification."""
    if act.polarity is not Polarity.NOT_DONE and not phrase.negated:
        return False
    return any(turned_off(reading.tokens[index].text) for index in phrase.indices)


def _is_denied(act: Act, phrase: Phrase) -> bool:
    against = bool(act.forms & AGAINST)
    if act.polarity is Polarity.NOT_DONE:
        direct = phrase.preposition in (None, "with") or act.passive
        return direct and not phrase.negated and not against and not act.forms & lex.MENTION
    if phrase.negated:
        return not against
    if act.forms & lex.TRANSITIONS and phrase.preposition in ("from", "off", "away"):
        return True
    if _trades_in(act):
        return phrase.preposition == "for"
    return against and (
        phrase.preposition is None or (act.passive and phrase.preposition == "subject")
    )


def _is_passed_over(reading: Reading, act: Act, phrase: Phrase) -> bool:
    """ "Instead of meeting in person", "end the contract with X": what is not done or ended."""
    if phrase.negated or not act.verb:
        return False
    if act.polarity is Polarity.NOT_DONE:
        before = reading.tokens[act.verb - 1].text
        return before in ("insteadof", "without") and phrase.preposition not in _FRONTED
    return bool(act.forms & _ENDING) and phrase.preposition == "with"


_FRONTED = frozenset(("subject",))
_ENDING = frozenset(("terminate", "end", "cancel"))


def _is_superfluous(reading: Reading, act: Act, phrase: Phrase, core: Sequence[Term]) -> bool:
    """ "Remove the duplicate X": one X too many goes, X stays."""
    if not act.forms & AGAINST:
        return False
    return any(
        reading.tokens[index].text in _SUPERFLUOUS
        and not any(reading.tokens[index].stands_for(item.forms) for item in core)
        for index in phrase.indices
    )


_SUPERFLUOUS = word_set(
    """duplicate duplicated stale unused old obsolete wrong broken redundant outdated temporary dead
    unneeded second extra deprecated invalid expired legacy former orphaned superfluous incorrect
    empty failed previous"""
)


def _trades_in(act: Act) -> bool:
    """ "Substitute X for Y": Y gives way."""
    return "substitute" in act.forms and any(p.preposition == "for" for p in act.phrases)


def is_taken(act: Act, phrase: Phrase) -> bool:
    """Whether the phrase names what a replacement brings, and not what it replaces."""
    if not act.forms & lex.REPLACEMENTS:
        return True
    if _trades_in(act):
        return phrase.preposition is None
    return phrase.preposition in ("with", "by", "for")


def _is_set_off(reading: Reading, act: Act, phrase: Phrase) -> bool:
    """ "Turn the check off", "leave the check off"."""
    last = phrase.indices[-1]
    after = last if reading.tokens[last].text in _AWAY else last + 1
    if act.polarity is not Polarity.DONE or not act.forms & _SETTING_OFF or phrase.negated:
        return False
    return (
        phrase.preposition is None
        and after < len(reading.tokens)
        and reading.tokens[after].text in _AWAY
    )


_AWAY = frozenset(("off", "disabled", "out"))


def _all_terms(reading: Reading, act: Act, phrase: Phrase, core: Sequence[Term]) -> list[int]:
    used: list[int] = []
    order = act.phrases.index(phrase)
    others = [other for other in act.phrases[order + 1 :] if not other.negated]
    if act.forms & lex.TRANSITIONS:
        others = [other for other in act.phrases if other is not phrase]
    following = [index for other in others for index in other.indices]
    for item in core:
        places = (*phrase.indices, *following) if used else phrase.indices
        place = next((i for i in places if reading.tokens[i].stands_for(item.forms)), None)
        if place is None:
            return []
        used.append(place)
    last = next((i for i in reversed(phrase.indices) if reading.tokens[i].text not in _AWAY), 0)
    behind = reading.tokens[last]
    if last not in used and not behind.forms & lex.CARRIERS and max(used) < last:
        return []
    return used


def _switched_off(
    reading: Reading, act: Act, core: Sequence[Term]
) -> Iterator[tuple[Act, list[int]]]:
    """ "Set ssl_verify to off", "tracing: none": the thing by its setting."""
    if act.polarity is not Polarity.DONE or act.forms & (lex.MENTION | AGAINST):
        return
    for index in sorted({i for phrase in act.phrases for i in phrase.indices}):
        token = reading.tokens[index]
        if not _is_set_to_off(reading, index):
            continue
        if _names(token, core[-1]) and _is_spoken_of(reading, act, index, core[:-1]):
            yield act, [index]


def _is_set_to_off(reading: Reading, index: int) -> bool:
    """Whether the token is given a value that means off."""
    following = [token.text for token in reading.tokens[index + 1 : index + 3]]
    return len(following) == 2 and following[0] in (":", "to") and following[1] in _OFF


def _names(token: Token, item: Term) -> bool:
    return token.stands_for(item.forms) or bool(pieces_of(token) & item.forms)


def _is_spoken_of(reading: Reading, act: Act, index: int, others: Sequence[Term]) -> bool:
    if not others:
        return True
    own = pieces_of(reading.tokens[index])
    first, last = reading.sentences[act.sentence]
    return any(
        own & item.forms
        or any(reading.tokens[i].stands_for(item.forms) for i in range(first, last))
        for item in others
    )


def pieces_of(token: Token) -> frozenset[str]:
    """The words inside a name from code; a moment in time is named `…_at`."""
    if token.sort is not Sort.NAME:
        return frozenset()
    return _pieces(token.text)


@lru_cache(maxsize=4_096)
def _pieces(name: str) -> frozenset[str]:
    plain = "".join(character if character.isalnum() else " " for character in name).split()
    forms = frozenset[str]().union(*(base_forms(piece) for piece in plain))
    return forms | {"timestamp", "date", "time"} if plain and plain[-1] == "at" else forms


def rival_places(reading: Reading, act: Act, names: frozenset[str]) -> list[int]:
    """The words by which the act takes another choice for the job of one of the names."""
    if act.polarity is not Polarity.DONE or act.verb is None:
        return []
    if act.forms & ((AGAINST | lex.MENTION) - lex.REPLACEMENTS) or is_copying(reading, act):
        return []
    sought = _sequences(rival_names(names))
    for phrase in act.phrases:
        against = phrase.preposition == "against" and act.forms & _AIMED
        if phrase.negated or (phrase.preposition in _NOT_TAKEN and not against):
            continue
        if not is_taken(act, phrase):
            continue
        for order, index in enumerate(phrase.indices):
            found = _sequence_at(reading, index, sought)
            if found and ends_name(reading, phrase, order, names):
                return found
    return []


_IMITATING = word_set("mock stub simulate fake parse test")


def is_copying(reading: Reading, act: Act) -> bool:
    """Whether what the act takes elsewhere stays where it is, too."""
    return act.verb is not None and bool(reading.tokens[act.verb].forms & (_COPYING | _IMITATING))


_COPYING = word_set("export dump copy import")
_AIMED = frozenset(("run", "execute", "apply", "point", "start"))
_NOT_TAKEN = lex.ABOUT_PREPOSITIONS - {"over"} | word_set("subject behind beside near past")


@lru_cache(maxsize=1_024)
def _sequences(names: frozenset[str]) -> dict[str, tuple[tuple[str, ...], ...]]:
    table: dict[str, list[tuple[str, ...]]] = {}
    for name in sorted(names):
        words = tuple(token.text for token in tokens_of(name))
        if words:
            table.setdefault(words[-1], []).append(words)
    return {last: tuple(rows) for last, rows in table.items()}


def _sequence_at(
    reading: Reading, index: int, sought: dict[str, tuple[tuple[str, ...], ...]]
) -> list[int]:
    token = reading.tokens[index]
    if token.text in _COMMON_WORDS and not reading.text[token.start].isupper():
        return []
    for form in token.forms:
        for words in sought.get(form, ()):
            first = index - len(words) + 1
            before = reading.tokens[first:index] if first >= 0 else ()
            same = [one.text for one in before] == list(words[:-1])
            longer = reading.tokens[first].glued
            if first >= 0 and same and not longer:
                return list(range(first, index + 1))
    return []


# Names that are common words: only a capital tells the name.
_COMMON_WORDS = word_set(
    """go goes going rest black spring express swift dart solid teams sketch linear parcel nose
    bun swarm caddy ember perl biome sails flask docker oracle"""
)


def ends_name(
    reading: Reading, phrase: Phrase, order: int, beside: frozenset[str] = frozenset()
) -> bool:
    """Whether nothing but a number, a carrying word or one of `beside` follows in the phrase."""
    rest = [reading.tokens[index] for index in phrase.indices[order + 1 :]]
    own = reading.tokens[phrase.indices[order]].forms
    carrying = _PLACES_OF_HTTP if "http" in own else lex.CARRIERS
    return all(one.sort is Sort.NUMBER or one.forms & (carrying | beside) for one in rest)


# Much is called after the protocol without being served by it: an HTTP client, an HTTP status.
_PLACES_OF_HTTP = word_set("endpoint url address link connection page site port")
