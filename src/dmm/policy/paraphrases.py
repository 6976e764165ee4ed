"""Set phrases that open or close a constraint: it is forbidden to, make sure that, X is a no-go."""

from __future__ import annotations

from dmm.policy import lexicon as lex
from dmm.policy.language import Sort, Token, text_at, tokens_of
from dmm.policy.resolutions import as_rule, turn_first
from dmm.policy.rivals import has_contrary
from dmm.policy.verbs import is_participle
from dmm.policy.wordsets import word_set

Words = tuple[Token, ...]
_MODALS = word_set("may must should shall can")
_BANNED = word_set("forbidden prohibited banned disallowed")
_NOT_MODIFIED = word_set("untouched unchanged intact unmodified alone")


def without_set_phrase(words: Words) -> Words:
    """The sentence with its set phrase said in the plain form of a rule."""
    words = as_rule(words)
    return turn_first(words, _TURNS) if words else words


def _starts(words: Words, *phrases: str) -> int:
    """How many words the phrase that opens the sentence has, if one of these does."""
    for phrase in phrases:
        wanted = phrase.split()
        if [word.text for word in words[: len(wanted)]] == wanted and len(words) > len(wanted):
            return len(wanted)
    return 0


def _it_is_forbidden_to(words: Words) -> Words:
    """ "It is forbidden to feed the animals"."""
    if text_at(words, 0) not in ("it", "it's"):
        return words
    turn = next((i for i in range(1, min(7, len(words) - 1)) if words[i].text == "to"), None)
    if turn is None:
        return words
    said = {word.text for word in words[:turn]}
    denied = any("not" in word.forms for word in words[:turn])
    if said & _BANNED or (denied and said & _FINE):
        return (*tokens_of("do not"), *words[turn + 1 :])
    return words


_FINE = word_set("ok okay allowed permitted acceptable")


def _in_no_case(words: Words) -> Words:
    """ "Under no circumstances may the pump be restarted"."""
    count = _starts(words, "under no circumstances", "at no time", "on no account", "in no case")
    if not count or words[count].text not in _MODALS | {"do", "will"}:
        return words
    rest = words[count + 1 :]
    verb = next((i for i in range(1, min(7, len(rest))) if _is_verb(rest[i])), None)
    if verb is None:
        return words
    return (*rest[:verb], *tokens_of("must not"), *rest[verb:])


def _is_verb(word: Token) -> bool:
    return word.text == "be" or word.text in word.acting


def _not_to(words: Words) -> Words:
    """ "Staff are not to discuss cases", "interns are not allowed to deploy"."""
    for index in range(1, min(7, len(words) - 3)):
        word = words[index].text
        if word in lex.SUBORDINATORS or words[index].sort is Sort.MARK:
            return words
        start = index + (1 if word in ("aren't", "isn't") else 2)
        denied = start == index + 1 or (word in ("is", "are") and words[index + 1].text == "not")
        if not denied:
            continue
        start += text_at(words, start) in ("allowed", "permitted", "supposed")
        if text_at(words, start) != "to":
            return words
        return (*words[:index], *tokens_of("must not"), *words[start + 1 :])
    return words


def _nobody_is_allowed(words: Words) -> Words:
    """ "Nobody is allowed to enter", "no one may enter"."""
    count = _starts(words, "no one", "nobody")
    if not count:
        return words
    if [word.text for word in words[count : count + 3]] in (
        ["is", "allowed", "to"],
        ["is", "permitted", "to"],
    ):
        return (*tokens_of("nobody may"), *words[count + 3 :])
    return words if count == 1 else (*tokens_of("nobody"), *words[count:])


def _nothing(words: Words) -> Words:
    """ "Nothing may be stored in the boiler room"."""
    passive = text_at(words, 1) in _MODALS and text_at(words, 2) == "be" and len(words) > 5
    if _starts(words, "nothing") and passive:
        return (*tokens_of("do not"), *words[3:])
    return words


def _there_is_no(words: Words) -> Words:
    """ "There must be no X", "there should never be X"."""
    if text_at(words, 0) != "there" or text_at(words, 1) not in _MODALS:
        return words
    rest = tuple(word for word in words[2:] if word.text != "be")
    if text_at(rest, 0) in ("no", "not", "never") and len(rest) > 1:
        return (*tokens_of("no"), *(rest[1:] if rest[1].text not in ("a", "any") else rest[2:]))
    return words


def _we(words: Words) -> Words:
    """ "We only hire through the agency", "we use only Go"."""
    if text_at(words, 0) != "we" or len(words) < 3:
        return words
    if words[1].text in ("only", "always", "never") or words[1].text in ("use", "require"):
        return words[1:]
    return words


def _make_sure(words: Words) -> Words:
    """ "Make sure that the backup is encrypted": it must be."""
    if any(word.text in ("before", "prior") for word in words):
        return words
    count = _starts(words, "make sure that", "make sure", "ensure that", "ensure", "see that")
    if count:
        rest = words[count:]
        for index in range(1, min(8, len(rest) - 1)):
            if rest[index].text in _AS_DUTY and "not" not in rest[index + 1].forms:
                return (*rest[:index], *tokens_of(_AS_DUTY[rest[index].text]), *rest[index + 1 :])
        return words
    count = _starts(words, "be sure to", "remember to", "make sure to", "take care to")
    return (*tokens_of("always"), *words[count:]) if count else words


_AS_DUTY = {"is": "must be", "are": "must be", "has": "must have", "have": "must have"}


def _clear_of(words: Words) -> Words:
    """ "Steer clear of X", "stay away from X"."""
    count = _starts(
        words,
        "steer clear of",
        "stay clear of",
        "stay away from",
        "keep away from",
        "shy away from",
    )
    return (*tokens_of("avoid"), *words[count:]) if count else words


def _hands_off(words: Words) -> Words:
    """ "Hands off the module", "leave it alone", "keep it unchanged", "it is frozen"."""
    count = _starts(words, "hands off", "keep your hands off")
    if count:
        return (*tokens_of("do not modify"), *words[count:])
    last = text_at(words, len(words) - 1)
    if text_at(words, 0) in ("leave", "keep") and last in _NOT_MODIFIED and len(words) > 2:
        return (*tokens_of("do not modify"), *words[1:-1])
    if last == "frozen" and text_at(words, len(words) - 2) in ("is", "are") and len(words) < 8:
        return (*tokens_of("do not modify"), *words[:-2])
    return words


def _no_go(words: Words) -> Words:
    """ "X is out of the question for Y", "X has no place in Y": X is forbidden there."""
    texts = [word.text for word in words]
    for index in range(1, min(7, len(words) - 1)):
        for phrase in _REFUSALS:
            end = index + len(phrase)
            if tuple(texts[index:end]) == phrase:
                return (*tokens_of("no"), *words[:index], *words[end:])
    return words


_REFUSALS = tuple(
    tuple(phrase.split())
    for phrase in (
        "is out of the question",
        "are out of the question",
        "is not an option",
        "are not an option",
        "is a no go",
        "are a no go",
        "is taboo",
        "are taboo",
        "has no place",
        "have no place",
        "does not belong",
        "do not belong",
        "don't belong",
        "doesn't belong",
    )
)


def _only_by(words: Words) -> Words:
    """ "Contracts may only be signed by the CFO", "… signed only after review"."""
    modal = next((i for i in range(1, min(6, len(words))) if words[i].text in _MODALS), None)
    only = next((i for i, word in enumerate(words) if word.text == "only"), None)
    if modal is None or only is None or only < modal:
        return words
    rest = tuple(word for word in words[modal + 1 :] if word.text != "only")
    if text_at(rest, 0) != "be" or len(rest) < 4 or not is_participle(rest, 1):
        return words
    thing, joint = words[:modal], rest[2].text
    if joint == "by":
        return (*tokens_of("only"), *rest[3:], *tokens_of("may"), rest[1], *thing)
    if joint in ("in", "on", "at", "from", "via", "through"):
        return (*tokens_of("only"), rest[1], *thing, *rest[2:])
    if joint in ("after", "with") and not any(word.sort is Sort.NUMBER for word in rest):
        return (*thing, *tokens_of("must not be"), rest[1], *tokens_of("without"), *rest[3:])
    return words


def _short_choice(words: Words) -> Words:
    """ "Tabs, not spaces", "tabs instead of spaces": use the one."""
    if len(words) > _SHORT or words[0].acting or words[0].text in lex.PREPOSITIONS | _NOT_THINGS:
        return words
    for index in range(1, min(5, len(words) - 1)):
        word = words[index]
        if word.text in lex.AUXILIARIES | {"only"}:
            return words
        turned = word.text == "not" and words[index - 1].text == ","
        if word.text == "insteadof" or turned:
            return (*tokens_of("use"), *words)
    return words


_SHORT = 10
_NOT_THINGS = word_set("always never no only do please you we i they it there")


def _in_only(words: Words) -> Words:
    """ "Commit messages in English only": they must be in English."""
    turn = next((i for i, word in enumerate(words) if word.text in ("in", "on", "by")), None)
    if text_at(words, len(words) - 1) != "only" or not turn or turn + 2 >= len(words):
        return words
    if any(word.text in lex.AUXILIARIES for word in words[:turn]):
        return words
    if turn < 2 and words[0].acting:
        return words
    return (*words[:turn], *tokens_of("must be"), *words[turn:-1])


def _free_of(words: Words) -> Words:
    """ "Our kitchen is nut-free": no nuts in it."""
    end = len(words) - 1 if text_at(words, len(words) - 1) in ("zone", "area") else len(words)
    be = next((i for i in range(1, end) if words[i].text in ("is", "are", "be")), None)
    if be is None or end < 3 or words[end - 1].text != "free" or be > 5:
        return words
    what = tuple(word for word in words[be + 1 : end - 1] if word.text not in lex.DETERMINERS)
    where = tuple(word for word in words[:be] if word.text not in _MODALS)
    if len(what) != 1 or any("not" in word.forms for word in words):
        return words
    if has_contrary(f"{what[0].text}-free"):
        return words
    return (*tokens_of("no"), *what, *tokens_of("in"), *where)


def _is_a_must(words: Words) -> Words:
    """ "X is mandatory for Y": Y must have X; "X is a must": X is required."""
    be = next((i for i in range(1, min(7, len(words))) if words[i].text in ("is", "are")), None)
    if be is None or any("not" in word.forms for word in words):
        return words
    rest = [word.text for word in words[be + 1 :]]
    if rest in (["a", "must"], ["non", "negotiable"], ["nonnegotiable"], ["not", "negotiable"]):
        return (*words[:be], *tokens_of("is required"))
    scoped = len(rest) > 2 and rest[0] in ("mandatory", "required", "compulsory", "obligatory")
    if scoped and rest[1] in ("for", "on", "in", "at") and not set(rest) & _MORE:
        return (*words[be + 3 :], *tokens_of("must have"), *words[:be])
    return words


_MORE = lex.SUBORDINATORS | word_set("except excluding barring , and or")


def _use_of(words: Words) -> Words:
    """ "The use of X is prohibited": X is."""
    count = _starts(words, "the use of", "use of", "the usage of", "usage of", "any use of")
    banned = any(word.text in _BANNED or "not" in word.forms for word in words)
    return words[count:] if count and banned else words


def _at_all_times(words: Words) -> Words:
    """ "Wear a hat on site at all times": always."""
    if [word.text for word in words[-3:]] == ["at", "all", "times"] and words[0].acting:
        return (*tokens_of("always"), *words[:-3])
    return words


_TURNS = (
    _it_is_forbidden_to,
    _in_no_case,
    _nobody_is_allowed,
    _not_to,
    _nothing,
    _there_is_no,
    _we,
    _make_sure,
    _clear_of,
    _hands_off,
    _no_go,
    _only_by,
    _short_choice,
    _in_only,
    _free_of,
    _is_a_must,
    _use_of,
    _at_all_times,
)
