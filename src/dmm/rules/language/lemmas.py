"""The base forms a word may stand for, by small rules and a table of irregular words."""

from __future__ import annotations

from functools import lru_cache

from dmm.rules.language.wordsets import word_set

_IRREGULAR_TEXT = """
be am is are was were been being; have has had having; do does did done doing; go goes went gone
going; get gets got gotten getting; make made making; take took taken taking; buy bought; bring
brought; build built; break broke broken; choose chose chosen choosing; come came; cut cutting;
draw drew drawn; drive drove driven driving; eat ate eaten; fall fell fallen; find found; fly
flew flown flies flying; forbid forbade forbidden; forget forgot forgotten; freeze froze frozen;
give gave given giving; hide hid hidden hiding; hold held; keep kept; know knew known; lead led;
leave left leaving; let letting; lose lost losing; mean meant; meet met; pay paid; pick picked;
put putting; quit quitting; read; rebuild rebuilt; run ran running; say said; see saw seen; seek
sought; sell sold; send sent; set setting; shut shutting; sleep slept; speak spoke spoken; spend
spent; split splitting; stick stuck; store stored storing stores; swap swapped; teach taught;
tell told; think thought; throw threw thrown; undo undone undid; understand understood; use used
using uses; wake woke woken; wear wore worn; win won; write wrote written writing; rewrite
rewrote rewritten; overwrite overwrote overwritten; withdraw withdrew withdrawn; catch caught;
feed fed; lend lent; die dying; lie lying; tie tying; reset resetting; ship shipped shipping;
ban banned banning; child children; taxi taxis; person people; man men; woman women; mouse mice;
foot feet; datum data; index indices indexes; matrix matrices; vertex vertices; criterion
criteria; analysis analyses; half halves; leaf leaves; life lives; knife knives; query queries;
cookie cookies; movie movies; cache caches caching cached; base bases based; release releases;
purchase purchases; database databases; expose exposes; close closes; course courses; case
cases; response responses; license licenses; house houses; phrase phrases; clause clauses; size
sizes; bus buses; pass passes; code codes coding; log logged logging logs; agree agreed agrees;
guarantee guaranteed; free freed; plane planes; plan planned; id ids; db dbs; pr prs; vm vms;
ip ips; poll polls polled polling; pin pins; roll rolled rolling; spin spun; tear tore torn;
steal stole stolen; rise rose risen; shrink shrank shrunk; grow grew grown; spread;
hang hung; bind bound; show showed shown; wear wore worn; stand stood; sit sat sitting; lay laid;
lie lay lain lying; hit hitting; ride rode ridden; ring rang rung; bite bit bitten; blow blew blown;
shake shook shaken; shoot shot; strike struck; sink sank sunk; deal dealt; hear heard; feel felt;
fight fought; resell resold; dig dug digging; swear swore sworn; bleed bled; breed bred;
beat beaten; sow sown; stir stirred; swing swung; bonus bonuses; virus viruses; status statuses;
campus campuses
"""
_UNCHANGED = word_set(
    """always less across this thus plus various previous besides towards news series species is
    was has does as us yes evening morning during nothing something everything anything thing
    king ring spring string bring wing sing need speed feed seed indeed exceed proceed succeed
    hundred red bed shed embed process access address business redis jenkins kubernetes postgres
    aws dns https tls css js ios sms pandas keras express canvas ceiling sibling wedding
    sometimes perhaps hence never ever"""
)
_VOWELS = frozenset("aeiouy")


def _irregular_forms() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for row in _IRREGULAR_TEXT.split(";"):
        base, *inflected = row.split()
        for word in (base, *inflected):
            table.setdefault(word, {word}).add(base)
    return {word: frozenset(bases) for word, bases in table.items()}


_IRREGULAR = _irregular_forms()


@lru_cache(maxsize=4_096)
def base_forms(word: str) -> frozenset[str]:
    """Every base form `word` may be an inflection of, the word itself included."""
    known = _IRREGULAR.get(word)
    if known is not None:
        return known
    if len(word) < 4 or word in _UNCHANGED or not word.isalpha():
        return frozenset((word,))
    forms = {word}
    if word.endswith("s"):
        forms |= _without_s(word)
    for suffix in ("ing", "ed"):
        if word.endswith(suffix):
            forms |= _without_suffix(word, suffix)
    for singular in tuple(forms):
        if singular != word and singular.endswith("ing"):
            forms |= _without_suffix(singular, "ing")
    return frozenset(forms)


def _without_s(word: str) -> set[str]:
    if word.endswith(("ss", "us")):
        return set()
    if word.endswith("ies") and len(word) > 4:
        return {word[:-3] + "y"}
    if word.endswith(("shes", "ches", "xes", "zes", "sses", "oes")):
        return {word[:-2]} | _IRREGULAR.get(word[:-1], frozenset())
    stem = word[:-1]
    return {stem} | _IRREGULAR.get(stem, frozenset())


def _without_suffix(word: str, suffix: str) -> set[str]:
    stem = word[: -len(suffix)]
    if len(stem) < 2 or not _VOWELS & set(stem) or word.endswith("eed"):
        return set()
    if suffix == "ed" and stem.endswith("i"):
        return {stem[:-1] + "y"}
    doubled = len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "aeiouls"
    if doubled:
        return {stem[:-1]}
    forms = {stem + "e"}
    if len(stem) > 2:
        forms.add(stem)
    if stem.endswith("ll"):
        forms.add(stem[:-1])
    return forms
