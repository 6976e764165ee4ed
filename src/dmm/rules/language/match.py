"""Find where a decision does the act of a rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dmm.rules.language.nouns import match_noun, stands
from dmm.text import lexicon as lex
from dmm.text.acts import Act, Phrase, Polarity

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dmm.rules.language.rules import Action, Condition
    from dmm.text.clauses import Reading


Span = tuple[int, int]
_MODIFYING = frozenset(("modify", "=modify"))
# What is added to a thing changes the thing.
_INSERTING = frozenset(("add", "insert", "append", "set"))
# Behind these words a gerund is what is done.
_BEGINNING = frozenset(("start", "begin", "continue", "keep", "resume", "by"))
USING = frozenset(("use", "=use", "adopt", "introduce", "depend", "rely"))


@dataclass(frozen=True, slots=True)
class Breach:
    """The tokens that show a breach, whether it is sure, how they were read, and a suggestion."""

    certain: bool
    tokens: tuple[int, ...]
    steps: tuple[str, ...] = ()
    reason: str = ""
    suggestion: str = ""

    def spans(self, reading: Reading) -> tuple[Span, ...]:
        """Return the ranges of the tokens in the text; adjacent words are one range."""
        spans: list[Span] = []
        previous = -2
        for index in sorted(set(self.tokens)):
            token = reading.tokens[index]
            if index == previous + 1 and spans:
                spans[-1] = (spans[-1][0], token.end)
            else:
                spans.append((token.start, token.end))
            previous = index
        return tuple(spans)


def find_action(reading: Reading, action: Action) -> Breach | None:
    """Return the act of the decision that is the action; a certain one before a similar one."""
    similar: Breach | None = None
    for act in reading.acts:
        finding = _meet(reading, act, action)
        if finding is not None and finding.certain:
            return finding
        similar = similar or finding
    return similar


def _meet(reading: Reading, act: Act, action: Action) -> Breach | None:
    if act.polarity in (Polarity.NOT_DONE, Polarity.ASIDE):
        return None
    found = _done_to(reading, act, action)
    if found is None:
        return None
    certain, tokens = found
    rest = _circumstances(reading, act, action, tokens)
    if rest is None:
        return None
    shown, more = rest
    if not (certain or shown):
        return None
    certain, tokens = certain and shown, [*tokens, *more]
    words = " ".join(reading.tokens[index].text for index in sorted(set(tokens)))
    steps = (f'read "{words}" as the act "{action.text}"', f"the act is {act.polarity}")
    return Breach(certain and act.polarity is Polarity.DONE, tuple(tokens), steps)


def names_thing(reading: Reading, action: Action, finding: Breach) -> bool:
    """Whether the word of an act on nothing in particular is that of a thing: "trading cycle"."""
    at = finding.tokens[-1]
    text, following = reading.tokens[at].text, reading.text[reading.tokens[at].end :].lstrip()
    gerund = text.endswith("ing")
    # It is the act at the beginning, before a name and behind "start": "Booking Hotel Sakura".
    begun = at == 0 or not reading.tokens[at - 1].forms.isdisjoint(_BEGINNING)
    acting = gerund and (begun or following[:1].isupper())
    if action.objects or action.conditions or acting:
        return False
    for act, phrase in ((one, part) for one in reading.acts for part in one.phrases):
        behind = at + 1 in phrase.indices and reading.tokens[at + 1].text not in lex.TIMES
        # "Execute trades" does what "trading" means; "backfill old trades" does something else.
        done = act.forms & lex.LIGHT and phrase.indices == (at,)
        if at in phrase.indices and (behind or (text.endswith("s") and not done)):
            return True
        if behind and gerund and at == phrase.indices[0] - 1:
            return True
    return False


def is_use(action: Action) -> bool:
    """Return whether the action means any use of its object."""
    return not action.verbs or any(verb.forms & USING for verb in action.verbs)


def _done_to(reading: Reading, act: Act, action: Action) -> tuple[bool, list[int]] | None:
    """Return the tokens of the verb and object of the action, and whether they are certain."""
    verb_at = [] if act.verb is None else [act.verb]
    if action.verbs and act.verb is not None and _is_verb(reading, act, action):
        if not action.objects:
            return True, verb_at
        objects = _find_objects(reading, act, action)
        if objects is not None:
            return objects[0], [*verb_at, *objects[1]]
    named = _named_act(reading, act, action)
    if named is not None:
        return True, [*verb_at, *named]
    if not is_use(action):
        return None
    return _find_use(reading, act, action)


def _find_use(reading: Reading, act: Act, action: Action) -> tuple[bool, list[int]] | None:
    """Return the tokens where the object of "use X" is used."""
    verb_at = [] if act.verb is None else [act.verb]
    for noun in action.objects:
        common = bool(noun.head.forms & lex.CARRIERS) and not noun.modifiers
        for phrase in act.phrases:
            if common and phrase.preposition in ("in", "on", "into", "under"):
                continue
            used = puts_to_use(reading, act, phrase, any_act=not action.verbs)
            at = match_noun(reading, act, phrase, noun) if used is not None else None
            if at is not None:
                # A kind of the thing is not surely meant by its name.
                exact = reading.tokens[at[1][0]].forms & noun.head.forms or noun.head_optional
                return bool(used and at[0] and exact), [*verb_at, *at[1]]
    return None


def _is_verb(reading: Reading, act: Act, action: Action) -> bool:
    kinds = reading.tokens[act.verb].kinds if act.verb is not None else frozenset()
    return any(verb.forms & (act.forms | kinds) for verb in action.verbs)


def _find_objects(reading: Reading, act: Act, action: Action) -> tuple[bool, list[int]] | None:
    similar: tuple[bool, list[int]] | None = None
    for phrase in _acted_on(reading, act, action):
        for noun in action.objects:
            at = match_noun(reading, act, phrase, noun)
            if at is not None and at[0]:
                return at
            similar = similar or at
    return similar


def _acted_on(reading: Reading, act: Act, action: Action) -> Iterator[Phrase]:
    direct = list(act.objects())
    changing = any(verb.forms & _MODIFYING for verb in action.verbs)
    if not changing or not act.forms & _INSERTING:
        yield from direct
    for phrase in act.phrases:
        if is_about(reading, act, phrase):
            continue
        part = any(reading.tokens[one.indices[-1]].forms & lex.PARTS for one in direct)
        if (
            (phrase.preposition == "of" and (part or not direct))
            or (changing and phrase.preposition in ("in", "to", "from", "inside", "of"))
            or (phrase.preposition == "as" and act.forms & lex.USE)
            or (not direct and phrase.preposition in ("to", "on", "into", "at", "for"))
        ):
            yield phrase


def _named_act(reading: Reading, act: Act, action: Action) -> list[int] | None:
    """ "Schedule the deletion of X", "run git push": a noun names the act."""
    light = act.verb is None or act.passive or act.forms & lex.LIGHT
    against = act.forms & (lex.NEGATIVE | lex.REMOVE)
    if not action.verbs or against or not light:
        return None
    for order, phrase in enumerate(act.phrases):
        if phrase.negated or phrase.preposition not in (None, "subject", "with"):
            continue
        for place, index in enumerate(phrase.indices):
            token = reading.tokens[index]
            named = any(verb.forms & token.forms for verb in action.verbs)
            if not named:
                continue
            if not action.objects:
                return [index]
            inside = Phrase(None, (*phrase.indices[:place], *phrase.indices[place + 1 :]))
            behind = [one for one in act.phrases[order + 1 :] if one.preposition in _OF]
            for one in (inside, *behind):
                for noun in action.objects:
                    at = match_noun(reading, act, one, noun) if one.indices else None
                    if at is not None and at[0]:
                        return [index, *at[1]]
    return None


_OF = frozenset(("of", "to", "for"))


def _circumstances(
    reading: Reading, act: Act, action: Action, used: list[int]
) -> tuple[bool, list[int]] | None:
    """Return the tokens for manner, actor and conditions, and whether all of them are there.

    None where one is missing without which the act is another one.
    """
    found = _manners(reading, act, action)
    if found is None:
        return None
    shown, tokens = found
    if action.subject is not None:
        doers = [one for one in act.phrases if one.preposition not in ("about", "of", "like")]
        named = [m for one in doers if (m := match_noun(reading, act, one, action.subject))]
        if not named:
            return None
        tokens += named[0][1]
    for condition in action.conditions:
        at_place = match_condition(reading, act, condition, used)
        if at_place is None and not _leaves_open(act, action, condition):
            return None
        shown = shown and (at_place is not None or _holds_here(act, condition))
        tokens += at_place or []
    return shown, tokens


def _manners(reading: Reading, act: Act, action: Action) -> tuple[bool, list[int]] | None:
    """The adverbs of the action; few make another act of it, and the others may tell nothing."""
    places = (*act.before, *(i for one in act.phrases if not one.negated for i in one.indices))
    found = {one.text: [i for i in places if stands(reading, i, one)] for one in action.manner}
    missing = {text for text, at in found.items() if not at}
    if missing and not (action.objects and missing.isdisjoint(lex.MANNERS)):
        return None
    return not missing, [at[0] for at in found.values() if at]


def _leaves_open(act: Act, action: Action, condition: Condition) -> bool:
    """Return whether the act may meet a condition that it does not name: "use X"."""
    if not condition.nouns:
        return True
    used = any(verb.forms & USING for verb in action.verbs)
    return used and not any(one.preposition in CIRCUMSTANCES for one in act.phrases)


def _holds_here(act: Act, condition: Condition) -> bool:
    """Return whether the act is "here": no other place is named."""
    places = (one.preposition in CIRCUMSTANCES - {"for"} for one in act.phrases)
    return condition.preposition == "here" and not any(places)


CIRCUMSTANCES = lex.CONDITIONS | {"in", "on", "for", "during", "within", "inside", "under"}


def match_condition(
    reading: Reading, act: Act, condition: Condition, used: list[int]
) -> list[int] | None:
    """Return the tokens that show the condition of the act."""
    aimed = any(one.preposition in _TOWARDS for one in act.phrases)
    for phrase in act.phrases:
        if phrase.negated or not _fits(condition.preposition, phrase.preposition):
            continue
        fronted = act.verb is not None and phrase.indices[0] < act.verb
        direct = fronted or phrase.preposition in (None, "subject")
        if direct and aimed and condition.preposition in _TOWARDS:
            continue
        for noun in condition.nouns:
            at = match_noun(reading, act, phrase, noun)
            path = at is not None and "/" in reading.tokens[at[1][0]].text
            if at is not None and (path or not set(at[1]) <= set(used)):
                return at[1]
    return None


_TOWARDS = frozenset(("to", "into", "onto"))
_ELSEWHERE = frozenset(["outside", "beyond", "behind", "beside", "near", "past"])
_EXACT = frozenset(("before", "after", "without", "from", "off", "outside", "over", "above"))
_AWAY = frozenset(("from", "off"))
_TOOLS = frozenset(("with", "via", "through", "by", "using"))
_TOPICS = frozenset(("about", "against", "like", "than", "except", "insteadof"))


def _fits(wanted: str, given: str | None) -> bool:
    """Return whether a phrase with one preposition can match a rule with another."""
    if given == wanted:
        return True
    if given in _TOPICS | _ELSEWHERE or wanted in _ELSEWHERE:
        return False
    if "for" in (wanted, given):
        return True
    if given is None or given == "subject":
        return wanted not in ("before", "after", "without")
    if wanted in _EXACT or given in _EXACT:
        return wanted in _AWAY and (given in _AWAY or given in ("in", "of"))
    return (wanted in _TOOLS) == (given in _TOOLS)


_MEANS = frozenset(("with", "via", "through", "using", "by", "over"))
_SETTINGS = frozenset(("in", "on", "onto", "into", "to", "at", "under", "as", "from", "upon"))


def puts_to_use(
    reading: Reading, act: Act, phrase: Phrase, *, any_act: bool = False
) -> bool | None:
    """Return whether the act uses the thing of a phrase; False if that is not certain."""
    place, forms = phrase.preposition, act.forms
    if phrase.negated or is_about(reading, act, phrase):
        return None
    if act.verb is None:
        return False if place is None else None
    if forms & lex.REPLACE or (forms & lex.TRANSITION and not forms & lex.USE):
        return _brought_by_change(forms, place)
    if place is None or (act.passive and place == "subject"):
        return _takes_object(reading, act, any_act=any_act)
    if place in _MEANS:
        chosen = place == "over" and forms & {"=choose", "prefer", "favor"}
        return None if chosen or forms & (lex.MENTION | lex.NEGATIVE | {"meet"}) else True
    if place in _SETTINGS:
        return None if forms & lex.IDLE else place not in ("to", "from", "at")
    return None


def is_about(reading: Reading, act: Act, phrase: Phrase) -> bool:
    """ "Keep the ban on X", "add a test for X": said of X, not done with it."""
    if phrase.preposition in (None, "subject"):
        return False
    before = [one for one in act.objects() if one.indices[-1] < phrase.indices[0]]
    head = reading.tokens[before[-1].indices[-1]].forms if before else frozenset()
    if phrase.preposition in ("to", "from"):
        return bool(head & {"link", "pointer", "reference", "alternative", "migration"})
    return phrase.preposition not in ("in", "with", "by") and bool(head & lex.ABOUT)


def _brought_by_change(forms: frozenset[str], place: str | None) -> bool | None:
    """Return what a replacement brings in: "replace A with B", "move from A to B"."""
    if not forms & lex.REPLACE:
        return True if place in ("to", "into", "onto", "with", "in", "on") else None
    if "substitute" in forms:
        return True if place is None else None
    wanted = ("with", "by") if "replace" in forms else ("with", "for")
    return True if place in wanted else None


def _takes_object(reading: Reading, act: Act, *, any_act: bool) -> bool | None:
    if "be" in act.forms:
        verb = reading.tokens[act.verb or 0].text
        return None if verb in ("was", "were") else True
    if act.forms & lex.USE:
        return True
    return None if act.forms & lex.IDLE else any_act
